"""`mores run` and `mores resume`: from what was typed to a finished run, its table and its page."""

import asyncio
import re
import signal
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import typer

from mores.benchmarks import catalogue
from mores.cli.show_progress import shown
from mores.core.codec import build
from mores.core.errors import InputError, RunError
from mores.core.visible import tell
from mores.models.budget import Budget
from mores.models.openai import ChatEndpoint
from mores.reports.findings import Findings, JudgesKnown, read_findings
from mores.reports.ladder.labels import stated_range
from mores.reports.machine import as_json
from mores.reports.page import write_page
from mores.reports.terminal import print_table
from mores.runs.dry import estimate, print_estimate
from mores.runs.folder import MANIFEST, choose_folder, read_manifest, read_part
from mores.runs.sealing import refuse_changed
from mores.runs.spec import Conditions, Spec, check, protocol_of, read_study
from mores.runs.stored import stored_cells
from mores.runs.study import Study, run_study

RUNS = Path("runs")
MOST_JUDGES = 9
_ROLE_URL = re.compile(r"(?P<role>[a-z]+[2-9]?)=(?P<url>https?://.*)")
PAGE = "report.html"
GRACE = 4.0
"""Seconds that calls in flight have once a run is to stop: all in all it is over within five."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What was typed after `mores run`."""

    benchmarks: list[str] | None
    model: list[str] | None
    judge: list[str] | None
    role: list[str] | None
    data: Path | None
    limit: str | None
    targets: int | None
    cultures: int | None
    samples: int | None
    places: str | None
    seed: int | None
    reading: str | None
    shuffle: bool | None
    temperature: float | None
    answer_tokens: int | None
    setting: list[str] | None
    judge_runs: int | None
    judge_temperature: float | None
    base_url: list[str] | None
    fact: list[str] | None
    concurrency: int | None
    timeout: float | None
    requests_per_minute: float | None
    tokens_per_minute: float | None
    max_calls: int | None
    max_tokens: int | None
    max_cost: float | None
    reuse: list[str] | None
    power_safe: bool
    dry: bool
    out: Path | None
    judge_range: str | None
    json: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejudging:
    """What was typed after `mores judge`."""

    run: Path
    judge: list[str] | None
    samples: int | None
    setting: list[str] | None
    judge_temperature: float | None
    logprobs: bool
    base_url: list[str] | None
    concurrency: int | None
    timeout: float | None
    max_calls: int | None
    max_tokens: int | None
    max_cost: float | None
    reuse: list[str] | None
    out: Path | None
    json: bool


def start(wish: Wish) -> None:
    """Run what was wished for.

    Raises:
        InputError: something typed cannot be used.
        typer.Exit: the run is not finished.
    """
    judges = stated_range(wish.judge_range)
    spec, conditions = _specified(wish)
    if wish.dry:
        print_estimate(estimate(spec), json=wish.json)
        return
    folder = choose_folder(wish.out, spec.hash, RUNS)
    _carry_out(spec, conditions, folder, json=wish.json, judges=judges)


def judge_again(wish: Rejudging) -> None:
    """Judge a run's transcripts by other judges, or more often; what was judged alike before is not asked again.

    Raises:
        InputError: something typed cannot be used, or there is nothing to judge.
        typer.Exit: the run is not finished.
    """
    if not wish.judge:
        raise InputError(f"mores judge {wish.run}: nobody judges; name who does: --judge SPEC.")
    manifest = read_manifest(wish.run)
    refuse_changed(wish.run, manifest)
    before = build(Spec, read_part(wish.run, "spec"), where=f"{wish.run}/manifest.json")
    asked = {
        "judge_runs": wish.samples,
        "judge_temperature": wish.judge_temperature,
        **_addresses(wish.base_url),
    }
    benchmarks = _judged(wish.run, before)
    settings = _of_judging(_pairs(wish.setting, "--set"), benchmarks, wish.run)
    spec = replace(
        before,
        judge_logprobs=wish.logprobs,
        benchmarks=benchmarks,
        judged=str(wish.run.resolve()),
        roles={**{r: s for r, s in before.roles.items() if not r.startswith("judge")}, **_judges(wish.judge)},
        settings={**before.settings, **settings},
        **{name: value for name, value in asked.items() if value is not None},
    )
    conditions = replace(Conditions(), **_conditions(wish))
    check(spec, conditions)
    _carry_out(spec, conditions, choose_folder(wish.out, spec.hash, RUNS), json=wish.json)


def _judged(run: Path, spec: Spec) -> tuple[str, ...]:
    """The benchmarks of a run that a judge takes part in.

    Raises:
        InputError: there are none.
    """
    names = dict.fromkeys(name for _, name in stored_cells(run))
    kept = tuple(n for n in names if "judge" in catalogue.load(n).roles(protocol_of(catalogue.card(n), spec)))
    if not kept:
        raise InputError(f"{run}: nobody judges in {', '.join(names)}; expected a run of a benchmark with a judge.")
    return kept


