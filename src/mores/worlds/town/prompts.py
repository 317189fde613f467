"""Prompts of agents in the town: what is common first, so that a model's cache of prefixes serves a whole day."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from mores.core.prompt import Prompt, ReadPrompt, preceded, prompts_in
from mores.core.transcript import Message, SpeechEvent, Subtask
from mores.norms.places import place as known_place
from mores.worlds.town.actions import PlaceRole, menu
from mores.worlds.town.day import Day, Observation, place_of, remembered
from mores.worlds.town.people import Resident
from mores.worlds.town.schedule import clock
from mores.worlds.town.stage import DayConfig, place_role_of
from mores.worlds.town.streets import Location, LocationKind, Town

_PROMPTS = Path(__file__).parent / "prompts"
prompt = prompts_in(_PROMPTS)
NAMES = tuple(f"{who}{asked}" for who in ("target", "supporter") for asked in ("", "_step", "_talk"))
NOBODY, NOTHING, NOWHERE = "nobody", "nothing", "nowhere now"

TalkChannel = Literal["here", "on the phone", "by text message"]
"""How people talk."""


def read_prompts(words: ReadPrompt) -> dict[str, Prompt]:
    """Prompts of those who live in town, by name."""
    return {name: words(_PROMPTS / f"{name}.prompt.md") for name in NAMES}


class Conversation(msgspec.Struct, frozen=True, kw_only=True):
    """Conversation so far: who talks, the opener first, how, what was said, and what it was opened with."""

    party: tuple[int, ...]
    way: TalkChannel = "here"
    lines: tuple[SpeechEvent, ...] = ()
    opening: str = ""

    @property
    def phone(self) -> bool:
        """True where they are not at one place."""
        return self.way != "here"


class DayPrompts(Struct, frozen=True, kw_only=True, dict=True):
    """Everything that is said to the agents of one day; `norms` of the target by kind of place, `pressure` in words.

    `told` is what the target is told before its briefing.
    """

    prompts: Mapping[str, Prompt]
    stage: DayConfig
    norms: Mapping[str, Sequence[str]]
    pressure: str
    told: str = ""

    @cached_property
    def brief(self) -> str:
        """Briefing of the target."""
        stage, person, names = self.stage, self.stage.person, self.stage.population.name
        ties = (f"- {tie.to} {names[tie.to]}: {tie.kind}" for tie in person.phonebook)
        briefing = self.prompts["target"].render(
            name=person.name,
            profile=profile(person, stage.town),
            goal=stage.plan.goal,
            tasks="\n".join(task_line(task) for task in stage.plan.subtasks),
            ties="\n".join(ties) or f"- {NOBODY}",
            town=town_lines(stage.town),
            steps=str(stage.limits.steps),
        )
        return preceded(briefing, self.told)

    @cached_property
    def _system_message(self) -> Message:
        return Message(role="system", content=self.brief)

    def target_step(self, day: Day, sight: Observation) -> tuple[Message, ...]:
        """Messages to the target at a step."""
        stage, here = self.stage, self.stage.location(day.where)
        return self._asked(
            self._system_message,
            "target_step",
            day,
            here,
            records=remembered(day),
            standing=sight.place_role,
            step=str(day.step + 1),
            steps=str(stage.limits.steps),
            task=task_line(sight.active) if sight.active else NOTHING,
            done=", ".join(str(number) for number in day.done) or NOTHING,
            people=_listed(self._introduced, sight.present),
            ways=_listed(self._placed, sight.choices.neighbours, NOWHERE),
            offers=_offers(here.kind, sight.place_role),
            contacts=_listed(self._introduced, sight.choices.contacts),
        )

    def target_talk(self, day: Day, sight: Observation, talk: Conversation) -> tuple[Message, ...]:
        """Messages to the target when it is its turn to speak."""
        here = self.stage.location(day.where)
        return self._asked(
            self._system_message,
            "target_talk",
            day,
            here,
            records=remembered(day),
            standing=sight.place_role,
            task=task_line(sight.active) if sight.active else NOTHING,
            way=talk.way,
            others=_listed(self._introduced, (person for person in talk.party if person != self.stage.target)),
            talk=self.format_talk(talk),
        )

    def supporter_step(self, day: Day, sight: Observation, person: int) -> tuple[Message, ...]:
        """Messages to somebody here at a step."""
        stage, here = self.stage, self.stage.location(day.where)
        return self._supporter(
            "supporter_step",
            day,
            person,
            target=str(stage.target),
            people=_listed(self._numbered, (other for other in sight.present if other != person)),
            offers=_offers(here.kind, place_role_of(stage.resident(person), here)),
        )

    def supporter_talk(self, day: Day, person: int, talk: Conversation) -> tuple[Message, ...]:
        """Messages to somebody whose turn it is to speak with the target, here or from elsewhere."""
        there = self.stage.location(place_of(self.stage, day, person))
        return self._supporter(
            "supporter_talk",
            day,
            person,
            way=talk.way,
            others=_listed(self._numbered, (other for other in talk.party if other != person)),
            apart=f" You yourself are at {there.name} ({there.kind})." if talk.phone else "",
            talk=self.format_talk(talk),
        )

    def _supporter(self, asks: str, day: Day, person: int, /, **values: str) -> tuple[Message, ...]:
        """Messages to somebody who crosses the target's path: who both are, what they are to each other, and more."""
        stage, here = self.stage, self.stage.location(day.where)
        return self._asked(
            self._supporters_at(here.kind),
            asks,
            day,
            here,
            profile=self._who(stage.target),
            who=self._who(person),
            name=stage.person.name,
            tie=stage.known.get(person, "a stranger"),
            **values,
        )

    def format_talk(self, talk: Conversation) -> str:
        """A conversation so far, a line for each thing said."""
        lines = [f"{self.stage.population.name[each.who]}: {each.text}" for each in talk.lines if each.text]
        return "\n".join(lines) or talk.opening or "(Nobody has said anything yet.)"

    def _asked(
        self, head: Message, asks: str, day: Day, here: Location, /, **values: str
    ) -> tuple[Message, ...]:  # fmt: skip
        """Message common to many calls, and then the words of one prompt, which all say when and where it is."""
        words = self.prompts[asks].render(time=clock(day.minute), place=here.name, kind=here.kind, **values)
        return head, Message(role="user", content=words)

    @cached_property
    def _supporters_at(self) -> Callable[[str], Message]:
        """Message common to all who cross the paths of people from the target's origin at a kind of place."""
        stage, prompt, norms = self.stage, self.prompts["supporter"], self.norms
        origin = stage.person.nationality
        return cache(lambda kind: _supporters(prompt, origin, kind, tuple(norms.get(kind, ())), self.pressure))

    @cached_property
    def _who(self) -> Callable[[int], str]:
        """Profile of somebody, each put together once."""
        stage = self.stage
        return cache(lambda person: profile(stage.resident(person), stage.town))

    @cached_property
    def _introduced(self) -> Callable[[int], str]:
        """Somebody by number, name and what they are to the target, each put together once."""
        names, known = self.stage.population.name, self.stage.known
        return cache(lambda person: f"{person} {names[person]} ({known.get(person, 'stranger')})")

    @cached_property
    def _numbered(self) -> Callable[[int], str]:
        """Somebody by number and name, each put together once."""
        names = self.stage.population.name
        return cache(lambda person: f"{person} {names[person]}")

    @cached_property
    def _placed(self) -> Callable[[int], str]:
        """A place by number, name and kind, each put together once."""
        places = self.stage.town.locations
        return cache(lambda number: f"{number} {places[number].name} ({places[number].kind})")


