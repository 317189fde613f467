"""Labels are weighed by the most faithful way that an endpoint serves, and a schema is sent to whoever takes it."""

import asyncio
import json
from collections import Counter
from math import exp, log
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import replace

from mores.core.seeds import Seed
from mores.core.transcript import Message
from mores.models.client import ModelClient
from mores.models.completion import PromptToken, Token
from mores.models.label_logprobs import Piece, pieces_of, sum_first, sum_prompts
from mores.models.model import Model
from mores.models.openai import ChatEndpoint
from mores.models.registry import Connection, open_model
from mores.models.request import CallFailed, Reply, Request
from tests.endpoint import Endpoint
from tests.models.clients import FIXED, at_door, put, request
from tests.models.listener import Heard, Say, completion, listening

LABELS = ("Satisfy", "Neutral", "Violate")
PLANTED = {"Satisfy": -0.5, "Neutral": -2.0, "Violate": -4.0}
SCHEMA = '{"type":"object","properties":{"choice":{"type":"string","enum":["yes","no"]}}}'


def labelled(words: str = "Does it keep to the norm?", labels: tuple[str, ...] = LABELS) -> Request:
    messages = (Message(role="user", content=words), Message(role="assistant", content='{"Answer": "'))
    return replace(request(), messages=messages, labels=labels)


def ask(url: str, *requests: Request, at_once: bool = False) -> tuple[list[Reply | CallFailed], ChatEndpoint]:
    """Replies or failures, and the endpoint's model as it was then."""
    model = open_model("vllm/test", Seed("test"), Connection(base_url=url, timeout=5.0))
    assert isinstance(model, ChatEndpoint)

    async def one(each: Request) -> Reply | CallFailed:
        try:
            return await put(model, each)
        except CallFailed as failure:
            return failure

    async def go() -> list[Reply | CallFailed]:
        try:
            return list(await asyncio.gather(*map(one, requests))) if at_once else [await one(r) for r in requests]
        finally:
            await model.close()

    return asyncio.run(go()), model


def score(url: str, each: Request | None = None) -> tuple[Reply, ChatEndpoint]:
    (reply,), model = ask(url, each or labelled())
    assert isinstance(reply, Reply), reply
    return reply, model


def sums(reply: Reply) -> dict[str, float]:
    assert reply.logprobs is not None
    return dict(reply.logprobs)


def test_where_the_prompt_is_weighed_the_sums_are_exact(endpoint: Endpoint) -> None:
    endpoint.set(scoring="prompt", labels=PLANTED)
    reply, model = score(endpoint.url)
    assert sums(reply) == pytest.approx(PLANTED)
    assert (reply.text, reply.finish) == ("Satisfy", "exact")
    assert [label for label, _ in reply.logprobs or ()] == list(LABELS)
    assert model.capabilities.altered == ("labels are scored exactly, by all their tokens",)


def test_each_label_is_put_behind_the_beginning_and_gone_on_from(endpoint: Endpoint) -> None:
    def say(heard: Heard) -> Say:
        sent = json.loads(heard.body)
        if "prompt_logprobs" not in sent:
            return Say(completion("ready"))
        words = ["<", *sent["messages"][-1]["content"]]
        places = [{str(ord(w)): {"logprob": -0.1, "rank": 1, "decoded_token": w}} for w in words]
        return Say(json.dumps({**json.loads(completion("x")), "prompt_logprobs": [None, *places[1:]]}).encode())

    with listening(say) as listener:
        reply, _ = score(listener.url, labelled(labels=("Yes", "Never")))
    assert sums(reply) == pytest.approx({"Yes": -0.3, "Never": -0.5})
    sent = [json.loads(heard.body) for heard in listener.heard[-2:]]
    assert [each["messages"][-1] for each in sent] == [
        {"role": "assistant", "content": '{"Answer": "Yes'},
        {"role": "assistant", "content": '{"Answer": "Never'},
    ]
    for each in sent:
        assert each["continue_final_message"] is True
        assert each["add_generation_prompt"] is False
        assert (each["prompt_logprobs"], each["max_tokens"]) == (0, 1)


