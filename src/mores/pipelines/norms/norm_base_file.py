"""A norm in a base that is being built, and the base as a file.

One JSON Lines file ⇄ one base: a first line that says what it is and what it was made from, then a norm a line, in the
order of the ids. The statements are what many people of a place say, as their source words them.
"""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Literal

import msgspec
from msgspec.structs import replace

from mores.core.codec import build, digest, encode_lines, parse_lines, read_text
from mores.core.errors import InputError
from mores.core.norm import Domain, Strictness
from mores.pipelines.pipeline import NOT_KNOWN

FORMAT: Literal["mores norms 1"] = "mores norms 1"
BASE = "norms.jsonl"
"""File of a base in a build's folder."""


class BuiltNorm(msgspec.Struct, frozen=True, kw_only=True):
    """One norm; `source` says where it was found, `agreement` which share of asked people agree, where any were asked.

    `strictness` is None where not all three labellers gave a label, and `votes` is what each said, or why it gave
    none. `negation` is empty where there is none that could be used, and `unnegated` then says why, if a model was
    asked. `duplicates` are ids of norms that say the same and were dropped for it.
    """

    id: str
    place: str
    statement: str
    source: str
    domain: Domain | None = None
    topic: str = ""
    subgroup: str = ""
    agreement: float | None = None
    strictness: Strictness | None = None
    votes: tuple[str, ...] = ()
    negation: str = ""
    unnegated: str = ""
    duplicates: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The statement, after the subgroup that it is said of where the source names one."""
        return f"{self.subgroup}: {self.statement}" if self.subgroup else self.statement


class BaseHead(msgspec.Struct, frozen=True, kw_only=True):
    """The first line of a base: its version is the hash of its norms, so that equal bases have equal ones."""

    base: Literal["mores norms 1"] = FORMAT
    version: str
    norms: int
    made_from: dict[str, str]
    licences: dict[str, str] = msgspec.field(default_factory=dict)
    simulated: bool
    checked_by_people: bool = False

    @property
    def licence(self) -> str:
        """Under which licence each of its sources is, in words."""
        return "; ".join(f"{name}: {self.licences.get(name, NOT_KNOWN)}" for name in self.made_from)


class Base(msgspec.Struct, frozen=True, kw_only=True):
    """A norm base as it lies in a file."""

    head: BaseHead
    norms: tuple[BuiltNorm, ...]


def base_of(
    norms: tuple[BuiltNorm, ...],
    made_from: dict[str, str],
    *,
    simulated: bool,
    licences: Mapping[str, str] = MappingProxyType({}),
) -> Base:
    """The base of some norms, in the order of their ids."""
    ordered = tuple(sorted(norms, key=lambda norm: norm.id))
    head = BaseHead(
        version=digest(ordered), norms=len(ordered), made_from=made_from, licences=dict(licences), simulated=simulated
    )
    return Base(head=head, norms=ordered)


def base_lines(base: Base) -> bytes:
    """The base as a file holds it."""
    return encode_lines((base.head, *base.norms))


def read_base(path: Path) -> Base:
    """The base in a file, or in the folder of a build.

    Raises:
        InputError: there is none, a norm is malformed, or an id stands twice.
    """
    path = path / BASE if path.is_dir() else path
    if not path.is_file():
        raise InputError(f"{path}: no norm base is there; make one: mores build norms SOURCE.")
    rows = list(parse_lines(read_text(path), where=str(path), expected="an object with a norm's fields"))
    if not rows or rows[0][1].get("base") != FORMAT:
        raise InputError(f"{path}: no norm base; expected JSON Lines that mores build norms wrote.")
    head = build(BaseHead, rows[0][1], where=f"{path}:1")
    norms = tuple(build(BuiltNorm, row, where=f"{path}:{line}") for line, row in rows[1:])
    repeated = next((name for name, count in Counter(norm.id for norm in norms).items() if count > 1), None)
    if repeated is not None:
        raise InputError(f"{path}: id '{repeated}' stands twice; expected once.")
    ordered = tuple(sorted(norms, key=lambda norm: norm.id))
    # People may correct a base by hand: it is then another version.
    return Base(head=replace(head, version=digest(ordered), norms=len(ordered)), norms=ordered)
