"""Do models find the same regions hard, and does the verdict hang on the weights?"""

from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from mores.analysis.results import Result
from mores.benchmarks.cultureforest.analysis import CultureForest, cultureforest
from mores.benchmarks.shapes.regions.region_scores import ModelAgreement
from mores.core.verdict import Graded
from mores.tables.missing_texts import format_missing
from tests.reports.regime_cells import easy, evaluation, hard, medium, results

PLACES = ("JP", "NG", "BR", "DE", "IN", "ID")
KEPT, OPEN, BROKEN = (1, 0, 0), (0, 1, 0), (0, 0, 1)


def made(*evaluations: Result) -> CultureForest:
    found = cultureforest(results(*evaluations))
    assert found is not None
    return found


def ranked(folder: Path, model: str, right: Sequence[int], domain: str = "family") -> Result:
    """Ten questions a place, of which so many are right in each."""
    pairs = zip(PLACES, right, strict=False)
    verdicts = [
        v
        for place, many in pairs
        for n in range(10)
        for v in medium(f"{place}{n}", (n < many,), place=place, domain=domain)
    ]
    return evaluation(folder, model, "medium", verdicts)


def agreed(*evaluations: Result) -> ModelAgreement:
    (found,) = made(*evaluations).agreements
    return found


def test_models_with_one_ranking_agree_wholly(tmp_path: Path) -> None:
    found = agreed(ranked(tmp_path, "a", (1, 2, 3, 4, 5, 6)), ranked(tmp_path, "b", (2, 3, 5, 7, 8, 9)))
    assert found.whole.consensus.value == pytest.approx(1)
    assert found.whole.polarization.value == 0
    assert (found.whole.consensus.asked, found.whole.regions, found.whole.a_region) == (1, 6, 10)


def test_consensus_is_the_mean_and_polarization_the_range_over_pairs(tmp_path: Path) -> None:
    # b is a's ranking, c turned round: correlations 1, -1 and -1.
    one, turned = (1, 2, 3, 4, 5, 6), (6, 5, 4, 3, 2, 1)
    found = agreed(*(ranked(tmp_path, name, of) for name, of in (("a", one), ("b", one), ("c", turned))))
    assert found.whole.consensus.value == pytest.approx(-1 / 3)
    assert found.whole.polarization.value == pytest.approx(2)
    assert (found.whole.least, found.whole.most) == pytest.approx((-1, 1))
    assert found.means == pytest.approx((0, 0, -1))


def test_too_few_regions_for_an_interval_is_said(tmp_path: Path) -> None:
    found = agreed(ranked(tmp_path, "a", (1, 2, 3, 4, 5, 6)), ranked(tmp_path, "b", (1, 2, 3, 4, 5, 6)))
    assert found.whole.consensus.low is None
    assert format_missing(found.whole.consensus.missing).startswith("too few regions: 6")


@pytest.mark.parametrize("regions", [2, 4])
def test_under_five_regions_nothing_is_said(tmp_path: Path, regions: int) -> None:
    evaluations = (ranked(tmp_path, name, range(1, regions + 1)) for name in "ab")
    assert made(*evaluations).agreements == ()


def test_one_model_agrees_with_nobody(tmp_path: Path) -> None:
    assert made(ranked(tmp_path, "a", (1, 2, 3, 4, 5, 6))).agreements == ()


def test_a_model_that_stands_apart_is_named(tmp_path: Path) -> None:
    alike = dict.fromkeys("abcde", (1, 2, 3, 4, 5, 6))
    found = agreed(*(ranked(tmp_path, name, of) for name, of in {**alike, "odd": (6, 5, 4, 3, 2, 1)}.items()))
    assert found.outliers == ("odd",)
    assert found.fence is not None
    # The five have mean (4 - 1) / 5 = .6, the odd one -1; the quartiles are both .6.
    assert found.fence == pytest.approx(0.6)


def test_with_three_models_no_outlier_is_named(tmp_path: Path) -> None:
    found = agreed(*(ranked(tmp_path, name, (1, 2, 3, 4, 5, 6)) for name in "abc"))
    assert (found.fence, found.outliers) == (None, ())


def test_a_model_that_is_the_same_everywhere_has_no_correlation(tmp_path: Path) -> None:
    rows = {"a": (1, 2, 3, 4, 5, 6), "b": (2, 3, 4, 5, 6, 7), "flat": (5,) * 6}
    found = agreed(*(ranked(tmp_path, name, of) for name, of in rows.items()))
    assert found.correlations[0] == pytest.approx((1, 1, None))
    assert found.means[2] is None
    assert found.whole.consensus.graded == 1
    assert found.whole.consensus.value == pytest.approx(1)


