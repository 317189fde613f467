"""Some analyses alone, on every medium: `mores report --only ID`."""

import json
from pathlib import Path

import pytest

from mores.cli.app import app
from mores.core.errors import UnknownName
from tests.bundled import MANY
from tests.reports.conftest import Held

Screen = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def run(held: Held) -> Path:
    return held("ladder/know", "ladder/judge", places=MANY)


def report(*words: str | Path) -> None:
    app(["report", *map(str, words)], standalone_mode=False)


def test_programs_get_these_alone(run: Path, capsys: Screen) -> None:
    report(run, "--only", "ladder", "--only", "models", "--json")
    assert json.loads(capsys.readouterr().out).keys() == {"analyses"}
    report(run, "--only", "ladder", "--json")
    assert json.loads(capsys.readouterr().out)["analyses"].keys() == {"ladder"}


def test_a_page_and_a_screen_have_these_alone_and_the_run_s_own_page_stays(
    run: Path, tmp_path: Path, capsys: Screen
) -> None:
    own = run / "report.html"
    before = own.read_bytes() if own.is_file() else None
    report(run, "--only", "ladder", "--out", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert '<section id="ladder"' in page
    assert 'id="leaderboard"' not in page
    assert page.count("<section ") == 2  # and the glossary
    out = capsys.readouterr().out
    assert "ladder" in out.casefold()
    assert "By place and group" not in out
    report(run, "--only", "ladder")
    assert (own.read_bytes() if own.is_file() else None) == before


def test_what_runs_have_nothing_for_is_said(run: Path, capsys: Screen) -> None:
    report(run, "--only", "controls", "--json")
    done = capsys.readouterr()
    assert json.loads(done.out) == {"analyses": {}}
    assert "controls: these runs have nothing for it." in done.err


def test_an_unknown_one_is_refused_with_those_that_are_known(run: Path) -> None:
    with pytest.raises(UnknownName, match=r"Did you mean 'controls'.*Known are .*controls.*ladder"):
        report(run, "--only", "control")
