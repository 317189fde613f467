"""Reading a file or folder of outputs made elsewhere: dialogues, tables, logs of other programs, released outputs.

A table's columns are `item` and `reply`, and where they apply `sample`, `role`, `step` and `control`; others are named
by a person, or told by their names as `logs.tables` does it. Dialogues and scores are read in the formats that
families of benchmarks have, logs and results of batches in those of `logs`. A row that cannot be used is left out and
told, and the others are used.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

from mores.core.card import CONTROLS
from mores.core.codec import read_text
from mores.core.errors import InputError
from mores.core.table import LINES, PARQUET, OddRow, SourceRow, parse_loosely, read_words, scan_table
from mores.models.logs import cultureforest
from mores.models.logs.formats import read_log, read_zip
from mores.models.logs.logged_reply import ODD, SECOND
from mores.models.logs.tables import KNOWN, listed, read_table_log, value_at
from mores.models.recorded import (
    ANTAGONIST,
    AS_THEY_ARE,
    SUBJECT,
    TABLE,
    DialogueFormat,
    DialogueTurn,
    Recording,
    ReplyKey,
    dialogue_formats,
)

ZIP = b"PK\x03\x04"
COLUMNS = ("item", "reply", "sample", "role", "step", "control")
NO_ROWS = "no rows; expected columns item and reply (and sample, role, step, control)."
SourceT = TypeVar("SourceT")


class _Entry(NamedTuple):
    """One reply of a recording and where it stands; `turn` where it is one of a talk that is held whole."""

    where: str
    place: ReplyKey
    text: str
    turn: bool


def read_recording(path: Path, columns: Mapping[str, str] = AS_THEY_ARE) -> Recording:
    """All that a file, or a folder of talks or of released outputs, holds; `columns` say what a table calls its parts.

    Raises:
        InputError: it cannot be read, is in no layout that is known, or nothing in it can be used.
    """
    if path.is_dir():
        return _of_folder(path)
    if _is_zip(path):
        data = _read_bytes(path)
        return Recording({}, {}, hashlib.sha256(data).hexdigest()[:16], read_zip(path, data))
    if path.suffix in PARQUET:
        return _of_table(path, "", hashlib.sha256(_read_bytes(path)).hexdigest()[:16], columns)
    words = read_words(path)
    if path.suffix == ".txt":
        return _of_entries(_each([path], lambda _: _named(path.stem, words, str(path))), path, _sha(words))
    log = None if columns else read_log(path, words)
    return _of_table(path, words, _sha(words), columns) if log is None else Recording({}, {}, _sha(words), log)


def _of_folder(path: Path) -> Recording:
    """A folder of CultureForest's outputs, or of talks."""
    if not any(path.glob("*.txt")):
        read = [(file, cultureforest.rows_of(file)) for file in cultureforest.files_of(path)]
        found = _of_forest(read, path)
        if found is not None:
            return found
    paths = sorted(path.glob("*.txt"))
    if not paths:
        raise InputError(f"{path}: no dialogues; expected a text file for each, named by its item, such as 17.txt.")
    texts = [(file, read_text(file)) for file in paths]
    words = "".join(f"{file.name}\n{text}\n" for file, text in texts)
    dialogues = _each(texts, lambda one: _named(one[0].stem, one[1], str(one[0])))
    return _of_entries(dialogues, path, _sha(words))


def _of_forest(files: Sequence[tuple[Path, Sequence[SourceRow | OddRow]]], where: Path) -> Recording | None:
    """Outputs of CultureForest's released code in files; None where they are none of its."""
    firsts = [next((row.cells for row in rows if isinstance(row, SourceRow)), {}) for _, rows in files]
    outputs = [pair for pair, first in zip(files, firsts, strict=True) if cultureforest.is_output(first)]
    judged = [rows for (_, rows), first in zip(files, firsts, strict=True) if cultureforest.is_share(first)]
    if not (outputs or judged):
        return None
    sha = _sha("".join(f"{file.name} {rows!r}\n" for file, rows in files))
    if outputs:
        return Recording({}, {}, sha, cultureforest.read_outputs(outputs, where))
    shares = {(each.item, each.sample, each.step): each.logprobs for rows in judged
              for each in cultureforest.read_shares(rows)}  # fmt: skip
    return Recording({}, {}, sha, shares=shares)


def _of_table(path: Path, words: str, sha: str, columns: Mapping[str, str]) -> Recording:
    """A table: of talks and scores as they were released, of replies by our columns, or of anybody's."""
    named = {} if columns else _dialogues_by_name(path, words)
    if named:
        numbered = enumerate(named.items(), start=1)
        return _of_entries(_each(numbered, lambda one: _named(*one[1], f"{path}:{one[0]}")), path, sha)
    read = list(scan_table(path, words))
    rows = [row for row in read if isinstance(row, SourceRow)]
    if not read:
        raise InputError(f"{path}: {NO_ROWS}")
    if path.suffix in {".json", *LINES} and not columns and (found := _of_forest([(path, read)], path)):
        return found
    there = {name for row in rows for name in row.cells}
    own = {part: columns.get(part, part) for part in COLUMNS}
    if not columns and any(_format_of(row.cells) for row in rows):
        return _of_entries(_each(read, _released), path, sha)
    plain = {"item", "reply"} <= there and (there <= {*COLUMNS, ""} or bool({"role", "step"} & there))
    if columns.keys() & {"role", "step"} or not rows or (plain and not columns):
        others = [
            name for name in dict.fromkeys(n for row in rows for n in row.cells) if name not in {"", *own.values()}
        ]
        remarks = (f"columns passed over: {listed(others)}",) if others else ()
        return _of_entries(_each(read, lambda row: _own_columns(row, own)), path, sha, remarks)
    if columns or {"item", "reply"} <= there or not there <= {*COLUMNS, ""}:
        return Recording({}, {}, sha, read_table_log(read, path, columns, TABLE))
    raise InputError(
        f"{rows[0].where}: columns are {sorted(there)}; expected item and reply (and sample, role, step); {KNOWN}."
    )


