"""A pack of norms: a folder of TOML files, one for each place, read into nouns.

Files → norms with their items, a field for each rung. A further rung is a further dataclass and a field of
`PackNorm` with the name of its table.
"""

from dataclasses import dataclass, field, fields, replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, NamedTuple

from mores.core.codec import build, digest, read_toml
from mores.core.errors import InputError
from mores.core.norm import Norm
from mores.norms.asked import FILE, read_asked
from mores.norms.base import LocationKind
from mores.norms.places import find

_NEEDED = ("know", "judge")
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
class ExplainItem:
    """Rung `explain`: another scene, the label, and a model explanation with the points that a full one makes.

    `thin` is an explanation of the same label that sounds well and says nothing of the norm.
    """

    story: str
    question: str
    label: Literal["yes", "no"]
    reference: str
    elements: tuple[str, ...]
    thin: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Character:
    """Somebody in a scene: a first name, and who they are in a sentence."""

    name: str
    who: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConverseLines:
    """What simulated minds say in a talk; `presses` are three ways to push, mild to strong."""

    greeting: str
    proposes: str
    aware: str
    unaware: str
    asks: str
    knows: str
    does_not_know: str
    tells: str
    presses: tuple[str, str, str]
    keeps_and_reaches: str
    keeps_only: str
    reaches_only: str
    neither: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConverseItem:
    """Rung `converse`: a scene for two; the other proposes what goes against the norm, `you` has a goal of its own.

    `third` is somebody from the place whom it concerns.
    """

    scene: str
    other: Character
    you: Character
    proposal: str
    goal: str
    lines: ConverseLines
    third: Character | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveItem:
    """Rung `live`: a task of an ordinary day that brings the norm up and does not name it, and where it leads."""

    kind: LocationKind
    task: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PackNorm:
    """A norm with its items, a field for each rung; a pack may do without those of the upper rungs."""

    norm: Norm
    know: KnowItem
    judge: JudgeItem
    explain: ExplainItem | None = None
    converse: ConverseItem | None = None
    live: LiveItem | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleNorm:
    """A norm of a bundle by its id, and what an answer may say where it comes up: keep it, leave it open, break it."""

    id: str
    satisfied: str
    neutral: str
    violated: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """Rung `apply`: an open question in which several norms of one place come up, and which names none of them.

    On the rung `live` a bundle is one resident's day; `day` is what that person is after, where the pack says so.
    """

    id: str
    question: str
    norm: tuple[BundleNorm, ...]
    day: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstNames:
    """First names that people of a place have, at least one of each."""

    female: tuple[str, ...]
    male: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PackHeader:
    """What `pack.toml` says of a pack: its id, name and version."""

    id: str
    name: str
    version: str


BUNDLED_HEADER = PackHeader(id="mores", name="The norms bundled with mores", version="1-A")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pack:
    """A pack: its header, its norms by id, first names by place where it has them, and the digest of all its words."""

    id: str
    name: str
    version: str
    norms: tuple[PackNorm, ...]
    bundles: tuple[Bundle, ...]
    fingerprint: str
    names: dict[str, FirstNames] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class _File:
    place: str
    names: FirstNames | None = None
    norm: list[dict[str, Any]]
    bundle: list[dict[str, Any]] = field(default_factory=list)


class _Read(NamedTuple):
    """What a file holds."""

    place: str
    norms: tuple[PackNorm, ...]
    bundles: tuple[Bundle, ...]
    names: FirstNames | None


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
    header = _header(home)
    files = [home] if home.is_file() else sorted(path for path in home.glob("*.toml") if path.name != "pack.toml")
    read = [_read(path) for path in files]
    norms = _agreed(sorted((norm for file in read for norm in file.norms), key=lambda n: n.norm.id), home / FILE)
    bundles = tuple(sorted((bundle for file in read for bundle in file.bundles), key=lambda b: b.id))
    if not norms:
        raise InputError(f"{home}: no norms; expected a folder with a TOML file for each place, such as JP.toml.")
    _refuse_twins([norm.norm.id for norm in norms], "norms", home)
    _refuse_twins([bundle.id for bundle in bundles], "bundles", home)
    names = {file.place: file.names for file in read if file.names is not None}
    return Pack(
        id=header.id,
        name=header.name,
        version=header.version,
        norms=norms,
        bundles=bundles,
        fingerprint=digest([norms, bundles, names] if names else [norms, bundles]),
        names=names,
    )


