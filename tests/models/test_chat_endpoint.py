"""A chat endpoint is learnt by one probe, its failures have names, and the sealed key never leaves."""

import asyncio
import json
import os
import socket
from pathlib import Path

import pytest
from msgspec import structs

from mores.core.card import Sampling
from mores.core.errors import InputError, MoresError, Unreachable
from mores.core.seeds import Seed
from mores.models.openai import ChatEndpoint
from mores.models.registry import Connection, open_model
from mores.models.request import AnswerKey, CallFailed, Reply, Request, Usage
from tests.endpoint import Endpoint
from tests.models.clients import FIXED, KEY, RANDOM, ask_all, at_door, put, request
from tests.models.listener import Heard, Say, completion, listening


def chat(
    url: str, *requests: Request, spec: str = "vllm/test", timeout: float = 5.0
) -> tuple[list[object], ChatEndpoint]:
    """All replies or failures, asked one at a time, and the model as it was then."""
    model = open_model(spec, Seed("test"), Connection(base_url=url, typed=True, timeout=timeout))
    assert isinstance(model, ChatEndpoint)

    async def one(each: Request) -> object:
        try:
            return await put(model, each)
        except (CallFailed, MoresError) as error:
            return error

    async def go() -> list[object]:
        try:
            return [await one(each) for each in requests]
        finally:
            await model.close()

    return asyncio.run(go()), model


def replies(url: str, *requests: Request, **options: str | float) -> list[Reply]:
    found, _ = chat(url, *requests, **options)  # type: ignore[arg-type]
    assert all(isinstance(each, Reply) for each in found), found
    return [each for each in found if isinstance(each, Reply)]


def test_what_was_said_comes_back_with_its_usage(endpoint: Endpoint) -> None:
    endpoint.set(reply="B")
    (reply,) = replies(endpoint.url, request())
    assert (reply.text, reply.finish, reply.model, reply.refusal) == ("B", "stop", "test", False)
    assert reply.usage.input > 0
    assert not reply.usage.estimated
    assert reply.seconds > 0


def test_one_probe_serves_all_calls(endpoint: Endpoint) -> None:
    async def go() -> None:
        model = open_model("vllm/test", Seed("test"), Connection(base_url=endpoint.url))
        await asyncio.gather(*(put(model, request(f"Question {n}")) for n in range(30)))
        await model.close()

    asyncio.run(go())
    assert endpoint.counts().requests == 31


@pytest.mark.parametrize(
    ("counted", "why"),
    [
        ({"prompt_tokens": -5_000, "completion_tokens": 1}, "less than no tokens"),
        ({"prompt_tokens": 5, "completion_tokens": -1}, "less than no tokens"),
        ({"prompt_tokens": 2**63, "completion_tokens": 1}, "more tokens than the call can have had"),
        ({"prompt_tokens": 5, "completion_tokens": 10**30}, "more tokens than the call can have had"),
        ({"prompt_tokens": 5.5, "completion_tokens": 1}, "what is no number of tokens"),
        ({"prompt_tokens": "5", "completion_tokens": 1}, "what is no number of tokens"),
        ({"prompt_tokens": True}, "what is no number of tokens"),
        (["none"], "what is no number of tokens"),
    ],
)
def test_counts_of_tokens_that_cannot_be_are_not_believed(endpoint: Endpoint, counted: object, why: str) -> None:
    endpoint.set(counted=counted)
    (reply,), model = chat(endpoint.url, request())
    assert isinstance(reply, Reply)
    assert reply.usage == Usage(estimated=True)
    assert model.doubts == {why: 2}  # of the probe and of the call


