"""Scenarios of a custom and a value: retried with reasons, checked by another model, repaired, dropped."""

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from msgspec.structs import replace

from mores.core.errors import InputError
from mores.models.cast import Cast
from mores.models.request import CallFailed, Reply, Request
from mores.pipelines.dialogues.pipeline import BuiltScenario, dialogues_pipeline
from mores.pipelines.dialogues.prompts import DialogueSituation, ScenarioPerson, wrong_with_scene
from mores.pipelines.funnel import Dropped, Kept, KeptOrDropped
from tests.pipelines.scenarios import (
    CUSTOM,
    EVENTS,
    HELD,
    MENDED,
    NOBODY,
    PAIR,
    ROLES,
    SCENE,
    SOUND,
    USUAL,
    Words,
    folder,
    norm,
    options,
)
from tests.pipelines.scripted import Scripted

Said = str | Reply | CallFailed
Answers = Callable[[Request], Said | None]


def step_of(request: Request) -> str:
    return request.tag.item.removeprefix(f"{PAIR.id}/")


def at(step: str, *replies: Said | Words) -> Answers:
    """Replies at one step in turn, the last again and again."""
    left = [json.dumps(reply) if isinstance(reply, Mapping) else reply for reply in replies]

    def answers(request: Request) -> Said | None:
        if step_of(request).startswith(step):
            return left.pop(0) if len(left) > 1 else left[0]
        return None

    return answers


def made(answers: Answers, tmp_path: Path) -> tuple[KeptOrDropped[BuiltScenario], Scripted]:
    def script(request: Request) -> Said:
        said = answers(request)
        return json.dumps(USUAL[step_of(request).split("/")[0]]) if said is None else said

    voice = Scripted(script)
    pipeline = dialogues_pipeline(options(tmp_path / "norms"))
    return asyncio.run(pipeline.outcome_of(PAIR, Cast(dict.fromkeys(ROLES, voice)))), voice


def kept(outcome: KeptOrDropped[BuiltScenario]) -> BuiltScenario:
    assert isinstance(outcome, Kept), outcome
    return outcome.value


def dropped(outcome: KeptOrDropped[BuiltScenario]) -> Dropped:
    assert isinstance(outcome, Dropped), outcome
    return outcome


def asked(voice: Scripted, step: str) -> list[Request]:
    return [request for request in voice.asked if step_of(request).startswith(step)]


def test_a_pair_goes_through_all_steps_and_each_person_comes_from_where_the_pair_has_them(tmp_path: Path) -> None:
    outcome, voice = made(lambda _: None, tmp_path)
    found = kept(outcome)
    assert [person.place for person in found.draft.scene.people] == ["PE", "NG", "JP"]
    assert found.draft.point(1).first == "Propose a bunch of white lilies."
    assert found.draft.point(2).event == "Settle who may stay over."
    assert voice.by_role == {"writer": 3, "checker": 3}


def test_the_checker_is_shown_each_point_with_its_own_rule_and_never_the_writers_clash(tmp_path: Path) -> None:
    _, voice = made(lambda _: None, tmp_path)
    one, two = (request.messages[0].content for request in asked(voice, "check"))
    assert CUSTOM in one
    assert HELD not in one
    assert HELD in two
    assert CUSTOM not in two
    assert "White lilies." not in one + two


@pytest.mark.parametrize("step", ["scene", "events", "goals"])
def test_a_writer_is_asked_again_with_its_reasons_and_another_draw_three_times_at_most(
    tmp_path: Path, step: str
) -> None:
    again = {"status": "retry", "reason": "nothing clashes here"}
    outcome, voice = made(at(step, again, USUAL[step]), tmp_path)
    kept(outcome)
    assert [request.tag.sample for request in asked(voice, step)] == [0, 1]
    assert "nothing clashes here" in asked(voice, step)[1].messages[0].content
    outcome, voice = made(at(step, again), tmp_path)
    lost = dropped(outcome)
    assert (lost.stage, lost.reason, lost.detail) == (step, "retried too often", "nothing clashes here")
    assert len(asked(voice, step)) == 3


@pytest.mark.parametrize("step", ["scene", "events", "goals"])
def test_a_writer_that_gives_up_ends_it_at_once(tmp_path: Path, step: str) -> None:
    outcome, voice = made(at(step, {"status": "FAIL", "reason": "they never meet"}), tmp_path)
    lost = dropped(outcome)
    assert (lost.stage, lost.reason, lost.detail, lost.place) == (step, "the writer gave up", "they never meet", "NG")
    assert len(asked(voice, step)) == 1


