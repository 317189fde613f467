"""Outputs of CultureForest's released code: those of its runners, and the probabilities of its verifier.

Outputs lie in `FORM/MODEL/output/COUNTRY/CATEGORY.json`, a JSON object a line: `uuid`, and in `samples.responses` the
`content` of each sample. The form is Easy, Judge_1 to Judge_4 (the four courses of action of medium) or Open. What the
verifier says of open answers lies in `Eval_Open/results/MODEL/COUNTRY/…`, by `uuid`, `sample_1` to 3 and `norm_1` to 3.
Source: inference/ and evaluation/ of the released repository.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from math import log
from pathlib import Path
from typing import NamedTuple

import msgspec

from mores.core.errors import InputError
from mores.core.table import LINES, OddRow, SourceRow, read_words, scan_table
from mores.models.logs.logged_reply import Log, Logged, odd_row, reply_of, shaped, usable

NAME = "CultureForest's outputs"
ENDINGS = frozenset({".json", *LINES})
LABELS = ("Satisfy", "Neutral", "Violate")
STEPS_OF_A_NORM = 2
"""Steps between the judgements of two norms."""
SMALLEST = 1e-300
"""A probability of 0, as its logarithm has to be finite."""
_FORM = re.compile(r"(easy|open|hard|judge[_ ]?([1-4])|medium[_ -]?([1-4]))", re.IGNORECASE)
_NUMBERED = re.compile(r"(?:sample|norm)_(\d)")
_CLOSED = "</think>"


class _Response(msgspec.Struct):
    content: str
    reasoning_content: str | None = None
    sample_index: int | None = None


class _Samples(msgspec.Struct):
    responses: list[_Response]


class _Row(msgspec.Struct):
    uuid: str | int
    samples: _Samples


class Share(NamedTuple):
    """Verdict of the verifier on one answer and norm: the log-probability of each label."""

    item: str
    sample: int
    step: int
    logprobs: tuple[tuple[str, float], ...]


def is_output(row: Mapping[str, object]) -> bool:
    """True for a row of a runner's."""
    samples = row.get("samples")
    return "uuid" in row and isinstance(samples, dict) and "responses" in samples


def is_share(row: Mapping[str, object]) -> bool:
    """True for a row of the verifier's."""
    return "uuid" in row and isinstance(row.get("sample_1"), dict)


def files_of(folder: Path) -> list[Path]:
    """The files of a folder that may be of the released code, in the order of their names."""
    return sorted(path for path in folder.rglob("*") if path.suffix in ENDINGS and path.is_file())


def rows_of(path: Path) -> list[SourceRow | OddRow]:
    """The objects of one file, a line each whatever its name ends in.

    Raises:
        InputError: it cannot be read.
    """
    return list(scan_table(path.with_suffix(".jsonl"), read_words(path)))


def read_outputs(files: Iterable[tuple[Path, Iterable[SourceRow | OddRow]]], where: Path) -> Log:
    """The replies in files of outputs.

    Raises:
        InputError: they are of several models, or nothing in them can be used.
    """
    found, models = list[Logged](), set[str]()
    for path, rows in files:
        form, parts = _form(path, where), path.parts
        models |= {parts[parts.index("output") - 1]} if "output" in parts[1:] else set()
        for row in rows:
            found += list(_replies(row, form))
    if len(models) > 1:
        raise InputError(f"{where}: outputs of several models ({', '.join(sorted(models))}); name the folder of one.")
    return Log(NAME, usable(found, where, NAME))


def _form(path: Path, where: Path) -> str:
    """The form that a file's folders tell; empty where they tell none."""
    for part in reversed((*where.parts, *path.relative_to(where).parts[:-1]) if where != path else path.parts[:-1]):
        match = _FORM.fullmatch(part)
        if match:
            number = match[2] or match[3]
            return f"medium-{number}" if number else "easy" if match[1].casefold() == "easy" else "hard"
    return ""


def _replies(row: SourceRow | OddRow, form: str) -> Iterator[Logged]:
    if isinstance(row, OddRow):
        yield odd_row(row.where, row.why)
        return
    try:
        cells = shaped(row.cells, _Row, where=row.where, what=f"a row of {NAME}")
    except InputError as error:
        yield odd_row(row.where, str(error).removeprefix(f"{row.where}: "))
        return
    names = [f"{cells.uuid}-{form}"] if form else [f"{cells.uuid}-easy", f"{cells.uuid}-hard"]
    for number, response in enumerate(cells.samples.responses):
        thinking, closed, _ = (response.reasoning_content or "").rpartition(_CLOSED)
        yield Logged(
            where=row.where,
            item=names[0],
            aliases=tuple(names[1:]),
            sample=number if response.sample_index is None else response.sample_index,
            reply=reply_of(response.content, reasoning=thinking.replace("<think>", "", 1).strip() if closed else ""),
        )


def read_shares(rows: Iterable[SourceRow | OddRow]) -> Iterator[Share]:
    """Verdicts in the verifier's rows; a row without a probability of all three labels is passed over.

    Raises:
        InputError: a row cannot be read.
    """
    for row in rows:
        if isinstance(row, OddRow):
            raise InputError(f"{row.where}: {row.why}.")
        for sample, norms in _numbered(row.cells):
            for norm, shares in _numbered(norms):
                given = [shares.get(label) if isinstance(shares, dict) else None for label in LABELS]
                numbers = [value for value in given if isinstance(value, int | float) and 0 <= value <= 1]
                if len(numbers) == len(LABELS):
                    logs = tuple(log(max(number, SMALLEST)) for number in numbers)
                    rows_of_labels = tuple(zip(LABELS, logs, strict=True))
                    yield Share(f"{row.cells['uuid']}-hard", sample, STEPS_OF_A_NORM * norm, rows_of_labels)


def _numbered(whole: object) -> Iterator[tuple[int, object]]:
    """Values under names with a number, each by its number from 0."""
    for name, value in whole.items() if isinstance(whole, dict) else ():
        match = _NUMBERED.fullmatch(str(name))
        if match:
            yield int(match[1]) - 1, value
