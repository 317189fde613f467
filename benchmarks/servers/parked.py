"""A judged play as batch files: its calls are parked and answered by `vllm run-batch`, wave after wave, with no server.

Nothing is drawn by chance in it, so that its verdicts must be those of the same play against the server, byte for byte.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks.servers.plays import PLAYS, Outcome, folder_of, mores, none, outcome_of
from benchmarks.servers.serving import NICE, ROOT, WORK, Batch, Running, Server

LIVE = next(play for play in PLAYS if play.kind == "judged with a schema")
BATCH = LIVE._replace(kind="batch of two waves")
NOBODY = "http://127.0.0.1:9/v1"
WAVES, LIMIT_SECONDS = 4, 600


def parked(server: Server, batch: Batch) -> Outcome:
    """What came of the play, once the play against the server is there to compare."""
    found, folder, waves = Running(server, NOBODY, 0.0), folder_of(server, BATCH), WORK / "waves"
    for old in (folder, waves):
        shutil.rmtree(old, ignore_errors=True)
    ended = mores(found, BATCH, folder, "--batch", str(waves), "--json")
    for _ in range(WAVES):
        waiting = _waiting(ended.stdout)
        if not waiting:
            break
        try:
            results = [_answered(server, batch, file) for file in waiting]
        except subprocess.CalledProcessError as error:
            return none(BATCH, f"vllm run-batch ended with {error.returncode}")
        ended = _take(folder, results)
    if not (folder / "verdicts.jsonl").is_file():
        return none(BATCH, ended.stderr)
    came = outcome_of(found, BATCH, folder)
    same = (folder / "verdicts.jsonl").read_bytes() == (folder_of(server, LIVE) / "verdicts.jsonl").read_bytes()
    return came if same or came.fault else came.at_fault("its verdicts are not those of the play against the server")


def _waiting(said: str) -> list[Path]:
    """The files that are to be answered next; none where the run does not wait."""
    told: dict[str, Any] = json.loads(said) if said.startswith("{") else {}
    return [Path(told["park"]) / each["file"] for each in told["files"]] if told.get("state") == "waiting" else []


def _answered(server: Server, batch: Batch, file: Path) -> Path:
    results, log = file.with_suffix(".results.jsonl"), WORK / f"{server.name}-batch.log"
    with log.open("wb") as said:
        subprocess.run(
            [*NICE, *batch(server.environment / "bin", file, results)], cwd=WORK, check=True, stdout=said, stderr=said,
            env=server.around(), timeout=LIMIT_SECONDS,
        )  # fmt: skip
    return results


def _take(folder: Path, results: list[Path]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "mores", "take", str(folder), *map(str, results), "--json"],
        capture_output=True, text=True, cwd=ROOT, check=False, env=os.environ, timeout=LIMIT_SECONDS,
    )  # fmt: skip
