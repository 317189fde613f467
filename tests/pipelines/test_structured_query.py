"""Answers in JSON are read leniently, flagged where they were mended, and asked for again where they cannot be used."""

import asyncio
from typing import Annotated, Literal

import msgspec
import pytest

from mores.core.card import Sampling
from mores.core.prompt import Prompt, PromptHeader
from mores.models.cast import Cast
from mores.models.request import CallFailed, Reply, Tag
from mores.pipelines.structured_query import (
    REFUSED,
    UNUSABLE,
    AnswerError,
    NoAnswer,
    ParsedAnswer,
    StructuredQuery,
    ask,
    declines,
    read_object,
)
from tests.pipelines.scripted import Script, Scripted, in_turn

PROMPT = Prompt(PromptHeader(name="t.ask.v1", role="writer", language="en", origin="own"), "Say [[what]].")


class Answer(msgspec.Struct):
    verdict: Literal["Yes", "Sometimes", "No"]
    why: str = ""


def put(script: Script) -> tuple[ParsedAnswer[Answer] | NoAnswer, Scripted]:
    voice = Scripted(script)
    question = StructuredQuery(prompt=PROMPT, values={"what": "it"}, shape=Answer, tag=Tag(item="n1", role="writer"))
    return asyncio.run(ask(Cast({"writer": voice}), question, Sampling(temperature=0.0))), voice


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ('{"verdict": "No"}', False),
        ('```json\n{"verdict": "No"}\n```', False),
        ('Here it is: {"verdict": "No"} I hope this helps.', False),
        ('<think>{"verdict": "Yes"}</think>{"verdict": "No"}', False),
        ('{"verdict": "no"}', False),
        ('{"verdict": "No", "more": [1]}', False),
        ("{'verdict': 'No'}", True),
        ('{"verdict": "No",}', True),
        ('{"verdict": "No"', True),
    ],
)
def test_what_is_nearly_right_is_read(text: str, mended: bool) -> None:
    assert read_object(Reply(text=text), Answer) == (Answer("No"), mended)


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        (Reply(text="No."), "no JSON object"),
        (Reply(text='{"verdict": "Never"}'), "verdict"),
        (Reply(text='{"verdict": "No", "why": NaN}'), "NaN"),
        (Reply(text='{"verdict": "No", "verdict": "Yes"}'), "twice"),
        (Reply(text='{"verdict": "No", "why": "beca', finish="length"), "cut short"),
        (Reply(text='{"why": "so"}'), "verdict"),
        (Reply(text="{}"), "not one JSON object"),
        (Reply(text="{" * 5000), "object"),
    ],
)
def test_what_cannot_be_used_is_a_fault_in_words(reply: Reply, says: str) -> None:
    with pytest.raises(AnswerError, match=says):
        read_object(reply, Answer)


def test_a_fault_is_quoted_and_asked_again_with_its_own_step() -> None:
    found, voice = put(in_turn("No.", '{"verdict": "Maybe"}', '{"verdict": "No"}'))
    assert found == ParsedAnswer(Answer("No"), repaired=False, asked=3)
    assert [request.tag.step for request in voice.asked] == [0, 1, 2]
    assert "no JSON object" in voice.asked[1].messages[-1].content
    assert len(voice.asked[2].messages) == 5


def test_it_is_asked_three_times_and_no_more() -> None:
    found, voice = put(in_turn("No."))
    assert isinstance(found, NoAnswer)
    assert (found.reason, found.transient, len(voice.asked)) == (UNUSABLE, False, 3)


@pytest.mark.parametrize("said", ["I'm sorry, but I can't help.", Reply(text="", refusal=True)])
def test_a_refusal_is_a_status_of_its_own_and_not_asked_again(said: str | Reply) -> None:
    found, voice = put(in_turn(said))
    assert isinstance(found, NoAnswer)
    assert (found.reason, len(voice.asked)) == (REFUSED, 1)


def test_an_answer_that_speaks_of_being_sorry_is_no_refusal() -> None:
    found, _ = put(in_turn('{"verdict": "No", "why": "One says sorry, I can\'t, and leaves."}'))
    assert isinstance(found, ParsedAnswer)
    assert not declines('{"why": "sorry"}')


@pytest.mark.parametrize("passing", [True, False])
def test_a_call_that_fails_says_whether_it_may_come_through_later(passing: bool) -> None:
    found, _ = put(in_turn(CallFailed("http 503", passing=passing)))
    assert found == NoAnswer(reason="http 503", transient=passing)


def test_what_else_must_hold_is_said_to_the_model() -> None:
    voice = Scripted(in_turn('{"verdict": "No"}', '{"verdict": "Yes"}'))
    question = StructuredQuery(
        prompt=PROMPT, values={"what": "it"}, shape=Answer, tag=Tag(item="n1", role="writer"),
        check=lambda answer: "" if answer.verdict == "Yes" else "the verdict must be Yes.",
    )  # fmt: skip
    assert asyncio.run(ask(Cast({"writer": voice}), question, Sampling())) == ParsedAnswer(
        Answer("Yes"), repaired=False, asked=2
    )
    assert "must be Yes" in voice.asked[1].messages[-1].content


def test_the_schema_is_sent_and_names_its_words() -> None:
    _, voice = put(in_turn('{"verdict": "No"}'))
    schema = msgspec.json.decode(voice.asked[0].schema or "{}")
    assert set(schema["properties"]["verdict"]["enum"]) == {"Yes", "Sometimes", "No"}
    assert schema["additionalProperties"] is False


class Part(msgspec.Struct, frozen=True):
    """A part of a reply that may lack what it is asked for."""

    title: str = ""
    number: Literal[1, 2] = 1


class Whole(msgspec.Struct):
    """A reply with parts."""

    verdict: str
    first: Part = Part()
    more: Annotated[tuple[Part, ...], msgspec.Meta(max_length=2, extra_json_schema={"minItems": 1})] = ()


def test_all_fields_are_asked_for_in_parts_too_though_a_reply_may_lack_some() -> None:
    voice = Scripted(in_turn('{"verdict": "No"}'))
    question = StructuredQuery(prompt=PROMPT, values={"what": "it"}, shape=Whole, tag=Tag(item="n1", role="writer"))
    assert asyncio.run(ask(Cast({"writer": voice}), question, Sampling())) == ParsedAnswer(
        Whole("No"), repaired=False, asked=1
    )
    schema = msgspec.json.decode(voice.asked[0].schema or "{}")
    part = schema["$defs"]["Part"]
    assert schema["required"] == ["verdict", "first", "more"]
    assert [schema["properties"]["more"][most] for most in ("minItems", "maxItems")] == [1, 2]
    assert part == {
        "type": "object", "properties": {"title": {"type": "string"}, "number": {"enum": [1, 2], "type": "integer"}},
        "required": ["title", "number"], "additionalProperties": False,
    }  # fmt: skip
