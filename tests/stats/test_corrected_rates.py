"""A judge's rate put right with its errors, and signs that labels are of other units than were judged."""

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mores.core.errors import InputError
from mores.stats.clusters import design_effect
from mores.stats.intervals import Interval, wilson
from mores.stats.labelled_units import JudgedUnits, LabelledUnits, label_checks
from mores.stats.rogan_gladen import JudgeRates, rogan_gladen, rogan_gladen_rates
from mores.tables.missing_texts import format_caution, format_missing

Values = npt.NDArray[np.float64]
# Labels and the judge's verdicts on them, 11: 72, 10: 8, 01: 3, 00: 17, and 1,000 more verdicts, 735 of them 1.
LABELS = np.repeat([1.0, 1, 0, 0], [72, 8, 3, 17])
SEEN = np.repeat([1.0, 0, 1, 0], [72, 8, 3, 17])
GUESSES = np.repeat([1.0, 0], [735, 265])
EXAMPLE = JudgeRates(rate=0.735, judged=1000, sensitivity=0.9, yes=80, specificity=0.85, no=20)


def ends(interval: Interval) -> tuple[float, float]:
    assert interval.low is not None, interval.missing
    assert interval.high is not None
    return interval.low, interval.high


def drawn(rng: np.random.Generator, n: int, share: float, right: tuple[float, float]) -> tuple[Values, Values]:
    """Labels and verdicts of a judge with this sensitivity and specificity."""
    labels = (rng.random(n) < share).astype(float)
    hit = rng.random(n) < np.where(labels == 1, *right)
    return labels, np.where(hit, labels, 1 - labels)


# Rogan and Gladen.


def test_a_rate_is_corrected_as_in_the_worked_example() -> None:
    found = rogan_gladen_rates(EXAMPLE)
    assert found.corrected.value == pytest.approx(0.78)  # (.735 + .85 - 1) / .75
    assert found.se == pytest.approx(0.046, abs=5e-5)
    assert ends(found.corrected.interval) == pytest.approx((0.678, 0.873), abs=5e-4)
    assert found.youden == pytest.approx(0.75)
    arrays = rogan_gladen(
        JudgedUnits(values=GUESSES, clusters="independent"),
        LabelledUnits(values=SEEN, labels=LABELS, clusters="independent"),
    )
    assert arrays == found
    assert ends(found.uncorrected.interval) == pytest.approx(ends(wilson(735, 1000)))


@pytest.mark.parametrize(("judged", "corrected"), [(0.6915, 0.752), (0.135, 0.0197)])
def test_most_of_a_low_rate_may_be_the_judges_errors(judged: float, corrected: float) -> None:
    found = rogan_gladen_rates(JudgeRates(rate=judged, judged=450, sensitivity=0.88, yes=100, specificity=0.88, no=100))
    assert found.corrected.value == pytest.approx(corrected, abs=5e-4)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"sensitivity": 0.34}, "sensitivity + specificity - 1 is 0.19, under 0.2"),
        ({"yes": 9.0}, "9 units that people call yes; at least 10 are needed"),
        ({"no": 9.0}, "9 units that people call no"),
        ({"judged": 0.0, "rate": float("nan")}, "nothing graded"),
    ],
)
def test_what_the_data_cannot_carry_is_refused_beside_the_uncorrected(change: dict[str, float], why: str) -> None:
    rates = {"rate": 0.735, "judged": 1000.0, "sensitivity": 0.9, "yes": 80.0, "specificity": 0.85, "no": 20.0}
    found = rogan_gladen_rates(JudgeRates(**(rates | change)))
    assert np.isnan([found.corrected.value, found.raw, found.se]).all()
    assert why in format_missing(found.corrected.missing)
    if not np.isnan(change.get("rate", 0)):
        assert found.uncorrected.value == 0.735


@given(st.floats(0, 1), st.floats(0.65, 1), st.floats(0.65, 1), st.integers(10, 500), st.integers(10, 500))
def test_a_corrected_rate_lies_within_its_interval_and_it_within_bounds(
    rate: float, sensitivity: float, specificity: float, yes: int, no: int
) -> None:
    found = rogan_gladen_rates(
        JudgeRates(rate=rate, judged=1000, sensitivity=sensitivity, yes=yes, specificity=specificity, no=no)
    )
    low, high = ends(found.corrected.interval)
    assert 0 <= low <= high <= 1
    assert 0 <= found.corrected.value <= 1
    mirrored = rogan_gladen_rates(
        JudgeRates(rate=1 - rate, judged=1000, sensitivity=specificity, yes=no, specificity=sensitivity, no=yes)
    )
    assert mirrored.raw == pytest.approx(1 - found.raw)
    assert ends(mirrored.corrected.interval) == pytest.approx((1 - high, 1 - low), abs=1e-9)


