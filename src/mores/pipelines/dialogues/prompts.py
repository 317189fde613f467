"""A scenario in the making: requests to models for situation, events, goals, checks and repairs, and their replies."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec
from msgspec.structs import replace

from mores.core.prompt import prompts_in
from mores.norms.places import place
from mores.pipelines.dialogues.pairs import CustomValuePair
from mores.pipelines.text_checks import contains, normalised, revealing_words, wrong_with_length
from mores.pipelines.unit_context import CHECKER, WRITER, UnitContext, WriterReply

Number = Literal[1, 2]
POINTS: tuple[Number, ...] = (1, 2)
RULES: dict[Number, str] = {1: "custom", 2: "value"}
"""Rule that each point of a talk is about."""
GROWN_UP, OLDEST = 18, 90


class ScenarioPerson(msgspec.Struct, frozen=True, kw_only=True):
    """A person of a situation; `place` is an id."""

    name: str
    age: int
    gender: str
    occupation: str
    place: str

    @property
    def line(self) -> str:
        """The person in a line, as the benchmark reads age, gender and occupation from it."""
        return f"{self.name}: a {self.age}-year-old {self.gender} {self.occupation} from {place(self.place).name}."


class DialogueSituation(msgspec.Struct, frozen=True, kw_only=True):
    """A situation and the three people in it: who raises the points, who is tried, and whom the custom concerns."""

    text: str
    people: tuple[ScenarioPerson, ScenarioPerson, ScenarioPerson]

    @property
    def prompt_values(self) -> dict[str, str]:
        """Situation, people a line each, and the names of the three, as prompts name them."""
        names = (person.name for person in self.people)
        lines = "\n".join(f"- {person.line}" for person in self.people)
        return {"scene": self.text, "people": lines, **dict(zip(("first", "second", "third"), names, strict=True))}


class ConflictPoint(msgspec.Struct, frozen=True, kw_only=True):
    """One of the two points of a talk, and what each of the two people wants there."""

    event: str
    first: str
    second: str

    @property
    def texts(self) -> tuple[str, str, str]:
        """Its three texts."""
        return (self.event, self.first, self.second)


class ScenarioDraft(msgspec.Struct, frozen=True, kw_only=True):
    """A scenario as it stands."""

    scene: DialogueSituation
    points: tuple[ConflictPoint, ConflictPoint]

    @property
    def texts(self) -> tuple[str, ...]:
        """All its texts but for the people."""
        return (self.scene.text, *(text for point in self.points for text in point.texts))

    def point(self, number: Number) -> ConflictPoint:
        """The first or the second point."""
        return self.points[number - 1]

    def with_point(self, number: Number, point: ConflictPoint) -> "ScenarioDraft":
        """The draft with one point in other words."""
        first, second = self.points
        return replace(self, points=(point, second) if number == 1 else (first, point))


def wrong_with_scene(scene: DialogueSituation, pair: CustomValuePair) -> str:
    """Fault of a situation, in words for its writer; empty where there is none."""
    names = [normalised(person.name) for person in scene.people]
    if not all(names) or any(len(person.name.split()) > 1 for person in scene.people):
        return "a name is not one word; give first names alone."
    if len(set(names)) < len(names):
        return "two people have one name."
    if not all(person.occupation.strip() for person in scene.people):
        return "somebody has no occupation."
    if not all(GROWN_UP <= person.age <= OLDEST for person in scene.people):
        return f"somebody is not between {GROWN_UP} and {OLDEST} years old."
    # Spaces on both sides, so that Ana is not found in a banana.
    text = f" {normalised(scene.text)} "
    missing = [person.name for person, name in zip(scene.people, names, strict=True) if f" {name} " not in text]
    if missing and scene.text.strip():
        return f"the situation does not name {missing[0]}."
    return wrong_with_texts((scene.text, *(person.occupation for person in scene.people)), pair)


def wrong_with_texts(texts: Sequence[str], pair: CustomValuePair) -> str:
    """Fault of some texts: no words, too many, or those of the custom or the value."""
    return wrong_with_length(texts) or revealing_words(
        texts, {"the custom": pair.custom.statement, "the value": pair.value.statement}
    )


prompt = prompts_in(Path(__file__).parent)
ROLES = (WRITER, CHECKER)
PROMPTS = ("scene", "events", "goals", "check", "people", "repair")
YesNo = Literal["yes", "no"]


class Invented(msgspec.Struct, frozen=True):
    """A person of a situation; where they come from is not the writer's to choose."""

    name: str = ""
    age: int = 0
    gender: Literal["female", "male"] = "female"
    occupation: str = ""


