"""Labels with their reasons: the table of the two, thin against thick, and what several models show together."""

from collections.abc import Sequence
from html import unescape
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from mores.analysis.judging import JUDGING_ANALYSIS
from mores.analysis.results import Results
from mores.benchmarks.shapes.reasons.across_models import (
    FOR_RANKS,
    WEAK,
    InterquartileSpread,
    RubricCorrelations,
    spreads,
    together,
)
from mores.benchmarks.shapes.reasons.analysis import REASONS_ANALYSIS, analyse, describe_reasons
from mores.benchmarks.shapes.reasons.reversals import reversals_of
from mores.benchmarks.shapes.reasons.thin_and_thick import (
    Explained,
    MacroF1,
    ThinThickComparison,
    explained_of,
    macro_of,
    pairs_of,
)
from mores.benchmarks.shapes.reasons.thin_vs_thick import describe_spread, describe_unshared
from mores.core.estimate import Estimate
from mores.reports.findings import in_order
from mores.reports.page.write import render
from mores.runs.loading import read_results
from mores.tables import AnalysisResult, as_data, section_of
from mores.tables import formatting as words
from mores.tables.blocks import Chart, Section
from mores.tables.missing_texts import format_missing
from tests.reports.conftest import Held
from tests.reports.made import Made, explained, reasons, run_of, thin
from tests.reports.shown import printed
from tests.reports.test_page import Parts

