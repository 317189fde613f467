"""A server that says the call back in its complaint says nothing by that."""

import json

import pytest

from mores.models.error_messages import complaint
from mores.models.outcomes import OutcomeKind, disguised, read_error
from mores.models.redaction import ELLIPSIS, EchoedRequest, without_echo
from mores.models.request import CallFailed, Reply
from tests.models.clients import request
from tests.models.listener import Heard, Say, completion, listening
from tests.models.test_chat_endpoint import chat

ASKED = (
    "You are asked about daily life.\nThe film was blocked by a content filter, as “sensitive content”; the credit "
    "balance is too low. No API key, no system role is supported. Is that usual? Answer Yes or No."
)
OWN = "Field required"


@pytest.mark.parametrize(
    "said",
    [
        json.dumps({"detail": [{"msg": OWN, "input": {"messages": [{"role": "user", "content": ASKED}]}}]}),
        json.dumps({"detail": [{"msg": OWN, "input": ASKED}]}, ensure_ascii=False),
        json.dumps({"error": {"message": f"litellm.BadRequestError: {OWN} {json.dumps({'content': ASKED})}"}}),
        f"{OWN}: messages=[{{'role': 'user', 'content': {ASKED!r}}}]",
        f"{OWN}: {ASKED[:120]}… [truncated]",
        f"{OWN}: …{ASKED[40:]}",
    ],
    ids=["an object", "not escaped", "escaped twice", "by repr", "its beginning", "its end"],
)
@pytest.mark.parametrize(
    ("status", "kind"), [(422, "failure"), (400, "failure"), (429, "passing"), (500, "passing"), (0, "passing")]
)
def test_an_echo_of_the_prompt_decides_nothing(said: str, status: int, kind: OutcomeKind) -> None:
    assert read_error(status, said).kind != kind  # what the prompt's words would say
    found = read_error(status, said, asked=EchoedRequest((ASKED,)))
    assert found.kind == kind
    assert OWN in found.words
    assert "sensitive" not in found.words


def test_the_servers_own_words_beside_an_echo_decide() -> None:
    said = json.dumps({"error": {"code": "content_filter", "input": "Is it polite to pour tea for guests?"}})
    assert read_error(400, said, asked=EchoedRequest(("Is it polite to pour tea for guests?",))).kind == "refusal"


@pytest.mark.parametrize("form", ["{}", "error: {!r}", '{{"error": {}}}'])
def test_a_setting_that_is_said_back_is_not_complained_of(form: str) -> None:
    sent = {"model": "m", "top_p": 1.0, "temperature": 0, "stop": ["x", "y"], "logprobs": True, "seed": 7}
    call = json.dumps({"messages": [{"role": "user", "content": ASKED}], **sent}).encode()
    for said in (json.dumps(sent), json.dumps(json.dumps(sent)), str(sent)):
        kept = without_echo(form.format(said), EchoedRequest.of(call))
        assert complaint(kept, tuple(sent)) is None
    complained = [
        "Unsupported value: 'temperature' does not support 0 with this model.",
        '{"detail": [{"loc": ["body", "temperature"], "msg": "Extra inputs are not permitted", "input": 0}]}',
        '{"temperature": ["not allowed"]}',
        '{"error": {"message": "unsupported", "param": "temperature"}}',
    ]
    for said in complained:
        assert complaint(without_echo(said, EchoedRequest.of(call)), tuple(sent)) == "temperature"


def test_words_that_were_not_asked_stay() -> None:
    said = "The model `m` does not exist: \\u00e9 \\n"
    assert without_echo(said, EchoedRequest()) == said
    assert (
        without_echo("Is it polite? No.", EchoedRequest(("Is it polite?",))) == "Is it polite? No."
    )  # fewer words than tell


def test_an_error_inside_a_good_answer_that_says_the_call_back_is_read_without_it() -> None:
    call = json.dumps({"messages": [{"role": "user", "content": ASKED}]}).encode()
    body = json.dumps({"choices": None, "error": {"message": f"upstream failed on: {ASKED}"}}).encode()
    found = disguised(body, call)
    assert found is not None
    assert (found.kind, found.words) == ("passing", f"upstream failed on: {ELLIPSIS}.")


def test_an_endpoint_that_says_the_call_back_is_known_for_what_it_refuses() -> None:
    def answer(heard: Heard) -> Say:
        if ASKED[:20] in json.loads(heard.body)["messages"][-1]["content"]:
            return Say(json.dumps({"detail": [{"msg": OWN, "input": json.loads(heard.body)}]}).encode(), 422)
        return Say(completion("True"))

    with listening(answer) as listener:
        (failed, good), model = chat(listener.url, request(ASKED), request("one"))
    assert isinstance(failed, CallFailed)
    assert failed.cause == "http 422"
    assert isinstance(good, Reply)
    assert model.altered == ()
