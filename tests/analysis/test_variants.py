"""How far headlines hang on wordings and orders: planted, run, and found again."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

import mores
from mores.analysis.variants import WORDINGS_ANALYSIS, analyse, variants
from mores.cli.app import app
from mores.core.errors import BudgetReached, InputError
from mores.reports.terminal import next_step
from mores.runs.cost_estimate import estimate
from mores.runs.loading import read_results
from mores.runs.partial_results import read_partial
from mores.runs.spec import Spec
from mores.tables import section_of
from mores.tables.formatting import text_of
from tests.bundled import SOME
from tests.reports.shown import printed

PLANTED = "simulated/typical:know=.9,judge=.9,wording=.5,format_error=0"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wordings") / "run"
    models = [PLANTED, "simulated/typical:know=.9,format_error=0", "baseline/first"]
    mores.run("ladder/know", model=models, places=SOME, prompt_variants=4, orders=2, out=folder)
    return folder


def test_the_headline_is_that_of_the_first_wording(run: Path, tmp_path: Path) -> None:
    mores.run("ladder/know", model=[PLANTED], places=SOME, out=tmp_path / "plain")
    found = read_results([run])
    plain = read_results([tmp_path / "plain"]).evaluations[0]
    worded = next(each for each in found.evaluations if each.model == PLANTED)
    assert worded.estimates == plain.estimates
    assert len(found.evaluations) == 3
    assert len(found.variants) == 3 * (3 + 1)
    assert (worded.folder / "verdicts.jsonl").read_bytes() == (plain.folder / "verdicts.jsonl").read_bytes()


def test_a_planted_sensitivity_is_found_and_none_where_none_is(run: Path) -> None:
    found = variants(read_results([run]))
    assert found is not None
    rows = {(row.kind, row.first.model): row for row in found.rows}
    sensitive = rows["wording", PLANTED]
    steady = rows["wording", "simulated/typical:know=.9,format_error=0"]
    assert sensitive.p_adjusted is not None
    assert sensitive.p_adjusted < 0.01
    assert (sensitive.found.spread_low or 0) > 0.02
    assert steady.found.spread == 0
    assert steady.p_adjusted == 1
    assert steady.found.mean == pytest.approx(steady.found.means[0])


def test_people_see_how_far_headlines_hang_on_them_and_the_mean_in_each(run: Path) -> None:
    found = analyse(read_results([run]))
    assert found is not None
    told = "\n".join(printed(section_of(WORDINGS_ANALYSIS, found)))
    assert "Largest difference, points" in told
    assert "Mean in prompt variant 4" in told
    assert "Mean in option order 2" in told


def test_models_that_change_places_are_named(run: Path) -> None:
    found = variants(read_results([run]))
    assert found is not None
    order = next(each for each in found.orders if each.kind == "wording")
    assert (order.models, order.pairs, order.variants) == (3, 3, 4)
    for each in order.reversals:
        assert {each.one, each.other} <= {row.first.label for row in found.rows}


def test_frames_hold_each_wording_once(run: Path) -> None:
    tables = mores.load(run).tables
    frame = tables["wordings_each"]
    assert len(frame) == 3 * (4 + 2)
    assert set(frame["kind"]) == {"wording", "order"}
    assert len(tables["wordings"]) == 3 * 2
    assert {number for number in frame["number"] if number is not None} == {1, 2, 3, 4}
    assert len(mores.load(run).estimates) == len(mores.load(run).estimates["metric"])


def test_one_wording_says_nothing(tmp_path: Path) -> None:
    mores.run("ladder/know", out=tmp_path / "run", limit=3)
    assert variants(read_results([tmp_path / "run"])) is None
    assert len(mores.load(tmp_path / "run").tables["wordings"]) == 0


def test_a_wording_opened_alone_is_a_run_with_a_departure(run: Path) -> None:
    folder = next(path for path in run.iterdir() if path.name.endswith("--wording-3"))
    found = read_results([folder])
    assert len(found.evaluations) == 1
    assert [(d.setting, d.used) for d in found.evaluations[0].provenance.departures] == [("wording", "3")]


def test_too_few_units_are_said_to_test_nothing(tmp_path: Path) -> None:
    mores.run("ladder/know", prompt_variants=2, out=tmp_path / "run", limit=3)
    found = analyse(read_results([tmp_path / "run"]))
    assert found is not None
    (told,) = found.findings
    assert told.words == "Whether headlines depend on the prompt variant cannot be told."
    assert text_of(told.sure).startswith("Largest difference 0.0 points; too few")


def test_orders_that_no_benchmark_has_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--orders 2: these benchmarks are asked in one alone; leave out --orders"):
        mores.run("liveculture/town", out=tmp_path / "run", limit=1, orders=2)


def test_more_wordings_than_a_benchmark_has_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--prompt-variants 9: these benchmarks have 4; expected 4 at most"):
        mores.run("ladder/know", out=tmp_path / "run", limit=1, prompt_variants=9)


def test_wordings_of_which_nothing_is_graded_have_no_figure(tmp_path: Path) -> None:
    mores.run("liveculture/town", out=tmp_path / "run", limit=1, prompt_variants=2)
    frame = mores.load(tmp_path / "run").tables["wordings_each"]
    assert len(frame) == 2
    assert (tmp_path / "run" / "report.html").is_file()


def test_a_dry_run_names_each_variant() -> None:
    found = estimate(
        Spec(benchmarks=("ladder/know",), models=("simulated/typical",), limit=1, prompt_variants=2, orders=2)
    )
    assert [each.variant.suffix for each in found] == ["", "--wording-2", "--order-2"]


def test_a_run_cut_short_in_its_second_wording_is_gone_on_with(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with pytest.raises(BudgetReached):
        mores.run("ladder/know", prompt_variants=2, out=folder, limit=3, max_calls=18)
    with read_partial([folder]) as found:
        assert next_step(found).command == f"mores resume {folder}"


def test_tables_for_other_programs_have_the_wordings_beside(run: Path, tmp_path: Path) -> None:
    mores.load(run).export("csv", tmp_path / "csv")
    rows = (tmp_path / "csv" / "wordings_each.csv").read_text(encoding="utf-8").splitlines()
    assert len(rows) == 1 + 3 * (4 + 2)


def test_a_run_that_was_cut_twice_says_how_far_the_whole_is(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    for calls in (150, 200):
        with pytest.raises(BudgetReached):
            mores.run("ladder/know", prompt_variants=3, limit=30, max_calls=calls, out=folder)
    found = CliRunner().invoke(app, ["resume", str(folder), "--max-calls", "5"])
    assert "of 1,080 done" in str(found.exception)
