"""The front table of a report as values: who stands where, on which figures, what it took; and the findings."""

from pathlib import Path
from typing import Any

import pytest

from mores.analysis.leaderboard import Leaderboard, leaderboard
from mores.analysis.results import Results
from mores.core.estimate import CommonScale, Estimate
from mores.reports.sections_list import all_sections, findings_of, leaderboard_of, tables_of
from mores.runs.loading import read_results
from mores.tables import rows_by_key
from mores.tables.formatting import text_of
from tests.bundled import MANY
from tests.reports.conftest import Held
from tests.reports.made import Made, run_of
from tests.reports.test_rankings import BAD, FAIR, GOOD, study, verdicts


def made(model: str, benchmark: str = "odd/tea", points: list[float] = GOOD, **also: Any) -> Made:
    figures = {"accuracy": sum(points) / len(points)}
    return Made(model=model, benchmark=benchmark, verdicts=verdicts(points), figures=figures, also=also)


def ranks(board: Leaderboard) -> dict[str, list[Any]]:
    return {row.label: [cell and cell.rank for cell in row.cells] for row in board.rows}


def told(results: Results) -> list[str]:
    return [text_of(finding.words) for finding in findings_of(results)]


def test_rows_stand_by_rank_and_ranks_have_intervals(tmp_path: Path) -> None:
    board = leaderboard(study(tmp_path / "run", a__bad=BAD, a__good=GOOD, a__fair=FAIR))
    assert ranks(board) == {"a/good": [(1, 1, 2, 3)], "a/fair": [(2, 1, 2, 3)], "a/bad": [(3, 3, 3, 3)]}


def test_two_models_have_ranks_by_their_difference(tmp_path: Path) -> None:
    apart = leaderboard(study(tmp_path / "apart", a__bad=BAD, a__good=GOOD))
    assert ranks(apart) == {"a/good": [(1, 1, 1, 2)], "a/bad": [(2, 2, 2, 2)]}
    level = leaderboard(study(tmp_path / "level", a__good=GOOD, a__fair=FAIR))
    assert ranks(level) == {"a/good": [(1, 1, 2, 2)], "a/fair": [(2, 1, 2, 2)]}


def test_one_model_alone_has_a_figure_and_no_rank(tmp_path: Path) -> None:
    (row,) = leaderboard(study(tmp_path / "run", a__good=GOOD)).rows
    (cell,) = row.cells
    assert cell is not None
    assert cell.rank is None
    assert cell.figure is not None
    assert cell.figure.value == 0.9


def test_other_benchmarks_of_other_runs_share_a_row_and_the_same_one_twice_does_not(tmp_path: Path) -> None:
    one = run_of(tmp_path / "one", made("a/b"))
    other = run_of(tmp_path / "other", made("a/b", "odd/bread"))
    (row,) = leaderboard(read_results([one, other])).rows
    assert (row.label, len(row.cells), row.runs) == ("a/b", 2, (one, other))
    again = run_of(tmp_path / "again", made("a/b", points=FAIR))
    rows = leaderboard(read_results([one, again])).rows
    assert sorted(row.label for row in rows) == [f"a/b in {again}", f"a/b in {one}"]