@pytest.mark.parametrize(
    ("step", "change", "says"),
    [
        ("scene", {"scene": ""}, "no words"),
        ("scene", {"scene": "Luz and Ade talk."}, "does not name Rin"),
        ("scene", {"scene": f"Luz, Ade and Rin know: {CUSTOM}"}, "give the custom away"),
        ("scene", {"scene": f"Luz, Ade and Rin. {HELD.upper()}"}, "give the value away"),
        ("scene", {"scene": "Luz, Ade and Rin. " + "word " * 150}, "words; expected 120"),
        ("scene", {"third": {**SCENE["third"], "name": "Luz"}}, "one name"),
        ("scene", {"third": {**SCENE["third"], "name": "Rin Ito"}}, "first names"),
        ("scene", {"third": {**SCENE["third"], "age": 9}}, "between 18 and 90"),
        ("scene", {"third": {**SCENE["third"], "occupation": " "}}, "no occupation"),
        ("scene", {"third": {**SCENE["third"], "gender": "unknown"}}, "gender"),
        ("events", {"clash_2": ""}, "a clash has no words"),
        ("events", {"event_1": f"Mind that {CUSTOM}"}, "give the custom away"),
        ("goals", {"second_2": ""}, "no words"),
        ("goals", {"second_1": f"Recall: {CUSTOM}"}, "give the custom away"),
        ("goals", {"first_2": f"Deny it: {HELD}"}, "give the value away"),
        ("check", {"quote": "never said"}, "does not stand in what Luz wants"),
        ("check", {"quote": ""}, "does not stand in what Luz wants"),
        ("check", {"gives_away": "yes", "where": "never said"}, "do not stand there"),
        ("people", {"real": "yes", "where": "never said"}, "do not stand there"),
    ],
)
def test_a_reply_of_the_right_form_with_broken_content_is_told_so_and_asked_for_again(
    tmp_path: Path, step: str, change: dict[str, object], says: str
) -> None:
    outcome, voice = made(at(step, {**USUAL[step], **change}, USUAL[step]), tmp_path)
    kept(outcome)
    first = asked(voice, step)
    again = next(request for request in first if request.tag.step == 1)
    assert says in again.messages[-1].content


@pytest.mark.parametrize(
    ("said", "calls"),
    [
        (f"```json\n{json.dumps(SCENE)}\n```", 1),
        (f"<think>Let me see {{</think>Here it is: {json.dumps(SCENE)} I hope it helps.", 1),
        (json.dumps(SCENE).replace('"', "'"), 1),
        (json.dumps({**SCENE, "status": "OK", "mood": "fine"}), 1),
        (json.dumps(SCENE).replace('"female"', '"Female"'), 1),
        (json.dumps(SCENE).replace("Luz", "Ana-Luz"), 1),
        (json.dumps(SCENE).replace('"age": 31', '"age": NaN'), 2),
        (json.dumps(SCENE).replace('"age": 31', '"age": 31, "age": 32'), 2),
        (Reply(text=json.dumps(SCENE)[:60], finish="length"), 2),
    ],
)
def test_a_situation_in_any_wrapping_is_read_or_asked_for_again(tmp_path: Path, said: Said, calls: int) -> None:
    outcome, voice = made(at("scene", said, SCENE), tmp_path)
    kept(outcome)
    assert len(asked(voice, "scene")) == calls


@pytest.mark.parametrize(
    ("change", "aspect", "says"),
    [
        ({"conflict": "no", "quote": ""}, "conflict, custom", "found: what Luz wants can cause no conflict."),
        ({"gives_away": "yes", "where": "white lilies"}, "gives away, custom", '"white lilies" tells it'),
        ({"reachable": "no"}, "reachable, custom", "Ade cannot get what Ade wants in keeping with it"),
    ],
)
def test_a_point_that_does_not_hold_is_written_anew_alone_and_all_is_checked_again(
    tmp_path: Path, change: dict[str, object], aspect: str, says: str
) -> None:
    outcome, voice = made(at("check/0-1", {**SOUND, **change}), tmp_path)
    found = kept(outcome)
    assert found.repaired == (aspect,)
    assert found.draft.point(1).texts == tuple(MENDED.values())
    assert found.draft.point(2).event == EVENTS["event_2"]
    repairs = asked(voice, "repair")
    assert [request.tag.role for request in repairs] == ["writer"]
    assert says in repairs[0].messages[0].content
    assert Counter(step_of(request) for request in voice.asked if request.tag.role == "checker") == Counter(
        ["check/0-1", "check/0-2", "people/0", "check/1-1", "check/1-2", "people/1"]
    )


def test_repairs_end_after_two_whatever_the_writer_says(tmp_path: Path) -> None:
    def answers(request: Request) -> Said | None:
        if step_of(request).startswith("check/") and step_of(request).endswith("-2"):
            return json.dumps({**SOUND, "reachable": "no"})
        return None

    outcome, voice = made(answers, tmp_path)
    lost = dropped(outcome)
    assert (lost.stage, lost.reason) == ("check", "a point does not hold")
    assert lost.detail == "value: Ade cannot get what Ade wants in keeping with it."
    assert len(asked(voice, "repair")) == 2


