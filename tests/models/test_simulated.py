"""What is planted is what comes out, whatever the order of asking."""

import asyncio
from collections import Counter

import pytest
from scipy import stats

from mores.core.seeds import Seed
from mores.models.registry import Connection, open_model
from mores.models.request import AnswerKey, CallFailed, Reply, Request, Tag
from tests.models.clients import FIXED, request

FOUR = {letter: letter.upper() for letter in "abcd"}
Asked = tuple[str, str, str, int]
"""Item, unit, place and sample."""


def key(unit: str, place: str = "JP", rung: str = "know") -> AnswerKey:
    return AnswerKey(unit=unit, truth="a", ways=FOUR, place=place, rung=rung)


def ask(spec: str, asked: list[Asked], rung: str = "know", seed: str = "test") -> list[Reply | None]:
    """Replies in the order asked; None where the call failed."""
    model = open_model(spec, Seed(seed), Connection())

    async def one(item: str, unit: str, place: str, sample: int) -> Reply | None:
        tag = Tag(item=item, sample=sample)
        try:
            return await model.reply(Request(messages=(), sampling=FIXED, tag=tag, key=key(unit, place, rung)))
        except CallFailed:
            return None

    async def go() -> list[Reply | None]:
        return [await one(*each) for each in asked]

    return asyncio.run(go())


def share(spec: str, outcome: str, place: str = "JP", rung: str = "know", count: int = 4_000) -> int:
    """How often an outcome was planted in so many units."""
    replies = ask(spec, [(f"i-{n}", f"u-{n}", place, 0) for n in range(count)], rung)
    return sum(reply is not None and reply.planted == outcome for reply in replies)


def plausible(seen: int, count: int, chance: float) -> bool:
    return float(stats.binomtest(seen, count, chance).pvalue) > 1e-4


@pytest.mark.parametrize(
    ("settings", "place", "rung", "know"),
    [
        ("know=.7", "JP", "know", 0.7),
        ("know=.7,JP.know=.4", "JP", "know", 0.4),
        ("know=.7,JP.know=.4", "NG", "know", 0.7),
        ("NG=.5", "NG", "explain", 0.5),
        ("GB.know=.3", "GB-SCT", "know", 0.3),
        ("GB.know=.3,GB-SCT.know=.9", "GB-SCT", "know", 0.9),
        ("judge=.35", "JP", "judge", 0.35),
        ("apply=.6,apply_known=.5", "JP", "apply", 0.3),
        ("converse=.5,JP.apply_known=.2", "JP", "converse", 0.1),
        ("live=1,apply_known=1", "JP", "live", 1.0),
        ("know=0", "JP", "know", 0.0),
    ],
)
def test_who_knows_is_right_and_who_does_not_guesses(settings: str, place: str, rung: str, know: float) -> None:
    count = 2_000
    seen = share(f"simulated/typical:format_error=0,{settings}", "a", place, rung, count)
    assert plausible(seen, count, know + (1 - know) / 4)


@pytest.mark.parametrize(("outcome", "chance"), [("format_error", 0.2), ("refusal", 0.1)])
def test_unusable_answers_and_refusals_come_as_often_as_planted(outcome: str, chance: float) -> None:
    assert plausible(share("simulated/typical:format_error=.2,refusal=.1", outcome, count=2_000), 2_000, chance)


def test_calls_break_as_often_as_planted() -> None:
    replies = ask("simulated/typical:failure=.25", [(f"i-{n}", "u", "JP", 0) for n in range(2_000)])
    assert plausible(replies.count(None), 2_000, 0.25)


def test_a_guess_falls_on_each_outcome_alike() -> None:
    asked = [(f"i-{n}", f"u-{n}", "JP", 0) for n in range(2_000)]
    counts = Counter(r.planted for r in ask("simulated/typical:know=0,format_error=0", asked) if r)
    assert stats.chisquare([counts[letter] for letter in FOUR]).pvalue > 1e-4


def test_a_unit_is_known_once_over_its_items_and_samples() -> None:
    asked = [(f"i-{unit}-{item}", f"u-{unit}", "JP", s) for unit in range(300) for item in range(3) for s in range(3)]
    replies = ask("simulated/typical:know=.5,format_error=0", asked)
    right = [sum(r is not None and r.planted == "a" for r in replies[n : n + 9]) for n in range(0, len(replies), 9)]
    known = sum(count == 9 for count in right)
    assert plausible(known, 300, 0.5)
    assert sum(6 < count < 9 for count in right) < 10  # who guesses is seldom nearly always right


def test_guesses_differ_between_samples_of_one_item() -> None:
    replies = ask("simulated/typical:know=0,format_error=0", [("i", "u", "JP", sample) for sample in range(200)])
    assert len({reply.planted for reply in replies if reply}) == 4


def test_the_order_of_asking_changes_no_word() -> None:
    asked = [(f"i-{n}", f"u-{n // 2}", "JP", n % 3) for n in range(300)]
    forth = ask("simulated/novice", asked)
    back = ask("simulated/novice", asked[::-1])
    assert forth == back[::-1]


def test_another_seed_or_person_says_otherwise() -> None:
    asked = [(f"i-{n}", f"u-{n}", "JP", 0) for n in range(100)]
    replies = ask("simulated/novice", asked)
    assert replies == ask("simulated/novice", asked)
    assert replies != ask("simulated/novice", asked, seed="other")
    assert replies != ask("simulated/novice:person=2", asked)


def test_knowing_more_never_turns_a_known_unit_unknown() -> None:
    asked = [(f"i-{n}", f"u-{n}", "JP", 0) for n in range(400)]
    less, more = (ask(f"simulated/typical:know={p},format_error=0", asked) for p in (".4", ".8"))
    known_less = {n for n, r in enumerate(less) if r and r.planted == "a"}
    known_more = {n for n, r in enumerate(more) if r and r.planted == "a"}
    assert known_less <= known_more


def test_the_words_are_those_of_the_planted_outcome() -> None:
    replies = ask("simulated/typical", [(f"i-{n}", f"u-{n}", "JP", 0) for n in range(200)])
    said = [reply for reply in replies if reply and reply.planted in FOUR]
    assert said
    assert all(reply.text == FOUR[str(reply.planted)] for reply in said)


def test_without_a_sealed_key_there_is_no_answer() -> None:
    model = open_model("simulated/typical", Seed("test"), Connection())
    with pytest.raises(CallFailed, match="no sealed key"):
        asyncio.run(model.reply(request()))