def test_units_of_one_episode_count_as_fewer() -> None:
    copies = np.repeat(np.arange(100), 4)
    found = rogan_gladen(
        JudgedUnits(values=np.repeat(GUESSES, 2), clusters=np.repeat(np.arange(1000), 2)),
        LabelledUnits(values=SEEN[copies], labels=LABELS[copies], clusters=copies),
    )
    plain = rogan_gladen_rates(EXAMPLE)
    assert (found.judged, found.yes, found.no) == pytest.approx((1000, 80, 20), rel=0.01)
    assert ends(found.corrected.interval) == pytest.approx(ends(plain.corrected.interval), abs=2e-3)
    assert design_effect(SEEN[copies], copies).deff == pytest.approx(4)
    always = rogan_gladen(
        JudgedUnits(values=GUESSES, clusters="independent"),
        LabelledUnits(values=np.repeat([1.0, 0], 40), labels=np.repeat([1.0, 0], 40), clusters=np.arange(80) // 2),
    )
    assert (always.yes, always.no) == (20, 20)


@pytest.mark.parametrize(
    ("judged", "labelled", "says"),
    [
        ([0.5], ([1.0], [1.0]), "judged values has 0.5; expected 0 and 1 only"),
        ([1.0], ([1.0], [2.0]), "labels has 2"),
        ([1.0], ([1.0], [1.0, 0.0]), "the judge's and the people's labels"),
    ],
)
def test_only_yes_and_no_have_a_rate(judged: list[float], labelled: tuple[list[float], list[float]], says: str) -> None:
    with pytest.raises(InputError, match=says):
        rogan_gladen(
            JudgedUnits(values=judged, clusters="independent"),
            LabelledUnits(values=labelled[0], labels=labelled[1], clusters="independent"),
        )


def test_strata_are_corrected_one_by_one() -> None:
    with pytest.raises(InputError, match="there are strata"):
        rogan_gladen(
            JudgedUnits(values=[1.0], clusters="independent", strata=["GE"]),
            LabelledUnits(values=[1.0], labels=[1.0], clusters="independent", strata=["GE"]),
        )


@pytest.mark.parametrize("change", [{"rate": 1.1}, {"judged": -1.0}, {"sensitivity": float("nan")}])
def test_rates_that_cannot_be_are_refused(change: dict[str, float]) -> None:
    rates = {"rate": 0.735, "judged": 1000.0, "sensitivity": 0.9, "yes": 80.0, "specificity": 0.85, "no": 20.0}
    with pytest.raises(InputError, match="expected"):
        rogan_gladen_rates(JudgeRates(**(rates | change)))


def test_the_true_rate_is_covered() -> None:
    """Coverage .965 with 200 labels in the published simulation; 1,500 draws: three standard errors are .017."""
    rng, held = np.random.default_rng(7), 0
    for _ in range(1500):
        labels, seen = drawn(rng, 200, 0.85, (0.91, 0.88))
        guesses = drawn(rng, 2000, 0.85, (0.91, 0.88))[1]
        low, high = ends(
            rogan_gladen(
                JudgedUnits(values=guesses, clusters="independent"),
                LabelledUnits(values=seen, labels=labels, clusters="independent"),
            ).corrected.interval
        )
        held += low <= 0.85 <= high
    assert 0.95 - 0.017 <= held / 1500 <= 0.98 + 0.017


# Whether the labels are of the same units.


def mixed(judged: list[int], labelled: list[int], shift: float = 0.0) -> tuple[JudgedUnits, LabelledUnits]:
    """Verdicts in places, so many of each; the judge says yes more often in labelled units by the shift."""
    rng = np.random.default_rng(8)
    names = ["GE", "JP", *(f"P{number}" for number in range(2, len(judged)))]
    place, at = np.repeat(names, judged), np.repeat(names, labelled)
    return (
        JudgedUnits(values=rng.random(place.size) < 0.4, clusters="independent", strata=place),
        LabelledUnits(
            values=rng.random(at.size) < 0.4 + shift, labels=np.ones(at.size), clusters="independent", strata=at
        ),
    )


def test_a_random_sample_gives_no_warning() -> None:
    found = label_checks(*mixed([1000, 500], [100, 50]))
    assert (found.warnings, found.unlabelled, found.foreign) == ((), (), ())
    assert found.mix_p > 0.5
    assert found.rate_p > 0.01


def test_another_mix_of_places_is_seen() -> None:
    found = label_checks(*mixed([1000, 500], [50, 100]))
    assert found.mix_p < 1e-6
    assert "weigh by strata" in format_caution(found.warnings[0])


def test_labels_of_one_small_place_among_many_are_seen() -> None:
    """None of 70 places has five labels to be expected."""
    found = label_checks(*mixed([12] * 70, [0] * 69 + [40]))
    assert found.mix_p <= 0.001
    assert any("mixed otherwise" in format_caution(warning) for warning in found.warnings)


def test_a_fair_mix_of_many_small_places_is_rarely_suspected() -> None:
    """At most .05 of draws under p = .05 plus three standard errors."""
    rng, suspected = np.random.default_rng(8), 0
    for _ in range(200):
        labelled = rng.multivariate_hypergeometric([12] * 40, 60)
        suspected += label_checks(*mixed((12 - labelled).tolist(), labelled.tolist())).mix_p < 0.05
    assert suspected / 200 <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 200)


