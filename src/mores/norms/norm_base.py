"""A norm base for the town: norms of places, each with the kinds of location at which it may come up.

One JSON Lines file ⇄ one base: a first line that says what the base is, then a norm a line with its kinds of location,
how sure each is and why. It is made to be read and corrected by people: a kind can be struck out, or added by hand.
The statements are what many people of a place say, as their source words them.
"""

from collections.abc import Iterable
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any, Literal, get_args

from msgspec import Struct
from msgspec.structs import force_setattr, replace

from mores.core.codec import build, digest, encode_lines, parse_lines, read_text
from mores.core.errors import InputError
from mores.norms.places import find, place, roll_up

LocationKind = Literal["school", "office", "apartment", "hospital", "park", "mall", "restaurant", "gym"]
KINDS: tuple[LocationKind, ...] = get_args(LocationKind)
FORMAT: Literal["mores town norms 1"] = "mores town norms 1"


class Fit(Struct, frozen=True, kw_only=True):
    """A kind of location at which a norm may come up; `confidence` is in (0, 1], `reason` says why in words."""

    kind: LocationKind
    confidence: float
    reason: str


class TownNorm(Struct, frozen=True, kw_only=True):
    """A norm of a place with the kinds of location it fits, at most one fit a kind, in the order of `KINDS`.

    A norm that fits nowhere is kept, so that people can see it; `note` then says why. `source` says where it is from:
    a data set, or the page on which it was looked up.
    """

    id: str
    place: str
    statement: str
    source: str
    fits: tuple[Fit, ...] = ()
    note: str = ""

    @property
    def kinds(self) -> tuple[LocationKind, ...]:
        """The kinds of location at which it may come up."""
        return tuple(fit.kind for fit in self.fits)

    def confidence(self, kind: LocationKind) -> float:
        """Confidence that the norm comes up at such a location, from 0 to 1; 0 where it does not fit."""
        return next((fit.confidence for fit in self.fits if fit.kind == kind), 0.0)


class BaseHeader(Struct, frozen=True, kw_only=True):
    """The first line of a file: what it is, what it was made from and by which words, as name and hash.

    `with_country` lists parts of countries whose people are held to their country's norms beside their own.
    """

    base: Literal["mores town norms 1"] = FORMAT
    made_from: str
    made_by: str
    with_country: tuple[str, ...] = ()


class NormBase(Struct, frozen=True, dict=True):
    """Norms in the order of their ids, found by who somebody is and where they are.

    Raises:
        InputError: two norms have one id, or `with_country` names what is no part of a country.
    """

    header: BaseHeader
    norms: tuple[TownNorm, ...]

    def __post_init__(self) -> None:
        """Put the norms in order and look the base over."""
        # Put in order once, so that equal bases have equal fingerprints however their files are sorted.
        force_setattr(self, "norms", tuple(sorted(self.norms, key=lambda norm: norm.id)))
        for name, same in groupby(self.norms, key=lambda norm: norm.id):
            if len(list(same)) > 1:
                raise InputError(f"norm base: two norms are called '{name}'; each id is used once.")
        for part in self.header.with_country:
            _refuse_country(part, "norm base")

    def at(self, nationality: str, kind: LocationKind, *, least: float = 0.0) -> tuple[TownNorm, ...]:
        """Norms that may come up for somebody at such a location, in the order of their ids.

        Args:
            nationality: A place's id, such as IT or GB-ENG; `places_of` says whose norms hold for it.
            kind: Kind of the location.
            least: Only norms that fit there with at least this confidence.
        """
        own = (norm for each in self.places_of(nationality) for norm in self._at.get((each, kind), ()))
        return tuple(sorted((n for n in own if n.confidence(kind) >= least), key=lambda norm: norm.id))

    def places_of(self, nationality: str) -> tuple[str, ...]:
        """Ids of the places whose norms hold for somebody of a nationality.

        A country's people have their country's norms, never those of its parts. People of a part have the part's
        own; their country's too if the base says so (`with_country`), and only their country's where the base has
        none of the part, at any location. Nothing where it has neither.

        Raises:
            UnknownName: no place has this id.
        """
        own, country = place(nationality).id, roll_up(nationality)
        wanted = (own, country) if own in self.header.with_country else (own,)
        known = tuple(each for each in dict.fromkeys(wanted) if each in self.places)
        return known or ((country,) if country in self.places else ())

    @cached_property
    def places(self) -> tuple[str, ...]:
        """Ids of the places that have norms which fit somewhere, in alphabetical order."""
        return tuple(sorted({norm.place for norm in self.norms if norm.fits}))

    @cached_property
    def fingerprint(self) -> str:
        """Hash of every word and figure of the base: equal bases have equal ones."""
        return digest([self.header, self.norms])

    @cached_property
    def _at(self) -> dict[tuple[str, LocationKind], list[TownNorm]]:
        found: dict[tuple[str, LocationKind], list[TownNorm]] = {}
        for norm in self.norms:
            for kind in norm.kinds:
                found.setdefault((norm.place, kind), []).append(norm)
        return found


