"""A template that takes other shapes of messages than a chat has is learnt from what it refuses; no word is lost."""

import json
from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from mores.core.transcript import Message
from mores.models.capabilities import OPENING, SAYS, shaped
from mores.models.error_messages import ALTERNATING, NO_SYSTEM, USER_FIRST, shapes_refused
from mores.models.journal import request_key
from mores.models.request import CallFailed, Reply, Request
from tests.models.clients import request
from tests.models.listener import Heard, Say, completion, listening
from tests.models.test_chat_endpoint import chat

Turn = tuple[str, str]
RULES, ASKED, SAID = ("system", "Be kind."), ("user", "Who pours?"), ("assistant", "The tamada.")


def talk(*turns: Turn) -> Request:
    messages = tuple(Message(role=role, content=content) for role, content in turns)  # type: ignore[arg-type]
    return replace(request(), messages=messages)


def strict(check: Callable[[list[str]], str], status: int) -> tuple[Callable[[Heard], Say], list[list[Turn]]]:
    """A server that refuses what a template raises, and the messages that it took."""
    took: list[list[Turn]] = []

    def answer(heard: Heard) -> Say:
        turns = [(each["role"], each["content"]) for each in json.loads(heard.body)["messages"]]
        if words := check([role for role, _ in turns]):
            return Say(json.dumps({"error": {"message": words, "code": status}}).encode(), status)
        took.append(turns)
        return Say(completion("True"))

    return answer, took


def no_system(roles: list[str]) -> str:
    return "System role not supported" if "system" in roles else ""


def alternating(roles: list[str]) -> str:
    rest = roles[roles[0] == "system" :]
    wrong = any((role == "user") != (place % 2 == 0) for place, role in enumerate(rest))
    return "Conversation roles must alternate user/assistant/user/assistant/..." if wrong else ""


def user_first(roles: list[str]) -> str:
    return "" if next(role for role in roles if role != "system") == "user" else "The first message must be a user's."


def like_gemma(roles: list[str]) -> str:
    """It tells of any role that is not the next as of roles that must alternate."""
    wrong = any((role == "user") != (place % 2 == 0) for place, role in enumerate(roles))
    return "Jinja Exception: Conversation roles must alternate user/assistant/..." if wrong else ""


@pytest.mark.parametrize("status", [400, 422, 500])
@pytest.mark.parametrize(
    ("check", "asked", "sent", "learnt"),
    [
        (no_system, (RULES, ASKED), [("user", "Be kind.\n\nWho pours?")], [NO_SYSTEM]),
        (no_system, (RULES, ASKED, SAID, ASKED), [("user", "Be kind.\n\nWho pours?"), SAID, ASKED], [NO_SYSTEM]),
        (alternating, (RULES, ASKED, ASKED), [RULES, ("user", "Who pours?\n\nWho pours?")], [ALTERNATING]),
        (alternating, (RULES, SAID, ASKED), [RULES, ("user", OPENING), SAID, ASKED], [USER_FIRST]),
        (user_first, (SAID, ASKED), [("user", OPENING), SAID, ASKED], [USER_FIRST]),
        (like_gemma, (RULES, SAID, ASKED), [("user", "Be kind."), SAID, ASKED], [NO_SYSTEM]),
        (
            like_gemma,
            (RULES, ASKED, ASKED),
            [("user", "Be kind.\n\nWho pours?\n\nWho pours?")],
            [ALTERNATING, NO_SYSTEM],
        ),
    ],
)
def test_what_a_template_refuses_is_learnt_and_told(
    check: Callable[[list[str]], str], asked: tuple[Turn, ...], sent: list[Turn], learnt: list[str], status: int
) -> None:
    answer, took = strict(check, status)
    with listening(answer) as listener:
        found, model = chat(listener.url, talk(*asked), talk(*asked))
        heard = len(listener.heard)
    assert all(isinstance(reply, Reply) for reply in found)
    assert took[1:] == [sent, sent] or check is like_gemma
    assert [turn for turn in took[-1] if turn[1] != OPENING] == [turn for turn in sent if turn[1] != OPENING]
    told = set(model.altered)
    assert {SAYS[name] for name in learnt} <= told
    assert heard == 3 + len(told)  # the probe and two calls, and each thing is learnt once
    assert request_key(model, talk(*asked)) == request_key(model, talk(*asked))


def test_a_refusal_that_no_shape_mends_is_the_calls_own_failure() -> None:
    def answer(heard: Heard) -> Say:
        plain = b"one word" in heard.body
        return Say(completion("ready")) if plain else Say(b'{"error": {"message": "roles must alternate"}}', 400)

    with listening(answer) as listener:
        (found,), model = chat(listener.url, talk(ASKED))
    assert isinstance(found, CallFailed)
    assert model.altered == ()


@pytest.mark.parametrize(
    "words",
    [
        "The system is unavailable", "'max_tokens' is not supported", "Unsupported parameter: 'temperature'",
        "This model's maximum context length is 4096 tokens", "Internal Server Error",
    ],
)  # fmt: skip
def test_other_refusals_say_nothing_of_shape(words: str) -> None:
    assert shapes_refused(words) == ()


@pytest.mark.parametrize(
    "words",
    [
        "System role not supported", "Developer instruction is not enabled for models/gemma-3-27b-it",
        "Only user and assistant roles are supported!", "unknown role: system", "System messages are not supported",
        "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
        "'system' is not one of ['user', 'assistant']", "Unexpected role 'system'", "no system role",
    ],
)  # fmt: skip
def test_servers_words_for_no_system_role_are_known(words: str) -> None:
    assert shapes_refused(words)[:1] == (NO_SYSTEM,)


roles = st.lists(st.sampled_from(["system", "user", "assistant"]), min_size=1, max_size=7)


@given(roles, st.sets(st.sampled_from([NO_SYSTEM, ALTERNATING, USER_FIRST])))
def test_all_words_stay_in_their_order_and_the_shape_is_kept(said: list[str], shape: set[str]) -> None:
    turns = tuple(Message(role=role, content=f"w{number}") for number, role in enumerate(said))  # type: ignore[arg-type]
    found = shaped(turns, frozenset(shape))
    words = "\n\n".join(message.content for message in found if message.content != OPENING)
    assert words.replace(f"{OPENING}\n\n", "").replace(f"\n\n{OPENING}", "").split("\n\n") == [m.content for m in turns]
    kinds = [message.role for message in found]
    if NO_SYSTEM in shape:
        assert "system" not in kinds
    if ALTERNATING in shape:
        assert all(one != other for one, other in pairwise(kinds))
    if USER_FIRST in shape and "assistant" in kinds:
        assert "user" in kinds[: kinds.index("assistant")]
