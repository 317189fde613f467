"""A model whose replies hang on the words alone, by a run's own way to models and by a host's."""

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256

import pytest

from mores.core.codec import parse_json
from mores.models import provider
from mores.models.model import LocalModel
from mores.models.provider import Provider
from mores.models.request import CallFailed, Reply, Request, Usage
from tests.benchmarks.fingerprints import OPINIONS, REPLIES

USAGE = Usage(input=10, output=2)


def said(role: str, words: str, schema: str | None) -> str | None:
    """What a role says to words that end so; None where the call fails."""
    number = int(sha256(f"{role}\n{words}".encode()).hexdigest(), 16)
    if not role.startswith("judge"):
        reply = REPLIES[number % len(REPLIES)]
        # Few calls fail, and none of the others', or no talk would come to an end.
        return "True" if not isinstance(reply, str) and (role != "subject" or number % 7 > 1) else reply
    fitting = [each for each in OPINIONS if schema is None or _fits(each, schema)] or list(OPINIONS)
    opinion = (fitting if number % 7 else OPINIONS)[number // 7 % len(fitting)]
    if '"answers"' not in (schema or ""):
        return opinion
    ids = parse_json(schema or "", where="schema")["properties"]["answers"]["items"]["properties"]["id"]["enum"]
    return '{"answers":[' + ",".join(f'{{"id":"{name}",{opinion[1:]}' for name in ids) + "]}"


def _fits(opinion: str, schema: str) -> bool:
    value = opinion.rsplit(":", maxsplit=1)[-1].rstrip("}")
    return value in schema if '"choice"' in opinion else '"score"' in schema and float(value) <= 1


def answer(role: str, request: Request) -> Reply:
    """The reply to a request.

    Raises:
        CallFailed: it is one of those that fail.
    """
    words = said(role, request.messages[-1].content, request.schema)
    if words is None:
        raise CallFailed("no connection", "scripted")
    return Reply(text=words, usage=USAGE, model="script")


class Voice:
    """Caller of a host's model in one role."""

    def __init__(self, role: str) -> None:
        self.role = role

    async def ask(self, request: Request) -> Reply:
        assert request.tag.role == self.role
        return answer(self.role, request)


class ScriptedModel(LocalModel):
    """The same as a model that a run opens, `scripted/ROLE`."""

    identity, by_item = "scripted", False

    async def reply(self, request: Request) -> Reply:
        """The reply of the role that its name says."""
        return answer(self.spec.partition("/")[2], request)


SCRIPTED = Provider(name="scripted", open=lambda spec, *_: ScriptedModel(spec))


@contextmanager
def installed() -> Iterator[None]:
    """Context in which a package offers the provider `scripted`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(provider, "_of_others", lambda: {"scripted": SCRIPTED})
        yield
