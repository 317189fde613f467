"""Sources of a town's norms: a pack, rows of CultureBank, or a file of norms in our own layout.

Source → norms that wait for their kinds of location, with the words that tell them, and what was dropped and why.
CultureBank's groups are resolved by `norms.groups`: a group of several places gives a norm for each, and a group that
is no place is dropped, never forced into one.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from mores.benchmarks.data_tables import DataRow, agreed, filled, hash_table, read_table
from mores.core.codec import digest
from mores.core.errors import InputError
from mores.norms.groups import CulturalGroup, GroupKind, find_group
from mores.norms.norm_base import BaseHeader, TownNorm, read_base
from mores.norms.pack import PackNorm, load_pack

WITH_COUNTRY = ("GB-ENG",)
"""Parts whose people also have their country's norms, unless a base says otherwise. Of the British far more is told
than of the English, and most of it where English people are meant; Scots and others keep their own alone."""
FEW_AGREE = "few of the group agree"
REPEATED = "another row has the same words"
NO_PLACE: dict[GroupKind, str] = {"region": "the group is a region", "other": "the group is no place"}
_GROUP = ("cultural_group", "cultural group")
_AGREED = ("norm_label", "normative", "norm", "agreement")
_DESCRIPTIONS = (
    "sentence", "actor", "actor_behavior", "goal", "recipient", "relation", "recipient_behavior", "other_descriptions",
    "topic",
)  # fmt: skip
_ABSENT = frozenset({"", "none", "nan", "n/a"})


class Candidate(Struct, frozen=True, kw_only=True):
    """A norm that waits for its kinds of location: the words that tell them, and the context where it is apart."""

    norm: TownNorm
    words: str
    context: str = ""


class DroppedNorm(Struct, frozen=True, kw_only=True):
    """A row that was left out: its id, the group it speaks of, its words, and the reason."""

    id: str
    group: str
    words: str
    reason: str


class ImportedTownNorms(Struct, frozen=True, kw_only=True):
    """Contents of a source: the number of rows read, the norms that wait, and what was dropped; all by id."""

    made_from: str
    with_country: tuple[str, ...] = WITH_COUNTRY
    rows: int
    candidates: tuple[Candidate, ...]
    dropped: tuple[DroppedNorm, ...] = ()


def from_pack(folder: Path | None = None) -> ImportedTownNorms:
    """The norms of a pack, by default the bundled one; domain and topic are their context.

    Raises:
        InputError: the pack cannot be read.
    """
    pack = load_pack(folder)
    return ImportedTownNorms(
        made_from=f"pack {pack.id} {pack.version} {pack.fingerprint}",
        rows=len(pack.norms),
        candidates=tuple(_of_pack(entry) for entry in pack.norms),
    )


def from_file(path: Path) -> ImportedTownNorms:
    """The norms of a file: rows of CultureBank (CSV or JSON Lines), or norms in our own JSON Lines.

    Raises:
        InputError: the file cannot be read or has neither layout, or a row of it cannot be used.
    """
    columns = next(read_table(path, ())).cells
    if any(name in columns for name in _GROUP):
        return _culturebank(path)
    if path.suffix == ".jsonl" and ("base" in columns or "statement" in columns):
        return _own(path)
    raise InputError(
        f"{path}: columns are {sorted(columns)}; expected rows of CultureBank with cultural_group, or JSON Lines of "
        f"norms (.jsonl) with id, place, statement and source."
    )


def _of_pack(entry: PackNorm) -> Candidate:
    norm = entry.norm
    pages = "; ".join(f"{each.title} <{each.url}>, looked up {each.looked_up}" for each in norm.sources)
    source = pages if norm.verified else f"{pages}, not verified"
    mapped = TownNorm(id=norm.id, place=norm.place, statement=norm.statement, source=source)
    return Candidate(norm=mapped, words=norm.statement, context=f"{norm.domain}; {norm.topic}")


def _own(path: Path) -> ImportedTownNorms:
    header = BaseHeader(made_from=path.name, made_by="people", with_country=WITH_COUNTRY)
    base = read_base(path, header)
    return ImportedTownNorms(
        made_from=_named(path),
        with_country=base.header.with_country,
        rows=len(base.norms),
        candidates=tuple(Candidate(norm=norm, words=norm.statement) for norm in base.norms),
    )


def _named(path: Path) -> str:
    """A file's name with its hash, whatever folder it lies in."""
    return f"{path.name} {hash_table(path)[path.name][:12]}"


