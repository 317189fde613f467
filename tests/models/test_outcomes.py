"""What became of a call is told by one set of tables, whatever word, status or place a provider tells it in."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mores.core.errors import InputError, NotServed
from mores.models.batch.results import read_openai
from mores.models.completion import MARKED, REPAIRED, read_reply
from mores.models.logs.logged_reply import Logged, reply_of
from mores.models.outcomes import FINISHES, OutcomeKind, disguised, read_error, read_finish
from mores.models.request import CallFailed, Reply
from tests.models.clients import request
from tests.models.listener import Heard, Say, completion, listening
from tests.models.test_chat_endpoint import chat

MINUTE = "GenerateRequestsPerMinutePerProjectPerModel-FreeTier"
GOOGLE = {
    "error": {
        "code": 429,
        "status": "RESOURCE_EXHAUSTED",
        "message": "You exceeded your current quota, please check your plan and billing details.",
        "details": [{"violations": [{"quotaId": MINUTE.replace("Minute", "Day")}]}, {"retryDelay": "34s"}],
    }
}
GROQ = (
    "Rate limit reached for model `m` in organization `o` service tier `on_demand` on tokens per {0} ({1}): Limit 5, "
    "Used 5. Please try again in 7.5s. Need more tokens? Upgrade at https://console.groq.com/settings/billing"
)


OF_NO_TABLE = (
    "zigzag", "safety_block", "POLICY_VIOLATION", "max_total_tokens", "out of context", "connection_error",
    "worker_died",
)  # fmt: skip


def ended(word: object, text: str | None = "True", **choice: Any) -> bytes:
    """A completion that ended with a word of its provider's."""
    whole = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": word, **choice}
    return json.dumps({"choices": [whole], "model": "m"}).encode()


@pytest.mark.parametrize(
    ("word", "kind", "finish"),
    [
        ("stop", "answer", "stop"),
        (None, "answer", "stop"),
        ("end_turn", "answer", "stop"),
        ("eos", "answer", "stop"),
        ("COMPLETE", "answer", "stop"),
        ("MAX_TOKENS", "cut", "length"),
        ("model_length", "cut", "length"),
        ("max-tokens", "cut", "length"),
        ("REASON_MAX_LEN", "cut", "length"),
        ({"type": "length"}, "cut", "length"),
        ("ERROR_LIMIT", "cut", "length"),
        ("sensitive", "refusal", "sensitive"),
        ("SAFETY", "refusal", "safety"),
        ("content_filter: PROHIBITED_CONTENT", "refusal", "content_filter"),
        ("contentFilter", "refusal", "content_filter"),
        ("FINISH_REASON_SPII", "refusal", "spii"),
        ("guardrail_intervened", "refusal", "guardrail_intervened"),
        ("ERROR_TOXIC", "refusal", "error_toxic"),
        ("error", "passing", "error"),
        ("abort", "passing", "abort"),
        ("network_error", "passing", "network_error"),
        ("USER_CANCEL", "passing", "user_cancel"),
        ("insufficient_system_resource", "passing", "insufficient_system_resource"),
        ("zigzag", "answer", "zigzag"),
        ("safety_block", "refusal", "safety_block"),
        ("POLICY_VIOLATION", "refusal", "policy_violation"),
        ("max_total_tokens", "cut", "length"),
        ("out of context", "cut", "length"),
        ("connection_error", "passing", "connection_error"),
        ("worker_died", "passing", "worker_died"),
    ],
)
def test_the_word_for_an_end_says_the_same_in_live_calls_and_in_logs(
    word: object, kind: OutcomeKind, finish: str
) -> None:
    found = read_finish(word)
    assert (found.kind, found.word, found.known) == (kind, finish, word not in OF_NO_TABLE)
    logged = Logged(where="f", item="i", reply=reply_of("True", finish=word if isinstance(word, str) else finish))
    if kind == "passing":
        assert logged.reply is None
        assert "broken off" in logged.failed
        with pytest.raises(CallFailed) as failure:
            read_reply(ended(word), 0.0)
        assert failure.value.passing
        return
    live = read_reply(ended(word), 0.0)
    assert logged.reply is not None
    assert (live.finish, live.refusal) == (logged.reply.finish, logged.reply.refusal) == (finish, kind == "refusal")


