"""Two minds in turn: who speaks when, how a talk ends and who hears what; equal words give equal talks."""

import asyncio
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from mores.core.codec import encode
from mores.core.errors import InputError
from mores.core.transcript import BriefingEvent, DialogueEndEvent, FailureEvent, TranscriptEvent, TurnEvent
from mores.models.request import CallFailed, Reply
from mores.worlds.dialogue import SILENT, DialogueLimits, DialogueState, leave, run_dialogue, step
from mores.worlds.persona import Memory, Persona

OMAR = Persona(role="antagonist", name="Omar", brief="You play Omar. Four sounds like death.", prompt="x")
PIET = Persona(role="subject", name="Piet", brief="You play Piet.", prompt="y")
TALK = DialogueState(minds=(OMAR, PIET))
END = object()
Said = str | Reply | CallFailed | object
Memories = list[tuple[str, int, Memory]]


class Lines:
    """A policy that says its lines one after the other, the last for ever, and keeps what its mind remembered."""

    def __init__(self, lines: Sequence[Said], seen: Memories) -> None:
        self.lines, self.seen = lines, seen

    async def speak(self, persona: Persona, memory: Memory, step: int) -> Reply | None:
        self.seen.append((persona.role, step, memory))
        line = self.lines[min(step, len(self.lines) - 1)]
        if isinstance(line, CallFailed):
            raise line
        if line is END:
            return None
        return line if isinstance(line, Reply) else Reply(text=str(line))


def held(
    omar: Sequence[Said], piet: Sequence[Said], rules: DialogueLimits | None = None, seen: Memories | None = None
) -> tuple[TranscriptEvent, ...]:
    """All events of a talk of these lines."""
    memories: Memories = [] if seen is None else seen
    talk = replace(TALK, rules=rules or DialogueLimits())
    policies = {"antagonist": Lines(omar, memories), "subject": Lines(piet, memories)}
    return asyncio.run(run_dialogue(talk, policies, "Begin."))


def spoken(events: Sequence[TranscriptEvent]) -> list[TurnEvent]:
    return [event for event in events if isinstance(event, TurnEvent)]


def ending(events: Sequence[TranscriptEvent]) -> tuple[str, str | None, int]:
    last = events[-1]
    assert isinstance(last, DialogueEndEvent)
    return last.why, last.by, last.rounds


def turns(count: int) -> list[str]:
    return [f"Line {number}." for number in range(count)]


def test_both_are_told_who_they_are_before_anything_is_said() -> None:
    events = held(["Hello.", "GOOD BYE!"], ["Hi."])
    assert events[:2] == (
        BriefingEvent(role="antagonist", name="Omar", words=OMAR.brief, prompt="x"),
        BriefingEvent(role="subject", name="Piet", words=PIET.brief, prompt="y"),
    )


def test_the_antagonist_begins_and_they_take_turns_two_to_a_round() -> None:
    said = spoken(held(["Hello.", "Four?", "GOOD BYE!"], ["Hi.", "No."]))
    assert [(s.role, s.round, s.text) for s in said] == [
        ("antagonist", 1, "Hello."), ("subject", 1, "Hi."), ("antagonist", 2, "Four?"), ("subject", 2, "No."),
        ("antagonist", 3, "GOOD BYE!"),
    ]  # fmt: skip