JUDGE = {"judge": "openai/judge"}
F1 = {"f1_micro": 0.5, "f1_macro": 0.5}


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both sections stand on pages, whatever else does."""
    monkeypatch.setattr("mores.reports.sections_list.ANALYSES", (JUDGING_ANALYSIS,))


def of(model: str, pairs: Sequence[tuple[float | None, float | None]], **figures: float | Estimate) -> Made:
    """A thick evaluation of a set that no card describes."""
    known = {"accuracy": 0.5, "coverage": 0.5, **F1, **figures}
    verdicts = explained(pairs)
    return Made(model=model, benchmark="cure/normad_thick", verdicts=verdicts, figures=known, roles=JUDGE)


def before(model: str, points: Sequence[float | None], **figures: float) -> Made:
    """The same set, thin."""
    return Made(
        model=model, benchmark="cure/normad_thin", verdicts=thin(points), figures={"accuracy": 0.5, **F1, **figures}
    )


class Found(NamedTuple):
    """All that runs show of labels with their reasons."""

    evaluations: tuple[Explained, ...]
    pairs: tuple[ThinThickComparison, ...]
    spreads: tuple[InterquartileSpread, ...]
    together: RubricCorrelations | None


def found_in(*runs: Path) -> Found:
    results = read_results(runs)
    explained = explained_of(results)
    pairs = pairs_of(results, explained)
    return Found(explained, pairs, spreads(pairs), together(explained, pairs))


def result(*runs: Path) -> AnalysisResult:
    found = analyse(read_results(runs))
    assert found is not None
    return found


def section(*runs: Path) -> Section:
    return section_of(REASONS_ANALYSIS, result(*runs))


def rows_of(*runs: Path) -> dict[str, list[dict[str, Any]]]:
    """What programs read: the rows of each table."""
    return as_data(result(*runs))


def told(evaluation: Explained) -> str:
    return words.text_of(describe_reasons(evaluation))


def test_the_table_counts_answers_with_a_grade_for_both(tmp_path: Path) -> None:
    pairs = [(1, 0.9), (1, 0.5), (1, 0.4), (0, 0.8), (0, 0.1), (1, None), (None, 0.9)]
    (evaluation,) = found_in(run_of(tmp_path / "run", of("openai/a", pairs))).evaluations
    # Reasons are good from .5: two of three right labels, and one of two wrong ones, have good reasons.
    assert [quarter.count for quarter in evaluation.quarters] == [2, 1, 1, 1]
    assert [quarter.share for quarter in evaluation.quarters] == [0.4, 0.2, 0.2, 0.2]
    assert (evaluation.counts.ungraded, evaluation.unlabelled) == (1, 1)


def test_right_for_the_wrong_reason_is_one_sentence_with_its_interval(tmp_path: Path) -> None:
    figure = Estimate(metric="wrong_reason", value=1 / 3, low=0.1, high=0.7, asked=3, graded=3)
    run = run_of(tmp_path / "run", of("openai/a", [(1, 0.9), (1, 0.6), (1, 0.4), (0, 0.4)], wrong_reason=figure))
    assert told(found_in(run).evaluations[0]) == (
        "1 of 3 right labels have bad reasons: 33.3% [10.0, 70.0] (judge band 11.1–44.4)."
    )


def test_a_run_without_that_figure_has_its_share_and_says_that_there_is_no_interval(tmp_path: Path) -> None:
    (evaluation,) = found_in(run_of(tmp_path / "run", of("openai/a", [(1, 0.9), (1, 0.4)]))).evaluations
    assert told(evaluation) == (
        "1 of 2 right labels have bad reasons: 50.0% (no interval: the run has no such figure)."
    )


def test_without_a_right_label_nothing_is_said_of_its_reasons(tmp_path: Path) -> None:
    (evaluation,) = found_in(run_of(tmp_path / "run", of("openai/a", [(0, 0.9), (1, None)]))).evaluations
    assert "is unknown" in told(evaluation)


def test_where_no_answer_has_reasons_there_is_no_section(tmp_path: Path, found: Results) -> None:
    assert analyse(read_results([run_of(tmp_path / "run", before("openai/a", [1, 0]))])) is None
    assert analyse(found) is None


def test_the_figures_are_those_of_the_run(held: Held) -> None:
    run = held("ladder/explain", models=("simulated/typical",), limit=45)
    (evaluation,) = found_in(run).evaluations
    whole = read_results([run]).evaluations[0].overall
    assert (evaluation.rubric, evaluation.points, evaluation.label) == (
        "coverage",
        whole("coverage"),
        whole("label_accuracy"),
    )
    for quarter in evaluation.quarters:
        assert quarter.share == pytest.approx(quarter.figure.value if quarter.figure else None)
    assert evaluation.wrong_reason is not None
    good, bad, *_ = evaluation.counts
    assert bad / (good + bad) == pytest.approx(evaluation.wrong_reason.value)


def test_thin_and_thick_are_paired_by_unit(tmp_path: Path) -> None:
    # Of twelve items thin has 10 right; thick has five of these wrong and none of the others right.
    first, second = [1] * 10 + [0] * 2, [1] * 5 + [0] * 7
    run = run_of(tmp_path / "run", before("openai/a", first), of("openai/a", [(p, 0.9) for p in second]))
    (pair,) = found_in(run).pairs
    assert (pair.contrast.a, pair.contrast.b, pair.contrast.units, pair.contrast.clusters) == (
        10 / 12,
        5 / 12,
        12,
        12,
    )
    assert pair.contrast.difference == pytest.approx(-5 / 12)
    assert pair.contrast.test == "McNemar exact"
    # Five units for thin and none against: twice one half to the fifth.
    assert pair.contrast.p == pair.contrast.p_adjusted == pytest.approx(0.0625)
    assert pair.contrast.low is not None
    assert pair.contrast.low < -5 / 12


def test_changes_are_corrected_for_their_number(tmp_path: Path) -> None:
    thick_a, thick_b = [(1.0, 0.9)] * 2 + [(0.0, 0.9)] * 8, [(1.0, 0.9)] * 10
    run = run_of(tmp_path / "run", before("openai/a", [1] * 10), of("openai/a", thick_a),
                 before("openai/b", [1] * 9 + [0]), of("openai/b", thick_b))  # fmt: skip
    found = found_in(run)
    # Eight against none, 2/2^8; Holm doubles it. One against none has p = 1.
    assert [pair.contrast.p for pair in found.pairs] == pytest.approx([2 / 256, 1.0])
    assert [pair.contrast.p_adjusted for pair in found.pairs] == pytest.approx([4 / 256, 1.0])
    assert any("2 pairs of a model and a set" in line for line in printed(section(run)))
    assert any("1 of them differs at .05" in line for line in printed(section(run)))


def test_items_of_one_form_alone_are_counted_and_left_out(tmp_path: Path) -> None:
    run = run_of(
        tmp_path / "run", before("openai/a", [1, 0, 1, 1, None]), of("openai/a", [(1, 0.9)] * 4 + [(0, 0.1)] * 3)
    )
    (pair,) = found_in(run).pairs
    assert (pair.contrast.units, pair.only_thin, pair.only_thick, pair.ungraded) == (4, 0, 2, 1)
    left = pair.only_thin, pair.only_thick, pair.ungraded
    assert describe_unshared(*left, other_data=False) == "2 items in thick only, 1 units not graded in both"
    assert pair.contrast.low is None
    assert "too few clusters" in format_missing(pair.contrast.missing)


def test_nothing_graded_in_both_is_no_difference(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", before("openai/a", [None, None]), of("openai/a", [(1, 0.9)] * 2))
    (pair,) = found_in(run).pairs
    assert (pair.contrast.a, pair.contrast.difference, pair.contrast.p, pair.contrast.p_adjusted) == (
        None,
        None,
        None,
        None,
    )
    assert [row["tests"] for row in rows_of(run)["thick_labels"]] == [0]


def test_forms_of_one_model_may_lie_in_two_runs(tmp_path: Path) -> None:
    runs = (
        run_of(tmp_path / "thin", before("openai/a", [1] * 9)),
        run_of(tmp_path / "thick", of("openai/a", [(0, 0.9)] * 9)),
    )
    (pair,) = found_in(*runs).pairs
    assert (pair.thick.subject, pair.contrast.difference) == ("openai/a", -1.0)


def test_a_model_that_ran_a_form_twice_is_kept_apart_by_run(tmp_path: Path) -> None:
    evaluations = before("openai/a", [1] * 9), of("openai/a", [(0, 0.9)] * 9)
    runs = [run_of(tmp_path / name, *evaluations) for name in ("one", "two")]
    assert [pair.thick.subject for pair in found_in(*runs).pairs] == [f"openai/a in {run}" for run in runs]


def models(tmp_path: Path, thin_f1: Sequence[float], thick_f1: Sequence[float], prefix: str = "openai/m") -> Path:
    """Models with given F1 in both forms; the rubric's mean goes down as the thick F1 goes up."""
    evaluations = []
    for number, (one, other) in enumerate(zip(thin_f1, thick_f1, strict=True)):
        name = f"{prefix}{number}"
        evaluations.append(before(name, [1, 0], accuracy=one, f1_micro=one, f1_macro=one))
        evaluations.append(of(name, [(1, 0.9), (0, 0.1)], f1_micro=other, f1_macro=other, coverage=1 - other))
    return run_of(tmp_path / prefix.replace("/", "-"), *evaluations)


