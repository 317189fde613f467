"""Talks in a report, to read: both sides apart, the conflict marked, judges' words beside the round they name."""

import asyncio
from collections.abc import Mapping, Sequence
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from mores.benchmarks.shapes.dialogues.reader import MOST, ROOM, DialogueReader, most_common, reader_of, spoken_of
from mores.core.codec import encode, parse_json
from mores.core.transcript import DialogueEndEvent, FailureEvent, Transcript, TranscriptEvent, TurnEvent
from mores.reports.page import write_page
from mores.reports.page.write import render
from mores.reports.sections_list import sections_of
from mores.runs.loading import read_results
from mores.tables.blocks import SpokenBlock
from mores.tables.formatting import text_of
from tests.benchmarks.plays import TINY
from tests.reports.browser import browser, opened
from tests.reports.conftest import Held
from tests.reports.made import run_of
from tests.reports.made_talks import NAME, evaluation, rows_of, talk, verdict
from tests.reports.test_page import Parts

HOSTILE = '<script>alert(1)</script><img src=x onerror="act()">'


@pytest.fixture(autouse=True)
def listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """This section alone stands on pages."""
    monkeypatch.setattr("mores.reports.sections_list.ANALYSES", ())


def spoke(number: int, words: str, *, subject: bool = False, **more: Any) -> TurnEvent:
    who = ("subject", "Piet") if subject else ("antagonist", "Omar")
    return TurnEvent(role=who[0], name=who[1], round=number, text=words, **more)


EVENTS: tuple[TranscriptEvent, ...] = (
    spoke(1, "Hello."), spoke(1, "Hi.", subject=True), spoke(2, "Four bowls?"),
    spoke(2, "Not four.", subject=True, flags=("repeats",), raw="Piet: Not four."), spoke(3, "GOOD BYE!"),
    DialogueEndEvent(why="closing words", by="antagonist", rounds=3),
)  # fmt: skip


def told(reasons: Mapping[str, str], events: Sequence[TranscriptEvent] = EVENTS) -> SpokenBlock:
    """A talk with judges' reasons by task."""
    verdicts = [verdict("s", task, 1, reason=reason) for task, reason in reasons.items()]
    asked = {task: task.title() for task in reasons}
    return spoken_of(("a",), Transcript(item="s", sample=0, events=tuple(events)), verdicts, asked)


def reader(*runs: Path) -> DialogueReader:
    return reader_of(read_results(runs).on(NAME), MOST)


@pytest.mark.parametrize(
    ("reason", "round_"),
    [("Round 1 shows it.", 1), ("It is in round 3, not in round 2.", 3), ("In rounds 2 and 3.", 2), ("It is so.", 2),
     ("Round 9 shows it.", 2), ("A roundabout 1 way.", 2), ("", 2)],
)  # fmt: skip
def test_the_conflict_is_where_the_judge_of_awareness_says_else_in_the_second_round(reason: str, round_: int) -> None:
    found = told({"awareness": reason, "value": "Round 3."})
    assert [text_of(each.title) for each in found.rounds if each.marked] == [f"{round_} (conflict)"]


def test_a_talk_of_one_round_has_no_conflict_to_mark() -> None:
    assert not any(each.marked for each in told({"awareness": "So."}, EVENTS[:2]).rounds)


def test_each_reason_stands_beside_the_round_that_it_names_and_the_rest_below() -> None:
    found = told(
        {"awareness": "Round 2 shows it.", "commonsense": "Rounds 3.", "value": "Nowhere.", "goal": "Round 44."}
    )
    beside = {text_of(each.title)[0]: [remark.asked for remark in each.remarks] for each in found.rounds}
    assert beside == {"1": [], "2": ["Awareness"], "3": ["Commonsense"]}
    assert [note.asked for note in found.loose] == ["Value", "Goal"]


