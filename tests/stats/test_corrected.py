"""A judge's mean put right with people's labels."""

import time

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mores.core.errors import InputError
from mores.stats import (
    Corrected,
    Interval,
    JudgedUnits,
    JudgeRates,
    LabelledUnits,
    design_effect,
    label_checks,
    prediction_powered,
    rogan_gladen,
    rogan_gladen_rates,
    wilson,
)

Values = npt.NDArray[np.float64]
# Labels and the judge's verdicts on them, 11: 72, 10: 8, 01: 3, 00: 17, and 1,000 more verdicts, 735 of them 1.
LABELS = np.repeat([1.0, 1, 0, 0], [72, 8, 3, 17])
SEEN = np.repeat([1.0, 0, 1, 0], [72, 8, 3, 17])
GUESSES = np.repeat([1.0, 0], [735, 265])
EXAMPLE = JudgeRates(rate=0.735, judged=1000, sensitivity=0.9, yes=80, specificity=0.85, no=20)


def ends(interval: Interval) -> tuple[float, float]:
    assert interval.low is not None, interval.why
    assert interval.high is not None
    return interval.low, interval.high


def powered(guesses: npt.ArrayLike, seen: npt.ArrayLike, labels: npt.ArrayLike, lam: float | None = None) -> Corrected:
    return prediction_powered(
        JudgedUnits(values=guesses, clusters="independent"),
        LabelledUnits(values=seen, labels=labels, clusters="independent"),
        lam=lam,
    )


def drawn(dice: np.random.Generator, n: int, share: float, right: tuple[float, float]) -> tuple[Values, Values]:
    """Labels and verdicts of a judge with this sensitivity and specificity."""
    labels = (dice.random(n) < share).astype(float)
    hit = dice.random(n) < np.where(labels == 1, *right)
    return labels, np.where(hit, labels, 1 - labels)


def test_the_worked_example_is_that_of_the_textbook_to_the_digit() -> None:
    found = powered(GUESSES, SEEN, LABELS)
    assert found.lam == pytest.approx((0.56143,), abs=5e-6)
    assert found.corrected.value == pytest.approx(0.79158, abs=5e-6)
    assert ends(found.corrected.interval) == pytest.approx((0.73262, 0.85054), abs=5e-6)
    whole = powered(GUESSES, SEEN, LABELS, lam=1).corrected
    assert whole.value == pytest.approx(0.785)
    assert ends(whole.interval) == pytest.approx((0.71516, 0.85484), abs=5e-6)


def test_points_are_corrected_as_the_reference_does() -> None:
    """Figures of ppi-python 0.2.3, run once on the same numbers."""
    i = np.arange(60)
    labels = 7.0 * i % 11
    seen, guesses = labels + (5 * i) % 3, 3.0 * np.arange(300) % 13
    found = powered(guesses, seen, labels).corrected
    assert found.value == pytest.approx(4.99420562, abs=1e-8)
    assert ends(found.interval) == pytest.approx((4.56030892, 5.42810233), abs=1e-8)
    narrow = prediction_powered(
        JudgedUnits(values=guesses, clusters="independent"),
        LabelledUnits(values=seen, labels=labels, clusters="independent"),
        lam=0.5,
        confidence=0.9,
    )
    assert ends(narrow.corrected.interval) == pytest.approx((4.59968048, 5.39698619), abs=1e-8)


def test_the_uncorrected_and_the_people_alone_stand_beside() -> None:
    found = powered(GUESSES, SEEN, LABELS)
    assert found.uncorrected.value == pytest.approx(810 / 1100)
    assert ends(found.uncorrected.interval) == pytest.approx(ends(wilson(810, 1100)))
    assert found.people.value == 0.8
    assert ends(found.people.interval) == pytest.approx(ends(wilson(80, 100)))
    assert (found.judged, found.labelled, found.labelled_clusters) == (1000, 100, 100)


def test_lambda_zero_is_labels_alone_and_a_useless_judge_gets_it() -> None:
    none = powered(GUESSES, SEEN, LABELS, lam=0)
    assert none.corrected == none.people
    against = powered(1 - GUESSES, 1 - SEEN, LABELS)
    assert against.lam == pytest.approx((0,))
    assert against.corrected.value == 0.8
    constant = powered(np.ones(1000), np.ones(100), LABELS)
    assert constant.lam == pytest.approx((0,))


units = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=12, max_size=60)


@settings(max_examples=40)
@given(units, st.integers(1, 200), st.integers(0, 99))
def test_order_does_not_matter_and_a_share_stays_one(pairs: list[tuple[int, int]], judged: int, seed: int) -> None:
    labels, seen = (np.array(column, dtype=float) for column in zip(*pairs, strict=True))
    dice = np.random.default_rng(seed)
    guesses = dice.integers(0, 2, judged).astype(float)
    order = dice.permutation(labels.size)
    one, other = powered(guesses, seen, labels), powered(guesses[::-1], seen[order], labels[order])
    assert other.corrected.value == pytest.approx(one.corrected.value)
    if one.corrected.interval.low is not None:
        low, high = ends(one.corrected.interval)
        assert ends(other.corrected.interval) == pytest.approx((low, high))
        assert 0 <= low < high <= 1
    flipped = powered(1 - guesses, 1 - seen, 1 - labels)
    assert flipped.corrected.value == pytest.approx(1 - one.corrected.value)
    assert all(0 <= lam <= 1 for lam in one.lam)


def test_a_judge_seen_always_right_is_not_taken_for_one() -> None:
    labels = np.repeat([1.0, 0], [85, 15])
    found = powered(np.repeat([1.0, 0], [85_000, 15_000]), labels, labels).corrected
    assert found.value == pytest.approx(0.85, abs=1e-4)
    assert found.interval.method == "PPI++, half a cluster each way"
    low, high = ends(found.interval)
    assert 0.01 < high - low < 0.06


def test_few_labels_take_the_quantile_of_t() -> None:
    dice = np.random.default_rng(0)
    seen, guesses = dice.normal(size=40), dice.normal(size=400)
    labels = seen + dice.normal(size=40)
    found = powered(guesses, seen, labels, lam=0.5).corrected
    variance = np.var(labels - 0.5 * seen, ddof=1) / 40 + 0.25 * np.var(guesses) / 400
    half = 2.022691 * np.sqrt(variance)  # t with 39 degrees of freedom at .975
    assert ends(found.interval) == pytest.approx((found.value - half, found.value + half), abs=1e-6)


def test_too_few_labels_are_refused_and_it_says_so() -> None:
    seven = powered(GUESSES, SEEN[::15][:7], LABELS[::15][:7])
    assert seven.corrected.interval.why == "too few clusters: 7, at least 8 are needed"
    one = powered(GUESSES, [1], [1])
    assert one.corrected.why == (
        "1 labelled clusters and 1000 judged units; at least 2 and 1 are needed in every stratum"
    )
    assert one.uncorrected.value == pytest.approx(736 / 1001)
    assert one.lam == ()
    assert powered([], [], []).uncorrected.why == "nothing graded"


def test_figures_that_do_not_vary_have_no_interval() -> None:
    found = powered(np.full(50, 2.5), np.full(20, 2.5), np.full(20, 3.0), lam=1)
    assert found.corrected.value == pytest.approx(3)
    assert found.corrected.interval.why == "figures and labels do not vary"


def test_labels_of_one_episode_are_not_independent() -> None:
    copies = np.repeat(np.arange(100), 5)
    found = prediction_powered(
        JudgedUnits(values=GUESSES, clusters="independent"),
        LabelledUnits(values=SEEN[copies], labels=LABELS[copies], clusters=copies),
        lam=1,
    ).corrected
    assert ends(found.interval) == pytest.approx(ends(powered(GUESSES, SEEN, LABELS, lam=1).corrected.interval))


def test_one_unit_a_cluster_is_independence() -> None:
    found = prediction_powered(
        JudgedUnits(values=GUESSES, clusters=[f"talk {n}" for n in range(1000)]),
        LabelledUnits(values=SEEN, labels=LABELS, clusters=[f"other {n}" for n in range(100)]),
    )
    assert found == powered(GUESSES, SEEN, LABELS)