class _BankRow(NamedTuple):
    """A row of CultureBank as it is read."""

    id: str
    group: CulturalGroup
    row: DataRow


def _culturebank(path: Path) -> ImportedTownNorms:
    # By id, so that the base is the same however the file was sorted, and so is which of two repeats stays.
    rows = sorted(_read_rows(path), key=lambda each: each.id)
    candidates: dict[str, Candidate] = {}
    dropped: list[DroppedNorm] = []
    for each in rows:
        if reason := _reason(each, candidates):
            dropped.append(DroppedNorm(id=each.id, group=each.group.label, words=_words(each.row), reason=reason))
        else:
            candidates |= {found.norm.id: found for found in _candidates(each)}
    return ImportedTownNorms(
        made_from=_named(path),
        rows=len(rows),
        candidates=tuple(candidates.values()),
        dropped=tuple(dropped),
    )


def _read_rows(path: Path) -> Iterator[_BankRow]:
    """The rows of a table; one without an id is called by its words, so that the order of rows does not matter.

    Raises:
        InputError: a row names no group, says nothing, has an unreadable label, or an id that was used above.
    """
    seen: set[str] = set()
    for row in read_table(path, ()):
        column = next((name for name in _GROUP if name in row.cells), _GROUP[0])
        group = find_group(filled(row, column).strip()) if column in row.cells else None
        if group is None or not _statement(row):
            raise InputError(f"{row.where}: expected cultural_group, and sentence or actor_behavior with words in it.")
        given = row.cells.get("id", "").strip() or row.cells.get("", "").strip()
        if given and given in seen:
            raise InputError(f"{row.where}: the id '{given}' is used above already; each id is used once.")
        seen.add(given)
        yield _BankRow(f"culturebank-{given or digest([group.label, row.cells])}", group, row)


def _reason(entry: _BankRow, known: dict[str, Candidate]) -> str:
    """Reason that a row is dropped; empty where it is kept."""
    if entry.group.kind in NO_PLACE:
        return NO_PLACE[entry.group.kind]
    column = next((name for name in _AGREED if entry.row.cells.get(name, "").strip()), None)
    if column is not None and not agreed(entry.row, column):  # a table without such a column is of what most agree on
        return FEW_AGREE
    return REPEATED if any(name in known for name in _ids(entry)) else ""


def _ids(entry: _BankRow) -> tuple[str, ...]:
    """Ids of the norms of a row: its own, with the place where it speaks of several."""
    places = entry.group.places
    return (entry.id,) if len(places) == 1 else tuple(f"{entry.id}@{place}" for place in places)


def _candidates(entry: _BankRow) -> Iterator[Candidate]:
    context, origin = _cell(entry.row, "context"), _cell(entry.row, "source")
    setting = f" ({context})" if context else ""
    source = f"CultureBank{f' ({origin})' if origin else ''}, of the group '{entry.group.label}'"
    for name, place in zip(_ids(entry), entry.group.places, strict=True):
        statement = f"Said of many {entry.group.label}{setting}: {_statement(entry.row)}"
        norm = TownNorm(id=name, place=place, statement=statement, source=source)
        yield Candidate(norm=norm, words=_words(entry.row), context=context)


def _statement(row: DataRow) -> str:
    return _cell(row, "sentence") or _cell(row, "actor_behavior")


def _words(row: DataRow) -> str:
    """All that a row tells, its context apart."""
    return ". ".join(words for name in _DESCRIPTIONS if (words := _cell(row, name)))


def _cell(row: DataRow, name: str) -> str:
    words = row.cells.get(name, "").strip()
    return "" if words.casefold() in _ABSENT else words
