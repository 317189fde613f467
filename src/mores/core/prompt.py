"""A prompt is data under review: a file with a header, slots `[[name]]` and a hash.

Rendering is strict (no slot forgotten, none too many) and single-pass: a value is never read as template.
"""

import hashlib
import re
from collections.abc import Callable, Iterable
from functools import cache, cached_property
from keyword import iskeyword
from pathlib import Path
from typing import Literal

import tomli
from msgspec import Struct, field
from msgspec.structs import replace

from mores.core.codec import UNREADABLE, build, read_text
from mores.core.errors import InputError

PromptRole = Literal[
    "subject", "antagonist", "supporter", "planner", "judge", "form", "persona", "narrator",
    "writer", "checker", "refiner", "labeller", "mapper", "helper", "verifier",
]  # fmt: skip
"""Who is spoken to; a `form` is what all judges are told of how to answer, and is read by code."""

LANGUAGE_TAG = re.compile(r"[a-z]{2,3}(?:-[A-Z][a-z]{3})?(?:-(?:[A-Z]{2}|\d{3}))?")
"""A BCP 47 tag of a language, with script and region or without, in the case that the standard recommends."""
_SLOT = re.compile(r"\[\[(.*?)\]\]", re.DOTALL)


class Released(Struct, frozen=True, kw_only=True):
    """Place of a prompt's published words in released code: a file of a repository, and what in it has them.

    `name` is a variable of a Python file, assigned in the class or function `within`, a key of a YAML file, or the id
    of a row of a CSV, in the column `within`; without it the whole file is meant. `slots` gives to their names of slots
    ours. A slot of `lines` stands for all lines that have its slots of theirs. `brackets` gives to words that theirs
    have in double square brackets, which mark slots here, the slots of ours that put them back. `fence` is whether
    somebody else's words stand in a fence.
    """

    repository: str
    file: str
    slots: dict[str, str]
    name: str = ""
    within: str = ""
    lines: dict[str, tuple[str, ...]] = field(default_factory=dict)
    brackets: dict[str, str] = field(default_factory=dict)
    fence: bool = True


class PromptHeader(Struct, frozen=True, kw_only=True):
    """Header of a prompt file.

    `language` is the BCP 47 tag of its words, and `unread` is whether no speaker of it has read them yet. `published`
    is where the paper prints its words for the same, `released` where code has them. `optional` are slots that words
    may have or leave out. Without a `fence` somebody else's words are put in as they are, for models that were trained
    so.
    """

    name: str
    role: PromptRole
    language: str
    origin: str
    published: str = ""
    optional: tuple[str, ...] = ()
    fence: bool = True
    unread: bool = False
    released: Released | None = None

    def __hash__(self) -> int:
        return hash((self.name, self.role, self.language, self.origin))  # `released` holds lists, which have none

    @property
    def published_at(self) -> str:
        """Place of others' words for the same: in a paper, else in released code; else why there are none, or nothing.

        >>> PromptHeader(name="x.v1", role="subject", language="en", origin="own", published="P, Table 6; not released"
        ... ).published_at
        'P, Table 6'
        """
        if self.released is not None and not self.is_printed:
            return f"{_CODE}{self.released.repository}"
        return self.published.partition(";")[0].removesuffix(_SHORT)

    @property
    def is_printed(self) -> bool:
        """True where a paper prints its words for the same."""
        return bool(self.published) and not self.published.startswith(_NOT_PRINTED)

    def published_origin(self, origin: str) -> str:
        """Place that an origin names, if the words published for the same stand there; else nothing.

        Words out of a checkout have its repository for an origin, those out of a file what its header says.
        """
        plain = " ".join(origin.casefold().split()).removesuffix(_SHORT)
        if self.released is not None and plain == self.released.repository.casefold():
            return f"{_CODE}{self.released.repository}"
        return self.published_at if self.is_printed and plain == self.published_at.casefold() else ""


_CODE, _NOT_PRINTED, _SHORT = "released code of ", "not printed", ", in short"


class Wording(Struct, frozen=True, kw_only=True):
    """Other words for a prompt: the text of a file, with a header or without, and the file's name."""

    text: str
    file: str

    @classmethod
    def read(cls, path: Path) -> "Wording":
        """The words of a file.

        Raises:
            InputError: the file cannot be read.
        """
        return cls(text=read_text(path), file=path.name)

    @property
    def origin(self) -> str:
        """Origin that the header names; empty without a header."""
        header, _ = _parted(self.text, self.file)
        return "" if header is None else header.origin


