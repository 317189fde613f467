"""What a run prints is short: twenty lines of eighty columns, whatever it was, with what matters on them."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.cells import cell_len
from rich.text import Text as Line

from mores.core.estimate import Estimate
from mores.core.verdict import Graded, Ungraded, Verdict
from mores.norms.places import places
from mores.reports.console import hanging, in_columns
from mores.reports.page import write_page
from mores.reports.sections_list import findings_of, leaderboard_of
from mores.reports.terminal import print_full, print_report
from mores.reports.terminal_table import front_table
from mores.runs.loading import read_results
from mores.tables.formatting import text_of
from tests.reports.conftest import Held
from tests.reports.made import Made, about, run_of
from tests.runs.terminal import on_a_terminal

Shown = Callable[..., str]
PLACES = [place.id for place in places()][:45]
CLOSED, OTHERS = "odd/tea", ("odd/bread", "odd/milk", "odd/rice", "odd/salt", "odd/soup", "odd/wine", "odd/eggs")


@pytest.fixture
def shown(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shown:
    """What a report of runs prints in a pipe; that it is short is asserted each time."""

    def show(*runs: Path, columns: int = 80) -> str:
        monkeypatch.setenv("COLUMNS", str(columns))
        print_report(read_results(runs), runs[0] / "report.html")
        out = capsys.readouterr().out
        lines = out.splitlines()
        assert len(lines) <= 20, out
        assert max(map(cell_len, lines)) <= columns, out
        assert "\x1b" not in out
        assert lines == [line.rstrip() for line in lines]
        return out

    return show


def flat(text: str) -> str:
    return " ".join(text.split())


def made(model: str, benchmark: str, right: float, *, silent: float = 0.0) -> Made:
    """A model that is right in a share of ten questions of each of 45 places, and fails on a share of them."""
    dice = np.random.default_rng(round(right * 100) + len(benchmark))
    verdicts: list[Verdict] = []
    for n in range(450):
        of = about(f"i{n}", place=PLACES[n % 45])
        if dice.random() < silent:
            verdicts.append(Ungraded(about=of, sample=0, task="strict", cause="timeout", gold="yes"))
        else:
            points = float(dice.random() < right)
            verdicts.append(Graded(about=of, sample=0, task="strict", points=points, label="yes", gold="yes"))
    graded = [v.points for v in verdicts if isinstance(v, Graded)]
    mean, n = float(np.mean(graded)), len(graded)
    figure = Estimate(metric="accuracy", value=mean, low=mean - 0.03, high=mean + 0.03, asked=450, graded=n)
    return Made(model=model, benchmark=benchmark, verdicts=verdicts, figures={"accuracy": figure})


def study(folder: Path, models: int, benchmarks: Sequence[str] = (CLOSED,), *, silent: float = 0.0) -> Path:
    names = [f"openai/model-{n}" for n in range(models)]
    cells = [made(m, b, 0.9 - 0.07 * n, silent=silent) for n, m in enumerate(names) for b in benchmarks]
    return run_of(folder, *cells)


def test_one_model_on_45_places_is_a_line_of_the_table(tmp_path: Path, shown: Shown) -> None:
    out = shown(study(tmp_path / "run", 1))
    assert "openai/model-0" in out
    assert "450" in out
    assert " places" not in out  # no place has an interval, so none is named


def test_four_models_stand_by_rank_and_the_first_is_said_to_be_ahead(tmp_path: Path, shown: Shown) -> None:
    out = shown(study(tmp_path / "run", 4))
    rows = [line for line in out.splitlines() if line.startswith("openai/model-")]
    assert [row.split()[0] for row in rows] == [f"openai/model-{n}" for n in range(4)]
    assert "rank" in out
    assert "openai/model-0 " in flat(out.partition("•")[2])


def test_twelve_models_on_eight_benchmarks_and_45_places_fit(tmp_path: Path, shown: Shown) -> None:
    out = shown(study(tmp_path / "run", 12, (CLOSED, *OTHERS)))
    assert out.count("\nmodel-") >= 11
    assert "… 1 more benchmark" in out
    assert "• openai/model-0 is ahead of all others on 8 benchmarks." in out


def test_twelve_models_on_one_benchmark_leave_room_for_what_was_found(tmp_path: Path, shown: Shown) -> None:
    out = shown(study(tmp_path / "run", 12))
    assert out.count("\nopenai/model-") == 12
    assert "• openai/model-0 is ahead of all 11 other models on odd/tea." in out


@pytest.mark.parametrize(("width", "figure"), [(80, "1.28 [1.17, 1.39]"), (24, "1.3 1.2–1.4")])
def test_points_are_rounded_where_there_is_little_room(width: int, figure: str, tmp_path: Path) -> None:
    mean = Estimate(metric="behaviour", value=1.28, low=1.17, high=1.39, asked=9, graded=9)
    verdicts = [Graded(about=about(f"i{n}"), sample=0, task="behaviour", points=1.28) for n in range(9)]
    given: dict[str, Any] = {"verdicts": verdicts, "figures": {"behaviour": mean}, "headline": "behaviour"}
    made = (Made(model=model, benchmark="socialcc/dialogue", **given) for model in ("openai/a", "openai/b"))
    board = leaderboard_of(read_results([run_of(tmp_path / "run", *made)]))
    lines = [line.plain for line in front_table(board, width, 9)]
    assert sum(figure in line for line in lines) == 2
    assert not any("more benchmark" in line for line in lines)  # it is the only one


def test_what_could_not_be_graded_is_said_first(tmp_path: Path, shown: Shown) -> None:
    run = study(tmp_path / "run", 3, (CLOSED, "odd/bread"), silent=0.9)
    out = shown(run)
    assert out.startswith("Less than half could be graded")
    assert "And 5 more." in flat(out)
    assert "Ungraded: timeout" in out
    assert f"mores resume {run}" in flat(out)


def test_two_runs_of_one_model_are_two_rows(tmp_path: Path, shown: Shown) -> None:
    runs = [study(tmp_path / name, 1) for name in ("one", "two")]
    rows = [line for line in shown(*runs).splitlines() if line.startswith("openai/model-0")]
    assert len(rows) == 2


@pytest.mark.parametrize(
    "name", ["openai/" + "m" * 300, "openai/" + "漢字" * 60, "openai/\x1b[2J\x9b31m\r" * 4, "a\tb\nc " * 20]
)
def test_names_of_any_length_and_of_any_signs_are_kept_to_their_column(name: str, tmp_path: Path, shown: Shown) -> None:
    benchmark = f"odd/{'tea' * 20}"
    out = shown(run_of(tmp_path / "run", made(f"{name}a", benchmark, 0.9), made(f"{name}b", benchmark, 0.3)))
    assert "is ahead of" in flat(out)
    assert out.count("…") > 2


def test_a_simulated_ladder_says_so_and_how_to_name_a_real_model(
    held: Held, shown: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = held("ladder", models=("simulated/typical",), places=("JP", "NG"), name="whole")
    monkeypatch.chdir(there.parent)
    run = Path("whole")  # a path as long as people's: one of a test takes lines from the findings
    write_page(read_results([run]), run / "report.html")
    out = shown(run)
    assert out.startswith("Simulated")
    assert [line.split()[0] for line in out.splitlines()[4:10]] == [
        "know", "judge", "explain", "apply", "converse", "live",
    ]  # fmt: skip
    assert "judge band" in out.splitlines()[3]
    assert "Norms kept" in out
    assert "break" in out
    assert "-m PROVIDER/MODEL" in flat(out)
    assert "calls" in out
    assert str(run / "report.html") in "".join(out.split("\n  "))


def test_everything_that_is_found_stands_behind_full(ladder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    results = read_results([ladder])
    print_full(results)
    out = flat(capsys.readouterr().out)
    assert all(flat(f"{text_of(each.words)} {text_of(each.sure)}") in out for each in findings_of(results))


def test_a_wider_screen_is_used_and_a_narrow_one_kept_to(found: object, ladder: Path, shown: Shown) -> None:
    wide, narrow = shown(ladder, columns=160), shown(ladder, columns=60)
    assert max(map(len, wide.splitlines())) > 80
    assert len(wide.splitlines()) <= 20
    assert flat(wide) != ""
    assert flat(narrow) != ""


def test_no_word_is_broken_and_lines_hang() -> None:
    path = "runs/" + "x" * 90
    lines = [line.plain for line in hanging(Line(f"All figures and words: {path}, or here"), 40)]
    assert lines == ["All figures and words:", f"  {path},", "  or here"]


@pytest.mark.parametrize("head", ["a", "ab", "abc"])
def test_a_cell_with_a_word_that_is_too_wide_goes_below_its_row(head: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    word = "x" * 29
    lines = [each.plain.rstrip() for each in in_columns([(Line(head), Line(f"{word} and more"))])]
    assert lines == [head, f"    {word}", "    and more"]


def test_on_a_terminal_names_are_bold_and_intervals_stand_back(ladder: Path, tmp_path: Path) -> None:
    code, said = on_a_terminal("report", ladder, cwd=tmp_path, columns=80)
    assert code == 0
    assert "\x1b[1m" in said
    assert "\x1b[2m" in said
    assert len(said.splitlines()) <= 20
