"""What people of the community are asked of each scenario: whether it is clear, its cues right and its stance kept."""

from collections.abc import Iterator, Sequence

from mores.core.codec import digest
from mores.norms.places import place
from mores.pipelines.checklist import Checkpoint, checklist
from mores.pipelines.subgroups.cues import spaced
from mores.pipelines.subgroups.scenario import Made

CLARITY, CUES, STANCE = "cultural clarity", "cue accuracy", "stance fidelity"
ASPECTS = {
    CLARITY: "Is it clear to you who this is, what happens, and what is asked?",
    CUES: "Does the person carry each of the marks as the statement means it, and no other?",
    STANCE: "Going by the statement alone, is the answer to the question yes?",
}
"""The three aspects that people review in CURE (sec. 1), in our words."""
COLUMNS = ("place", "statement", "marks", "scenario", "question")


def sheet_of(made: Sequence[Made]) -> dict[str, bytes]:
    """The sheet that people fill in, and the key to it."""
    return checklist(COLUMNS, (row for each in made for row in _rows(each)))


def _rows(made: Made) -> Iterator[tuple[Checkpoint, tuple[str, ...]]]:
    statement = made.statement
    marks = "; ".join(f"{spaced(cue)}: {words}" for cue, words in made.cues.items())
    for aspect, question in ASPECTS.items():
        point = Checkpoint(
            id=digest([statement.id, aspect]),
            scenario=statement.id,
            aspect=aspect,
            wanted=made.label if aspect == STANCE else "yes",
        )
        yield point, (place(statement.place).name, statement.words, marks, made.scenario.told, question)
