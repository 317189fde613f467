"""Outputs made elsewhere, played back: `recorded/FILE`, CSV or JSON Lines.

Columns are `item` and `reply`, and where they apply `sample`, `role` and `step`. A missing row is a failed call
(ungraded), an empty string is what the subject said (a graded zero). Whole talks and their scores are read in the
layouts of `released`, a folder of talks too; after its last turn such a talk is over, which is no failure. Logs of
other programs and results of batches are read in the layouts of `logs`, and matched with questions before any is asked.
"""

import csv
import hashlib
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from mores.core.codec import parse_json, parse_lines, read_text
from mores.core.errors import InputError
from mores.core.late import Late
from mores.models.logs.matching import Counts, Question, match
from mores.models.logs.row import Log, Logged
from mores.models.marks import apart
from mores.models.model import Local
from mores.models.released import (
    ANTAGONIST,
    FAILED,
    ID,
    JUDGE,
    SUBJECT,
    TALKS,
    is_released,
    item_of,
    read_folder,
    read_row,
    read_talk,
)
from mores.models.request import OVER, CallFailed, Reply, Request

read_log, read_zip = (Late("mores.models.logs.layouts", name) for name in ("read_log", "read_zip"))
KNOWN = (
    "logs of Inspect (.eval), lm-evaluation-harness (samples_*.jsonl), HELM (scenario_state.json) and Every Eval Ever "
    "(*_samples.jsonl), and batch results of OpenAI, vLLM, Anthropic and Gemini, are read as well"
)
ZIP = b"PK\x03\x04"
LONGEST_CELL = 1 << 27
COLUMNS = ("item", "reply", "sample", "role", "step")
KIND = "recorded/"
MISSING = "no recorded reply"
LONGEST_ERROR = 500


class Place(NamedTuple):
    """Where in a run a recorded reply belongs."""

    item: str
    sample: int
    role: str
    step: int


class Recording(NamedTuple):
    """What a file or folder holds: replies by their place, and how many rounds each talk has that it holds whole.

    A log of another program has no places of ours; its replies are in `log`.
    """

    replies: Mapping[Place, str]
    talks: Mapping[str, int]
    sha: str
    log: Log | None = None


class Recorded(Local):
    """A model that says what a file says it said."""

    sealed = False
    by_item = True
    simulated = False

    def __init__(self, spec: str) -> None:
        super().__init__(spec)
        self._path = _path(spec)
        self._recording = read_recording(self._path)
        self.log = self._recording.log
        """The log of another program that the replies are from, if they are."""
        self.identity = f"recorded.v1 {self._recording.sha}"
        self.counts: dict[str, Counts] = {}
        self._matched: dict[tuple[str, str, int], Logged] = {}

    def match(self, benchmark: str, questions: Sequence[Question], samples: int) -> Counts:
        """How the replies of a log were matched with the questions of a benchmark; other recordings have no log."""
        rows, self.counts[benchmark] = match(self.log or Log("", ()), questions, samples)
        words = {question.item: question.words for question in questions}
        self._matched |= {(item, words[item], sample): row for (item, sample), row in rows.items()}
        return self.counts[benchmark]

    async def reply(self, request: Request) -> Reply:
        """The recorded words; none, with the finish `over`, after the last turn of a talk that is held whole.

        Raises:
            CallFailed: the file has no such row, or an error message in its place.
        """
        tag = request.tag
        if self.log is not None:
            return self._logged(request)
        whole = tag.item in self._recording.talks and tag.role in {ANTAGONIST, SUBJECT}
        text = self._recording.replies.get(Place(tag.item, tag.sample, tag.role, tag.step))
        if text is None and whole and not tag.sample:
            return Reply(text="", finish=OVER, model=self.spec)
        if text is None:
            raise CallFailed(MISSING, f"{self._path} has no row for {tag.item}")
        if whole and text.startswith(FAILED):
            raise CallFailed("recorded error", text[:LONGEST_ERROR])
        answer, thinking = apart(text)
        return Reply(text=answer, reasoning=thinking, model=self.spec)

    def _logged(self, request: Request) -> Reply:
        tag = request.tag
        row = self._matched.get((tag.item, request.messages[-1].content, tag.sample)) if tag.role == SUBJECT else None
        if row is None:
            raise CallFailed(MISSING, f"{self._path} has no reply for {tag.item}")
        if row.reply is None:
            raise CallFailed("recorded error", row.failed[:LONGEST_ERROR])
        return row.reply

    def items(self) -> set[str]:
        """Ids of the items that the file speaks of."""
        return {place.item for place in self._recording.replies}


def stored_talks(spec: str) -> Mapping[str, int]:
    """The rounds of each talk that a recording holds whole, by item; none where the spec names no such recording.

    Raises:
        InputError: the recording cannot be read.
    """
    if not spec.startswith(KIND):
        return {}
    path = _path(spec)
    return _talks(path, path.stat().st_mtime_ns if path.exists() else 0)


@lru_cache(maxsize=8)
def _talks(path: Path, _changed: int) -> Mapping[str, int]:
    return read_recording(path).talks


_looked_in: list[Path] = []


def look_also(folder: Path) -> None:
    """Look for recordings with a relative name in this folder too, such as the one in which a run was begun."""
    if folder not in _looked_in:
        _looked_in.append(folder)