def test_clusters_that_both_parts_share_are_one() -> None:
    """Each episode has one labelled unit and one judged: by hand, influences add up before they are squared."""
    dice = np.random.default_rng(1)
    base = dice.normal(size=200)
    labels, seen, guesses = base + dice.normal(size=200), base + dice.normal(size=200), base + dice.normal(size=200)
    found = prediction_powered(
        JudgedUnits(values=guesses, clusters=np.arange(200)),
        LabelledUnits(values=seen, labels=labels, clusters=np.arange(200)),
        lam=0.5,
    ).corrected
    rest, used = labels - 0.5 * seen, 0.5 * guesses
    influence = (rest - rest.mean() + used - used.mean()) / 200
    half = 1.959964 * np.sqrt(np.sum(influence**2))
    assert ends(found.interval) == pytest.approx((found.value - half, found.value + half), abs=1e-6)


def test_strata_are_weighed_by_their_units_or_as_told() -> None:
    place = np.repeat(["GE", "JP"], [500, 500])
    seen_at = np.tile(["GE", "JP"], 50)
    judged = JudgedUnits(values=GUESSES, clusters="independent", strata=place)
    labelled = LabelledUnits(values=SEEN, labels=LABELS, clusters="independent", strata=seen_at)
    found = prediction_powered(judged, labelled, lam=1)
    ge = GUESSES[:500].mean() + np.mean((LABELS - SEEN)[::2])
    jp = GUESSES[500:].mean() + np.mean((LABELS - SEEN)[1::2])
    assert found.corrected.value == pytest.approx((ge + jp) / 2)
    told = prediction_powered(judged, labelled, weights=[1, 3], lam=1)
    assert told.corrected.value == pytest.approx(0.25 * ge + 0.75 * jp)
    assert len(found.lam) == 2
    best = prediction_powered(judged, labelled)
    assert best.lam[0] != best.lam[1]  # fifty labels each: its own


def test_strata_with_few_labels_share_one_lambda() -> None:
    place, seen_at = np.arange(1000) % 4, np.arange(100) % 4
    found = prediction_powered(
        JudgedUnits(values=GUESSES, clusters="independent", strata=place),
        LabelledUnits(values=SEEN, labels=LABELS, clusters="independent", strata=seen_at),
    )
    assert len(set(found.lam)) == 1
    assert found.lam[0] == pytest.approx(0.56, abs=0.06)


def test_a_stratum_without_labels_is_refused_by_name() -> None:
    found = prediction_powered(
        JudgedUnits(values=GUESSES, clusters="independent", strata=np.repeat(["GE", "JP"], 500)),
        LabelledUnits(values=SEEN, labels=LABELS, clusters="independent", strata=np.repeat("GE", 100)),
    )
    assert "0 labelled clusters and 500 judged units of 'JP'" in str(found.corrected.why)


@pytest.mark.parametrize(
    ("judged", "labelled", "says"),
    [
        (JudgedUnits(values=[1], clusters=[0, 1]), LabelledUnits(values=[1], labels=[1], clusters=[0]), "clusters"),
        (JudgedUnits(values=[1], clusters=[0]), LabelledUnits(values=[1], labels=[1, 0], clusters=[0]), "the people's"),
        (
            JudgedUnits(values=[1], clusters="alone"),
            LabelledUnits(values=[1], labels=[1], clusters=[0]),
            "clusters are 'alone'",
        ),
        (
            JudgedUnits(values=[1], clusters="independent"),
            LabelledUnits(values=[1], labels=[1], clusters=[0, 1]),
            "clusters and values",
        ),
        (
            JudgedUnits(values=[1], clusters=[0], strata=["GE"]),
            LabelledUnits(values=[1], labels=[1], clusters=[0]),
            "only one of judged and labelled units has strata",
        ),
    ],
)
def test_parts_that_do_not_fit_are_refused(judged: JudgedUnits, labelled: LabelledUnits, says: str) -> None:
    with pytest.raises(InputError, match=says):
        prediction_powered(judged, labelled)