def test_spread_is_the_quartile_range_over_models(tmp_path: Path) -> None:
    found = found_in(models(tmp_path, (0.2, 0.4, 0.6, 0.8, 1.0), (0.5, 0.6, 0.7, 0.8, 0.9)))
    # Quartiles of five are the second and the fourth: .8 - .4 thin, .8 - .6 thick, so half of it is gone.
    for spread in found.spreads:
        assert (spread.models, describe_spread(spread)) == (5, "50% less")
        assert [spread.thin, spread.thick, spread.reduced] == pytest.approx([0.4, 0.2, 0.5])
    assert [spread.metric for spread in found.spreads] == ["f1_micro", "f1_macro"]


def test_spread_is_over_the_items_of_both_forms_where_thin_asked_more(tmp_path: Path) -> None:
    made = []
    for n, right in enumerate([(0, 0), (0, 1), (1, 0), (1, 1)]):
        made.append(before(f"openai/{n}", [*right, 0, 0, 0, 0], f1_micro=sum(right) / 6))
        made.append(of(f"openai/{n}", [(1, 0.9), (1, 0.9)], f1_micro=1.0))
    micro = found_in(run_of(tmp_path / "run", *made)).spreads[0]
    # Over the two items of both forms thin F1 is 0, .5, .5 and 1: quartiles .375 and .625. Over all six it is a third.
    assert [micro.thin, micro.thick] == pytest.approx([0.25, 0.0])


