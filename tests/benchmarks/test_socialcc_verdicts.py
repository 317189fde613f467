"""SocialCC: what talks and judges' words are worth, and what their verdicts add up to."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from mores.benchmarks import catalogue
from mores.benchmarks.benchmark import Benchmark, Setting
from mores.core.transcript import DialogueEndEvent, FailureEvent, TurnEvent
from mores.core.verdict import Graded, Ungraded, Verdict
from mores.models.request import Request
from tests.benchmarks.plays import Open, Say, Script, figure, figures_of, perform, tiny, verdicts_of
from tests.benchmarks.talks import GOOD, JUDGED, NAME, TURNS, talk, told


def as_released() -> tuple[Benchmark, Setting, Sequence[Any]]:
    """The tiny data by the protocol of the released code."""
    settings = catalogue.load(NAME).card.protocol.settings
    return tiny(NAME, settings={**settings, "protocol": "released"})


def judged(say: Say, number: int = 0) -> dict[str, Verdict]:
    """The verdicts on one scenario, by task."""
    benchmark, setting, items = tiny(NAME)
    return {v.task: v for v in verdicts_of(benchmark, setting, items[number : number + 1], Script(say))}


@pytest.mark.parametrize(
    ("goal", "respected", "points", "released"),
    [("yes", "yes", 3, 2), ("no", "yes", 1, 0), ("yes", "no", 2, 1), ("no", "no", 0, -1)],
)
def test_conduct_is_worked_out_of_goal_and_respect_in_table_11a_s_order_and_on_the_released_scale(
    goal: str, respected: str, points: float, released: float
) -> None:
    benchmark, setting, items = as_released()
    facts = {"goal": goal, "respected": respected, "respected_both": "no"}
    say = talk(TURNS, ["Hi.", "No."], {**GOOD, "behaviour": facts})
    found = figures_of(benchmark, setting, items, Script(say))
    for metric, value in (("behaviour", points), ("behaviour_released", released)):
        assert figure(found, metric).value == pytest.approx(value)
    assert figure(found, f"behaviour_{points}").value == 1
    assert (figure(found, "respected").value, figure(found, "respected_both").value) == (respected == "yes", 0)


@pytest.mark.parametrize(("said", "share", "released"), [("correct", 1, 2), ("none", 0, 1), ("wrong", 0, 0)])
def test_knowledge_is_a_share_and_the_released_scale_tells_none_from_wrong(
    said: str, share: float, released: float
) -> None:
    benchmark, setting, items = as_released()
    found = figures_of(benchmark, setting, items, Script(talk(TURNS, ["Hi."], {**GOOD, "commonsense": said})))
    assert figure(found, "commonsense").value == share
    assert figure(found, "commonsense_released").value == pytest.approx(released)


def test_verdicts_carry_the_judge_s_reasons_and_what_was_wanted() -> None:
    found = judged(talk(TURNS, ["Hi.", "No."], GOOD))
    aware, conduct = found["awareness"], found["behaviour"]
    assert isinstance(aware, Graded)
    assert (aware.label, aware.gold, aware.reason) == ("yes", "yes", "Round 2 decides it.")
    assert isinstance(conduct, Graded)
    assert (conduct.label, conduct.points, conduct.reason) == ("3", 3, "Round 3 decides it.")


def test_a_judge_that_fails_leaves_its_own_verdict_open_and_no_other() -> None:
    found = judged(talk(TURNS, ["Hi.", "No."], {**GOOD, "behaviour": ""}))
    assert {task for task, v in found.items() if isinstance(v, Ungraded)} == {
        "goal", "respected", "respected_both", "behaviour",
    }  # fmt: skip
    assert all(v.cause == "judge: not JSON" for v in found.values() if isinstance(v, Ungraded))


@pytest.mark.parametrize("who", ["subject", "antagonist"])
def test_a_call_that_fails_in_the_middle_leaves_every_verdict_open_and_asks_no_judge(who: str) -> None:
    plan = talk(TURNS, ["Hi.", "No."], GOOD)

    def say(request: Request) -> str | None:
        assert request.tag.role != "judge"
        return None if (request.tag.role, request.tag.step) == (who, 2) else plan(request)

    benchmark, setting, items = tiny(NAME)
    ((transcript, verdicts),) = perform(benchmark, setting, items[:1], Script(say))
    assert {v.cause for v in verdicts if isinstance(v, Ungraded)} == {"no connection"}
    assert len(verdicts) == len(benchmark.tasks) == sum(isinstance(v, Ungraded) for v in verdicts)
    assert isinstance(transcript.events[-1], FailureEvent)
    assert sum(isinstance(event, TurnEvent) for event in transcript.events) == (5 if who == "subject" else 4)


def test_a_subject_that_never_says_a_word_gets_zeros_that_still_add_up() -> None:
    benchmark, setting, items = as_released()
    say = talk(["Hello.", "Well?"], [""])
    found = figures_of(benchmark, setting, items, Script(say))
    for metric in (*JUDGED, "behaviour_3", "behaviour_2", "behaviour_1"):
        assert figure(found, metric).value == 0
        assert figure(found, metric).graded == 8
    assert figure(found, "behaviour_0").value == figure(found, "format_error").value == 1
    assert figure(found, "behaviour_released").value == pytest.approx(-1)
    assert figure(found, "commonsense_released").value == pytest.approx(1)
    assert {v.fault for v in judged(say).values() if isinstance(v, Graded) and v.task in JUDGED} == {"format_error"}


@pytest.mark.parametrize(
    ("antagonist", "cause"),
    [(["Good bye."], "antagonist: left before the subject could speak"),
     ([""], "antagonist: said nothing in the whole talk")],
)  # fmt: skip
def test_an_antagonist_that_puts_nothing_to_the_subject_is_no_test_of_it(antagonist: list[str], cause: str) -> None:
    found = judged(talk(antagonist, ["Hi."], GOOD))
    assert {v.cause for v in found.values() if isinstance(v, Ungraded)} == {cause}
    assert {task for task, v in found.items() if isinstance(v, Ungraded)} == {*JUDGED}


def test_flags_are_counted_talk_by_talk_and_side_by_side() -> None:
    benchmark, setting, items = tiny(NAME)

    def say(request: Request) -> str | None:
        odd = items[0].about.item == request.tag.item
        lines = ["Hi.", "Hi.", "Me.\nOmar: You?", "Take the two points one after the other, I was told."]
        return talk(TURNS, lines if odd else ["Hi.", "No.", "Never."], GOOD)(request)

    found = figures_of(benchmark, setting, items, Script(say))
    one = {"flagged", "repeats", "speaks_for_other"}
    assert all(figure(found, metric).value == pytest.approx(1 / 8) for metric in one)
    none = {"leaks", "refusal", "format_error", "cut_short", "antagonist_flagged"}
    assert all(figure(found, metric).value == 0 for metric in none)
    assert figure(found, "closed").value == 1
    assert (figure(found, "rounds").value, figure(found, "rounds").low) == (4, None)


@pytest.mark.parametrize("role", ["subject", "antagonist"])
def test_who_says_its_instructions_aloud_is_found_out(role: str) -> None:
    benchmark, setting, items = tiny(NAME)
    brief = told(items[0], role).splitlines()
    line = next(line for line in brief if len(line.split()) > 14 and line.startswith(("Take", "- On", "- If")))
    sides = {"subject": (TURNS, ["Hi.", line]), "antagonist": (["Hello.", line, "OK. GOOD BYE!"], ["Hi."])}
    found = figures_of(benchmark, setting, items[:1], Script(talk(*sides[role], GOOD)))
    assert figure(found, "leaks" if role == "subject" else "antagonist_flagged").value == 1


def test_a_talk_that_never_closes_ends_at_twenty_rounds_and_is_judged() -> None:
    benchmark, setting, items = tiny(NAME)
    ((transcript, verdicts),) = perform(benchmark, setting, items[:1], Script(talk(["And?"], ["No."], GOOD)))
    assert next(e for e in transcript.events if isinstance(e, DialogueEndEvent)) == DialogueEndEvent(
        why="limit", by=None, rounds=20
    )
    assert all(isinstance(v, Graded) for v in verdicts)
    rounds = next(v for v in verdicts if v.task == "rounds")
    assert isinstance(rounds, Graded)
    assert (rounds.points, rounds.label) == (20, "limit")


def test_aware_without_knowing_counts_the_talks_whose_custom_is_not_known() -> None:
    """Of 8 talks 6 are not known, and 2 of these are aware."""
    benchmark, setting, items = tiny(NAME)
    number = {item.about.item: n for n, item in enumerate(items)}

    def say(request: Request) -> str | None:
        n = number[request.tag.item]
        words: dict[str, str | Mapping[str, str]] = {
            **GOOD,
            "commonsense": "correct" if n < 2 else "wrong",
            "awareness": "yes" if n % 3 == 0 else "no",
        }
        return talk(TURNS, ["Hi.", "No."], words)(request)

    found = figures_of(benchmark, setting, items, Script(say))
    aware = figure(found, "aware_unknowing")
    assert aware.asked == 6
    assert aware.value == pytest.approx(2 / 6)
    assert figure(found, "awareness").value == pytest.approx(3 / 8)
    assert figure(found, "aware_unknowing", dimension="etiquette").asked == 4


def test_the_released_scales_are_those_of_runs_that_follow_the_released_code() -> None:
    benchmark, setting, items = tiny(NAME)
    found = {each.metric for each in figures_of(benchmark, setting, items, Script(talk(TURNS, ["Hi.", "No."], GOOD)))}
    assert {"behaviour", "commonsense"} <= found
    assert not {metric for metric in found if metric.endswith("released")}


def test_figures_are_given_by_place_continent_group_topic_and_kind() -> None:
    benchmark, setting, items = tiny(NAME)
    found = figures_of(benchmark, setting, items, Open("simulated/typical"))
    kinds = {kind for estimate in found for kind in estimate.group}
    assert kinds == {"place", "continent", "wvs_group", "topic", "dimension"}
    assert figure(found, "value", topic="religious values").asked == 2
    assert figure(found, "value", dimension="dates").asked == 2
    assert figure(found, "awareness", wvs_group="Confucian").asked == 2
