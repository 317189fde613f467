"""A model without a chat template is asked by a text that it goes on with, and answers as any other."""

import asyncio
import json

import pytest
from msgspec import structs

from mores.core.card import SubjectSettings
from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.core.transcript import Message
from mores.models.completion import read_reply
from mores.models.registry import Connection, open_model
from mores.models.request import Reply, Request
from mores.models.request_body import as_chat, as_text, form
from tests.models.clients import FIXED, put, request
from tests.models.listener import Heard, Say, completion, listening

TEXT = SubjectSettings(completions=form()).over(FIXED)
NO_TEMPLATE = [
    "As of transformers v4.44, default chat template is no longer allowed, so you must provide a chat template.",
    "This is not a chat model and thus not supported in the v1/chat/completions endpoint.",
    '"base:latest" does not support chat',
    "tokenizer.chat_template is not set",
]


def text_completion(text: str, finish: str = "stop", logprobs: object = None) -> bytes:
    choice = {"index": 0, "text": text, "finish_reason": finish, "logprobs": logprobs}
    usage = {"prompt_tokens": 40, "completion_tokens": 1}
    return json.dumps({"object": "text_completion", "model": "m", "choices": [choice], "usage": usage}).encode()


def base(heard: Heard) -> Say:
    """Says A after a text, and knows no chat."""
    if heard.target.endswith("/chat/completions"):
        return Say(json.dumps({"error": {"message": NO_TEMPLATE[0]}}).encode(), 400)
    return Say(text_completion(" A", "length"))


def asked(url: str, *requests: Request) -> list[Reply]:
    model = open_model("vllm/base", Seed("test"), Connection(base_url=url, timeout=5.0))

    async def go() -> list[Reply]:
        try:
            return [await put(model, each) for each in requests]
        finally:
            await model.close()

    return asyncio.run(go())


def test_a_question_stands_in_its_own_words_before_the_answer() -> None:
    assert as_text([Message(role="user", content="Which?\nA. One\n\n")]) == "Which?\nA. One\n\nAnswer:"


def test_a_talk_is_a_transcript_with_a_name_before_each_turn() -> None:
    talk = [
        Message(role="system", content="You are [[a guest]]."),
        Message(role="user", content="Welcome!"),
        Message(role="assistant", content="Thank you."),
        Message(role="user", content="Tea?"),
    ]
    text = as_text(talk)
    assert text.startswith("You are [[a guest]].\n\n")
    assert text.endswith("They: Welcome!\nYou: Thank you.\nThey: Tea?\nYou:")


def test_the_text_goes_to_completions_with_stops_and_no_messages() -> None:
    with listening(base) as listener:
        (reply,) = asked(listener.url, request("Which?", sampling=TEXT))
    assert (reply.text.strip(), reply.finish, reply.usage.input) == ("A", "length", 40)
    assert {heard.target for heard in listener.heard} == {"/v1/completions"}
    probe, call = (json.loads(heard.body) for heard in listener.heard)
    assert probe["prompt"].endswith("\n\nAnswer:")
    assert call["prompt"] == "Which?\n\nAnswer:"
    assert call["stop"] == ["\n"]
    assert "messages" not in call
    assert call["max_tokens"] == FIXED.max_tokens


def test_a_long_answer_ends_where_another_turn_begins() -> None:
    long = SubjectSettings(completions=form()).over(type(FIXED)(temperature=0.0, max_tokens=400))
    with listening(base) as listener:
        asked(listener.url, request("Why?", sampling=long))
    assert json.loads(listener.heard[-1].body)["stop"] == ["\nQuestion:", "\nAnswer:", "\nThey:", "\nYou:"]


def test_no_schema_is_sent_with_a_text() -> None:
    schema = '{"type":"object","properties":{}}'
    with listening(base) as listener:
        (reply,) = asked(listener.url, structs.replace(request("Which?", sampling=TEXT), schema=schema))
    assert reply.text == " A"
    assert all(b"response_format" not in heard.body for heard in listener.heard)


def test_chats_and_texts_of_one_model_stay_apart() -> None:
    def both(heard: Heard) -> Say:
        return Say(text_completion(" A")) if heard.target.endswith("/v1/completions") else Say(completion("B"))

    with listening(both) as listener:
        texts = asked(listener.url, request("Which?", sampling=TEXT), request("Which?", sampling=FIXED))
    assert [reply.text for reply in texts] == [" A", "B"]


def test_tokens_of_a_text_are_read_as_those_of_a_chat() -> None:
    weighed = {"tokens": [" A", "."], "token_logprobs": [-0.25, -1.5], "top_logprobs": None, "text_offset": [0, 2]}
    reply = read_reply(as_chat(text_completion(" A.", logprobs=weighed)), 0.0)
    assert reply.logprobs == ((" A", -0.25), (".", -1.5))


@pytest.mark.parametrize("body", [b"", b"no JSON", b"[]", b'{"error": {}}', b'{"choices": null}', completion("A")])
def test_what_is_no_text_completion_is_left_to_the_reader_of_all(body: bytes) -> None:
    assert as_chat(body) == body


@pytest.mark.parametrize("said", NO_TEMPLATE)
@pytest.mark.parametrize("status", [400, 404])
def test_a_server_that_knows_no_chat_for_a_model_brings_what_to_do(said: str, status: int) -> None:
    refusal = Say(json.dumps({"error": {"message": said}}).encode(), status)
    way_on = "serve it with a chat template, or ask it as a base model: --completions"
    with listening(lambda _: refusal) as listener, pytest.raises(InputError, match=way_on):
        asked(listener.url, request())
