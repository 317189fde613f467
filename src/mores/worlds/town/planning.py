"""Plans by a model: one for each resident, checked against the town, asked for once more where it cannot be used.

resident ─▶ the planner's words ─▶ plan, or its fault quoted and asked again ─▶ plan, or one from templates, counted.
"""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from mores.core.card import Sampling
from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.core.transcript import Message
from mores.models.cast import Caller, all_of
from mores.models.request import AnswerKey, CallFailed, Request, Tag
from mores.worlds.town.people import Population, Resident
from mores.worlds.town.plans import DayPlan, read_plan, template_plan
from mores.worlds.town.prompts import profile, prompt
from mores.worlds.town.schedule import clock
from mores.worlds.town.stage import place_role_of
from mores.worlds.town.streets import KINDS, Town

PLANNER = "planner"


class Planned(NamedTuple):
    """The plan of each resident that was asked for, by number, and why some are from templates: causes with counts."""

    plans: dict[int, DayPlan]
    failed: dict[str, int]


def template_of(population: Population, person: int, seed: Seed) -> DayPlan:
    """The plan of a resident from templates: the duty of its work or school, and errands."""
    resident = population.resident(person)
    if resident.work is None:
        return template_plan(resident.status, None, seed)
    there = population.town.locations[resident.work]
    return template_plan(resident.status, there.kind, seed, place_role=place_role_of(resident, there))


async def plan_people(
    population: Population,
    people: Sequence[int],
    cast: Caller,
    *,
    sampling: Sampling,
    template: Callable[[int], DayPlan],
) -> Planned:
    """A plan for each of these residents, all asked for at once; the clients decide how many wait.

    Args:
        population: The town and its people.
        people: Whose days are planned.
        cast: Has the planner's client.
        sampling: How the planner draws its words.
        template: The plan that stands in where the planner gives none, and what a simulated planner says.
    """
    asked = (_plan(population, person, cast, sampling, template(person)) for person in people)
    found = dict(zip(people, await all_of(*asked), strict=True))
    failed = Counter(cause for _, cause in found.values() if cause)
    return Planned({person: plan for person, (plan, _) in found.items()}, dict(failed))


async def _plan(
    population: Population, person: int, cast: Caller, sampling: Sampling, template: DayPlan
) -> tuple[DayPlan, str]:
    """One plan, and why it is the template, if it is."""
    resident, town = population.resident(person), population.town
    messages = [Message(role="user", content=_asked(resident, town))]
    for step in range(2):
        tag = Tag(item=f"plan-{person}", role=PLANNER, step=step)
        request = Request(messages=tuple(messages), sampling=sampling, tag=tag, key=_key(person, resident, template))
        try:
            reply = await cast.ask(request)
        except CallFailed as failure:
            return template, failure.cause
        if reply.refusal:
            return template, "refusal"
        try:
            return read_plan(reply.text, town, resident.home, where="the plan"), ""
        except InputError as error:
            again = prompt("planner_again").render(fault=str(error))
            messages.append(Message(role="assistant", content=reply.text or "(no words)"))
            messages.append(Message(role="user", content=again))
    return template, "no usable plan"


def _asked(resident: Resident, town: Town) -> str:
    there = None if resident.work is None else town.locations[resident.work]
    verb = "goes to" if resident.status == "student" else "works at"
    work = f"{verb} {there.name} ({there.kind})" if there is not None else f"is {resident.status}"
    return prompt("planner").render(profile=profile(resident, town), kinds=", ".join(KINDS), work=work)


def _key(person: int, resident: Resident, template: DayPlan) -> AnswerKey:
    """A simulated planner says the template."""
    tasks = [
        {"words": task.words, "place": task.kind, "from": clock(task.start), "to": clock(task.end)}
        for task in template.subtasks
    ]
    ways = {"plan": json.dumps({"goal": template.goal, "subtasks": tasks})}
    return AnswerKey(unit=f"plan/{person}", truth="plan", ways=ways, place=resident.nationality, rung="live")
