"""The pack of norms that a folder of data stands for, and how far that pack was checked.

A folder with a TOML file is a pack, as `load_pack` reads it. A study of several benchmarks has one folder for all, so
one without TOML files stands for the bundled pack, and whoever reads the figures is told so.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from mores.benchmarks.benchmark import Setting
from mores.core.errors import InputError
from mores.core.estimate import SEPARATE
from mores.core.languages import ENGLISH, language_of
from mores.core.norm import Norm, Source
from mores.norms.pack import Pack, PackNorm, load_pack, parallel
from mores.norms.places import place

PackOf = Callable[[Setting], Pack]
PACK_REGION = "pack_region"
"""Kind of group: the region that the pack itself puts a place into."""
CONTESTED, BOUNDARY = "contested", "boundary"
"""Kinds of what is scored separately: norms that are known to be disputed in their place, and items at a boundary."""


def pack_of(data: Path | None) -> Pack:
    """The pack in a folder; the bundled one where no folder is named, or where it holds other data alone.

    Raises:
        InputError: there is no such folder, it is a file, or the pack in it cannot be read.
    """
    if data is None or not _is_own(data):
        return load_pack()
    return _read_once(data, tuple((path.name, path.stat().st_mtime_ns) for path in sorted(data.iterdir())))


@lru_cache(maxsize=4)
def _read_once(folder: Path, stamps: tuple[tuple[str, int], ...]) -> Pack:
    """The pack of a folder, read once for all rungs of a run as long as its files stay as they are."""
    _ = stamps
    return load_pack(folder)


def groups_of(entry: PackNorm, *, boundary: bool = False) -> dict[str, str]:
    """Groups of an item of a norm besides its place; without a region where the pack says none, or English.

    A norm that people of the place dispute is scored separately: who breaks it is with some of them. So is an item at
    the boundary of another norm, which who knows the norm alone cannot answer.
    """
    norm, region = entry.norm, {PACK_REGION: entry.region} if entry.region else {}
    separate = {SEPARATE: CONTESTED} if norm.contested else {SEPARATE: BOUNDARY} if boundary else {}
    language = {} if entry.language == ENGLISH else {"language": entry.language}
    return {"domain": norm.domain, **region, "strictness": norm.strictness, **language, **separate}


def name_of(entry: PackNorm) -> str:
    """Name of a norm's place in the language of its pack."""
    return entry.place_name or place(entry.norm.place).name


def where_of(entry: PackNorm) -> str:
    """Name of the place, and the group in it where the norm holds for a part of its people."""
    name = name_of(entry)
    return f"{name} ({entry.norm.subgroup})" if entry.norm.subgroup else name


def describe_norms(data: Path | None) -> tuple[str, ...]:
    """Remarks on a run's norms: the pack they are of, and how many are contested.

    Of the bundled pack the report says it by itself.

    Raises:
        InputError: there is no such folder, it is a file, or the pack in it cannot be read.
    """
    pack = pack_of(data)
    count = f"{len(pack.norms):,} norm{'s' if len(pack.norms) != 1 else ''}"
    own = (f"{count} of the pack {pack.id}, version {pack.version}.",) if _is_own(data) else ()
    contested = describe_contested([entry.norm for entry in pack.norms])
    return (*describe_pack(data), *own, *contested, *describe_boundary(pack.norms), *describe_language(pack))


def describe_language(pack: Pack) -> tuple[str, ...]:
    """Remark on a translated pack: how many speakers of its language checked it; nothing of a pack in English."""
    if pack.language == ENGLISH:
        return ()
    name = language_of(pack.language).name
    people = f"{pack.checked:,} of its speakers have" if pack.checked else "none of its speakers has"
    claim = "" if pack.checked else " No claim between languages rests on it."
    says = f"The items are a translation into {name}, which {people} checked."
    return (f"{says}{claim} Judges are told in English what to do.",)


def describe_pack(data: Path | None) -> tuple[str, ...]:
    """Remark where a folder was named and its norms are not what was used; nothing anywhere else.

    Raises:
        InputError: there is no such folder, or it is a file.
    """
    if data is None or _is_own(data):
        return ()
    pack = load_pack()
    return (
        f"The folder of --data has no pack of norms: the bundled pack {pack.id}, version {pack.version}, was used.",
    )


def describe_contested(norms: Sequence[Norm]) -> tuple[str, ...]:
    """Number of norms that are contested where they are from; nothing where none is."""
    count = sum(bool(norm.contested) for norm in norms)
    are = "norms are" if count != 1 else "norm is"
    return (f"{count:,} {are} contested by people of the place, and scored apart from the others.",) if count else ()


def describe_boundary(entries: Sequence[PackNorm]) -> tuple[str, ...]:
    """Number of items at the boundary of a norm, and of norms that have one; nothing where none has."""
    counts = [
        sum(bool(item.boundary) for item in entry.know) + sum(bool(scene.boundary) for scene in entry.judge)
        for entry in entries
    ]
    items, norms = sum(counts), sum(count > 0 for count in counts)
    if not items:
        return ()
    verb, noun = ("are", "items") if items != 1 else ("is", "item")
    of = f"{norms:,} norm{'s' if norms != 1 else ''}"
    return (f"{items:,} {noun} {verb} at the boundary of {of}, and scored apart from the others.",)


def describe_checking(norms: Sequence[Norm]) -> str:
    """Number of norms, of unverified ones, and of those that people were asked about, in a sentence."""
    unverified = sum(not norm.verified for norm in norms)
    asked = sum(norm.agreement is not None for norm in norms)
    what = f"{len(norms):,} norm{'s' if len(norms) != 1 else ''}"
    many = f"{unverified:,} {'is' if unverified == 1 else 'are'} unverified (no page of the source could be opened)"
    are = many if unverified else "none is unverified"
    people = f"people were asked about {asked:,}" if asked else "nobody was asked yet whether people there agree"
    return " ".join((f"Of {what} {are}; {people}.", *describe_contested(norms)))


def norm_sources(hashes: Mapping[str, str]) -> Mapping[str, str]:
    """Source of the norm of each question; nothing for runs on another pack, or on other words of this."""
    pack = load_pack()
    if hashes.get(f"pack {pack.id} {pack.version}") != pack.fingerprint:
        return {}
    return {
        name.partition("-")[2]: "; ".join(map(_describe_source, each.norm.sources))
        for each in pack.norms
        # Questions of both rungs are numbered alike, so the longer list has all names.
        for name, _ in parallel("know", each.norm.id, max(each.know, each.judge, key=len))
    }


def _describe_source(source: Source) -> str:
    doubt = "" if source.verified else "; unverified, as no page of it could be opened"
    return f"{', '.join(filter(None, (source.title, source.url)))} (looked up {source.looked_up}{doubt})"


def _is_own(data: Path | None) -> bool:
    if data is None:
        return False
    if not data.is_dir():
        what = "a file" if data.exists() else "no such folder"
        raise InputError(
            f"--data {data}: {what}; for the ladder expected a folder with pack.toml and a TOML file for each place. "
            "Name that folder, or leave --data out for the bundled norms."
        )
    return any(data.glob("*.toml"))