def test_domains_are_broken_down_where_there_are_several(tmp_path: Path) -> None:
    verdicts = [
        v
        for number, place in enumerate(PLACES)
        for domain in ("family", "greetings")
        for n in range(9)
        for v in medium(f"{place}{domain}{n}", (n <= number,), place=place, domain=domain)
    ]
    found = agreed(evaluation(tmp_path, "a", "medium", verdicts), evaluation(tmp_path, "b", "medium", verdicts))
    assert [row.domain for row in found.rows] == ["", "family", "greetings"]
    assert [row.a_region for row in found.rows] == [18, 9, 9]
    assert all(row.consensus.value == pytest.approx(1) for row in found.rows)


def test_open_answers_are_ranked_in_both_forms(tmp_path: Path) -> None:
    # All keep to all norms, so that by the adjusted score regions are alike and nothing can be ranked; the paper's
    # score ranks them by how strict their norms are.
    strict = {"JP": "no", "NG": "sometimes", "BR": "no", "DE": "sometimes", "IN": "no"}
    verdicts = [v for place, of in strict.items() for v in hard(place, [KEPT] * 3, place=place, strict=of)]
    found = made(evaluation(tmp_path, "a", "hard", verdicts), evaluation(tmp_path, "b", "hard", verdicts))
    adjusted, paper = found.agreements
    assert (adjusted.form, adjusted.whole.consensus.value) == ("adjusted", None)
    assert paper.form == "paper"
    assert paper.whole.consensus.value == pytest.approx(1)


def test_rankings_that_no_weight_turns_are_steady(tmp_path: Path) -> None:
    good = [v for n in range(8) for v in hard(f"q{n}", [KEPT] * 3)]
    bad = [v for n in range(8) for v in hard(f"q{n}", [BROKEN] * 3)]
    (found,) = made(evaluation(tmp_path, "a", "hard", good), evaluation(tmp_path, "b", "hard", bad)).steadiness
    assert (found.settings, found.pairs, found.slots) == (81, 3240, 24)
    assert found.models_least == pytest.approx(1)
    assert found.regions_least is None
    assert format_missing(found.missing["regions"]).startswith("81 of 81")


def test_a_ranking_that_a_weight_turns_is_not(tmp_path: Path) -> None:
    # a leaves all open: -beta. b keeps to 3 of 8 and breaks 5: -.25. They change places at beta = .25.
    left = [v for n in range(8) for v in hard(f"q{n}", [OPEN] * 3)]
    mixed = [v for n in range(8) for v in hard(f"q{n}", [KEPT if n < 3 else BROKEN] * 3)]
    (found,) = made(evaluation(tmp_path, "a", "hard", left), evaluation(tmp_path, "b", "hard", mixed)).steadiness
    assert found.models_least == pytest.approx(-1)


def test_only_what_all_models_answered_is_weighed(tmp_path: Path) -> None:
    few = [v for n in range(4) for v in hard(f"q{n}", [KEPT] * 3)]
    many = [v for n in range(2, 9) for v in hard(f"q{n}", [OPEN] * 3)]
    (found,) = made(evaluation(tmp_path, "a", "hard", few), evaluation(tmp_path, "b", "hard", many)).steadiness
    assert found.slots == 6


def test_one_model_has_no_ranking(tmp_path: Path) -> None:
    assert made(evaluation(tmp_path, "a", "hard", hard("q", [KEPT] * 3))).steadiness == ()
    assert made(evaluation(tmp_path, "a", "easy", easy("q", (1,)))).steadiness == ()


def test_verdicts_counted_from_words_are_not_ranked_with_probabilities(tmp_path: Path) -> None:
    soft = [v for n in range(8) for v in hard(f"q{n}", [KEPT] * 3)]
    words = [replace(v, ballot=replace(v.ballot, hard=True)) for v in soft if isinstance(v, Graded) and v.ballot]
    evaluations = (
        evaluation(tmp_path, "a", "hard", soft),
        evaluation(tmp_path, "b", "hard", soft),
        evaluation(tmp_path, "w", "hard", words),
    )
    found = made(*evaluations)
    assert found.steadiness[0].names == ("a", "b")
    assert found.steadiness[0].left_out == ("w",)
    assert [scores.open is not None and scores.open.counted for scores in found.levels.models] == [False, False, True]
