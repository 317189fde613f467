"""A pack of norms: a folder of TOML files, one for each place, read into nouns.

Files → norms with their items, a field for each rung. A further rung is a further class and a field of `PackNorm` with
the name of its table. Judgements of norms by people of a place are lines of `agreement.jsonl` in the folder.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from msgspec import Struct, field
from msgspec.structs import fields, replace

from mores.core.codec import build, digest, encode_lines, parse_lines, read_text, read_toml
from mores.core.errors import InputError
from mores.core.norm import Norm
from mores.norms.items import UNKNOWN, ConverseItem, ExplainItem, JudgeItem, KnowItem, LiveItem, Statement, SwappedPlace
from mores.norms.places import find

FILE = "agreement.jsonl"


class NormSurvey(Struct, frozen=True, kw_only=True):
    """Counts of people who were asked about one norm, by their answers."""

    norm: str
    asked: int
    agree: int
    depends: int
    disagree: int
    dont_know: int

    @property
    def agreement(self) -> float:
        """Share of the asked people who agree."""
        return self.agree / self.asked


def read_survey(path: Path) -> dict[str, NormSurvey]:
    """Surveys of norms, by their ids.

    Raises:
        InputError: the file cannot be read, a line is malformed or its numbers do not add up, or a norm stands twice.
    """
    found: dict[str, NormSurvey] = {}
    for number, row in parse_lines(read_text(path), where=str(path), expected="an object with a norm's answers"):
        where = f"{path}:{number}"
        asked = build(NormSurvey, row, where=where)
        counts = (asked.agree, asked.depends, asked.disagree, asked.dont_know)
        if asked.asked < 1 or min(counts) < 0 or sum(counts) != asked.asked:
            raise InputError(
                f"{where}: {asked.norm}: {asked.asked} asked, answers {list(counts)}; expected as many answers."
            )
        if found.setdefault(asked.norm, asked) is not asked:
            raise InputError(f"{where}: {asked.norm} stands twice; expected each norm once.")
    return found


def merged(files: Sequence[Mapping[str, NormSurvey]]) -> bytes:
    """The file of a pack: what later files say of a norm stands in for what earlier ones say."""
    every = {norm: asked for file in files for norm, asked in file.items()}
    return encode_lines(every[norm] for norm in sorted(every))


_NEEDED = ("know", "judge")
_HEADS = ("region", "place_name")
"""Fields of a norm that stand once, at the head of its file."""
BUNDLED = Path(__file__).parent / "pack"
PARALLEL = "~"
"""Between a norm's id and the number of a question on it after the first."""
_Asked = TypeVar("_Asked")


class PackNorm(Struct, frozen=True, kw_only=True):
    """A norm with its items, a field for each rung; a pack may do without those of the upper rungs.

    The questions of `know`, and the scenes of `judge`, are parallel: each asks for the norm by itself. `masked` says
    what stands for the words of its items that give the place away, where the place is not to be known. `region` is
    that of the place, in the words of the pack, where it says one.
    """

    norm: Norm
    know: tuple[KnowItem, ...]
    judge: tuple[JudgeItem, ...]
    explain: ExplainItem | None = None
    converse: ConverseItem | None = None
    live: LiveItem | None = None
    masked: dict[str, str] = field(default_factory=dict)
    swapped: SwappedPlace | None = None
    region: str = ""
    place_name: str = ""
    language: str = "en"


class BundleNorm(Struct, frozen=True, kw_only=True):
    """A norm of a bundle by its id, and what an answer may say where it comes up: keep it, leave it open, break it."""

    id: str
    satisfied: str
    neutral: str
    violated: str


class ApplyItem(Struct, frozen=True, kw_only=True):
    """Rung `apply`: an open question in which several norms of one place come up, and which names none of them.

    On the rung `live` a bundle is one resident's day; `day` is what that person is after, where the pack says so.
    `masked` is for its question what that of a norm is for its items.
    """

    id: str
    question: str
    norm: tuple[BundleNorm, ...]
    day: str = ""
    masked: dict[str, str] = field(default_factory=dict)