def _of_judging(settings: dict[str, str], benchmarks: Sequence[str], run: Path) -> dict[str, str]:
    """Settings that change how stored plays are judged.

    Raises:
        InputError: one says how plays are held, which have been.
    """
    options = [option for name in benchmarks for option in catalogue.card(name).options]
    free = sorted({option.name for option in options if option.of_judging})
    played = [name for name in settings if any(option.name == name for option in options) and name not in free]
    if played:
        left = ", ".join(free) or "none"
        raise InputError(
            f"--set {played[0]}={settings[played[0]]}: {run} was played already; settings of judging: {left}."
        )
    return settings


def again(folder: Path, changes: dict[str, Any], *, json: bool) -> None:
    """Go on with an earlier run, under other conditions where some are given; a budget is for this sitting."""
    manifest = read_manifest(folder)
    refuse_changed(folder, manifest)
    study = folder.resolve().parent
    if (study / MANIFEST).is_file() and folder.resolve().name in _cells(study):
        raise InputError(f"{folder}: a part of the study {study}; resume the whole: mores resume {study}.")
    spec = build(Spec, read_part(folder, "spec"), where=f"{folder}/manifest.json")
    before = build(Conditions, read_part(folder, "conditions"), where=f"{folder}/manifest.json")
    fresh = replace(before, max_calls=None, max_tokens=None, max_cost=None)
    given = {name: value for name, value in changes.items() if value is not None}
    _carry_out(spec, replace(fresh, **given), folder, json=json)


def _cells(study: Path) -> set[str]:
    """Folders of a study's cells."""
    return {folder.name for folder in stored_cells(study).values()}


def _carry_out(
    spec: Spec, conditions: Conditions, folder: Path, *, json: bool, judges: JudgesKnown | None = None
) -> None:
    budget = Budget(max_calls=conditions.max_calls, max_tokens=conditions.max_tokens, max_cost=conditions.max_cost)
    study = Study(spec=spec, conditions=conditions, folder=folder, budget=budget)
    if study.window < conditions.concurrency:
        asked, room = conditions.concurrency, study.window
        tell(f"this shell allows few open files: {room} calls in flight at most, not {asked} (more by ulimit -n 1024).")
    try:
        if not asyncio.run(_sit(study)):
            tell(_how_to_go_on(study))
            raise typer.Exit(130)
    except RunError as error:
        tell(f"{error} {_how_to_go_on(study)}")
        raise typer.Exit(1) from error
    finally:
        sys.stderr.writelines(f"mores: {line}\n" for line in _doubts(study))
    findings = replace(read_findings([folder]), judges=judges or JudgesKnown())
    if study.progress or not (folder / PAGE).is_file():
        write_page(findings, folder / PAGE, private=True)
    _say(findings, folder, json=json)
    if any("error in mores" in cell.causes() for cell in findings.cells):
        tell(f"some items failed in mores itself; their causes are in {folder}. Please report it.")
        raise typer.Exit(1)
    few = [cell for cell in findings.cells if cell.mostly_ungraded]
    if few:
        names = ", ".join(dict.fromkeys(f"{cell.benchmark} by {cell.model}" for cell in few))
        silent = all((whole := cell.whole()) is not None and not whole.graded for cell in few)
        tell(
            f"{'nothing' if silent else 'less than half'} could be graded for the headline of {names}, see why above; "
            f"mores resume {folder} asks again what failed."
        )
        raise typer.Exit(1)


def _say(findings: Findings, folder: Path, *, json: bool) -> None:
    if json:
        sys.stdout.write("".join(f"{line}\n" for line in as_json(findings, folder)))
    else:
        print_table(findings, folder)


async def _sit(study: Study) -> bool:
    """Run a study with its progress shown; the first Ctrl-C leaves calls in flight a little time, the second none."""
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()

    def stop() -> None:
        if task is not None:
            loop.call_later(0.0 if study.brake.pulled else GRACE, task.cancel)
        study.brake.pull()
        sys.stderr.write(
            f"\nmores: stopping; calls in flight have {GRACE:g} s to be answered (Ctrl-C again stops at once).\n"
        )

    loop.add_signal_handler(signal.SIGINT, stop)
    loop.add_signal_handler(signal.SIGTERM, stop)
    try:
        async with shown(study):
            return await run_study(study)
    except asyncio.CancelledError:
        return False


def _doubts(study: Study) -> Iterator[str]:
    """Whose counts of tokens were not believed, a line for each model and reason."""
    models = {door.model.spec: door.model for door in study.doors}
    for spec, model in models.items():
        for why, calls in model.doubts.items() if isinstance(model, ChatEndpoint) else ():
            yield f"{spec}: it counted {why} for {calls:,} calls, whose tokens are estimated from their words instead."


