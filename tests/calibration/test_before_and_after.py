"""What asking again, a jury and putting length right change: variance of judge less people, and going together."""

from math import log

import numpy as np
import pytest

from mores.calibration.agreement import TaskAgreement, agreement_of
from mores.calibration.agreement_analysis import sentences
from mores.calibration.judge_agreement import MethodComparison
from tests.annotation.by_hand import Hand, once

COUNT = 200


def found(judges: dict[str, list[list[object]]], people: list[float], lengths: list[int | None]) -> TaskAgreement:
    return agreement_of(Hand(judges=judges, people={"Ana": people}, words=lengths, options=()).table())


def improved_of(task: TaskAgreement) -> MethodComparison:
    assert task.before_and_after is not None
    return task.before_and_after


def points(people: list[float], noise: float, runs: int, rng: np.random.Generator, tilt: float = 0.0,
           lengths: list[int] | None = None) -> list[list[object]]:  # fmt: skip
    """A judge's points: people's, with noise of each run, and more for longer answers."""
    extra = [tilt * (log(n) - 4.0) for n in lengths] if lengths else [0.0] * len(people)
    return [[one + more + noise * float(rng.standard_normal()) for _ in range(runs)]
            for one, more in zip(people, extra, strict=True)]  # fmt: skip


def test_a_mean_of_runs_and_a_jury_take_away_the_noise_that_was_planted() -> None:
    rng = np.random.default_rng(1)
    people = (0.3 + 0.4 * rng.random(COUNT)).tolist()
    judges = {name: points(people, 0.05, 4, rng) for name in ("judge", "judge2", "judge3")}
    done = improved_of(found(judges, people, [None] * COUNT))
    assert [stage.judged_by for stage in done.stages] == ["one run of judge", "4 runs of judge", "the jury of 3"]
    single, several, jury = done.stages
    assert single.ratio == pytest.approx(1.0)
    assert several.ratio == pytest.approx(1 / 4, abs=0.08)
    assert jury.ratio == pytest.approx(1 / 12, abs=0.04)
    assert single.together.value < several.together.value < jury.together.value
    assert several.reduced.interval.low is not None
    assert several.reduced.interval.low < 0.75 < (several.reduced.interval.high or 0)


def test_what_a_judge_gives_to_length_is_found_and_put_right() -> None:
    rng = np.random.default_rng(2)
    people = (0.3 + 0.4 * rng.random(COUNT)).tolist()
    lengths = [int(20 * 1.02**n) for n in range(COUNT)]
    judge = points(people, 0.02, 1, rng, tilt=0.05, lengths=lengths)
    task = found({"judge": judge}, people, list(lengths))
    done = improved_of(task)
    assert done.length is not None
    assert done.length.slope == pytest.approx(0.05, abs=0.005)
    before, after = done.stages
    assert after.judged_by == "one run of judge, corrected for length"
    assert after.disagreement == pytest.approx(0.02**2, rel=0.3)
    assert after.ratio == pytest.approx(after.disagreement / before.disagreement)
    assert after.together.value > before.together.value
    assert "From one run of judge to one run of judge, corrected for length: r " in "\n".join(sentences(task))


def test_putting_right_what_was_never_wrong_flatters_nobody() -> None:
    ratios = []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        people = rng.random(40).tolist()
        judge = points(people, 0.1, 1, rng)
        lengths: list[int | None] = rng.integers(20, 400, 40).tolist()
        ratios.append(improved_of(found({"judge": judge}, people, lengths)).stages[-1].ratio)
    assert float(np.mean(ratios)) > 1.0  # found and applied on the same answers, it would be under 1


def test_without_lengths_or_with_few_labels_it_says_why_length_is_not_put_right() -> None:
    people = [0.1, 0.5, 0.9, 0.4]
    done = improved_of(found({"judge": once([0.2, 0.5, 0.8, 0.4])}, people, [10, 20, 30, 40]))
    assert (done.length, [stage.judged_by for stage in done.stages]) == (None, ["one run of judge"])
    assert done.why_no_length == "4 labelled answers; expected at least 10, of more than one length"
    none = improved_of(found({"judge": once([0.2, 0.5] * 20)}, [0.1, 0.6] * 20, [None] * 40))
    assert none.why_no_length is not None
    assert "all above 0" in none.why_no_length


def test_words_are_compared_by_their_errors_and_kappa() -> None:
    truth = ["yes", "no"] * 60
    rng = np.random.default_rng(5)
    other = {"yes": "no", "no": "yes"}
    judge = [[word if rng.random() < 0.75 else other[word] for _ in range(5)] for word in truth]
    task = agreement_of(Hand(judges={"judge": judge}, people={"Ana": truth}).table())
    done = improved_of(task)
    single, several = done.stages
    assert several.judged_by == "5 runs of judge"
    assert single.disagreement == pytest.approx(0.25, abs=0.1)
    assert several.disagreement == pytest.approx(
        0.1035, abs=0.06
    )  # of five runs that are right with .75, three or more wrong
    assert several.ratio == pytest.approx(several.disagreement / single.disagreement)
    assert several.together.value > single.together.value
    assert done.length is None


def test_all_stages_are_over_the_same_things() -> None:
    people = [0.1, 0.5, 0.9, 0.4] * 5
    judges: dict[str, list[list[object]]] = {
        "judge": [[None, 0.5] if row == 3 else [0.5, 0.4] for row in range(20)],
        "judge2": [[None, None] if row == 5 else [0.2, 0.4] for row in range(20)],
    }
    done = improved_of(found(judges, people, [None] * 20))
    assert done.n == 19  # the first run said nothing of one; of the other the jury has the first judge's word


def test_one_run_of_one_judge_of_words_has_nothing_to_stand_beside() -> None:
    truth = ["yes", "no"] * 20
    assert agreement_of(Hand(judges={"judge": once(truth)}, people={"Ana": truth}).table()).before_and_after is None