def test_another_rate_of_the_judge_is_seen_within_places() -> None:
    found = label_checks(*mixed([1000, 500], [100, 50], shift=0.3))
    assert found.rate_gap == pytest.approx(0.3, abs=0.1)
    assert found.rate_p < 0.001
    assert "no random sample" in format_caution(found.warnings[0])


def test_places_on_one_side_only_are_named() -> None:
    judged, labelled = mixed([1000, 0], [100, 50])
    found = label_checks(judged, labelled)
    assert (found.unlabelled, found.foreign) == ((), ("JP",))
    assert "outside what was judged, which tell nothing of it: JP" in format_caution(found.warnings[0])
    found = label_checks(*mixed([1000, 500], [100, 0]))
    assert found.unlabelled == ("JP",)
    assert "not corrected by these: JP" in format_caution(found.warnings[0])


def test_too_little_to_compare_is_no_sign_of_anything() -> None:
    found = label_checks(*mixed([4, 0], [3, 0]))
    assert np.isnan([found.mix_p, found.rate_p, found.rate_gap]).all()
    assert found.warnings == ()
    same = label_checks(
        JudgedUnits(values=np.ones(50), clusters="independent"),
        LabelledUnits(values=np.ones(20), labels=np.ones(20), clusters="independent"),
    )
    assert same.rate_p == 1


def test_a_fair_sample_of_episodes_is_rarely_suspected() -> None:
    """At most .05 of draws under p = .05 plus three standard errors, with units that hang together."""
    rng, suspected = np.random.default_rng(9), 0
    for _ in range(400):
        share = rng.beta(1, 1, 240)
        verdicts = (rng.random((240, 6)) < share[:, None]).astype(float)
        episodes = np.repeat(np.arange(240), 6).reshape(240, 6)
        found = label_checks(
            JudgedUnits(values=verdicts[40:].ravel(), clusters=episodes[40:].ravel()),
            LabelledUnits(values=verdicts[:40].ravel(), labels=np.ones(240), clusters=episodes[:40].ravel()),
        )
        suspected += found.rate_p < 0.05
    assert suspected / 400 <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 400)


def test_rates_of_units_that_count_unevenly_are_weighted_and_worth_fewer() -> None:
    own, lent = np.where(GUESSES == 1, 2.0, 1.0), np.where(LABELS == SEEN, 1.0, 3.0)
    found = rogan_gladen(
        JudgedUnits(values=GUESSES, clusters=np.arange(GUESSES.size), weights=own),
        LabelledUnits(values=SEEN, labels=LABELS, clusters=np.arange(SEEN.size), weights=lent),
    )
    assert found.uncorrected.value == pytest.approx(735 * 2 / (735 * 2 + 265))
    assert found.sensitivity == pytest.approx(72 / (72 + 8 * 3))
    assert found.specificity == pytest.approx(17 / (17 + 3 * 3))
    assert found.yes < 80
    assert found.no < 20
    assert found.judged < 1000


def test_a_fair_sample_of_a_judge_that_nearly_always_says_yes_is_no_other_population() -> None:
    """Of 39 labels all may well be yes; that they do not vary does not make them another population."""
    rng, alarms = np.random.default_rng(6), 0
    for _ in range(200):
        said = (rng.random((60, 30)) < 0.96).astype(float)
        days = rng.choice(60, 39, replace=False)
        seen = said[days, rng.integers(0, 30, 39)]
        judged = JudgedUnits(values=said.ravel(), clusters=np.repeat(np.arange(60), 30), weights=np.ones(1800))
        found = label_checks(judged, LabelledUnits(values=seen, labels=seen, clusters=days, weights=np.ones(39)))
        alarms += found.rate_p < 0.01
    assert alarms <= 6


def test_labels_of_things_that_the_judge_turned_down_are_another_population() -> None:
    judged = JudgedUnits(values=np.repeat([1.0, 0.0], [900, 100]), clusters="independent")
    seen = np.repeat([1.0, 0.0], [24, 15])
    assert label_checks(judged, LabelledUnits(values=seen, labels=seen, clusters="independent")).rate_p < 0.01
