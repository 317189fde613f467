"""Every kind of play against a server that runs, each by the command that a user would type, and what came of it."""

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.servers.serving import ROOT, WORK, Running, Server

ROLES = ("antagonist", "supporter", "planner")
LIMIT_SECONDS = 900
BABBLE = ("missing ids", "repeated ids", "cut short", "not JSON", "wrong fields", "did not come up")
"""Why a verdict may be missing by the fault of a model that says what comes next and means nothing by it."""


class Play(NamedTuple):
    """A kind of play: the benchmark that stands for it, of how many units, and what is asked for beside."""

    kind: str
    benchmark: str
    units: int
    options: tuple[str, ...] = ()


PLAYS = (
    Play("closed", "ladder/know", 8),
    Play("judged with a schema", "ladder/explain", 6),
    Play("log-probabilities", "ladder/apply", 6, ("--set", "verdicts=logprobs")),
    Play("dialogue", "ladder/converse", 2),
    Play("day", "ladder/live", 1),
)
REAL_PLAYS = (
    Play("closed", "ladder/know", 1, ("--answer-tokens", "16", "--reading", "lenient")),
    Play("judged with a schema", "ladder/explain", 1, ("--answer-tokens", "100")),
    Play("log-probabilities", "ladder/apply", 1, ("--set", "verdicts=logprobs", "--answer-tokens", "100")),
    Play("dialogue", "ladder/converse", 1, ("--answer-tokens", "32")),
    Play("day", "ladder/live", 1, ("--set", "steps=2", "--set", "nearby=1", "--set", "utterances=2")),
)
"""The same, shorter, for a model that takes a core's time to speak."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of one play: calls, failed attempts and ungraded verdicts by cause, and what the probe altered.

    `fault` says why it does not pass; empty where it does.
    """

    play: str
    benchmark: str
    calls: int = 0
    tokens: tuple[int, int] = (0, 0)
    seconds: float = 0.0
    verdicts: int = 0
    failed_attempts: Mapping[str, int]
    ungraded: Mapping[str, int]
    altered: tuple[str, ...] = ()
    fault: str = ""

    def at_fault(self, why: str) -> "Outcome":
        """The same, which does not pass for a reason."""
        return replace(self, fault=why)


def carried(found: Running, play: Play) -> Outcome:
    """One play against a server."""
    folder = folder_of(found.server, play)
    shutil.rmtree(folder, ignore_errors=True)
    try:
        ended = mores(found, play, folder)
    except subprocess.TimeoutExpired:
        return none(play, f"not done in {LIMIT_SECONDS} s")
    return outcome_of(found, play, folder) if (folder / "verdicts.jsonl").is_file() else none(play, ended.stderr)


def folder_of(server: Server, play: Play) -> Path:
    """Where the run of a play is kept."""
    return WORK / "runs" / f"{server.name}-{play.kind.replace(' ', '-')}"


def mores(found: Running, play: Play, folder: Path, *more: str) -> subprocess.CompletedProcess[str]:
    """The command, ended."""
    model = found.server.model
    roles = [word for role in ROLES for word in ("--role", f"{role}={model}")]
    asked = ["--model", model, "--judge", model, *roles, "--base-url", found.url, "--limit", str(play.units)]
    return subprocess.run(
        [sys.executable, "-m", "mores", "run", play.benchmark, *asked, *play.options, "--out", str(folder), *more],
        capture_output=True, text=True, cwd=ROOT, check=False, timeout=LIMIT_SECONDS,
        env=os.environ | {"OPENAI_API_KEY": "none", "NO_PROXY": "127.0.0.1"},
    )  # fmt: skip


def outcome_of(found: Running, play: Play, folder: Path) -> Outcome:
    """What came of a run that left verdicts."""
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    lines = (folder / "verdicts.jsonl").read_text(encoding="utf-8").splitlines()
    told = [json.loads(line) for line in lines]
    door = manifest["models"][found.server.model]
    sitting = door["sitting"]
    outcome = Outcome(
        play=play.kind,
        benchmark=play.benchmark,
        calls=sitting["asked"],
        tokens=(sitting["input_tokens"], sitting["output_tokens"]),
        seconds=manifest["took"]["seconds"],
        verdicts=len(told),
        failed_attempts=manifest["failed_attempts"],
        ungraded=Counter(str(each["cause"]) for each in told if each["verdict"] != "graded"),
        altered=tuple(door["altered"]),
    )
    return outcome.at_fault(_fault(manifest, outcome, found.server.lacks.get(play.kind, ())))


def _fault(manifest: dict[str, Any], outcome: Outcome, lacks: tuple[str, ...]) -> str:
    """Why a play does not pass: it did not end, nothing was graded, or something failed that nothing known explains."""
    asked, done = manifest["plays"]["asked"], manifest["plays"]["done"]
    if manifest["state"] != "finished" or asked != done:
        return f"{manifest['state']}, {done} of {asked} plays done"
    if not lacks and sum(outcome.ungraded.values()) == outcome.verdicts:
        return "nothing was graded"
    counted = {"ungraded": outcome.ungraded, "attempts failed": outcome.failed_attempts}
    found = [(what, cause, count) for what, counts in counted.items() for cause, count in counts.items()]
    known = (*BABBLE, *lacks)
    return ", ".join(f"{n} {what}: {why}" for what, why, n in found if not any(each in why for each in known))


def none(play: Play, said: str) -> Outcome:
    """The outcome of a run that left no verdicts, with the last line that it said."""
    last = next((line for line in reversed(said.splitlines()) if line.strip()), "nothing was said")
    return Outcome(play=play.kind, benchmark=play.benchmark, failed_attempts={}, ungraded={}, fault=last)
