"""Every figure that runs and analyses give today, family by family: a change of the code changes none of them.

A difference is either a mended defect, named in the commit that rewrites the results with `python -m tests.golden`,
or a mistake.
"""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from filelock import FileLock

from mores.analysis.comparison import compare_runs
from mores.reports.terminal import print_report
from mores.reports.terminal_compare import print_comparison
from mores.runs.loading import read_results
from tests.golden.canonical import differences
from tests.golden.lines import RESULTS, RUNS
from tests.golden.play import Done, found_in, play
from tests.golden.results import kept

SHOWN = 20


class Played(NamedTuple):
    """The folder of all runs, and what was printed."""

    folder: Path
    done: Mapping[str, Done]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """What is found today, played once, by the first of all workers to need it; the others wait and read it."""
    ours = tmp_path_factory.getbasetemp()
    shared = ours.parent if "PYTEST_XDIST_WORKER" in os.environ else ours
    folder, printed = shared / "played", shared / "played.json"
    with FileLock(shared / "played.lock"):
        if not printed.exists():
            printed.write_text(json.dumps(play(folder)))
    return Played(folder, {name: Done(*done) for name, done in json.loads(printed.read_text()).items()})


@pytest.fixture(scope="module")
def found(played: Played) -> dict[str, Any]:
    """What is kept of it."""
    return found_in(played.done)


@pytest.mark.parametrize("name", [*RUNS, *RESULTS])
def test_figures_are_what_they_were(name: str, found: dict[str, Any]) -> None:
    before = kept(name)
    assert before is not None, f"no result is kept of {name}; python -m tests.golden keeps it"
    changed = list(differences(before, found[name]))
    more = [f"and {len(changed) - SHOWN} more"] if len(changed) > SHOWN else []
    told = [f"{name}{one}" for one in changed[:SHOWN]] + more
    assert not changed, "\n".join([*told, "python -m tests.golden rewrites the results"])


def runs_of(name: str) -> list[str]:
    """The runs that a line reports on or compares."""
    words = RESULTS[name].split()[1:]
    return words[: next(n for n, word in enumerate(words) if word.startswith("--"))]


def assert_short(out: str) -> None:
    lines = out.splitlines()
    assert len(lines) <= 20, out
    assert max(map(len, lines)) <= 80, out
    assert "\x1b" not in out


@pytest.mark.parametrize("name", [name for name in RESULTS if name.startswith("report")])
def test_any_report_fits_twenty_lines_of_eighty_columns(
    name: str, played: Played, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(played.folder)
    monkeypatch.delenv("COLUMNS", raising=False)
    runs = [Path(run) for run in runs_of(name)]
    print_report(read_results(runs), runs[0] / "report.html")
    out = capsys.readouterr().out
    assert_short(out)
    assert "simulated" in out.casefold() or name == "report-recorded"
    assert "Next: mores " in out


@pytest.mark.parametrize("name", [name for name in RESULTS if name.startswith("compare")])
def test_any_comparison_fits_twenty_lines_of_eighty_columns(
    name: str, played: Played, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(played.folder)
    monkeypatch.delenv("COLUMNS", raising=False)
    a, b = (read_results([Path(run)]) for run in runs_of(name))
    print_comparison(compare_runs(a, b))
    assert_short(capsys.readouterr().out)
