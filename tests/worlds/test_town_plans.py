"""Plans of residents' days: from templates, or a planner's, checked against the town."""

import asyncio
import json
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mores.core.card import Sampling
from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.models.request import Request
from mores.worlds.town.actions import menu
from mores.worlds.town.planning import Planned, plan_people
from mores.worlds.town.plans import (
    LATEST,
    STEPS,
    DayPlan,
    plan_lines,
    read_plan,
    read_plans,
    steps_of,
    template_plan,
)
from mores.worlds.town.schedule import MORNING, NIGHT
from mores.worlds.town.streets import KINDS
from tests.worlds.days import Minds, Say, people

TOWN = people()
GOOD = {
    "goal": "See friends.",
    "subtasks": [
        {"words": "dine", "place": "restaurant", "from": "14:00", "to": "17:00"},
        {"words": "take a walk", "place": "park", "from": "09:00", "to": "12:00"},
    ],
}
TEMPLATE = template_plan("retired", None, Seed("t"))


def planned(say: Say, who: tuple[int, ...] = (0, 1, 2)) -> tuple[Planned, Minds]:
    minds = Minds(say)
    found = asyncio.run(plan_people(TOWN, who, minds, sampling=Sampling(), template=lambda _: TEMPLATE))
    return found, minds


@given(st.sampled_from(["employed", "student", "retired", "not working"]), st.sampled_from([None, *KINDS]), st.text())
def test_a_plan_of_templates_fits_the_day_and_the_person(status: str, kind: str | None, seed: str) -> None:
    plan = template_plan(status, kind, Seed(seed))  # type: ignore[arg-type]
    assert plan.goal
    assert 2 <= len(plan.subtasks) <= 6
    assert [task.id for task in plan.subtasks] == list(range(1, len(plan.subtasks) + 1))
    assert all(MORNING <= task.start < task.end <= NIGHT and task.start <= LATEST for task in plan.subtasks)
    assert all(steps_of(plan.subtasks, TOWN.town, home) < STEPS for home in range(0, 110, 11))
    assert list(plan.subtasks) == sorted(plan.subtasks, key=lambda task: task.start)
    assert plan == template_plan(status, kind, Seed(seed))  # type: ignore[arg-type]


def test_a_duty_is_one_that_the_place_offers_to_whoever_has_it() -> None:
    for kind, standing, action in (
        ("school", "student", "attend class"),
        ("school", "staff", "teach a class"),
        ("restaurant", "cook", "cook orders"),
        ("restaurant", "staff", "serve tables"),
    ):
        plan = template_plan("employed", kind, Seed("x"), place_role=standing)  # type: ignore[arg-type]
        assert action in {task.action for task in plan.subtasks}
        assert action in {offer.name for offer in menu(kind, standing)}


def test_tasks_stand_in_the_order_of_their_windows() -> None:
    plan = read_plan(json.dumps(GOOD), TOWN.town, int(TOWN.home[0]), where="x")
    assert [(task.id, task.words, task.kind, task.start) for task in plan.subtasks] == [
        (1, "take a walk", "park", 540),
        (2, "dine", "restaurant", 840),
    ]