@given(st.sampled_from(sorted(FINISHES)), st.sampled_from(["{0}", "{1}", " {0} ", "FINISH_REASON_{1}", "{2}"]))
def test_spelling_changes_nothing(word: str, form: str) -> None:
    assert read_finish(form.format(word, word.upper(), word.replace("_", "-"))).kind == FINISHES[word]


@given(st.text() | st.none() | st.integers() | st.dictionaries(st.text(), st.integers()) | st.lists(st.text()))
def test_any_word_for_an_end_is_taken(word: object) -> None:
    assert read_finish(word).kind in {"answer", "cut", "refusal", "passing"}


def test_a_word_that_nobody_knows_leaves_the_answer_and_is_counted() -> None:
    with listening(lambda _: Say(ended("zigzag"))) as listener:
        found, model = chat(listener.url, request("one"), request("two"))
    assert [reply.text for reply in found if isinstance(reply, Reply)] == ["True", "True"]
    assert model.remarks == {
        "an unknown word for the end of an answer, 'zigzag'; the answer stands": 3
    }  # with the probe


def test_a_word_of_no_table_is_taken_by_its_parts_and_counted() -> None:
    noted: list[str] = []
    assert read_reply(ended("output_censored", "Tr"), 0.0, note=noted.append).refusal
    assert noted == ["an unknown word for the end of an answer, 'output_censored'; taken for a refusal"]


@pytest.mark.parametrize(
    ("status", "words", "kind"),
    [
        (429, json.dumps(GOOGLE), "end"),
        (429, json.dumps(GOOGLE).replace("PerDay", "PerMinute"), "passing"),
        (429, GROQ.format("day", "TPD"), "end"),
        (429, GROQ.format("minute", "TPM"), "passing"),
        (429, "You exceeded your current quota. code: insufficient_quota", "end"),
        (429, "litellm.RateLimitError: You exceeded your current quota, please check your plan", "end"),
        (429, "Rate limit exceeded: free-models-per-day. Add 10 credits", "end"),
        (429, "Rate limit exceeded: free-models-per-min.", "passing"),
        (429, "Rate limit of 50 per 86400s exceeded for UserByModelByDay.", "end"),
        (429, "Throttling.RateQuota: Requests rate limit exceeded", "passing"),
        (429, "Throttling.AllocationQuota: Allocated quota exceeded, please increase your quota limit.", "passing"),
        (429, "ThrottlingException: Too many tokens per day, please wait", "end"),
        (429, "limited to 1000 API calls / month", "end"),
        (429, "Insufficient balance. Please recharge.", "end"),
        (429, "Resource has been exhausted (e.g. check quota).", "passing"),
        (429, "Provider returned error", "passing"),
        (429, "exceeded token rate limit of your pricing tier. Please retry after 9 seconds.", "passing"),
        (402, "Insufficient credits", "end"),
        (401, "User not found.", "end"),
        (404, "no such model", "end"),
        (400, "triggered Azure OpenAI's content management policy. content_filter", "refusal"),
        (
            400,
            '{"code": "data_inspection_failed", "message": "Input data may contain inappropriate content."}',
            "refusal",
        ),
        (403, "Your chosen model requires moderation and your input was flagged", "refusal"),
        (400, "your prompt was flagged as potentially violating our usage policy", "refusal"),
        (400, "Content Exists Risk", "refusal"),
        (403, "Content violates usage guidelines.", "refusal"),
        (500, "Output blocked by content filtering policy", "refusal"),
        (451, "", "refusal"),
        (400, "prompt blocked", "refusal"),
        (503, "The content filter service is unavailable", "passing"),
        (400, "This model's maximum context length is 8192 tokens", "failure"),
        (422, "bad field", "failure"),
        (500, "oops", "passing"),
        (0, "It had an error", "passing"),
        (0, "insufficient balance", "end"),
        (0, "Unexpected endpoint or method. (POST /chat/completions)", "end"),
        (0, "model 'x' not found", "end"),
        (0, "Access token invalid or no longer valid", "end"),
        (400, "API key not valid. Please pass a valid API key.", "end"),
        (400, "Your credit balance is too low to access the Anthropic API.", "end"),
        (400, "ThrottlingException: Too many requests", "passing"),
        (424, "Request failed during generation", "passing"),
        (498, "Flex tier capacity exceeded", "passing"),
        (521, "<html>Web server is down</html>", "passing"),
        (501, "not implemented", "failure"),
        (403, "Your account was deactivated for a violation of our usage policies", "end"),
        (403, "<!DOCTYPE html><p>This content is blocked by your organization</p>", "end"),
        (400, "Unknown parameter: 'content_filter'", "failure"),
        (429, "You have reached your usage limits", "end"),
        (429, "Too many requests. Usage limits are told at https://x.example.org", "passing"),
    ],
)
def test_an_error_is_of_one_kind_by_its_status_and_its_words(status: int, words: str, kind: OutcomeKind) -> None:
    assert read_error(status, words).kind == kind


