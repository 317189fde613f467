"""A small town with a day in it, and minds that say what a function says."""

import asyncio
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from mores.core.card import Sampling
from mores.core.prompt import Prompt
from mores.core.seeds import Seed
from mores.core.transcript import DayEvent, Subtask, SubtaskCheckEvent, TranscriptEvent
from mores.models.request import CallFailed, Reply, Request
from mores.worlds.town.day import Day
from mores.worlds.town.people import Population
from mores.worlds.town.plans import DayPlan, template_plan
from mores.worlds.town.planted import PlantedDay
from mores.worlds.town.prompts import DayPrompts, read_prompts
from mores.worlds.town.run_day import DayCallers, run_day
from mores.worlds.town.sampling import sample_population
from mores.worlds.town.schedule import whereabouts
from mores.worlds.town.stage import DayConfig, Limits
from mores.worlds.town.streets import build_town

Say = Callable[[Request], str | None]
PROMPTS = read_prompts(Prompt.read)
WAIT = '{"deed": "wait"}'
TASK = Subtask(id=1, words="buy bread", kind="mall", start=600, end=720, action="buy groceries")


@cache
def people(size: int = 80, seed: str = "town") -> Population:
    """So many residents of a town."""
    root = Seed(seed)
    return sample_population(size, root.child("people"), town=build_town(root.child("streets")))


def stage_of(
    target: int = 0,
    *,
    plan: DayPlan | None = None,
    population: Population | None = None,
    limits: Limits | None = None,
) -> DayConfig:
    """A day of one of them."""
    town = population or people()
    known = plan or template_plan(town.status[target], None, Seed("plan").child(target))
    where = whereabouts(town.home.astype(np.int64), town.work.astype(np.int64), town.town, Seed("days"))
    return DayConfig(
        population=town,
        whereabouts=where,
        target=target,
        plan=known,
        limits=limits or Limits(),
    )


class Minds:
    """The door of all minds: says what a function says, and breaks where that is None."""

    def __init__(self, say: Say) -> None:
        self.say = say
        self.asked: list[Request] = []

    async def ask(self, request: Request) -> Reply:
        await asyncio.sleep(0)
        self.asked.append(request)
        words = self.say(request)
        if words is None:
            raise CallFailed("no connection", "scripted")
        return Reply(text=words, model="script")


class Never:
    """A verifier that never finds a task done, or always."""

    def __init__(self, *, done: bool | None = False) -> None:
        self.done = done

    async def __call__(
        self, day: Day, tasks: Sequence[Subtask], events: Sequence[DayEvent]
    ) -> tuple[SubtaskCheckEvent, ...]:
        return tuple(
            SubtaskCheckEvent(step=day.step, minute=day.minute, subtask=task.id, done=self.done) for task in tasks
        )


def lived(
    stage: DayConfig, say: Say | Minds, *, done: bool | None = False, swift: bool = False
) -> tuple[TranscriptEvent, ...]:
    """The events of a day."""
    minds = say if isinstance(say, Minds) else Minds(say)
    company = DayCallers(
        cast=minds,
        sampling=Sampling(),
        own=Sampling(),
        item="day",
        sample=0,
        words=DayPrompts(stage=stage, norms={}, pressure="Be kind.", prompts=PROMPTS),
        cues=PlantedDay(stage=stage, norms={}, seed=Seed("script")),
        swift=swift,
    )
    return asyncio.run(run_day(company, Never(done=done)))
