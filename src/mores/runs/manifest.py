"""Manifest of a run: the words, data, code, seeds, models, machine and money that made it."""

import os
import platform
import subprocess
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import cache, partial
from importlib import metadata
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from mores import __version__
from mores.benchmarks.controls import prompts_of_control
from mores.core.card import FIRST, Departure
from mores.core.code_errors import attempt
from mores.core.errors import InputError
from mores.data.fetched import Origin, origin_of
from mores.models.budget import price_table
from mores.models.client import ModelClient
from mores.models.facts import ModelFacts, facts_of
from mores.models.http import LIBCURL
from mores.models.logs.logged_reply import ReplyCounts
from mores.models.registry import is_asked_elsewhere
from mores.models.request_body import templates
from mores.runs.evaluation import Evaluation
from mores.runs.folder import MANIFEST, read_manifest, read_run, write_manifest
from mores.runs.protocol import departures, extra_fields_of_subject
from mores.runs.selection import Shard
from mores.runs.spec import ExecutionSpec, Spec, limits_of_part

PACKAGES = ("pycurl", "numpy", "scipy", "pydantic", "msgspec", "jinja2", "genai-prices")


def study_manifest(folder: Path, spec: Spec, conditions: ExecutionSpec, evaluations: Sequence[Evaluation]) -> None:
    """Write the manifest of a study of several evaluations; a single cell's own serves for both."""
    if len(evaluations) == 1:
        if not (folder / MANIFEST).is_file():
            write_manifest(
                folder, {**_head(spec, conditions, folder), "kind": "cell", "state": "unfinished", "plays": {}}
            )
        return
    names = [
        {
            "folder": c.folder.name,
            "model": c.model,
            "benchmark": c.name,
            **({} if c.variant == FIRST else {"variant": c.variant}),
        }
        for c in evaluations
    ]
    write_manifest(folder, {**_head(spec, conditions, folder), "kind": "study", "cells": names})


def check_unchanged(evaluation: Evaluation) -> None:
    """Refuse to go on with a run whose data or words are no longer what they were.

    Raises:
        InputError: a data file or a prompt differs from what the manifest says, or a file of the run does.
    """
    if evaluation.source is not None:
        _refuse_other(evaluation, evaluation.source, ("data",))
    if (evaluation.folder / MANIFEST).is_file():
        _refuse_other(evaluation, evaluation.folder, ("data", "prompts"))


def _refuse_other(evaluation: Evaluation, folder: Path, kinds: tuple[str, ...]) -> None:
    before = read_run(folder)
    now = {"data": evaluation.benchmark.sources(evaluation.setting), "prompts": _prompts(evaluation)}
    for what in kinds:
        # What the manifest does not name is new, and no reason to stop.
        other = {name for name, sha in now[what].items() if before.get(what, now[what]).get(name, sha) != sha}
        if other:
            raise InputError(
                f"{folder}: {what} {sorted(other)} changed since this run began; start a new run "
                f"(--reuse {evaluation.folder} takes what is still equal)."
            )


def _prompts(evaluation: Evaluation) -> dict[str, str]:
    subject = evaluation.setting.protocol.subject
    own = templates() if subject is not None and subject.completions is not None else {}
    control = evaluation.setting.protocol.variant.control
    asked = (*evaluation.benchmark.prompts_of(evaluation.setting), *prompts_of_control(control, evaluation.benchmark))
    return {prompt.header.name: prompt.sha for prompt in asked} | own


def evaluation_manifest(
    evaluation: Evaluation,
    spec: Spec,
    conditions: ExecutionSpec,
    clients: Mapping[str, ModelClient],
    failed: Mapping[str, int],
) -> dict[str, Any]:
    """All that a reader needs to know of one evaluation, but for what it found; `failed` attempts are by cause."""
    card, data = evaluation.benchmark.card, evaluation.setting.data
    origin = Origin() if data is None else origin_of(data)
    changed = (f"Changed since it was fetched: {name}." for name in origin.changed)
    return {
        **_head(spec, conditions, evaluation.folder),
        "kind": "cell",
        "model": evaluation.model,
        "benchmark": card.name,
        "card": {"version": card.version, "fingerprint": card.fingerprint, "source": card.source, "items": card.items},
        "protocol": evaluation.setting.protocol,
        "departures": (
            *departures(card, evaluation.setting.protocol, spec.items, spec.until or ""),
            *_of_recording(evaluation, clients),
        ),
        "sent": extra_fields_of_subject(evaluation.model, evaluation.setting.protocol),
        "prompts": _prompts(evaluation),
        "items": len(evaluation.items),
        "roles": evaluation.roles,
        "remarks": (*_remarks(evaluation), *evaluation.remarks, *changed),
        **({} if evaluation.source is None else {"judged": str(evaluation.source)}),
        "simulated": evaluation.simulated,
        "facts": _facts(evaluation, spec, clients),
        "data": _sources(evaluation),
        **({"fetched": origin.repositories} if origin.repositories else {}),
        "models": {name: _of_client(client, card.name) for name, client in clients.items()},
        "failed_attempts": failed,
    }


