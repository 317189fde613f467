"""A response beside a norm, and how it stands to it where known: what verifiers learn from and are tested on."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec
from msgspec.structs import replace

from mores.benchmarks.data_tables import DataRow, filled, one_of, read_table
from mores.core.codec import digest
from mores.core.errors import InputError
from mores.models.verifier_facts import STANDS, LabelledBy, ResponseStand
from mores.norms.places import find
from mores.pipelines.duplicates import normalised

PairOrigin = Literal["matrix", "unrelated", "judge", "people", "file", ""]
"""Who labelled a pair: the alignment matrix, a norm of elsewhere, the judge of a run, people, or a file that does not
say who; empty where nobody did."""
_LABELLED_BY: dict[PairOrigin, LabelledBy] = {"people": "people", "file": "file"}
COLUMNS = ("response", "norm", "label")


class ResponseNormPair(msgspec.Struct, frozen=True, kw_only=True):
    """A response and a norm; `cluster` is what was drawn together, such as the norms that a question rests on.

    `place` is the norm's, by its id; judges are told its name and the question besides. `model` is who responded, ""
    for an option of a question.
    """

    id: str
    cluster: str
    response: str
    norm: str
    place: str = ""
    place_name: str = ""
    question: str = ""
    model: str = ""
    label: ResponseStand | None = None
    origin: PairOrigin = ""

    @property
    def labels(self) -> LabelledBy:
        """Origin of the label, as models of verifiers name it."""
        return _LABELLED_BY.get(self.origin, "synthetic")


def codes_of(pairs: Sequence[ResponseNormPair]) -> list[int]:
    """The place of each pair's label among `STANDS`; pairs without one have none."""
    return [STANDS.index(pair.label) for pair in pairs if pair.label is not None]


def read_pairs(path: Path, *, with_labels: bool = True) -> tuple[ResponseNormPair, ...]:
    """The pairs of a CSV or JSON Lines file with the columns response, norm and, if it is wanted, label.

    It may have id, cluster, place, question, model and annotator. Pairs of one question are one cluster unless the
    file says otherwise, those of no question are each their norm's. Labels by an annotator are people's; several rows
    of one id are one pair, with the label that most of them give; a tie gives none.

    Raises:
        InputError: the file cannot be read, a column or a word is missing, or a label is no known one.
    """
    wanted = COLUMNS if with_labels else COLUMNS[:2]
    rows: dict[str, list[ResponseNormPair]] = {}
    for row in read_table(path, wanted):
        pair = _pair(row, with_labels=with_labels)
        rows.setdefault(pair.id, []).append(pair)
    return tuple(_together(each) for each in rows.values())


def _pair(row: DataRow, *, with_labels: bool) -> ResponseNormPair:
    def cell(name: str) -> str:
        return row.cells.get(name, "").strip()

    response, norm, question = filled(row, "response"), filled(row, "norm"), cell("question")
    text = one_of(row, "label", (*STANDS, "")) if with_labels else ""
    label = next((stand for stand in STANDS if stand == text), None)
    return ResponseNormPair(
        id=cell("id") or digest([response, norm, question, cell("model")], length=16),
        cluster=cell("cluster") or digest(normalised(question or norm)),
        response=response,
        norm=norm,
        place=find(cell("place"), where=row.where).id if cell("place") else "",
        place_name=cell("place"),
        question=question,
        model=cell("model"),
        label=label,
        origin="" if label is None else "people" if cell("annotator") else "file",
    )


def _together(rows: Sequence[ResponseNormPair]) -> ResponseNormPair:
    """One pair of all rows of an id."""
    first = rows[0]
    if any((other.response, other.norm) != (first.response, first.norm) for other in rows):
        raise InputError(f"id {first.id}: it has two responses or two norms; expected one pair an id.")
    most = Counter(row.label for row in rows if row.label is not None).most_common(2)
    tied = len(most) > 1 and most[0][1] == most[1][1]
    return (
        replace(first, label=most[0][0], origin=max(row.origin for row in rows))
        if most and not tied
        else replace(first, label=None, origin="")
    )
