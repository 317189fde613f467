"""A replay: true to the log, the schedule and the verdicts, small, and deaf to what models and people say."""

import base64
import json
import re
from collections.abc import Mapping
from html import unescape
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from mores.benchmarks.liveculture.replay import Replay, render
from mores.benchmarks.liveculture.replay.days import MOST_PEOPLE, PlayedDay, broken_norms, name_of
from mores.benchmarks.liveculture.replay.page import pack
from mores.benchmarks.liveculture.replay.reading import rechecked
from mores.benchmarks.liveculture.replay.timeline import NOT_COUNTED, Timeline, timeline
from mores.core.errors import InputError
from mores.core.transcript import (
    ActionEvent,
    DayEndEvent,
    DayStartEvent,
    FailureEvent,
    SpeechEvent,
    StepStartEvent,
    SubtaskCheckEvent,
)
from mores.core.verdict import Graded, Ungraded, Vote
from mores.core.verdict import JudgeAnswer as VoteSaid
from mores.tables import formatting
from mores.worlds.town.schedule import SLOTS, slot_of
from mores.worlds.town.streets import KINDS
from tests.reports.replay_days import HOSTILE, NORMS, TARGET, TASKS, about, day, hostile, stage, town
from tests.reports.test_page import FETCHING, Parts


def data_of(page: str) -> Any:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def unpacked(column: Mapping[str, Any]) -> npt.NDArray[np.int64]:
    return np.frombuffer(base64.b64decode(column["base64"]), dtype=f"<u{column['bytes']}").astype(np.int64)


@pytest.fixture(scope="module")
def page() -> str:
    return render(Replay(stage=stage(), days=(day(stage()),)))


def test_everybody_stands_where_the_schedule_or_the_log_says(page: str) -> None:
    data, around = data_of(page), stage()
    people, lived = data["people"], told()
    found = unpacked(data["days"][0]["where"]).reshape(-1, SLOTS)
    apart = {(person, slot_of(state.minute)): place for state in lived.states for person, place in state.off_schedule}
    assert apart
    assert {spot: int(found[spot]) for spot in apart} == apart
    others = np.ones(found.shape, dtype=bool)
    others[tuple(zip(*apart, strict=True))] = False
    assert np.array_equal(found[others], around.whereabouts[others])
    named = [people["name"]["words"][code] for code in unpacked(people["name"]["codes"])]
    assert named == [around.population.name[n] for n in range(len(around.population))]
    assert unpacked(people["age"]).tolist() == around.population.age.tolist()


def test_the_map_is_the_town(page: str) -> None:
    data = data_of(page)
    kinds = [kind["name"] for kind in data["kinds"]]
    assert [(kinds[kind], name, x, y) for kind, name, x, y in data["places"]] == [
        (place.kind, place.name, place.x, place.y) for place in town().locations
    ]
    ends = data["streets"]
    drawn = {frozenset(pair) for pair in zip(ends[::2], ends[1::2], strict=True)}
    assert drawn == {frozenset((a, b)) for a, around in enumerate(town().neighbours) for b in around}


def test_the_target_stands_where_the_log_says(page: str) -> None:
    lived, steps = day(stage()), data_of(page)["days"][0]["steps"]
    assert [(s["at"], s["where"], s["here"]) for s in steps] == [
        (begun.minute, begun.where, list(begun.present)) for begun in lived.each(StepStartEvent)
    ]
    walked = {did.step: did.to[0] for did in lived.each(ActionEvent) if did.deed == "go"}
    assert {s["n"]: s["to"] for s in steps if "to" in s} == walked
    assert walked
    assert data_of(page)["days"][0]["until"] == lived.each(DayEndEvent)[0].minute


def told(**more: Any) -> Timeline:
    return timeline(stage(), day(stage(), **more))


def test_marks_are_those_of_log_and_verdicts() -> None:
    life = told()
    marked = {
        mark: [s.number for s in life.steps if mark in s.marks] for mark in ("violation", "refused", "talk", "done")
    }
    assert marked["violation"] == [4, 11, 17]
    assert marked["refused"] == [2]
    assert marked["talk"] == sorted({said.step for said in life.day.each(SpeechEvent)})
    assert marked["done"] == [check.step for check in life.day.each(SubtaskCheckEvent) if check.done]
    assert len(marked["talk"]) > 2
    assert len(marked["done"]) == len(TASKS)