def changed(**fields: object) -> str:
    first = {**GOOD["subtasks"][0], **fields}  # type: ignore[dict-item]
    return json.dumps({**GOOD, "subtasks": [first, GOOD["subtasks"][1]]})


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("", "an empty reply"),
        ("Sure!", "malformed JSON"),
        ("[]", "no JSON object"),
        ("{}", "no plan"),
        (json.dumps({**GOOD, "goal": " "}), "no plan"),
        (json.dumps({**GOOD, "subtasks": GOOD["subtasks"][:1]}), "1 subtasks"),
        (json.dumps({**GOOD, "subtasks": [*GOOD["subtasks"], 3]}), "subtask 3"),
        (changed(place="church"), "'church' is no place"),
        (changed(**{"from": "noon"}), "'noon' is no time"),
        (changed(**{"from": "14:99"}), "is no time"),
        (changed(to="13:00"), "cannot be done"),
        (changed(to="23:00"), "cannot be done"),
        (changed(words=None), "no text under"),
        (
            changed(**{"from": "18:00", "to": "21:00"}),
            "'dine' from 18:00 comes too late, as most days are over by 17:00",
        ),
    ],
)
def test_a_plan_that_cannot_be_used_says_why(words: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        read_plan(words, TOWN.town, int(TOWN.home[0]), where="the plan")


def test_a_plan_that_takes_more_steps_than_a_day_has_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    needed = steps_of(read_plan(json.dumps(GOOD), TOWN.town, 50, where="x").subtasks, TOWN.town, 50)
    monkeypatch.setattr("mores.worlds.town.plans.STEPS", needed - 1)
    with pytest.raises(InputError, match=f"its subtasks take {needed} steps one after another"):
        read_plan(json.dumps(GOOD), TOWN.town, 50, where="x")


ANYTHING = st.recursive(
    st.none() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
)


@given(st.text() | ANYTHING.map(json.dumps))
def test_any_words_are_a_plan_or_say_why_not(words: str) -> None:
    with suppress(InputError):
        assert isinstance(read_plan(words, TOWN.town, 50, where="x"), DayPlan)


def test_each_resident_is_asked_about_once_where_the_plan_can_be_used() -> None:
    found, minds = planned(lambda _: json.dumps(GOOD))
    assert len(minds.asked) == 3
    assert found.failed == {}
    assert {plan.goal for plan in found.plans.values()} == {"See friends."}
    assert TOWN.name[1] in next(r for r in minds.asked if r.tag.item == "plan-1").messages[0].content


def test_a_plan_that_cannot_be_used_is_asked_for_once_more_with_its_fault() -> None:
    def say(request: Request) -> str:
        return "hm" if request.tag.step == 0 else json.dumps(GOOD)

    found, minds = planned(say, (0,))
    assert found.failed == {}
    assert found.plans[0].goal == "See friends."
    assert "malformed JSON" in minds.asked[1].messages[-1].content


def test_the_template_stands_in_where_there_is_no_plan_and_is_counted() -> None:
    found, minds = planned(lambda r: None if r.tag.item == "plan-0" else "hm")
    assert found.failed == {"no connection": 1, "no usable plan": 2}
    assert set(found.plans.values()) == {TEMPLATE}
    assert len(minds.asked) == 5


def test_plans_are_stored_beside_their_population_and_of_no_other(tmp_path: Path) -> None:
    found, _ = planned(lambda _: json.dumps(GOOD))
    path = tmp_path / "plans.jsonl"
    path.write_bytes(plan_lines(found.plans, population=TOWN.fingerprint, planner="simulated/typical"))
    assert read_plans(path, TOWN).plans == found.plans
    assert read_plans(path, TOWN).header.description == "by simulated/typical"
    with pytest.raises(InputError, match="plans of the population"):
        read_plans(path, people(12, "another"))
    path.write_bytes(b"\n".join(path.read_bytes().splitlines()[:-1]))
    with pytest.raises(InputError, match="2 plans; its first line says 3"):
        read_plans(path, TOWN)


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"id": 4000}, "resident 4000 is nobody; ids are from 0 to"),
        ({"id": -1}, "resident -1 is nobody"),
        ({"goal": " "}, "a goal or a subtask has no words"),
        ({"kind": "castle"}, "'castle' is no place of the town"),
        ({"start": 1300, "end": 400}, "cannot be done; expected a window within the day"),
        ({"words": ""}, "a goal or a subtask has no words"),
        ({"again": True}, r"subtasks are numbered \[1, 1"),
    ],
)
def test_plans_that_were_edited_by_hand_are_checked_against_the_town(
    tmp_path: Path, changed: dict[str, object], why: str
) -> None:
    found, _ = planned(lambda _: json.dumps(GOOD))
    path = tmp_path / "plans.jsonl"
    head, first, *rest = plan_lines(found.plans, population=TOWN.fingerprint, planner="x").decode().splitlines()
    row = json.loads(first)
    for task in row["subtasks"] if "again" in changed else ():
        task["id"] = 1
    row |= {name: value for name, value in changed.items() if name in row}
    row["subtasks"][0] |= {name: value for name, value in changed.items() if name in {"kind", "words", "start", "end"}}
    path.write_text("\n".join((head, json.dumps(row), *rest)) + "\n", "utf-8")
    with pytest.raises(InputError, match=f"plans.jsonl:2: .*{why}"):
        read_plans(path, TOWN)
