"""Norms to kinds of location at which they may come up, by a lexicon with weights, matched word by word.

words → phrases of the lexicon, the longest first → confidence and reason for each kind. The one assumption is that
words tell where a norm comes up; each norm is read alone, so nothing depends on the others.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import pairwise
from math import prod
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from msgspec import Struct, structs
from msgspec.structs import fields

from mores.benchmarks.liveculture.norm_sources import Candidate, DroppedNorm, ImportedTownNorms
from mores.core.codec import build, digest, read_toml
from mores.core.errors import InputError
from mores.norms.norm_base import KINDS, BaseHeader, Fit, LocationKind, NormBase, TownNorm

LexiconKey = LocationKind | Literal["general", "doubt"]
BUNDLED = Path(__file__).with_name("town_words.toml")
_IRREGULAR = {"children": "child", "knives": "knife", "housewives": "housewife", "wives": "wife", "teeth": "tooth"}
_WORD = re.compile(r"[^\W_]+|[.,;:!?()/]")
"""A word, or a mark that parts phrases: `sports, clubs` is no sports club."""
_STEP = 100
"""Weights in the file are in hundredths, as TOML's keys are words."""


class _Words(Struct, frozen=True, kw_only=True):
    words: tuple[str, ...]


class _Sense(NamedTuple):
    """Meaning of a phrase of the lexicon, with its confidence from 0 to 1."""

    about: LexiconKey
    weight: float
    phrase: str


class _Hit(NamedTuple):
    sense: _Sense
    in_context: bool


class Lexicon(Struct, frozen=True, kw_only=True, dict=True):
    """Words by kind of location and weight in hundredths, with those that hold anywhere, cast doubt, or say nothing.

    Raises:
        InputError: a weight is no whole number from 1 to 99, or a word stands twice under one head.
    """

    most: float
    least: float
    sure: float
    general_most: float
    doubted: float
    kinds: dict[LocationKind, dict[str, tuple[str, ...]]]
    general: dict[str, tuple[str, ...]]
    doubt: _Words
    nowhere: _Words

    def __post_init__(self) -> None:
        """Look the words over at once, so that a bad one is refused where it is read."""
        if not self.phrases:
            raise InputError("lexicon of the town: no words.")

    @cached_property
    def fingerprint(self) -> str:
        """Hash of all words and weights."""
        return digest([getattr(self, each.name) for each in fields(self)])

    @cached_property
    def longest(self) -> int:
        """Words in the longest phrase."""
        return max(map(len, self.phrases))

    @cached_property
    def phrases(self) -> Mapping[tuple[str, ...], tuple[_Sense, ...]]:
        """Each phrase as the stems of its words, with what it speaks of; nothing for those under `nowhere`."""
        found: dict[tuple[str, ...], dict[str, _Sense]] = {_stems(phrase): {} for phrase in self.nowhere.words}
        silent = set(found)
        for sense in self._senses():
            stems = _stems(sense.phrase)
            if stems in silent or sense.about in found.setdefault(stems, {}):
                raise InputError(f"lexicon of the town: '{sense.phrase}' ({sense.about}) stands there twice.")
            found[stems][sense.about] = sense
        return {stems: tuple(senses.values()) for stems, senses in found.items()}

    def _senses(self) -> Iterator[_Sense]:
        yield from (_Sense("doubt", self.doubted, phrase) for phrase in self.doubt.words)
        tables: list[tuple[LexiconKey, dict[str, tuple[str, ...]]]] = [*self.kinds.items(), ("general", self.general)]
        for about, weights in tables:
            for weight, words in weights.items():
                if not (weight.isdecimal() and 0 < int(weight) < _STEP):
                    raise InputError(f"lexicon of the town: the weight '{weight}' is no whole number from 1 to 99.")
                yield from (_Sense(about, int(weight) / _STEP, phrase) for phrase in words)


