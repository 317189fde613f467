"""How much a model is to think is said in its provider's own terms, or refused before anything is asked."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import pytest
from msgspec.structs import replace

from mores.core.card import SubjectSettings
from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.models.extra_body import N, check_extra_body, check_thinking, extra_fields, thinking_fields
from mores.models.journal import request_key
from mores.models.openai import ChatEndpoint
from mores.models.provider import home_of, providers
from mores.models.registry import Connection, open_model
from mores.models.request import AnswerKey, Reply, Request
from tests.endpoint import Endpoint
from tests.models.clients import FIXED, RANDOM, Script, put, request
from tests.models.listener import Heard, Say, completion, listening
from tests.models.test_chat_endpoint import chat

OURS = ("model", "messages", "max_tokens", "max_completion_tokens", "temperature", "seed")


def told(item: str = "i-1", **settings: Any) -> Request:
    """A request with what a run asks of its subject."""
    return request(item=item, sampling=SubjectSettings(**settings).over(FIXED))


def refused(url: str, asked: Request, spec: str = "vllm/test") -> str:
    """Why a call is not made."""
    (error,), _ = chat(url, asked, spec=spec)
    assert isinstance(error, InputError), error
    return str(error)


@pytest.mark.parametrize(
    ("kind", "asked", "fields"),
    [
        ("openai", "off", {"reasoning_effort": "none"}),
        ("openai", "high", {"reasoning_effort": "high"}),
        ("google", "low", {"reasoning_effort": "low"}),
        ("google", 512, {"extra_body": {"google": {"thinking_config": {"thinking_budget": 512}}}}),
        ("anthropic", 2_000, {"thinking": {"type": "enabled", "budget_tokens": 2_000}}),
        ("anthropic", "off", {"thinking": {"type": "disabled"}}),
        ("openrouter", "medium", {"reasoning": {"effort": "medium"}}),
        ("openrouter", 900, {"reasoning": {"max_tokens": 900}}),
        ("groq", "on", {"reasoning_effort": "default"}),
        ("deepseek", "off", {"thinking": {"type": "disabled"}}),
        ("together", "on", {"reasoning": {"enabled": True}}),
        ("mistral", "high", {"reasoning_effort": "high"}),
        ("dashscope", 400, {"enable_thinking": True, "thinking_budget": 400}),
        ("vllm", "off", {"chat_template_kwargs": {"enable_thinking": False, "thinking": False}}),
        ("sglang", "on", {"chat_template_kwargs": {"enable_thinking": True, "thinking": True}}),
        ("ollama", "off", {"reasoning_effort": "none"}),
        ("llamacpp", 64, {"chat_template_kwargs": {"enable_thinking": True, "thinking": True},
                          "thinking_budget_tokens": 64}),
    ],
)  # fmt: skip
def test_each_provider_is_told_in_its_own_terms(kind: str, asked: str | int, fields: Mapping[str, object]) -> None:
    assert thinking_fields(f"{kind}/model", asked) == fields


def test_every_preset_of_an_endpoint_can_be_told_something() -> None:
    assert all("off" in each.thinking for each in providers().values() if each.elsewhere)


@pytest.mark.parametrize(
    ("spec", "asked", "why"),
    [
        ("openai/o3", 500, "openai cannot be told so; it takes off, low, medium, high, or its own words: --extra-body"),
        ("anthropic/claude", "high", "anthropic cannot be told so; it takes off, on, a number of tokens, or its own"),
        ("anthropic/claude", 200, "anthropic takes 1,024 tokens or more"),
        ("deepseek/chat", "medium", "deepseek cannot be told so; it takes off, on, low, high"),
    ],
)
def test_what_a_provider_has_no_words_for_is_refused(spec: str, asked: str | int, why: str) -> None:
    with pytest.raises(InputError, match=why):
        thinking_fields(spec, asked)


@pytest.mark.parametrize("asked", ["hihg", 0, -5, ""])
def test_what_says_nothing_about_thinking_is_refused(asked: str | int) -> None:
    with pytest.raises(InputError, match="expected off, on, low, medium, high, or a number of tokens"):
        check_thinking(asked)


def test_all_that_was_asked_for_is_in_each_call_and_room_for_thinking_beside_the_answers_limit() -> None:
    own = '{"chat_template_kwargs":{"tone":"dry"},"repetition_penalty":1.1}'
    asked = told(thinking=2_000, top_p=0.9, top_k=5, min_p=0.1, extra_body=own)
    with listening(lambda _: Say(completion("True", reasoning_content="Most would."))) as listener:
        chat(listener.url, asked)
        bodies = [json.loads(heard.body) for heard in listener.heard]
    assert len(bodies) == 2  # the probe is told the same
    for body in bodies:
        assert body["chat_template_kwargs"] == {"enable_thinking": True, "thinking": True, "tone": "dry"}
        assert {name: body[name] for name in ("thinking_token_budget", "top_p", "top_k", "min_p")} == {
            "thinking_token_budget": 2_000, "top_p": 0.9, "top_k": 5, "min_p": 0.1,
        }  # fmt: skip
        assert body["repetition_penalty"] == 1.1  # over what would be neutral
        assert body["max_tokens"] == 8 + 2_000


def limits(heard: Sequence[Heard]) -> list[int]:
    return [json.loads(each.body)["max_tokens"] for each in heard]


@pytest.mark.parametrize("asked", ["on", "high", 500])
def test_a_model_that_does_not_think_though_it_is_told_to_keeps_the_answers_own_limit(asked: str | int) -> None:
    with listening() as listener:
        (reply,), model = chat(listener.url, told(thinking=asked))
    assert isinstance(reply, Reply)
    room = limits(listener.heard)[0] - 8
    assert limits(listener.heard) == [8 + room, 8]  # the probe alone may think
    assert model.capabilities.altered == ("told to think, and it does not",)
    assert model.most_output(8, told(thinking=asked).sampling) == 8


@pytest.mark.parametrize(
    ("text", "message", "usage"),
    [
        ("ready", {"reasoning_content": "The word is ready."}, {"completion_tokens": 9}),
        ("ready", {}, {"completion_tokens": 90, "completion_tokens_details": {"reasoning_tokens": 80}}),
        ("ready", {}, {"completion_tokens": 400}),  # more tokens than the word has letters: it thinks unseen
        ("<think>The word.</think>ready", {}, {"completion_tokens": 9}),
    ],
)
def test_a_model_that_thinks_in_any_way_has_room_for_it(text: str, message: Any, usage: dict[str, object]) -> None:
    with listening(lambda _: Say(said(text, usage=usage, **message))) as listener:
        _, model = chat(listener.url, told(thinking="on"))
    assert {limit > 10_000 for limit in limits(listener.heard)} == {True}
    assert not model.capabilities.altered


def said(text: str, finish: str = "stop", usage: Mapping[str, object] = MappingProxyType({}), **message: Any) -> bytes:
    """A completion with another end or other counts of tokens."""
    whole = json.loads(completion(text, **message))
    whole["choices"][0]["finish_reason"] = finish
    whole["usage"] |= usage
    return json.dumps(whole).encode()


def test_who_thinks_of_some_questions_alone_is_asked_these_again_with_room() -> None:
    def answer(heard: Heard) -> Say:
        body = json.loads(heard.body)
        if "hard" not in body["messages"][0]["content"]:
            return Say(completion("True"))
        if body["max_tokens"] < 100:
            return Say(said("", "length", reasoning_content="Let me see"))
        return Say(completion("False", reasoning_content="Let me see. No."))

    with listening(answer) as listener:
        asked = [replace(told(thinking="on"), messages=request(words).messages) for words in ("hard", "easy", "hard 2")]
        replies, model = chat(listener.url, *asked)
    assert [reply.text for reply in replies if isinstance(reply, Reply)] == ["False", "True", "False"]
    assert sorted(limits(listener.heard)[1:]) == [8, 8, 8, 8 + 16_384, 8 + 16_384]
    assert any("it thinks in some answers alone" in note for note in model.capabilities.altered)
    assert len(model.overhead) == 3  # the probe, and what was broken off twice


def test_a_provider_that_counts_a_budget_against_the_limit_gets_the_room_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-of-nobody")
    with listening() as listener:
        chat(listener.url, told(thinking=2_000), spec="anthropic/test")
    assert limits(listener.heard) == [2_008, 2_008]


def test_a_model_that_is_told_not_to_think_gets_no_room_for_it() -> None:
    with listening() as listener:
        chat(listener.url, told(thinking="off"))
        assert {json.loads(heard.body)["max_tokens"] for heard in listener.heard} == {8}


def test_a_budget_counts_what_may_be_thought() -> None:
    model = open_model("vllm/test", Seed("test"), Connection())
    assert model.most_output(8, FIXED) == 8
    assert model.most_output(8, told(thinking=500).sampling) == 508
    assert model.most_output(8, told(thinking="high").sampling) > 10_000


@pytest.mark.parametrize(
    ("settings", "name"),
    [({"thinking": "high"}, "reasoning_effort"), ({"extra_body": '{"guided_choice":["A"]}'}, "guided_choice")],
)
def test_what_an_endpoint_does_not_take_stops_the_run_and_is_never_left_out(
    endpoint: Endpoint, settings: dict[str, Any], name: str
) -> None:
    endpoint.set(reject=(name,))
    why = refused(endpoint.url, told(**settings))
    sent = f"with {name}, which --thinking or --extra-body sent"
    assert f"vllm/test: the endpoint refuses every call {sent} (http 400" in why


def test_a_judge_of_the_same_endpoint_is_told_nothing_and_a_late_subject_is_still_probed(endpoint: Endpoint) -> None:
    endpoint.set(reject=("reasoning_effort",), reply="B")
    found, _ = chat(endpoint.url, request("A judge's"), told(thinking="high"))
    assert isinstance(found[0], Reply)
    assert isinstance(found[1], InputError)


def test_that_a_model_thinks_although_it_was_told_not_to_is_noted(endpoint: Endpoint) -> None:
    endpoint.set(reasoning="field", reasoning_tokens=4, reply="B")
    _, model = chat(endpoint.url, told(thinking="off"))
    assert "told not to think, and it thinks all the same" in model.capabilities.altered
    _, model = chat(endpoint.url, told(thinking="high"))
    assert not model.capabilities.altered


def test_a_seed_is_sent_where_it_is_asked_for_and_taken(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-nobody")
    asked = [replace(told(item, seed_endpoint=True), sampling=SubjectSettings(seed_endpoint=True).over(sampling))
             for item, sampling in (("i-1", FIXED), ("i-2", RANDOM), ("i-1", RANDOM))]  # fmt: skip
    with listening() as listener:
        chat(listener.url, *asked, request(sampling=RANDOM), spec="openai/test")
        seeds = [json.loads(heard.body).get("seed") for heard in listener.heard]
    assert seeds[1] == seeds[3] != seeds[2]
    assert isinstance(seeds[0], int)
    assert seeds[-1] is None
    endpoint.set(reject=("seed",), reply="B")
    (reply,), model = chat(endpoint.url, asked[0], spec="openai/test")
    assert isinstance(reply, Reply)
    assert model.capabilities.altered == ("seed left out, since the endpoint does not take it",)


@pytest.mark.parametrize(
    ("added", "why"),
    [
        ({"model": "other"}, "mores sets model itself; use --model."),
        ({"temperature": 1}, "mores sets temperature itself; use --temperature."),
        ({"stream": True}, "mores sets stream itself."),
        ({"deep": [{"api_key": "sk-1"}]}, "api_key may be a secret"),
    ],
)
def test_extra_fields_that_are_not_the_callers_are_refused(added: dict[str, object], why: str) -> None:
    with pytest.raises(InputError, match=why) as error:
        check_extra_body(added)
    assert "sk-1" not in str(error.value)


def test_two_ways_of_saying_otherwise_are_refused() -> None:
    asked = SubjectSettings(thinking="high", extra_body='{"reasoning_effort":"low"}').over(FIXED)
    with pytest.raises(InputError, match="--thinking sets reasoning_effort too"):
        extra_fields("openai/o3", asked)


def test_a_key_in_the_journal_moves_with_all_that_is_asked_and_only_then() -> None:
    model = Script()
    settings: list[dict[str, Any]] = [
        {}, {"thinking": "off"}, {"thinking": "high"}, {"thinking": 5}, {"top_p": 0.5}, {"min_p": 0.0},
        {"extra_body": "{}"}, {"seed_endpoint": True},
    ]  # fmt: skip
    keys = {request_key(model, told(**each)) for each in settings}
    assert len(keys | {request_key(model, request())}) == len(settings) + 1


def test_a_simulated_respondent_thinks_of_what_was_planted() -> None:
    ways = {"true": "True", "false": "False"}

    async def right(**settings: object) -> int:
        model = open_model("simulated/typical:know=.5,thinking=.6,format_error=0", Seed("test"), Connection())
        keys = [AnswerKey(unit=f"u-{n}", truth="true", ways=ways, place="JP") for n in range(400)]
        said = [await put(model, replace(told(f"i-{n}", **settings), key=key)) for n, key in enumerate(keys)]
        return sum(reply.text == "True" for reply in said)

    plain, thought, off = (asyncio.run(right(**each)) for each in ({}, {"thinking": "high"}, {"thinking": "off"}))
    assert plain == off
    assert abs(plain / 400 - 0.75) < 0.07  # half is known, half of the rest guessed
    assert abs(thought / 400 - 0.9) < 0.05  # .5 + .6 × .5 is known


@pytest.mark.parametrize("kind", [name for name, each in providers().items() if each.home])
def test_a_server_that_heeds_its_providers_terms_thinks_as_it_was_told(
    kind: str, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    if (variable := home_of(providers()[kind]).key_variable) is not None:
        monkeypatch.setenv(variable, "sk-of-nobody")
    endpoint.set(heeds=kind, reasoning="field", reasoning_tokens=5, reply="B")
    asked = [1_500 if word == N else word for word in providers()[kind].thinking]
    found, _ = chat(endpoint.url, request(), *(told(thinking=each) for each in asked), spec=f"{kind}/test")
    assert all(isinstance(each, Reply) for each in found), found
    left, *spent = [each.usage.reasoning for each in found if isinstance(each, Reply)]
    amount = dict(zip(asked, spent, strict=True))
    assert left == 5  # a server that is told nothing thinks as it likes
    assert (amount["off"], amount.get(1_500, 1_500)) == (0, 1_500)
    levels = [amount[word] for word in ("low", "medium", "high") if word in amount]
    assert levels == sorted(set(levels))
    assert all(tokens > 5 for word, tokens in amount.items() if word != "off")


def test_a_server_may_put_its_thinking_where_it_likes() -> None:
    def thinks(heard: Heard) -> Say:
        asked = json.loads(heard.body)["chat_template_kwargs"]["enable_thinking"]
        return Say(completion("B", reasoning_content="Hm." if asked else None))

    with listening(thinks) as listener:
        found, model = chat(listener.url, told(thinking="on"), told("i-2", thinking="off"))
    assert [each.reasoning for each in found if isinstance(each, Reply)] == ["Hm.", ""]
    assert isinstance(model, ChatEndpoint)
