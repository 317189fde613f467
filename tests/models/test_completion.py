"""Thinking is kept apart from the answer, and a body that is none is a failure that may pass."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mores.models.completion import read_reply
from mores.models.error_messages import complaint
from mores.models.request import CallFailed, Reply
from tests.models.listener import completion


def read(text: object, **message: object) -> Reply:
    return read_reply(completion(text, **message), 0.5)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("content", "text", "thought"),
    [
        ("True", "True", ""),
        ("<think>Hm, true?</think>True", "True", "Hm, true?"),
        ("\n<think>\nHm\n</think>\n\nTrue", "True", "Hm"),
        ("<thinking>Hm</thinking>True", "True", "Hm"),
        ("<think></think>True", "True", ""),
        ("<think>False? No, I say False", "", "False? No, I say False"),
        ("Hm, false?</think>True", "True", "Hm, false?"),
        ("<think>a</think>b<think>c</think>", "b", "a\n\nc"),
        ("I think it is true", "I think it is true", ""),
        ("Some <think>s in the middle", "Some <think>s in the middle", ""),
        ("", "", ""),
        (None, "", ""),
        ([{"type": "text", "text": "Tr"}, {"type": "text", "text": "ue"}], "True", ""),
        ([{"type": "thinking", "thinking": [{"text": "Hm"}]}, {"type": "text", "text": "True"}], "True", "Hm"),
        ({"type": "text", "text": "True"}, "True", ""),
        ([{"type": "text", "text": {"value": "True", "annotations": []}}], "True", ""),
    ],
)
def test_answer_and_thinking_are_told_apart(content: object, text: str, thought: str) -> None:
    reply = read(content)
    assert (reply.text, reply.reasoning) == (text, thought)


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
def test_thinking_in_a_field_is_no_answer(name: str) -> None:
    reply = read("True", **{name: "Hm, false?"})
    assert (reply.text, reply.reasoning) == ("True", "Hm, false?")


@given(st.text(max_size=40))
def test_no_text_is_lost(text: str) -> None:
    reply = read(text)
    assert set(reply.text + reply.reasoning) <= set(text)
    if "think" not in text:
        assert reply.text == text


def test_a_refusal_is_marked_and_its_words_kept() -> None:
    reply = read(None, refusal="I won't say.")
    assert reply.refusal
    assert reply.text == "I won't say."
    assert not read("True", refusal=None).refusal


def body(**choice: object) -> bytes:
    whole = {"index": 0, "message": {"role": "assistant", "content": "True"}, **choice}
    return json.dumps({"choices": [whole], "id": "x", "system_fingerprint": None}).encode()


def test_a_filtered_answer_is_a_refusal() -> None:
    assert read_reply(body(finish_reason="content_filter"), 0.1).refusal
    assert not read_reply(body(finish_reason="length"), 0.1).refusal


def test_what_an_endpoint_does_not_say_stays_open() -> None:
    reply = read_reply(body(), 0.1)
    assert (reply.finish, reply.model, reply.logprobs) == ("stop", "", None)
    assert reply.usage.estimated


def test_log_probabilities_and_usage_are_read() -> None:
    tokens = {"content": [{"token": "True", "logprob": -0.1, "bytes": [84], "top_logprobs": []}]}
    assert read_reply(body(logprobs=tokens), 0.1).logprobs == (("True", -0.1),)
    usage = {
        "prompt_tokens": 9, "completion_tokens": 7,
        "completion_tokens_details": {"reasoning_tokens": 5}, "prompt_tokens_details": {"cached_tokens": 8},
    }  # fmt: skip
    read_usage = read_reply(json.dumps({**json.loads(body()), "usage": usage}).encode(), 0.1).usage
    assert (read_usage.input, read_usage.output, read_usage.reasoning, read_usage.cached) == (9, 7, 5, 8)
    assert not read_usage.estimated


@pytest.mark.parametrize(
    ("data", "cause"),
    [
        (b"", "empty body"),
        (b" \n", "empty body"),
        (body()[:-20], "unreadable body"),
        (b"<html>Bad gateway</html>", "unreadable body"),
        (b"\xff\xfe", "unreadable body"),
        (b"{}", "unreadable body"),
        (b"null", "unreadable body"),
        (b'{"choices": [{"index": 0}]}', "unreadable body"),
        (b'{"choices": []}', "no choice in the body"),
        (b'{"error": {"message": "overloaded"}}', "unreadable body"),
    ],
)
def test_a_body_that_is_no_answer_may_pass(data: bytes, cause: str) -> None:
    with pytest.raises(CallFailed) as failure:
        read_reply(data, 0.1)
    assert failure.value.cause == cause
    assert failure.value.passing


@given(st.binary(max_size=60))
def test_junk_never_crashes(data: bytes) -> None:
    with pytest.raises(CallFailed):
        read_reply(data, 0.1)


@pytest.mark.parametrize(
    ("detail", "name"),
    [
        ("Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead.", "max_tokens"),
        ("'temperature' does not support 0.0 with this model.", "temperature"),
        ("Use max_completion_tokens.", None),
        ("The messages are too long.", None),
    ],
)
def test_the_parameter_complained_of_is_found(detail: str, name: str | None) -> None:
    assert complaint(detail, ("max_tokens", "temperature", "top_p", "logprobs")) == name
