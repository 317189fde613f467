"""Pairs of a custom and a value of two places, chosen by hashes, so that a new norm moves few of them.

Tables of values, with the words of their answers ─▶ for each place of values, customs of all other places in turn ─▶
each with one of the place's values ─▶ so many pairs. A table with a `statement` a row says it itself; one that `mores
build values` wrote has codes of answers, whose words stand in a second table: the questionnaire is not ours to repeat.
`[[place]]` in a statement is the name of its place.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import msgspec

from mores.benchmarks.data_tables import DataRow, filled, read_table
from mores.core.codec import digest
from mores.core.errors import InputError
from mores.norms.places import find, place, roll_up
from mores.pipelines.funnel import Dropped
from mores.pipelines.norms.norm_base_file import BuiltNorm

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


PER_PLACE = 20
"""Pairs of one place of values, unless a build says otherwise."""


class CustomValuePair(msgspec.Struct, frozen=True, kw_only=True):
    """Basis of a scenario: a custom of one place, a value of another, and the place of the first speaker.

    The first raises what goes against both, the second is from the value's place, and the custom is a third's.
    """

    custom: BuiltNorm
    value: CulturalValue
    first_place: str

    @property
    def id(self) -> str:
        """The ids of custom and value."""
        return f"{self.custom.id}+{self.value.id}"

    @property
    def place(self) -> str:
        """The place of the value, whose conduct the benchmark counts."""
        return self.value.place

    @property
    def places(self) -> tuple[str, str, str]:
        """Places of the first, the second and the third person, by their ids."""
        return (self.first_place, self.value.place, self.custom.place)

    @property
    def prompt_values(self) -> dict[str, str]:
        """Custom and value with their places, and the place of the first, as prompts name them."""
        first, second, third = (place(name).name for name in self.places)
        return {
            "custom": self.custom.statement,
            "custom_place": third,
            "value": self.value.statement,
            "value_place": second,
            "first_place": first,
        }


def pairs_of(customs: Sequence[BuiltNorm], values: Sequence[CulturalValue], per_place: int) -> list[CustomValuePair]:
    """So many pairs of each place of values at most, the first of every place before the second of any.

    A custom is never met with a value of its own country, and comes up again at a place only after all others did.
    """
    held: dict[str, list[CulturalValue]] = {}
    for value in values:
        held.setdefault(value.place, []).append(value)
    known = sorted({norm.place for norm in customs} | set(held))
    found = [
        (turn, digest(pair.value.place), pair)
        for here, its in held.items()
        for turn, pair in enumerate(islice(_of_place(here, its, customs, known), per_place))
    ]
    return [pair for _, _, pair in sorted(found, key=lambda each: each[:2])]


def _of_place(
    here: str, values: Sequence[CulturalValue], customs: Sequence[BuiltNorm], known: Sequence[str]
) -> Iterator[CustomValuePair]:
    """Every pair of a place's values, in the order in which they are made."""
    met = _in_turn(here, [norm for norm in customs if roll_up(norm.place) != roll_up(here)])
    for turn in range(len(values)):
        for custom in met:
            value = sorted(values, key=lambda each: digest([custom.id, each.id]))[turn]
            yield CustomValuePair(custom=custom, value=value, first_place=_elsewhere(custom, value, known))


def _in_turn(here: str, customs: Sequence[BuiltNorm]) -> list[BuiltNorm]:
    """Customs in the order of their hashes, one of each place before a second of any."""
    seen: dict[str, int] = {}
    ranked = []
    for custom in sorted(customs, key=lambda each: digest([here, each.id])):
        rank = seen[custom.place] = seen.get(custom.place, -1) + 1
        ranked.append((rank, digest([here, custom.place]), custom))
    return [custom for _, _, custom in sorted(ranked, key=lambda each: each[:2])]


def _elsewhere(custom: BuiltNorm, value: CulturalValue, known: Sequence[str]) -> str:
    """A third place by hash, so that the first can be new to the custom; the value's where no third is known."""
    theirs = {roll_up(custom.place), roll_up(value.place)}
    others = (name for name in known if roll_up(name) not in theirs)
    return min(others, key=lambda name: digest([custom.id, value.id, name]), default=value.place)
