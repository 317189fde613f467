"""What people are given to check scenarios: the questions that the checker was asked, a row a question of a point.

A row has a name that does not tell what the answer should be, and stands in an order that does not either; what each
should be lies in a file of its own.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from mores.core.codec import digest, encode
from mores.core.sheets import sheet_for_people
from mores.norms.places import place
from mores.pipelines.dialogues.draft import POINTS
from mores.pipelines.dialogues.release import Made

SHEET, KEY = "review.csv", "review.key.json"
Answer = Literal["yes", "no"]
OF_POINT: dict[str, tuple[str, Answer]] = {
    "conflict": ("Can the goal of the first cause a conflict with what many people there do or hold?", "yes"),
    "told": ("Does scenario, point or goal say what they do or hold, or hint that the first is wrong?", "no"),
    "reachable": ("Can the second reach the goal in keeping with what they do or hold?", "yes"),
}
OF_PEOPLE: dict[str, tuple[str, Answer]] = {
    "real": ("Is a person, a firm, a party or an office named that is real?", "no"),
    "demeaning": ("Is anybody run down, or shown to be the way they are because of where they come from?", "no"),
}
COLUMNS = (
    "id", "place", "custom_or_value", "scenario", "people", "point", "first_wants", "second_wants", "question",
    "annotator", "label",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One row of the sheet: what is asked of which scenario and point (0 for the whole), and what it should be."""

    id: str
    scenario: str
    point: int
    question: str
    wanted: Answer


def sheet_of(made: Sequence[Made]) -> dict[str, bytes]:
    """The sheet that people fill in, and the key to it."""
    rows = sorted((row for each in made for row in _rows(each)), key=lambda row: row[0].id)
    told = ((asked.id, *cells, "", "") for asked, cells in rows)
    return {SHEET: sheet_for_people(COLUMNS, told), KEY: encode([asked for asked, _ in rows]) + b"\n"}


def _rows(made: Made) -> Iterator[tuple[Asked, tuple[str, ...]]]:
    pair, scene = made.pair, made.draft.scene
    whole = (scene.words, " ".join(person.line for person in scene.people))
    rules = ((pair.custom.place, pair.custom.statement), (pair.value.place, pair.value.statement))
    for number, (home, rule) in zip(POINTS, rules, strict=True):
        cells = (place(home).name, rule, *whole, *made.draft.point(number).texts)
        for name, (question, wanted) in OF_POINT.items():
            yield _asked(made, number, name, wanted), (*cells, question)
    texts = tuple(" / ".join(texts) for texts in zip(*(point.texts for point in made.draft.points), strict=True))
    for name, (question, wanted) in OF_PEOPLE.items():
        yield _asked(made, 0, name, wanted), ("", "", *whole, *texts, question)


def _asked(made: Made, point: int, question: str, wanted: Answer) -> Asked:
    name = digest([made.id, point, question])
    return Asked(id=name, scenario=made.id, point=point, question=question, wanted=wanted)
