"""Easy against medium, told against untold, and where regions stand."""

from pathlib import Path

import pytest

from mores.analysis.results import Result
from mores.benchmarks.cultureforest.analysis import CultureForest, cultureforest
from mores.core.estimate import Estimate, Missing
from mores.runs.loading import read_results
from mores.tables.formatting import describe_order
from mores.tables.missing_texts import format_missing
from tests.reports.regime_cells import easy, evaluation, hard, medium, results

PLACES = ("JP", "NG", "BR", "DE")


def made(*evaluations: Result) -> CultureForest:
    found = cultureforest(results(*evaluations))
    assert found is not None
    return found


def figure(metric: str, value: float, p: float | None = None) -> Estimate:
    return Estimate(metric=metric, value=value, asked=10, graded=10, p=p)


def drop_of(folder: Path, model: str, right: int) -> tuple[Result, Result]:
    """Ten questions, all right in easy, so many of them in medium."""
    names = [f"q{n}" for n in range(10)]
    before = [v for name in names for v in easy(name, (1, 1, 1))]
    after = [v for n, name in enumerate(names) for v in medium(name, (1, 1, 1) if n < right else (0, 0, 0))]
    return evaluation(folder, model, "easy", before), evaluation(folder, model, "medium", after)


def test_a_run_of_another_family_has_no_such_section(ladder: Path) -> None:
    assert cultureforest(read_results([ladder])) is None


def test_the_drop_is_medium_less_easy_over_the_same_questions(tmp_path: Path) -> None:
    drop = made(*drop_of(tmp_path, "m", 4)).levels.models[0].drop
    assert drop is not None
    assert (drop.a, drop.b, drop.difference) == pytest.approx((1.0, 0.4, -0.6))
    assert (drop.units, drop.clusters) == (10, 10)
    # Six questions differ, all one way: McNemar's exact p is 2 / 2^6.
    assert drop.p == pytest.approx(2 / 64)


def test_samples_are_averaged_before_questions_are_paired(tmp_path: Path) -> None:
    both = (
        evaluation(tmp_path, "m", "easy", [v for n in range(9) for v in easy(f"q{n}", (1, 1, 1))]),
        evaluation(tmp_path, "m", "medium", [v for n in range(9) for v in medium(f"q{n}", (1, 0, None))]),
    )
    drop = made(*both).levels.models[0].drop
    assert drop is not None
    assert drop.b == pytest.approx(0.5)  # one right of two graded
    assert drop.units == 9


def test_drops_of_several_models_are_corrected_for_their_number(tmp_path: Path) -> None:
    levels = made(*drop_of(tmp_path, "a", 2), *drop_of(tmp_path, "b", 9)).levels
    first, second = levels.drops
    assert len(levels.drops) == 2
    assert first.p == pytest.approx(2 / 2**8)
    assert first.p_adjusted == pytest.approx(2 * 2 / 2**8)
    assert second.p_adjusted == second.p == 1
    assert levels.fell == 1


def test_only_questions_that_both_asked_are_paired(tmp_path: Path) -> None:
    before = [v for n in range(12) for v in easy(f"q{n}", (1,))]
    after = [v for n in range(4, 20) for v in medium(f"q{n}", (1,))]
    drop = (
        made(evaluation(tmp_path, "m", "easy", before), evaluation(tmp_path, "m", "medium", after))
        .levels.models[0]
        .drop
    )
    assert drop is not None
    assert drop.units == 8


def test_runs_of_one_model_are_one_subject_where_each_brings_other_modes(tmp_path: Path) -> None:
    one, other = drop_of(tmp_path, "m", 4)
    labelled = (
        evaluation(tmp_path / "1", "m", "easy", one.verdicts(), run=Path("1"), label="m in 1"),
        evaluation(tmp_path / "2", "m", "medium", other.verdicts(), run=Path("2"), label="m in 2"),
    )
    found = made(*labelled)
    assert [subject.name for subject in found.subjects] == ["m"]
    assert found.levels.models[0].drop is not None


def test_runs_of_one_model_in_the_same_mode_stay_apart(tmp_path: Path) -> None:
    one = easy("q0", (1,))
    found = made(
        evaluation(tmp_path / "1", "m", "easy", one, run=Path("1"), label="m in 1"),
        evaluation(tmp_path / "2", "m", "easy", one, run=Path("2"), label="m in 2"),
    )
    assert [subject.name for subject in found.subjects] == ["m in 1", "m in 2"]