def test_what_was_not_asked_is_no_cell(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", made("a/b"), made("a/c", "odd/bread"))
    assert [[cell is None for cell in row.cells] for row in leaderboard(read_results([run])).rows] == [
        [False, True],
        [True, False],
    ]


def test_models_of_one_run_take_time_side_by_side_and_an_unknown_price_is_no_cost(tmp_path: Path) -> None:
    sitting = {"asked": 7, "from_journal": 3, "input_tokens": 100, "output_tokens": 10}
    free, priced, unknown = None, {"per_token": (0.001, 0.01)}, {"table": "t"}

    def cell(model: str, benchmark: str, seconds: float, price: Any) -> Made:
        usage = {model: {"sitting": sitting, "price": price}}
        return made(model, benchmark, models=usage, took={"seconds": seconds}, written="2026-01-02T03:04:05+00:00")

    cells = [cell("a/b", "odd/tea", 2, priced), cell("a/b", "odd/bread", 3, free), cell("a/c", "odd/tea", 4, priced)]
    effort = leaderboard(read_results([run_of(tmp_path / "run", *cells)])).effort
    assert (effort.calls, effort.input_tokens, effort.seconds) == (30, 300, 5)
    assert effort.cost is not None
    assert round(effort.cost, 9) == 0.4
    assert effort.ended == "2026-01-02T03:04:05+00:00"
    other = run_of(tmp_path / "other", cell("a/b", "odd/tea", 2, unknown))
    assert leaderboard(read_results([other])).effort.cost is None


def test_benchmarks_of_a_scale_stand_together_in_its_order_with_its_figures(tmp_path: Path) -> None:
    names = ("odd/tea", "odd/bread", "odd/milk")
    results = read_results([run_of(tmp_path / "run", *(made("a/b", name) for name in names))])
    folder = {each.benchmark: each.folder for each in results.evaluations}
    kept = Estimate(metric="kept", value=0.5, asked=60, graded=60)
    scale = CommonScale(
        name="kept", says="", titles={"odd/milk": "milk", "odd/tea": "tea"}, figures={folder["odd/tea"]: kept}
    )
    board = leaderboard(results, [scale])
    assert [column.title for column in board.columns] == ["milk", "tea", "odd/bread"]
    (row,) = board.rows
    assert [cell and cell.figure and cell.figure.value for cell in row.cells] == [None, 0.5, 0.9]


def test_rungs_stand_on_the_scale_of_the_ladder(found: Results) -> None:
    board = leaderboard_of(found)
    assert [column.title for column in board.columns] == ["know", "judge"]
    assert {column.scale and column.scale.name for column in board.columns} == {"norms kept"}


def test_it_is_a_table_a_row_a_model_on_a_benchmark_and_one_a_row_a_model(tmp_path: Path) -> None:
    results = study(tmp_path / "run", a__bad=BAD, a__good=GOOD)
    tables = tables_of(results)
    figures, models = (
        rows_by_key(tables[id_].table, tables[id_].rows) for id_ in ("leaderboard", "leaderboard_models")
    )
    assert [(row["model"], row["rank"], row["ranked"], row["figure"]) for row in figures] == [
        ("a/good", 1, 2, pytest.approx(sum(GOOD) / len(GOOD))),
        ("a/bad", 2, 2, pytest.approx(sum(BAD) / len(BAD))),
    ]
    assert [(row["model"], row["mean_rank"]) for row in models] == [("a/good", 1.0), ("a/bad", 2.0)]
    shown = [block for section in all_sections(results, page=True) for block in section.blocks]
    assert sum("Leaderboard" in getattr(block, "caption", "") for block in shown) == 1


def test_who_is_ahead_is_found_with_its_lead_or_what_it_would_take(tmp_path: Path) -> None:
    apart = study(tmp_path / "apart", a__bad=BAD, a__good=GOOD)
    (finding,) = findings_of(apart)
    assert finding.found
    assert text_of(finding.words) == "a/good is ahead of a/bad on odd/tea."
    assert text_of(finding.sure).startswith("By 56.7 points [")
    assert "p < 0.001" in text_of(finding.sure)
    level = study(tmp_path / "level", a__good=GOOD, a__fair=FAIR)
    (finding,) = findings_of(level)
    assert not finding.found
    assert text_of(finding.words) == "a/good and a/fair are not distinguishable on odd/tea."
    assert "questions." in text_of(finding.sure) or "units." in text_of(finding.sure)


def test_what_is_doubtful_is_said_before_what_differs_and_that_before_what_breaks(held: Held) -> None:
    models = ("simulated/expert", "simulated/typical")
    results = read_results(
        [held("ladder/know", "ladder/judge", "ladder/explain", places=MANY, models=models, name="three")]
    )
    order = [(finding.weight, not finding.found) for finding in findings_of(results)]
    assert order == sorted(
        order, key=lambda each: (["doubtful", "differs", "breaks", "further"].index(each[0]), each[1])
    )
    others = told(results)
    assert any("break" in each for each in others)
    assert any("is ahead of" in each for each in others)
    assert "simulated/judge has not been checked against people's labels." in others