def test_a_lambda_or_weight_that_cannot_be_is_refused() -> None:
    judged = JudgedUnits(values=GUESSES, clusters="independent")
    labelled = LabelledUnits(values=SEEN, labels=LABELS, clusters="independent")
    with pytest.raises(InputError, match=r"lam is 1\.5"):
        prediction_powered(judged, labelled, lam=1.5)
    with pytest.raises(InputError, match="The least weight is 0"):
        prediction_powered(judged, labelled, weights=[0])


COVERED = [
    # share, sensitivity and specificity, labelled, judged; the least and most that the interval may cover
    (0.85, (0.91, 0.88), 200, 2000, 0.93, 0.96),
    (0.85, (0.91, 0.88), 50, 2000, 0.93, 0.97),
    (0.85, (0.91, 0.88), 30, 500, 0.93, 0.97),
    (0.85, (0.7, 0.7), 200, 2000, 0.93, 0.96),
    (0.85, (0.99, 0.99), 100, 20000, 0.95, 1.0),
    (0.97, (0.9, 0.9), 100, 2000, 0.93, 0.97),
]


def covered(share: float, right: tuple[float, float], n: int, judged: int, draws: int) -> tuple[float, float, float]:
    """Coverage, root mean squared error, and the coverage of the judge's own mean."""
    dice = np.random.default_rng(n + judged)
    held, off, naive = 0, 0.0, 0
    for _ in range(draws):
        labels, seen = drawn(dice, n, share, right)
        found = powered(drawn(dice, judged, share, right)[1], seen, labels)
        low, high = ends(found.corrected.interval)
        held, off = held + (low <= share <= high), off + (found.corrected.value - share) ** 2
        low, high = ends(found.uncorrected.interval)
        naive += low <= share <= high
    return held / draws, float(np.sqrt(off / draws)), naive / draws


@pytest.mark.parametrize(("share", "right", "n", "judged", "least", "most"), COVERED)
def test_the_mean_that_people_would_give_is_covered(
    share: float, right: tuple[float, float], n: int, judged: int, least: float, most: float
) -> None:
    """600 draws: three standard errors are .027."""
    found = covered(share, right, n, judged, 600)[0]
    assert least - 0.027 <= found <= most + 0.027


@pytest.mark.soak
@pytest.mark.parametrize(("share", "right", "n", "judged", "least", "most"), COVERED)
def test_the_mean_that_people_would_give_is_covered_over_many_draws(
    share: float, right: tuple[float, float], n: int, judged: int, least: float, most: float
) -> None:
    """10,000 draws: three standard errors are .0065."""
    assert least - 0.0065 <= covered(share, right, n, judged, 10_000)[0] <= most + 0.0065


def test_errors_are_those_of_the_published_simulation_and_the_judge_alone_covers_nothing() -> None:
    """Share .85, judge .91 / .88: rmse .0190 with 200 labels, .0386 with 50; the judge alone is .059 off."""
    _, many, naive = covered(0.85, (0.91, 0.88), 200, 2000, 1000)
    _, few, _ = covered(0.85, (0.91, 0.88), 50, 2000, 1000)
    assert many == pytest.approx(0.019, abs=0.0015)
    assert few == pytest.approx(0.0386, abs=0.003)
    assert naive < 0.01


def test_labels_from_another_group_mislead_and_nothing_repairs_it() -> None:
    """Judge .75 / .70 in what it judged, .93 / .93 in what was labelled: coverage .48 in the published simulation."""
    dice, held = np.random.default_rng(5), 0
    for _ in range(400):
        labels, seen = drawn(dice, 200, 0.85, (0.93, 0.93))
        low, high = ends(powered(drawn(dice, 2000, 0.85, (0.75, 0.7))[1], seen, labels).corrected.interval)
        held += low <= 0.85 <= high
    assert held / 400 < 0.65


