"""Outputs made elsewhere, played back: `recorded/FILE` or `recorded/FOLDER`.

A missing row is a failed call (ungraded), an empty string is what the subject said (a graded zero). After its last turn
a talk that is held whole is over, which is no failure. Logs of other programs, and tables without items of ours, are
matched with questions before any is asked. How files are read is in `recorded_files`.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from pathlib import Path
from pkgutil import resolve_name
from types import MappingProxyType
from typing import NamedTuple

from msgspec import UNSET, Struct, structs

from mores.core.errors import InputError
from mores.models.logs.logged_reply import NAMED_ROWS, Log, Logged, LoggedQuestion, ReplyCounts, counts_of_table
from mores.models.marks import split_thinking
from mores.models.model import LocalModel
from mores.models.request import OVER, CallFailed, Reply, Request

KIND = "recorded/"
ANTAGONIST, SUBJECT = "antagonist", "subject"
FAILED = "ERROR:"
"""Beginning of a text that stands in a recorded dialogue for a call that failed."""
COLUMN_PARTS = ("item", "reply", "sample", "role", "step", "control", "prompt")
"""Parts of a reply that a column of a table can have."""
TABLE = "a table"
MISSING = "no recorded reply"
LONGEST_ERROR = 500
AS_THEY_ARE: Mapping[str, str] = MappingProxyType({})
"""Columns of a table that are named as ours are, or told by their names."""


class ReplyKey(NamedTuple):
    """Place of a recorded reply in a run; `control` is the one under which it was asked, empty for none."""

    item: str
    sample: int
    role: str
    step: int
    control: str = ""


class DialogueTurn(NamedTuple):
    """Text of one role at one step of a recorded dialogue."""

    role: str
    step: int
    text: str


class DialogueFormat(Struct, frozen=True, kw_only=True):
    """Format of recorded dialogues and their scores, as the released code of a paper leaves them.

    `fits` tells a row of it in a table, and `read_row` reads one; `read_named` reads the text of a dialogue that has a
    name, as a file's. Both give the item and its turns.
    """

    fits: Callable[[Mapping[str, object]], bool]
    read_row: Callable[[Mapping[str, object], str], tuple[str, list[DialogueTurn]]]
    read_named: Callable[[str, str, str], tuple[str, list[DialogueTurn]]]


DIALOGUE_FORMATS = ("mores.benchmarks.socialcc.released_talks:RELEASED_TALKS",)
"""Formats of dialogues that can be read, as `module:NAME` of the family of benchmarks that knows each."""


@cache
def dialogue_formats() -> tuple[DialogueFormat, ...]:
    """All formats of dialogues, loaded when a recording is first read; no benchmark is imported for them."""
    return tuple(resolve_name(name) for name in DIALOGUE_FORMATS)


class Recording(NamedTuple):
    """Contents of a file or folder: replies by their place, and the number of rounds of each dialogue that is whole.

    A log of another program has no places of ours; its replies are in `log`. `odd` are the rows that cannot be used and
    why, `remarks` how a table was read. `shares` are log-probabilities of a verifier's labels by item, sample and step.
    """

    replies: Mapping[ReplyKey, str]
    talks: Mapping[str, int]
    sha: str
    log: Log | None = None
    odd: tuple[tuple[str, str], ...] = ()
    remarks: tuple[str, ...] = ()
    shares: Mapping[tuple[str, int, int], tuple[tuple[str, float], ...]] = MappingProxyType({})


class Recorded(LocalModel):
    """A model that says what a file says it said."""

    by_item = True

    def __init__(self, spec: str, columns: Mapping[str, str] = AS_THEY_ARE) -> None:
        super().__init__(spec)
        self._path = _path(spec)
        self._recording = _read(self._path, columns)
        self.log = self._recording.log
        """The log of another program that the replies are from, if they are."""
        self.recording = self
        columns_text = "".join(f" {part}={name}" for part, name in sorted(columns.items()))
        self.identity = f"recorded.v1 {self._recording.sha}{columns_text}"
        self.counts: dict[str, ReplyCounts] = {}
        self._matched: dict[tuple[str, str, int], Logged] = {}

    def about(self, benchmark: str) -> Mapping[str, object]:
        """Counts of replies matched with what the benchmark asks, once they were."""
        return {"recording": self.counts[benchmark]} if benchmark in self.counts else {}

    def match(self, benchmark: str, questions: Sequence[LoggedQuestion], samples: int) -> ReplyCounts:
        """Counts of a log's replies matched with the questions of a benchmark; other recordings have no log."""
        from mores.models.logs.match import match  # noqa: PLC0415 - few runs are of recordings

        rows, self.counts[benchmark] = match(self.log or Log("", ()), questions, samples)
        words = {question.item: question.words for question in questions}
        self._matched |= {(item, words[item], sample): row for (item, sample), row in rows.items()}
        return self.counts[benchmark]

    def reply_text(self, question: LoggedQuestion) -> str | None:
        """The words of the first sample that answer a question; None where there are none."""
        row = self.logged(question.item, question.words, 0)
        return row.reply.text if row is not None and row.reply is not None else None

    def logged(self, item: str, words: str, sample: int) -> Logged | None:
        """The row of a log that answers an item's question in a sample; None where there is none."""
        return self._matched.get((item, words, sample))

    def count(self, benchmark: str, asked: Collection[str]) -> None:
        """Say what became of the rows of a table where that is not plain: some are left out, or columns passed over."""
        found, replies = self._recording, self._recording.replies
        if not (found.odd or found.remarks):
            return
        used = sum(place.item in asked for place in replies)
        counts = counts_of_table(
            TABLE,
            replies=len(replies) + len(found.odd),
            by_name=used,
            unmatched=len(replies) - used,
            left_out=len(found.odd),
        )
        self.counts[benchmark] = structs.replace(
            counts,
            reasons=dict(Counter(reason for reason, _ in found.odd)),
            odd=tuple(columns_text for _, columns_text in found.odd)[:NAMED_ROWS],
            remarks=found.remarks,
        )

    async def reply(self, request: Request) -> Reply:
        """The recorded words; none, with the finish `over`, after the last turn of a talk that is held whole.

        Raises:
            CallFailed: the file has no such row, or an error message in its place.
        """
        tag = request.tag
        if self.log is not None:
            return self._logged(request)
        if request.labels and self._recording.shares:
            return self._shares(request)
        whole = tag.item in self._recording.talks and tag.role in {ANTAGONIST, SUBJECT}
        under = UNSET if request.key is None else request.key.control
        control = "" if under is UNSET else under
        text = self._recording.replies.get(ReplyKey(tag.item, tag.sample, tag.role, tag.step, control))
        if text is None and whole and not tag.sample:
            return Reply(text="", finish=OVER, model=self.spec)
        if text is None:
            raise CallFailed(MISSING, f"{self._path} has no row for {tag.item}")
        if whole and text.startswith(FAILED):
            raise CallFailed("recorded error", text[:LONGEST_ERROR])
        answer, thinking = split_thinking(text)
        return Reply(text=answer, reasoning=thinking, model=self.spec)

    def _logged(self, request: Request) -> Reply:
        tag = request.tag
        row = self.logged(tag.item, request.messages[-1].content, tag.sample) if tag.role == SUBJECT else None
        if row is None:
            raise CallFailed(MISSING, f"{self._path} has no reply for {tag.item}")
        if row.reply is None:
            raise CallFailed("recorded error", row.failed[:LONGEST_ERROR])
        return row.reply

    def _shares(self, request: Request) -> Reply:
        tag = request.tag
        rows = self._recording.shares.get((tag.item, tag.sample, tag.step))
        if rows is None or {label for label, _ in rows} != set(request.labels):
            raise CallFailed(MISSING, f"{self._path} has no probabilities for {tag.item}")
        return Reply(text=max(rows, key=lambda row: row[1])[0], finish="exact", logprobs=rows, model=self.spec)

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