def read_lexicon(path: Path = BUNDLED) -> Lexicon:
    """The lexicon of a file, by default the bundled one.

    Raises:
        InputError: the file cannot be read, or a field of it is unknown, missing or impossible.
    """
    return build(Lexicon, read_toml(path), where=str(path))


def fits_of(words: str, lexicon: Lexicon, *, context: str = "") -> tuple[Fit, ...]:
    """Kinds of location that words speak of, in the order of `KINDS`, each with a confidence and its reason.

    Each phrase found closes its weight's share of what is left to 1, once in the words and twice in the context,
    which is there to name the setting. General manners hold everywhere, less surely; where a norm speaks of a
    location of its own, they do not spread it. Words of state and nation make all less sure.

    >>> [(fit.kind, fit.confidence) for fit in fits_of("leave a tip for the waiter", read_lexicon())]
    [('restaurant', 0.95)]
    """
    hits = tuple(dict.fromkeys((*_hits(words, lexicon, False), *_hits(context, lexicon, True))))
    about = {name: tuple(hit for hit in hits if hit.sense.about == name) for name in (*KINDS, "general", "doubt")}
    if any(_sureness(about[kind]) >= lexicon.sure for kind in KINDS):
        about["general"] = ()
    fits = (_fit(kind, about, lexicon) for kind in KINDS)
    return tuple(fit for fit in fits if fit.confidence >= lexicon.least)


def _fit(kind: LocationKind, about: Mapping[str, tuple[_Hit, ...]], lexicon: Lexicon) -> Fit:
    """Confidence that the norm comes up at one kind of location, from the hits by what they are about."""
    own, general, doubt = about[kind], about["general"], about["doubt"]
    most = lexicon.general_most if general else lexicon.most
    confidence = min(_sureness(own + general), most) * (lexicon.doubted if doubt else 1)
    reasons = [_reason(own, f"{kind}: says")] if own else []
    reasons += [_reason(general, "general manners, which hold anywhere: says")] if general else []
    reasons += [_reason(doubt, "less sure: says")] if doubt else []
    return Fit(kind=kind, confidence=round(confidence, 2), reason="; ".join(reasons))


def _sureness(hits: tuple[_Hit, ...]) -> float:
    """The share of 1 that hits close together, in hundredths: the same in any order of the words."""
    open_shares = sorted((1 - hit.sense.weight) ** (2 if hit.in_context else 1) for hit in hits)
    return round(1 - prod(open_shares), 2)


def _reason(hits: tuple[_Hit, ...], opening: str) -> str:
    quoted = (f"'{hit.sense.phrase}'{' in its context' if hit.in_context else ''}" for hit in hits)
    return f"{opening} {', '.join(quoted)}"


def _hits(text: str, lexicon: Lexicon, in_context: bool) -> Iterator[_Hit]:
    """Hits of phrases in a text, from left to right; of phrases that begin at one word the longest counts."""
    stems = _stems(text)
    start = 0
    while start < len(stems):
        for size in range(min(lexicon.longest, len(stems) - start), 0, -1):
            senses = lexicon.phrases.get(stems[start : start + size])
            if senses is not None:
                yield from (_Hit(sense, in_context) for sense in senses)
                start += size
                break
        else:
            start += 1


