"""Replies in a log of another program: parts that several formats share, our questions, and counts of what matched."""

import re
from collections.abc import Iterable, Sequence
from math import isfinite
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec
from msgspec import Struct, structs
from msgspec.structs import force_setattr

from mores.core.codec import reading
from mores.core.errors import InputError
from mores.models.marks import split_thinking
from mores.models.outcomes import BROKEN_OFF, read_finish
from mores.models.request import Reply

ODD = "rows that could not be read"
"""Reason that such a row is left out; its `failed` says what was wrong with it."""
SECOND = "several replies for one item that differ"
NAMED = "*"
"""Name that we give to the column in which a user said that our items are named."""
_SAMPLE = re.compile(r"(.+)#(\d{1,9})", re.DOTALL)
ShapeT = TypeVar("ShapeT")


class Shown(NamedTuple):
    """An option as it was shown: the mark before it, such as a letter, and its words."""

    mark: str
    text: str


class Document(NamedTuple):
    """Document of a row: words, ids by their names there, and options in their order."""

    texts: tuple[str, ...] = ()
    ids: tuple[tuple[str, str], ...] = ()
    options: tuple[Shown, ...] = ()


class Logged(Struct, frozen=True, kw_only=True):
    """One reply of a log: where it stands, what its item is called there, which sample it is, and the words asked.

    `item` is the log's own name, `aliases` are others that it tells. `asked` has the words in each form in which the
    log has them: as they were sent, and the bare question; `document` is what the row says that it is about. The reply
    to a row that `weighed` options is the likeliest of the words offered. Without a reply, `failed` says why none
    came, or `left_out` why what came is of no use. `score` are the points that the log gives the reply, None where it
    gives no one number. An answer that the provider's side broke off is none, whatever words
    there are of it.
    """

    where: str
    item: str
    aliases: tuple[str, ...] = ()
    sample: int = 0
    asked: tuple[str, ...] = ()
    document: Document = Document()
    reply: Reply | None = None
    weighed: bool = False
    failed: str = ""
    left_out: str = ""
    score: float | None = None

    def __post_init__(self) -> None:
        """A reply whose generation broke off is a failure."""
        if self.reply is not None and read_finish(self.reply.finish).kind == "passing":
            force_setattr(self, "failed", f"{BROKEN_OFF}: the answer ended with '{self.reply.finish}'")
            force_setattr(self, "reply", None)


_LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
"""Inspect's grades: correct, partial, incorrect, no answer."""


def points_of(value: object) -> float | None:
    """The one number that a log's grade is; None where it is none, or several.

    >>> points_of("C"), points_of(True), points_of({"accuracy": 0.5}), points_of(["C", "I"])
    (1.0, 1.0, 0.5, None)
    """
    match value:
        case str():
            return _LETTERS.get(value)
        case bool() | int() | float():
            return float(value) if isfinite(value) else None
        case dict() if len(value) == 1:
            return points_of(next(iter(value.values())))
        case _:
            return None


def odd_row(where: str, why: str) -> Logged:
    """A row that cannot be read; the others of its file are used."""
    return Logged(where=where, item="", left_out=ODD, failed=why)


class Log(NamedTuple):
    """All replies of a log, which program's it is, and how a table was read.

    `guessed` is the column that was taken for the replies, where nobody named it.
    """

    layout: str
    rows: tuple[Logged, ...]
    remarks: tuple[str, ...] = ()
    guessed: str = ""


class MessagePart(msgspec.Struct):
    """A part of a message: words, or thinking before them."""

    text: str | None = None
    reasoning: str | None = None


class LogMessage(msgspec.Struct):
    """A message of a chat as most formats have it."""

    role: str
    content: str | list[MessagePart] | None = None

    @property
    def text(self) -> str:
        """Its words."""
        if isinstance(self.content, list):
            return "".join(part.text or "" for part in self.content)
        return self.content or ""

    @property
    def reasoning(self) -> str:
        """The thinking that stands in parts of its own."""
        parts = self.content if isinstance(self.content, list) else []
        return "".join(part.reasoning or "" for part in parts)


def shaped(row: object, shape: type[ShapeT], *, where: str, what: str) -> ShapeT:
    """A row with what is read of it, checked; what else it has is passed over.

    Raises:
        InputError: something that is read is missing or of another kind.
    """
    with reading(where, what):
        return msgspec.convert(row, shape)