def test_a_seam_that_merges_for_one_label_is_weighed_for_all(endpoint: Endpoint) -> None:
    endpoint.set(scoring="prompt", labels=PLANTED, merges=('"Sat',))
    reply, _ = score(endpoint.url)
    # The quotation mark, half a nat, now counts for each: the merged token holds it for the first label.
    assert sums(reply) == pytest.approx({label: value - 0.5 for label, value in PLANTED.items()})


def test_where_an_answer_is_gone_on_from_first_tokens_are_weighed(endpoint: Endpoint) -> None:
    endpoint.set(scoring="continue", labels=PLANTED)
    reply, model = score(endpoint.url)
    assert sums(reply) == pytest.approx({label: 0.6 * value for label, value in PLANTED.items()})
    assert (reply.text, reply.finish) == ("Satisfy", "first token")
    (note,) = model.capabilities.altered
    assert note.endswith("among the 20 likeliest, after a beginning that is given and gone on from")


def test_where_nothing_is_gone_on_from_the_beginning_is_asked_for_in_words(endpoint: Endpoint) -> None:
    endpoint.set(scoring="fresh", labels=PLANTED)
    reply, model = score(endpoint.url)
    assert sums(reply) == pytest.approx({label: 0.6 * value for label, value in PLANTED.items()})
    assert "after a beginning that is asked for in words" in model.capabilities.altered[0]


def test_an_endpoint_that_passes_over_what_it_does_not_know_is_found_out(endpoint: Endpoint) -> None:
    """It takes `continue_final_message` and begins an answer of its own nevertheless."""

    def say(heard: Heard) -> Say:
        sent = json.loads(heard.body)
        if not sent.get("logprobs"):
            return Say(completion("ready"))
        offered = ("yes", "no") if "snow" in sent["messages"][0]["content"] else LABELS
        top = [{"token": word, "logprob": -1.0 - n} for n, word in enumerate(offered)]
        words = ["{", '"', "Answer", '":', ' "']
        tokens: list[dict[str, object]] = [{"token": w, "logprob": 0.0, "top_logprobs": top} for w in words]
        tokens.append({"token": offered[0], "logprob": -1.0, "top_logprobs": top})
        body = json.loads(completion("x"))
        body["choices"][0]["logprobs"] = {"content": tokens}
        return Say(json.dumps(body).encode())

    with listening(say) as listener:
        reply, model = score(listener.url)
    assert sums(reply) == {"Satisfy": -1.0, "Neutral": -2.0, "Violate": -3.0}
    assert "in words" in model.capabilities.altered[0]
    assert [message["role"] for message in json.loads(listener.heard[-1].body)["messages"]] == ["user"]


def test_fewer_likeliest_tokens_are_asked_for_where_twenty_are_too_many(endpoint: Endpoint) -> None:
    endpoint.set(scoring="fresh", labels=PLANTED, top_most=5)
    _, model = score(endpoint.url)
    assert "among the 5 likeliest" in model.capabilities.altered[0]


@pytest.mark.parametrize("scoring", ["continue", "fresh"])
def test_a_label_that_is_not_listed_has_the_least_ones_probability_and_is_noted(
    endpoint: Endpoint, scoring: str
) -> None:
    endpoint.set(scoring=scoring, labels={**PLANTED, "Violate": -50.0})
    reply, model = score(endpoint.url)
    # Twenty are listed: two labels and the first eighteen of the stand-in's junk, from -8 in tenths downwards.
    assert sums(reply)["Violate"] == pytest.approx(-8.0 - 17 / 10)
    assert reply.finish == "bound"
    assert any("a bound" in note for note in model.capabilities.altered)


@pytest.mark.parametrize("scoring", ["refuse", ""])
def test_an_endpoint_without_log_probabilities_fails_for_good_and_is_asked_once(
    endpoint: Endpoint, scoring: str
) -> None:
    endpoint.set(scoring=scoring)
    failures, _ = ask(endpoint.url, *(labelled(f"Question {n}") for n in range(5)))
    for failure in failures:
        assert isinstance(failure, CallFailed)
        assert failure.cause == "no log-probabilities"
        assert not failure.passing
    assert endpoint.counts().requests == 1 + 4  # the probe, and each way once