class Staged(WriterReply):
    """A situation and its people."""

    scene: str = ""
    first: Invented = Invented()
    second: Invented = Invented()
    third: Invented = Invented()

    def placed(self, pair: CustomValuePair) -> DialogueSituation:
        """The situation with everybody from where the pair has them."""
        first, second, third = (
            ScenarioPerson(
                name=_line(who.name), age=who.age, gender=who.gender, occupation=_line(who.occupation), place=home
            )
            for who, home in zip((self.first, self.second, self.third), pair.places, strict=True)
        )
        return DialogueSituation(text=_line(self.scene), people=(first, second, third))


class Events(WriterReply):
    """The two points of a talk, and what could be proposed there that goes against custom and value."""

    event_1: str = ""
    clash_1: str = ""
    event_2: str = ""
    clash_2: str = ""


class Goals(WriterReply):
    """Goals of the two people on each point."""

    first_1: str = ""
    first_2: str = ""
    second_1: str = ""
    second_2: str = ""

    def drafted(self, scene: DialogueSituation, events: Events) -> ScenarioDraft:
        """The whole scenario."""
        one = ConflictPoint(event=_line(events.event_1), first=_line(self.first_1), second=_line(self.second_1))
        two = ConflictPoint(event=_line(events.event_2), first=_line(self.first_2), second=_line(self.second_2))
        return ScenarioDraft(scene=scene, points=(one, two))


class PointCheck(msgspec.Struct):
    """Check of one point: can the goal cause the conflict, is the rule given away, can the goal be reached."""

    conflict: YesNo
    gives_away: YesNo
    reachable: YesNo
    quote: str = ""
    where: str = ""

    def faults(self, scene: DialogueSituation, rule: str) -> dict[str, str]:
        """Faults of the point, in words for its writer, by the aspect that people review too."""
        first, second, _ = (person.name for person in scene.people)
        found = {
            f"conflict, {rule}": f"what {first} wants can cause no conflict" if self.conflict == "no" else "",
            f"gives away, {rule}": f'"{self.where}" tells it' if self.gives_away == "yes" else "",
            f"reachable, {rule}": f"{second} cannot get what {second} wants in keeping with it"
            if self.reachable == "no" else "",
        }  # fmt: skip
        return {aspect: words for aspect, words in found.items() if words}


class PeopleCheck(msgspec.Struct):
    """Check of the people: does a scenario name somebody real, or demean anybody."""

    real: YesNo
    demeaning: YesNo
    where: str = ""


class RevisedPoint(msgspec.Struct):
    """One point in other words."""

    event: str
    first: str
    second: str

    @property
    def point(self) -> ConflictPoint:
        """The point."""
        return ConflictPoint(event=_line(self.event), first=_line(self.first), second=_line(self.second))


async def make_scene(context: UnitContext[CustomValuePair]) -> Staged:
    """A situation."""

    def wrong(reply: Staged) -> str:
        return wrong_with_scene(reply.placed(context.unit), context.unit)

    return await context.ask("scene", WRITER, Staged, wrong=wrong, planted=_planted_scene(context.unit))


async def make_events(context: UnitContext[CustomValuePair], scene: DialogueSituation) -> Events:
    """The two points of a talk."""

    def wrong(reply: Events) -> str:
        if not (reply.clash_1.strip() and reply.clash_2.strip()):
            return "a clash has no words."
        return wrong_with_texts((reply.event_1, reply.event_2), context.unit)

    return await context.ask("events", WRITER, Events, scene.prompt_values, wrong)


