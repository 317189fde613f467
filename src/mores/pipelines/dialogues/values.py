"""Values that many people of a place hold, in words: tables of values with their wordings.

A table with a `statement` a row says it itself; one that `mores build values` wrote has codes of answers, whose words
stand in a second table: the questionnaire is not ours to repeat. `[[place]]` in a statement is the name of its place.
"""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from mores.benchmarks.data_tables import DataRow, filled, read_table
from mores.core.errors import InputError
from mores.norms.places import find
from mores.pipelines.funnel import Dropped

STAGE = "pair"
NO_WORDS = "no wording of its answers"
QUESTION, CODES, TOPIC, STATEMENT = "question", "codes", "topic", "statement"


class CulturalValue(msgspec.Struct, frozen=True, kw_only=True):
    """A value of many people of a place: the question of a survey that it answers, its topic, and a statement."""

    question: str
    codes: str
    place: str
    topic: str
    statement: str

    @property
    def id(self) -> str:
        """Its question and its place."""
        return f"{self.question}@{self.place}"


class _Wording(msgspec.Struct, frozen=True, kw_only=True):
    codes: frozenset[str]
    topic: str
    statement: str


def read_values(path: Path, wordings: Path | None) -> tuple[tuple[CulturalValue, ...], tuple[Dropped, ...]]:
    """The values of a table by place and question, and those whose answers nobody put into words.

    Args:
        path: A table with `question`, `place`, `topic` and `statement`, or as `mores build values` writes it.
        wordings: For the second kind, a table with `question`, `codes`, `topic` and `statement`: a value takes the
            words of the fewest codes among which all its own are.

    Raises:
        InputError: a column or a cell is missing, a place is not known, or a value stands twice.
    """
    if wordings is None and STATEMENT not in next(read_table(path, ())).cells:
        raise InputError(f"{path}: values without a {STATEMENT}; put their codes into words: --wordings FILE.")
    known = None if wordings is None else _wordings(wordings)
    found: dict[str, CulturalValue] = {}
    lost = []
    for row in read_table(path, (QUESTION, "place", *((TOPIC, STATEMENT) if known is None else (CODES,)))):
        question, place = filled(row, QUESTION).strip(), find(filled(row, "place"), where=row.where)
        wording = _own_wording(row) if known is None else _worded(row, known.get(question, ()))
        if wording is None:
            lost.append(Dropped(unit=f"{question}@{place.id}", stage=STAGE, reason=NO_WORDS,
                                detail=row.cells[CODES], place=place.id))  # fmt: skip
            continue
        value = CulturalValue(
            question=question, codes=row.cells.get(CODES, "").strip(), place=place.id, topic=wording.topic,
            statement=wording.statement.replace("[[place]]", place.name),
        )  # fmt: skip
        if found.setdefault(value.id, value) is not value:
            raise InputError(f"{row.where}: a second row of {question} in {place.name}; expected one.")
    return tuple(found[name] for name in sorted(found)), tuple(lost)


def _own_wording(row: DataRow) -> _Wording:
    """Topic and statement of a row in its own words."""
    topic, statement = (" ".join(filled(row, name).split()) for name in (TOPIC, STATEMENT))
    return _Wording(codes=frozenset(), topic=topic, statement=statement)


def _wordings(path: Path) -> dict[str, list[_Wording]]:
    found: dict[str, list[_Wording]] = {}
    for row in read_table(path, (QUESTION, CODES, TOPIC, STATEMENT)):
        own = _own_wording(row)
        worded = _Wording(codes=frozenset(filled(row, CODES).split()), topic=own.topic, statement=own.statement)
        found.setdefault(filled(row, QUESTION).strip(), []).append(worded)
    return found


def _worded(row: DataRow, wordings: Sequence[_Wording]) -> _Wording | None:
    """The narrowest wording that holds of all codes of a row."""
    codes = frozenset(filled(row, CODES).split())
    fitting = [each for each in wordings if codes <= each.codes]
    return min(fitting, key=lambda each: len(each.codes), default=None)
