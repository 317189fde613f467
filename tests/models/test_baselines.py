"""Baselines answer from the list of outcomes and never from the truth."""

import asyncio
from collections import Counter

import pytest
from msgspec.structs import replace
from scipy import stats

from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.models.registry import Connection, open_model
from mores.models.request import AnswerKey, CallFailed
from tests.models.clients import KEY, request

FOUR = AnswerKey(unit="u", truth="c", ways={letter: letter.upper() for letter in "bcad"})


def say(rule: str, key: AnswerKey | None, item: str = "i") -> str:
    model = open_model(f"baseline/{rule}", Seed("test"), Connection())
    return asyncio.run(model.reply(replace(request(item=item), key=key))).text


def test_first_says_the_first_and_always_true_says_yes() -> None:
    assert say("first", FOUR) == "B"
    assert say("first", KEY) == "True"
    assert say("always-true", KEY) == "True"
    assert say("always-true", replace(KEY, ways={"false": "False", "true": "Right"})) == "Right"


def test_always_true_needs_a_question_with_a_yes() -> None:
    with pytest.raises(InputError, match="baseline/always-true: these questions have no true or yes; use baseline/fi"):
        say("always-true", FOUR)


def test_random_says_each_alike_and_the_same_again() -> None:
    said = [say("random", FOUR, f"i-{number}") for number in range(600)]
    assert said[:20] == [say("random", FOUR, f"i-{number}") for number in range(20)]
    counts = Counter(said)
    assert stats.chisquare([counts[letter] for letter in "ABCD"]).pvalue > 1e-4


@pytest.mark.parametrize("rule", ["first", "always-true", "random"])
def test_no_baseline_looks_at_the_truth(rule: str) -> None:
    for item in ("i", "j", "k"):
        assert say(rule, replace(KEY, truth="true"), item) == say(rule, replace(KEY, truth="false"), item)


@pytest.mark.parametrize("rule", ["first", "always-true", "random"])
def test_without_a_list_of_outcomes_there_is_no_answer(rule: str) -> None:
    with pytest.raises(CallFailed, match="no sealed key"):
        say(rule, None)