@given(st.integers(0, 599), st.text(), st.none() | st.floats())
def test_any_error_is_of_some_kind(status: int, words: str, wait: float | None) -> None:
    assert read_error(status, words, wait).kind in {"refusal", "passing", "end", "failure"}


@pytest.mark.parametrize(("wait", "kind"), [(30.0, "passing"), (3_000.0, "passing"), (43_000.0, "end")])
def test_a_limit_that_asks_for_hours_is_one_of_a_day(wait: float, kind: OutcomeKind) -> None:
    assert read_error(429, "Slow down.", wait).kind == kind


@pytest.mark.parametrize("words", ["You exceeded your quota", "Quota is exhausted", "see your billing", "out of quota"])
def test_a_limit_that_asks_for_seconds_is_waited_for_whatever_it_calls_itself(words: str) -> None:
    assert read_error(429, words, 2.0).passing


@pytest.mark.parametrize("words", ["insufficient_quota", "requests per day", "Your balance is insufficient"])
def test_a_limit_of_a_day_or_of_credit_is_one_whatever_wait_it_asks_for(words: str) -> None:
    assert read_error(429, words, 2.0).kind == "end"


def test_a_wait_that_only_words_ask_for_is_kept() -> None:
    assert read_error(429, GROQ.format("minute", "TPM")).wait == 7.5


@pytest.mark.parametrize(
    ("whole", "cause", "kind"),
    [
        ({"choices": None, "error": {"code": 429, "message": "Provider returned error"}}, "http 429", "passing"),
        ({"choices": None, "error": {"code": 402, "message": "Insufficient credits"}}, "http 402", "end"),
        ({"choices": [], "error": {"code": "RESOURCE_EXHAUSTED", "message": "a day"}}, "http 429", "passing"),
        ({"choices": [{"message": {"content": "Th"}, "error": {"code": 502, "message": "x"}}]}, "http 502", "passing"),
        ({"choices": [{"message": {"content": "Th"}}], "error": {"message": "gone"}}, "error in the body", "passing"),
        ({"choices": [], "promptFeedback": {"blockReason": "SAFETY"}}, "filtered", "refusal"),
        ({"choices": [], "prompt_feedback": {"block_reason": "OTHER"}}, "filtered", "refusal"),
        ({"choices": [], "prompt_filter_results": [{"x": {"hate": {"filtered": True}}}]}, "filtered", "refusal"),
        (
            {"choices": None, "base_resp": {"status_code": 1008, "status_msg": "insufficient balance"}},
            "http 402",
            "end",
        ),
        ({"errors": [{"code": 7009, "message": "overloaded"}]}, "error in the body", "passing"),
        ({"object": "error", "message": "no such model", "code": 404}, "http 404", "end"),
    ],
)
def test_an_error_inside_a_good_answer_is_that_error(whole: dict[str, Any], cause: str, kind: OutcomeKind) -> None:
    found = disguised(json.dumps(whole).encode())
    assert found is not None
    assert (found.cause, found.kind) == (cause, kind)


@pytest.mark.parametrize("error", [None, "", {}, {"code": 0, "message": ""}])
def test_an_empty_field_for_errors_is_no_error(error: object) -> None:
    assert disguised(json.dumps({"choices": [{"message": {"content": "True"}}], "error": error}).encode()) is None


