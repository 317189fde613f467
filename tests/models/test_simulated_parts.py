"""An answer in parts is known or guessed part by part, said in one breath, and unusable as a whole."""

import asyncio
from collections import Counter
from math import exp

import pytest
from msgspec.structs import replace
from scipy import stats

from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.models.registry import Connection, open_model
from mores.models.request import PART_SEPARATOR, AnswerKey, CallFailed, Reply, Request, Tag
from mores.models.simulated_judge import JudgeKey
from tests.models.clients import FIXED

WAYS = {"kept": "I keep it.", "open": "I say nothing of it.", "broken": "I break it."}


def part(unit: str, place: str = "JP") -> AnswerKey:
    return AnswerKey(unit=unit, truth="kept", ways=WAYS, place=place, rung="apply")


def whole(*units: str, place: str = "JP") -> AnswerKey:
    return replace(part("whole", place), truth="", ways={}, parts=tuple(part(unit, place) for unit in units))


def asked(key: AnswerKey, item: str = "i", sample: int = 0, labels: tuple[str, ...] = ()) -> Request:
    return Request(messages=(), sampling=FIXED, tag=Tag(item=item, sample=sample), key=key, labels=labels)


def say(spec: str, *requests: Request) -> list[Reply]:
    model = open_model(spec, Seed("test"), Connection())

    async def go() -> list[Reply]:
        return [await model.reply(request) for request in requests]

    return asyncio.run(go())


def plausible(seen: int, count: int, chance: float) -> bool:
    return float(stats.binomtest(seen, count, chance).pvalue) > 1e-4


def test_words_are_joined_by_a_space_and_outcomes_by_their_mark() -> None:
    (reply,) = say("simulated/typical:apply=1,apply_known=1,format_error=0", asked(whole("a", "b", "c")))
    assert reply.text == "I keep it. I keep it. I keep it."
    assert reply.planted == PART_SEPARATOR.join(["kept"] * 3)


def test_each_part_is_known_on_its_own() -> None:
    requests = [asked(whole(f"a-{n}", f"b-{n}", f"c-{n}"), f"i-{n}") for n in range(1_000)]
    replies = say("simulated/typical:apply=.5,apply_known=1,format_error=0", *requests)
    kept = [(reply.planted or "").split(PART_SEPARATOR).count("kept") for reply in replies]
    right = 0.5 + 0.5 / 3
    assert plausible(sum(kept), 3_000, right)
    assert plausible(kept.count(3), 1_000, right**3)


def test_a_part_is_known_wherever_its_unit_comes_up() -> None:
    requests = [
        asked(key, f"{n}-{k}") for n in range(300) for k, key in enumerate((part(f"u-{n}"), whole("x", f"u-{n}")))
    ]
    replies = say("simulated/typical:apply=.5,apply_known=1,format_error=0", *requests)
    alone = [reply.planted == "kept" for reply in replies[::2]]
    within = [(reply.planted or "").split(PART_SEPARATOR)[1] == "kept" for reply in replies[1::2]]
    # Who knows is right in both; who guesses is right in one by a third each: 1/2 + 1/2 (1/9 + 4/9) agree.
    agree = sum(one == other for one, other in zip(alone, within, strict=True))
    assert plausible(agree, 300, 0.5 + 0.5 * 5 / 9)


def test_guesses_of_parts_are_drawn_apart() -> None:
    requests = [asked(whole("same", "same"), f"i-{n}") for n in range(900)]
    replies = say("simulated/typical:apply=0,format_error=0", *requests)
    pairs = Counter(reply.planted for reply in replies)
    assert len(pairs) == 9
    assert stats.chisquare(list(pairs.values())).pvalue > 1e-4


@pytest.mark.parametrize(("slip", "text"), [("format_error", "It depends"), ("refusal", "")])
def test_a_slip_is_the_whole_answers_and_comes_as_often_as_planted(slip: str, text: str) -> None:
    requests = [asked(whole("a", "b", "c"), f"i-{n}") for n in range(1_000)]
    replies = say(f"simulated/typical:format_error=0,{slip}=.2", *requests)
    slips = [reply for reply in replies if reply.planted == slip]
    assert plausible(len(slips), 1_000, 0.2)
    assert all(reply.text.startswith(text) for reply in slips)
    assert all((reply.planted or "").count(PART_SEPARATOR) == 2 for reply in replies if reply.planted != slip)