def test_under_four_models_no_spread_is_given_but_how_many_are_needed(tmp_path: Path) -> None:
    for spread in found_in(models(tmp_path, (0.2, 0.4, 0.6), (0.5, 0.6, 0.7))).spreads:
        assert (spread.thin, spread.thick, spread.reduced) == (None, None, None)
        assert describe_spread(spread) == "3 of the 4 models that quartiles need"


def test_baselines_are_no_models(tmp_path: Path) -> None:
    runs = (models(tmp_path, (0.2, 0.4, 0.6), (0.5, 0.6, 0.7)), models(tmp_path, (0.1, 0.1), (0.1, 0.1), "baseline/m"))
    found = found_in(*runs)
    assert {spread.models for spread in found.spreads} == {3}
    assert found.together is not None
    assert found.together.models == 3


def scored(rights: Sequence[Sequence[int]], prefix: str = "openai/m") -> list[Made]:
    """Models whose thin and then thick labels are right or wrong, in turn."""
    made = []
    for number, (one, other) in enumerate(zip(rights[::2], rights[1::2], strict=True)):
        made += [before(f"{prefix}{number}", one), of(f"{prefix}{number}", [(right, 0.9) for right in other])]
    return made


def right(count: int, size: int = 40) -> list[int]:
    return [1] * count + [0] * (size - count)


def macro(*runs: Path) -> MacroF1:
    found = macro_of(found_in(*runs).pairs)
    assert found is not None
    return found


def test_macro_f1_of_both_forms_is_that_of_the_same_items(tmp_path: Path) -> None:
    made = [before("openai/a", [*right(30), 0, 0, 0]), of("openai/a", [(each, 0.9) for each in right(10)])]
    (found,) = macro(run_of(tmp_path / "run", *made)).contrasts
    # Gold is always yes: of 40 items 30 are right, F1 of yes 60/70; no is given 10 times and never right.
    assert (found.a, found.b) == pytest.approx((30 / 70, 10 / 50))
    assert (found.metric, found.units) == ("f1_macro", 40)
    assert found.difference == pytest.approx(10 / 50 - 30 / 70)
    assert found.p is not None
    assert found.p < 0.01
    assert found.p_adjusted == found.p


