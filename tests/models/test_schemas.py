"""A schema that is passed over in silence, or taken but for a keyword, is noticed before the first call with one."""

import asyncio
import json

import pytest
from msgspec.structs import replace

from mores.judges.rubric_answers import Score, json_schema
from mores.models.capabilities import PASSED_OVER, SchemaTrial
from mores.models.openai import ChatEndpoint
from mores.models.request import CallFailed, Reply, Request
from tests.models.clients import request
from tests.models.listener import Answer, Heard, Say, completion, listening
from tests.models.test_scoring import ask

ASKED = replace(request(), schema=json_schema(Score()))
OBEYED = '{"word": "ready", "note": "", "share": 0.5}'


def asked(answer: Answer, calls: int = 3) -> tuple[list[object], ChatEndpoint, list[Heard]]:
    """Replies or failures of calls by a schema, the model, and what was heard after the probe."""
    with listening(answer) as listener:
        found, model = ask(listener.url, *[ASKED] * calls)
        return list(found), model, listener.heard[1:]


def schema_of(heard: Heard) -> dict[str, object] | None:
    found: dict[str, object] | None = json.loads(heard.body).get("response_format")
    return found


@pytest.mark.parametrize("said", ["ready", "Ready.", "```json\n{}\n```", '{"answer": "ready"}', '"ready"'])
def test_a_schema_that_is_passed_over_in_silence_is_noticed_once(said: str) -> None:
    found, model, heard = asked(lambda _: Say(completion(said)))
    assert all(isinstance(each, Reply) for each in found)
    assert model.capabilities.altered == (PASSED_OVER,)
    assert len(heard) == 4
    assert all(schema_of(each) for each in heard)  # to go on sending it does no harm


@pytest.mark.parametrize("said", [OBEYED, f"\n{OBEYED} ", ""])
def test_a_schema_that_is_obeyed_leaves_no_note(said: str) -> None:
    _, model, _ = asked(lambda _: Say(completion(said)))
    assert model.capabilities.altered == ()


def test_who_comes_just_as_the_trial_ends_begins_no_other() -> None:
    calls: list[Request] = []

    async def meet() -> None:
        late: list[asyncio.Task[None]] = []

        def come() -> None:
            late.append(asyncio.ensure_future(trial.over(ASKED.sampling)))

        async def call(asked: Request) -> Reply:
            calls.append(asked)
            await asyncio.sleep(0)
            asyncio.get_running_loop().call_soon(come)
            return Reply(text=OBEYED)

        trial = SchemaTrial(call, lambda: None, lambda _: None, [])
        await asyncio.gather(*(trial.over(ASKED.sampling) for _ in range(3)))
        await asyncio.gather(*late)

    asyncio.run(meet())
    assert len(calls) == 1


@pytest.mark.parametrize(("said", "noticed"), [('{"word": "rea', False), ("Let me think", True)])
def test_a_reply_that_was_cut_short_is_known_by_how_it_begins(said: str, noticed: bool) -> None:
    def answer(heard: Heard) -> Say:
        return Say(completion(said).replace(b'"stop"', b'"length"')) if schema_of(heard) else Say(completion("B"))

    _, model, _ = asked(answer)
    assert (model.capabilities.altered == (PASSED_OVER,)) is noticed


@pytest.mark.parametrize(
    ("words", "known"),
    [
        ("Invalid schema for response_format 'reply': In context=('properties',), 'maxLength' is not permitted.", 2),
        ("output_format.schema: For 'number' type, properties maximum, minimum are not supported", 1),
    ],
)  # fmt: skip
def test_a_keyword_that_is_not_known_is_left_out_and_the_schema_stays(words: str, known: int) -> None:
    keywords = ("maxLength", "minimum", "maximum")

    def answer(heard: Heard) -> Say:
        sent = json.dumps(schema_of(heard))
        if any(f'"{word}"' in sent and word in words for word in keywords):
            return Say(json.dumps({"error": {"message": words}}).encode(), 400)
        return Say(completion(OBEYED))

    found, model, heard = asked(answer)
    assert all(isinstance(each, Reply) for each in found)
    assert sum(f'"{word}"' in json.dumps(schema_of(heard[-1])) for word in keywords) == known
    assert '"additionalProperties": false' in json.dumps(schema_of(heard[-1]))
    (note,) = model.capabilities.altered
    assert "left out of JSON schemas, since the endpoint does not know it" in note
    assert len(heard) == 1 + 1 + 3


def test_a_trial_that_fails_in_passing_is_made_again() -> None:
    tried: list[Heard] = []

    def answer(heard: Heard) -> Say:
        if b"ready" in heard.body and schema_of(heard):
            tried.append(heard)
            return Say(b"", 503) if len(tried) == 1 else Say(completion("ready"))
        return Say(completion("B"))

    found, model, _ = asked(answer)
    assert not any(isinstance(each, CallFailed) for each in found)
    assert len(tried) == 2
    assert model.capabilities.altered == (PASSED_OVER,)
