"""Where minds live the whole town, people talk among themselves; nowhere else, and never where the target hears it."""

import json
import re
from collections.abc import Sequence
from itertools import groupby
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mores.benchmarks.shapes.days.verifier import steps_of
from mores.core.codec import encode
from mores.core.transcript import (
    ActionEvent,
    DayEndEvent,
    DayEvent,
    OtherTalkEvent,
    SpeechEvent,
    StepStartEvent,
    TranscriptEvent,
    read_event,
)
from mores.models.request import Request
from mores.worlds.town.actions import Action
from mores.worlds.town.day import Observation, observe, observe_as, place_of, remembered, replay, start_day
from mores.worlds.town.recorded import recorded_whereabouts
from mores.worlds.town.resolve import Intention, resolve
from mores.worlds.town.stage import DayConfig, Limits
from tests.worlds.days import WAIT, Minds, Say, lived, people, stage_of
from tests.worlds.test_town_living import Hasty

SMALL = people(40, "small")
HOMES = [SMALL.home.tolist().count(home) for home in SMALL.home.tolist()]
ALONE = next(person for person, size in enumerate(HOMES) if size == 1)
"""Somebody who wakes up alone."""
FEW = Limits(steps=3, utterances=4)


def live(target: int = ALONE, limits: Limits = FEW) -> DayConfig:
    return stage_of(target, population=SMALL, off_screen="live", limits=limits)


def family(stage: DayConfig, least: int) -> tuple[int, ...]:
    """People of one home, which is not the target's, by number."""
    homes = {p: int(SMALL.home[p]) for p in range(len(SMALL)) if SMALL.home[p] != SMALL.home[stage.target]}
    kept = next(home for home in homes.values() if list(homes.values()).count(home) >= least)
    return tuple(person for person, home in homes.items() if home == kept)


def chatty(*openers: tuple[int, Sequence[int]], says: str = '{"say": "Well.", "leave": false}') -> Say:
    """Each opener turns to these people at every step, all others wait, and all say the same."""

    def say(request: Request) -> str:
        asked = request.messages[-1].content
        if asked.endswith("What do you say?"):
            return says
        for opener, others in openers:
            if f"You are now {SMALL.name[opener]}, {SMALL.age[opener]}," in asked:
                return json.dumps({"deed": "talk", "to": list(others), "how": f"opened by {opener}"})
        return WAIT

    return say


def chats(events: Sequence[TranscriptEvent]) -> list[OtherTalkEvent]:
    return [event for event in events if isinstance(event, OtherTalkEvent)]


def first(events: Sequence[TranscriptEvent]) -> list[OtherTalkEvent]:
    return [said for said in chats(events) if said.step == 0]


def test_two_at_home_talk_in_turn_and_no_longer_than_the_limit() -> None:
    stage = live()
    one, other = family(stage, 2)[:2]
    events = lived(stage, chatty((one, [other])))
    assert [(c.who, c.to, c.where) for c in first(events)] == [
        (one, (other,), int(SMALL.home[one])), (other, (one,), int(SMALL.home[one])),
    ] * 2  # fmt: skip
    assert {c.text for c in first(events)} == {"Well."}
    assert not [event for event in events if isinstance(event, SpeechEvent)]


def test_who_leaves_says_no_more_and_a_talk_of_one_is_over() -> None:
    stage = live()
    one, two, three = family(stage, 3)[:3]
    events = lived(stage, chatty((one, [two, three]), says='{"say": "Bye.", "leave": true}'))
    assert [c.who for c in first(events)] == [one, two]


def test_three_speak_in_the_order_in_which_they_were_addressed() -> None:
    stage = live()
    one, two, three = family(stage, 3)[:3]
    events = lived(stage, chatty((one, [three, two])))
    assert [c.who for c in first(events)] == [one, three, two, one]


