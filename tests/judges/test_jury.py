"""A jury says the mean or the majority, keeps its disagreement, and counts who failed."""

import asyncio
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mores.core.errors import InputError
from mores.judges.judge import JudgeOutcome, JudgeResult, Unjudged
from mores.judges.jury import Jury, JuryResult, ask_jury, deliberate
from mores.judges.rubric import Case
from mores.judges.rubric_answers import AnswerFormat, Opinion, Score
from tests.judges.bench import LABELS, SAMPLING, SEED, YES_NO, Scripted, Simulation, planted_case, rubric

FAILED = Unjudged(cause="http 500", events=())


def scores(*points: float) -> dict[str, JudgeOutcome]:
    return {
        f"j{n}": JudgeResult(opinions=(Opinion(reason=f"{p}", points=p),), events=())
        for n, p in enumerate(points, start=1)
    }


def votes(*words: str) -> dict[str, JudgeOutcome]:
    return {
        f"j{n}": JudgeResult(opinions=(Opinion(reason=f"j{n}", choice=word),), events=())
        for n, word in enumerate(words, start=1)
    }


def test_scores_are_averaged_and_their_variance_kept() -> None:
    ruling = deliberate(scores(0.2, 0.5, 0.8), Score()).ruling
    assert isinstance(ruling.outcome, Opinion)
    assert ruling.outcome.points == pytest.approx(0.5)
    assert ruling.outcome.reason == "0.5"
    assert ruling.variance == pytest.approx(0.09)  # (0.09 + 0 + 0.09) / 2


def test_points_are_averaged_and_words_voted_on_by_the_judges_weights() -> None:
    mean = deliberate(scores(0.2, 0.5, 0.8), Score(), weights={"j1": 2.0, "j3": 0.0}).ruling
    assert isinstance(mean.outcome, Opinion)
    assert mean.outcome.points == pytest.approx((2 * 0.2 + 0.5) / 3)
    assert mean.votes == 2
    words = deliberate(votes("violate", "satisfy", "satisfy"), LABELS, weights={"j1": 2.5}).ruling
    assert isinstance(words.outcome, Opinion)
    assert words.outcome.choice == "violate"


def test_words_that_weigh_the_same_are_a_tie_however_many_say_them() -> None:
    ruling = deliberate(
        votes("violate", "satisfy", "satisfy"), LABELS, weights={"j1": 0.3, "j2": 0.1, "j3": 0.2}
    ).ruling
    assert isinstance(ruling.outcome, Unjudged)
    assert ruling.outcome.cause == "tie"
    assert set(ruling.outcome.detail.split(", ")) == {"violate 0.3", "satisfy 0.3"}


def test_every_run_of_a_judge_counts_by_its_weight_and_a_jury_without_a_heard_judge_gives_no_grade() -> None:
    said = {"judge/0": votes("satisfy")["j1"], "judge/1": votes("satisfy")["j1"], "judge2/0": votes("violate")["j1"]}
    ruling = deliberate(said, LABELS, weights={"judge": 0.4}).ruling
    assert isinstance(ruling.outcome, Opinion)
    assert ruling.outcome.choice == "violate"
    silent = deliberate({**said, "judge2/0": FAILED}, LABELS, weights={"judge": 0.0}).ruling
    assert isinstance(silent.outcome, Unjudged)
    assert silent.outcome.cause == "no juror"


def test_words_are_voted_on() -> None:
    ruling = deliberate(votes("violate", "satisfy", "satisfy"), LABELS).ruling
    assert isinstance(ruling.outcome, Opinion)
    assert (ruling.outcome.choice, ruling.outcome.reason) == ("satisfy", "j2")
    assert ruling.variance is None


@pytest.mark.parametrize("words", [("satisfy", "violate"), ("satisfy", "satisfy", "violate", "violate", "neutral")])
def test_a_tie_abstains(words: Sequence[str]) -> None:
    ruling = deliberate(votes(*words), LABELS).ruling
    assert isinstance(ruling.outcome, Unjudged)
    assert ruling.outcome.cause == "tie"
    assert "satisfy" in ruling.outcome.detail


