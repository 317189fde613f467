"""What people are asked of each scenario: of both its points what the checker was asked, and who is named in it."""

from collections.abc import Iterator, Sequence

from mores.core.codec import digest
from mores.norms.places import place
from mores.pipelines.checklist import Answer, Checkpoint, checklist
from mores.pipelines.dialogues.draft import RULES
from mores.pipelines.dialogues.release import Made

OF_POINT: dict[str, tuple[str, Answer]] = {
    "conflict": ("Can what the first wants cause a conflict with what many people there do or hold?", "yes"),
    "told": ("Does scenario, point or goal say what they do or hold, or hint that the first is wrong?", "no"),
    "reachable": ("Can the second get what the second wants in keeping with what they do or hold?", "yes"),
}
"""The first is what SocialCC asked people of each scenario (sec. 3.2), in our words."""
OF_PEOPLE: dict[str, tuple[str, Answer]] = {
    "real": ("Is a person, a firm, a party or an office named that is real?", "no"),
    "demeaning": ("Is anybody run down, or shown to be the way they are because of where they come from?", "no"),
}
COLUMNS = ("place", "custom_or_value", "scenario", "people", "point", "first_wants", "second_wants", "question")


def sheet_of(made: Sequence[Made]) -> dict[str, bytes]:
    """The sheet that people fill in, and the key to it."""
    return checklist(COLUMNS, (row for each in made for row in _rows(each)))


def _rows(made: Made) -> Iterator[tuple[Checkpoint, tuple[str, ...]]]:
    pair, scene = made.pair, made.draft.scene
    whole = (scene.words, " ".join(person.line for person in scene.people))
    held = ((pair.custom.place, pair.custom.statement), (pair.value.place, pair.value.statement))
    for (number, rule), (home, statement) in zip(RULES.items(), held, strict=True):
        cells = (place(home).name, statement, *whole, *made.draft.point(number).texts)
        for name, (question, wanted) in OF_POINT.items():
            yield _checkpoint(made, f"{name}, {rule}", wanted), (*cells, question)
    texts = (" / ".join(texts) for texts in zip(*(point.texts for point in made.draft.points), strict=True))
    everything = ("", "", *whole, *texts)
    for name, (question, wanted) in OF_PEOPLE.items():
        yield _checkpoint(made, name, wanted), (*everything, question)


def _checkpoint(made: Made, aspect: str, wanted: Answer) -> Checkpoint:
    return Checkpoint(id=digest([made.id, aspect]), scenario=made.id, aspect=aspect, wanted=wanted)
