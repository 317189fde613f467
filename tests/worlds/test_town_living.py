"""A day is lived to its end, whatever minds say or fail to say."""

import asyncio
import json
import random
from collections.abc import Sequence
from typing import TypeVar, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mores.core.codec import encode
from mores.core.seeds import Seed
from mores.core.transcript import (
    ActionEvent,
    DayEndEvent,
    DayEvent,
    DayStartEvent,
    FailureEvent,
    SpeechEvent,
    StepStartEvent,
    TranscriptEvent,
)
from mores.models.request import Reply, Request
from mores.worlds.town.actions import blame_of
from mores.worlds.town.day import observe, replay, start_day
from mores.worlds.town.run_day import read_utterance
from mores.worlds.town.schedule import NIGHT
from mores.worlds.town.stage import DayConfig, Limits
from tests.worlds.days import WAIT, Minds, Say, lived, stage_of

REPLY = st.one_of(
    st.text(max_size=60),
    st.sampled_from(["", WAIT, '{"say": "Hello.", "leave": false}', '{"deed": "talk", "to": [3]}', "[]", "{}", "null"]),
    st.builds(
        lambda deed, to, say: json.dumps(
            {"deed": deed, "to": to, "say": say, "how": say, "action": "visit a neighbour"}
        ),
        st.sampled_from(["go", "talk", "do", "call", "text", "wait", "fly"]),
        st.lists(st.integers(-1, 120), max_size=2),
        st.text(max_size=20),
    ),
)


Kind = TypeVar("Kind", ActionEvent, SpeechEvent, StepStartEvent)


def of(kind: type[Kind], events: Sequence[TranscriptEvent]) -> list[Kind]:
    return [event for event in events if isinstance(event, kind)]


def only(role: str, words: str | None, *, else_: str | None = WAIT) -> Say:
    return lambda request: words if request.tag.role == role else else_


@settings(max_examples=25)
@given(st.lists(REPLY, min_size=1, max_size=40), st.integers(0, 79))
def test_whatever_is_said_the_day_ends_in_thirty_steps_and_by_ten_at_night(replies: list[str], target: int) -> None:
    stage = stage_of(target)
    turns = iter(range(10**9))
    events = lived(stage, lambda _: replies[next(turns) % len(replies)])
    ended = events[-1]
    assert isinstance(ended, DayEndEvent)
    assert len(of(StepStartEvent, events)) <= 30
    assert ended.minute <= NIGHT
    encode(events)
    log = [event for event in events if isinstance(event, get_args(DayEvent))]
    assert replay(stage, log)[-1].ended == ended


@pytest.mark.parametrize("words", ["", "Well…", "{", '{"deed": "talk", "to": [4711]}', '{"deed": "go", "to": 0.5}'])
def test_a_target_that_says_nothing_usable_waits_all_day_and_each_wait_has_its_reason(words: str) -> None:
    events = lived(stage_of(3), only("subject", words))
    own = [did for did in of(ActionEvent, events) if did.who == 3]
    assert len(own) == 30
    assert all(did.deed == "wait" and did.refused for did in own)
    blame = "refused" if "4711" in words else "format_error"
    assert {blame_of(did.refused) for did in own} == {blame}


def test_whether_minds_are_asked_at_once_or_in_turn_makes_no_difference() -> None:
    talk = '{"deed": "talk", "to": [%d], "say": "Good morning.", "how": "in passing"}'

    def say(request: Request) -> str | None:
        lot = Seed("minds").child(request.messages[-1].content).below(20)
        if request.tag.role == "subject" or lot > 16:
            return None if lot > 18 and request.tag.role != "subject" else WAIT
        return talk % (3 if lot < 9 else lot)

    stage = stage_of(3, limits=Limits(steps=8, nearby=20))
    days = [lived(stage, say, swift=swift) for swift in (False, True)]
    assert days[0] == days[1]
    assert of(SpeechEvent, days[0])