def _stems(text: str) -> tuple[str, ...]:
    """Words of a text as stems: without case, accents, apostrophes and plural endings."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c)).casefold()
    plain = re.sub(r"['’]s?\b", "", plain)
    return tuple(_stem(word) for word in _WORD.findall(plain))


def _stem(word: str) -> str:
    """Common part of a word and its plural; a key, not always a word.

    >>> [_stem(word) for word in ("dish", "dishes", "house", "houses", "movie", "movies", "party", "parties")]
    ['dish', 'dish', 'hous', 'hous', 'movy', 'movy', 'party', 'party']
    """
    word = _IRREGULAR.get(word, word)
    if word.endswith(("ies", "ie")):
        return word.removesuffix("s").removesuffix("ie") + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word.removesuffix("s")
    return word.removesuffix("e") if word.endswith(("se", "xe", "ze", "che", "she", "oe")) else word


NO_PLACE_FITS = "no place fits"
BANDS = (0.0, 0.5, 0.7, 0.9, 1.0)
"""Edges of the bands in which confidences are counted; a band holds its lower edge, the last one both."""


class LocationNormCounts(Struct, frozen=True, kw_only=True):
    """Number of norms of a place or kind of location, and of those that are sure of a location."""

    norms: int
    sure: int


class Datasheet(Struct, frozen=True, kw_only=True):
    """Counts of rows that were read, kept and dropped.

    `norms` are kept; `fitting` of them fit some kind of location, `anywhere` of these every kind, and `nowhere` none.
    `by_place` counts norms that fit somewhere, `by_band` fits by their confidence, `dropped` rows by reason.
    """

    made_from: str
    made_by: str
    fingerprint: str
    rows: int
    norms: int
    fitting: int
    anywhere: int
    nowhere: int
    sure: float
    with_country: tuple[str, ...]
    dropped: dict[str, int]
    by_kind: dict[str, LocationNormCounts]
    by_place: dict[str, LocationNormCounts]
    by_band: dict[str, int]


class TownNorms(Struct, frozen=True, kw_only=True):
    """Result of the mapping: the base, the rows it left out, and the datasheet."""

    base: NormBase
    dropped: tuple[DroppedNorm, ...]
    datasheet: Datasheet


def map_norms(gathered: ImportedTownNorms, lexicon: Lexicon) -> TownNorms:
    """The norm base of what was gathered, with what was dropped and the datasheet; the same for the same words."""
    header = BaseHeader(
        made_from=gathered.made_from,
        made_by=f"the words of town_words.toml {lexicon.fingerprint}",
        with_country=gathered.with_country,
    )
    base = NormBase(header, tuple(_mapped(candidate, lexicon) for candidate in gathered.candidates))
    return TownNorms(base=base, dropped=gathered.dropped, datasheet=datasheet_of(base, gathered, lexicon.sure))


def _mapped(candidate: Candidate, lexicon: Lexicon) -> TownNorm:
    norm = candidate.norm
    if norm.fits:
        return norm
    fits = fits_of(candidate.words, lexicon, context=candidate.context)
    return structs.replace(norm, fits=fits, note="" if fits else NO_PLACE_FITS)


def datasheet_of(base: NormBase, gathered: ImportedTownNorms, sure: float) -> Datasheet:
    """The counts of a base that was made of a source, with the confidence from which a fit is sure."""
    fitting = [norm for norm in base.norms if norm.fits]
    fits = [fit for norm in fitting for fit in norm.fits]
    highest: dict[str, list[float]] = {}
    for norm in fitting:
        highest.setdefault(norm.place, []).append(max(fit.confidence for fit in norm.fits))
    held, _ = np.histogram([fit.confidence for fit in fits], bins=BANDS)
    return Datasheet(
        made_from=base.header.made_from,
        made_by=base.header.made_by,
        fingerprint=base.fingerprint,
        rows=gathered.rows,
        norms=len(base.norms),
        fitting=len(fitting),
        anywhere=sum(len(norm.fits) == len(KINDS) for norm in fitting),
        nowhere=len(base.norms) - len(fitting),
        sure=sure,
        with_country=base.header.with_country,
        dropped=dict(sorted(Counter(row.reason for row in gathered.dropped).items())),
        by_kind={kind: _tally([fit.confidence for fit in fits if fit.kind == kind], sure) for kind in KINDS},
        by_place={place: _tally(highest[place], sure) for place in sorted(highest)},
        by_band={f"{low:.1f} to {high:.1f}": n for (low, high), n in zip(pairwise(BANDS), held.tolist(), strict=True)},
    )


def _tally(confidences: list[float], sure: float) -> LocationNormCounts:
    return LocationNormCounts(norms=len(confidences), sure=sum(confidence >= sure for confidence in confidences))
