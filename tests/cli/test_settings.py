"""Settings that cannot be, and settings that come too late, are refused in one line."""

from pathlib import Path

import pytest

from tests.annotation.conftest import typed
from tests.annotation.runs import talks
from tests.runs.conduct import Typed

__all__ = ["typed"]


def test_what_was_played_cannot_be_set_when_it_is_judged_again(typed: Typed, tmp_path: Path) -> None:
    run = talks(tmp_path / "run", 2, judge="simulated/judge")
    done = typed("judge", run, "--judge", "simulated/judge", "--set", "pressure=firm", "--out", tmp_path / "again")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert f"--set pressure=firm: {run} was played already; settings of judging: scores." in done.stderr
    assert not (tmp_path / "again").exists()


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (("--targets", "4", "--limit", "3"), "--targets 4 and --limit 3: expected one of them, as both count days."),
        (("--cultures", "3", "--set", "cultures=2"), "--cultures 3 and --set cultures=2: expected one of them."),
        (("--protocol", "paper", "--set", "protocol=released"),
         "--protocol paper and --set protocol=released: expected one of them."),
        (("--targets", "0"), "--targets 0: expected a positive number of days."),
    ],
)  # fmt: skip
def test_one_thing_asked_for_in_two_ways_is_refused(typed: Typed, flags: tuple[str, ...], says: str) -> None:
    done = typed("run", "liveculture/town", *flags)
    assert (done.returncode, done.stderr) == (2, f"mores: {says}\n")