def _path(spec: str) -> Path:
    """Where a recording is: as its name says, else in the folders that are looked in too."""
    path = Path(spec.removeprefix(KIND))
    return next((each for each in (path, *(folder / path for folder in _looked_in)) if each.exists()), path)


class _Entry(NamedTuple):
    """One reply of a recording and where it stands; `turn` where it is one of a talk that is held whole."""

    where: str
    place: Place
    text: str
    turn: bool


def read_recording(path: Path) -> Recording:
    """All that a file, or a folder of talks, holds.

    Raises:
        InputError: it cannot be read, is in no layout that is known, or has two replies for one place.
    """
    if not path.is_dir() and _is_zip(path):
        data = _read_bytes(path)
        return Recording({}, {}, hashlib.sha256(data).hexdigest()[:16], read_zip(path, data))
    if path.is_dir():
        files = list(read_folder(path))
        words = "".join(f"{file.name}\n{text}\n" for file, text in files)
        entries = [entry for file, text in files for entry in _turns(item_of(file.stem), text, str(file))]
    else:
        words = read_text(path)
        log = read_log(path, words)
        if log is not None:
            return Recording({}, {}, _sha(words), log)
        entries = list(_entries(words, path))
    talks: Counter[str] = Counter()
    for entry in entries:
        talks[entry.place.item] += entry.turn and entry.place.role == ANTAGONIST
    return Recording(_replies(entries, path), +talks, _sha(words))


def _is_zip(path: Path) -> bool:
    """Whether a file is Inspect's `.eval`, or a zip by another name."""
    if path.suffix == ".eval":
        return True
    try:
        with path.open("rb") as file:
            return file.read(len(ZIP)) == ZIP
    except (OSError, ValueError):
        return False


def _sha(words: str) -> str:
    return hashlib.sha256(words.encode()).hexdigest()[:16]


def _read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}).") from error


def _replies(entries: Iterable[_Entry], path: Path) -> dict[Place, str]:
    replies: dict[Place, str] = {}
    for where, place, text, _ in entries:
        if place in replies:
            raise InputError(f"{where}: a second reply for item '{place.item}', sample {place.sample}; expected one.")
        replies[place] = text
    if not replies:
        raise InputError(f"{path}: no rows; expected columns item and reply (and sample, role, step).")
    return replies


def _entries(text: str, path: Path) -> Iterator[_Entry]:
    if path.suffix == ".txt":
        yield from _turns(item_of(path.stem), text, str(path))
        return
    for number, row in _rows(text, path):
        where = f"{path}:{number}"
        if not is_released(row):
            place = _place(row, where)
            yield _Entry(where, place, _reply(row, where), turn=False)
            continue
        item, said = read_row(row, where)
        for role, step, words in said:
            yield _Entry(where, Place(item, 0, role, step), words, turn=role != JUDGE)


def _turns(item: str, text: str, where: str) -> Iterator[_Entry]:
    for role, step, words in read_talk(text, where):
        yield _Entry(where, Place(item, 0, role, step), words, turn=True)


def _rows(text: str, path: Path) -> Iterator[tuple[int, dict[str, object]]]:
    if path.suffix in {".jsonl", ".ndjson"}:
        return parse_lines(text, where=str(path), expected="an object with item and reply")
    return _json_table(text, path) if path.suffix == ".json" else _csv_rows(text, path)


def _place(row: dict[str, object], where: str) -> Place:
    unknown = sorted(set(row) - set(COLUMNS))
    if unknown or not {"item", "reply"} <= set(row):
        raise InputError(
            f"{where}: columns are {sorted(row)}; expected item and reply (and sample, role, step); {KNOWN}."
        )
    try:
        sample, step = int(str(row.get("sample") or 0)), int(str(row.get("step") or 0))
    except ValueError as error:
        raise InputError(f"{where}: sample and step are whole numbers ({error}).") from error
    item = row["item"]
    if not isinstance(item, str | int) or not str(item).strip():
        raise InputError(f"{where}: item is {item!r}; expected the id of an item.")
    return Place(str(item), sample, str(row.get("role") or "subject"), step)


def _reply(row: dict[str, object], where: str) -> str:
    reply = row["reply"]
    if not isinstance(reply, str):
        raise InputError(f"{where}: reply is {reply!r}; expected text (leave the row out where there is none).")
    return reply


def _json_table(text: str, path: Path) -> Iterator[tuple[int, dict[str, object]]]:
    """The rows of a JSON list, or talks by the id of their scenario."""
    whole = parse_json(text, where=str(path))
    if isinstance(whole, dict):
        whole = [{ID: name, TALKS[0]: talk} for name, talk in whole.items()]
    for number, row in enumerate(whole if isinstance(whole, list) else [whole], start=1):
        if not isinstance(row, dict):
            raise InputError(f"{path}:{number}: expected an object with item and reply, or with {ID} and a dialogue.")
        yield number, row


def _csv_rows(text: str, path: Path) -> Iterator[tuple[int, dict[str, object]]]:
    csv.field_size_limit(LONGEST_CELL)
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    try:
        if len(set(reader.fieldnames or ())) < len(reader.fieldnames or ()):
            raise InputError(f"{path}: two columns have one name ({', '.join(reader.fieldnames or ())}).")
        for row in reader:
            if None in row or None in row.values():
                raise InputError(f"{path}:{reader.line_num}: not as many cells as the header has columns.")
            yield reader.line_num, dict(row)
    except csv.Error as error:
        raise InputError(f"{path}:{reader.line_num}: not CSV ({error}).") from error