def _listed(describe: Callable[[int], str], numbers: Iterable[int], nothing: str = NOBODY) -> str:
    return "; ".join(map(describe, numbers)) or nothing


@lru_cache(maxsize=64)
def _offers(kind: LocationKind, place_role: PlaceRole) -> str:
    """Offers of a place of a kind to somebody, in a line."""
    offers = menu(kind, place_role)
    return "; ".join(f"{o.name} (with: {o.using})" if o.using else o.name for o in offers) or NOTHING


def task_line(task: Subtask) -> str:
    """A subtask in a line."""
    return f"{task.id}. {task.words} ({task.kind}, {clock(task.start)}–{clock(task.end)})"


def profile(person: Resident, town: Town) -> str:
    """Profile of somebody, in a few short sentences."""
    origin = known_place(person.nationality).name
    home, life = town.locations[person.home].name, str(person.status)
    if person.work is not None and (person.title or person.status == "student"):
        there = town.locations[person.work].name
        life = f"{person.title} at {there}" if person.title else f"goes to {there}"
    return f"{person.name}, {person.age}, {person.gender}, from {origin}; {life}; lives at {home} ({person.role})"


@lru_cache(maxsize=8)
def town_lines(town: Town) -> str:
    """The town's places and streets, a line each."""
    return "\n".join(
        f"{place.id} {place.name}, {place.kind}: {', '.join(map(str, around))}"
        for place, around in zip(town.locations, town.neighbours, strict=True)
    )


@lru_cache(maxsize=256)
def _supporters(prompt: Prompt, origin: str, kind: str, norms: tuple[str, ...], pressure: str) -> Message:
    """The words common to supporters, once for all days, as days of one origin run together."""
    words = prompt.render(
        origin=known_place(origin).name,
        kind=kind,
        norms="\n".join(f"- {statement}" for statement in norms) or "- (nothing is known of it)",
        pressure=pressure,
    )
    return Message(role="system", content=words)
