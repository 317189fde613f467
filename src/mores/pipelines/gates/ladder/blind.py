"""Blind reading: what people who do not know a place answer to items that hide it, beside what chance would get.

pack ─▶ a sheet of masked items without keys, that people fill in ─▶ `blind.csv` beside the pack ─▶ figures by rung.

Chance is what the same answers would get if they were dealt anew over the items that their reader answered, so that
whoever says the commonest label of all is not taken to know anything. On know a question is worth the mean of its
true statements that were taken and its false ones that were not, of which any guess gets half.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mores.benchmarks.data_tables import DataRow, filled, read_table
from mores.blocks.reasons import to_plain
from mores.core.codes import Codes, row_code
from mores.core.errors import InputError
from mores.core.files import write_new
from mores.core.seeds import Seed
from mores.core.table import sheet_for_people
from mores.norms.items import KnowItem
from mores.norms.pack import BUNDLED, Pack, PackNorm, parallel
from mores.pipelines.gates.ladder.masks import masked
from mores.stats.intervals import Interval, mean_interval

FILE = "blind.csv"
RUNGS = ("know", "judge", "explain", "converse")
_COLUMNS = ("item", "rung", "text", "answers", "answer", "reader")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_PROPOSAL = "Would many people there mind what is proposed?"


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskedItem:
    """One item as a reader is shown it: `code` stands for its name and its words, `key` is the right answer."""

    code: str
    name: str
    rung: str
    norm: str
    text: str
    answers: str
    key: frozenset[str]
    of: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class BlindRungResult:
    """What was answered on one rung: how often that was right, what chance gets, and what every reader solved.

    `solved` are items that two readers or more answered, all of them rightly. `answers` is the n of `right`.
    """

    rung: str
    right: float
    interval: Interval
    chance: float
    answers: int
    items: int
    readers: int
    solved: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BlindReading:
    """What was read without knowing the place; `outdated` answers are to items whose words have changed since."""

    rungs: tuple[BlindRungResult, ...]
    outdated: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    item: MaskedItem
    reader: str
    said: frozenset[str]


def write_sheet(pack: Pack, path: Path) -> tuple[int, int]:
    """Write a sheet of all masked items in an order that tells nothing; how many there are, and how many have no mask.

    Raises:
        InputError: the file is there already, or no item can be masked.
    """
    items = masked_sheet(pack)
    left = sum(_asked_of(entry) for entry in pack.norms if not entry.masked)
    if not items:
        raise InputError(f"Pack {pack.id}: no norm has a table [norm.masked]; expected what hides its place.")
    write_new(path, sheet_for_people(_COLUMNS, [(i.code, i.rung, i.text, i.answers, "", "") for i in items]))
    return len(items), left


def masked_sheet(pack: Pack) -> list[MaskedItem]:
    """The items of all norms that say how they are masked, in the order of their codes."""
    found = (item for entry in pack.norms if entry.masked for item in _of_norm(entry))
    return sorted(found, key=lambda item: item.code)


def read_blind(pack: Pack, home: Path | None) -> BlindReading | None:
    """What was answered in `blind.csv` beside a pack, the bundled one where no home is given; None without the file.

    Raises:
        InputError: the file cannot be read, an answer is none that the item takes, or a reader answers an item twice.
    """
    folder = BUNDLED if home is None else home
    path = (folder if folder.is_dir() else folder.parent) / FILE
    if not path.is_file():
        return None
    items = masked_sheet(pack)
    known, codes = {name: item for item in items for name in (item.code, item.name)}, Codes(item.code for item in items)
    answers, seen, outdated = [], set(), 0
    for row in read_table(path, ("item", "answer", "reader")):
        if not row.cells["answer"]:
            continue
        name, reader = filled(row, "item").strip(), filled(row, "reader")
        found = codes.find(name)
        item = known.get(found.code if found else name)
        if item is None:
            outdated += 1
            continue
        if (item.code, reader) in seen:
            raise InputError(f"{row.where}: {reader} answers {row.cells['item']} twice; expected each item once.")
        seen.add((item.code, reader))
        answers.append(_Answer(item=item, reader=reader, said=_answer_labels(row, item)))
    rungs = (_of_rung(rung, [answer for answer in answers if answer.item.rung == rung]) for rung in RUNGS)
    return BlindReading(rungs=tuple(rung for rung in rungs if rung is not None), outdated=outdated)


def blind_to_dict(found: BlindReading) -> dict[str, object]:
    """Figures for programs, with the ends of each interval by name."""
    rows = [{name: getattr(rung, name) for name in BlindRungResult.__dataclass_fields__} for rung in found.rungs]
    for row, rung in zip(rows, found.rungs, strict=True):
        row["interval"] = to_plain(rung.interval._asdict())
    return {"rungs": rows, "outdated": found.outdated}


def _asked_of(entry: PackNorm) -> int:
    return len(entry.know) + len(entry.judge) + (entry.explain is not None) + (entry.converse is not None)


def _of_norm(entry: PackNorm) -> Iterator[MaskedItem]:
    norm = entry.norm.id
    for name, known in parallel("know", norm, entry.know):
        letters = dict(zip(_LETTERS, known.options, strict=False))
        options = "\n".join(f"{letter}: {option.text}" for letter, option in letters.items())
        true = frozenset(letter for letter, option in letters.items() if option.true)
        yield _masked(entry, name, f"{known.question}\n{options}", "letters of all that is true, as a|c", true, known)
    for name, scene in parallel("judge", norm, entry.judge):
        yield _masked(entry, name, f"{scene.story}\n{scene.question}", "yes, no or neutral", frozenset((scene.label,)))
    if entry.explain is not None:
        told = f"{entry.explain.story}\n{entry.explain.question}"
        yield _masked(entry, f"explain-{norm}", told, "yes or no", frozenset((entry.explain.label,)))
    if entry.converse is not None:
        talk = entry.converse
        told = f"{talk.scene}\n{talk.other.name}: {talk.other.who} {talk.proposal}\n{_PROPOSAL}"
        minded = "no" if talk.harmless else "yes"
        yield _masked(entry, f"converse-{norm}", told, "yes or no", frozenset((minded,)))


def _masked(
    entry: PackNorm, name: str, text: str, answers: str, key: frozenset[str], known: KnowItem | None = None
) -> MaskedItem:
    shown = masked(text, entry.masked, entry.norm.place)
    return MaskedItem(
        code=row_code([name, shown]), name=name, rung=name.partition("-")[0], norm=entry.norm.id, text=shown,
        answers=answers, key=key, of=0 if known is None else len(known.options),
    )  # fmt: skip


def _answer_labels(row: DataRow, item: MaskedItem) -> frozenset[str]:
    """An answer as the labels or letters that it names; `none` takes no statement for true."""
    answer = row.cells["answer"].strip().casefold()
    if item.of:
        letters = re.split(r"[|,;/ ]+", answer)
        if answer == "none" or set(letters) <= set(_LETTERS[: item.of]):
            return frozenset(letters) - {"none"}
        raise InputError(f"{row.where}: answer is '{answer}'; expected letters up to {_LETTERS[item.of - 1]}, or none.")
    if answer not in re.split(r", | or ", item.answers):
        raise InputError(f"{row.where}: answer is '{answer}'; expected {item.answers}.")
    return frozenset((answer,))


def _of_rung(rung: str, answers: Sequence[_Answer]) -> BlindRungResult | None:
    if not answers:
        return None
    right = [_worth(answer) for answer in answers]
    by_item: dict[str, list[bool]] = {}
    for answer in answers:
        by_item.setdefault(answer.item.name, []).append(answer.said == answer.item.key)
    clusters = [answer.item.norm for answer in answers]
    return BlindRungResult(
        rung=rung, right=float(np.mean(right)), chance=_chance(rung, answers), answers=len(answers),
        interval=mean_interval(right, clusters, binary=rung != "know", seed=Seed(f"blind/{rung}")),
        items=len(by_item), readers=len({answer.reader for answer in answers}),
        solved=tuple(sorted(name for name, each in by_item.items() if len(each) > 1 and all(each))),
    )  # fmt: skip


def _worth(answer: _Answer) -> float:
    said, item = answer.said, answer.item
    if not item.of:
        return float(said == item.key)
    taken, spared = len(said & item.key) / len(item.key), 1 - len(said - item.key) / (item.of - len(item.key))
    return (taken + spared) / 2


def _chance(rung: str, answers: Sequence[_Answer]) -> float:
    """How often the answers of each reader would be right, dealt anew over the items that the reader answered."""
    if rung == "know":
        return 0.5
    total = 0.0
    for reader in {answer.reader for answer in answers}:
        own = [answer for answer in answers if answer.reader == reader]
        said, keys = Counter(answer.said for answer in own), Counter(answer.item.key for answer in own)
        total += sum(said[label] * keys[label] for label in said) / len(own)
    return total / len(answers)
