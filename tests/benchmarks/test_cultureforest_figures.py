"""CultureForest's own figures, against their definitions and by hand, and what is planted found again."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mores.benchmarks import catalogue
from mores.benchmarks.benchmark import summarise
from mores.core.card import READINGS
from mores.core.estimate import Estimate
from mores.core.transcript import ItemMetadata
from mores.core.verdict import Fault, Graded, Ungraded, Verdict
from mores.core.verdict_table import VerdictTable
from mores.stats.gaps import region_gap
from mores.tables.missing_texts import format_missing
from tests.benchmarks.plays import Open, figure, figures_of, setting_of
from tests.benchmarks.test_cultureforest import EASY, KNOWLEDGE, MEDIUM, Row, forest, norm_row, question_row
from tests.stats.by_definition import medium_outcomes, norms_possessed, region_trials, trial_scores

CODES = {1: (1.0, None), 0: (0.0, None), -1: (0.0, "format_error"), -2: (0.0, "refusal")}
"""Outcomes: 1 right, 0 wrong, -1 unread, and -2 for a refusal; None is ungraded."""


def verdict(about: ItemMetadata, sample: int, code: int | None, gold: str = "true") -> Iterator[Verdict]:
    for task in READINGS:
        if code is None:
            yield Ungraded(about=about, sample=sample, task=task, cause="no connection", gold=gold)
            continue
        points, fault = CODES[code]
        other = "false" if gold == "true" else "true"
        label = None if fault else gold if points else other
        kept: Fault | None = fault  # type: ignore[assignment]
        yield Graded(about=about, sample=sample, task=task, points=points, label=label, gold=gold, fault=kept)


def easy_verdicts(outcomes: Sequence[Sequence[int | None]], places: Sequence[str] | None = None) -> list[Verdict]:
    """Verdicts on easy questions from outcomes by sample."""
    found: list[Verdict] = []
    for q in range(len(outcomes[0])):
        place = places[q] if places else "JP"
        about = ItemMetadata(
            item=f"{q}-easy", unit=f"{q}-easy", cluster=f"c{q}", place=place, groups={"domain": "family"}
        )
        for sample, row in enumerate(outcomes):
            found += verdict(about, sample, row[q])
    return found


def medium_verdicts(said: Any) -> list[Verdict]:
    """Verdicts on medium questions from what was said, shape (samples, questions, 4): 1 true, 0 false, -1 unread."""
    found: list[Verdict] = []
    for q, option in product(range(len(said[0])), range(4)):
        gold = "true" if option == 3 else "false"
        about = ItemMetadata(item=f"{q}-medium-{option + 1}", unit=f"{q}-medium", cluster=f"c{q}", place="JP",
                      groups={"domain": "family"})  # fmt: skip
        for sample in range(len(said)):
            code = said[sample][q][option]
            right = -1 if code == -1 else int(code == (gold == "true"))
            found += verdict(about, sample, right, gold)
    return found


def norm_verdicts(norm: Any, negation: Any) -> list[Verdict]:
    """Verdicts on norms and negations, shape (samples, norms): 1 true, 0 false, -1 unread, None ungraded."""
    found: list[Verdict] = []
    for n, (gold, said) in product(range(len(norm[0])), (("true", norm), ("false", negation))):
        about = ItemMetadata(item=f"{n}-{gold}", unit=str(n), cluster=str(n), place="JP",
                      groups={"domain": "family", "strictness": "no"})  # fmt: skip
        for sample in range(len(said)):
            code = said[sample][n]
            right = code if code in (None, -1) else int(bool(code) == (gold == "true"))
            found += verdict(about, sample, right, gold)
    return found


def found_in(name: str, verdicts: Iterable[Verdict]) -> tuple[Estimate, ...]:
    benchmark = catalogue.load(name)
    return summarise(benchmark, VerdictTable(verdicts), setting_of(benchmark, None))


def value(estimates: Iterable[Estimate], metric: str) -> float | None:
    return figure(estimates, metric).value


def trials(estimates: tuple[Estimate, ...]) -> tuple[float | None, ...]:
    return tuple(value(estimates, name) for name in ("accuracy", "accuracy_passed", "format_share_of_errors"))


same: Callable[[float], Any] = partial(pytest.approx, abs=1e-9)


def as_number(share: float) -> Any:
    """What an estimate says of a share: NaN is no figure."""
    return None if np.isnan(share) else same(share)


outcomes = st.integers(1, 6).flatmap(
    lambda n: st.lists(st.lists(st.sampled_from([1, 0, -1]), min_size=n, max_size=n), min_size=3, max_size=3)
)


@given(outcomes)
def test_mean_pass_and_errors_of_form_are_those_by_definition(codes: list[list[int]]) -> None:
    found, expected = found_in(EASY, easy_verdicts(codes)), trial_scores(np.array(codes))
    assert trials(found) == (same(expected[0]), same(expected[1]), as_number(expected[2]))


@given(st.integers(1, 4).flatmap(lambda n: st.lists(st.sampled_from([1, 0, 0, -1]), min_size=12 * n, max_size=12 * n)))
def test_a_medium_answer_is_right_by_all_four_of_its_sample_or_not_at_all(flat: list[int]) -> None:
    said = np.array(flat).reshape(3, -1, 4)
    found, expected = found_in(MEDIUM, medium_verdicts(said.tolist())), trial_scores(medium_outcomes(said))
    assert trials(found) == (same(expected[0]), same(expected[1]), as_number(expected[2]))


def test_samples_of_the_four_judgements_are_not_mixed() -> None:
    # Each sample has another wrong judgement: every judgement is right twice of three, no sample is right.
    said = [[[1, 0, 0, 1]], [[0, 1, 0, 1]], [[0, 0, 1, 1]]]
    found = found_in(MEDIUM, medium_verdicts(said))
    assert value(found, "accuracy") == value(found, "accuracy_passed") == 0
    assert value(found, "item_accuracy") == same(9 / 12)


def test_passing_by_hand_with_an_ungraded_sample() -> None:
    # Passed for sure; not passed for sure; open: wrong twice and unknown once; open: unknown throughout.
    codes: list[list[int | None]] = [[1, 0, 0, None], [None, 0, 0, None], [0, -1, None, None]]
    found = figure(found_in(EASY, easy_verdicts(codes)), "accuracy_passed")
    assert (found.value, found.asked, found.graded) == (0.5, 4, 2)
    assert (found.worst, found.best) == (0.25, 0.75)


def test_errors_of_form_by_hand() -> None:
    # Sample 1: two errors, one of form. Sample 2: one error, a refusal. Sample 3: no error. Mean of 1/2 and 1.
    found = figure(found_in(EASY, easy_verdicts([[0, -1, 1], [1, -2, 1], [1, 1, 1]])), "format_share_of_errors")
    assert (found.value, found.worst, found.best) == (0.75, 0.75, 0.75)
    assert (found.asked, found.graded) == (3, 3)


def test_the_interval_of_errors_of_form_weighs_samples_alike_as_the_figure_does() -> None:
    # Thirty errors of content in one sample, ten of form in the other: a half of both, a quarter of all.
    codes = [[0] * 30 + [1] * 10, [1] * 30 + [-1] * 10]
    found = figure(found_in(EASY, easy_verdicts(codes)), "format_share_of_errors")
    assert found.value == 0.5
    assert found.low is not None
    assert found.high is not None
    assert 0.25 < found.low <= 0.5 <= found.high < 0.75


def test_an_ungraded_answer_bounds_the_share_of_errors_of_form() -> None:
    # One error of content and one unknown: half at worst, none at best.
    found = figure(found_in(EASY, easy_verdicts([[0, None, 1]])), "format_share_of_errors")
    assert (found.value, found.worst, found.best) == (0, 0.5, 0)
    clean = figure(found_in(EASY, easy_verdicts([[1, 1]])), "format_share_of_errors")
    assert (clean.value, format_missing(clean.missing), clean.graded) == (None, "no errors", 2)


@given(st.lists(st.sampled_from(["JP", "DE", "NG"]), min_size=6, max_size=6), outcomes)
def test_places_lie_as_far_apart_as_by_definition(places: list[str], codes: list[list[int]]) -> None:
    width = len(codes[0])
    expected = region_trials(np.array(codes), places[:width])
    found = found_in(EASY, easy_verdicts(codes, places[:width]))
    several = len(set(places[:width])) > 1
    assert value(found, "region_std") == (same(expected.std / 100) if several else None)
    assert value(found, "region_gap") == (same(expected.gap / 100) if several else None)
    if not several:
        assert format_missing(figure(found, "region_gap_null").missing) == "fewer than two places"


def test_gaps_are_told_of_the_whole_alone() -> None:
    found = found_in(EASY, easy_verdicts([[1, 0, 1]], ["JP", "DE", "NG"]))
    assert all(not e.group for e in found if e.metric.startswith("region_"))


def spread_out(rates: dict[str, float], size: int) -> tuple[Estimate, Estimate]:
    """Gap and its null where so many questions of each place are right so often."""
    rng = np.random.default_rng(5)
    places = [place for place in rates for _ in range(size)]
    codes = [[int(rng.uniform() < rates[place]) for place in places] for _ in range(3)]
    found = found_in(EASY, easy_verdicts(codes, places))
    return figure(found, "region_gap"), figure(found, "region_gap_null")


def p_of(gap: Estimate) -> float:
    return float(format_missing(gap.missing).removeprefix("p = ").partition(":")[0])


def test_a_gap_that_is_chance_is_near_its_null_and_a_true_one_is_not() -> None:
    names = ("JP", "DE", "NG", "MX", "PL", "PE")
    alike, alike_null = spread_out(dict.fromkeys(names, 0.6), 40)
    apart, apart_null = spread_out({name: 0.3 + 0.1 * n for n, name in enumerate(names)}, 40)
    assert alike.value is not None
    assert apart.value is not None
    # Six means of 40 questions in three samples: standard error .045, expected range 2.53 of it.
    assert alike_null.value == pytest.approx(0.113, abs=0.03)
    assert abs(alike.value - (alike_null.value or 0)) < 0.08
    assert p_of(alike) > 0.05
    assert apart.value > 0.35 > 0.25 > (apart_null.value or 1)
    assert p_of(apart) < 0.01


said_of_norms = st.integers(1, 6).flatmap(
    lambda n: st.lists(st.lists(st.sampled_from([1, 0, -1]), min_size=n, max_size=n), min_size=6, max_size=6)
)


@given(said_of_norms)
def test_a_norm_is_possessed_as_the_statistics_room_says(said: list[list[int]]) -> None:
    norm, negation = said[:3], said[3:]
    found, expected = found_in(KNOWLEDGE, norm_verdicts(norm, negation)), norms_possessed(norm, negation)
    assert value(found, "accuracy") == same(expected.share)
    assert value(found, "affirmed") == same(expected.affirmed)
    assert value(found, "denied") == same(expected.denied)


def test_the_majority_of_each_statement_counts_and_not_that_of_the_pairs() -> None:
    # Both statements are judged rightly in two of three samples, together only in one.
    found = found_in(KNOWLEDGE, norm_verdicts([[1], [1], [0]], [[1], [0], [0]]))
    assert value(found, "accuracy") == value(found, "affirmed") == value(found, "denied") == 1


def test_who_says_yes_to_everything_affirms_all_and_possesses_nothing() -> None:
    found = found_in(KNOWLEDGE, norm_verdicts([[1, 1]] * 3, [[1, 1]] * 3))
    assert [value(found, metric) for metric in ("accuracy", "affirmed", "denied")] == [0, 1, 0]


def test_an_ungraded_sample_of_a_norm_matters_only_where_it_could_decide() -> None:
    # Decided by two of three; open with one for and one against; lost with two against.
    norm: list[list[int | None]] = [[1, 1, 0], [1, 0, 0], [None, None, None]]
    found = found_in(KNOWLEDGE, norm_verdicts(norm, [[0, 0, 0]] * 3))
    for metric in ("accuracy", "affirmed"):
        affirmed = figure(found, metric)
        assert (affirmed.value, affirmed.asked, affirmed.graded) == (0.5, 3, 2)
        assert [affirmed.worst, affirmed.best] == [same(1 / 3), same(2 / 3)]


PLANTED = "simulated/typical:judge=.6,know=.6,format_error=.03"


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three places with 200 questions each, every bundle under two of them."""
    places: dict[str, Sequence[Row]] = {}
    norms: list[Row] = []
    for number, place in enumerate(("Japan", "Germany", "Nigeria")):
        rows = []
        for n in range(200):
            ids = [str(10_000 * number + 10 * (n // 2) + k) for k in range(3)]
            rows.append(question_row(f"{place}-{n}", ids, "ABCD"[n % 4]))
            if n % 2 == 0:
                norms += [norm_row(i, place, "No" if i.endswith("0") else "Sometimes") for i in ids]
        places[place] = rows
    return forest(tmp_path_factory.mktemp("cultureforest"), places, norms)


def planted_figures(name: str, data: Path, **changes: Any) -> tuple[Estimate, ...]:
    benchmark = catalogue.load(name)
    setting = setting_of(benchmark, data, **changes)
    return figures_of(benchmark, setting, benchmark.items(setting), Open(PLANTED))


# Known with .6, else a guess (1/4, or 1/16 for four of two); one answer in 33 cannot be read.
RIGHT = {EASY: 0.97 * (0.6 + 0.4 / 4), MEDIUM: 0.97**4 * (0.6 + 0.4 / 16)}


@pytest.mark.parametrize("name", [EASY, MEDIUM])
def test_planted_shares_are_recovered_within_their_intervals(name: str, large: Path) -> None:
    found = planted_figures(name, large)
    mean = figure(found, "accuracy")
    assert mean.asked == mean.graded == 600
    assert mean.low is not None
    assert mean.high is not None
    assert mean.low <= RIGHT[name] <= mean.high
    assert value(found, "format_error") == pytest.approx(0.03, abs=0.008)
    assert (value(found, "accuracy_passed") or 0) > (mean.value or 1)


def test_planted_best_of_three_is_recovered(large: Path) -> None:
    # A known question is right unless all three answers are spoiled, a guessed one with 1 - (1 - .97 / 4)³.
    found = figure(planted_figures(EASY, large), "accuracy_passed")
    expected = 0.6 * (1 - 0.03**3) + 0.4 * (1 - (1 - 0.97 / 4) ** 3)
    assert found.low is not None
    assert found.high is not None
    assert found.low <= expected <= found.high


def test_planted_knowledge_of_norms_is_recovered(large: Path) -> None:
    # A known statement has its majority unless two of three are spoiled; a guess is right with p = .97 / 2 each time.
    def most(p: float) -> float:
        return p**3 + 3 * p * p * (1 - p)

    found = planted_figures(KNOWLEDGE, large)
    known, guessed = most(0.97), most(0.97 / 2)
    for metric, expected in (
        ("accuracy", 0.6 * known**2 + 0.4 * guessed**2),
        ("affirmed", 0.6 * known + 0.4 * guessed),
        ("denied", 0.6 * known + 0.4 * guessed),
    ):
        estimate = figure(found, metric)
        assert estimate.asked == 900
        assert estimate.low is not None
        assert estimate.high is not None
        assert estimate.low <= expected <= estimate.high


def test_a_place_that_is_known_less_opens_a_gap(large: Path) -> None:
    benchmark = catalogue.load(MEDIUM)
    setting = setting_of(benchmark, large)
    found = figures_of(benchmark, setting, benchmark.items(setting), Open("simulated/typical:judge=.8,NG=.2"))
    gap, null = figure(found, "region_gap"), figure(found, "region_gap_null")
    # 0.99⁴ of (.8 + .2 / 16) against (.2 + .8 / 16).
    assert gap.value == pytest.approx(0.99**4 * (0.6 - 0.6 / 16), abs=0.12)
    assert p_of(gap) < 0.01
    assert (null.value or 1) < 0.15


def test_guessing_possesses_a_quarter_of_the_norms(large: Path) -> None:
    benchmark = catalogue.load(KNOWLEDGE)
    setting = setting_of(benchmark, large)
    found = figures_of(benchmark, setting, benchmark.items(setting), Open("baseline/random"))
    assert value(found, "accuracy") == pytest.approx(benchmark.card.chance, abs=4 * (0.25 * 0.75 / 900) ** 0.5)
    assert value(found, "format_error") == 0


def test_the_three_figures_of_a_gap_are_of_the_same_deals(monkeypatch: pytest.MonkeyPatch) -> None:
    dealt = list[int]()

    def counted(*given: Any, permutations: int, **how: Any) -> Any:
        dealt.append(permutations)
        return region_gap(*given, permutations=permutations, **how)

    monkeypatch.setattr("mores.analysis.gaps.region_gap", counted)
    found_in(EASY, easy_verdicts([[0, -1, 1], [1, -2, 1], [1, 1, 1]]))
    assert dealt == [1000]