@pytest.mark.parametrize("place", ["field", "think"])
def test_a_model_that_thinks_cannot_be_weighed(endpoint: Endpoint, place: str) -> None:
    endpoint.set(scoring="prompt", labels=PLANTED, reasoning=place)
    (failure,), _ = ask(endpoint.url, labelled())
    assert isinstance(failure, CallFailed)
    assert (failure.cause, failure.passing) == ("no log-probabilities", False)
    assert "thinks before it answers" in failure.detail


def test_the_way_is_learnt_once_though_many_ask_at_once(endpoint: Endpoint) -> None:
    endpoint.set(scoring="fresh", labels=PLANTED)
    replies, _ = ask(endpoint.url, *(labelled(f"Question {n}") for n in range(20)), at_once=True)
    assert all(isinstance(reply, Reply) for reply in replies)
    assert endpoint.counts().requests == 1 + 3 + 20  # the probe, three ways tried, one call each


def test_what_may_pass_while_learning_is_not_taken_for_a_lack(endpoint: Endpoint) -> None:
    endpoint.set(scoring="prompt", labels=PLANTED, reply="B")

    async def go() -> tuple[CallFailed, Reply]:
        model = open_model("vllm/test", Seed("test"), Connection(base_url=endpoint.url))
        try:
            await put(model, request("warm"))
            endpoint.set(faults={"429": 1.0}, persistent=True)
            with pytest.raises(CallFailed) as failure:
                await put(model, labelled())
            endpoint.set(faults={})
            return failure.value, await put(model, labelled())
        finally:
            await model.close()

    failure, reply = asyncio.run(go())
    assert failure.passing
    assert reply.finish == "exact"


def test_a_way_that_brings_server_errors_again_and_again_is_left(endpoint: Endpoint) -> None:
    def say(heard: Heard) -> Say:
        if b"prompt_logprobs" in heard.body:
            return Say(b"assertion failed", 500)
        if b"top_logprobs" in heard.body:
            return Say(b"no such thing", 400)
        return Say(completion("ready"))

    with listening(say) as listener:
        (failure,), _ = ask(listener.url, labelled())
    assert isinstance(failure, CallFailed)
    assert failure.cause == "no log-probabilities"
    assert sum(b"prompt_logprobs" in heard.body for heard in listener.heard) == 3


def test_labels_are_journalled_apart_from_words(endpoint: Endpoint, tmp_path: Path) -> None:
    endpoint.set(scoring="prompt", labels=PLANTED, reply="B")
    model: Model = open_model("vllm/test", Seed("test"), Connection(base_url=endpoint.url))

    async def use(door: ModelClient) -> tuple[list[Reply], int, int]:
        plain = replace(labelled(), labels=())
        asked = [labelled(), plain, labelled(), plain, labelled(labels=LABELS[:2])]
        return [await door.ask(each) for each in asked], door.tally.from_journal, door.budget.calls

    replies, from_journal, calls = at_door(tmp_path, model, use)
    assert [reply.text for reply in replies] == ["Satisfy", "B", "Satisfy", "B", "Satisfy"]
    assert replies[0] == replies[2]
    assert from_journal == 2
    # The probe, the question by which the way was learnt, three labels, the words; what the last one took over one
    # call is paid for with the next.
    assert calls == 1 + 1 + 3 + 1 + 1


@pytest.mark.parametrize(
    "words",
    [
        "This response_format type is unavailable now",
        "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
        "Failed to deserialize: response_format.type `json_schema` is unavailable now at line 1 column 1193",
        "failed to parse grammar",
        "Request contains an invalid argument.",
    ],
)
def test_a_refused_schema_is_asked_again_at_once_and_remembered(endpoint: Endpoint, words: str) -> None:
    endpoint.set(schema_refusal=words, reply="B")
    replies, model = ask(endpoint.url, *(replace(request(f"Question {n}"), schema=SCHEMA) for n in range(5)))
    assert [reply.text for reply in replies if isinstance(reply, Reply)] == ["B"] * 5
    assert endpoint.counts().statuses == {"200": 6, "400": 1}
    (note,) = model.capabilities.altered
    assert note == "no JSON schema, since the endpoint does not take it: judges answer by the form in words"