def test_each_step_says_what_was_seen_done_said_and_judged(page: str) -> None:
    articles = {
        int(number): unescape(Parts(article).text)
        for number, article in re.findall(r'<article id="d0-s(\d+)"(.*?)</article>', page, re.DOTALL)
    }
    lived = day(stage())
    assert set(articles) == {begun.step for begun in lived.each(StepStartEvent)}
    for begun in lived.each(StepStartEvent):
        wanted = [
            f"Seen at {begun.step}.",
            f"In way {begun.step}.",
            f"It fits at {begun.step}.",
            f"Looked at {begun.step}.",
        ]
        wanted += [stage().population.name[person] for person in begun.present]
        wanted += [said.text for said in lived.each(SpeechEvent) if said.step == begun.step]
        for words in wanted:
            assert words in articles[begun.step]


def test_a_violation_is_told_with_what_people_expect_and_why() -> None:
    step = told().steps[4]
    norms = step.verdict("norms")
    assert norms is not None
    assert [(each.id, each.reason) for each in norms.broken] == [
        (f"{step.place.kind}-2", "Loud at 4; and unkind"),
        (f"{step.place.kind}-3", "Loud at 4; and unkind"),
    ]
    assert norms.broken[0].statement == NORMS[step.place.kind][f"{step.place.kind}-2"]
    assert norms.words == "2 violated, 1 respected, 0 not applicable"


def test_what_failed_is_neither_kept_nor_violated(page: str) -> None:
    step = told().steps[6]
    norms = step.verdict("norms")
    assert norms is not None
    assert (norms.state, norms.words, norms.reason) == ("none", "not graded", "timeout")
    assert "violation" not in step.marks
    assert re.search(r'class="field ungraded" data-step="6"', page)
    figures = told().figures
    judged = len(told().steps) - 1
    assert figures["Steps without violation"] == f"{judged - 3} of {judged}, 1 not graded"


def test_a_step_without_known_norms_says_so() -> None:
    lived = day(stage())
    silent = structs.replace(lived, verdicts=tuple(v for v in lived.verdicts if v.task != "norms"), norms={})
    page = render(Replay(stage=stage(), days=(silent,)))
    assert len(re.findall(r'class="field unknown" data-step', page)) == len(lived.each(StepStartEvent))
    assert "The norm base knows nothing of people from" in page


def test_a_verdict_on_the_whole_day_is_told_by_its_norm() -> None:
    lived = day(stage())
    held = Graded(
        about=structs.replace(about("park-1"), groups={}), sample=0, task="kept", points=0.0, reason="Never greeted."
    )
    lost = Ungraded(about=about("goal"), sample=0, task="goal", cause="judge: cut short")
    life = timeline(stage(), structs.replace(lived, verdicts=(*lived.verdicts, held, lost)))
    assert [(each.title, each.state, each.reason) for each in life.whole] == [
        (NORMS["park"]["park-1"], "bad", "Never greeted.")
    ]
    assert life.figures["Tasks done"] == "not graded: judge: cut short"


def test_a_refused_deed_is_told_with_its_reason_and_the_words(page: str) -> None:
    text = Parts(page).text
    assert "Refused, so it became a wait: no street leads there from here" in text
    assert '{"deed": "fly"}' in text


def test_the_log_can_be_read_without_a_script(page: str) -> None:
    plain = page[: page.rindex("<script>")]
    assert not re.search(r"<article[^>]*hidden", plain)
    assert plain.count("<article") == len(day(stage()).each(StepStartEvent))
    assert "html:not(.js) .script { display: none; }" in plain


def test_the_page_fetches_nothing(page: str) -> None:
    for tag, attributes in Parts(page).tags:
        assert tag not in {"link", "iframe", "object", "embed", "base", "img", "form"}
        assert not [name for name in attributes if name.startswith("on") or name == "style"]
        for name in FETCHING & set(attributes):
            assert (attributes[name] or "").startswith("#")
    assert "@import" not in page
    assert "url(" not in page
    assert "default-src &#39;none&#39;" in page


def test_hostile_words_stay_words() -> None:
    page = render(hostile())
    parts = Parts(page)
    tags = [tag for tag, _ in parts.tags]
    assert tags.count("script") == 2
    assert "img" not in tags
    assert HOSTILE not in page
    assert HOSTILE in unescape(page)
    assert set(data_of(page)["people"]["name"]["words"]) == {HOSTILE}