def test_macro_f1_is_averaged_over_models_on_the_same_items_and_over_sets(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", *scored([right(30), right(35), right(20), right(30)]))
    found = macro(run)
    (mean,) = found.sets
    assert (mean.models, mean.contrast.units, found.whole) == (2, 40, None)
    each = [contrast.difference for contrast in found.contrasts]
    assert mean.contrast.difference == pytest.approx(sum(filter(None, each)) / 2)
    assert {contrast.family for contrast in found.contrasts} == {2}


def test_a_finding_says_which_form_has_the_higher_macro_f1(tmp_path: Path) -> None:
    found = section(run_of(tmp_path / "run", *scored([right(38), right(20), right(36), right(18)])))
    told = [words.text_of(each.words) for each in found.findings]
    assert any("macro F1 is lower in thick answers than in thin ones" in one for one in told)


def test_how_often_right_labels_have_bad_reasons_is_said_of_all_models_at_once(tmp_path: Path) -> None:
    share = Estimate(metric="wrong_reason", value=0.5, low=0.1, high=0.9, asked=2, graded=2)
    made = [of(f"openai/{name}", [(1, 0.9), (1, 0.4)], wrong_reason=share) for name in "ab"]
    (found,) = in_order(section(run_of(tmp_path / "run", *made)).findings)
    told = f"{words.text_of(found.words)} {words.text_of(found.sure)}"
    assert told == (
        "openai/a and openai/b give bad reasons for right labels on cure/normad_thick. 1 of 2: 50.0% [10.0, 90.0] "
        "(judge band 33.3–66.7)."
    )


def test_baselines_are_in_no_mean_of_macro_f1(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", *scored([right(30), right(35)]), *scored([right(9), right(9)], "baseline/m"))
    assert (len(macro(run).contrasts), macro(run).sets) == (2, ())


def test_models_whose_order_reverses_beyond_doubt_are_certain_and_others_may_be_chance(tmp_path: Path) -> None:
    # The first is far ahead in thin answers and far behind in thick ones; the third is close to the first in both.
    run = run_of(tmp_path / "run", *scored([right(38), right(8), right(8), right(38), right(37), right(9)]))
    (found,) = reversals_of(found_in(run).pairs)
    sure = {(each.ahead, each.behind): each.certain for each in found.reversals}
    assert sure == {
        ("openai/m0", "openai/m1"): True, ("openai/m0", "openai/m2"): False, ("openai/m2", "openai/m1"): True,
    }  # fmt: skip
    assert (found.certain, found.units) == (2, 40)
    assert (found.share.value, found.share.low, found.share.high) == pytest.approx((1.0, 2 / 3, 1.0))
    assert [each.subject for each in found.ranks] == ["openai/m0", "openai/m2", "openai/m1"]
    assert [each.thick_rank.value for each in found.ranks] == [3, 2, 1]


def test_an_order_that_is_found_in_both_forms_is_ruled_out_from_reversing(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", *scored([right(38), right(38), right(8), right(8)]))
    (found,) = reversals_of(found_in(run).pairs)
    assert (found.reversals, found.share.value, found.share.low, found.share.high) == ((), 0.0, 0.0, 0.0)


def test_equal_models_are_not_said_to_keep_or_to_change_their_order(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", *scored([right(20), right(21), right(21), right(20)]))
    (found,) = reversals_of(found_in(run).pairs)
    assert (found.share.value, found.share.low, found.share.high, found.certain) == (1.0, 0.0, 1.0, 0)


def test_with_too_few_clusters_reversals_are_counted_and_none_is_certain(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", *scored([right(5, 5), right(0, 5), right(0, 5), right(5, 5)]))
    (found,) = reversals_of(found_in(run).pairs)
    assert (found.share.value, found.share.low, found.certain) == (1.0, None, 0)
    assert found.share.missing is not None


def test_models_that_lie_far_from_the_others_are_outliers_and_their_names_stand_in_the_table(tmp_path: Path) -> None:
    run = models(tmp_path, (0.6, 0.61, 0.62, 0.63, 0.1), (0.5, 0.5, 0.5, 0.5, 0.5))
    for spread in found_in(run).spreads:
        assert [each.subject for each in spread.outliers("thin")] == ["openai/m4"]
        assert spread.outliers("thick") == ()
    assert any("openai/m4 (thin 10.0%)" in line for line in printed(section(run)))
    boxes = [block for block in section(run).blocks if isinstance(block, Chart) and block.kind == "boxes"]
    assert [[series.name for series in chart.series] for chart in boxes] == [
        ["cure/normad thin", "cure/normad thick"]
    ] * 2


def test_ranks_by_a_rubric_and_by_thin_labels_may_be_opposite(tmp_path: Path) -> None:
    together = found_in(models(tmp_path, (0.2, 0.4, 0.6, 0.8, 1.0), (0.5, 0.6, 0.7, 0.8, 0.9))).together
    assert together is not None
    (own,) = together.thin
    assert own is not None
    assert [own.rho, own.models] == pytest.approx([-1.0, 5])
    assert FOR_RANKS <= together.most < WEAK


def test_under_five_models_ranks_say_nothing(tmp_path: Path, listed: None) -> None:
    run = models(tmp_path, (0.2, 0.4, 0.6, 0.8), (0.5, 0.6, 0.7, 0.8))
    together = found_in(run).together
    assert together is not None
    assert [each.rho for each in together.pairs] == [None]
    assert together.most < FOR_RANKS
    assert any("4 of the 5 models that ranks need" in line for line in printed(section(run)))
    assert "ranks say nothing under 5" in render(read_results([run]))


def test_two_rubrics_are_held_against_each_other_over_the_models_that_have_both(tmp_path: Path) -> None:
    evaluations = []
    for number in range(6):
        evaluations.append(of(f"openai/m{number}", [(1, 0.9)], coverage=number / 10))
        verdicts = [v for v in explained([(1, 0.9)]) if v.task == "label"] + [reasons("i0", 0.9, task="coherence")]
        value = {"accuracy": 0.5, "coherence": (number * 7 % 6) / 10, **F1}
        if number < 5:
            evaluations.append(
                Made(
                    model=f"openai/m{number}",
                    benchmark="cure/culturebank_thick",
                    verdicts=verdicts,
                    figures=value,
                    roles=JUDGE,
                )
            )
    together = found_in(run_of(tmp_path / "run", *evaluations)).together
    assert together is not None
    assert [(r.name, r.set) for r in together.rubrics] == [
        ("coverage", "cure/normad"),
        ("coherence", "cure/culturebank"),
    ]
    # 7n mod 6 is n itself: the same order, over the five that have both.
    assert [together.rows[0][1].rho, together.rows[0][1].models] == pytest.approx([1.0, 5])
    assert together.thin == (None, None)


HOSTILE = "openai/<script>alert(1)</script>" + "x" * 90


def test_names_of_models_stay_words_on_the_page(tmp_path: Path, listed: None) -> None:
    run = run_of(tmp_path / "run", before(HOSTILE, [1] * 9), of(HOSTILE, [(1, 0.9)] * 9))
    page = render(read_results([run]))
    assert page.count("<script>") == 1
    assert "<script>alert" not in page
    assert HOSTILE in unescape(page)


def test_the_page_has_the_figures_that_programs_read(tmp_path: Path, listed: None) -> None:
    run = models(tmp_path, (0.2, 0.4, 0.6, 0.8, 1.0), (0.5, 0.6, 0.7, 0.8, 0.9))
    page, rows = unescape(render(read_results([run]))), rows_of(run)
    shown = page.partition('<section id="thick"')[2].partition("</section>")[0]
    for row in rows["thick"]:
        assert f"<b>{100 * row['points']:.1f}%</b>" in shown
        assert row["model"] in shown
    for row in rows["thick_spreads"]:
        assert f"{100 * row['thin']:.1f}" in shown
    assert "−1.00" in shown
    assert "weak evidence" in shown
    assert "simulated" not in shown


def test_the_sections_can_be_read_aloud_and_their_links_lead_somewhere(held: Held, listed: None) -> None:
    parts = Parts(render(read_results([held("ladder/explain", models=("simulated/typical",), limit=45)])))
    ids = [attributes["id"] for _, attributes in parts.tags if "id" in attributes]
    links = [attributes["href"] or "" for tag, attributes in parts.tags if tag == "a"]
    assert len(ids) == len(set(ids))
    assert {link[1:].partition("?")[0] for link in links if link.startswith("#")} <= set(ids)
    assert all(attributes.get("scope") in {"col", "row", "rowgroup"} for tag, attributes in parts.tags if tag == "th")
    assert all(
        "aria-hidden" in attributes or attributes.get("aria-label") for tag, attributes in parts.tags if tag == "svg"
    )


def test_what_was_made_up_is_marked(held: Held, listed: None) -> None:
    run = held("ladder/explain", models=("simulated/typical", "simulated/expert"), limit=45)
    shown = render(read_results([run])).partition('<section id="thick"')[2].partition("</section>")[0]
    assert shown.count('<span class="tag">simulated</span>') >= 4
    assert all("(simulated)" in line for line in printed(section(run)) if line.strip().startswith("simulated/"))
    assert {row["simulated"] for row in rows_of(run)["thick"]} == {True}


def test_a_judged_label_is_said_to_be(tmp_path: Path, listed: None) -> None:
    verdicts = [reasons("i0", 1.0, task="label", label="yes", gold="yes"), reasons("i0", 0.9)]
    figures = {"accuracy": 1.0, "coverage": 0.9}
    evaluation = Made(model="openai/a", benchmark="cure/normad_thick", verdicts=verdicts, figures=figures, roles=JUDGE)
    run = run_of(tmp_path / "run", before("openai/a", [1]), evaluation)
    assert [each.judged_labels for each in found_in(run).evaluations] == [True]
    assert "A judge reads the thick label of <code>cure/normad</code>" in render(read_results([run]))