def test_evaluations_on_other_data_are_not_paired_and_it_says_so(tmp_path: Path) -> None:
    found = made(
        evaluation(tmp_path, "m", "easy", easy("q0", (1,)), data={"questions": "aa"}),
        evaluation(tmp_path, "m", "medium", medium("q0", (1,)), data={"questions": "bb"}),
    )
    assert found.levels.models[0].drop is None
    assert found.levels.models[0].missing == Missing(code="other_data")


def test_errors_are_told_apart_by_form(tmp_path: Path) -> None:
    verdicts = [*easy("q0", (1, 0, -1)), *easy("q1", (0, 0, None)), *easy("q2", (-1, 1, 1))]
    errors = made(evaluation(tmp_path, "m", "easy", verdicts)).levels.models[0].errors["easy"]
    assert (errors.wrong, errors.unread, errors.refused, errors.content) == (5, 2, 0, 3)


def test_the_gain_is_told_less_untold_at_the_level_of_the_run(tmp_path: Path) -> None:
    names = [f"q{n}" for n in range(10)]
    plain = [v for n, name in enumerate(names) for v in medium(name, (int(n < 2),))]
    told = [v for n, name in enumerate(names) for v in medium(name, (int(n < 8),))]
    found = made(
        evaluation(tmp_path, "m", "medium", plain),
        evaluation(tmp_path, "m", "informed medium", told),
        evaluation(tmp_path, "m", "easy", [v for name in names for v in easy(name, (1,))]),
    )
    (gain,) = found.levels.gains
    assert gain.mode == "medium"
    assert gain.change is not None
    assert gain.change.difference == pytest.approx(0.6)
    assert gain.change.p_adjusted == pytest.approx(2 / 64)
    assert found.levels.rose == 1


def test_the_gain_of_open_answers_is_in_points_of_the_norm_score(tmp_path: Path) -> None:
    # All "no" norms, so a slot's value is satisfied - .5 neutral - violated: -.5 left open, +1 kept to.
    plain = [v for n in range(9) for v in hard(f"q{n}", [(0, 1, 0)] * 3)]
    told = [v for n in range(9) for v in hard(f"q{n}", [(1, 0, 0)] * 3)]
    found = made(evaluation(tmp_path, "m", "hard", plain), evaluation(tmp_path, "m", "informed hard", told))
    (gain,) = found.levels.gains
    assert gain.change is not None
    assert (gain.change.a, gain.change.b, gain.change.difference) == (-50.0, 100.0, 150.0)
    assert gain.change.difference == pytest.approx(150)


def test_a_gain_under_another_judge_is_not_a_gain(tmp_path: Path) -> None:
    verdicts = hard("q0", [(1, 0, 0)] * 3)
    found = made(
        evaluation(tmp_path, "m", "hard", verdicts, roles={"subject": "m", "judge": "j"}),
        evaluation(tmp_path, "m", "informed hard", verdicts, roles={"subject": "m", "judge": "k"}),
    )
    (gain,) = found.levels.gains
    assert gain.change is None
    assert format_missing(gain.missing) == "other judges: j and k"


def test_without_the_plain_form_there_is_nothing_to_gain_on(tmp_path: Path) -> None:
    (gain,) = made(evaluation(tmp_path, "m", "informed easy", easy("q0", (1,)))).levels.gains
    assert (gain.change, format_missing(gain.missing)) == (None, "not asked without the norms")


def test_the_gap_is_the_runs_own_where_it_has_one(tmp_path: Path) -> None:
    told = [
        figure("region_gap", 0.25, 0.004),
        figure("region_std", 0.125),
        figure("region_gap_null", 0.11),
    ]
    verdicts = [v for n in range(8) for v in easy(f"q{n}", (1,), place=PLACES[n % 2])]
    (d,) = made(evaluation(tmp_path, "m", "easy", verdicts, told)).gaps
    assert (d.gap, d.std, d.null, d.p, d.p_holm, d.family) == (0.25, 0.125, 0.11, 0.004, 0.004, 1)