def test_others_who_fail_are_told_and_the_day_goes_on() -> None:
    stage = stage_of(3, limits=Limits(nearby=80))
    other = observe(stage, start_day(stage)).present[0]
    talk = json.dumps({"deed": "talk", "to": [other], "say": "Good morning."})
    events = lived(stage, only("subject", talk, else_=None))
    assert isinstance(events[-1], DayEndEvent)
    waits = [did for did in of(ActionEvent, events) if did.who != 3]
    assert {did.refused for did in waits} == {"could not be asked: no connection"}
    first = [said for said in of(SpeechEvent, events) if said.step == 0]
    assert [(s.who, s.text, s.flags) for s in first] == [
        (3, "Good morning.", ()),
        (other, "", ("could not be asked: no connection",)),
    ]


def test_a_target_that_cannot_be_asked_ends_its_day_as_failed_and_the_log_keeps_what_was_before() -> None:
    def say(request: Request) -> str | None:
        return None if request.tag.role == "subject" and "It is 08:00" in request.messages[-1].content else WAIT

    events = lived(stage_of(3), say)
    assert events[-1] == FailureEvent(role="subject", cause="no connection", detail="scripted")
    assert isinstance(events[0], DayStartEvent)
    assert len(of(StepStartEvent, events)) == 3


class Hasty(Minds):
    """Minds whose answers come in any order."""

    async def ask(self, request: Request) -> Reply:
        await asyncio.sleep(random.random() / 2000)
        return await super().ask(request)


def test_the_same_replies_give_the_same_bytes_in_whatever_order_they_come() -> None:
    def say(request: Request) -> str:
        number = sum(request.messages[-1].content.encode()) + request.tag.step
        ways = ("talk", "wait", "do")
        return json.dumps({"deed": ways[number % 3], "to": [3], "action": "rest", "say": f"{number}"})

    stage = stage_of(3, limits=Limits(nearby=80))
    days = {encode(lived(stage, Hasty(say))) for _ in range(3)}
    assert len(days) == 1


def _neighbours(stage: DayConfig) -> tuple[int, ...]:
    return observe(stage, start_day(stage)).present


def talked(say: Say, limits: Limits, *, party: int = 1) -> tuple[list[SpeechEvent], DayConfig]:
    """What is said at the first step, in which the target turns to so many people."""
    stage = stage_of(3, limits=limits)
    others = list(_neighbours(stage)[:party])
    opening = json.dumps({"deed": "talk", "to": others, "how": "smiling"})
    turn = only("subject", opening)
    events = lived(stage, lambda r: turn(r) if r.tag.step % 180 < 50 else say(r))
    return [said for said in of(SpeechEvent, events) if said.step == 0], stage


def test_a_conversation_has_no_more_utterances_than_the_limit_and_speakers_take_turns() -> None:
    said, _ = talked(lambda _: '{"say": "Yes.", "leave": false}', Limits(nearby=80, utterances=5))
    assert [each.who == 3 for each in said] == [True, False, True, False, True]


def test_when_the_target_leaves_the_conversation_is_over() -> None:
    said, _ = talked(lambda _: '{"say": "Bye.", "leave": true}', Limits(nearby=80))
    assert len(said) == 1


def test_when_another_leaves_the_rest_go_on() -> None:
    def say(request: Request) -> str:
        leaves = request.tag.role == "supporter" and "conversation here with" in request.messages[-1].content
        return json.dumps({"say": "Yes.", "leave": leaves})

    said, stage = talked(say, Limits(nearby=80), party=2)
    one, other = _neighbours(stage)[:2]
    assert [each.who for each in said] == [3, one, 3, other]


def test_who_is_turned_to_hears_how() -> None:
    stage = stage_of(3, limits=Limits(nearby=80))
    other = min(_neighbours(stage))

    def say(request: Request) -> str:
        if request.tag.role == "supporter":
            return json.dumps({"deed": "talk", "to": [3], "how": "waving", "say": "Hello."})
        return '{"deed": "wait", "say": "Hello you.", "leave": true}'

    minds = Minds(say)
    lived(stage, minds)
    opener = next(r for r in minds.asked if r.tag.role == "supporter" and "in a conversation" in r.messages[-1].content)
    assert f"({stage.population.name[other]}: waving)" in opener.messages[-1].content