def test_turns_keep_their_sides_their_flags_and_what_was_not_heard() -> None:
    turns = [turn for each in told({}).rounds for turn in each.turns]
    assert [turn.own for turn in turns] == [False, True, False, True, False]
    assert (text_of(turns[3].speaker), turns[3].text) == ("Piet (repeats)", "Not four.")
    assert turns[3].unheard == "Piet: Not four."
    assert told({}).keys["flagged"] == "subject"


@pytest.mark.parametrize(
    ("last", "words"),
    [
        (
            DialogueEndEvent(why="closing words", by="subject", rounds=3),
            "ended by closing words of the subject in round 3",
        ),
        (DialogueEndEvent(why="silence", by="subject", rounds=2), "ended by the silence of the subject in round 2"),
        (DialogueEndEvent(why="limit", by=None, rounds=20), "ended by the limit of 20 rounds"),
        (DialogueEndEvent(why="recording", by=None, rounds=5), "the recording ends in round 5"),
        (FailureEvent(role="subject", cause="timeout"), "broke off: subject, timeout"),
    ],
)
def test_how_a_talk_ended_is_said_in_words(last: TranscriptEvent, words: str) -> None:
    assert text_of(told({}, (*EVENTS[:-1], last)).heading).endswith(words)


def reading(folder: Path, scenes: int, *models: str) -> Path:
    verdicts = [v for n in range(scenes) for v in talk(f"s{n}", n % 2, n % 3 == 0)]
    events = [parse_json(encode(event), where="event") for event in EVENTS]
    return run_of(folder, *(evaluation(verdicts, model=model, events=events) for model in models))


def test_models_stand_side_by_side_on_the_same_scenes(tmp_path: Path) -> None:
    found = reader(reading(tmp_path / "run", 100, "openai/a", "openai/b"))
    assert len(found.scenes) == MOST == 40
    assert all(
        [text_of(s.heading).split()[0] for s in scene.spoken] == ["openai/a", "openai/b"] for scene in found.scenes
    )
    numbers = [int(item.removeprefix("s")) for item in found.items]
    assert numbers == sorted(numbers)
    assert numbers != list(range(40))
    assert found.shown == {"openai/a": 40, "openai/b": 40}
    assert found.played == {"openai/a": 100, "openai/b": 100}


def test_the_sample_is_the_same_each_time_and_whoever_is_beside(tmp_path: Path) -> None:
    one = reader(reading(tmp_path / "one", 100, "openai/a"))
    two = reader(reading(tmp_path / "two", 100, "openai/b", "openai/c"))
    assert one.items == two.items


def test_many_models_share_the_room_of_a_page() -> None:
    assert [most_common(n) for n in (1, 4, 8, 20, 200)] == [40, 40, 20, 8, 4]
    assert all(n * most_common(n) <= ROOM for n in range(1, 41))


def test_a_talk_without_a_grade_can_be_read_too(tmp_path: Path) -> None:
    found = reader(run_of(tmp_path / "run", evaluation([*talk("s0", None, None), *talk("s1", 1, 0)])))
    first = found.scenes[0].spoken[0]
    assert first.keys["kind"] == "ungraded"
    assert first.loose[0].found == "no grade (judge: not JSON)"
    assert (first.loose[0].good, first.loose[0].reason) == (None, "Hm.")
    assert found.kinds == ("2, goal only", "ungraded")
    chosen = {each.name: [value for value, _ in each.choices] for each in found.filters}
    assert (chosen["awareness"], chosen["respected"]) == (["ungraded", "yes"], ["no", "ungraded"])


def test_nobody_talked_no_section(held: Held) -> None:
    assert "social" not in {each.id for each in sections_of(read_results([held("ladder/judge", limit=9)]))}


@pytest.fixture(scope="module")
def played(held: Held) -> Path:
    """Two simulated models under two levels of pressure."""
    return held("socialcc/dialogue", models=("simulated/typical", "simulated/expert"), data=str(TINY / "socialcc"),
                settings={"pressure": "none,strong"})  # fmt: skip


