"""A replay: true to the log, the schedule and the verdicts, small, and deaf to what models and people say."""

import asyncio
import base64
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mores.core.card import Sampling
from mores.core.day import Checked, DayBegan, DayEnded, DayEvent, Did, Said, StepBegan, Subtask
from mores.core.errors import InputError
from mores.core.item import About
from mores.core.seeds import Seed
from mores.core.transcript import Event, Failed
from mores.core.verdict import Ballot, Graded, Ungraded, Verdict
from mores.models.request import CallFailed, Reply, Request
from mores.models.simulated import Simulated
from mores.reports import wording
from mores.reports.replay import Played, Replay, Scene, render
from mores.reports.replay.days import MOST_PEOPLE
from mores.reports.replay.telling import broken_norms, live_again
from mores.worlds.town.day import Day, Limits, Stage, replay
from mores.worlds.town.living import Company, live
from mores.worlds.town.people import Population
from mores.worlds.town.planted import BREAKS, Script
from mores.worlds.town.plans import template_plan
from mores.worlds.town.sampling import sample_population
from mores.worlds.town.schedule import SLOTS, slot_of, whereabouts
from mores.worlds.town.streets import KINDS, build_town
from mores.worlds.town.words import Words
from tests.reports.test_page import Parts

SEED = Seed("a replay")
TARGET = 7
NORMS = {
    kind: {
        f"{kind}-1": "People greet those who are there before anything else.",
        f"{kind}-2": "People keep their voice down where others are near.",
        f"{kind}-3": "People wait for their turn, and thank whoever serves them.",
    }
    for kind in KINDS
}
HOSTILE = '</script><script>window.acted = 1</script><img src=x onerror="window.acted = 1"> {{ 7 * 7 }} \u2028'


def population(size: int = 1000) -> Population:
    return sample_population(size, SEED.child("people"), town=build_town(SEED.child("streets")))


def scene_of(people: Population, target: int = TARGET) -> Scene:
    homes, works = people.home.astype(np.int64), people.work.astype(np.int64)
    return Scene(
        population=people, whereabouts=whereabouts(homes, works, people.town, SEED.child("days")), target=target
    )


@dataclass(frozen=True)
class Door:
    """Everybody is one simulated person."""

    model: Simulated

    async def ask(self, request: Request) -> Reply:
        return await self.model.reply(request)


def lived(scene: Scene, spec: str = "simulated/typical", **more: Any) -> Played:
    """A day by a simulated model, its verdicts as planted: what it broke was seen, and nothing else."""
    person = scene.person
    kind = scene.location(person.work).kind if person.work is not None else None
    stage = Stage(
        population=scene.population,
        whereabouts=scene.whereabouts,
        target=scene.target,
        plan=template_plan(person.status, kind, SEED.child("plan")),
        limits=Limits(),
    )
    script = Script(stage=stage, norms={kind: tuple(known) for kind, known in NORMS.items()}, seed=SEED.child("script"))
    company = Company(
        cast=Door(Simulated(spec, SEED)),
        sampling=Sampling(),
        item=f"day-{scene.target}",
        sample=0,
        words=Words(stage=stage, norms={kind: list(known.values()) for kind, known in NORMS.items()}, pressure="Be kind."),
        cues=script,
    )
    events = asyncio.run(live(stage, company, _checks(stage)))
    verdicts = [*_verdicts(stage, script, events), *_of_day(stage, events)]
    told = {"label": spec, "benchmark": "liveculture/town", "simulated": True, "item": company.item, "sample": 0}
    roles = {"subject": spec, "supporter": "simulated/typical", "judge": "simulated/judge"}
    return Played(**{**told, "events": events, "verdicts": tuple(verdicts), "norms": NORMS, "roles": roles, **more})


def _checks(stage: Stage) -> Any:
    async def check(day: Day, task: Subtask, events: Sequence[DayEvent]) -> Checked:
        own = next(e for e in events if isinstance(e, Did) and e.who == stage.target)
        done = own.deed == "do" and stage.location(day.where).kind == task.kind and day.minute >= task.start
        reason = "It was done there." if done else "Nothing of it was seen to be done."
        return Checked(step=day.step, minute=day.minute, subtask=task.id, done=done, reason=reason)

    return check


def about(step: int | str) -> About:
    return About(item=f"day-{TARGET}", unit="day", cluster="day", part=str(step))


def _verdicts(stage: Stage, script: Script, events: Iterable[Event]) -> Iterable[Verdict]:
    begun = {e.step: e for e in events if isinstance(e, StepBegan)}
    for own in (e for e in events if isinstance(e, Did) and e.who == stage.target):
        kind = stage.location(begun[own.step].where).kind
        up = script.coming_up(own.step, kind)
        broken = up if own.planted == BREAKS else ()
        yield norms(own.step, broken, up, kind)
        yield Graded(about=about(own.step), sample=0, task="profile", points=1.0, reason="work: it fits the job")
        yield Graded(about=about(own.step), sample=0, task="context", points=1.0, label="yes", reason="It fits.")
        if own.step % 9 == 4:
            yield Ungraded(about=about(own.step), sample=0, task="coherence", cause="timeout")
        else:
            yield Graded(about=about(own.step), sample=0, task="coherence", points=1.0, label="yes", reason="It follows.")
        yield Graded(about=about(own.step), sample=0, task="deed", points=float(not own.refused), reason=own.refused)


def norms(step: int, broken: Sequence[str], up: Sequence[str], kind: str) -> Graded:
    count = len(NORMS[kind])
    shares = {
        "violated": len(broken) / count,
        "respected": (len(up) - len(broken)) / count,
        "not applicable": (count - len(up)) / count,
    }
    return Graded(
        about=about(step),
        sample=0,
        task="norms",
        points=1 - shares["violated"],
        label="violated" if broken else "respected",
        reason="; ".join(f"{name}: They were loud, and did not mind who was near" for name in broken),
        ballot=Ballot(votes=1, asked=1, words=20, shares=shares),
    )


def _of_day(stage: Stage, events: Iterable[Event]) -> Iterable[Verdict]:
    done = {e.subtask for e in events if isinstance(e, Checked) and e.done}
    share = len(done) / len(stage.plan.subtasks)
    yield Graded(about=about("goal"), sample=0, task="goal", points=share)
    yield Graded(about=about("on_time"), sample=0, task="on_time", points=share)