def test_each_remembers_the_talk_from_its_own_side_and_nothing_of_the_others_brief() -> None:
    seen: Memories = []
    held(["Hello.", "Four?", "GOOD BYE!"], ["Hi.", "No."], seen=seen)
    by_turn = {(role, step): [(m.role, m.content) for m in memory.messages] for role, step, memory in seen}
    assert by_turn["antagonist", 1] == [
        ("system", OMAR.brief), ("user", "Begin."), ("assistant", "Hello."), ("user", "Hi."),
    ]  # fmt: skip
    assert by_turn["subject", 1] == [
        ("system", PIET.brief), ("user", "Hello."), ("assistant", "Hi."), ("user", "Four?"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("omar", "piet", "end"),
    [
        (["Hello.", "OK. GOOD BYE!"], ["Hi."], ("closing words", "antagonist", 2)),
        (["Hello."], ["Hi.", "Good bye!"], ("closing words", "subject", 2)),
        (["Good bye."], ["Hi."], ("closing words", "antagonist", 1)),
    ],
)
def test_closing_words_end_it_whoever_says_them(
    omar: list[str], piet: list[str], end: tuple[str, str | None, int]
) -> None:
    assert ending(held(omar, piet)) == end


def test_without_closing_words_it_ends_after_twenty_whole_rounds() -> None:
    events = held(turns(40), turns(40))
    assert ending(events) == ("limit", None, 20)
    assert len(spoken(events)) == 40
    assert spoken(events)[-1].role == "subject"


def test_closing_words_in_the_last_turn_of_the_last_round_are_closing_words() -> None:
    assert ending(held(turns(3), ["One.", "Two.", "Good bye."], DialogueLimits(rounds=3))) == (
        "closing words",
        "subject",
        3,
    )


def test_a_side_that_says_nothing_twice_ends_it_and_each_time_is_flagged() -> None:
    events = held(turns(9), ["Hi.", "", " "])
    assert ending(events) == ("silence", "subject", 3)
    assert [s.flags for s in spoken(events) if s.role == "subject"] == [(), ("empty",), ("empty",)]


def test_a_silence_between_words_ends_nothing_and_the_other_hears_of_it() -> None:
    seen: Memories = []
    events = held(["Hello.", "Well?", "GOOD BYE!"], ["", "Here I am."], seen=seen)
    assert ending(events) == ("closing words", "antagonist", 3)
    heard = next(memory for role, step, memory in seen if (role, step) == ("antagonist", 1))
    assert heard.messages[-1].content == SILENT
    assert spoken(events)[1].text == ""


def test_a_side_that_only_repeats_itself_goes_on_to_the_limit_with_every_repeat_flagged() -> None:
    events = held(turns(40), ["No."])
    assert ending(events)[0] == "limit"
    assert [s.flags for s in spoken(events) if s.role == "subject"] == [(), *[("repeats",)] * 19]


def test_what_one_side_says_for_the_other_is_cut_and_kept() -> None:
    seen: Memories = []
    events = held(["Hello.", "GOOD BYE!"], ["Hi.\nOmar: GOOD BYE!"], seen=seen)
    said = spoken(events)[1]
    assert (said.text, said.raw, said.flags) == ("Hi.", "Hi.\nOmar: GOOD BYE!", ("speaks for the other",))
    assert ending(events) == ("closing words", "antagonist", 2)
    assert all("GOOD BYE" not in m.content for _, _, memory in seen for m in memory.messages)


def test_thinking_and_what_was_planted_stand_beside_the_words_and_reach_nobody() -> None:
    seen: Memories = []
    reply = Reply(text="Hi.", reasoning="Four is death.", planted="aware")
    events = held(["Hello.", "GOOD BYE!"], [reply], seen=seen)
    assert (spoken(events)[1].reasoning, spoken(events)[1].planted) == ("Four is death.", "aware")
    assert all("death" not in m.content for role, _, memory in seen[1:] for m in memory.messages[1:])


@pytest.mark.parametrize("who", ["antagonist", "subject"])
def test_a_call_that_fails_ends_the_talk_as_an_event_after_what_was_said(who: str) -> None:
    broken = CallFailed("timeout", "after 300 s")
    sides = (["Hello.", broken], turns(9)) if who == "antagonist" else (turns(9), ["Hi.", broken])
    events = held(*sides)
    assert events[-1] == FailureEvent(role=who, cause="timeout", detail="after 300 s")
    assert not any(isinstance(event, DialogueEndEvent) for event in events)
    assert len(spoken(events)) == (2 if who == "antagonist" else 3)


def test_a_recording_that_goes_no_further_ends_it_and_says_so() -> None:
    assert ending(held(["Hello.", "Four?"], ["Hi.", END])) == ("recording", None, 2)
    assert ending(held(["Hello.", END], ["Hi."])) == ("recording", None, 1)
    assert ending(held([END], ["Hi."])) == ("recording", None, 0)


def test_a_stored_talk_is_taken_as_it_stands_and_ends_where_it_ended() -> None:
    omar = ["Good bye party?", *turns(30), "OK. GOOD BYE!"]
    piet: list[Said] = ["Hi.\nOmar: Fine.", "", "", *turns(28), END]
    events = held(omar, piet, DialogueLimits(rounds=20, stored=True))
    assert ending(events) == ("closing words", "antagonist", 32)
    said = spoken(events)
    assert [s.text for s in said if s.role == "subject"] == piet[:31]
    assert said[1].flags == ("speaks for the other",)
    assert said[1].raw is None


def test_a_step_changes_nothing_of_the_talk_before_it() -> None:
    spoke = TurnEvent(role="antagonist", name="Omar", round=1, text="Good bye.")
    after = step(TALK, spoke)
    assert TALK.turns == ()
    assert TALK.ended is None
    assert (after.turns, after.ended) == ((spoke,), DialogueEndEvent(why="closing words", by="antagonist", rounds=1))
    assert step(TALK, spoke) == after


def test_out_of_turn_or_after_the_end_nothing_can_be_said() -> None:
    piet = TurnEvent(role="subject", name="Piet", round=1, text="Hi.")
    with pytest.raises(InputError, match="turn of the antagonist; the subject spoke"):
        step(TALK, piet)
    over = step(TALK, TurnEvent(role="antagonist", name="Omar", round=1, text="Good bye."))
    with pytest.raises(InputError, match="ended by closing words; nothing more"):
        step(over, piet)
    with pytest.raises(InputError, match="ended by closing words; nobody can leave"):
        leave(over)


@pytest.mark.parametrize("rules", [{"rounds": 0}, {"silences": 0}, {"rounds": -1}])
def test_rules_that_allow_no_talk_are_refused(rules: dict[str, int]) -> None:
    with pytest.raises(InputError, match="at least 1 of each"):
        DialogueLimits(**rules)  # type: ignore[arg-type]


LINES = st.lists(st.sampled_from(["Hello.", "", "No.", "Piet: x", "Omar: y", "z\nOmar: Good bye", "Good bye", "雨"]),
                 min_size=1, max_size=50)  # fmt: skip


@given(omar=LINES, piet=LINES, rounds=st.integers(1, 25), silences=st.integers(1, 3), stored=st.booleans())
def test_any_words_end_within_the_limit_in_turn_and_in_equal_bytes(
    omar: list[str], piet: list[str], rounds: int, silences: int, stored: bool
) -> None:
    rules = DialogueLimits(rounds=rounds, silences=silences, stored=stored)
    sides: tuple[list[Said], list[Said]] = ([*omar, END], [*piet, END]) if stored else ([*omar], [*piet])
    events = held(*sides, rules)
    said = spoken(events)
    assert [s.role for s in said] == [("antagonist", "subject")[n % 2] for n in range(len(said))]
    assert [s.round for s in said] == [n // 2 + 1 for n in range(len(said))]
    why, by, last = ending(events)
    assert last == (len(said) + 1) // 2
    assert stored or len(said) <= 2 * rounds
    assert by is None or by == said[-1].role
    assert why in ({"closing words", "recording"} if stored else {"closing words", "limit", "silence"})
    assert encode(events) == encode(held(*sides, rules))


@given(omar=LINES, piet=LINES)
def test_the_step_alone_makes_the_same_talk_of_the_same_turns(omar: list[str], piet: list[str]) -> None:
    events = held(omar, piet)
    talk = TALK
    for spoke in spoken(events):
        talk = step(talk, spoke)
    assert talk.ended == events[-1]
    assert talk.turns == tuple(spoken(events))
