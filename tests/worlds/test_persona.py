"""A mind's memory is a chat as its model sees it; its policy asks under the right name and says when a talk is over."""

import asyncio

import pytest

from mores.core.card import Sampling
from mores.models.request import OVER, AnswerKey, CallFailed, Reply, Request
from mores.worlds.persona import Memory, ModelPolicy, Persona

PIET = Persona(role="subject", name="Piet", brief="You play Piet.", prompt="y")
SAMPLING = Sampling(temperature=1.0, max_tokens=40)


class Asked:
    """Answers with one reply and keeps the requests."""

    def __init__(self, reply: Reply | None) -> None:
        self.reply = reply
        self.requests: list[Request] = []

    async def ask(self, request: Request) -> Reply:
        self.requests.append(request)
        if self.reply is None:
            raise CallFailed("no connection", "scripted")
        return self.reply


def key_of(role: str, step: int) -> AnswerKey:
    return AnswerKey(unit=f"{role}{step}", truth="a", ways={"a": "A"})


def speak(reply: Reply | None, memory: Memory | None = None) -> tuple[Reply | None, Request]:
    cast = Asked(reply)
    policy = ModelPolicy(cast=cast, sampling=SAMPLING, item="i-1", sample=2, keys=key_of)
    said = asyncio.run(policy.speak(PIET, memory or Memory.of(PIET), 3))
    return said, cast.requests[0]


def test_who_speaks_first_is_told_so_and_who_waits_is_not() -> None:
    assert [(m.role, m.content) for m in Memory.of(PIET, "Begin.").messages] == [
        ("system", "You play Piet."),
        ("user", "Begin."),
    ]
    assert [m.role for m in Memory.of(PIET).messages] == ["system"]


def test_own_words_are_the_assistants_and_all_others_the_users() -> None:
    memory = Memory.of(PIET).add_user("Hello.").add_assistant("Good day.").add_user("Four bowls?")
    assert [m.role for m in memory.messages] == ["system", "user", "assistant", "user"]
    assert [m.content for m in memory.messages][1:] == ["Hello.", "Good day.", "Four bowls?"]


def test_a_memory_is_a_value_that_no_later_turn_changes() -> None:
    first = Memory.of(PIET).add_user("Hello.")
    first.add_assistant("Good day.")
    first.add_user("Well?")
    assert len(first.messages) == 2


def test_a_policy_asks_in_the_name_of_its_mind_at_its_turn_with_all_it_remembers() -> None:
    memory = Memory.of(PIET).add_user("Hello.")
    said, request = speak(Reply(text="Good day."), memory)
    assert said is not None
    assert said.text == "Good day."
    assert request.messages == memory.messages
    assert request.sampling == SAMPLING
    assert (request.tag.item, request.tag.role, request.tag.step, request.tag.sample) == ("i-1", "subject", 3, 2)
    assert request.key == key_of("subject", 3)


def test_a_policy_without_keys_sends_none() -> None:
    cast = Asked(Reply(text="Good day."))
    asyncio.run(ModelPolicy(cast=cast, sampling=SAMPLING, item="i", sample=0).speak(PIET, Memory.of(PIET), 0))
    assert cast.requests[0].key is None


def test_a_recording_that_is_over_is_no_reply_and_no_silence() -> None:
    assert speak(Reply(text="", finish=OVER))[0] is None
    silent = speak(Reply(text=""))[0]
    assert silent is not None
    assert silent.text == ""


def test_a_call_that_failed_is_the_callers_to_handle() -> None:
    with pytest.raises(CallFailed, match="no connection"):
        speak(None)
