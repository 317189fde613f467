"""Sources of the error of a headline, planted in runs and found again."""

from pathlib import Path

import pytest

import mores
from mores.analysis.judges_alone import rows_by_judge
from mores.analysis.variance import VARIANCE_ANALYSIS, analyse, variance_sources
from mores.runs.loading import read_results
from mores.tables import section_of
from tests.bundled import SOME
from tests.reports.shown import printed

SENSITIVE = "simulated/typical:know=.9,judge=.9,wording=.5,format_error=0"
STEADY = "simulated/typical:know=.9,format_error=0"


@pytest.fixture(scope="module")
def worded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("variance") / "run"
    mores.run("ladder/know", model=[SENSITIVE, STEADY], places=SOME, prompt_variants=4, orders=2, out=folder)
    return folder


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("variance") / "judged"
    jury = ["simulated/judge:sensitivity=.9,specificity=.9", "simulated/judge:sensitivity=.6,specificity=.9"]
    mores.run("ladder/apply", model=["simulated/typical"], places=SOME, judge=jury, samples=2, out=folder)
    return folder


def test_wordings_that_move_a_headline_are_a_source_of_its_error_and_others_are_none(worded: Path) -> None:
    found = variance_sources(read_results([worded]))
    assert found is not None
    tables = {each.result.model: each.found for each in found.models if each.kind == "wording"}
    moved, steady = tables[SENSITIVE], tables[STEADY]
    share = {each.source: each.share.value for each in moved.components}
    assert share["wording",] > 0.1
    assert moved.error.value > moved.error_of_items.value
    assert steady.error.value == pytest.approx(steady.error_of_items.value)


def test_a_facet_of_one_level_is_said_to_be_unknown(worded: Path) -> None:
    rows = mores.load(worded).tables["variance"]
    reasons = dict(zip(rows["source"], rows["share_why"], strict=True))
    assert "one sample: not known" in str(reasons["samples"])
    assert "one judge" in str(reasons["judges"])


def test_orders_are_a_design_of_their_own_and_differences_stand_beside(worded: Path) -> None:
    tables = mores.load(worded).tables
    assert set(tables["variance"]["kind"]) == {"wording", "order"}
    assert set(tables["variance_differences"]["models"]) == {2}
    assert set(tables["variance_more"]["of"]) == {"mean", "difference"}


def test_people_read_both_standard_errors(worded: Path) -> None:
    found = analyse(read_results([worded]))
    assert found is not None
    screen = " ".join(printed(section_of(VARIANCE_ANALYSIS, found)))
    assert "standard error" in screen
    assert "which is what its interval counts" in screen


def test_a_plain_run_says_nothing_of_it(tmp_path: Path) -> None:
    mores.run("ladder/know", out=tmp_path / "run", limit=20)
    assert variance_sources(read_results([tmp_path / "run"])) is None
    assert len(mores.load(tmp_path / "run").tables["variance"]) == 0


def test_judges_are_read_apart_where_their_votes_give_the_verdicts_back(judged: Path) -> None:
    results = read_results([judged])
    alone = rows_by_judge(results.evaluations[0])
    assert alone is not None
    assert set(alone) == set(results.evaluations[0].judges)
    found = variance_sources(results)
    assert found is not None
    (own,) = found.models
    assert own.found.levels == {"item": own.found.units, "wording": 1, "judge": 2, "sample": 2}
    assert {("judge",), ("item", "judge"), ("item", "sample")} <= {each.source for each in own.found.components}


def test_one_judge_cannot_be_read_apart(worded: Path) -> None:
    assert rows_by_judge(read_results([worded]).evaluations[0]) is None