def test_who_cannot_be_asked_leaves_without_a_word_and_the_day_goes_on() -> None:
    stage = live()
    one, other = family(stage, 2)[:2]
    say = chatty((one, [other]))
    events = lived(stage, lambda r: None if r.messages[-1].content.endswith("What do you say?") else say(r))
    assert [(c.who, c.text, c.flags) for c in first(events)] == [(one, "", ("could not be asked: no connection",))]
    assert isinstance(events[-1], DayEndEvent)


def test_who_is_addressed_hears_how_and_who_else_is_there() -> None:
    stage = live()
    one, other = family(stage, 2)[:2]
    minds = Minds(chatty((one, [other])))
    lived(stage, minds)
    asked = [r.messages[-1].content for r in minds.asked if r.messages[-1].content.endswith("What do you say?")]
    assert f"({SMALL.name[one]}: opened by {one})" in asked[0]
    assert f"in a conversation with {other} {SMALL.name[other]}." in asked[0]
    assert f"{SMALL.name[one]}: Well." in asked[1]


def test_those_who_talked_remember_it_and_nobody_else_does() -> None:
    stage = live()
    one, other = family(stage, 2)[:2]
    minds = Minds(chatty((one, [other])))
    events = lived(stage, minds)
    log = [event for event in events if isinstance(event, get_args(DayEvent))]
    day = replay(stage, log)[1]
    assert f"spoke with {SMALL.name[other]}; last words: Well." in remembered(day, one)
    assert f"spoke with {SMALL.name[one]}" in remembered(day, other)
    assert "Well." not in remembered(day)
    strangers = set(range(len(SMALL))) - {one, other, stage.target}
    assert not any("Well." in remembered(day, person) for person in strangers)
    later = next(r.messages[-1].content for r in minds.asked if _is_of(r, one) and "07:30" in r.messages[-1].content)
    assert f"spoke with {SMALL.name[other]}" in later


def _is_of(request: Request, person: int) -> bool:
    asked = request.messages[-1].content
    return f"You are now {SMALL.name[person]}, {SMALL.age[person]}," in asked and asked.endswith("What do you do?")


def test_neither_the_target_nor_its_verifier_is_told() -> None:
    """They sit with the target, talk to each other, and it hears nothing of it."""
    target = next(person for person, size in enumerate(HOMES) if size > 2)
    stage = live(target)
    one, other = (p for p in observe(stage, start_day(stage)).present[:2])
    minds = Minds(chatty((one, [other]), says='{"say": "A secret.", "leave": false}'))
    events = lived(stage, minds)
    assert {c.text for c in first(events)} == {"A secret."}
    own = [m.content for r in minds.asked if r.tag.role == "subject" for m in r.messages]
    assert not any("A secret." in words for words in own)
    log = [event for event in events if isinstance(event, get_args(DayEvent))]
    assert not any("A secret." in step.text + step.before for step in steps_of(stage, log))
    assert not any(record.people for record in replay(stage, log)[-1].records)


def test_on_a_schedule_nobody_talks_among_themselves() -> None:
    target = next(person for person, size in enumerate(HOMES) if size > 2)
    stage = stage_of(target, population=SMALL, limits=FEW)
    one, other = observe(stage, start_day(stage)).present[:2]
    minds = Minds(chatty((one, [other]), (other, [one])))
    assert not chats(lived(stage, minds))
    assert not any("Your day so far" in r.messages[-1].content for r in minds.asked if r.tag.role == "supporter")


WISHES = st.builds(
    Action,
    deed=st.sampled_from(["go", "talk", "talk", "do", "wait"]),
    to=st.lists(st.integers(-1, 45), max_size=3, unique=True).map(tuple),  # a reading keeps each number once
    action=st.sampled_from(["", "rest", "visit a neighbour", "order food"]),
)


