"""What a run says of how it was made: words, data, code, dice, models, machine and money."""

import os
import platform
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from mores import __version__
from mores.core.errors import InputError
from mores.models.budget import price_table
from mores.models.door import Door
from mores.models.facts import ModelFacts, facts_of
from mores.models.journal import Journal
from mores.models.openai import ChatEndpoint
from mores.models.verifier import Verifier
from mores.runs.cell import Cell
from mores.runs.folder import MANIFEST, read_manifest, write_manifest
from mores.runs.sealing import refuse_changed
from mores.runs.spec import Conditions, Spec, departures

PACKAGES = ("aiohttp", "numpy", "scipy", "pydantic", "msgspec", "jinja2", "genai-prices")


def study_manifest(folder: Path, spec: Spec, conditions: Conditions, cells: Sequence[Cell]) -> None:
    """Write the manifest of a study of several cells; a single cell's own serves for both."""
    if len(cells) == 1:
        if not (folder / MANIFEST).is_file():
            write_manifest(folder, {**_head(spec, conditions), "kind": "cell", "state": "unfinished", "plays": {}})
        return
    names = [{"folder": c.folder.name, "model": c.model, "benchmark": c.name} for c in cells]
    write_manifest(folder, {**_head(spec, conditions), "kind": "study", "cells": names})


def check_unchanged(cell: Cell) -> None:
    """Refuse to go on with a run whose data or words are no longer what they were.

    Raises:
        InputError: a data file or a prompt differs from what the manifest says, or a file of the run does.
    """
    if cell.source is not None:
        refuse_changed(cell.source, read_manifest(cell.source))
        _refuse_other(cell, cell.source, ("data",))
    if (cell.folder / MANIFEST).is_file():
        refuse_changed(cell.folder, read_manifest(cell.folder))
        _refuse_other(cell, cell.folder, ("data", "prompts"))


def _refuse_other(cell: Cell, folder: Path, kinds: tuple[str, ...]) -> None:
    before = read_manifest(folder)
    now = {"data": cell.benchmark.sources(cell.setting), "prompts": _prompts(cell)}
    for what in kinds:
        other = {name for name, sha in now[what].items() if before.get(what, now[what]).get(name, sha) != sha}
        if other:
            raise InputError(
                f"{folder}: {what} {sorted(other)} changed since this run began; start a new run "
                f"(--reuse {cell.folder} takes what is still equal)."
            )


def _prompts(cell: Cell) -> dict[str, str]:
    return {prompt.header.name: prompt.sha for prompt in cell.benchmark.prompts}


def cell_manifest(
    cell: Cell, spec: Spec, conditions: Conditions, doors: Mapping[str, Door], journal: Journal
) -> dict[str, Any]:
    """All that a reader needs to know of one cell, but for what it found."""
    card = cell.benchmark.card
    return {
        **_head(spec, conditions),
        "kind": "cell",
        "model": cell.model,
        "benchmark": card.name,
        "card": {"version": card.version, "fingerprint": card.fingerprint, "source": card.source, "items": card.items},
        "protocol": cell.setting.protocol,
        "departures": departures(card, cell.setting.protocol),
        "prompts": _prompts(cell),
        "items": len(cell.items),
        "roles": cell.roles,
        "remarks": cell.benchmark.remarks(cell.setting),
        **({} if cell.source is None else {"judged": str(cell.source)}),
        "simulated": cell.simulated,
        "facts": _facts(cell, spec, doors),
        "data": cell.benchmark.sources(cell.setting),
        "models": {name: _of_door(door) for name, door in doors.items()},
        "failed_attempts": journal.failures(),
    }


def _facts(cell: Cell, spec: Spec, doors: Mapping[str, Door]) -> ModelFacts:
    """What is known of the subject; that it thinks, the probe may have learnt."""
    facts, door = facts_of(cell.model, spec.facts), doors.get(cell.model)
    learnt = door is not None and isinstance(door.model, ChatEndpoint) and door.model.manners.thinks
    return replace(facts, reasoning="on") if learnt and facts.reasoning is None else facts


def _head(spec: Spec, conditions: Conditions) -> dict[str, Any]:
    return {
        "mores": __version__,
        "spec": spec,
        "spec_hash": spec.hash,
        "conditions": conditions,
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": {"python": platform.python_version(), "system": platform.platform(), "cores": os.cpu_count()},
        "packages": {name: metadata.version(name) for name in PACKAGES},
        "git": _commit(),
    }


def _of_door(door: Door) -> dict[str, Any]:
    """What went through a door in this sitting, and what the probe learnt."""
    model, budget = door.model, door.budget
    found: dict[str, Any] = {"identity": model.identity, "sitting": door.tally}
    if isinstance(model, Verifier):
        found["altered"] = model.altered
    if isinstance(model, ChatEndpoint):
        found["altered"] = model.manners.altered
        found["neutral"] = model.neutral
        found["limit_lowered"] = door.limit.lowered
        found["price"] = {"table": price_table(), "per_token": door.rate, "spent_so_far": round(budget.cost, 6)}
        found["usage_estimated_calls"] = budget.estimated_calls
        found["usage_doubted"] = model.doubts
    return found


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