def caller() -> tuple[DayConfig, int]:
    """Somebody with a contact who is elsewhere."""
    for target in range(80):
        stage = stage_of(target)
        away = [person for person in stage.contacts if person not in observe(stage, start_day(stage)).present]
        if away:
            return stage, away[0]
    raise AssertionError("nobody has a contact elsewhere")


def test_a_call_is_a_conversation_with_somebody_who_is_told_where_they_are() -> None:
    stage, other = caller()
    minds = Minds(
        only("subject", json.dumps({"deed": "call", "to": [other], "say": "Hello?"}), else_='{"say": "Yes?"}')
    )
    events = lived(stage, minds)
    said = [each for each in of(SpeechEvent, events) if each.step == 0]
    assert [each.who for each in said] == [stage.target, other] * 4
    assert all(each.phone for each in said)
    asked = next(r for r in minds.asked if "on the phone" in r.messages[-1].content and r.tag.role == "supporter")
    where = stage.location(int(stage.whereabouts[other, 0])).name
    assert f"You are now {stage.population.name[other]}" in asked.messages[-1].content
    assert f"You yourself are at {where}" in asked.messages[-1].content


def test_a_text_is_one_message_and_one_answer() -> None:
    stage, other = caller()
    text = json.dumps({"deed": "text", "to": [other], "argument": "On my way."})
    events = lived(stage, only("subject", text, else_='{"say": "Good."}'))
    said = [(e.who, e.text, e.phone) for e in of(SpeechEvent, events) if e.step == 0]
    assert said == [(stage.target, "On my way.", True), (other, "Good.", True)]


def test_all_here_are_asked_upon_one_sight_and_nobody_else() -> None:
    minds = Minds(lambda _: WAIT)
    stage = stage_of(3)
    events = lived(stage, minds)
    for begun in of(StepStartEvent, events):
        asked = [r for r in minds.asked if r.tag.step // 180 == begun.step]
        assert len([r for r in asked if r.tag.role == "supporter"]) == len(begun.present)
        assert len([r for r in asked if r.tag.role == "subject"]) == 1


def test_every_call_of_a_step_has_a_number_of_its_own() -> None:
    minds = Minds(lambda request: '{"deed": "talk", "to": [3], "say": "So.", "how": "in passing"}')
    lived(stage_of(3, limits=Limits(steps=6, nearby=20, utterances=3)), minds)
    asked = [(r.tag.role, r.tag.step) for r in minds.asked]
    assert len(asked) == len(set(asked))


def test_the_beginning_of_what_a_target_is_told_stays_the_same_all_day() -> None:
    minds = Minds(lambda _: WAIT)
    lived(stage_of(3), minds)
    assert len({r.messages[0] for r in minds.asked if r.tag.role == "subject"}) == 1


@given(st.text())
def test_any_reply_is_an_utterance_that_a_file_can_hold(words: str) -> None:
    heard = read_utterance(Reply(text=words))
    encode(heard)
    assert bool(heard.text) or heard.flags


@pytest.mark.parametrize(
    ("words", "text", "leaves", "flags"),
    [
        ('{"say": " Hi. ", "leave": true}', "Hi.", True, ()),
        ('```json\n{"say": "Hi."}\n```', "Hi.", False, ()),
        ("Hi.", "Hi.", False, ("no JSON",)),
        ('{"said": "Hi."}', '{"said": "Hi."}', False, ("no words under say",)),
        ("", "", True, ("empty",)),
        ('{"say": ""}', "", True, ("empty",)),
    ],
)
def test_plain_words_are_taken_and_flagged_and_silence_leaves(
    words: str, text: str, leaves: bool, flags: tuple[str, ...]
) -> None:
    assert read_utterance(Reply(text=words)) == (text, leaves, flags)


def test_who_declines_to_speak_leaves() -> None:
    assert read_utterance(Reply(text="I cannot.", refusal=True)) == ("", True, ("refusal",))
