"""The pipeline of the town's norms: each norm is asked about several times, and named kinds of place become its own.

source ─▶ norms with words and context ─▶ draws of the mapper ─▶ kinds of place, each with the share of draws that named
it ─▶ a base for the town, and a sheet for people

The share of draws is the confidence: a model asked for its own confidence says high numbers to everything. Norms that
people gave their kinds already are not asked about.
"""

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec.structs import replace

from mores.benchmarks.liveculture.norm_mapping import (
    NO_PLACE_FITS,
    Datasheet,
    Lexicon,
    datasheet_of,
    fits_of,
    read_lexicon,
)
from mores.benchmarks.liveculture.norm_sources import Candidate, ImportedTownNorms
from mores.benchmarks.shapes.question import effort_of
from mores.core.card import Sampling
from mores.core.errors import InputError
from mores.core.prompt import prompts_in
from mores.core.seeds import Seed
from mores.core.table import sheet_for_people
from mores.models.cast import Cast
from mores.models.request import AnswerKey, Tag
from mores.norms.norm_base import KINDS, BaseHeader, Fit, LocationKind, NormBase, TownNorm, base_lines
from mores.norms.places import place as known_place
from mores.pipelines.funnel import Dropped, Kept, KeptOrDropped, dropped
from mores.pipelines.pipeline import Pipeline, Release
from mores.pipelines.structured_query import NoAnswer, ParsedAnswer, StructuredQuery, ask
from mores.pipelines.unit_context import check_counts
from mores.stats.rng import generator

MAPPER = "mapper"
IMPORT, MAP = "import", "map"
BASE, SHEET = "town-norms.jsonl", "check.csv"
CHECKED = 10
"""Norms of each kind of place, and of those that fit nowhere, that people are given to check."""
SURE = 0.5
"""Share of draws from which a kind of place counts as sure: the least that the town takes by default."""
DRAWING = Sampling(temperature=0.7, max_tokens=400)
_SEED = Seed("town norms")
prompt = prompts_in(Path(__file__).parent)


class _Named(msgspec.Struct):
    kind: LocationKind
    reason: str = ""


class _Mapped(msgspec.Struct):
    places: list[_Named]


class MappedNorm(msgspec.Struct, frozen=True, kw_only=True):
    """A norm to map: its id and its place, the norm, and the words that tell where it comes up."""

    id: str
    place: str
    norm: TownNorm
    words: str


def town_norms_pipeline(
    gathered: ImportedTownNorms, roles: Mapping[str, str], *, draws: int = 3, limit: int | None = None
) -> Pipeline[MappedNorm, TownNorm]:
    """The pipeline of the town's norms.

    Args:
        gathered: Norms of a source, which wait for their kinds of place.
        roles: The mapper's model.
        draws: How often each norm is asked about.
        limit: Map so many norms at most.

    Raises:
        InputError: another role than the mapper is named, or draws or limit are no positive number.
    """
    if set(roles) != {MAPPER}:
        raise InputError(f"--role: {', '.join(roles) or 'nobody'}; expected {MAPPER}=SPEC alone.")
    check_counts(draws=draws, limit=limit)
    lexicon, words = read_lexicon(), prompt("map")
    made_by = f"{roles[MAPPER]} in the words of {words.header.name} {words.sha[:12]}, {draws} draws a norm"
    return Pipeline[MappedNorm, TownNorm](
        name="town-norms",
        stages=(IMPORT, MAP),
        units=[_unit(each) for each in gathered.candidates][:limit],
        make=lambda unit, cast: _build(unit, cast, draws, lexicon),
        estimate=lambda unit: {MAPPER: [effort_of(words.body + unit.words, DRAWING, 0 if unit.norm.fits else draws)]},
        release=lambda norms: _release(norms, gathered, made_by),
        roles=dict(roles),
        prompts=(words,),
        made_from={gathered.made_from: ""},
        dropped_before=tuple(
            Dropped(unit=row.id, stage=IMPORT, reason=row.reason, detail=row.words) for row in gathered.dropped
        ),
        settings={"draws": draws, "limit": limit},
    )


