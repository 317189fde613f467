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
    ("words", "says"),
    [
        (("run", "--targets", "4"), "--targets is now --limit N. See mores run --help."),
        (("run", "--cultures", "3"), "--cultures is now --set cultures=N. See mores run --help."),
        (("run", "--wordings=2"), "--wordings is now --prompt-variants K. See mores run --help."),
        (("take", "run", "answers.jsonl"), "mores take is now mores collect."),
        (("agreement", "sample", "run"), "mores agreement sample is now mores judge sample."),
        (("agreement", "run"), "mores agreement is now mores judge agreement."),
    ],
)
def test_a_word_of_before_is_told_by_its_name_of_now(typed: Typed, words: tuple[str, ...], says: str) -> None:
    done = typed(*words)
    assert (done.returncode, done.stderr) == (2, f"mores: {says}\n")


def test_an_option_that_no_benchmark_here_has_is_refused_with_those_that_are_known(typed: Typed) -> None:
    done = typed("run", "liveculture/town", "--set", "culture=3")
    assert done.returncode == 2
    assert "No option is called 'culture'. Did you mean 'cultures'? Known here: " in done.stderr
