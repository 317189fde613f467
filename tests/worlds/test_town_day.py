"""A day as a pure world: what is seen, what becomes of wishes, and that the log is all there is to know."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mores.core.errors import InputError
from mores.core.transcript import (
    ActionEvent,
    DayEvent,
    SpeechEvent,
    StepStartEvent,
    Subtask,
    SubtaskCheckEvent,
    TranscriptEvent,
)
from mores.worlds.town.actions import Action, UnparsedAction
from mores.worlds.town.day import (
    PERIOD,
    Day,
    Record,
    active_task,
    advance,
    observe,
    on_time,
    place_of,
    recall,
    remembered,
    replay,
    start_day,
    step_start,
)
from mores.worlds.town.plans import DayPlan
from mores.worlds.town.run_day import Intention, resolve
from mores.worlds.town.schedule import MORNING, NIGHT, slot_of
from mores.worlds.town.stage import DayConfig, Limits, place_role_of
from tests.worlds.days import TASK, lived, people, stage_of

PLAN = DayPlan(goal="a good day", subtasks=(TASK,))
STAGE = stage_of(3, plan=PLAN)
WISHES = st.builds(
    Action,
    kind=st.sampled_from(["go", "talk", "do", "call", "text", "wait"]),
    to=st.lists(st.integers(-1, 120), max_size=2).map(tuple),
    action=st.sampled_from(["", "rest", "buy groceries", "order food", "visit a neighbour"]),
    how=st.sampled_from(["", "in passing"]),
)


def step(stage: DayConfig, day: Day, *minds: Intention) -> tuple[Day, list[DayEvent]]:
    """A step in which these minds act, and those who are spoken with say one thing each."""
    sight = observe(stage, day)
    resolved = resolve(stage, day, sight, minds)
    events: list[DayEvent] = [step_start(day, sight, ""), *resolved.actions]
    events += [
        SpeechEvent(step=day.step, minute=day.minute, who=who, to=(stage.target,), where=day.where, text="Yes.",
             phone=resolved.phone)
        for who in resolved.party
    ]  # fmt: skip
    return advance(stage, day, events), events


def own(stage: DayConfig, **wish: object) -> Intention:
    return Intention(stage.target, Action(**wish))  # type: ignore[arg-type]


@given(st.lists(st.tuples(WISHES, st.lists(WISHES, max_size=9)), min_size=1, max_size=30), st.integers(0, 79))
def test_whatever_is_wished_people_are_in_one_place_walk_along_streets_and_time_goes_on(
    script: list[tuple[Action, list[Action]]], target: int
) -> None:
    stage = stage_of(target, plan=PLAN)
    day, days, log = start_day(stage), [start_day(stage)], []
    for wish, others in script:
        if day.ended is not None:
            break
        present = observe(stage, day).present
        minds = [Intention(who, each) for who, each in zip(present, others, strict=False)]
        day, events = step(stage, day, Intention(target, wish), *minds)
        days.append(day)
        log += events
    assert replay(stage, log) == tuple(days)
    for before, after in pairwise(days):
        assert before.minute < after.minute <= NIGHT
        assert after.step == before.step + 1
        assert set(before.done) <= set(after.done)
        _walked(stage, before, after)


def _walked(stage: DayConfig, before: Day, after: Day) -> None:
    """Everybody stays or walks along one street, and only at a half hour where it is not the target."""
    hops = stage.town.hops
    for person in range(len(stage.population)):
        here, there = place_of(stage, before, person), place_of(stage, after, person)
        assert hops[here, there] <= 1
        if person != stage.target and slot_of(before.minute) == slot_of(after.minute):
            assert here == there


def test_those_who_are_here_are_seen_those_known_first_and_no_more_than_the_limit() -> None:
    stage = stage_of(3, plan=PLAN, limits=Limits(nearby=2))
    home = stage.person.home
    here = [p for p in range(len(stage.population)) if stage.population.home[p] == home and p != 3]
    present = observe(stage, start_day(stage)).present
    assert len(present) == min(2, len(here))
    assert set(present) <= set(here)
    known = [person for person in here if person in stage.known]
    assert set(present[: len(known)]) <= set(known)


def _held(stage: DayConfig, day: Day) -> tuple[int, int]:
    """Somebody here whom the schedule would take away in the next half hour, and the minute of the change."""
    for slot in range(slot_of(day.minute), 29):
        for person in range(len(stage.population)):
            if person == stage.target or stage.whereabouts[person, slot] != stage.person.home:
                continue
            if stage.whereabouts[person, slot + 1] != stage.person.home:
                return person, MORNING + 30 * slot + 20
    raise AssertionError("nobody leaves")


def test_who_speaks_with_the_target_stays_and_walks_after_the_schedule_when_it_is_over() -> None:
    """From ten minutes before the half hour into it, they talk; then the other goes, one street a half hour."""
    stage = stage_of(3, plan=PLAN, limits=Limits(nearby=80))
    person, minute = _held(stage, start_day(stage))
    day = Day(step=0, minute=minute, where=stage.person.home)
    assert person in observe(stage, day).present
    day, _ = step(stage, day, own(stage, kind="talk", to=(person,)))
    assert place_of(stage, day, person) == stage.person.home
    assert person in observe(stage, day).present
    assert day.off_schedule
    later, _ = step(stage, day, own(stage, kind="wait"))
    assert stage.town.distance(stage.person.home, place_of(stage, later, person)) <= 1
    for _ in range(8):
        later, _ = step(stage, later, own(stage, kind="wait"))
    assert not later.off_schedule


def test_who_is_phoned_is_not_held() -> None:
    stage = next(s for s in (stage_of(p, plan=PLAN) for p in range(80)) if s.contacts and _far(s))
    day, events = step(stage, start_day(stage), own(stage, kind="call", to=(_far(stage)[0],)))
    assert [e.phone for e in events if isinstance(e, SpeechEvent)] == [True, True]
    assert day.off_schedule == ()
    assert day.minute == MORNING + 10


def _far(stage: DayConfig) -> list[int]:
    return [person for person in stage.contacts if person not in observe(stage, start_day(stage)).present]


def test_a_step_takes_half_an_hour_ten_minutes_with_a_conversation_and_never_passes_the_night() -> None:
    day, _ = step(STAGE, start_day(STAGE), own(STAGE, kind="wait"))
    assert day.minute == MORNING + 30
    late, _ = step(STAGE, Day(step=4, minute=NIGHT - 10, where=STAGE.person.home), own(STAGE, kind="wait"))
    assert late.minute == NIGHT
    assert late.ended is not None
    assert late.ended.why == "night"


def test_a_day_ends_when_all_is_done_and_what_is_done_stays_done() -> None:
    day, events = step(STAGE, start_day(STAGE), own(STAGE, kind="wait"))
    done = SubtaskCheckEvent(step=0, minute=MORNING, subtask=1, done=True)
    ended = advance(STAGE, start_day(STAGE), [*events, done])
    assert ended.ended is not None
    assert (ended.ended.why, ended.done) == ("all done", (1,))
    assert not on_time(STAGE.plan.subtasks[0], MORNING)
    assert day.ended is None


def test_a_log_that_goes_on_after_its_end_or_mixes_steps_is_refused() -> None:
    _, events = step(STAGE, start_day(STAGE), own(STAGE, kind="wait"))
    with pytest.raises(InputError, match="Step 3 of a day"):
        advance(STAGE, Day(step=3, minute=600, where=STAGE.person.home), events)


def test_the_task_in_hand_is_the_open_one_whose_window_ends_first_and_what_was_missed_comes_last() -> None:
    early, late = (Subtask(id=n, words="", kind="park", start=s, end=e) for n, s, e in ((1, 480, 540), (2, 900, 960)))
    stage = stage_of(3, plan=DayPlan(goal="", subtasks=(early, late)))
    day = start_day(stage)
    assert active_task(stage, day) == early
    assert active_task(stage, Day(step=5, minute=600, where=0)) == late
    assert active_task(stage, Day(step=5, minute=600, where=0, done=(2,))) == early
    assert active_task(stage, Day(step=5, minute=600, where=0, done=(1, 2))) is None


def test_an_impossible_wish_becomes_a_wait_with_its_reason_for_anybody() -> None:
    day = start_day(STAGE)
    sight = observe(STAGE, day)
    minds = [own(STAGE, kind="go", to=(STAGE.person.home,))]
    minds += [Intention(person, Action(kind="go", to=(1,))) for person in sight.present]
    for did in resolve(STAGE, day, sight, minds).actions:
        assert did.deed == "wait"
        assert "no street" in did.refused


def test_unreadable_words_become_a_wait_that_keeps_them() -> None:
    did = resolve(
        STAGE,
        start_day(STAGE),
        observe(STAGE, start_day(STAGE)),
        [Intention(3, UnparsedAction("unreadable: x"), raw="hm")],
    ).actions[0]
    assert (did.deed, did.refused, did.raw) == ("wait", "unreadable: x", "hm")


def test_who_answered_first_does_not_matter() -> None:
    stage = stage_of(3, plan=PLAN, limits=Limits(nearby=80))
    day = start_day(stage)
    sight = observe(stage, day)
    minds = [own(stage, kind="wait"), *(Intention(p, Action(kind="talk", to=(3,))) for p in sight.present)]
    assert len(minds) > 2
    assert resolve(stage, day, sight, minds) == resolve(stage, day, sight, minds[::-1])
    assert resolve(stage, day, sight, minds[::-1]).party == (min(sight.present), 3)


def test_who_walks_away_is_not_spoken_to() -> None:
    stage = stage_of(3, plan=PLAN, limits=Limits(nearby=80))
    day = start_day(stage)
    sight = observe(stage, day)
    away = own(stage, kind="go", to=(sight.choices.neighbours[0],))
    others = [Intention(p, Action(kind="talk", to=(3,))) for p in sight.present]
    assert resolve(stage, day, sight, [away, *others]).party == ()


def test_an_action_that_opens_a_conversation_finds_somebody_who_is_there() -> None:
    stage = stage_of(3, plan=PLAN, limits=Limits(nearby=80))
    day = start_day(stage)
    sight = observe(stage, day)
    visit = own(stage, kind="do", action="visit a neighbour", to=(sight.present[-1],))
    assert resolve(stage, day, sight, [visit]).party == (3, sight.present[-1])
    rest = own(stage, kind="do", action="rest")
    assert resolve(stage, day, sight, [rest]).party == ()


def test_who_cooks_in_a_restaurant_is_offered_the_kitchen_and_who_serves_the_tables() -> None:
    town = people(2000, "large")
    staff = [town.resident(p) for p in range(len(town)) if town.work[p] >= 0]
    standings = {
        (r.title or "", place_role_of(r, town.town.locations[r.work]))
        for r in staff
        if r.work is not None and town.town.locations[r.work].kind == "restaurant" and r.status == "employed"
    }
    assert {standing for title, standing in standings if "chef" in title.casefold()} == {"cook"}
    assert {standing for title, standing in standings if title == "Waiter"} == {"staff"}


def test_every_event_has_its_cause() -> None:
    """Who speaks was here or was phoned; tasks are asked about where they can be done; deeds are of those seen."""
    stage = stage_of(3, limits=Limits(nearby=9))
    events = lived(stage, lambda r: '{"deed": "talk", "to": [3], "say": "Hello.", "how": "x"}')
    begun: StepStartEvent | None = None
    for event in events:
        if isinstance(event, StepStartEvent):
            begun = event
        elif isinstance(event, ActionEvent | SpeechEvent | SubtaskCheckEvent):
            assert begun is not None
            _caused(stage, begun, event)


def _caused(stage: DayConfig, begun: StepStartEvent, event: TranscriptEvent) -> None:
    if isinstance(event, SubtaskCheckEvent):
        task = next(task for task in stage.plan.subtasks if task.id == event.subtask)
        assert task.kind == stage.location(begun.where).kind
    elif isinstance(event, ActionEvent | SpeechEvent):
        assert (event.step, event.minute, event.where) == (begun.step, begun.minute, begun.where)
        assert event.who == stage.target or event.who in begun.present


RECORDS = st.lists(
    st.builds(
        Record,
        minute=st.integers(420, 1320),
        place=st.just("Elm House"),
        kind=st.just("apartment"),
        what=st.text(max_size=20),
        people=st.lists(st.sampled_from(["Ada", "Bo"]), max_size=2).map(tuple),
        outcome=st.text(max_size=20),
    ),
    max_size=30,
)


@given(RECORDS)
def test_memory_has_recent_steps_in_full_and_a_line_for_each_older_period(records: list[Record]) -> None:
    lines = recall(records).split("\n") if records else []
    old = max(0, len(records) // PERIOD - 1)
    assert len(lines) == old + len(records) - old * PERIOD
    if records:
        assert lines[-1] == records[-1].line


@given(RECORDS)
def test_memory_begins_as_it_did_before_but_where_a_period_grows_old(records: list[Record]) -> None:
    for count in range(1, len(records)):
        before, after = recall(records[:count]), recall(records[: count + 1])
        if (count + 1) % PERIOD:
            assert after.startswith(before)


def test_what_is_remembered_says_who_was_spoken_with_and_what_was_finished() -> None:
    stage = stage_of(3, plan=PLAN, limits=Limits(nearby=80))
    other = observe(stage, start_day(stage)).present[0]
    day = start_day(stage)
    sight = observe(stage, day)
    resolved = resolve(stage, day, sight, [own(stage, kind="talk", to=(other,), how="smiling")])
    said = SpeechEvent(step=0, minute=day.minute, who=other, to=(3,), where=day.where, text="Good\nmorning.")
    done = SubtaskCheckEvent(step=0, minute=day.minute, subtask=1, done=True)
    line = remembered(advance(stage, day, [step_start(day, sight, ""), *resolved.actions, said, done]))
    name = stage.population.name[other]
    assert line.startswith(f"07:00 {stage.location(day.where).name} (apartment) · turned to {name} (smiling)")
    assert f"spoke with {name}; last words: Good morning. · finished task 1" in line
