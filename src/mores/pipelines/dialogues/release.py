"""Scenarios in the layout that SocialCC is released in: one table, a scenario a row, which `socialcc/dialogue` runs.

People are asked of both points of each scenario what the checker was asked, and who is named in it.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from mores.benchmarks.socialcc.personas import ATTRIBUTES, attributes_of
from mores.benchmarks.socialcc.scenarios import FILES
from mores.core.codec import digest
from mores.core.table import sheet
from mores.norms.places import place
from mores.pipelines.checklist import ChecklistAnswer, Checkpoint, checklist, checkpoint
from mores.pipelines.dialogues.draft import RULES, ScenarioDraft
from mores.pipelines.dialogues.pairs import CustomValuePair
from mores.pipelines.funnel import Dropped, counted
from mores.pipelines.norms.norm_base_file import BaseHead
from mores.pipelines.pipeline import Release

TABLE = f"data/{FILES[0]}"
COLUMNS = (
    "Data_ID", "WVSN", "Option", "WVS—Class", "Country_Knowledge", "Country_Value", "Agent_1", "Agent_2", "Agent_3",
    "Agent_1_Background", "Agent_2_Background", "Agent_3_Background", "Relationship", "Scenario", "Event_1", "Event_2",
    "Cultural Knowledge_1", "Cultural Value_1", "Agent_1_Goal_1", "Agent_1_Goal_2", "Agent_2_Goal_1", "Agent_2_Goal_2",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltScenario:
    """A scenario that was kept, and each fault of its points that was repaired, by its aspect."""

    pair: CustomValuePair
    draft: ScenarioDraft
    repaired: tuple[str, ...]

    @property
    def id(self) -> str:
        """A hash of the custom and the value that it rests on."""
        return digest(self.pair.id, length=16)


def release(made: Sequence[BuiltScenario], head: BaseHead, lost: Sequence[Dropped]) -> Release:
    """The table with the sheet for people beside it, and what its datasheet says of it."""
    ordered = sorted(made, key=lambda each: each.id)
    return Release(
        files={TABLE: sheet(COLUMNS, map(_row, ordered), encoding="utf-8"), **sheet_of(made)},
        facts=_facts(ordered, head),
        gated=TABLE if made else "",
        dropped=lost,
    )


def _row(made: BuiltScenario) -> tuple[str, ...]:
    value, scene, points = made.pair.value, made.draft.scene, made.draft.points
    _, second, third = (place(home).name for home in made.pair.places)
    return (
        made.id, value.question.removeprefix("Q"), value.codes.replace(" ", ""), value.topic, third, second,
        *(person.name for person in scene.people), *(person.line for person in scene.people), "", scene.words,
        *(point.event for point in points), made.pair.custom.statement, value.statement,
        *(point.first for point in points), *(point.second for point in points),
    )  # fmt: skip


def _facts(made: Sequence[BuiltScenario], head: BaseHead) -> dict[str, object]:
    """What the datasheet says of the scenarios; attributes are those of the person whom the subject plays."""
    attributes = [attributes_of(each.draft.scene.people[1].line) for each in made]
    points = [point for each in made for point in each.draft.points]
    return {
        "norm_base": head.version,
        "scenarios": len(made),
        "customs": len({each.pair.custom.id for each in made}),
        "values": len({each.pair.value.id for each in made}),
        "by_custom_place": counted(each.pair.custom.place for each in made),
        "by_value_place": counted(each.pair.value.place for each in made),
        "by_places": counted(f"{each.pair.custom.place} {each.pair.value.place}" for each in made),
        "by_topic": counted(each.pair.value.topic.casefold() for each in made),
        "by_domain": counted(each.pair.custom.domain or "" for each in made),
        "by_attribute": {name: counted(told.get(name, "none read") for told in attributes) for name in ATTRIBUTES},
        "words": {
            "scenario": _words(each.draft.scene.words for each in made),
            "event": _words(point.event for point in points),
            "goal": _words(goal for point in points for goal in (point.first, point.second)),
        },
        "held_at_once": sum(not each.repaired for each in made),
        "repaired": counted(aspect for each in made for aspect in each.repaired),
    }


def _words(texts: Iterable[str]) -> dict[str, float]:
    """The least, the median and the most words of some texts; nothing of none."""
    sizes = [len(text.split()) for text in texts]
    return {"least": min(sizes), "median": float(np.median(sizes)), "most": max(sizes)} if sizes else {}


OF_POINT: dict[str, tuple[str, ChecklistAnswer]] = {
    "conflict": ("Can what the first wants cause a conflict with what many people there do or hold?", "yes"),
    "told": ("Does scenario, point or goal say what they do or hold, or hint that the first is wrong?", "no"),
    "reachable": ("Can the second get what the second wants in keeping with what they do or hold?", "yes"),
}
"""The first is what SocialCC asked people of each scenario (sec. 3.2), in our words."""
OF_PEOPLE: dict[str, tuple[str, ChecklistAnswer]] = {
    "real": ("Is a person, a firm, a party or an office named that is real?", "no"),
    "demeaning": ("Is anybody run down, or shown to be the way they are because of where they come from?", "no"),
}
SHEET_COLUMNS = ("place", "custom_or_value", "scenario", "people", "point", "first_wants", "second_wants", "question")


def sheet_of(made: Sequence[BuiltScenario]) -> dict[str, bytes]:
    """The sheet that people fill in, and the key to it."""
    return checklist(SHEET_COLUMNS, (row for each in made for row in _rows(each)))


def _rows(made: BuiltScenario) -> Iterator[tuple[Checkpoint, tuple[str, ...]]]:
    pair, scene = made.pair, made.draft.scene
    whole = (scene.words, " ".join(person.line for person in scene.people))
    held = ((pair.custom.place, pair.custom.statement), (pair.value.place, pair.value.statement))
    for (number, rule), (home, statement) in zip(RULES.items(), held, strict=True):
        cells = (place(home).name, statement, *whole, *made.draft.point(number).texts)
        for name, (question, wanted) in OF_POINT.items():
            yield checkpoint(made.id, f"{name}, {rule}", wanted), (*cells, question)
    texts = (" / ".join(texts) for texts in zip(*(point.texts for point in made.draft.points), strict=True))
    everything = ("", "", *whole, *texts)
    for name, (question, wanted) in OF_PEOPLE.items():
        yield checkpoint(made.id, name, wanted), (*everything, question)