def _remarks(evaluation: Evaluation) -> tuple[str, ...]:
    """Remarks of the benchmark on the run."""
    name, of = evaluation.name, partial(evaluation.benchmark.remarks, evaluation.setting)
    return attempt(f"the remarks of {name}", of, lambda sentence: (sentence,))


def _sources(evaluation: Evaluation) -> dict[str, str]:
    """Sources of the items."""
    name, of = evaluation.name, partial(evaluation.benchmark.sources, evaluation.setting)
    return attempt(f"the list of sources of {name}", of, lambda _: {})


def _of_recording(evaluation: Evaluation, clients: Mapping[str, ModelClient]) -> tuple[Departure, ...]:
    """Recorded answers that nobody wrote: they were chosen among words offered."""
    client = clients.get(evaluation.model)
    counts = client.model.about(evaluation.name).get("recording") if client else None
    if not isinstance(counts, ReplyCounts) or not counts.weighed:
        return ()
    used = f"chosen by log-likelihood among the words offered ({counts.weighed:,} of {counts.matched:,})"
    return (Departure(setting="answers", published="written by the model", used=used),)


def _facts(evaluation: Evaluation, spec: Spec, clients: Mapping[str, ModelClient]) -> ModelFacts:
    """Facts of the subject; that it thinks, the run may have asked for, or the probe may have learnt."""
    asked = {} if spec.thinking is None else {"reasoning": "off" if spec.thinking == "off" else "on"}
    facts, client = facts_of(evaluation.model, asked | spec.facts), clients.get(evaluation.model)
    learnt = client is not None and client.model.thinks
    return replace(facts, reasoning="on") if learnt and facts.reasoning is None else facts


def _head(spec: Spec, conditions: ExecutionSpec, folder: Path) -> dict[str, Any]:
    before = read_manifest(folder) if (folder / MANIFEST).is_file() else {}
    return {
        "mores": __version__,
        "spec": spec,
        "spec_hash": spec.hash,
        "begun_in": str(before.get("begun_in") or Path.cwd()),  # relative names in the spec are looked for there too
        "conditions": conditions.plain,
        **({"part_limits": own} if (own := limits_of_part(conditions, Shard.read(spec.shard))) else {}),
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": {"python": platform.python_version(), "system": platform.platform(), "cores": os.cpu_count()},
        "packages": packages(),
        "git": _commit(),
    }


def _of_client(client: ModelClient, benchmark: str) -> dict[str, Any]:
    """Calls of a client in this session, findings of the probe, and the matching of a log."""
    model, budget = client.model, client.budget
    found: dict[str, Any] = {"identity": model.identity, "sitting": client.tally, **model.about(benchmark)}
    if is_asked_elsewhere(model.spec):
        found["limit_lowered"] = client.limit.lowered
        source, per_token = (client.rate.source, client.rate.per_token) if client.rate else (price_table(), None)
        found["price"] = {"table": source, "per_token": per_token, "spent_so_far": round(budget.cost, 6)}
        found["usage_estimated_calls"] = budget.estimated_calls
    return found


@cache
def packages() -> dict[str, str]:
    """The versions of what a run's figures rest on; pycurl brings a libcurl of its own."""
    return {**{name: metadata.version(name) for name in PACKAGES}, "libcurl": LIBCURL}


@cache
def _commit() -> str | None:
    """The commit of the checkout that mores runs from, if it is one."""
    try:
        found = subprocess.run(  # noqa: S603
            ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"],  # noqa: S607
            capture_output=True, text=True, timeout=5, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return None
    return found.stdout.strip() or None