def test_parts_are_answered_by_their_own_places() -> None:
    key = replace(part("whole"), parts=(part("a", "JP"), part("b", "NG")))
    requests = [replace(asked(key, f"i-{n}"), key=_renamed(key, n)) for n in range(600)]
    replies = say("simulated/typical:apply=1,apply_known=1,NG.apply=0,format_error=0", *requests)
    first, second = zip(*((reply.planted or "").split(PART_SEPARATOR) for reply in replies), strict=True)
    assert set(first) == {"kept"}
    assert plausible(second.count("kept"), 600, 1 / 3)


def _renamed(key: AnswerKey, number: int) -> AnswerKey:
    return replace(key, parts=tuple(replace(each, unit=f"{each.unit}-{number}") for each in key.parts))


def test_first_and_random_answer_part_by_part() -> None:
    (first,) = say("baseline/first", asked(whole("a", "b")))
    assert first.text == "I keep it. I keep it."
    assert first.planted == f"kept{PART_SEPARATOR}kept"
    replies = say("baseline/random", *(asked(whole("a", "b"), f"i-{n}") for n in range(900)))
    pairs = Counter(reply.planted for reply in replies)
    assert len(pairs) == 9
    assert stats.chisquare(list(pairs.values())).pvalue > 1e-4
    assert replies == say("baseline/random", *(asked(whole("a", "b"), f"i-{n}") for n in range(900)))


def test_always_true_needs_a_yes_in_every_part() -> None:
    with pytest.raises(InputError, match="no true or yes"):
        say("baseline/always-true", asked(whole("a", "b")))


def test_a_key_without_parts_is_answered_as_ever() -> None:
    """Fixed words: seeds of runs that are long stored must not change."""
    key = AnswerKey(unit="u", truth="a", ways={letter: letter.upper() for letter in "abcd"}, place="JP")
    requests = [asked(replace(key, unit=f"u-{n}"), f"i-{n}") for n in range(24)]
    spoken = "".join(reply.text for reply in say("simulated/novice:format_error=0", *requests))
    assert spoken == "AABAAAACBAAAADAADCDBAAAD"
    assert "".join(reply.text for reply in say("baseline/random", *requests)) == "BACABBACDCADDBCDACBBDCCB"


def judge_key(truth: str = "b", ways: str = "abc") -> JudgeKey:
    return JudgeKey(
        unit="u", truth=truth, truths=(truth,), ways={way: way for way in ways}, place="JP", affirmative="a"
    )


def test_labels_get_the_outcomes_probabilities_in_their_order() -> None:
    spec = "simulated/judge:sensitivity=1,specificity=1,noise=.3"
    (reply,) = say(spec, asked(judge_key(), labels=("X", "Y", "Z")))
    assert [name for name, _ in reply.logprobs or ()] == ["X", "Y", "Z"]
    assert [exp(value) for _, value in reply.logprobs or ()] == pytest.approx([0.15, 0.7, 0.15])
    assert (reply.text, reply.planted) == ("Y", "b")


def test_no_words_are_drawn_so_none_are_unusable() -> None:
    replies = say(
        "simulated/judge:format_error=1", *(asked(judge_key(), f"i-{n}", labels=tuple("XYZ")) for n in range(50))
    )
    assert all(reply.logprobs for reply in replies)


def test_a_subject_is_weighed_by_what_it_knows() -> None:
    requests = [asked(part(f"u-{n}"), f"i-{n}", labels=("K", "O", "B")) for n in range(1_000)]
    replies = say("simulated/typical:apply=.4,apply_known=1,noise=.1", *requests)
    assert plausible(sum(reply.text == "K" for reply in replies), 1_000, 0.4 + 0.6 / 3)


@pytest.mark.parametrize("labels", [("X", "Y"), ("X", "Y", "Z", "W"), ("X",)])
def test_labels_that_do_not_fit_the_outcomes_fail(labels: tuple[str, ...]) -> None:
    with pytest.raises(CallFailed, match="labels do not fit"):
        say("simulated/judge", asked(judge_key(), labels=labels))


def test_several_things_cannot_be_weighed_at_once() -> None:
    with pytest.raises(CallFailed, match="labels do not fit"):
        say("simulated/judge", asked(replace(judge_key(), truths=("a", "b"), frame=("", "", "")), labels=tuple("XYZ")))


def test_a_baseline_has_no_probabilities() -> None:
    with pytest.raises(CallFailed, match="no log-probabilities"):
        say("baseline/first", asked(judge_key(), labels=tuple("XYZ")))
