"""Requests in the layouts of providers' batches, and their results as the door to models reads them."""

import json
from typing import Any

import msgspec
import pytest

from mores.core.errors import InputError
from mores.models.batch.formats import LAYOUTS, BatchFormat, LayoutName, layout_of
from mores.models.batch.results import BatchResult, read_anthropic, read_gemini, read_openai
from mores.models.budget import Price
from mores.models.completion import read_reply
from mores.models.request import BatchedCall, Reply, Usage

BODY: dict[str, Any] = {
    "model": "m",
    "temperature": 1.3,
    "top_p": 0.9,
    "logprobs": True,
    "response_format": {"type": "json_schema", "json_schema": {"name": "reply", "schema": {"type": "object"}}},
    "messages": [
        {"role": "system", "content": "You live in Tbilisi."},
        {"role": "user", "content": "Who pours?"},
        {"role": "assistant", "content": "The tamada"},
    ],
    "seed": 4,
    "max_tokens": 30,
}


def laid_out(layout: LayoutName, **more: Any) -> Any:
    """A request in a layout."""
    return json.loads(LAYOUTS[layout].line(BatchedCall("k", msgspec.json.encode({**BODY, **more}))))


def reply(came: BatchResult) -> Reply:
    """The reply in what came of a request."""
    assert came.completion is not None
    return read_reply(msgspec.json.encode(came.completion), 0.0)


@pytest.mark.parametrize("layout", ["openai", "vllm"])
def test_openai_and_vllm_get_the_body_as_it_would_have_been_sent(layout: LayoutName) -> None:
    line = {"custom_id": "k", "method": "POST", "url": "/v1/chat/completions", "body": BODY}
    assert laid_out(layout) == line


def test_anthropic_gets_its_own_request_without_what_its_compatible_endpoint_passes_over() -> None:
    assert laid_out("anthropic", thinking={"type": "adaptive"}) == {
        "custom_id": "k",
        "params": {
            "model": "m",
            "max_tokens": 30,
            "system": "You live in Tbilisi.",
            "messages": BODY["messages"][1:],
            "temperature": 1.0,
            "top_p": 0.9,
            "thinking": {"type": "adaptive"},
        },
    }


def test_gemini_gets_its_own_request_with_schema_and_thinking() -> None:
    row = laid_out("gemini", reasoning_effort="low")
    assert row["key"] == "k"
    assert row["request"] == {
        "system_instruction": {"parts": [{"text": "You live in Tbilisi."}]},
        "contents": [
            {"role": "user", "parts": [{"text": "Who pours?"}]},
            {"role": "model", "parts": [{"text": "The tamada"}]},
        ],
        "generation_config": {
            "temperature": 1.3,
            "top_p": 0.9,
            "seed": 4,
            "max_output_tokens": 30,
            "response_logprobs": True,
            "response_mime_type": "application/json",
            "response_json_schema": {"type": "object"},
            "thinking_config": {"thinking_budget": 1_024},
        },
    }


def test_what_gemini_has_no_place_for_is_refused_and_not_left_out() -> None:
    with pytest.raises(InputError, match="no place for min_p"):
        laid_out("gemini", min_p=0.1)


def test_files_stay_within_the_limits_and_hold_each_request_once() -> None:
    calls = [BatchedCall(f"{n:02}", b'{"n":%d}' % (n % 5)) for n in range(20)]
    by_count = BatchFormat(line=LAYOUTS["vllm"].line, requests=6)
    by_size = BatchFormat(line=LAYOUTS["vllm"].line, size=400)
    for layout in (by_count, by_size):
        files = list(layout.files(reversed(calls)))
        assert files == list(layout.files(calls))
        assert sorted(name for _, names in files for name in names) == [call.id for call in calls]
        assert all(data.count(b"\n") == len(names) for data, names in files)
    assert [len(names) for _, names in by_count.files(calls)] == [6, 6, 6, 2]
    assert max(len(data) for data, _ in by_size.files(calls)) <= 400
    (whole,) = LAYOUTS["anthropic"].files([BatchedCall("k", msgspec.json.encode(BODY))])
    assert len(json.loads(whole[0])["requests"]) == 1


@pytest.mark.parametrize(
    ("spec", "layout"),
    [("openai/m", "openai"), ("groq/m", "openai"), ("anthropic/m", "anthropic"), ("google/m", "gemini"),
     ("vllm/m", "vllm")],
)  # fmt: skip
def test_a_provider_tells_its_layout(spec: str, layout: str) -> None:
    assert layout_of(spec, None, None) == layout