async def make_goals(context: UnitContext[CustomValuePair], scene: DialogueSituation, events: Events) -> Goals:
    """Goals of the two people, by the writer."""

    def wrong(reply: Goals) -> str:
        return wrong_with_texts((reply.first_1, reply.first_2, reply.second_1, reply.second_2), context.unit)

    clashes = {name: getattr(events, name) for name in ("event_1", "clash_1", "event_2", "clash_2")}
    return await context.ask("goals", WRITER, Goals, {**scene.prompt_values, **clashes}, wrong)


async def check_point(
    context: UnitContext[CustomValuePair], draft: ScenarioDraft, number: Number, turn: int
) -> PointCheck:
    """Check of one point by another model than its writer."""
    point = draft.point(number)

    def wrong(reply: PointCheck) -> str:
        if reply.conflict == "yes" and not contains(reply.quote, point.first):
            return f'the quote "{reply.quote}" does not stand in what {draft.scene.prompt_values["first"]} wants.'
        if reply.gives_away == "yes" and not contains(reply.where, *draft.scene.prompt_values.values(), *point.texts):
            return f'the words "{reply.where}" do not stand there.'
        return ""

    planted = {"conflict": "yes", "quote": point.first, "gives_away": "no", "where": "", "reachable": "yes"}
    return await context.ask(
        "check", CHECKER, PointCheck, _of_point(context.unit, draft, number), wrong, planted, part=f"{turn}-{number}"
    )


async def check_people(context: UnitContext[CustomValuePair], draft: ScenarioDraft, turn: int) -> PeopleCheck:
    """Check of the people by another model than their writer."""
    texts = (*(person.line for person in draft.scene.people), *draft.texts)

    def wrong(reply: PeopleCheck) -> str:
        if "yes" in {reply.real, reply.demeaning} and not contains(reply.where, *texts):
            return f'the words "{reply.where}" do not stand there.'
        return ""

    planted = {"real": "no", "demeaning": "no", "where": ""}
    return await context.ask(
        "people", CHECKER, PeopleCheck, {"texts": "\n".join(texts)}, wrong, planted, part=str(turn)
    )


async def repair(
    context: UnitContext[CustomValuePair], draft: ScenarioDraft, number: Number, faults: str, turn: int
) -> ScenarioDraft:
    """The draft with one point written anew, and nothing else."""

    def wrong(reply: RevisedPoint) -> str:
        return wrong_with_texts(reply.point.texts, context.unit)

    event, first, second = (f"{text} Once more." for text in draft.point(number).texts)
    values = {**_of_point(context.unit, draft, number), "found": faults}
    planted = {"event": event, "first": first, "second": second}
    reply = await context.ask("repair", WRITER, RevisedPoint, values, wrong, planted, part=f"{turn}-{number}")
    return draft.with_point(number, reply.point)


def _of_point(pair: CustomValuePair, draft: ScenarioDraft, number: Number) -> dict[str, str]:
    """Slots of a prompt about one point: the rule and its place, the situation, and the goals."""
    point, custom = draft.point(number), number == 1
    return {
        **draft.scene.prompt_values,
        "place": place(pair.custom.place if custom else pair.value.place).name,
        "hold": "do or expect" if custom else "hold",
        "rule": pair.custom.statement if custom else pair.value.statement,
        "event": point.event,
        "goal_first": point.first,
        "goal_second": point.second,
    }


def _line(text: str) -> str:
    return " ".join(text.split())


def _planted_scene(pair: CustomValuePair) -> dict[str, object]:
    """Reply of a simulated writer: that it is simulated, and neither custom nor value."""
    people = {
        who: {"name": name, "age": age, "gender": gender, "occupation": work}
        for who, name, age, gender, work in (
            ("first", "Ana", 31, "female", "nurse"), ("second", "Bo", 28, "male", "student"),
            ("third", "Cy", 45, "male", "chef"),
        )
    }  # fmt: skip
    return {"scene": f"Ana and Bo talk of Cy, simulated for {pair.id}.", **people}
