"""A pack of norms: a folder of TOML files, one for each place, read into nouns.

Files → norms with their items, a field for each rung. A further rung is a further dataclass and a field of
`PackNorm` with the name of its table.
"""

from dataclasses import dataclass, fields
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

from mores.core.codec import build, digest, read_toml
from mores.core.errors import InputError
from mores.core.norm import Norm
from mores.norms.places import find

BUNDLED = Path(__file__).parent / "pack"

Label = Literal["yes", "no", "neutral"]
"""Is the act acceptable by the norm? `neutral`: the norm says nothing about it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One option of a question, true or false on its own."""

    text: str
    true: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class KnowItem:
    """Rung `know`: a question with statements that are judged one by one, at least one of them true."""

    question: str
    options: tuple[Statement, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeItem:
    """Rung `judge`: a scene, a question about the act that ends it, the label and why the norm decides so."""

    story: str
    question: str
    label: Label
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PackNorm:
    """A norm with its items, a field for each rung."""

    norm: Norm
    know: KnowItem
    judge: JudgeItem


@dataclass(frozen=True, slots=True, kw_only=True)
class PackHeader:
    """What `pack.toml` says of a pack: its id, name and version."""

    id: str
    name: str
    version: str


BUNDLED_HEADER = PackHeader(id="mores", name="The norms bundled with mores", version="1-A")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pack:
    """A pack: its header, its norms by id, and the digest of every word in it."""

    id: str
    name: str
    version: str
    norms: tuple[PackNorm, ...]
    fingerprint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _File:
    place: str
    norm: list[dict[str, Any]]


def load_pack(folder: Path | None = None) -> Pack:
    """Pack of a folder, or the bundled one: norms sorted by id, however they lie in the files.

    A folder holds a file for each place, such as `JP.toml`, and may hold `pack.toml` with `id`, `name` and
    `version`; without it the folder's name is id and name, and the version is 0.

    Raises:
        InputError: a file cannot be read, a field is unknown, missing or of another kind, a norm's id is used
            twice, or the folder holds no norms; the line names the file and the norm.
    """
    home = folder or BUNDLED
    header = _header(home)
    files = sorted(path for path in home.glob("*.toml") if path.name != "pack.toml")
    norms = tuple(sorted((norm for path in files for norm in _norms(path)), key=lambda n: n.norm.id))
    if not norms:
        raise InputError(f"{home}: no norms; expected a folder with a TOML file for each place, such as JP.toml.")
    _refuse_twins(norms, home)
    return Pack(id=header.id, name=header.name, version=header.version, norms=norms, fingerprint=digest(norms))


def _header(home: Path) -> PackHeader:
    path = home / "pack.toml"
    if path.exists():
        return build(PackHeader, read_toml(path), where=str(path))
    return BUNDLED_HEADER if home == BUNDLED else PackHeader(id=home.name, name=home.name, version="0")


def _norms(path: Path) -> list[PackNorm]:
    file = build(_File, read_toml(path), where=str(path))
    place = find(file.place, where=str(path)).id
    return [_norm(row, place, f"{path}: {row.get('id', f'norm {number}')}") for number, row in enumerate(file.norm, 1)]


def _norm(row: dict[str, Any], place: str, where: str) -> PackNorm:
    """One table `[[norm]]`: the tables of rungs are items, all else is the norm's own."""
    kinds: dict[str, Any] = {f.name: f.type for f in fields(PackNorm) if f.name != "norm"}
    missing = sorted(kinds.keys() - row.keys())
    if missing:
        raise InputError(f"{where}: no table {missing}; each norm has {sorted(kinds)}.")
    if "place" in row:
        raise InputError(f"{where}: unknown field ['place']; the place stands once, at the head of the file.")
    own = {key: value for key, value in row.items() if key not in kinds}
    items = {rung: build(kind, row[rung], where=f"{where}: {rung}") for rung, kind in kinds.items()}
    return PackNorm(norm=build(Norm, {**own, "place": place}, where=where), **items)


def _refuse_twins(norms: tuple[PackNorm, ...], home: Path) -> None:
    for one, other in pairwise(norms):
        if one.norm.id == other.norm.id:
            raise InputError(f"{home}: two norms are called '{one.norm.id}'; each id is used once.")