def _read(path: Path, columns: Mapping[str, str] = AS_THEY_ARE) -> Recording:
    """Recording of a file, by a module that few runs need."""
    from mores.models.recorded_files import read_recording  # noqa: PLC0415 - few runs are of recordings

    return read_recording(path, columns)


# The time of the last change is a part of the key, so that a file that was written anew is read anew.
@lru_cache(maxsize=8)
def _talks(path: Path, _changed: int) -> Mapping[str, int]:
    with suppress(InputError):  # what is wrong with it is said where it is opened
        return _read(path).talks
    return {}


def holds_shares(spec: str) -> bool:
    """True if a spec names a recording of a verifier's probabilities."""
    path = _path(spec)
    return spec.startswith(KIND) and _shares(path, path.stat().st_mtime_ns if path.exists() else 0)


@lru_cache(maxsize=8)
def _shares(path: Path, _changed: int) -> bool:
    with suppress(InputError):
        return bool(_read(path).shares)
    return False


def holds_control(spec: str, control: str) -> bool:
    """True if a spec names a recording with replies that were given under a control."""
    path = _path(spec)
    with suppress(InputError):  # what is wrong with it is said where it is opened
        return any(place.control == control for place in _read(path).replies)
    return False


_looked_in: list[Path] = []


def look_also(folder: Path) -> None:
    """Look for recordings with a relative name in this folder too, such as the one in which a run was begun."""
    if folder not in _looked_in:
        _looked_in.append(folder)


def _path(spec: str) -> Path:
    """Path of a recording: as its name says, else in the folders that are looked in too."""
    path = Path(spec.removeprefix(KIND))
    return next((each for each in (path, *(folder / path for folder in _looked_in)) if each.exists()), path)