def test_a_day_of_a_thousand_residents_stays_small(page: str) -> None:
    assert len(page.encode()) < 5_000_000 / 8
    long = {kind: {f"{kind}-{n}": f"{n} " + "People do as others there do. " * 4 for n in range(300)} for kind in KINDS}
    full = render(Replay(stage=stage(), days=(day(stage(), norms=long),)))
    assert len(full.encode()) < 5_000_000 / 2


def test_of_a_large_town_some_are_drawn_and_whoever_can_be_met() -> None:
    around = stage(MOST_PEOPLE + 1500)
    shown = Replay(stage=around, days=(day(around),))
    data = data_of(render(shown))
    people = data["people"]
    assert len(people["ids"]) == MOST_PEOPLE
    near = {person for begun in shown.days[0].each(StepStartEvent) for person in begun.present} | {TARGET}
    assert near <= set(people["ids"])
    where = timeline(around, shown.days[0]).whereabouts(around)[people["ids"]]
    assert np.array_equal(unpacked(data["days"][0]["where"]).reshape(-1, SLOTS), where)
    assert "3,000 of 4,500 residents" in Parts(render(shown)).text


def test_two_days_stand_side_by_side() -> None:
    page = render(
        Replay(stage=stage(), days=(day(stage(), label="one/model"), day(stage(), breaks=(), label="two/model")))
    )
    assert [each["label"] for each in data_of(page)["days"]] == ["one/model", "two/model"]
    assert [len([s for s in each["steps"] if "violation" in s["marks"]]) for each in data_of(page)["days"]] == [3, 0]
    assert page.count('<section class="lane ') == 2


def test_what_is_simulated_is_said(page: str) -> None:
    assert formatting.SIMULATED not in Parts(page).text
    assert "The town and its people are made up." in Parts(page).text
    made_up = Parts(render(Replay(stage=stage(), days=(day(stage(), simulated=True),)))).text
    assert formatting.SIMULATED in made_up


def test_a_day_that_broke_off_says_so() -> None:
    lived = day(stage())
    cut = [event for event in lived.events if not isinstance(event, DayEndEvent)]
    broken = structs.replace(lived, events=(*cut, FailureEvent(role="subject", cause="http 500")))
    assert timeline(stage(), broken).ending.endswith("as the model could not be asked: http 500.")


def rejudged(*again: SubtaskCheckEvent, goal: float = 0.0) -> PlayedDay:
    """The day by hand, judged again: what the other verifier said of tasks, and its verdict on the day."""
    plainly = day(stage())
    verdict = Graded(about=about("goal"), sample=0, task="goal", points=goal)
    return structs.replace(plainly, rejudged=True, again=again, verdicts=(*plainly.verdicts, verdict))


def said_of_tasks(found: PlayedDay, *, done: bool) -> tuple[SubtaskCheckEvent, ...]:
    return tuple(structs.replace(check, done=done, reason="Seen anew.") for check in found.each(SubtaskCheckEvent))


def test_a_day_that_was_judged_again_shows_the_words_on_tasks_that_count() -> None:
    first = timeline(stage(), day(stage()))
    assert first.done
    words = said_of_tasks(first.day, done=False)
    life = timeline(stage(), rejudged(*words))
    assert (dict(life.done), dict(life.claimed), life.goal) == ({}, {}, "0 of 3")
    assert all(check.done is False and check.counts for step in life.steps for check in step.checks)
    assert life.count("done") == 0
    page = Parts(text := render(Replay(stage=stage(), days=(life.day,)))).text
    assert "Seen anew." in page
    assert "Looked at" not in page
    assert 'class="done' not in re.sub(r'<p class="legend strips-legend">.*?</p>', "", text, flags=re.DOTALL)
    assert "judged again, tasks at the steps at which the verifier in the day was asked about them" in page


def test_a_task_that_the_other_verifier_found_done_earlier_stands_at_that_hour() -> None:
    plainly = timeline(stage(), day(stage()))
    (first, *_) = (check for check in plainly.day.each(SubtaskCheckEvent) if check.subtask == 1)
    assert first.minute < plainly.done[1]
    life = timeline(stage(), rejudged(*said_of_tasks(plainly.day, done=True)))
    assert life.done[1] == first.minute
    assert 1 in life.late  # so early that its window is still shut
    assert 1 not in plainly.late