def test_a_repair_that_tells_the_custom_is_told_so(tmp_path: Path) -> None:
    def answers(request: Request) -> Said | None:
        if step_of(request) == "check/0-1":
            return json.dumps({**SOUND, "conflict": "no"})
        if step_of(request).startswith("repair"):
            return json.dumps({**MENDED, "second": CUSTOM} if request.tag.step == 0 else MENDED)
        return None

    outcome, voice = made(answers, tmp_path)
    kept(outcome)
    assert "give the custom away" in asked(voice, "repair")[1].messages[-1].content


@pytest.mark.parametrize(("what", "why"), [("real", "names somebody real"), ("demeaning", "demeans people")])
def test_a_scenario_about_somebody_real_or_run_down_is_past_repair(tmp_path: Path, what: str, why: str) -> None:
    outcome, voice = made(at("people", {**NOBODY, what: "yes", "where": "work with Rin"}), tmp_path)
    lost = dropped(outcome)
    assert (lost.stage, lost.reason, lost.detail) == ("check", why, "work with Rin")
    assert not asked(voice, "repair")


@pytest.mark.parametrize("step", ["scene", "events", "goals", "check", "people"])
def test_a_refusal_is_a_status_of_its_own_with_its_place_and_never_asked_again(tmp_path: Path, step: str) -> None:
    for said in (Reply(text="", refusal=True), "I'm sorry, I can't help with that."):
        outcome, voice = made(at(step, said), tmp_path)
        lost = dropped(outcome)
        assert (lost.reason, lost.place, lost.transient) == ("refusal", "NG", False)
        assert max(request.tag.step for request in voice.asked) == 0


@pytest.mark.parametrize("step", ["scene", "events", "goals", "check", "people"])
def test_a_call_that_may_come_through_later_leaves_the_scenario_waiting(tmp_path: Path, step: str) -> None:
    outcome, _ = made(at(step, CallFailed("http 503", passing=True)), tmp_path)
    assert dropped(outcome).transient


def test_norms_may_be_a_table_a_pack_or_a_base(tmp_path: Path) -> None:
    asks = options(tmp_path / "norms")
    table = tmp_path / "mine.csv"
    table.write_text(
        "id,place,statement,source,domain\nc1,Japan,Shoes come off at the door.,A page,etiquette\n", "utf-8"
    )
    for source, made_from in ((str(table), "mine.csv"), ("pack", "pack "), (asks.norms, "norm base ")):
        pipeline = dialogues_pipeline(replace(asks, norms=source, limit=2))
        assert pipeline.units
        assert any(name.startswith(made_from) for name in pipeline.made_from)


def test_norms_without_domains_are_refused_with_what_gives_them_some(tmp_path: Path) -> None:
    asks, table = options(tmp_path / "norms"), tmp_path / "bare.csv"
    table.write_text("id,place,statement,source\nc1,Japan,Shoes come off at the door.,A page\n", "utf-8")
    with pytest.raises(InputError, match=r"none of its 1 norms has a domain.*mores build norms .*bare.csv --out norms"):
        dialogues_pipeline(replace(asks, norms=str(table)))
    bare = folder(tmp_path / "bare", norm("n1", "JP", None))
    with pytest.raises(InputError, match=r"label them: mores build topics .*bare/norms.jsonl --role"):
        dialogues_pipeline(replace(asks, norms=str(bare)))


def test_models_must_differ_and_be_named_and_numbers_be_positive(tmp_path: Path) -> None:
    asks = options(tmp_path / "norms")
    for roles, says in (
        ({"writer": "a/b", "checker": "a/b"}, "another model"),
        ({"writer": "a/b"}, "a writer and a checker"),
        ({**ROLES, "judge": "a/b"}, "--role judge: expected a writer and a checker"),
    ):
        with pytest.raises(InputError, match=says):
            dialogues_pipeline(replace(asks, roles=roles))
    with pytest.raises(InputError, match="--per-place 0: expected a positive number"):
        dialogues_pipeline(replace(asks, per_place=0))
    with pytest.raises(InputError, match="--limit -1"):
        dialogues_pipeline(replace(asks, limit=-1))


def test_a_person_is_read_by_the_benchmark_as_written_and_the_sound_scene_has_no_fault() -> None:
    people = tuple(
        ScenarioPerson(name=who["name"], age=who["age"], gender=who["gender"], occupation=who["occupation"], place=home)
        for who, home in zip((SCENE["first"], SCENE["second"], SCENE["third"]), PAIR.places, strict=True)
    )
    scene = DialogueSituation(text=str(SCENE["scene"]), people=(people[0], people[1], people[2]))
    assert wrong_with_scene(scene, PAIR) == ""
    assert people[1].line == "Ade: a 28-year-old male teacher from Nigeria."