@pytest.mark.parametrize("key", ["sk-one\nsk-two", "sk one", "sk-\x00", "sk-ключ"])
def test_what_cannot_be_a_key_is_refused_by_the_name_of_its_variable(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setattr("os.environ", {**os.environ, "OPENAI_API_KEY": key})  # the system takes no zero byte
    with pytest.raises(
        InputError, match="OPENAI_API_KEY: it holds a line break, a space or another character"
    ) as refused:
        chat(endpoint.url, request(), spec="openai/test")
    assert key not in str(refused.value)
    assert endpoint.counts().requests == 0


def test_what_an_endpoint_refuses_is_learnt_once_and_noted(endpoint: Endpoint) -> None:
    endpoint.set(reject=("max_tokens", "temperature"), reply="B")
    found, model = chat(endpoint.url, *(request(f"Question {n}") for n in range(5)))
    assert [getattr(each, "text", each) for each in found] == ["B"] * 5
    assert endpoint.counts().statuses == {"400": 2, "200": 6}
    altered = " ".join(model.capabilities.altered)
    assert "max_completion_tokens instead of max_tokens" in altered
    assert "temperature left out" in altered


def test_a_request_that_stays_refused_stops_the_run(endpoint: Endpoint) -> None:
    endpoint.set(reject=("messages",))
    (error,), _ = chat(endpoint.url, request())
    assert isinstance(error, InputError)
    assert "the endpoint refuses every call (http 400" in str(error)


@pytest.mark.parametrize("place", ["field", "think"])
def test_a_limit_on_the_answer_never_starves_thinking(endpoint: Endpoint, place: str) -> None:
    endpoint.set(reasoning=place, reasoning_tokens=4_000, reply="B")
    found, model = chat(endpoint.url, *(request(f"Question {n}") for n in range(3)))
    assert [(each.text, each.reasoning) for each in found if isinstance(each, Reply)] == [
        ("B", "Let me think about this.")
    ] * 3
    assert any("room for thinking" in note for note in model.capabilities.altered)


def test_an_endpoint_that_does_not_think_is_sent_the_limit_itself() -> None:
    with listening() as listener:
        replies(listener.url, request(), request(sampling=structs.replace(FIXED, max_tokens=3)))
    assert [json.loads(heard.body)["max_tokens"] for heard in listener.heard] == [8, 8, 3]


def test_only_what_was_set_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-nobody")
    with listening() as listener:
        replies(listener.url, request(sampling=Sampling()), request(sampling=RANDOM), spec="openai/test")
    sent = [json.loads(heard.body) for heard in listener.heard]
    assert sent[1] == {"model": "test", "messages": [{"role": "user", "content": "Is it so?"}]}
    assert sent[2]["temperature"] == 0.8
    assert listener.heard[0].target == "/v1/chat/completions"


def test_the_sealed_key_is_never_sent() -> None:
    key = AnswerKey(unit="sealed-unit", truth="sealed-truth", ways={"sealed-way": "sealed-words"}, place="sealed-place")
    with listening() as listener:
        replies(
            listener.url,
            structs.replace(request(item="sealed-item"), key=key),
            structs.replace(request("Other"), key=KEY),
        )
    assert len(listener.heard) == 3
    for heard in listener.heard:
        assert b"sealed" not in heard.body
        assert "sealed" not in str(heard)


@pytest.mark.parametrize(
    ("fault", "cause"),
    [
        ("429", "http 429"), ("500", "http 500"), ("503", "http 503"), ("drop", "broken connection"),
        ("cut", "broken connection"), ("half", "unreadable body"), ("empty", "empty body"), ("stall", "time-out"),
        ("no-choices", "no choice in the body"),
    ],
)  # fmt: skip
def test_what_may_pass_has_a_name(endpoint: Endpoint, fault: str, cause: str) -> None:
    async def go() -> CallFailed:
        model = open_model("vllm/test", Seed("test"), Connection(base_url=endpoint.url, timeout=0.5))
        try:
            await put(model, request("warm"))
            endpoint.set(faults={fault: 1.0}, persistent=True)
            with pytest.raises(CallFailed) as failure:
                await put(model, request())
            return failure.value
        finally:
            await model.close()

    failed = asyncio.run(go())
    assert failed.cause == cause
    assert failed.passing


def failure_after(endpoint: Endpoint, wait: str) -> CallFailed:
    """What becomes of a call that is told to come again later in these words."""

    async def go() -> CallFailed:
        model = open_model("vllm/test", Seed("test"), Connection(base_url=endpoint.url))
        try:
            await put(model, request("warm"))
            endpoint.set(faults={"429-after": 1.0}, persistent=True, retry_after=wait)
            with pytest.raises(CallFailed) as failure:
                await put(model, request())
            return failure.value
        finally:
            await model.close()

    return asyncio.run(go())


def test_how_long_to_wait_is_read_from_the_answer(endpoint: Endpoint) -> None:
    assert failure_after(endpoint, "2.5").wait == 2.5


@pytest.mark.parametrize(
    "wait", ["²", "Thu, 01 Jan 1970 00:00:00 +99999999999999", "Fri, 31 Feb 99999 99:99:99 -9999", "-1", "9" * 5_000]
)
def test_a_wait_of_no_use_is_a_failure_that_may_pass(endpoint: Endpoint, wait: str) -> None:
    failure = failure_after(endpoint, wait)
    assert (failure.cause, failure.passing) == ("http 429", True)


def test_a_probe_that_failed_in_passing_is_made_again(endpoint: Endpoint) -> None:
    endpoint.set(faults={"500": 1.0}, fault_tries=1, reply="B")
    found, _ = chat(endpoint.url, *[request()] * 3)
    assert [getattr(each, "cause", "answered") for each in found] == ["http 500", "http 500", "answered"]
    assert endpoint.counts().faults == {"500": 2}  # the probe, and the first attempt at the question


@pytest.mark.parametrize(("rules", "share"), [({"refusals": 1.0}, "can't help"), ({"filtered": 1.0}, "")])
def test_refusals_and_filtered_answers_are_refusals(endpoint: Endpoint, rules: dict[str, float], share: str) -> None:
    endpoint.set(**rules)
    (reply,) = replies(endpoint.url, request())
    assert reply.refusal
    assert share in reply.text


def test_a_refused_key_names_its_variable(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    endpoint.set(key="right")
    monkeypatch.setenv("OPENAI_API_KEY", "wrong-key-1234567")
    (error,), _ = chat(endpoint.url, request(), spec="openai/test")
    assert isinstance(error, InputError)
    assert "set OPENAI_API_KEY" in str(error)
    assert "wrong-key" not in str(error)
    monkeypatch.setenv("OPENAI_API_KEY", "right")
    (reply,), _ = chat(endpoint.url, request(), spec="openai/test")
    assert isinstance(reply, Reply)


def test_an_unknown_model_is_the_callers_slip(endpoint: Endpoint) -> None:
    endpoint.set(models=("known",))
    (error,), _ = chat(endpoint.url, request())
    assert isinstance(error, InputError)
    assert f"vllm/test: no such model or address at {endpoint.url} (http 404" in str(error)


def test_an_address_where_nobody_is_is_said(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    model = open_model("vllm/test", Seed("test"), Connection(base_url=f"http://127.0.0.1:{port}/v1"))
    (error,) = at_door(tmp_path, model, ask_all(request()))
    assert isinstance(error, Unreachable)
    assert f"nobody answers at http://127.0.0.1:{port}/v1" in str(error)


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "http_proxy"])
def test_a_proxy_is_asked_where_one_is_set(monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    with listening() as proxy:
        monkeypatch.setenv(variable, proxy.url.removesuffix("/v1"))
        (reply,) = replies("http://models.example.org/v1", request())
    assert reply.text == "True"
    assert {heard.target for heard in proxy.heard} == {"http://models.example.org/v1/chat/completions"}


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_proxy_is_never_told_the_key(monkeypatch: pytest.MonkeyPatch, scheme: str) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-nobody")
    monkeypatch.setenv("MORES_ALLOW_HTTP", "1")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    with listening() as proxy:
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
            monkeypatch.setenv(name, proxy.url.removesuffix("/v1"))
        chat(f"{scheme}://models.example.org/v1", request(), spec="openai/test")
    assert proxy.heard
    assert all("Proxy-Authorization" not in heard.headers for heard in proxy.heard)
    to_proxy = [heard for heard in proxy.heard if scheme == "https"]  # plain words pass through it, as they must
    assert all("sk-of-nobody" not in str(heard) for heard in to_proxy)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_an_endpoint_that_points_elsewhere_is_not_followed_and_the_place_is_named(status: int) -> None:
    with listening() as other:
        with listening(lambda _: Say(b"", status, f"{other.url}/chat/completions")) as listener:
            (error,), _ = chat(listener.url, request())
        assert other.heard == []
    assert isinstance(error, InputError)
    assert f"http {status}: it points to {other.url}/chat/completions; name that address" in str(error)


def test_no_proxy_is_asked_for_hosts_that_are_excepted(monkeypatch: pytest.MonkeyPatch) -> None:
    with listening() as listener, listening() as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url.removesuffix("/v1"))
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        replies(listener.url, request())
    assert proxy.heard == []
    assert len(listener.heard) == 2


@pytest.mark.parametrize("status", [400, 401, 403, 404, 418, 500])
def test_a_key_that_an_endpoint_says_back_is_not_passed_on(monkeypatch: pytest.MonkeyPatch, status: int) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret-0123456789")

    def echo(heard: Heard) -> Say:
        if b"ready" in heard.body:
            return Say(completion("ready"))
        return Say(f"no: {'x' * 370} {heard.headers}".encode(), status)

    with listening(echo) as listener:
        (failure,), _ = chat(listener.url, request(), spec="openai/test")
    assert isinstance(failure, CallFailed)
    assert "secret" not in f"{failure} {failure.detail}"
    assert any("sk-very-secret" in str(heard.headers) for heard in listener.heard)


def test_a_server_error_that_says_the_key_at_the_probe_is_not_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret-0123456789")
    with listening(lambda heard: Say(str(heard.headers).encode(), 401)) as listener:
        (error,), _ = chat(listener.url, request(), spec="openai/test")
    assert isinstance(error, InputError)
    assert "secret" not in str(error)


@pytest.mark.parametrize("key", ["sk-right\n", " sk-right", "sk-right\r\n"])
def test_white_space_about_a_key_is_taken_off(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    endpoint.set(key="sk-right")
    monkeypatch.setenv("OPENAI_API_KEY", key)
    (reply,), _ = chat(endpoint.url, request(), spec="openai/test")
    assert isinstance(reply, Reply)


def test_an_answer_on_the_very_edge_of_the_time_out_is_an_answer_or_a_time_out(endpoint: Endpoint) -> None:
    endpoint.set(reply="B")

    async def one(model: ChatEndpoint, number: int) -> str:
        try:
            return (await put(model, request(f"Question {number}"))).text
        except CallFailed as failure:
            return failure.cause

    async def go() -> list[str]:
        model = open_model("vllm/test", Seed("test"), Connection(base_url=endpoint.url, window=100, timeout=0.2))
        assert isinstance(model, ChatEndpoint)
        try:
            await put(model, request("warm"))
            found = []
            for latency in (185, 195, 200, 205):
                endpoint.set(latency_ms=latency)
                found += await asyncio.gather(*(one(model, latency * 1000 + n) for n in range(100)))
            endpoint.set(latency_ms=0)
            return [*found, await one(model, 1)]
        finally:
            await model.close()

    found = asyncio.run(go())
    assert set(found) <= {"B", "time-out"}
    assert found[-1] == "B"