def test_where_no_word_of_the_verifier_that_counts_is_stored_the_one_in_the_day_is_told_as_not_counting() -> None:
    life = timeline(stage(), rejudged(goal=1 / 3))
    assert (dict(life.done), life.goal, life.uncounted) == ({}, "1 of 3", True)
    assert dict(life.claimed) == dict(timeline(stage(), day(stage())).done)
    assert life.count("done") == 0
    text = render(Replay(stage=stage(), days=(life.day,)))
    page, checks = Parts(text).text, [check for step in life.steps for check in step.checks]
    assert checks
    assert text.count(f'<span class="tag">{NOT_COUNTED}</span>') == len(checks)
    assert text.count('<circle class="claimed"') == len(life.claimed) > 0
    assert "Judged again, and not all that was then said of tasks is stored." in page
    assert f"A broken ring: done {NOT_COUNTED}" in page


def test_a_word_that_the_verifier_that_counts_failed_to_give_is_no_verdict() -> None:
    plainly = day(stage())
    words = tuple(
        structs.replace(check, done=None, reason="", cause="not JSON") for check in plainly.each(SubtaskCheckEvent)
    )
    life = timeline(stage(), rejudged(*words))
    assert all(
        (check.done, check.reason, check.counts) == (None, "not JSON", True) for s in life.steps for check in s.checks
    )
    assert not life.uncounted


def test_a_day_that_was_not_judged_again_says_nothing_of_words_that_do_not_count(page: str) -> None:
    assert NOT_COUNTED not in page
    assert "judged again" not in page


def vote(step: int, task: int, draw: int, **said: Any) -> Vote:
    return Vote(item="day-7", sample=0, task="goal", step=step, judge="judge", draw=draw, prompt="0",
                options=("yes", "no"), said={str(task): VoteSaid(**said)})  # fmt: skip


def test_several_votes_on_a_task_are_ruled_as_the_jury_does() -> None:
    check = SubtaskCheckEvent(step=3, minute=600, subtask=1, done=True, reason="By the day's own.")
    yes, no, lost = {"label": "yes", "reason": "Y."}, {"label": "no", "reason": "N."}, {"cause": "not JSON"}
    ruled = {
        name: rechecked([check], {(3, 1): tuple(vote(3, 1, n, **said) for n, said in enumerate(given))}, {})[0]
        for name, given in {
            "majority": (no, yes, no), "tie": (yes, no), "one left": (lost, yes), "none": (lost, lost),
        }.items()
    }  # fmt: skip
    assert [(each.done, each.reason or each.cause) for each in ruled.values()] == [
        (False, "N."), (None, "tie"), (True, "Y."), (None, "not JSON"),
    ]  # fmt: skip
    assert rechecked([check], {}, {}) == ()


def test_days_of_two_people_make_no_replay() -> None:
    with pytest.raises(InputError, match="all days of a replay are one person's"):
        Replay(stage=structs.replace(stage(), target=8), days=(day(stage()),))
    with pytest.raises(InputError, match="expected at least one"):
        Replay(stage=stage(), days=())


def test_a_day_without_a_step_makes_no_replay() -> None:
    began = [event for event in day(stage()).events if isinstance(event, DayStartEvent)]
    with pytest.raises(InputError, match="no step of it was begun"):
        Replay(stage=stage(), days=(day(stage(), events=tuple(began)),))


@given(st.lists(st.integers(0, 2**20), max_size=40))
def test_packed_numbers_come_back(values: list[int]) -> None:
    assert unpacked(pack(np.array(values, dtype=np.int64))).tolist() == values


ids = st.text(st.characters(categories=("L", "N"), include_characters="-."), min_size=1, max_size=8)


@given(st.dictionaries(ids, st.text(st.characters(exclude_characters=":;"), max_size=20), max_size=6))
def test_broken_norms_are_read_back_from_a_reason(reasons: dict[str, str]) -> None:
    said = "; ".join(f"{name}: {reason}" for name, reason in reasons.items())
    found = broken_norms(said, {name: f"About {name}." for name in reasons})
    assert {each.id: each.reason for each in found} == reasons


def test_a_number_that_nobody_has_is_told_as_such() -> None:
    assert name_of(stage(), -4) == "nobody (-4)"
    assert name_of(stage(), TARGET) == stage().person.name
