"""A simulated judge asked K times draws as a real one does: hard things stay hard, reasons and tokens differ."""

import asyncio
from math import exp
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from mores.core.card import Sampling
from mores.core.seeds import Seed
from mores.judges.parse import read_opinions
from mores.judges.rubric import Planted, Rubric
from mores.judges.rubric_answers import ChoiceAnswer, Opinion, Score
from mores.models.request import Reply, Request, Tag
from mores.models.simulated import Simulated
from mores.models.simulated_judge import REASON, JudgeKey, VerdictNoise, simulated_judgement
from tests.judges.bench import LABELS, YES_NO, rubric

HOT, COLD = Sampling(temperature=1.0), Sampling(temperature=0.0)
SPELT = Sampling(temperature=1.0, logprobs=True)


def draws(
    spec: str, asked: Rubric, planted: Planted | dict[str, Planted], things: int, each: int, sampling: Sampling = HOT
) -> list[list[Reply]]:
    """K replies of a judge to each of so many things."""
    judge = Simulated(f"simulated/judge:{spec}", Seed("test"))

    async def go() -> list[list[Reply]]:
        keys = [asked.key(planted, unit=f"u-{n}", place="JP") for n in range(things)]
        return [
            [await judge.reply(asking(key, n, draw, sampling)) for draw in range(each)] for n, key in enumerate(keys)
        ]

    return asyncio.run(go())


def asking(key: JudgeKey, number: int, draw: int, sampling: Sampling) -> Request:
    return Request(messages=(), sampling=sampling, tag=Tag(item=f"i-{number}", role="judge", sample=draw), key=key)


def right(replies: list[list[Reply]], outcome: str) -> list[list[bool]]:
    return [[reply.planted == outcome for reply in row] for row in replies]


@pytest.mark.parametrize("steady", [0.0, 0.6, 1.0])
@pytest.mark.parametrize(("truth", "chance"), [("yes", 0.85), ("no", 0.7)])
def test_each_draw_is_right_as_often_as_planted_whatever_the_steadiness(
    steady: float, truth: str, chance: float
) -> None:
    spec = f"sensitivity=.85,specificity=.7,format_error=0,steady={steady}"
    found = right(draws(spec, rubric(YES_NO), truth == "yes", 800, 3), truth)
    for draw in range(3):
        assert stats.binomtest(sum(row[draw] for row in found), 800, chance).pvalue > 1e-4


def test_two_draws_on_a_thing_disagree_as_often_as_planted() -> None:
    # 2 · .8 · .2 · (1 - steady)
    for steady, flips in ((0.0, 0.32), (0.6, 0.128), (1.0, 0.0)):
        found = right(draws(f"sensitivity=.8,format_error=0,steady={steady}", rubric(YES_NO), True, 3_000, 2), "yes")
        seen = sum(first != second for first, second in found)
        assert stats.binomtest(seen, 3_000, flips).pvalue > 1e-4


def test_many_draws_miss_as_often_as_the_planted_beta_says() -> None:
    # All of five draws wrong: E[(1 - c)^5] with c from Beta(.8 · 2/3, .2 · 2/3).
    worth = 1 / 0.6 - 1
    expected = stats.beta(0.8 * worth, 0.2 * worth).expect(lambda c: (1 - c) ** 5)
    found = right(draws("sensitivity=.8,format_error=0,steady=.6", rubric(YES_NO), True, 3_000, 5), "yes")
    assert stats.binomtest(sum(not any(row) for row in found), 3_000, expected).pvalue > 1e-4


@pytest.mark.parametrize("answer", [YES_NO, LABELS, Score()])
def test_at_temperature_nought_all_draws_are_one(answer: ChoiceAnswer | Score) -> None:
    planted: Planted = "neutral" if answer is LABELS else 0.4 if answer.options == () else True
    replies = draws("sensitivity=.5,noise=.2,format_error=.3", rubric(answer), planted, 60, 6, COLD)
    assert all(len({reply.text for reply in row}) == 1 for row in replies)
    assert len({row[0].text for row in replies}) > 1


