"""Norms → the kinds of location at which they may come up in town, each with a confidence and a reason in words.

source ─▶ norms that wait, and what was dropped ─▶ kinds from the words of each norm alone ─▶ NormBase ─▶ datasheet.
Kinds that people gave stay as they are. A norm that fits nowhere is kept in the base, without kinds and with a note, so
that people can see it and give it some.
"""

from collections import Counter
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from mores.benchmarks.liveculture.mapping.lexicon import Lexicon, fits_of
from mores.benchmarks.liveculture.mapping.sources import Candidate, DroppedNorm, ImportedTownNorms
from mores.norms.norm_base import KINDS, BaseHeader, NormBase, TownNorm

NO_PLACE_FITS = "no place fits"
BANDS = (0.0, 0.5, 0.7, 0.9, 1.0)
"""Edges of the bands in which confidences are counted; a band holds its lower edge, the last one both."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocationNormCounts:
    """How many norms of a place or kind of location there are, and how many of them are sure of a location."""

    norms: int
    sure: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Datasheet:
    """What the stage read, kept and dropped.

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


@dataclass(frozen=True, slots=True, kw_only=True)
class TownNorms:
    """What the stage gives: the base, the rows it left out, and the datasheet."""

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
    return TownNorms(base=base, dropped=gathered.dropped, datasheet=_datasheet(base, gathered, lexicon.sure))


def _mapped(candidate: Candidate, lexicon: Lexicon) -> TownNorm:
    norm = candidate.norm
    if norm.fits:
        return norm
    fits = fits_of(candidate.words, lexicon, context=candidate.context)
    return replace(norm, fits=fits, note="" if fits else NO_PLACE_FITS)


def _datasheet(base: NormBase, gathered: ImportedTownNorms, sure: float) -> Datasheet:
    fitting = [norm for norm in base.norms if norm.fits]
    fits = [fit for norm in fitting for fit in norm.fits]
    surest: dict[str, list[float]] = {}
    for norm in fitting:
        surest.setdefault(norm.place, []).append(max(fit.confidence for fit in norm.fits))
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
        by_place={place: _tally(surest[place], sure) for place in sorted(surest)},
        by_band={f"{low:.1f} to {high:.1f}": n for (low, high), n in zip(pairwise(BANDS), held.tolist(), strict=True)},
    )


def _tally(confidences: list[float], sure: float) -> LocationNormCounts:
    return LocationNormCounts(norms=len(confidences), sure=sum(confidence >= sure for confidence in confidences))
