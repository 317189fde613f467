"""What a log of another program says of one reply, and its parts that several formats share."""

import re
from collections.abc import Sequence
from typing import NamedTuple, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import force_setattr

from mores.core.codec import reading
from mores.models.marks import apart
from mores.models.outcomes import BROKEN_OFF, read_finish
from mores.models.request import Reply

_SAMPLE = re.compile(r"(.+)#(\d{1,9})", re.DOTALL)
Shape = TypeVar("Shape")


class Logged(Struct, frozen=True, kw_only=True):
    """One reply of a log: where it stands, what its item is called there, which sample it is, and the words asked.

    `item` is the log's own name, `aliases` are others that it tells. `asked` has the words in each form in which the
    log has them: as they were sent, and the bare question. Without a reply, `failed` says why none came, or `left_out`
    why what came is no words. An answer that the provider's side broke off is none, whatever words there are of it.
    """

    where: str
    item: str
    aliases: tuple[str, ...] = ()
    sample: int = 0
    asked: tuple[str, ...] = ()
    reply: Reply | None = None
    failed: str = ""
    left_out: str = ""

    def __post_init__(self) -> None:
        """A reply whose generation broke off is a failure."""
        if self.reply is not None and read_finish(self.reply.finish).kind == "passing":
            force_setattr(self, "failed", f"{BROKEN_OFF}: the answer ended with '{self.reply.finish}'")
            force_setattr(self, "reply", None)


class Log(NamedTuple):
    """All replies of a log, and which program's it is."""

    layout: str
    rows: tuple[Logged, ...]


class Part(msgspec.Struct):
    """A part of a message: words, or thinking before them."""

    text: str | None = None
    reasoning: str | None = None


class Turn(msgspec.Struct):
    """A message of a chat as most formats have it."""

    role: str
    content: str | list[Part] | None = None

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


def shaped(row: object, shape: type[Shape], *, where: str, what: str) -> Shape:
    """A row with what is read of it, checked; what else it has is passed over.

    Raises:
        InputError: something that is read is missing or of another kind.
    """
    with reading(where, what):
        return msgspec.convert(row, shape)


def reply_of(text: str, *, finish: str | None = None, reasoning: str = "", model: str = "") -> Reply:
    """A reply in our own terms, its thinking kept apart."""
    answer, thinking = apart(text)
    ended = read_finish(finish)
    return Reply(
        text=answer,
        reasoning=reasoning or thinking,
        finish=ended.word,
        refusal=ended.kind == "refusal",
        model=model,
    )


def last_asked(turns: Sequence[Turn]) -> str:
    """What a user said last; empty where nobody asked."""
    return next((turn.text for turn in reversed(turns) if turn.role == "user"), "")


def item_and_sample(name: str) -> tuple[str, int]:
    """An item's name and which sample of it is meant, where a log writes both as one: `ITEM#SAMPLE`.

    >>> item_and_sample("hard-3#1"), item_and_sample("hard-3")
    (('hard-3', 1), ('hard-3', 0))
    """
    both = _SAMPLE.fullmatch(name)
    return (name, 0) if both is None else (both[1], int(both[2]))