def test_what_is_said_at_temperature_nought_is_what_the_easier_things_get_right() -> None:
    spec = "sensitivity=.7,format_error=0"
    cold = [row[0] for row in right(draws(spec, rubric(YES_NO), True, 600, 1, COLD), "yes")]
    hot = [fmean(row) for row in right(draws(spec, rubric(YES_NO), True, 600, 8), "yes")]
    assert fmean(h for c, h in zip(cold, hot, strict=True) if c) > 0.85
    assert fmean(h for c, h in zip(cold, hot, strict=True) if not c) < 0.45


@pytest.mark.parametrize("steady", [0.0, 0.6])
def test_numbers_keep_their_mean_and_are_as_alike_as_planted(steady: float) -> None:
    replies = draws(f"noise=.2,format_error=0,steady={steady}", rubric(Score()), 0.5, 1_500, 2)
    pairs = [[float(reply.planted or "nan") for reply in row] for row in replies]
    first, second = ([row[draw] for row in pairs] for draw in (0, 1))
    assert fmean(first) == pytest.approx(0.5, abs=0.02)
    assert stats.pearsonr(first, second)[0] == pytest.approx(steady, abs=0.08)


def test_reasons_differ_between_draws_and_can_be_read() -> None:
    (row,) = draws("format_error=0", rubric(YES_NO), True, 1, 20)
    said = [read_opinions(reply.text, YES_NO) for reply in row]
    reasons = {one[0].reason for one in said if isinstance(one, tuple) and isinstance(one[0], Opinion)}
    assert len(reasons) > 8
    assert all("simulated judge" in reason for reason in reasons)
    ((still,),) = draws("format_error=0", rubric(YES_NO), True, 1, 1, COLD)
    assert REASON in still.text


def test_log_probabilities_come_where_they_are_asked_for_and_spell_the_reply() -> None:
    for reply in draws("format_error=0", rubric(YES_NO), True, 5, 2, SPELT)[0]:
        assert reply.logprobs is not None
        assert "".join(token for token, _ in reply.logprobs) == reply.text
        assert all(mass <= 0 for _, mass in reply.logprobs)
    assert all(r.logprobs is None for row in draws("format_error=0", rubric(YES_NO), True, 5, 2) for r in row)
    slips = [r for row in draws("format_error=1", rubric(YES_NO), True, 3, 1, SPELT) for r in row]
    assert all(r.logprobs is None for r in slips)


def test_the_token_of_the_verdict_says_how_likely_it_was() -> None:
    replies = draws("sensitivity=.8,format_error=0", rubric(YES_NO), True, 400, 3, SPELT)
    sure, unsure = list[bool](), list[bool]()
    for row in replies:
        for reply in row:
            assert reply.logprobs is not None
            mass = next(mass for token, mass in reversed(reply.logprobs) if token in {"yes", "no"})
            (sure if exp(mass) > 0.9 else unsure).append(reply.planted == "yes")
    assert min(len(sure), len(unsure)) > 50
    assert fmean(sure) > fmean(unsure) + 0.15


def test_a_list_is_spelt_with_each_verdict_in_its_place() -> None:
    many = rubric(LABELS, many=True)
    (row,) = draws("format_error=0", many, {"a": "violate", "b": "satisfy"}, 1, 4, SPELT)
    for reply in row:
        assert reply.logprobs is not None
        assert "".join(token for token, _ in reply.logprobs) == reply.text
        assert isinstance(read_opinions(reply.text, LABELS, ("a", "b")), tuple)


@given(
    st.floats(0, 1), st.floats(0, 1), st.integers(0, 50), st.booleans(), st.sampled_from(["yes", "no"])
)  # fmt: skip
def test_whatever_is_planted_a_verdict_is_said(
    chance: float, steady: float, number: int, hot: bool, truth: str
) -> None:
    chances = {"sensitivity": chance, "specificity": chance, "steady": steady, "gullible": chance, "noise": chance}
    key = JudgeKey(
        unit="u", truth=truth, ways={"yes": "yes", "no": "no"}, affirmative="yes", truths=(truth,), lure="no"
    )
    said = simulated_judgement(
        key, chances.__getitem__, VerdictNoise(Seed("t").child(number), Seed("d") if hot else None)
    )
    assert said.outcomes[0] in {"yes", "no"}
    assert 0 <= said.chances[0] <= 1
