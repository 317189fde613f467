"""Sources of norms: CultureBank, CultureAtlas, CultureForest's norms, NormAd's rules, packs, bases, own columns.

A file is known by its columns. Names of places are resolved, and what names no place is dropped with its reason, never
forced into one. CultureAtlas' negative samples are false sentences, not negations, and are not taken.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from mores.benchmarks.cultureforest.data import DOMAINS
from mores.benchmarks.data_tables import DataRow, filled, hash_table, read_table
from mores.benchmarks.liveculture.norm_sources import ImportedTownNorms as TownGathered
from mores.benchmarks.liveculture.norm_sources import from_file as town_from_file
from mores.core.codec import parse_lines, read_text
from mores.core.errors import InputError, UnknownName
from mores.core.norm import Domain, Strictness
from mores.norms.groups import find_group
from mores.norms.pack import load_pack
from mores.norms.places import find
from mores.pipelines.funnel import Dropped
from mores.pipelines.norms.norm_base_file import BASE, FORMAT, BuiltNorm, read_base

STAGE = "import"
NO_PLACE, NO_WORDS, TWICE = "names no place that is known", "has no words", "its id is used above"
REPEATED = "a row above says the same of its place"
ACCEPTABLE = "acceptable to act against, as its source says"
FOREST = ("norm_id", "norm", "Country/Region", "Category")
ATLAS = ("positive_sample", "country", "keyword")
NORMAD = ("Country", "Story", "Rule-of-Thumb")
OWN = ("id", "place", "statement", "source")
_DOMAINS: dict[str, Domain] = {**{name.casefold(): domain for name, domain in DOMAINS.items()},
                               **{domain: domain for domain in DOMAINS.values()}}  # fmt: skip
_STRICT: dict[str, Strictness] = {"no": "no", "sometimes": "sometimes"}
OURS, PUBLISHED = "CC-BY-4.0", "MIT, as published"
"""Licences: of the bundled pack, and of CultureBank, CultureAtlas and CultureForest alike; NormAd's is its own."""
T = TypeVar("T")


class ImportedNorms(msgspec.Struct, frozen=True, kw_only=True):
    """Norms of some sources: each source's hash, the rows that were read, the norms, and what was dropped and why.

    `licences` are those under which sets of a known layout were published; of tables of one's own none is known.
    `simulated` says that a source was generated in part.
    """

    made_from: dict[str, str]
    licences: dict[str, str] = msgspec.field(default_factory=dict)
    rows: int
    norms: tuple[BuiltNorm, ...]
    dropped: tuple[Dropped, ...] = ()
    simulated: bool = False


def gather(sources: Sequence[str]) -> ImportedNorms:
    """The norms of some sources: files, folders of packs or of norm bases, or `pack` for the bundled one.

    Raises:
        InputError: one cannot be read, has columns that are not known, or two norms have one id.
    """
    parts = [_of_source(source) for source in sources]
    seen: dict[str, str] = {}
    for source, part in zip(sources, parts, strict=True):
        for norm in part.norms:
            if norm.id in seen:
                raise InputError(f"{source}: id '{norm.id}' is used in {seen[norm.id]} too; expected each id once.")
            seen[norm.id] = source
    return ImportedNorms(
        made_from={name: sha for part in parts for name, sha in part.made_from.items()},
        licences={name: licence for part in parts for name, licence in part.licences.items()},
        rows=sum(part.rows for part in parts),
        norms=tuple(norm for part in parts for norm in part.norms),
        dropped=tuple(row for part in parts for row in part.dropped),
        simulated=any(part.simulated for part in parts),
    )


def _of_source(source: str) -> ImportedNorms:
    path = Path(source)
    if (path.suffix == ".jsonl" and _is_base(path)) or (path / BASE).is_file():
        return _base(path)
    if source == "pack" or path.is_dir():
        return _pack(None if source == "pack" else path)
    if not path.is_file():
        raise InputError(f"{source}: no such file; expected a file of norms, a folder of a pack or a base, or pack.")
    columns = next(read_table(path, ())).cells
    layout = next((layout for known, layout in _LAYOUTS.items() if columns.keys() >= set(known)), None)
    if layout is not None:
        return _read(path, layout)
    if any(name in columns for name in ("cultural_group", "cultural group")):
        return _culturebank(path)
    raise InputError(
        f"{path}: columns are {', '.join(columns)}; expected those of CultureBank (cultural_group), CultureAtlas "
        f"({', '.join(ATLAS)}), CultureForest's norms ({', '.join(FOREST)}), NormAd ({', '.join(NORMAD)}), or "
        f"{', '.join(OWN)}."
    )


def _is_base(path: Path) -> bool:
    """True if this package wrote the file: a table of one's own may be JSON Lines too."""
    if not path.is_file():
        return False
    head = next(parse_lines(read_text(path), where=str(path), expected="an object"), (0, {}))[1]
    return head.get("base") == FORMAT


def _base(path: Path) -> ImportedNorms:
    base = read_base(path)
    name = f"norm base {base.head.version}"
    return ImportedNorms(made_from={name: base.head.version}, licences={name: base.head.licence}, rows=len(base.norms),
                    norms=base.norms, simulated=base.head.simulated)  # fmt: skip


def _pack(folder: Path | None) -> ImportedNorms:
    pack = load_pack(folder)
    norms = tuple(
        BuiltNorm(
            id=norm.id, place=norm.place, statement=norm.statement,
            source="; ".join(f"{each.title} <{each.url}>" for each in norm.sources), domain=norm.domain,
            topic=norm.topic, subgroup=norm.subgroup or "", agreement=norm.agreement,
            strictness=norm.strictness, negation=norm.negation,
        )
        for norm in (entry.norm for entry in pack.norms)
    )  # fmt: skip
    name = f"pack {pack.id} {pack.version}"
    licences = {name: OURS} if folder is None else {}
    return ImportedNorms(made_from={name: pack.fingerprint}, licences=licences, rows=len(norms), norms=norms)