def _agreed(norms: list[PackNorm], path: Path) -> tuple[PackNorm, ...]:
    """The norms, with the share of people who agree where a file beside them says so."""
    asked = read_asked(path) if path.is_file() else {}
    strangers = sorted(asked.keys() - {each.norm.id for each in norms})
    if strangers:
        raise InputError(f"{path}: {strangers[0]} is no norm of the pack; expected ids of its norms.")
    return tuple(
        replace(each, norm=replace(each.norm, agreement=asked[each.norm.id].agreement))
        if each.norm.id in asked
        else each
        for each in norms
    )


def _header(home: Path) -> PackHeader:
    path = home / "pack.toml"
    if path.exists():
        return build(PackHeader, read_toml(path), where=str(path))
    return BUNDLED_HEADER if home == BUNDLED else PackHeader(id=home.name, name=home.name, version="0")


def _read(path: Path) -> _Read:
    file = build(_File, read_toml(path), where=str(path))
    place = find(file.place, where=str(path)).id
    norms = [_norm(row, place, f"{path}: {row.get('id', f'norm {number}')}") for number, row in enumerate(file.norm, 1)]
    known = {norm.norm.id for norm in norms}
    if file.names is not None:
        _refuse_nameless(file.names, f"{path}: names")
    bundles = [_bundle(row, known, f"{path}: {row.get('id', f'bundle {n}')}") for n, row in enumerate(file.bundle, 1)]
    return _Read(place, tuple(norms), tuple(bundles), file.names)


def _refuse_nameless(names: FirstNames, where: str) -> None:
    """A list without a name, or a name that cannot stand in a line."""
    if not (names.female and names.male):
        raise InputError(f"{where}: {len(names.female)} female and {len(names.male)} male; expected one of each.")
    for name in (*names.female, *names.male):
        if not _in_a_line(name):
            raise InputError(f"{where}: {name!r} is no name; expected words in one line.")


def _in_a_line(words: str) -> bool:
    return bool(words.strip()) and words.isprintable()


def _bundle(row: dict[str, Any], known: set[str], where: str) -> Bundle:
    """One table `[[bundle]]`, of norms that stand in the same file, each once."""
    bundle = build(Bundle, row, where=where)
    ids = [norm.id for norm in bundle.norm]
    strangers = sorted(set(ids) - known)
    if strangers or not ids or len(set(ids)) < len(ids):
        raise InputError(f"{where}: norms are {ids}; expected ids of this file's norms, each once.")
    return bundle


def _norm(row: dict[str, Any], place: str, where: str) -> PackNorm:
    """One table `[[norm]]`: the tables of rungs are items, all else is the norm's own."""
    kinds: dict[str, Any] = {f.name: f.type for f in fields(PackNorm) if f.name != "norm"}
    missing = sorted(name for name in _NEEDED if name not in row)
    if missing:
        raise InputError(f"{where}: no table {missing}; each norm has {sorted(_NEEDED)}.")
    if "place" in row:
        raise InputError(f"{where}: unknown field ['place']; the place stands once, at the head of the file.")
    own = {key: value for key, value in row.items() if key not in kinds}
    items = {rung: build(kind, row[rung], where=f"{where}: {rung}") for rung, kind in kinds.items() if rung in row}
    live = items.get("live")
    if isinstance(live, LiveItem) and not _in_a_line(live.task):
        raise InputError(f"{where}: live: task is {live.task!r}; expected what there is to do, in one line.")
    return PackNorm(norm=build(Norm, {**own, "place": place}, where=where), **items)


def _refuse_twins(ids: list[str], what: str, home: Path) -> None:
    for one, other in pairwise(ids):
        if one == other:
            raise InputError(f"{home}: two {what} are called '{one}'; each id is used once.")