class Erratum(Struct, frozen=True, kw_only=True):
    """A correction of an item that was published: what was changed, why, and in which version of the pack.

    `item` is as in a run, such as `know-JP-naming-honorifics~2`; it may be of a norm that was taken out.
    """

    item: str
    change: str
    why: str
    version: str


class FirstNames(Struct, frozen=True, kw_only=True):
    """First names that people of a place have, at least one of each."""

    female: tuple[str, ...]
    male: tuple[str, ...]


class PackHeader(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Header of a pack in `pack.toml`: its id, name and version.

    `language` is that of its items, as a BCP 47 tag. A translation has the fingerprint of the pack that it was
    `translated_from`, and the number of speakers of the language who `checked` it.
    """

    id: str
    name: str
    version: str
    language: str = "en"
    translated_from: str = ""
    checked: int = 0


BUNDLED_HEADER = PackHeader(id="mores", name="The norms bundled with mores", version="3-A")


class Pack(Struct, frozen=True, kw_only=True):
    """A pack: its header, its norms by id, first names by place where it has them, and the digest of all its words.

    `errata` are its corrections since it was published, by item; they are no words of its items and not in the digest.
    `language` is that of its items; so many of its speakers `checked` a translation.
    """

    id: str
    name: str
    version: str
    norms: tuple[PackNorm, ...]
    bundles: tuple[ApplyItem, ...]
    fingerprint: str
    names: dict[str, FirstNames] = field(default_factory=dict)
    errata: tuple[Erratum, ...] = ()
    language: str = "en"
    checked: int = 0


class _File(Struct, frozen=True, kw_only=True):
    place: str
    region: str = ""
    place_name: str = ""
    names: FirstNames | None = None
    norm: list[dict[str, Any]]
    bundle: list[dict[str, Any]] = field(default_factory=list)
    erratum: tuple[Erratum, ...] = ()


class _Read(NamedTuple):
    """Contents of a file."""

    place: str
    region: str
    norms: tuple[PackNorm, ...]
    bundles: tuple[ApplyItem, ...]
    names: FirstNames | None
    errata: tuple[Erratum, ...]


def parallel(rung: str, norm: str, items: Sequence[_Asked]) -> Iterator[tuple[str, _Asked]]:
    """Items of one norm on one rung, each with its name.

    >>> dict(parallel("know", "JP-1", ["a", "b"]))
    {'know-JP-1': 'a', 'know-JP-1~2': 'b'}
    """
    for number, item in enumerate(items, start=1):
        yield (f"{rung}-{norm}" if number == 1 else f"{rung}-{norm}{PARALLEL}{number}"), item


def load_pack(folder: Path | None = None) -> Pack:
    """Pack of a folder, or the bundled one: norms sorted by id, however they lie in the files.

    A folder holds a file for each place, such as `JP.toml`, and may hold `pack.toml` with `id`, `name` and
    `version`; without it the folder's name is id and name, and the version is 0. What people said of the norms stands
    in its `agreement.jsonl`. One place's file is read as a pack of its own.

    Raises:
        InputError: a file cannot be read, a field is unknown, missing or of another kind, a norm's id is used
            twice, or the folder holds no norms; the line names the file and the norm.
    """
    return _bundled() if folder is None else _pack_of(folder)


@cache
def _bundled() -> Pack:
    """The bundled pack, read once."""
    return _pack_of(BUNDLED)


def _pack_of(home: Path) -> Pack:
    header = read_header(home)
    files = [home] if home.is_file() else sorted(path for path in home.glob("*.toml") if path.name != "pack.toml")
    read = [_read(path) for path in files]
    _refuse_two_regions(read, home)
    written = (replace(norm, language=header.language) for file in read for norm in file.norms)
    norms = _agreed(sorted(written, key=lambda n: n.norm.id), home / FILE)
    bundles = tuple(sorted((bundle for file in read for bundle in file.bundles), key=lambda b: b.id))
    if not norms:
        raise InputError(f"{home}: no norms; expected a folder with a TOML file for each place, such as JP.toml.")
    _refuse_duplicates([norm.norm.id for norm in norms], "norms", home)
    _refuse_duplicates([bundle.id for bundle in bundles], "bundles", home)
    names = {file.place: file.names for file in read if file.names is not None}
    return Pack(
        id=header.id,
        name=header.name,
        version=header.version,
        norms=norms,
        bundles=bundles,
        # A pack without names keeps the fingerprint that it had before packs could have names.
        fingerprint=digest([norms, bundles, names] if names else [norms, bundles]),
        names=names,
        language=header.language,
        checked=header.checked,
        errata=tuple(sorted((each for file in read for each in file.errata), key=lambda e: (e.item, e.version))),
    )


def _agreed(norms: list[PackNorm], path: Path) -> tuple[PackNorm, ...]:
    """The norms, with the share of people who agree where a file beside them says so."""
    asked = read_survey(path) if path.is_file() else {}
    strangers = sorted(asked.keys() - {each.norm.id for each in norms})
    if strangers:
        raise InputError(f"{path}: {strangers[0]} is no norm of the pack; expected ids of its norms.")
    return tuple(
        replace(each, norm=replace(each.norm, agreement=asked[each.norm.id].agreement))
        if each.norm.id in asked
        else each
        for each in norms
    )


def read_header(home: Path) -> PackHeader:
    """The header of a pack's folder; one without a `pack.toml` is named after the folder.

    Raises:
        InputError: its `pack.toml` cannot be read, or is no header.
    """
    path = home / "pack.toml"
    if path.exists():
        return build(PackHeader, read_toml(path), where=str(path))
    return BUNDLED_HEADER if home == BUNDLED else PackHeader(id=home.name, name=home.name, version="0")


def _read(path: Path) -> _Read:
    file = build(_File, read_toml(path), where=str(path))
    place = find(file.place, where=str(path)).id
    for field_name in ("region", "place_name"):
        name = getattr(file, field_name)
        if name and not _in_a_line(name):
            raise InputError(f"{path}: {field_name} is {name!r}; expected its name, in one line.")
    read = [_norm(row, place, f"{path}: {row.get('id', f'norm {number}')}") for number, row in enumerate(file.norm, 1)]
    norms = [replace(norm, region=file.region, place_name=file.place_name) for norm in read]
    known = {norm.norm.id for norm in norms}
    if file.names is not None:
        _refuse_nameless(file.names, f"{path}: names")
    bundles = [_bundle(row, known, f"{path}: {row.get('id', f'bundle {n}')}") for n, row in enumerate(file.bundle, 1)]
    return _Read(place, file.region, tuple(norms), tuple(bundles), file.names, file.erratum)


def _refuse_two_regions(read: Sequence[_Read], home: Path) -> None:
    """A place that files put into several regions, or of which one file says none."""
    regions: dict[str, str] = {}
    for file in read:
        before = regions.setdefault(file.place, file.region)
        if before != file.region:
            raise InputError(f"{home}: {file.place} is of the regions {before!r} and {file.region!r}; expected one.")


def _refuse_nameless(names: FirstNames, where: str) -> None:
    """A list without a name, or a name that cannot stand in a line."""
    if not (names.female and names.male):
        raise InputError(f"{where}: {len(names.female)} female and {len(names.male)} male; expected one of each.")
    for name in (*names.female, *names.male):
        if not _in_a_line(name):
            raise InputError(f"{where}: {name!r} is no name; expected words in one line.")


def _in_a_line(words: str) -> bool:
    return bool(words.strip()) and words.isprintable()


def _bundle(row: dict[str, Any], known: set[str], where: str) -> ApplyItem:
    """One table `[[bundle]]`, of norms that stand in the same file, each once."""
    bundle = build(ApplyItem, row, where=where)
    ids = [norm.id for norm in bundle.norm]
    strangers = sorted(set(ids) - known)
    if strangers or not ids or len(set(ids)) < len(ids):
        raise InputError(f"{where}: norms are {ids}; expected ids of this file's norms, each once.")
    return bundle


def _norm(row: dict[str, Any], place: str, where: str) -> PackNorm:
    """One table `[[norm]]`: the tables of rungs are items, all else is the norm's own."""
    kinds: dict[str, Any] = {f.name: f.type for f in fields(PackNorm) if f.name not in ("norm", "language", *_HEADS)}
    missing = sorted(name for name in _NEEDED if not row.get(name))
    if missing:
        raise InputError(f"{where}: no table {missing}; each norm has {sorted(_NEEDED)}.")
    # A place of its own would be overwritten below by that of the file, without a word.
    for head in sorted({"place", *_HEADS} & row.keys()):
        raise InputError(f"{where}: unknown field ['{head}']; the {head} stands once, at the head of the file.")
    row = {**row, **{name: _as_list(row[name]) for name in _NEEDED}}
    own = {key: value for key, value in row.items() if key not in kinds}
    if "source" in own:
        own["sources"] = _as_list(own.pop("source"))
    items = {rung: build(kind, row[rung], where=f"{where}: {rung}") for rung, kind in kinds.items() if rung in row}
    entry = PackNorm(norm=build(Norm, {**own, "place": place}, where=where), **items)
    if entry.live is not None and not _in_a_line(entry.live.task):
        raise InputError(f"{where}: live: task is {entry.live.task!r}; expected what there is to do, in one line.")
    if not entry.norm.sources:
        raise InputError(f"{where}: no table [norm.source]; expected where the norm was looked up.")
    for rung, asked in (("know", entry.know), ("judge", entry.judge)):
        _refuse_baseless(asked, entry.norm, f"{where}: {rung}")
    return replace(entry, know=_known(entry, where), swapped=_swapped(entry, where))


def _refuse_baseless(asked: Sequence[KnowItem | JudgeItem], norm: Norm, where: str) -> None:
    """A boundary that no source of the norm speaks of, or one before an item on the norm itself."""
    addresses = {source.url for source in norm.sources}
    for number, item in enumerate(asked, start=1):
        if item.boundary and item.boundary not in addresses:
            raise InputError(
                f"{where} {number}: boundary is {item.boundary!r}; expected the url of one of its sources."
            )
    ends = [bool(item.boundary) for item in asked]
    if ends[0] or ends != sorted(ends):
        raise InputError(f"{where}: an item with boundary stands before one without; expected those of the norm first.")


def _known(entry: PackNorm, where: str) -> tuple[KnowItem, ...]:
    """The questions of a norm, with the places where false statements are true by their ids."""
    return tuple(
        replace(
            item, options=tuple(_option(option, entry.norm.place, f"{where}: know {number}") for option in item.options)
        )
        for number, item in enumerate(entry.know, start=1)
    )


def _option(option: Statement, place: str, where: str) -> Statement:
    if not option.elsewhere:
        return option
    if option.true:
        raise InputError(f"{where}: elsewhere is on a true statement; expected it on false ones alone.")
    other = find(option.elsewhere, where=f"{where}: elsewhere").id
    if other == place:
        raise InputError(f"{where}: elsewhere is {other}, the norm's own place; expected one where it is true.")
    return replace(option, elsewhere=other)


def _as_list(tables: Any) -> Any:
    """One table as the only one of a list, so that [norm.know] and [[norm.know]] are both read."""
    return [tables] if isinstance(tables, dict) else tables


def _swapped(entry: PackNorm, where: str) -> SwappedPlace | None:
    """The other place of a norm, by its id; what is right there has an entry for each item on the norm, or none."""
    found = entry.swapped
    if found is None:
        return None
    other = find(found.place, where=f"{where}: swapped").id
    if other == entry.norm.place:
        raise InputError(f"{where}: swapped: place is {other}, the norm's own; expected one whose norm differs.")
    for rung, answers, asked in (("know", found.know, entry.know), ("judge", found.judge, entry.judge)):
        own = sum(not item.boundary for item in asked)
        if answers and len(answers) != own:
            raise InputError(f"{where}: swapped: {len(answers)} answers on {rung}; expected {own}, or none.")
    for letters in found.know:
        if not re.fullmatch(rf"{UNKNOWN}|none|[a-z](\|[a-z])*", letters):
            raise InputError(f"{where}: swapped: know has {letters!r}; expected letters such as 'a|d', 'none' or '-'.")
    return replace(found, place=other)


def _refuse_duplicates(ids: list[str], what: str, home: Path) -> None:
    for one, other in pairwise(ids):
        if one == other:
            raise InputError(f"{home}: two {what} are called '{one}'; each id is used once.")