def _dialogues_by_name(path: Path, words: str) -> dict[str, str]:
    """Dialogues in a JSON object by the id of their scenario; none where a file has no such."""
    whole = parse_loosely(words, where=str(path)) if path.suffix == ".json" else None
    texts = isinstance(whole, dict) and all(isinstance(text, str) for text in whole.values())
    return whole if isinstance(whole, dict) and texts else {}


def _each(sources: Iterable[SourceT], read: Callable[[SourceT], Iterable[_Entry]]) -> Iterator[_Entry | InputError]:
    """Entries of each source, or what is wrong with it."""
    for source in sources:
        try:
            # All of a source or nothing: what is wrong with it may show only at its end.
            yield from list(read(source))
        except InputError as error:
            yield error


def _of_entries(
    coming: Iterable[_Entry | InputError], path: Path, sha: str, remarks: tuple[str, ...] = ()
) -> Recording:
    """All replies by their place; of several for one place that differ nobody knows which holds.

    Raises:
        InputError: none is left; the line says what is wrong with the first row.
    """
    found: dict[ReplyKey, list[_Entry]] = {}
    odd: list[tuple[str, str]] = []
    for each in coming:
        if isinstance(each, InputError):
            odd.append((ODD, str(each)))
        elif all(each.text != other.text for other in found.setdefault(each.place, [])):
            found[each.place].append(each)
    broken = {place.item for place, own in found.items() if len(own) > 1 and any(entry.turn for entry in own)}
    differing = [entry for own in found.values() if len(own) > 1 for entry in own]
    seconds = [f"{each.where}: a second reply for item '{each.place.item}', sample {each.place.sample}; expected one."
               for each in differing]  # fmt: skip
    kept = {place: own[0] for place, own in found.items() if len(own) == 1 and place.item not in broken}
    if not kept:
        raise InputError(odd[0][1] if odd else seconds[1] if seconds else f"{path}: {NO_ROWS}")
    talks: Counter[str] = Counter()
    for place, entry in kept.items():
        talks[place.item] += entry.turn and place.role == ANTAGONIST
    replies = {place: entry.text for place, entry in kept.items()}
    # The plus takes items out that have no turn of a talk.
    return Recording(replies, +talks, sha, odd=(*odd, *((SECOND, where) for where in seconds)), remarks=remarks)


def _is_zip(path: Path) -> bool:
    """True if a file is Inspect's `.eval`, or a zip by another name."""
    if path.suffix == ".eval":
        return True
    try:
        with path.open("rb") as file:
            return file.read(len(ZIP)) == ZIP
    except (OSError, ValueError):
        return False


def _sha(words: str) -> str:
    return hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}).") from error


def _format_of(cells: Mapping[str, object]) -> DialogueFormat | None:
    return next((each for each in dialogue_formats() if each.fits(cells)), None)


def _named(name: str, text: str, where: str) -> Iterator[_Entry]:
    """A dialogue that has a name, in the first format that is known.

    Raises:
        InputError: it is no dialogue.
    """
    return _entries(*dialogue_formats()[0].read_named(name, text, where), where)


def _entries(item: str, turns: Iterable[DialogueTurn], where: str) -> Iterator[_Entry]:
    for role, step, text in turns:
        yield _Entry(where, ReplyKey(item, 0, role, step), text, turn=role in {ANTAGONIST, SUBJECT})


def _released(row: SourceRow | OddRow) -> Iterator[_Entry]:
    """The dialogue and the scores of a row of a released table."""
    known = None if isinstance(row, OddRow) else _format_of(row.cells)
    if isinstance(row, OddRow) or known is None:
        yield from _own_columns(row, {part: part for part in COLUMNS})
    else:
        yield from _entries(*known.read_row(row.cells, row.where), row.where)


def _own_columns(row: SourceRow | OddRow, named: Mapping[str, str]) -> list[_Entry]:
    """A row with a reply, by item and where they apply sample, role and step.

    Raises:
        InputError: it cannot be read, or lacks one of them.
    """
    if isinstance(row, OddRow):
        raise InputError(f"{row.where}: {row.why}.")
    where, cells = row.where, {part: value_at(row.cells, name) for part, name in named.items()}
    if named["item"] not in row.cells or named["reply"] not in row.cells:
        raise InputError(
            f"{where}: columns are {sorted(row.cells)}; expected item and reply (and sample, role, step); {KNOWN}."
        )
    try:
        sample, step = int(str(cells["sample"] or 0)), int(str(cells["step"] or 0))
    except ValueError as error:
        raise InputError(f"{where}: sample and step are whole numbers ({error}).") from error
    item, reply = cells["item"], cells["reply"]
    if not isinstance(item, str | int) or not str(item).strip():
        raise InputError(f"{where}: item is {item!r}; expected the id of an item.")
    if not isinstance(reply, str):
        raise InputError(f"{where}: reply is {reply!r}; expected text (leave the row out where there is none).")
    control = str(cells["control"] or "")
    if control and control not in CONTROLS:
        raise InputError(f"{where}: control is '{control}'; expected one of {', '.join(CONTROLS)}, or nothing.")
    place = ReplyKey(str(item), sample, str(cells["role"] or "subject"), step, control)
    return [_Entry(where, place, reply, turn=False)]