def test_a_schema_refused_in_the_midst_of_many_calls_fails_none_of_them(endpoint: Endpoint) -> None:
    endpoint.set(schema_refusal="json_schema is not supported", reply="B", latency_ms=5)
    replies, model = ask(endpoint.url, *(replace(request(f"Q{n}"), schema=SCHEMA) for n in range(50)), at_once=True)
    assert Counter(getattr(reply, "text", "failed") for reply in replies) == {"B": 50}
    assert model.capabilities.altered == (
        "no JSON schema, since the endpoint does not take it: judges answer by the form in words",
    )


def test_a_refusal_for_another_reason_is_asked_again_and_not_remembered(endpoint: Endpoint) -> None:
    endpoint.set(schema_refusal="Failed to generate JSON that fits the schema, see failed_generation.", reply="B")
    replies, model = ask(endpoint.url, *(replace(request(f"Q{n}"), schema=SCHEMA) for n in range(3)))
    assert [reply.text for reply in replies if isinstance(reply, Reply)] == ["B"] * 3
    assert endpoint.counts().statuses == {"200": 4, "400": 4}  # the probe and 3 calls; our own schema and 3
    assert model.capabilities.altered == ()


def test_a_call_that_is_refused_with_and_without_its_schema_fails(endpoint: Endpoint) -> None:
    def say(heard: Heard) -> Say:
        return Say(b"too long for the schema of this context", 400) if b"long" in heard.body else Say(completion("B"))

    with listening(say) as listener:
        (long, short), model = ask(
            listener.url, replace(request("long"), schema=SCHEMA), replace(request("Q"), schema=SCHEMA)
        )
    assert isinstance(long, CallFailed)
    assert long.cause == "http 400"
    assert isinstance(short, Reply)
    assert b"response_format" in listener.heard[-1].body
    assert model.capabilities.schemas


def test_a_schema_that_is_taken_is_sent_as_it_is_and_obeyed(endpoint: Endpoint) -> None:
    (reply,), model = ask(endpoint.url, replace(request(), schema=SCHEMA))
    assert isinstance(reply, Reply)
    assert json.loads(reply.text)["choice"] in {"yes", "no"}
    assert model.capabilities.altered == ()
    with listening() as listener:
        ask(listener.url, replace(request(), schema=SCHEMA), request())
    with_schema, without = (json.loads(heard.body) for heard in listener.heard[-2:])
    assert with_schema["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "reply", "strict": True, "schema": json.loads(SCHEMA)},
    }
    assert "response_format" not in without


def token(text: str, mass: float, **beside: float) -> Token:
    top = [Token(token=name.replace("_", '"'), logprob=value) for name, value in {text: mass, **beside}.items()]
    return Token(token=text, logprob=mass, top_logprobs=top)


def test_all_tokens_that_begin_a_label_are_its_mass() -> None:
    tokens = [token("Sat", log(0.5), S=log(0.2), Satisfy_=log(0.1), Ne=log(0.1), other=log(0.05))]
    found = sum_first(tokens, LABELS, None)
    assert [exp(value) for value in found.values] == pytest.approx([0.8, 0.1, 0.05])
    assert found.how == "bound"


def test_a_word_that_only_begins_like_a_label_is_none() -> None:
    with pytest.raises(CallFailed, match="no label is begun by any of the 2 likeliest"):
        sum_first([token("Satisfying", -0.1, Neutrality=-2.0)], LABELS, None)


def test_labels_that_share_a_token_are_told_apart_by_the_next() -> None:
    tokens = [token("Accept", log(0.9), No=log(0.1)), token("able", log(0.75), ance=log(0.25))]
    found = sum_first(tokens, ("Acceptable", "Acceptance", "No"), None)
    assert [exp(value) for value in found.values] == pytest.approx([0.675, 0.225, 0.1])
    assert found.how == "first token"


