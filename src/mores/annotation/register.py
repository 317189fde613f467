"""Things that labels are about, whatever a sheet went through on its way, and the chance by which each was drawn.

a label ─▶ the row of a work list that its code names, be it another spelling or a number that a spreadsheet made of it,
or the words that it shows; or the thing that item, task, step and norm name.
"""

import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
from msgspec import Struct, field

from mores.annotation.judged_items import JudgedEvaluation, JudgedItem, questions_of
from mores.annotation.sample import Sample, SampleRow, grouped, unit_of, word_of
from mores.benchmarks.label_rows import LabelRow
from mores.core.arrays import Floats
from mores.core.codes import RowCodes
from mores.core.errors import InputError
from mores.core.verdict import JudgedUnit

_CELL = 30_000
"""Letters of a cell that are compared; a spreadsheet keeps 32,767 with all blanks."""


class Register(Struct, frozen=True, kw_only=True, dict=True):
    """Thing that a label is about: by the code of a work list, the names of item, task, step and norm, or its words.

    `repaired` and `left_out` count the labels whose code was no longer what it had been, as they come.
    """

    things: list[JudgedItem]
    by_thing: dict[JudgedUnit, list[int]]
    drawn: dict[int, SampleRow]
    sample: Sample | None
    repaired: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, cells: Sequence[JudgedEvaluation], things: list[JudgedItem], sample: Sample | None) -> "Register":
        """That of all things of some evaluations, and of the sample that was drawn of them."""
        by_thing: dict[JudgedUnit, list[int]] = {}
        for place, each in enumerate(things):
            by_thing.setdefault(each.thing, []).append(place)
        drawn = _drawn(cells, things, sample) if sample is not None else {}
        return cls(things=things, by_thing=by_thing, drawn=drawn, sample=sample)

    def row_of(self, row: LabelRow) -> int | None:
        """The number of the thing; None where its words alone could be several.

        Raises:
            InputError: it is not known, or the label could be about several models' answers.
        """
        if row.thing is None:
            return self._by_code(row)
        thing = row.thing
        found = self.by_thing.get(thing, [])
        if len(found) == 1:
            return found[0]
        if found:
            raise InputError(f"{row.where}: {thing} {self._several(found)}")
        raise InputError(f"{row.where}: {thing} was not judged in these runs; {self._nearest(thing)}")

    def _several(self, found: Sequence[int]) -> str:
        """Reason that a name does not say which of several it is."""
        cells = [self.things[place].evaluation for place in found]
        models = sorted({cell.model for cell in cells})
        if len(models) < len(found):
            runs = ", ".join(dict.fromkeys(str(cell.run) for cell in cells))
            return f"was judged {len(found)} times ({runs}); name one of these runs."
        return (
            f"was answered {len(found)} times ({', '.join(models)}); label by the ids of a work list (mores judge "
            "sample), or name one run."
        )

    @cached_property
    def _codes(self) -> RowCodes:
        return RowCodes(row.id for row in self.sample.rows) if self.sample is not None else RowCodes(())

    @cached_property
    def _by_id(self) -> dict[str, int]:
        return {row.id: place for place, row in self.drawn.items()}

    def _by_code(self, row: LabelRow) -> int | None:
        if self.sample is None:
            text = f"the id '{row.id}' is of a work list" if row.id else "nothing but words says what it is about"
            raise InputError(f"{row.where}: {text}; name its folder: --sample DIR.")
        # A row bears its code twice, as `id` and `code`: two that differ come of a sheet sorted by some of its columns.
        found = {each.code: each for code in row.codes if (each := self._codes.find(code)) is not None}
        if len(found) > 1:
            raise InputError(
                f"{row.where}: '{row.codes[0]}' and '{row.codes[1]}' are two rows of the sample; were the sheet's "
                "columns sorted apart?"
            )
        if not found:
            return self._by_words(row, self.sample)
        code, how = found.popitem()
        if code not in self._by_id:
            raise InputError(
                f"{row.where}: '{code}' is about an answer that is not in these runs; name the runs of the sample."
            )
        place = self._by_id[code]
        self._refuse_missorted(row, self.drawn[place], self.sample)
        if how.restored:
            self.repaired["by codes that had become numbers"] += 1
        return place

    def _by_words(self, row: LabelRow, sample: Sample) -> int | None:
        """The row of the sample that shows just these words, where a tool wrote its own number over the code."""
        found = [
            place
            for place in self._worded.get(_plain_words(row.words), ()) if row.words
            for drawn in [self.drawn[place]]
            if row.task in {"", drawn.task} and row.place in {"", drawn.place}
        ]  # fmt: skip
        if not found:
            text = f"no id '{row.id}'" if row.id else "no row of these words"
            words = ", and no row of its words" if row.id and row.words else ""
            raise InputError(f"{row.where}: the sample has {text}{words}; expected one of its {len(sample.rows)}.")
        if len(found) > 1:
            self.left_out["without a code, whose words stand in several rows"] += 1
            return None
        self.repaired["by their words, as there was no code"] += 1
        return found[0]

    @cached_property
    def _worded(self) -> dict[str, list[int]]:
        """The drawn things by the words that people were shown."""
        asked: dict[Path, dict[JudgedUnit, str]] = {}
        own = {self.things[place].evaluation.folder: self.things[place].evaluation for place in self.drawn}
        for cell in own.values():
            items = {self.things[place].thing.item for place in self.drawn}
            asked[cell.folder] = {each.thing: each.words for each in questions_of(cell.run, cell.folder, items)}
        found: dict[str, list[int]] = {}
        for place in self.drawn:
            each = self.things[place]
            found.setdefault(_plain_words(asked[each.evaluation.folder][each.thing]), []).append(place)
        return found

    @staticmethod
    def _refuse_missorted(row: LabelRow, drawn: SampleRow, sample: Sample) -> None:
        """Refuse a row of a sheet whose id has come to stand beside another row's task or place."""
        for name, here, known in (
            ("task", row.task, {each.task for each in sample.rows}),
            ("place", row.place, {each.place for each in sample.rows}),
        ):
            was = getattr(drawn, name)
            # A place or task that the sample does not know is a spelling of the sheet, and tells nothing of its order.
            if here in known - {"", was}:
                raise InputError(
                    f"{row.where}: {name} is '{here}', but '{row.id}' was drawn with '{was}'; "
                    "were the sheet's columns sorted apart?"
                )

    def _nearest(self, thing: JudgedUnit | None) -> str:
        tasks = sorted({each.thing.task for each in self.things})
        if thing is None or thing.task not in tasks:
            return f"tasks are {', '.join(tasks)}."
        items = [each.thing for each in self.things if each.thing.task == thing.task]
        alike = [each for each in items if each.item == thing.item]
        return f"of this {'item' if alike else 'task'} there is, for example, {(alike or items)[0]}."