@pytest.mark.parametrize(("spec", "url"), [("ollama/m", None), ("openai/m", "http://localhost:8000/v1")])
def test_a_layout_that_cannot_be_told_is_asked_for(spec: str, url: str | None) -> None:
    with pytest.raises(InputError, match="name it: --batch-format"):
        layout_of(spec, url, None)
    assert layout_of(spec, url, "vllm") == "vllm"


def test_a_message_of_anthropic_is_read_with_thinking_apart_and_all_its_tokens() -> None:
    message = {
        "model": "m",
        "stop_reason": "max_tokens",
        "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "A"}],
        "usage": {"input_tokens": 7, "output_tokens": 5, "cache_read_input_tokens": 3},
    }
    said = reply(read_anthropic({"custom_id": "k", "result": {"type": "succeeded", "message": message}}, ""))
    assert (said.text, said.reasoning, said.finish, said.model) == ("A", "hm", "length", "m")
    assert said.usage == Usage(input=10, output=5, cached=3)


def test_a_response_of_gemini_is_read_with_thinking_tokens_and_log_probabilities() -> None:
    token, other = {"token": "A", "logProbability": -0.1}, {"token": "B", "logProbability": -2.5}
    response = {
        "modelVersion": "m",
        "candidates": [{
            "finishReason": "STOP",
            "content": {"parts": [{"text": "hm", "thought": True}, {"text": "A"}]},
            "logprobsResult": {"chosenCandidates": [token], "topCandidates": [{"candidates": [token, other]}]},
        }],
        "usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 1, "thoughtsTokenCount": 4},
    }  # fmt: skip
    said = reply(read_gemini({"key": "k", "response": response}, ""))
    assert (said.text, said.reasoning, said.logprobs) == ("A", "hm", (("A", -0.1),))
    assert said.usage == Usage(input=9, output=5, reasoning=4)


@pytest.mark.parametrize(
    "came",
    [
        read_anthropic({"custom_id": "k", "result": {"type": "succeeded", "message": {
            "content": [], "stop_reason": "refusal"}}}, ""),
        read_gemini({"key": "k", "response": {"promptFeedback": {"blockReason": "SAFETY"}}}, ""),
    ],
)  # fmt: skip
def test_a_refusal_is_an_answer(came: BatchResult) -> None:
    assert reply(came).refusal


def failed(row: dict[str, Any]) -> BatchResult:
    """A row of results of an OpenAI batch."""
    return read_openai({"custom_id": "k", "error": None, "response": None, **row}, "")


@pytest.mark.parametrize(
    ("came", "cause", "passing"),
    [
        (failed({"error": {"code": "batch_expired", "message": "late"}}), "batch_expired", True),
        (failed({"response": {"status_code": 429, "body": {"error": {"message": "slow"}}}}), "http 429", True),
        (failed({"response": {"status_code": 400, "body": {"error": {"message": "no"}}}}), "http 400", False),
        (failed({"response": {"status_code": 400}, "error": {"error": {"message": "no"}}}), "http 400", False),
        (failed({"response": {"status_code": 401, "body": {"error": {"message": "key"}}}}), "http 401", True),
        (read_anthropic({"custom_id": "k", "result": {"type": "expired"}}, ""), "expired", True),
        (read_anthropic({"custom_id": "k", "result": {"type": "errored", "error": {
            "type": "error", "error": {"type": "invalid_request_error", "message": "no"}}}}, ""), "http 400", False),
        (read_gemini({"key": "k", "error": {"code": 8, "message": "slow"}}, ""), "http 429", True),
        (read_gemini({"key": "k", "error": {"code": 400, "message": "no"}}, ""), "http 400", False),
    ],
)  # fmt: skip
def test_a_failure_has_the_cause_that_a_call_would_have_and_only_a_request_s_own_fault_is_final(
    came: BatchResult, cause: str, passing: bool
) -> None:
    assert came.failure is not None
    assert (came.failure.cause, came.failure.passing) == (cause, passing)


def test_tokens_of_a_batch_cost_half() -> None:
    price = Price(0.002, 0.01)
    assert price.of(Usage(input=10, output=3, batch=True)) == pytest.approx(price.of(Usage(input=10, output=3)) / 2)