def test_clustered_labels_are_covered_and_naive_ones_are_not() -> None:
    """Sixty labelled episodes of eight units, easy and hard to judge: 300 draws, three standard errors are .038."""
    dice, honest, naive, truth = np.random.default_rng(6), 0, 0, 0.6

    def episodes(count: int) -> tuple[Values, Values, npt.NDArray[np.int64]]:
        of = np.repeat(np.arange(count), 8)
        share = dice.beta(3, 2, count)[of]
        labels = (dice.random(of.size) < share).astype(float)
        right = dice.random(of.size) < dice.choice([0.98, 0.6], count)[of]
        return labels, np.where(right, labels, 1 - labels), of

    for _ in range(300):
        labels, seen, of = episodes(60)
        _, guesses, others = episodes(300)
        low, high = ends(
            prediction_powered(
                JudgedUnits(values=guesses, clusters=others + 1000),
                LabelledUnits(values=seen, labels=labels, clusters=of),
            ).corrected.interval
        )
        honest += low <= truth <= high
        low, high = ends(powered(guesses, seen, labels).corrected.interval)
        naive += low <= truth <= high
    assert honest / 300 >= 0.945 - 0.038
    assert naive / 300 < 0.87


def test_a_million_judged_items_are_quick() -> None:
    """Under a second of processor time, in episodes of five and alone; a busy machine slows a try: one of five."""
    guesses = (np.random.default_rng(0).random(1_000_000) < 0.7).astype(float)
    episodes = np.arange(1_000_000) // 5
    for clusters in ("independent", episodes):
        judged = JudgedUnits(values=guesses, clusters=clusters)

        def seconds(judged: JudgedUnits = judged) -> float:
            start = time.process_time()
            prediction_powered(judged, LabelledUnits(values=SEEN, labels=LABELS, clusters="independent"))
            return time.process_time() - start

        assert any(seconds() < 1 for _ in range(5))


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
    assert why in str(found.corrected.why)
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
    dice, held = np.random.default_rng(7), 0
    for _ in range(1500):
        labels, seen = drawn(dice, 200, 0.85, (0.91, 0.88))
        guesses = drawn(dice, 2000, 0.85, (0.91, 0.88))[1]
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
    """Verdicts in places GE and JP, so many of each; the judge says yes more often in labelled units by the shift."""
    dice = np.random.default_rng(8)
    place, at = np.repeat(["GE", "JP"], judged), np.repeat(["GE", "JP"], labelled)
    return (
        JudgedUnits(values=dice.random(place.size) < 0.4, clusters="independent", strata=place),
        LabelledUnits(
            values=dice.random(at.size) < 0.4 + shift, labels=np.ones(at.size), clusters="independent", strata=at
        ),
    )


def test_a_random_sample_gives_no_warning() -> None:
    found = label_checks(*mixed([1000, 500], [100, 50]))
    assert found.warnings == found.unlabelled == found.foreign == ()
    assert found.mix_p > 0.5
    assert found.rate_p > 0.01


def test_another_mix_of_places_is_seen() -> None:
    found = label_checks(*mixed([1000, 500], [50, 100]))
    assert found.mix_p < 1e-6
    assert "weigh by strata" in found.warnings[0]


def test_another_rate_of_the_judge_is_seen_within_places() -> None:
    found = label_checks(*mixed([1000, 500], [100, 50], shift=0.3))
    assert found.rate_gap == pytest.approx(0.3, abs=0.1)
    assert found.rate_p < 0.001
    assert "no random sample" in found.warnings[0]


def test_places_on_one_side_only_are_named() -> None:
    judged, labelled = mixed([1000, 0], [100, 50])
    found = label_checks(judged, labelled)
    assert (found.unlabelled, found.foreign) == ((), ("JP",))
    assert "outside what was judged, which tell nothing of it: JP" in found.warnings[0]
    found = label_checks(*mixed([1000, 500], [100, 0]))
    assert found.unlabelled == ("JP",)
    assert "not corrected by these: JP" in found.warnings[0]


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
    dice, suspected = np.random.default_rng(9), 0
    for _ in range(400):
        share = dice.beta(1, 1, 240)
        verdicts = (dice.random((240, 6)) < share[:, None]).astype(float)
        episodes = np.repeat(np.arange(240), 6).reshape(240, 6)
        found = label_checks(
            JudgedUnits(values=verdicts[40:].ravel(), clusters=episodes[40:].ravel()),
            LabelledUnits(values=verdicts[:40].ravel(), labels=np.ones(240), clusters=episodes[:40].ravel()),
        )
        suspected += found.rate_p < 0.05
    assert suspected / 400 <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 400)