def _plain_words(words: str) -> str:
    """Words as they are compared: tools change blanks, and a cell of a spreadsheet ends after so many letters."""
    return " ".join(unicodedata.normalize("NFC", words).split())[:_CELL]


def _drawn(cells: Sequence[JudgedEvaluation], things: Sequence[JudgedItem], sample: Sample) -> dict[int, SampleRow]:
    """The sample's rows by the number of the thing."""
    rows = {cell.folder: sample.rows_of(cell) for cell in cells}
    found = ((place, rows[each.evaluation.folder].get(each.thing)) for place, each in enumerate(things))
    return {place: row for place, row in found if row is not None}


class InclusionProbabilities(NamedTuple):
    """Of each thing: by what chance it was drawn, among how many of its episode, and how likely that was.

    `drawn` is NaN for what was not drawn; `likely` is known up to a factor, also of things that were not drawn.
    """

    drawn: Floats
    among: Floats
    likely: Floats

    @classmethod
    def of(
        cls, rows: Sequence[JudgedItem], drawn: Sequence[SampleRow | None], sample: Sample
    ) -> "InclusionProbabilities":
        """The chances of a task's things; those of a list that was picked are alike."""
        given = np.array([np.nan if row is None else row.chance or 1.0 for row in drawn], dtype=np.float64)
        own = [row for row, each in enumerate(rows) if each.evaluation.name in sample.evaluations]
        among = _among(rows, own, sample)
        by_verdict = "verdict" in sample.wanted.stratify
        return cls(given, among, _likely(rows, own, given, sample) if by_verdict else 1 / among)


def _among(rows: Sequence[JudgedItem], own: Sequence[int], sample: Sample) -> Floats:
    """Number of things each was drawn among; things of evaluations that the sample is not of were drawn among none."""
    if sample.wanted.one_per == "none":
        return np.ones(len(rows))
    units = [unit_of(row, sample.wanted.one_per) for row in rows]
    counts = Counter(units[row] for row in own)
    return np.array([max(counts[unit], 1) for unit in units], dtype=np.float64)


def _likely(rows: Sequence[JudgedItem], own: Sequence[int], given: Floats, sample: Sample) -> Floats:
    """Chance of each to be drawn where verdicts are strata.

    Within an episode it follows from what judges say there; beyond it things of one verdict are as likely, as those
    that were drawn tell; of a verdict of which none was, as likely as those of the rarest.
    """
    within, rates = np.ones(len(rows)), np.full(len(rows), np.nan)
    for episode in grouped(own, lambda row: unit_of(rows[row], sample.wanted.one_per)).values():
        words = grouped(episode, lambda row: word_of(rows[row], sample.wanted)).values()
        for same in words:
            within[same] = 1 / (len(words) * len(same))
    for same in grouped(own, lambda row: word_of(rows[row], sample.wanted)).values():
        drawn = [row for row in same if np.isfinite(given[row])]
        rates[same] = np.mean(given[drawn] / within[drawn]) if drawn else np.nan
    return np.asarray(within * np.where(np.isnan(rates), np.nanmin(rates, initial=1.0), rates))