def test_a_gap_is_worked_out_where_the_run_has_none(tmp_path: Path) -> None:
    # Place JP is always right, NG never: 100 points, and of the deals of four and four bundles few are as far apart.
    verdicts = [v for n in range(8) for v in easy(f"q{n}", (n % 2,), place=PLACES[n % 2])]
    (d,) = made(evaluation(tmp_path, "m", "easy", verdicts)).gaps
    assert (d.gap, d.std) == (1.0, 0.5)
    assert d.null is not None
    assert 0 < d.null < 0.6
    assert d.p is not None
    assert d.p < 0.06  # 2 of the 70 permutations are as far apart


def test_a_place_of_strict_norms_is_not_better_by_the_adjusted_gap(tmp_path: Path) -> None:
    # Every norm is kept to; JP's are never to be broken (weight 1), NG's sometimes (weight .5), the mean weight is .75.
    kept = [(1, 0, 0)] * 3
    verdicts = [*hard("a", kept, place="JP", strict="no"), *hard("b", kept, place="NG", strict="sometimes")]
    (d,) = made(evaluation(tmp_path, "m", "hard", verdicts)).gaps
    assert d.gap == 0
    assert d.gap_paper == pytest.approx(100 * (1 - 0.5) / 0.75)


def test_regions_at_the_ends_have_intervals_for_all_of_them_together(tmp_path: Path) -> None:
    outcomes = {"JP": 12, "NG": 4, "BR": 9, "DE": 2}
    verdicts = [
        v
        for place, right in outcomes.items()
        for n in range(15)
        for v in easy(f"{place}{n}", (n < right,), place=place)
    ]
    (d,) = made(evaluation(tmp_path, "m", "easy", verdicts)).gaps
    assert [e.group["place"] for e in d.best] == ["JP", "BR"]
    assert [e.group["place"] for e in d.worst] == ["DE", "NG"]
    low, high = d.best[0].low, d.best[0].high
    assert low is not None
    assert high is not None
    # Wilson's 95% interval of 12 of 15 is [.548, .930]; at 98.75%, for four places together, it is wider.
    assert low < 0.5475
    assert high > 0.9305


def test_regions_without_an_order_are_not_named_and_it_says_why(tmp_path: Path) -> None:
    verdicts = [v for n in range(32) for v in easy(f"q{n}", (n % 3 > 0,), place=PLACES[n % 2])]
    (d,) = made(evaluation(tmp_path, "m", "easy", verdicts)).gaps
    assert (d.best, d.worst) == ((), ())
    told = describe_order(d.order.kind, d.order.found, d.order.unit)
    assert told.startswith("Places are not ranked: reliability 0.00 [0.00, 0.")
    assert "units in each for 0.8" in told


def test_regions_of_few_questions_are_neither_ranked_nor_among_the_best(tmp_path: Path) -> None:
    right = {"JP": 10, "NG": 9, "BR": 4, "DE": 2, "IN": 1, "ID": 0}

    def asked(questions: dict[str, int]) -> list[str]:
        verdicts = [
            v
            for place, many in right.items()
            for n in range(questions[place])
            for v in easy(f"{place}{n}", (n < many, n < many, n % 2), place=place)
        ]
        (d,) = made(evaluation(tmp_path, "m", "easy", verdicts)).gaps
        return [str(each.group["place"]) for each in (*d.best, *d.worst)]

    assert asked(dict.fromkeys(right, 7)) == []
    assert "JP" in asked(dict.fromkeys(right, 10))
    assert "JP" not in asked({**dict.fromkeys(right, 10), "JP": 7})


def test_gaps_are_a_family_within_their_mode(tmp_path: Path) -> None:
    def told(p: float) -> list[Estimate]:
        return [figure("region_gap", 0.2, p)]

    closed = [v for n in range(4) for v in easy(f"q{n}", (1,), place=PLACES[n % 2])]
    other = [v for n in range(4) for v in medium(f"q{n}", (1,), place=PLACES[n % 2])]
    found = made(
        evaluation(tmp_path, "a", "easy", closed, told(0.01)),
        evaluation(tmp_path, "b", "easy", closed, told(0.02)),
        evaluation(tmp_path, "a", "medium", other, told(0.03)),
    )
    assert [(d.mode, d.family, d.p_holm) for d in found.gaps] == [
        ("easy", 2, 0.02),
        ("easy", 2, 0.02),
        ("medium", 1, 0.03),
    ]
