"""What people are given to check scenarios: three questions on each, answered with yes or no.

A row a question, under a name and in an order that do not tell what its answer should be; the key lies beside.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from mores.core.codec import digest, encode
from mores.core.sheets import sheet
from mores.norms.places import place
from mores.pipelines.subgroups.cues import spaced
from mores.pipelines.subgroups.scenario import Label, Made

SHEET, KEY = "review.csv", "review.key.json"
ASPECTS = {
    "cultural clarity": "Is it clear to you who this is, what happens, and what is asked?",
    "cue accuracy": "Does the persona carry each of the marks as the statement means it, and no other?",
    "stance fidelity": "Going by the statement alone, is the answer to the question yes?",
}
"""What people of the community are asked of each scenario (CURE, sec. 1)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """One row of the sheet: what is asked of which scenario, and the answer it should have."""

    id: str
    scenario: str
    aspect: str
    wanted: Label


def sheet_of(made: Sequence[Made]) -> dict[str, bytes]:
    """The sheet that people fill in, and the key to it."""
    rows = sorted((_row(each, aspect) for each in made for aspect in ASPECTS), key=lambda row: row[0].id)
    heads = ("id", "place", "statement", "marks", "scenario", "asked", "annotator", "label")
    for_people = sheet(heads, (row for _, row in rows), encoding="utf-8")
    return {SHEET: for_people, KEY: encode([point for point, _ in rows]) + b"\n"}


def _row(made: Made, aspect: str) -> tuple[Checkpoint, tuple[str, ...]]:
    statement = made.statement
    wanted = made.label if aspect == "stance fidelity" else "yes"
    point = Checkpoint(id=digest([statement.id, aspect]), scenario=statement.id, aspect=aspect, wanted=wanted)
    marks = "; ".join(f"{spaced(cue)}: {words}" for cue, words in made.cues.items())
    return point, (point.id, place(statement.place).name, statement.words, marks, made.scenario.told, ASPECTS[aspect],
                   "", "")  # fmt: skip