def _how_to_go_on(study: Study) -> str:
    """How far a run came and what to do, in one line."""
    if not (study.folder / MANIFEST).is_file():
        return "Nothing was begun."
    done, plays = sum(p.done for p in study.progress), sum(p.plays for p in study.progress)
    left = study.budget.left()
    note = f" Left of the budget: {left}." if left else ""
    return f"Unfinished, {done:,} of {plays:,} done.{note} Go on with: mores resume {study.folder}"


def _specified(wish: Wish) -> tuple[Spec, Conditions]:
    names = wish.benchmarks or []
    study = [Path(name) for name in names if name.endswith((".toml", ".json"))]
    if study and len(names) > 1:
        raise InputError(f"{study[0]}: a study stands alone; expected one STUDY.toml, or names of benchmarks.")
    spec, conditions = read_study(study[0]) if study else (Spec(), Conditions())
    if wish.places is not None and not wish.places.strip(", "):
        raise InputError("--places is empty; expected places such as JP,NG, or leave it out for all.")
    asked: dict[str, Any] = {
        "benchmarks": tuple(names) if names and not study else None,
        "models": tuple(wish.model) if wish.model else None,
        "roles": _pairs(wish.role, "--role") | _judges(wish.judge) or None,
        "limit": wish.targets if wish.limit is None else _limit(wish.limit),
        "settings": _settings(wish) or None,
        **_addresses(wish.base_url),
        "data": str(wish.data.resolve()) if wish.data else None,
        "places": tuple(p for p in wish.places.split(",") if p) if wish.places else None,
        "facts": _pairs(wish.fact, "--fact") or None,
    }
    plain = ("samples", "reading", "shuffle", "temperature", "answer_tokens", "judge_runs", "judge_temperature", "seed")
    asked |= {name: getattr(wish, name) for name in plain}
    spec = replace(spec, **{name: value for name, value in asked.items() if value is not None})
    conditions = replace(conditions, **_conditions(wish))
    check(spec, conditions)
    return spec, conditions


def _settings(wish: Wish) -> dict[str, str]:
    """Options of benchmarks, the number of cultures among them.

    Raises:
        InputError: one thing is asked for in two ways.
    """
    pairs = _pairs(wish.setting, "--set")
    given = {} if wish.cultures is None else {"cultures": str(wish.cultures)}
    if given.keys() & pairs.keys():
        raise InputError(f"--cultures {wish.cultures} and --set cultures={pairs['cultures']}: expected one of them.")
    if wish.targets is not None and wish.limit is not None:
        raise InputError(
            f"--targets {wish.targets} and --limit {wish.limit}: expected one of them, as both count days."
        )
    if wish.targets is not None and wish.targets < 1:
        raise InputError(f"--targets {wish.targets}: expected a positive number of days.")
    return pairs | given


def _judges(specs: list[str] | None) -> dict[str, str]:
    """Roles of judges: one, or a jury."""
    if len(specs or ()) > MOST_JUDGES:
        raise InputError(f"--judge: {len(specs or ())} judges; expected {MOST_JUDGES} at most.")
    return {f"judge{number}" if number > 1 else "judge": spec for number, spec in enumerate(specs or (), start=1)}


def _limit(typed: str | None) -> int | str | None:
    if typed is None or typed == "all":
        return typed
    if not typed.isdecimal():
        raise InputError(f"--limit {typed}: expected a positive number, or all.")
    return int(typed)


def _addresses(urls: list[str] | None) -> dict[str, Any]:
    """The address of all roles, and those of single ones."""
    parts = [_ROLE_URL.fullmatch(url) for url in urls or ()]
    plain = [url for url, part in zip(urls or (), parts, strict=True) if part is None]
    if len(plain) > 1:
        raise InputError(
            "--base-url: a second address for all; expected ROLE=URL, such as judge=http://localhost:8000/v1."
        )
    return {
        "base_url": plain[0] if plain else None,
        "role_urls": {part["role"]: part["url"] for part in parts if part is not None} or None,
    }


def _conditions(wish: "Wish | Rejudging") -> dict[str, Any]:
    """Conditions that were typed."""
    typed = {f.name: getattr(wish, f.name) for f in fields(Conditions) if hasattr(wish, f.name)}
    typed |= {"reuse": tuple(wish.reuse) if wish.reuse else None}
    typed |= {"full_sync": True} if isinstance(wish, Wish) and wish.power_safe else {}
    return {name: value for name, value in typed.items() if value is not None}


def _pairs(entries: list[str] | None, flag: str) -> dict[str, str]:
    pairs = [entry.partition("=") for entry in entries or ()]
    bad = [f"{name}{sign}{value}" for name, sign, value in pairs if not (name and sign and value)]
    if bad:
        raise InputError(f"{flag} {bad[0]}: expected NAME=VALUE.")
    return {name: value for name, _, value in pairs}