def test_all_parts_of_a_run_of_talks_stand_on_its_page(played: Path) -> None:
    page, found = render(read_results([played])), rows_of(played)["social"]
    text = Parts(page).text
    for part in ("Dialogues under pressure", "How competence falls", "Knowing a custom and noticing",
                 "Where which values", "Dialogues to read: socialcc/dialogue",
                 "Rows of models marked simulated say nothing"):  # fmt: skip
        assert part in text
    for model in ("simulated/typical", "simulated/expert"):
        figures = {row["metric"]: row["figure"] for row in found if row["model"] == model}
        assert f"{figures['behaviour']:.2f}" in text
        shares = [figures[f"behaviour_{points}"] for points in range(4)]
        assert sum(n * share for n, share in enumerate(shares)) == pytest.approx(figures["behaviour"], abs=1e-8)
    assert page.count('class="talk"') == 32
    assert page.count('class="scene"') == 16
    assert 'style="' not in page  # the page's own policy would not let it be


def test_the_json_has_what_the_page_shows(played: Path) -> None:
    said = rows_of(played)
    assert {row["simulated"] for row in said["social"]} == {True}
    assert [row["tests"] for row in said["social_drops"]] == [4] * 4
    assert {row["model"] for row in said["social"]} == {"simulated/typical", "simulated/expert"}
    assert [(row["played"], row["shown"], len(row["items"])) for row in said["social_talks"]] == [(16, 16, 16)] * 2
    assert {row["model"] for row in said["social_values"]} == {"simulated/typical", "simulated/expert"}


def page_saying(words: str, folder: Path) -> str:
    """The page of a run in which minds, judges and the model's name all say so."""
    events = [spoke(1, words), spoke(1, words, subject=True, raw=f"x{words}", flags=("repeats",))]
    said = [parse_json(encode(event), where="event") for event in events]
    verdicts = [v for n in range(3) for v in talk(f"s{n}", 1, 1, reason=f"round 1 {words}")]
    return render(read_results([run_of(folder, evaluation(verdicts, model=f"openai/{words}", events=said))]))


def test_words_and_names_that_are_hostile_stay_words(tmp_path: Path) -> None:
    page, calm = page_saying(HOSTILE, tmp_path / "hostile"), page_saying("calm", tmp_path / "calm")
    assert HOSTILE not in page
    assert unescape(page).count(HOSTILE) > 6
    assert [tag for tag, _ in Parts(page).tags] == [tag for tag, _ in Parts(calm).tags]


@pytest.mark.skipif(browser() is None, reason="no chromium here; the page's script is not tried")
def test_talks_are_filtered_by_verdict_and_empty_scenes_go(played: Path, tmp_path: Path) -> None:
    write_page(read_results([played]), tmp_path / "report.html")
    list_ = "#social-talks-1-list"
    pick = (
        "(() => { const c = document.querySelector('form[data-filter=social-talks-1-list] select[name=awareness]');"
        " c.value = 'yes'; c.dispatchEvent(new Event('input', {bubbles: true})) })()"
    )
    shown = (
        f"[...document.querySelectorAll('{list_} [data-entry]')].filter(e => !e.hidden).map(e => e.dataset.awareness)"
    )
    gone = (
        f"[...document.querySelectorAll('{list_} .scene')].every(s => (getComputedStyle(s).display === 'none')"
        " === ![...s.querySelectorAll('[data-entry]')].some(e => !e.hidden))"
    )

    async def look() -> tuple[Any, Any, Any]:
        async with opened(tmp_path / "report.html") as tab:
            before = await tab.run(f"document.querySelectorAll('{list_} [data-entry]').length")
            await tab.run(pick)
            return before, await tab.run(shown), await tab.run(gone)

    before, after, empty = asyncio.run(look())
    assert before == 32
    assert set(after) == {"yes"}
    assert len(after) < 32
    assert empty
