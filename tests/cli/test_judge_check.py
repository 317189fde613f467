"""`mores doctor --judge` tells a judge that can be talked over from one that cannot; a run without grades says so."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from mores.core.codec import parse_json


@dataclass(frozen=True)
class Done:
    """How a command ended, and what it printed."""

    code: int
    out: str
    err: str


def mores(*words: str) -> Done:
    done = subprocess.run([sys.executable, "-m", "mores", *words], capture_output=True, text=True, check=False)
    return Done(done.returncode, done.stdout, done.stderr)


def checked(spec: str, *more: str) -> dict[str, dict[str, dict[str, float]]]:
    done = mores("doctor", "--judge", spec, "--answers", "6", "--json", *more)
    assert done.code == 0, done.err
    found: dict[str, dict[str, dict[str, float]]] = parse_json(done.out, where="doctor")
    return found


def test_a_judge_that_gives_way_shows_and_a_sound_one_passes_nothing() -> None:
    sound, weak = checked("simulated/judge:noise=0"), checked("simulated/judge:noise=0,gullible=0.4")
    assert sound["attacks"]["attacked"]["hits"] == 0
    assert 0.3 < weak["attacks"]["attacked"]["share"] < 0.5
    assert weak["attacks"]["unattacked"]["hits"] == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--judge", "nonsense"), "expected KIND/NAME"),
        (("--judge", "simulated/judge", "--answers", "0"), "expected from 1 to 135"),
        (("--judge", "vllm/x", "--base-url", "http://127.0.0.1:9/v1"), "nobody answers"),
    ],
)
def test_what_cannot_be_checked_is_one_line(words: tuple[str, ...], said: str) -> None:
    done = mores("doctor", *words)
    assert done.code in {1, 2}
    assert said in done.err
    assert done.err.count("\n") == 1, done.err


def test_a_run_of_which_nothing_could_be_graded_ends_with_1_and_names_what_to_do(tmp_path: Path) -> None:
    done = mores(
        "run",
        "ladder/explain",
        "--judge",
        "simulated/judge:format_error=1",
        "--limit",
        "5",
        "--out",
        str(tmp_path / "r"),
    )
    assert done.code == 1
    assert "nothing could be graded for the headline of ladder/explain by simulated/typical" in done.err
    assert "mores resume" in done.err
