"""Answers that come with status 200 and are not what was asked for have a cause, or are told of."""

import json

import pytest
from msgspec.structs import replace

from mores.core.errors import InputError
from mores.models.request import CallFailed, Reply, Usage
from mores.models.usage_checks import FEW, UNSPELLED
from tests.endpoint import Endpoint
from tests.models.clients import FIXED, request
from tests.models.listener import Heard, Say, completion, listening
from tests.models.test_chat_endpoint import chat

SPELLED = replace(FIXED, logprobs=True)


def after_the_probe(body: bytes) -> CallFailed:
    """What becomes of a call that is answered so, by an endpoint that answered the probe well."""
    with listening(lambda heard: Say(completion("ready") if b"one word" in heard.body else body)) as listener:
        (found,), _ = chat(listener.url, request())
    assert isinstance(found, CallFailed)
    return found


@pytest.mark.parametrize(
    ("error", "cause", "passing"),
    [
        ({"message": "Provider returned error", "code": 502}, "http 502", True),
        ({"message": "Rate limit exceeded", "code": "429"}, "http 429", True),
        ({"message": "Provider returned error", "code": 400}, "http 400", False),
        ({"message": "It had an error", "code": None}, "error in the body", True),
        ({"message": "It had an error", "code": "server_error"}, "error in the body", True),
        ("It had an error", "error in the body", True),
    ],
)
def test_an_error_with_status_200_has_its_own_words_and_the_status_that_it_speaks_of(
    error: object, cause: str, passing: bool
) -> None:
    failure = after_the_probe(json.dumps({"error": error}).encode())
    assert (failure.cause, failure.passing) == (cause, passing)
    assert failure.detail == (error if isinstance(error, str) else error["message"])  # type: ignore[index]


def test_an_error_with_status_200_that_names_a_setting_is_learnt_from() -> None:
    refusal = {"error": {"message": "Unsupported parameter: 'temperature'.", "code": 400}}

    def answer(heard: Heard) -> Say:
        return Say(json.dumps(refusal).encode() if b"temperature" in heard.body else completion("True"))

    with listening(answer) as listener:
        (reply,), model = chat(listener.url, request())
    assert isinstance(reply, Reply)
    assert model.capabilities.altered == ("temperature left out, since the endpoint does not take it",)


def test_an_error_with_status_200_never_tells_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MORES_API_KEY", "sk-0123456789")
    failure = after_the_probe(b'{"error": {"message": "no luck with sk-0123456789"}}')
    assert "sk-0123456789" not in str(failure)


@pytest.mark.parametrize("opening", ["data: ", ": waiting\n\ndata: ", "event: message\ndata: "])
def test_a_stream_that_nobody_asked_for_is_named_and_not_asked_for_again(opening: str) -> None:
    piece = json.dumps({"choices": [{"index": 0, "delta": {"content": "True"}}]})
    failure = after_the_probe(f"{opening}{piece}\n\ndata: [DONE]\n\n".encode())
    assert failure.cause == "streamed answer"
    assert not failure.passing
    assert "turn streaming off" in failure.detail


def test_an_endpoint_that_always_streams_stops_the_run_at_its_first_word(endpoint: Endpoint) -> None:
    endpoint.set(faults={"stream": 1.0}, persistent=True)
    (error,), _ = chat(endpoint.url, request())
    assert isinstance(error, InputError)
    assert "turn streaming off" in str(error)


def test_a_model_that_changes_is_told_once_with_both_names(endpoint: Endpoint) -> None:
    _, model = chat(endpoint.url, request("one"), request("two"))
    assert model.capabilities.altered == ()
    named = iter(["first", "first", "second", "third", "second"])

    def answer(_: Heard) -> Say:
        body = json.loads(completion("True"))
        return Say(json.dumps({**body, "model": next(named)}).encode())

    with listening(answer) as listener:
        found, model = chat(listener.url, *(request(f"question {n}") for n in range(4)))
    assert [reply.model for reply in found if isinstance(reply, Reply)] == ["first", "second", "third", "second"]
    assert model.capabilities.altered == ("the endpoint answered as first at first and as second later",)


def test_usage_of_null_is_estimated(endpoint: Endpoint) -> None:
    body = json.dumps({**json.loads(completion("True")), "usage": None}).encode()
    with listening(lambda _: Say(body)) as listener:
        (reply,), model = chat(listener.url, request())
    assert isinstance(reply, Reply)
    assert reply.usage == Usage(estimated=True)
    assert not model.doubts


@pytest.mark.parametrize(("tokens", "doubted"), [(40, True), (4_000, False)])
def test_a_prompt_that_was_counted_too_short_is_doubted(endpoint: Endpoint, tokens: int, *, doubted: bool) -> None:
    endpoint.set(counted={"prompt_tokens": tokens, "completion_tokens": 1})
    (reply,), model = chat(endpoint.url, request("word " * 4_000))
    assert isinstance(reply, Reply)
    assert reply.usage.estimated is doubted
    assert model.doubts == ({FEW: 1} if doubted else {})


@pytest.mark.parametrize(("missing", "kept"), [(0, True), (1, False), (9, False)])
def test_log_probabilities_of_other_words_are_left_out_and_told(
    endpoint: Endpoint, missing: int, *, kept: bool
) -> None:
    endpoint.set(reply="It is polite.", spelled=True, unspelled=missing)
    (reply,), model = chat(endpoint.url, request(sampling=SPELLED))
    assert isinstance(reply, Reply)
    assert (reply.logprobs is not None) is kept
    assert model.capabilities.altered == (() if kept else (UNSPELLED,))


def test_an_answer_that_was_cut_says_so(endpoint: Endpoint) -> None:
    endpoint.set(reply="It is polite.", cut=4)
    (reply,), _ = chat(endpoint.url, request())
    assert isinstance(reply, Reply)
    assert (reply.text, reply.finish) == ("It i", "length")