def _unit(candidate: Candidate) -> MappedNorm:
    norm = candidate.norm
    context = f" ({candidate.context})" if candidate.context else ""
    return MappedNorm(id=norm.id, place=norm.place, norm=norm, words=f"{candidate.words}{context}")


async def _build(unit: MappedNorm, cast: Cast, draws: int, lexicon: Lexicon) -> KeptOrDropped[TownNorm]:
    if unit.norm.fits:
        return Kept(unit.norm)
    asked = (ask(cast, _question(unit, draw, lexicon), DRAWING) for draw in range(draws))
    replies = await asyncio.gather(*asked)
    lost = next((each for each in replies if isinstance(each, NoAnswer)), None)
    if lost is not None:
        return dropped(unit, MAP, lost.reason, lost.detail, transient=lost.transient)
    given = [each.value for each in replies if isinstance(each, ParsedAnswer)]
    fits = tuple(_fits(given))
    return Kept(replace(unit.norm, fits=fits, note="" if fits else NO_PLACE_FITS))


def _fits(given: Sequence[_Mapped]) -> Iterator[Fit]:
    """The kinds of place that any draw named, each with the share of draws and the first reason."""
    for kind in KINDS:
        named = [[each for each in draw.places if each.kind == kind] for draw in given]
        reasons = [" ".join(found[0].reason.split()) for found in named if found]
        if reasons:
            share = round(len(reasons) / len(given), 2)
            yield Fit(kind=kind, confidence=share, reason=next(filter(None, reasons), "no reason given"))


def _question(unit: MappedNorm, draw: int, lexicon: Lexicon) -> StructuredQuery[_Mapped]:
    return StructuredQuery(
        prompt=prompt("map"),
        values={"kinds": ", ".join(KINDS), "place": known_place(unit.place).name, "text": unit.words},
        shape=_Mapped,
        tag=Tag(item=unit.id, role=MAPPER, sample=draw),
        key=_key(unit, lexicon),
    )


def _key(unit: MappedNorm, lexicon: Lexicon) -> AnswerKey:
    """A simulated mapper says what the word list does, and of what that does not know a kind by the seed."""
    known = [fit.kind for fit in fits_of(unit.words, lexicon)]
    kinds = known or [KINDS[_SEED.child("planted", unit.id).below(len(KINDS))]]
    reply = json.dumps({"places": [{"kind": kind, "reason": "as planted"} for kind in kinds]})
    return AnswerKey(unit=f"map/{unit.id}", truth="said", ways={"said": reply})


def _release(norms: Sequence[TownNorm], gathered: ImportedTownNorms, made_by: str) -> Release:
    header = BaseHeader(made_from=gathered.made_from, made_by=made_by, with_country=gathered.with_country)
    base = NormBase(header, tuple(norms))
    sheet: Datasheet = datasheet_of(base, gathered, SURE)
    facts = {name: getattr(sheet, name) for name in sheet.__struct_fields__ if name not in {"made_from", "dropped"}}
    return Release(files={BASE: base_lines(base), SHEET: _sheet(base)}, facts=facts)


def _sheet(base: NormBase) -> bytes:
    """Some norms of each kind of place and of none for people, the least sure first, without what the mapper said."""
    chosen: dict[str, TownNorm] = {}
    for kind in (*KINDS, None):
        here = [n for n in base.norms if (kind in n.kinds if kind else not n.fits)]
        order = generator(_SEED.child("sheet", kind or "nowhere")).permutation(len(here))
        # The sort is stable: among norms that are equally sure the order stays random.
        some = sorted((here[int(at)] for at in order), key=lambda norm: norm.confidence(kind) if kind else 0.0)
        chosen |= {norm.id: norm for norm in some[:CHECKED]}
    rows = ((norm.id, known_place(norm.place).name, norm.statement, "", "") for _, norm in sorted(chosen.items()))
    return sheet_for_people(("id", "people of", "norm", "annotator", f"kinds ({', '.join(KINDS)}, none)"), rows)