def test_who_failed_is_left_out_and_counted() -> None:
    said = deliberate({**scores(0.4), "x": FAILED, "y": FAILED}, Score())
    assert isinstance(said.ruling.outcome, Opinion)
    assert (said.ruling.outcome.points, said.ruling.votes, said.ruling.variance) == (0.4, 1, None)
    assert (said.asked, said.failed) == (3, {"http 500": 2})


@pytest.mark.parametrize("answer", [Score(), LABELS])
def test_a_jury_that_failed_gives_no_grade(answer: AnswerFormat) -> None:
    ruling = deliberate({"x": FAILED}, answer).ruling
    assert isinstance(ruling.outcome, Unjudged)
    assert (ruling.outcome.cause, ruling.variance) == ("no juror", None)


def test_each_id_has_its_own_ruling() -> None:
    def said(a: str, b: str) -> JudgeResult:
        return JudgeResult(
            opinions=(Opinion(id="a", reason="", choice=a), Opinion(id="b", reason="", choice=b)), events=()
        )

    jurors: dict[str, JudgeOutcome] = {"x": said("satisfy", "neutral"), "y": said("satisfy", "violate")}
    first, second = deliberate(jurors, LABELS, ("a", "b")).rulings
    assert isinstance(first.outcome, Opinion)
    assert isinstance(second.outcome, Unjudged)
    assert (first.id, second.id) == ("a", "b")


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6), st.randoms())
def test_the_order_of_jurors_changes_nothing(points: list[float], rng_seed: "st.random.Random") -> None:  # type: ignore[name-defined]
    jurors = list(scores(*points).items())
    before = deliberate(dict(jurors), Score()).ruling
    rng_seed.shuffle(jurors)
    assert deliberate(dict(jurors), Score()).ruling == before
    assert isinstance(before.outcome, Opinion)
    assert min(points) - 1e-9 <= (before.outcome.points or 0) <= max(points) + 1e-9


def ask(cast: Scripted | Simulation, case: Case, jury: Jury, answer: AnswerFormat = YES_NO) -> JuryResult:
    return asyncio.run(ask_jury(rubric(answer), case, jury=jury, cast=cast, sampling=SAMPLING, seed=SEED))


def test_each_juror_and_run_is_a_call_of_its_own() -> None:
    cast = Scripted(['{"reason": "r", "choice": "yes"}'])
    said = ask(cast, planted_case(rubric(YES_NO), True, "i-1", sample=2), Jury(roles=("judge", "judge-2"), runs=3))
    assert said.asked == 6
    asked = {(request.tag.role, request.tag.sample) for request in cast.asked}
    assert asked == {(role, sample) for role in ("judge", "judge-2") for sample in (6, 7, 8)}
    assert len(said.events) == 12


def test_three_independent_judges_are_right_as_often_as_they_should() -> None:
    # Right alone with .8: a majority of three is right with .8³ + 3 · .8² · .2 = .896.
    specs = [f"simulated/judge:sensitivity=.8,specificity=.8,format_error=0,person={n}" for n in range(3)]
    cast, yes_no, count = Simulation(*specs), rubric(YES_NO), 400
    jury = Jury(roles=("judge", "judge-2", "judge-3"))
    said = [ask(cast, planted_case(yes_no, n % 2 == 0, f"i-{n}"), jury) for n in range(count)]
    right = sum(
        isinstance(s.ruling.outcome, Opinion) and s.ruling.outcome.points == float(n % 2 == 0)
        for n, s in enumerate(said)
    )
    assert abs(right / count - 0.896) < 0.06  # four standard errors


@pytest.mark.parametrize(("roles", "runs"), [((), 1), (("judge", "judge"), 1), (("judge",), 0)])
def test_a_jury_has_jurors_and_each_sits_once(roles: tuple[str, ...], runs: int) -> None:
    with pytest.raises(InputError, match="each once"):
        Jury(roles=roles, runs=runs)
