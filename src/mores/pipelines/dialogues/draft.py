"""A scenario in the making, and what must hold of its words whoever wrote them."""

from collections.abc import Sequence
from typing import Literal

import msgspec
from msgspec.structs import replace

from mores.norms.places import place
from mores.pipelines.dialogues.pairs import CustomValuePair
from mores.pipelines.duplicates import normalised
from mores.pipelines.text_checks import revealing_words, wrong_with_length

Number = Literal[1, 2]
POINTS: tuple[Number, ...] = (1, 2)
RULES: dict[Number, str] = {1: "custom", 2: "value"}
"""What each point of a talk is about."""
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

    words: str
    people: tuple[ScenarioPerson, ScenarioPerson, ScenarioPerson]

    @property
    def prompt_values(self) -> dict[str, str]:
        """Situation, people a line each, and the names of the three, as prompts name them."""
        names = (person.name for person in self.people)
        lines = "\n".join(f"- {person.line}" for person in self.people)
        return {"scene": self.words, "people": lines, **dict(zip(("first", "second", "third"), names, strict=True))}


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
        return (self.scene.words, *(text for point in self.points for text in point.texts))

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
    text = f" {normalised(scene.words)} "
    missing = [person.name for person, name in zip(scene.people, names, strict=True) if f" {name} " not in text]
    if missing and scene.words.strip():
        return f"the situation does not name {missing[0]}."
    return wrong_with_texts((scene.words, *(person.occupation for person in scene.people)), pair)


def wrong_with_texts(texts: Sequence[str], pair: CustomValuePair) -> str:
    """Fault of some texts: no words, too many, or those of the custom or the value."""
    return wrong_with_length(texts) or revealing_words(
        texts, {"the custom": pair.custom.statement, "the value": pair.value.statement}
    )