def after(good: int, body: bytes, status: int = 200) -> tuple[list[object], int]:
    """What comes of five calls where so many are answered well, the probe among them; and how many were heard."""
    heard = 0

    def answer(_: Heard) -> Say:
        nonlocal heard
        heard += 1
        return Say(completion("True")) if heard <= good else Say(body, status)

    with listening(answer) as listener:
        found, _ = chat(listener.url, *(request(f"question {number}") for number in range(5)))
    return found, heard


def test_a_filter_that_comes_as_a_refused_call_is_the_models_refusal() -> None:
    body = b'{"error": {"code": "content_filter", "message": "The response was filtered."}}'
    found, heard = after(1, body, 400)
    assert all(isinstance(reply, Reply) and reply.refusal and not reply.text for reply in found)
    assert heard == 6  # none is put again


@pytest.mark.parametrize("status", [200, 429])
def test_a_quota_of_the_day_ends_the_run_at_once(status: int) -> None:
    found, heard = after(3, json.dumps(GOOGLE).encode(), status)
    assert [type(each) for each in found] == [Reply, Reply, *[NotServed] * 3]
    assert "quota of the day" in str(found[2])
    assert heard == 6


@pytest.mark.parametrize(("code", "says"), [(402, "credit"), (401, "key"), (404, "model")])
def test_an_end_told_inside_a_good_answer_is_asked_about_and_ends_the_run(code: int, says: str) -> None:
    body = json.dumps({"choices": None, "error": {"code": code, "message": "No."}}).encode()
    found, _ = after(3, body)
    assert [type(each) for each in found] == [Reply, Reply, *[NotServed] * 3]
    assert says in str(found[2])


def test_a_quota_that_is_used_up_before_the_first_call_is_no_fault_of_the_callers() -> None:
    found, _ = after(0, b'{"error": {"code": "insufficient_quota", "message": "You exceeded your quota"}}', 429)
    assert isinstance(found[0], NotServed)
    assert not isinstance(found[0], InputError)


@pytest.mark.parametrize("choice", [{"finish_reason": "content_filter"}, {"finish_reason": "SAFETY", "message": None}])
def test_a_filter_without_a_message_is_a_refusal(choice: dict[str, Any]) -> None:
    reply = read_reply(json.dumps({"choices": [{"index": 0, **choice}]}).encode(), 0.0)
    assert (reply.text, reply.refusal) == ("", True)


def test_a_filter_in_a_batch_is_a_refusal_and_a_broken_answer_is_none() -> None:
    filtered = {"custom_id": "k", "response": {"status_code": 400, "body": {"error": {"code": "content_filter"}}}}
    came = read_openai(filtered, "f:1")
    assert came.completion is not None
    assert read_reply(json.dumps(came.completion).encode(), 0.0).refusal
    inside = {"custom_id": "k", "response": {"body": {"choices": None, "error": {"code": 503, "message": "x"}}}}
    failure = read_openai(inside, "f:2").failure
    assert failure is not None
    assert (failure.cause, failure.passing) == ("http 503", True)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b"\xef\xbb\xbf" + ended("stop"), "True"),
        (ended("stop").replace(b"True", b"T\\ud83d"), "T\ufffd"),
        (ended("stop").replace(b"True", b"\\udE00 T"), "\ufffd T"),
        (ended("stop").replace(b"True", b"\\ud83d\\ude00\\ud83d"), "\U0001f600\ufffd"),
        (ended("stop").replace(b"True", b"\\\\ud83d\\ud83d"), "\\ud83d\ufffd"),
        (ended("stop").replace(b"True", b"T\xed\xa0\xbd"), "T\ufffd"),
    ],
)
def test_a_mark_or_half_a_letter_makes_no_answer_unreadable(body: bytes, text: str) -> None:
    notes: list[str] = []
    assert read_reply(body, 0.0, None, notes.append).text == text
    assert notes == [REPAIRED]


def test_marks_of_a_template_are_told_as_altered_once_and_counted() -> None:
    with listening(lambda _: Say(completion("assistant\nTrue<|eot_id|>"))) as listener:
        found, model = chat(listener.url, request("one"), request("two"))
    assert [reply.text for reply in found if isinstance(reply, Reply)] == ["True", "True"]
    assert model.altered == (MARKED,)
    assert model.remarks == {MARKED: 3}