@settings(max_examples=60)
@given(st.lists(WISHES, min_size=len(SMALL), max_size=len(SMALL)), st.integers(0, len(SMALL) - 1), st.randoms())
def test_nobody_is_in_two_talks_or_walks_away_from_one_or_talks_with_who_is_not_there(
    wishes: list[Action], target: int, rng_seed: object
) -> None:
    stage = live(target)
    day = start_day(stage)
    sight = observe(stage, day)
    minds = [_mind(stage, sight, person, wish) for person, wish in enumerate(wishes)]
    resolved = resolve(stage, day, sight, minds)
    shuffled = list(minds)
    rng_seed.shuffle(shuffled)  # type: ignore[attr-defined]
    assert resolve(stage, day, sight, shuffled) == resolved
    talking = [person for party in (resolved.party, *resolved.asides) for person in party]
    assert len(talking) == len(set(talking))
    away = {did.who for did in resolved.deeds if did.deed == "go"}
    for party in resolved.asides:
        assert len(party) > 1
        assert stage.target not in party
        assert not away & set(party)
        assert len({place_of(stage, day, person) for person in party}) == 1


def _mind(stage: DayConfig, sight: Observation, person: int, wish: Action) -> Intention:
    own = None if person in (stage.target, *sight.present) else observe_as(stage, start_day(stage), person)
    return Intention(person, wish, sight=own)


def clever(request: Request) -> str:
    """Words that depend on all that is asked; who turns to somebody, turns to the first who is there."""
    asked = request.messages[-1].content
    number = sum(asked.encode()) + request.tag.step
    if asked.endswith("What do you say?"):
        return json.dumps({"say": f"{number}", "leave": number % 5 == 0})
    here = re.search(r"(?:People|Also) here: (\d+)", asked)
    to = [int(here[1])] if here else []
    return json.dumps({"deed": ("talk", "wait", "do")[number % 3], "to": to, "action": "rest"})


def test_the_same_replies_give_the_same_bytes_and_a_log_that_replays_and_reads_back() -> None:
    stage = live(limits=Limits(steps=8, utterances=3))
    days = [lived(stage, Hasty(clever)) for _ in range(3)]
    assert len({encode(events) for events in days}) == 1
    log = [event for event in days[0] if isinstance(event, get_args(DayEvent))]
    assert chats(log)
    assert replay(stage, log)[-1].ended == log[-1]
    stored = [read_event(event) for event in json.loads(encode(days[0]))]
    assert encode(stored) == encode(days[0])


def test_every_call_of_a_step_has_a_number_of_its_own() -> None:
    minds = Minds(clever)
    lived(live(limits=Limits(steps=6, utterances=3)), minds)
    asked = [(r.tag.role, r.tag.step) for r in minds.asked]
    assert len(asked) == len(set(asked))


def test_a_day_with_talk_can_be_recorded_and_reused() -> None:
    stage = live(limits=Limits(steps=30, utterances=2))
    log = [event for event in lived(stage, clever) if isinstance(event, get_args(DayEvent))]
    where = recorded_whereabouts(SMALL, log, where="here")
    assert where[:, 0].tolist() == SMALL.home.tolist()


@pytest.mark.parametrize("utterances", [1, 2, 5])
def test_talks_of_a_step_stand_together_in_the_order_of_their_openers(utterances: int) -> None:
    stage = live(limits=Limits(steps=1, utterances=utterances))
    homes: dict[int, list[int]] = {}
    for person in range(len(SMALL)):
        homes.setdefault(int(SMALL.home[person]), []).append(person)
    pairs = [tuple(who[:2]) for home, who in homes.items() if len(who) > 1 and home != SMALL.home[stage.target]]
    events = lived(stage, chatty(*((one, [other]) for one, other in pairs)))
    together = [next(iter(said)).who for _, said in groupby(chats(events), key=lambda c: c.where)]
    assert together == sorted(one for one, _ in pairs)
    kinds = [type(event) for event in events]
    assert kinds.index(OtherTalkEvent) > max(n for n, kind in enumerate(kinds) if kind in {ActionEvent, StepStartEvent})
