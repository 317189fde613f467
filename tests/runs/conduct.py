"""Runs driven from tests: in this process, or as the command that people type."""

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from mores.core.codec import parse_json
from mores.core.verdict import Verdict, decode_verdicts
from mores.runs.client_pool import TypedNow
from mores.runs.folder import seal_of
from mores.runs.run_study import run_study
from mores.runs.spec import ExecutionSpec, Spec
from mores.runs.study import Study
from tests.endpoint import Endpoint
from tests.runs.warm import Warm

ROOT = Path(__file__).parents[2]
LEFT = ("transcripts.jsonl", "verdicts.jsonl", "estimates.json")
HASTY = {"attempts": 4, "first_wait": 0.01, "timeout": 5.0}
Done = subprocess.CompletedProcess[str]
Typed = Callable[..., Done]


def hold(folder: Path, spec: Spec, seconds: float = 60.0, **conditions: object) -> bool:
    """Run a study in this process, its addresses as if they were typed; True once it is finished."""
    chosen = ExecutionSpec(**{**HASTY, **conditions})  # type: ignore[arg-type]
    typed = TypedNow(addresses=frozenset(filter(None, (spec.base_url, *spec.role_urls.values()))))
    study = Study(spec=spec, conditions=chosen, folder=folder, typed=typed)
    return asyncio.run(asyncio.wait_for(run_study(study), seconds))


def left(folder: Path) -> dict[str, bytes]:
    """The files of a run that must not depend on how it was carried out."""
    return {name: (folder / name).read_bytes() for name in LEFT}


def verdicts(folder: Path) -> list[Verdict]:
    """All verdicts of a run."""
    return list(decode_verdicts((folder / "verdicts.jsonl").read_bytes().splitlines(), where="verdicts"))


def transcripts(folder: Path) -> list[Any]:
    """All transcripts of a run, as plain values."""
    return [json.loads(line) for line in (folder / "transcripts.jsonl").read_bytes().splitlines()]


def manifest(folder: Path) -> Any:
    """A run's manifest."""
    return parse_json((folder / "manifest.json").read_bytes(), where="manifest")


def estimates(folder: Path) -> list[Any]:
    """A run's estimates."""
    found: list[Any] = parse_json((folder / "estimates.json").read_bytes(), where="estimates")["estimates"]
    return found


def whole(folder: Path, metric: str) -> Any:
    """A run's estimate of a metric over all."""
    return next(e for e in estimates(folder) if e["metric"] == metric and not e["group"])


def surroundings(**more: str) -> dict[str, str]:
    """This environment without proxies and keys."""
    kept = {k: v for k, v in os.environ.items() if not k.lower().endswith(("_proxy", "_api_key"))}
    return {**kept, "PYTHONPATH": str(ROOT / "src"), **more}


def mores(
    *words: object, cwd: Path, seconds: float = 60, before: Callable[[], None] | None = None, **environment: str
) -> Done:
    """`mores` with these words in a process of its own, to its end."""
    process = begin(*words, cwd=cwd, before=before, **environment)
    try:
        printed, errors = process.communicate(seconds)
    finally:
        process.kill()
    return Done(process.words, process.returncode or 0, printed, errors)


def begin(*words: object, cwd: Path, before: Callable[[], None] | None = None, **environment: str) -> Warm:
    """`mores` with these words in a process of its own, under way; a function can be called in it before."""
    return Warm([str(word) for word in words], cwd, surroundings(**environment), before)


def cold(*words: object, cwd: Path) -> "subprocess.Popen[str]":
    """`mores` with these words as a shell starts it, under way."""
    command = [sys.executable, "-m", "mores", *map(str, words)]
    return subprocess.Popen(
        command, cwd=cwd, env=surroundings(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def until(true: Callable[[], bool], seconds: float = 30) -> None:
    """Return once it is true; fail where it never is."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it never came to pass"
        time.sleep(0.01)


def kill_after(process: Warm, endpoint: Endpoint, answers: int) -> None:
    """Kill -9 once so many answers were given, or leave it be if it ends before."""
    until(lambda: process.poll() is not None or endpoint.counts().answered >= answers)
    process.kill()
    process.communicate()


def as_left(run: Path, **change: object) -> None:
    """Make the hashes of a run's manifest those of its files, as if the run had left them so; `change` parts of it."""
    path = run / "manifest.json"
    try:
        manifest = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return
    if isinstance(manifest, dict) and isinstance(files := manifest.get("files", {}), dict):
        there = (run / Path(name).name for name in files)
        hashes = {file.name: sha256(file.read_bytes()).hexdigest() for file in there if file.is_file()}
        sound = {**manifest, "files": hashes, **change}
        path.write_text(json.dumps({**sound, "seal": seal_of(sound)}))


def everything(folder: Path) -> Iterator[tuple[Path, bytes]]:
    """Every file below a folder with its bytes."""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield path, path.read_bytes()
