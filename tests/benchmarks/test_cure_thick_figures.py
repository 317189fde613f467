"""Figures of explained labels: what is planted is found again, the four cells add up, length can be put right."""

import random
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mores.benchmarks import catalogue
from mores.benchmarks.benchmark import summarise
from mores.core.errors import InputError
from mores.core.estimate import Estimate
from mores.core.transcript import ItemMetadata
from mores.core.verdict import Fault, Graded, Ungraded, Verdict, VoteSummary
from mores.core.verdict_table import VerdictTable
from tests.benchmarks.plays import Open, figure, setting_of
from tests.benchmarks.thick import casa, normad, play, room

SEEDS, MANY = range(16), range(40)
COUNT = 100
KNOWS, SLIPS = 0.6, 0.05
GUESSES = 1 - KNOWS
ANSWERS = 1 - SLIPS


@pytest.fixture(scope="module")
def scenes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return normad(tmp_path_factory.mktemp("scenes") / "normad.csv", COUNT)


@pytest.fixture(scope="module")
def requests(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return casa(tmp_path_factory.mktemp("requests") / "casa.csv", COUNT)


@pytest.fixture(params=[SEEDS, pytest.param(MANY, marks=pytest.mark.soak)], ids=len)
def seeds(request: pytest.FixtureRequest) -> range:
    return request.param  # type: ignore[no-any-return]


def covered(
    seeds: range, name: str, data: Path, judge: str, truths: dict[str, float], scale: str = "continuous"
) -> tuple[float, dict[str, float]]:
    """Share of intervals, over seeds and metrics, that hold the planted figure; and each metric's mean over seeds."""
    benchmark, setting, items = room(name, data, scale=scale)
    held: list[bool] = []
    found: dict[str, list[float]] = {metric: [] for metric in truths}
    for seed in seeds:
        clients = {
            "subject": Open(f"simulated/typical:explain={KNOWS},format_error={SLIPS}", f"subject-{seed}"),
            "judge": Open(judge, f"judge-{seed}"),
        }
        played = play(benchmark, setting, items, clients)
        for metric, truth in truths.items():
            estimate = played.figure(metric)
            assert estimate.value is not None
            assert estimate.low is not None
            assert estimate.high is not None
            held.append(estimate.low <= truth <= estimate.high)
            found[metric].append(estimate.value)
    return sum(held) / len(held), {metric: float(np.mean(values)) for metric, values in found.items()}


def test_planted_labels_and_reasons_are_recovered_within_their_intervals(seeds: range, scenes: Path) -> None:
    """Who knows says the right label for reasons of .9; who does not, any of three labels for reasons of .9 or .2."""
    truths = {
        "accuracy": ANSWERS * (KNOWS + GUESSES / 3),
        "coverage": ANSWERS * (KNOWS * 0.9 + GUESSES * (0.9 + 0.2) / 2),
        "right_good": ANSWERS * (KNOWS + GUESSES / 6),
        "right_bad": ANSWERS * GUESSES / 6,
        "wrong_good": ANSWERS * GUESSES / 3,
        "wrong_bad": ANSWERS * GUESSES / 3 + SLIPS,
        "format_error": SLIPS,
    }
    share, means = covered(seeds, "cure/normad_thick", scenes, "simulated/judge:noise=.1,format_error=.02", truths)
    assert share >= 0.95 - 3 * (0.95 * 0.05 / len(seeds)) ** 0.5
    assert means == pytest.approx(truths, abs=0.03)  # about four standard errors over 40 × 100 answers


def test_a_judge_with_more_noise_keeps_the_mean(seeds: range, scenes: Path) -> None:
    truths = {"coverage": ANSWERS * (KNOWS * 0.9 + GUESSES * (0.9 + 0.2) / 2)}
    share, means = covered(seeds, "cure/normad_thick", scenes, "simulated/judge:noise=.3,format_error=0", truths)
    assert share >= 0.95 - 3 * (0.95 * 0.05 / len(seeds)) ** 0.5
    assert means == pytest.approx(truths, abs=0.03)


def test_on_the_binary_scale_the_share_is_that_of_the_judges_sensitivity_and_specificity(
    seeds: range, scenes: Path
) -> None:
    good = ANSWERS * (KNOWS + GUESSES / 2)
    truths = {"coverage": good * 0.8 + (1 - good) * (1 - 0.7)}
    judge = "simulated/judge:sensitivity=.8,specificity=.7,format_error=0"
    share, means = covered(seeds, "cure/normad_thick", scenes, judge, truths, scale="binary")
    assert share >= 0.95 - 3 * (0.95 * 0.05 / len(seeds)) ** 0.5
    assert means == pytest.approx(truths, abs=0.03)


def test_labels_that_a_judge_decides_are_as_good_as_the_judge(seeds: range, requests: Path) -> None:
    """A judge that errs names the other label; what takes no side is a no, as half of the right labels are."""
    right, wrong, sensitivity = ANSWERS * (KNOWS + GUESSES / 2), ANSWERS * GUESSES / 2, 0.9
    truths = {"accuracy": right * sensitivity + wrong * (1 - sensitivity) + SLIPS / 2}
    share, means = covered(
        seeds, "cure/casa_thick", requests, f"simulated/judge:sensitivity={sensitivity},format_error=0", truths
    )
    assert share >= 0.95 - 3 * (0.95 * 0.05 / len(seeds)) ** 0.5
    assert means == pytest.approx(truths, abs=0.03)


LABELS = ("yes", "no", "neutral")


@st.composite
def graded_answers(draw: st.DrawFn) -> tuple[Verdict, ...]:
    """Verdicts on labels and reasons that a run of NormAd might leave, some of them missing."""
    rng = random.Random(draw(st.integers(0, 2**32)))
    samples, broken = draw(st.integers(1, 3)), draw(st.sampled_from([0.0, 0.1, 0.6]))
    abouts = (
        ItemMetadata(item=f"n-{unit}", unit=f"n-{unit}", cluster=f"c-{unit // 2}", place=("JP", "DE", "NG")[unit % 3])
        for unit in range(draw(st.integers(1, 25)))
    )
    return tuple(
        verdict for about in abouts for sample in range(samples) for verdict in one_answer(rng, about, sample, broken)
    )


def one_answer(rng: random.Random, about: ItemMetadata, sample: int, broken: float) -> tuple[Verdict, Verdict]:
    gold, said = rng.choice(LABELS), rng.choice([*LABELS, None])
    fault: Fault | None = None if said else "format_error"
    label: Verdict = Graded(about=about, sample=sample, task="label", points=float(said == gold), label=said, gold=gold,
                            fault=fault)  # fmt: skip
    ballot = VoteSummary(votes=2, asked=3, words=rng.randint(1, 90), spread=rng.choice([None, 0.0, 0.1, 0.5]))
    reasons: Verdict = Graded(about=about, sample=sample, task="coverage", points=rng.choice([0.0, 0.3, 0.5, 1.0]),
                              ballot=ballot)  # fmt: skip
    if rng.random() < broken:
        label = Ungraded(about=about, sample=sample, task="label", cause="judge: tie", gold=gold)
    if rng.random() < broken:
        reasons = Ungraded(about=about, sample=sample, task="coverage", cause="judge: not JSON")
    return label, reasons


def summarised(verdicts: Sequence[Verdict]) -> tuple[Estimate, ...]:
    benchmark = catalogue.load("cure/normad_thick")
    return summarise(benchmark, VerdictTable(verdicts), setting_of(benchmark, None))


def slowly(verdicts: Sequence[Verdict], points: Callable[[Verdict, Verdict], float | None]) -> float | None:
    """A mean over units of the mean over their answers, read off verdict by verdict; None is no part of it."""
    of_unit: dict[str, list[float]] = {}
    for label, reasons in zip(verdicts[::2], verdicts[1::2], strict=True):
        value = points(label, reasons)
        if value is not None:
            of_unit.setdefault(label.about.item, []).append(value)
    means = [sum(values) / len(values) for values in of_unit.values()]
    return sum(means) / len(means) if means else None


def in_cell(right: bool, good: bool) -> Callable[[Verdict, Verdict], float | None]:
    def points(label: Verdict, reasons: Verdict) -> float | None:
        if isinstance(label, Ungraded) or isinstance(reasons, Ungraded):
            return None
        return float((label.points == 1) == right and (reasons.points >= 0.5) == good)

    return points


def bad_reason(label: Verdict, reasons: Verdict) -> float | None:
    if isinstance(label, Ungraded) or isinstance(reasons, Ungraded) or label.points == 0:
        return None
    return float(reasons.points < 0.5)


def variance(_: Verdict, reasons: Verdict) -> float | None:
    return reasons.ballot.spread if isinstance(reasons, Graded) and reasons.ballot else None


def points_of(task: int) -> Callable[[Verdict, Verdict], float | None]:
    return lambda *pair: pair[task].points if isinstance(pair[task], Graded) else None


FIGURES: dict[str, Callable[[Verdict, Verdict], float | None]] = {
    "accuracy": points_of(0),
    "coverage": points_of(1),
    "right_good": in_cell(right=True, good=True),
    "right_bad": in_cell(right=True, good=False),
    "wrong_good": in_cell(right=False, good=True),
    "wrong_bad": in_cell(right=False, good=False),
    "wrong_reason": bad_reason,
    "disagreement": variance,
}


@settings(max_examples=30, deadline=None)
@given(graded_answers())
def test_every_figure_is_what_its_definition_says(verdicts: tuple[Verdict, ...]) -> None:
    found = summarised(verdicts)
    for metric, points in FIGURES.items():
        whole = figure(found, metric)
        assert whole.value == pytest.approx(slowly(verdicts, points), abs=1e-9), metric
        for place in {verdict.about.place for verdict in verdicts}:
            inside = [verdict for verdict in verdicts if verdict.about.place == place]
            there = [e.value for e in found if e.metric == metric and e.group == {"place": place}]
            assert there in ([], [pytest.approx(slowly(inside, points), abs=1e-9)])


@settings(max_examples=30, deadline=None)
@given(graded_answers())
def test_the_four_cells_add_up_to_one(verdicts: tuple[Verdict, ...]) -> None:
    found = summarised(verdicts)
    cells = [figure(found, f"{label}_{reasons}").value for label in ("right", "wrong") for reasons in ("good", "bad")]
    assert None in cells or sum(cell or 0 for cell in cells) == pytest.approx(1)
    assert cells.count(None) in {0, 4}


@settings(max_examples=30, deadline=None)
@given(graded_answers(), st.randoms(use_true_random=False))
def test_no_way_to_fill_what_is_missing_leaves_the_bounds(verdicts: tuple[Verdict, ...], rng: random.Random) -> None:
    """Whatever the judges had said, each share would lie between its worst and its best."""
    filled = [completed(verdict, rng) for verdict in verdicts]
    before, after = summarised(verdicts), summarised(filled)
    for metric in ("accuracy", "coverage", "right_good", "right_bad", "wrong_good", "wrong_bad"):
        bounds, value = figure(before, metric), figure(after, metric).value
        if bounds.worst is None or bounds.best is None:
            assert bounds.value is None
            continue
        assert value is not None
        assert min(bounds.worst, bounds.best) - 1e-9 <= value <= max(bounds.worst, bounds.best) + 1e-9, metric


def completed(verdict: Verdict, rng: random.Random) -> Verdict:
    if isinstance(verdict, Graded):
        return verdict
    if verdict.task == "coverage":
        return Graded(about=verdict.about, sample=verdict.sample, task="coverage", points=rng.random())
    said = rng.choice(LABELS)
    return Graded(about=verdict.about, sample=verdict.sample, task="label", points=float(said == verdict.gold),
                  label=said, gold=verdict.gold)  # fmt: skip


def test_a_wrong_label_without_graded_reasons_bends_no_share_of_right_ones() -> None:
    """Half the labels are right, all reasons good; a judge that fails on every fourth answer changes none of that."""
    verdicts: list[Verdict] = []
    for unit in range(40):
        about = ItemMetadata(item=f"n-{unit}", unit=f"n-{unit}", cluster=f"n-{unit}", place="JP")
        said = "yes" if unit % 2 else "no"
        verdicts.append(
            Graded(about=about, sample=0, task="label", points=float(said == "yes"), label=said, gold="yes")
        )
        verdicts.append(
            Ungraded(about=about, sample=0, task="coverage", cause="judge: not JSON")
            if unit % 8 < 2
            else Graded(about=about, sample=0, task="coverage", points=1.0)
        )
    found = summarised(verdicts)
    right = figure(found, "right_good")
    assert (right.value, right.asked, right.graded) == (0.5, 40, 30)
    assert (right.worst, right.best) == (15 / 40, 25 / 40)


def test_verdicts_on_labels_and_reasons_of_different_answers_are_refused() -> None:
    about = ItemMetadata(item="n-0", unit="n-0", cluster="n-0")
    with pytest.raises(InputError, match="not of the same answers"):
        summarised([Graded(about=about, sample=0, task="label", points=1.0, label="yes", gold="yes")])