class Prompt(Struct, frozen=True, eq=False, dict=True):
    """One prompt file: its header and its text with slots."""

    header: PromptHeader
    body: str
    where: str = ""

    def __eq__(self, other: object) -> bool:
        """The same words are the same prompt, wherever their file lies."""
        return isinstance(other, Prompt) and (self.header, self.body) == (other.header, other.body)

    def __hash__(self) -> int:
        return hash((self.header, self.body))

    @classmethod
    def read(cls, path: Path) -> "Prompt":
        """The prompt of a file.

        Raises:
            InputError: no header, an unknown field in it, or a slot that is not a plain name.
        """
        header, body = _parted(read_text(path), str(path))
        if header is None:
            raise InputError(f"{path}: no header; expected '+++', TOML, '+++' and the words.")
        prompt = cls(header, body, str(path))
        _ = prompt.slots
        return prompt

    @property
    def key(self) -> str:
        """ROLE/TASK, by which it can be replaced: its role, and its name without family and version.

        >>> Prompt(PromptHeader(name="cure.casa_thin.v1", role="subject", language="en", origin="own"), "").key
        'subject/casa_thin'
        """
        _, _, rest = self.header.name.partition(".")
        return f"{self.header.role}/{rest.rpartition('.')[0] or self.header.name}"

    def reworded(self, wording: Wording) -> "Prompt":
        """The same prompt in other words: under its own name, for its own role.

        Raises:
            InputError: the words are for another role, lack a slot that is not optional, or have one too many.
        """
        header, body = _parted(wording.text, wording.file)
        if header is not None and header.role != self.header.role:
            raise InputError(f"{wording.file}: its role is '{header.role}'; expected '{self.header.role}'.")
        own = replace(self.header, origin=wording.file, unread=False)
        if header is not None:
            own = replace(own, language=header.language, fence=header.fence)
        other, may = Prompt(own, body, wording.file), set(self.header.optional)
        missing, extra = self.slots - other.slots - may, other.slots - self.slots - may
        if missing or extra or not body.strip():
            wrong = f"no slot {_marked(missing)}" if missing else f"an unknown slot {_marked(extra)}"
            allowed = f"; it may have {_marked(may)}" if may else ""
            raise InputError(
                f"{wording.file}: {wrong if missing or extra else 'no words'}; "
                f"{self.key} has {_marked(self.slots - may)}{allowed}."
            )
        return other

    @cached_property
    def sha(self) -> str:
        """First 12 hex digits of the SHA-256 of name and words: what a stored verdict points to."""
        # Added only without a fence, so that all other prompts keep the hash that stored verdicts point to.
        unfenced = "" if self.header.fence else "\nfence = false"
        return hashlib.sha256(f"{self.header.name}\n{self.body}{unfenced}".encode()).hexdigest()[:12]

    @cached_property
    def slots(self) -> frozenset[str]:
        """Names of the slots; a slot that is more than a name is refused."""
        return frozenset(self._parts[1::2])

    @cached_property
    def _parts(self) -> tuple[str, ...]:
        """Words and slots in turn, words first: what rendering puts together."""
        parts = _SLOT.split(self.body.removesuffix("\n"))
        parts[1::2] = map(str.strip, parts[1::2])
        for number, part in enumerate(parts):
            plain = (part.isidentifier() and not iskeyword(part)) if number % 2 else "[[" not in part
            if not plain:
                before = "".join(parts[:number]) + part.partition("[[")[0]
                line = 1 + before.count("\n")
                raise InputError(f"{self.where}:{line}: a slot holds a plain name, such as [[place]].")
        return tuple(parts)

    def render(self, **values: str) -> str:
        """The words with each slot filled once; values are put in as they are and never read.

        Raises:
            InputError: a slot without a value, or a value without a slot that is not optional.
        """
        if values.keys() != self.slots:
            missing = sorted(self.slots - values.keys())
            extra = sorted(values.keys() - self.slots - set(self.header.optional))
            if missing or extra:
                what = f"no value for {missing}" if missing else f"no slot for {extra}"
                raise InputError(f"Prompt {self.header.name}: {what}.")
        filled = [*self._parts]
        filled[1::2] = map(values.__getitem__, filled[1::2])
        return "".join(filled)


def preceded(words: str, preface: str) -> str:
    """Words with what is told before them; as they are where that is nothing."""
    return f"{preface}\n\n{words}" if preface else words


ReadPrompt = Callable[[Path], Prompt]
"""Gives the prompt of a file: as it stands there, or in other words."""


def prompts_in(folder: Path) -> Callable[[str], Prompt]:
    """The prompts of a folder by the names of their files, each read once."""
    return cache(lambda name: Prompt.read(folder / f"{name}.prompt.md"))


def _parted(text: str, where: str) -> tuple[PromptHeader | None, str]:
    """Header, if there is one, and words."""
    parts = text.split("+++\n", 2)
    if len(parts) == 1 or parts[0].strip():
        return None, text.strip("\n")
    if len(parts) == 2:
        raise InputError(f"{where}: its header has no end; expected '+++', TOML, '+++' and the words.")
    try:
        header = tomli.loads(parts[1])
    except UNREADABLE as error:
        raise InputError(f"{where}: header is not TOML ({error}).") from error
    found = build(PromptHeader, header, where=where)
    if not LANGUAGE_TAG.fullmatch(found.language):
        raise InputError(f"{where}: language '{found.language}' is no BCP 47 tag; expected such as en or es-MX.")
    return found, parts[2].strip("\n")


def _marked(slots: Iterable[str]) -> str:
    return ", ".join(f"[[{slot}]]" for slot in sorted(slots)) or "none"
