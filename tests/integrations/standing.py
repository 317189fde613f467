"""Runs of our own in which `stand-in/…` answers, and their figures by the names that they have in other programs."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from mores.benchmarks import catalogue
from mores.models import provider
from mores.models.model import LocalModel
from mores.models.provider import Provider
from mores.models.request import CallFailed, Reply, Request
from mores.runs.spec import Spec
from tests.benchmarks.plays import TINY
from tests.integrations.stand_in import said
from tests.runs.conduct import estimates, hold


class StandIn(LocalModel):
    """The model of `stand_in`, as a run opens it; `stand-in/empty` says nothing where another gives no reply."""

    identity, by_item = "stand-in", False

    async def reply(self, request: Request) -> Reply:
        """The reply to the last message."""
        text = said(request.messages[-1].content)
        if text is None and self.spec.endswith("/empty"):
            text = ""
        if text is None:
            raise CallFailed("no reply", "scripted")
        return Reply(text=text, model="stand-in")


@contextmanager
def installed() -> Iterator[None]:
    """Context in which a package offers the provider `stand-in`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(provider, "_of_others", lambda: {"stand-in": Provider(name="stand-in", open=_open)})
        yield


def _open(spec: str, *_: object) -> StandIn:
    return StandIn(spec)


def data_of(name: str) -> str:
    """The tiny data of a benchmark."""
    return str(TINY / name.partition("/")[0])


def run(folder: Path, name: str, model: str = "stand-in/subject", **options: Any) -> Path:
    """The folder of a finished run, in which `stand-in/judge` judges where anybody has to."""
    roles = {"judge": "stand-in/judge"} if "judge" in catalogue.card(name).protocol.roles else {}
    given = {"data": data_of(name), "roles": roles, **options}
    with installed():
        assert hold(folder, Spec(benchmarks=(name,), models=(model,), **given), attempts=1)
    return folder


def figures_of(folder: Path, headline: str = "accuracy") -> dict[str, float]:
    """The figures of a run: all of the whole, and of the headline its interval, counts and groups."""
    found: dict[str, float] = {}
    for each in estimates(folder):
        groups = "".join(f"_{kind}_{name}" for kind, name in each["group"].items())
        if each["value"] is None or (groups and each["metric"] != headline):
            continue
        found[each["metric"] + groups] = each["value"]
        if each["metric"] == headline and not groups:
            parts = {part: each[part] for part in ("low", "high", "asked", "graded")}
            found |= {f"{headline}_{part}": value for part, value in parts.items() if value is not None}
    return found