def _culturebank(path: Path) -> ImportedNorms:
    found: TownGathered = town_from_file(path)
    lost = (Dropped(unit=row.id, stage=STAGE, reason=row.reason, detail=row.group) for row in found.dropped)
    norms = (
        BuiltNorm(
            id=norm.id, place=norm.place, statement=norm.statement, source=norm.source, topic=candidate.context
        )
        for candidate in found.candidates for norm in (candidate.norm,)
    )  # fmt: skip
    return ImportedNorms(
        made_from=hash_table(path), licences={path.name: PUBLISHED}, rows=found.rows, norms=tuple(norms),
        dropped=tuple(lost),
    )  # fmt: skip


class _Layout(msgspec.Struct, frozen=True, kw_only=True):
    """Columns of a table by their content; a column that a row lacks is empty. Without one of ids rows are counted.

    With `many` rows a norm, as NormAd has many stories a rule, the first row is the norm.
    """

    family: str
    source: str
    id: str = ""
    place: str
    statement: str
    domain: str = "domain"
    topic: str = "topic"
    strictness: str = "strictness"
    negation: str = "negation"
    many: bool = False


_FOREST = _Layout(
    family="cultureforest", source="CultureForest (Cultural Atlas)", id="norm_id", place="Country/Region",
    statement="norm", domain="Category", topic="Topic", strictness="acceptability", negation="norm_negative",
)  # fmt: skip
_ATLAS = _Layout(family="cultureatlas", source="CultureAtlas", place="country", statement="positive_sample",
                 topic="keyword")  # fmt: skip
_NORMAD = _Layout(family="normad", source="NormAd (Cultural Atlas)", place="Country", statement="Rule-of-Thumb",
                  topic="", many=True)  # fmt: skip
_OWN = _Layout(family="", source="", id="id", place="place", statement="statement")
_LAYOUTS = {FOREST: _FOREST, ATLAS: _ATLAS, NORMAD: _NORMAD, OWN: _OWN}
"""By the columns that tell them, in the order in which they are tried."""


def _read(path: Path, layout: _Layout) -> ImportedNorms:
    norms: dict[str, BuiltNorm] = {}
    seen: set[tuple[str, str]] = set()
    lost: list[Dropped] = []
    rows = 0
    for row in read_table(path, ()):
        rows += 1
        found = _norm(row, rows, layout)
        if isinstance(found, Dropped):
            lost.append(found)
        elif found.id in norms:
            lost.append(Dropped(unit=found.id, stage=STAGE, reason=TWICE, detail=row.where))
        elif layout.many and (found.place, found.statement) in seen:
            lost.append(Dropped(unit=found.id, stage=STAGE, reason=REPEATED, detail=row.where, place=found.place))
        else:
            norms[found.id] = found
            seen.add((found.place, found.statement))
    return ImportedNorms(
        made_from=hash_table(path), licences={path.name: PUBLISHED} if layout.family else {}, rows=rows,
        norms=tuple(norms.values()), dropped=tuple(lost),
    )  # fmt: skip


def _norm(row: DataRow, number: int, layout: _Layout) -> BuiltNorm | Dropped:
    name = filled(row, layout.id).strip() if layout.id else str(number)
    name = f"{layout.family}-{name}" if layout.family else name
    words, place = (" ".join(row.cells[column].split()) for column in (layout.statement, layout.place))
    strictness = row.cells.get(layout.strictness, "").strip().casefold()
    if not words:
        return Dropped(unit=name, stage=STAGE, reason=NO_WORDS)
    if strictness == "yes":
        return Dropped(unit=name, stage=STAGE, reason=ACCEPTABLE)
    there = _place(place, row)
    if there is None:
        return Dropped(unit=name, stage=STAGE, reason=NO_PLACE, detail=place)
    return BuiltNorm(
        id=name,
        place=there,
        statement=words,
        source=layout.source or filled(row, "source").strip(),
        domain=_one_of(_DOMAINS, row, layout.domain),
        topic=row.cells.get(layout.topic, "").strip(),
        agreement=_share(row),
        strictness=_one_of(_STRICT, row, layout.strictness),
        negation=" ".join(row.cells.get(layout.negation, "").split()),
    )


def _place(name: str, row: DataRow) -> str | None:
    """The place of a name, or of the people of one place; None where it names none."""
    group = find_group(name)
    if group.kind == "place":
        return group.places[0]
    try:
        return find(name, where=row.where).id
    except UnknownName:
        return None


def _one_of(known: Mapping[str, T], row: DataRow, column: str) -> T | None:
    """Value that a cell names; None where it is empty.

    Raises:
        InputError: it names nothing that is known.
    """
    text = row.cells.get(column, "").strip().casefold()
    if text and text not in known:
        raise InputError(f"{row.where}: {column} is '{row.cells[column]}'; expected one of {', '.join(known)}.")
    return known.get(text)


def _share(row: DataRow) -> float | None:
    """The share of asked people who agree, where the row has one.

    Raises:
        InputError: it is no share.
    """
    text = row.cells.get("agreement", "").strip()
    try:
        share = float(text) if text else None
    except ValueError:
        share = -1.0
    if share is not None and not 0 <= share <= 1:
        raise InputError(f"{row.where}: agreement is '{text}'; expected a share from 0 to 1, or nothing.")
    return share
