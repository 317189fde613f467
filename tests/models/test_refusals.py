"""Servers' own words for what is too long, too large, not taken or not theirs to serve are told apart."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mores.core.codec import read_toml
from mores.models.error_messages import ContextLengthRefusal, TokenLimitRefusal, complaint, read_length
from mores.models.outcomes import speaks_of_key

LIMIT = 65_536
BODIES = read_toml(Path(__file__).with_name("refusals.toml"))
"""What servers said, word for word."""


@pytest.mark.parametrize("said", BODIES["too_much"], ids=lambda said: said["server"])
def test_a_limit_that_is_too_large_is_told_from_one_that_is_not_taken(said: dict[str, Any]) -> None:
    wanted = TokenLimitRefusal(instead=said.get("instead"), window=said.get("window"), most=said.get("most"))
    assert read_length(said["words"], LIMIT) == wanted


@pytest.mark.parametrize("words", BODIES["too_long"]["words"])
@pytest.mark.parametrize("limit", [8, None])
def test_a_prompt_that_is_too_long_is_no_limit_that_is_too_large(words: str, limit: int | None) -> None:
    assert isinstance(read_length(words, limit), ContextLengthRefusal)


@pytest.mark.parametrize("words", BODIES["other"]["words"])
def test_other_refusals_say_nothing_of_length(words: str) -> None:
    assert read_length(words, 16) is None


def test_a_server_that_stopped_counting_is_asked_for_half() -> None:
    words = (
        "This model's maximum context length is 4096 tokens. However, you requested 100 output tokens and your prompt "
        "contains at least 3997 input tokens, for a total of at least 4097 tokens."
    )
    assert read_length(words, 100) == TokenLimitRefusal(instead=50, window=4096)
    assert isinstance(read_length(words.replace("100", "1"), 1), ContextLengthRefusal)


@given(st.text(max_size=120), st.integers(1, 10**6))
def test_what_is_proposed_is_always_less_than_what_was_refused(words: str, limit: int) -> None:
    for text in (words, f"max_tokens too large {words} maximum context length is {words}"):
        found = read_length(text, limit)
        if isinstance(found, TokenLimitRefusal) and found.instead is not None:
            assert 0 < found.instead < limit


@pytest.mark.parametrize(
    ("words", "is_so"),
    [
        ("No connected db.", True),
        ("API key not valid. Please pass a valid API key.", True),
        ("Authentication Error, Invalid proxy server token passed", True),
        ("Unexpected keyword argument 'top_k'", False),
        ("max_tokens is too large: 65536", False),
    ],
)
def test_refusals_that_are_about_keys_are_known(words: str, is_so: bool) -> None:
    assert speaks_of_key(words) is is_so


def test_temperature_outlives_top_p() -> None:
    words = "`temperature` and `top_p` cannot both be specified for this model. Please use only one."
    assert complaint(words, ("temperature", "top_p", "top_k")) == "top_p"
    assert complaint(words, ("temperature", "top_k")) == "temperature"