def reply_of(text: str, *, finish: str | None = None, reasoning: str = "", model: str = "") -> Reply:
    """A reply in our own terms, its thinking kept apart."""
    answer, thinking = split_thinking(text)
    ended = read_finish(finish)
    return Reply(
        text=answer,
        reasoning=reasoning or thinking,
        finish=ended.word,
        refusal=ended.kind == "refusal",
        model=model,
    )


def last_user_message(turns: Sequence[LogMessage]) -> str:
    """Text of the user's last message; empty where there is none."""
    return next((turn.text for turn in reversed(turns) if turn.role == "user"), "")


def item_and_sample(name: str) -> tuple[str, int]:
    """An item's name and which sample of it is meant, where a log writes both as one: `ITEM#SAMPLE`.

    >>> item_and_sample("hard-3#1"), item_and_sample("hard-3")
    (('hard-3', 1), ('hard-3', 0))
    """
    both = _SAMPLE.fullmatch(name)
    return (name, 0) if both is None else (both[1], int(both[2]))


def usable(rows: Iterable[Logged], path: Path, layout: str) -> tuple[Logged, ...]:
    """All rows, those that say the same of the same once; those that differ are left out, as nobody knows which holds.

    Raises:
        InputError: none is left, or all of them are odd; the line says what is wrong with the first.
    """
    found: dict[tuple[str, int, str, str], list[Logged]] = {}
    for row in rows:
        before = found.setdefault((row.item, row.sample, row.left_out, row.where if row.left_out == ODD else ""), [])
        if all((row.reply, row.failed) != (each.reply, each.failed) for each in before):
            before.append(row)
    if not found:
        raise InputError(f"{path}: no replies; expected {layout} of a run that has some.")
    seconds = [_second(row, layout) for own in found.values() for row in own[1:]]
    kept = tuple(row if len(own) == 1 else _second(row, layout) for own in found.values() for row in own)
    if all(row.left_out in {ODD, SECOND} for row in kept):
        first = next((row for row in kept if row.left_out == ODD), seconds[0] if seconds else kept[0])
        raise InputError(f"{first.where}: {first.failed}")
    return kept


def _second(row: Logged, layout: str) -> Logged:
    failed = (
        f"a second reply for item '{row.item}', sample {row.sample}; expected one ({layout}; a file is of one model)."
    )
    return structs.replace(row, left_out=SECOND, reply=None, failed=failed)


NAMED_ROWS = 3
"""Rows that could not be read, of which it is said what is wrong with them."""


class ReplyCounts(Struct, frozen=True, kw_only=True):
    """Counts of a log's replies for one benchmark; with the unmatched and those left out they add up.

    `layout` is which program's log it is. `in_other_words` of those matched are of items to which other words were put
    there, as far as the log tells; `missing` answers are wanted, and the log has none. `reasons` says why replies were
    left out, `odd` what was wrong with the first rows that could not be read, and `remarks` how a table was read. Of
    those matched, `reordered` had their options shown in another order, and `weighed` chose among words offered by
    their log-likelihood.
    """

    layout: str
    replies: int
    by_name: int
    by_words: int
    by_contents: int
    in_other_words: int
    ambiguous: int
    unmatched: int
    left_out: int
    missing: int
    by_document: int = 0
    reordered: int = 0
    weighed: int = 0
    reasons: dict[str, int] = {}
    odd: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def matched(self) -> int:
        """Replies that answer a question."""
        return self.by_name + self.by_document + self.by_words + self.by_contents


def counts_of_table(layout: str, **known: int) -> ReplyCounts:
    """Counts of replies that a table names by item; those not told are 0."""
    none = ReplyCounts(
        layout=layout, replies=0, by_name=0, by_words=0, by_contents=0, in_other_words=0, ambiguous=0, unmatched=0,
        left_out=0, missing=0,
    )  # fmt: skip
    return structs.replace(none, **known)


class LabelledOption(NamedTuple):
    """A label of a question: the word that it is read by, how an answer says it, and the option that it stands for."""

    label: str
    way: str
    text: str


class LoggedQuestion(NamedTuple):
    """A question that is put here: its item, all its words, and what fills its prompt.

    `choices` are its labels, of which `by_position` ones stand for options in our order. `ids` are what the data call
    its item, by their column. `right` are the words of the right answer, where there is one.
    """

    item: str
    words: str
    parts: tuple[str, ...]
    choices: tuple[LabelledOption, ...] = ()
    by_position: bool = False
    ids: tuple[tuple[str, str], ...] = ()
    right: tuple[str, ...] = ()

    @property
    def stem(self) -> tuple[str, ...]:
        """Values of its prompt's slots but for the options."""
        options = {choice.text for choice in self.choices}
        return tuple(part for part in self.parts if part not in options)
