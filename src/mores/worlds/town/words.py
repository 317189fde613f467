"""What minds in the town are told: what is common first, so that a model's cache of prefixes serves a whole day."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from pathlib import Path

from mores.core.day import Said, Subtask
from mores.core.prompt import Prompt
from mores.core.transcript import Message
from mores.norms.places import place as known_place
from mores.worlds.town.day import Day, Sight, Stage
from mores.worlds.town.people import Resident
from mores.worlds.town.schedule import clock
from mores.worlds.town.streets import Town

_PROMPTS = Path(__file__).parent / "prompts"
NAMES = ("target", "target_step", "target_talk", "supporter", "supporter_step", "supporter_talk")
NOBODY, NOTHING = "nobody", "nothing"


@cache
def prompt(name: str) -> Prompt:
    """One of the town's prompts by its file's name."""
    return Prompt.read(_PROMPTS / f"{name}.prompt.md")


@dataclass(frozen=True, kw_only=True)
class Words:
    """Everything that is said to the minds of one day; `norms` of the target by kind of place, `pressure` in words."""

    stage: Stage
    norms: Mapping[str, Sequence[str]]
    pressure: str

    @cached_property
    def brief(self) -> str:
        """What the target is told once."""
        stage, person = self.stage, self.stage.person
        return prompt("target").render(
            name=person.name,
            profile=profile(person, stage.town),
            goal=stage.plan.goal,
            tasks="\n".join(task_line(task) for task in stage.plan.subtasks),
            ties=self._ties(),
            town=town_lines(stage.town),
            steps=str(stage.limits.steps),
        )

    @cached_property
    def _told(self) -> Message:
        return Message(role="system", content=self.brief)

    def target_step(self, day: Day, sight: Sight) -> tuple[Message, ...]:
        """What the target is asked at a step."""
        stage, here = self.stage, self.stage.location(day.where)
        ways = (stage.location(number) for number in sight.choices.neighbours)
        words = prompt("target_step").render(
            records=records(day),
            time=clock(day.minute),
            place=here.name,
            kind=here.kind,
            standing=sight.standing,
            step=str(day.step + 1),
            steps=str(stage.limits.steps),
            task=task_line(sight.active) if sight.active else NOTHING,
            done=", ".join(str(number) for number in day.done) or NOTHING,
            people=self._people(sight.present),
            ways="; ".join(f"{place.id} {place.name} ({place.kind})" for place in ways),
            offers="; ".join(f"{o.name} (with: {o.with_})" if o.with_ else o.name for o in sight.choices.offers)
            or NOTHING,
            contacts=self._people(sight.choices.contacts),
        )
        return (self._told, Message(role="user", content=words))

    def target_talk(self, day: Day, sight: Sight, talk: "Conversation") -> tuple[Message, ...]:
        """What the target is asked when it is its turn to speak."""
        here = self.stage.location(day.where)
        words = prompt("target_talk").render(
            records=records(day),
            time=clock(day.minute),
            place=here.name,
            kind=here.kind,
            standing=sight.standing,
            task=task_line(sight.active) if sight.active else NOTHING,
            way=talk.way,
            others=self._people([person for person in talk.party if person != self.stage.target]),
            talk=self.told(talk),
        )
        return (self._told, Message(role="user", content=words))

    def supporter_step(self, day: Day, sight: Sight, person: int) -> tuple[Message, ...]:
        """What somebody here is asked at a step."""
        others = [other for other in sight.present if other != person]
        words = prompt("supporter_step").render(
            who=profile(self.stage.population.resident(person), self.stage.town),
            name=self.stage.person.name,
            target=str(self.stage.target),
            tie=self.stage.known.get(person, "a stranger"),
            time=clock(day.minute),
            people=self._people(others),
            offers="; ".join(offer.name for offer in sight.choices.offers) or NOTHING,
        )
        return (self._supporters(day), Message(role="user", content=words))

    def supporter_talk(self, day: Day, person: int, talk: "Conversation") -> tuple[Message, ...]:
        """What somebody is asked when it is their turn to speak with the target."""
        words = prompt("supporter_talk").render(
            who=profile(self.stage.population.resident(person), self.stage.town),
            name=self.stage.person.name,
            tie=self.stage.known.get(person, "a stranger"),
            time=clock(day.minute),
            way=talk.way,
            others=self._people([other for other in talk.party if other != person]),
            talk=self.told(talk),
        )
        return (self._supporters(day), Message(role="user", content=words))

    def told(self, talk: "Conversation") -> str:
        """A conversation so far, a line for each thing said."""
        lines = [f"{self.stage.population.name[each.who]}: {each.text}" for each in talk.said]
        return "\n".join(lines) or talk.opening or "(Nobody has said anything yet.)"

    def _supporters(self, day: Day) -> Message:
        return self._supporters_at(day.where)

    @cached_property
    def _at(self) -> dict[int, Message]:
        return {}

    def _supporters_at(self, where: int) -> Message:
        """What all who cross the target's path at a place are told alike."""
        found = self._at.get(where)
        if found is None:
            person, here = self.stage.person, self.stage.location(where)
            norms = "\n".join(f"- {statement}" for statement in self.norms.get(here.kind, ()))
            words = prompt("supporter").render(
                name=person.name,
                profile=profile(person, self.stage.town),
                place=here.name,
                kind=here.kind,
                norms=norms or "- (nothing is known of it)",
                pressure=self.pressure,
            )
            found = self._at[where] = Message(role="system", content=words)
        return found

    def _people(self, people: Iterable[int]) -> str:
        names, known = self.stage.population.name, self.stage.known
        told = [f"{person} {names[person]} ({known.get(person, 'stranger')})" for person in people]
        return "; ".join(told) or NOBODY

    def _ties(self) -> str:
        names = self.stage.population.name
        return (
            "\n".join(f"- {tie.to} {names[tie.to]}: {tie.kind}" for tie in self.stage.person.phonebook) or f"- {NOBODY}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """Who talks, the opener first, whether on the phone, what was said, and what it was opened with."""

    party: tuple[int, ...]
    phone: bool
    said: tuple[Said, ...] = ()
    opening: str = ""

    @property
    def way(self) -> str:
        """How they talk."""
        return "on the phone" if self.phone else "here"


def records(day: Day) -> str:
    """What a target remembers: a line a step, each as it was when it was new, so that the beginning stays the same."""
    return "\n".join(day.records) or "(It has just begun.)"


def task_line(task: Subtask) -> str:
    """A subtask in a line."""
    return f"{task.id}. {task.words} ({task.kind}, {clock(task.start)}–{clock(task.end)})"


def profile(person: Resident, town: Town) -> str:
    """Who somebody is, in a few short sentences."""
    origin = known_place(person.nationality).name
    work = f"{person.title} at {town.locations[person.work].name}" if person.title and person.work is not None else ""
    study = (
        f"goes to {town.locations[person.work].name}" if person.status == "student" and person.work is not None else ""
    )
    life = work or study or person.status
    home = town.locations[person.home].name
    return f"{person.name}, {person.age}, {person.gender}, from {origin}; {life}; lives at {home} ({person.role})"


@lru_cache(maxsize=8)
def town_lines(town: Town) -> str:
    """The town's places and streets, a line each."""
    return "\n".join(
        f"{place.id} {place.name}, {place.kind}: {', '.join(map(str, around))}"
        for place, around in zip(town.locations, town.neighbours, strict=True)
    )