def test_labels_that_share_a_token_which_was_not_drawn_are_refused() -> None:
    tokens = [token("No", log(0.6), Accept=log(0.4))]
    with pytest.raises(CallFailed, match="share a first token"):
        sum_first(tokens, ("Acceptable", "Acceptance", "No"), None)


def test_a_label_within_another_is_told_apart_by_its_end() -> None:
    tokens = [token("yes", log(0.8), no=log(0.2)), token('"', log(0.75), **{", often": log(0.25)})]
    found = sum_first(tokens, ("yes", "yes, often", "no"), None)
    assert [exp(value) for value in found.values] == pytest.approx([0.6, 0.2, 0.2])


@pytest.mark.parametrize("before", [["{", '"Answer":', ' "'], ["```json\n", '{"', "Answer", '": "'], []])
def test_the_beginning_is_found_however_it_is_cut_and_a_bare_label_too(before: list[str]) -> None:
    tokens = [*(token(text, -0.1, Violate=-3.0) for text in before), token("Satisfy", -0.2, Neutral=-2.0, Violate=-4.0)]
    assert sum_first(tokens, LABELS, '{"Answer": "').values == (-0.2, -2.0, -4.0)


@pytest.mark.parametrize("said", [["I", " think", " Satisfy"], ["{", '"Answer": ', '"Sat', "isfy"]])
def test_an_answer_that_begins_otherwise_is_no_verdict(said: list[str]) -> None:
    with pytest.raises(CallFailed, match="and not as asked"):
        sum_first([token(text, -0.1, Neutral=-1.0) for text in said], LABELS, '{"Answer": "')


def test_the_prompts_own_token_is_told_from_a_likelier_one_beside_it() -> None:
    place = {
        "5": PromptToken(logprob=-0.1, rank=1, decoded_token="the"),
        "9": PromptToken(logprob=-3.0, rank=4, decoded_token="ĠSat"),
    }
    assert pieces_of([None, place]) == [Piece("", "", 0.0), Piece("9", "ĠSat", -3.0)]


def test_a_prompt_that_does_not_end_in_its_label_is_refused() -> None:
    ends = [Piece("", "", 0.0), Piece("1", "Satisfy", -1.0), Piece("2", "<end>", -0.1)]
    with pytest.raises(CallFailed, match="not in the label 'Satisfy'"):
        sum_prompts([ends, ends], ("Satisfy", "Satisfy"))


@given(
    st.lists(st.floats(-20, 0), min_size=1, max_size=4),
    st.lists(st.lists(st.floats(-20, 0), min_size=1, max_size=3), min_size=2, max_size=4),
)
def test_a_sum_is_that_of_the_labels_own_tokens(context: list[float], masses: list[list[float]]) -> None:
    labels = [f"{'abcd'[n]}{'x' * (len(tokens) - 1)}" for n, tokens in enumerate(masses)]
    prompts = [
        [Piece("", "", 0.0), *(Piece("c", "word", mass) for mass in context)]
        + [Piece(f"{label[place]}", label[place], mass) for place, mass in enumerate(tokens)]
        for label, tokens in zip(labels, masses, strict=True)
    ]
    assert sum_prompts(prompts, labels).values == pytest.approx([sum(tokens) for tokens in masses])


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.floats(-30, 0)), min_size=1, max_size=20))
def test_masses_never_leave_what_was_listed(listed: list[tuple[str, float]]) -> None:
    top = dict(listed)
    assume(set(top) & set("abc"))
    drawn = Token(
        token=listed[0][0], logprob=top[listed[0][0]], top_logprobs=[Token(token=n, logprob=m) for n, m in top.items()]
    )
    found = sum_first([drawn], ("a", "b", "c"), None)
    assert found.values == tuple(top.get(name, min(top.values())) for name in "abc")
    assert (found.how == "bound") == (not set("abc") <= set(top))


def test_a_labelled_request_asks_for_no_more_than_it_reads() -> None:
    assert FIXED.max_tokens == 8
    with listening(lambda _: Say(completion("ready"))) as listener:
        ask(listener.url, labelled())
    limits = [json.loads(heard.body)["max_tokens"] for heard in listener.heard[1:]]
    assert limits == [1, 4, 24, 24]