def read_base(path: Path, header: BaseHeader | None = None) -> NormBase:
    """The base in a file.

    Args:
        path: JSON Lines: the base's header, then a norm a line, with or without fits.
        header: Stands in where the file has none, as where people wrote it; without it a header is needed.

    Raises:
        InputError: the file cannot be read, has no header or no norms, or a line has an unknown, missing or impossible
            field, names no known place, or repeats an id; the message names file and line.
    """
    expected = "an object with a norm's fields"
    rows = [(f"{path}:{n}", row) for n, row in parse_lines(read_text(path), where=str(path), expected=expected)]
    if rows and "base" in rows[0][1]:
        where, row = rows.pop(0)
        header = build(BaseHeader, row, where=where)
        for part in header.with_country:
            _refuse_country(part, where)
    if header is None:
        raise InputError(f'{path}:1: not a norm base; its first line has "base": "{FORMAT}". See mores build.')
    if not rows:
        raise InputError(f"{path}: no norms; expected one a line, with id, place, statement and source.")
    return NormBase(header, _norms(rows))


def base_lines(base: NormBase) -> bytes:
    """The bytes of a base's file; `read_base` reads them back, equal."""
    return encode_lines((base.header, *base.norms))


def _norms(rows: Iterable[tuple[str, dict[str, Any]]]) -> tuple[TownNorm, ...]:
    """The norms of lines; an id that is used twice is refused where it comes again."""
    found: dict[str, TownNorm] = {}
    for where, row in rows:
        norm = _norm(row, where)
        if norm.id in found:
            raise InputError(f"{where}: the id '{norm.id}' is used above already; each id is used once.")
        found[norm.id] = norm
    return tuple(found.values())


def _norm(row: dict[str, Any], where: str) -> TownNorm:
    norm = build(TownNorm, row, where=where)
    for name in ("id", "statement", "source"):
        if not str(getattr(norm, name)).strip():
            raise InputError(f"{where}: {name} is empty; expected text.")
        if str(getattr(norm, name)).splitlines() != [getattr(norm, name)]:
            raise InputError(
                f"{where}: {name} has several lines; expected one, as norms stand in a list by their lines."
            )
    for fit in norm.fits:
        if not 0 < fit.confidence <= 1:
            raise InputError(f"{where}: the confidence of {fit.kind} is {fit.confidence}; expected above 0, at most 1.")
    if len(set(norm.kinds)) < len(norm.fits):
        raise InputError(f"{where}: fits are {list(norm.kinds)}; expected each kind of location once.")
    fits = tuple(sorted(norm.fits, key=lambda fit: KINDS.index(fit.kind)))
    return replace(norm, place=find(norm.place, where=where).id, fits=fits)


def _refuse_country(part: str, where: str) -> None:
    found = find(part, where=where)
    if found.parent is None or found.id != part:
        raise InputError(f"{where}: with_country names {part}; expected ids of parts of countries, such as GB-ENG.")
