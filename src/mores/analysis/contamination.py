"""Signs that a model has seen the items: a gap between items and their paraphrases, and between items by their date.

units and their paraphrases (or the first wording and the others) ─▶ the gap of each unit ─▶ its mean by model, and how
far it is beyond that of the other models. Items with dates, models with a date of release ─▶ earlier items less later.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from math import nan
from typing import Literal, NamedTuple

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from mores.analysis.compatibility import groups_alike
from mores.analysis.contrast import LEVEL, Contrast, ContrastOptions, PairedUnits, adjusted, contrast_of, known
from mores.analysis.groups import PLACE
from mores.analysis.results import Result, Results
from mores.analysis.units import Units, headline_units
from mores.analysis.variants import DATE, PARAPHRASE_OF, in_variants, is_mean_of_rows, others_of_items, where
from mores.core.arrays import Floats, Strings
from mores.core.card import Metric
from mores.core.estimate import CategoricalColumn, Missing
from mores.core.seeds import Seed
from mores.stats.date_split import DateSplit, date_split
from mores.stats.ranks import holm
from mores.tables import Analysis, AnalysisResult, Column, FilledTable, Row, Show, Table, View, blocks_of
from mores.tables import formatting as words
from mores.tables.blocks import Block, CellValue, DifferenceCell, Finding, Paragraph, Span, Words
from mores.tables.columns import EVALUATION, METRIC

ParaphraseKind = Literal["item", "prompt"]
RELEASED = "released"
_SEED = Seed("contamination")


class UnitGaps(NamedTuple):
    """Score of each original and the mean of its paraphrases, with its name, cluster and place."""

    original: Floats
    paraphrase: Floats
    names: Strings
    clusters: Strings
    places: Strings


class ParaphraseGap(Struct, frozen=True, eq=False, kw_only=True):
    """Gap of one model: `gap` has the originals as b and their paraphrases as a; `beyond` is it less others' mean gap.

    `others` are the models that it is beyond, on units that all have; no contrast where there are none.
    """

    kind: ParaphraseKind
    result: Result
    gap: Contrast
    beyond: Contrast | None
    others: int


class DatedSplit(Struct, frozen=True, eq=False, kw_only=True):
    """One model on earlier and later items: `plain`, and `beyond` what models show of whom all lie on one side."""

    result: Result
    released: str | None
    plain: DateSplit
    beyond: DateSplit | None
    references: int
    same: int
    undated: int
    p_holm: float | None = None
    p_holm_beyond: float | None = None


class Contamination(Struct, frozen=True, eq=False, kw_only=True):
    """All that runs show of it."""

    gaps: tuple[ParaphraseGap, ...]
    splits: tuple[DatedSplit, ...]


@lru_cache(maxsize=1)
def contamination(results: Results) -> Contamination | None:
    """Gaps and splits; None where no item has paraphrases, further wordings or a date."""
    whole = [each for each in results.evaluations if is_mean_of_rows(each) and not each.model.startswith("baseline/")]
    gaps = [gap for name in dict.fromkeys(each.benchmark for each in whole)
            for alike in groups_alike([each for each in whole if each.benchmark == name])
            for gap in (*_gaps("item", alike, [_paraphrased(each) for each in alike]),
                        *_gaps("prompt", alike, [_worded(results, each) for each in alike]))]  # fmt: skip
    splits = _splits(results, whole)
    return Contamination(gaps=tuple(gaps), splits=tuple(splits)) if gaps or splits else None


def _paraphrased(result: Result) -> UnitGaps | None:
    """Units that others put in other words, beside the mean of these."""
    units = headline_units(result)
    column = units.keys.groups.get(PARAPHRASE_OF)
    if column is None:
        return None
    row = {name: at for at, name in enumerate(units.keys.unit.texts())}
    others: dict[int, list[int]] = {}
    for at, original in enumerate(column.texts()):
        if original in row and units.graded[at] and units.graded[row[original]]:
            others.setdefault(row[original], []).append(at)
    return _unit_gaps(units, np.array(list(others), dtype=np.int64),
                      np.array([units.points[own].mean() for own in others.values()]))  # fmt: skip


def _worded(results: Results, result: Result) -> UnitGaps | None:
    """Units in the first wording, beside the mean of the others."""
    variants = in_variants(results, result, "wording")
    if len(variants) < 2:
        return None
    units = headline_units(result)
    others = [dict(zip(each.keys.unit.texts(), each.points.tolist(), strict=True))
              for each in map(headline_units, variants[1:])]  # fmt: skip
    values = np.array([[own.get(name, nan) for own in others] for name in units.keys.unit.texts()])
    kept = np.flatnonzero(units.graded & np.isfinite(values).all(axis=1))
    return _unit_gaps(units, kept, values[kept].mean(axis=1))


def _unit_gaps(units: Units, rows: np.ndarray, paraphrase: Floats) -> UnitGaps | None:
    if not len(rows):
        return None
    keys, scale = units.keys.take(rows), units.mean_weight
    names, clusters, places = (np.array(column.texts()) for column in (keys.unit, keys.cluster, keys.place))
    return UnitGaps(units.points[rows] / scale, paraphrase / scale, names, clusters, places)


def _gaps(kind: ParaphraseKind, results: Sequence[Result], found: Sequence[UnitGaps | None]) -> Iterator[ParaphraseGap]:
    both = [(result, gaps) for result, gaps in zip(results, found, strict=True) if gaps is not None]
    plain = adjusted([_contrast(kind, result, gaps, gaps.paraphrase) for result, gaps in both])
    beyond = _beyond(kind, both)
    for (result, _), gap, more in zip(both, plain, beyond, strict=True):
        yield ParaphraseGap(kind=kind, result=result, gap=gap, beyond=more, others=len(both) - 1)


def _contrast(kind: ParaphraseKind, result: Result, gaps: UnitGaps, held_against: Floats) -> Contrast:
    pairs = PairedUnits(
        a=held_against, b=gaps.original, cluster=CategoricalColumn.of(gaps.clusters.tolist()).codes,
        groups={PLACE: CategoricalColumn.sorted(gaps.places.tolist())}, shared=len(gaps.names),
    )  # fmt: skip
    seed = _SEED.child(kind, result.benchmark, result.label)
    return contrast_of(pairs, ContrastOptions(seed, result.headline, result.described, sides=(result,)))


def _beyond(kind: ParaphraseKind, both: Sequence[tuple[Result, UnitGaps]]) -> Sequence[Contrast | None]:
    """Gap of each model less the mean gap of the others, on the units that all have."""
    if len(both) < 2:
        return [None] * len(both)
    at = [{name: row for row, name in enumerate(gaps.names.tolist())} for _, gaps in both]
    shared = [name for name in at[0] if all(name in own for own in at)]
    rows = [np.array([own[name] for name in shared], dtype=np.int64) for own in at]
    gap = np.array([(gaps.original - gaps.paraphrase)[own] for (_, gaps), own in zip(both, rows, strict=True)])
    found = []
    for number, (result, gaps) in enumerate(both):
        own = rows[number]
        others = np.delete(gap, number, axis=0).mean(axis=0)
        mine = UnitGaps(gap[number], others, gaps.names[own], gaps.clusters[own], gaps.places[own])
        found.append(_contrast(kind, result, mine, others))
    return adjusted(found)


# Dates.


def _splits(results: Results, whole: Sequence[Result]) -> list[DatedSplit]:
    found = []
    for benchmark in dict.fromkeys(each.benchmark for each in whole):
        for alike in groups_alike([each for each in whole if each.benchmark == benchmark]):
            dated = [(each, _Dated.of(each, results.dates)) for each in alike]
            held = [(result, own) for result, own in dated if own.dated.any()]
            found += [_split(result, own, held) for result, own in held]
    p, q = (
        holm([nan if one is None or one.p is None else one.p for one in column]).tolist()
        for column in ([each.plain for each in found], [each.beyond for each in found])
    )
    return [
        replace(each, p_holm=known(one), p_holm_beyond=known(other))
        for each, one, other in zip(found, p, q, strict=True)
    ]


class _Dated(NamedTuple):
    """Graded units of a model, and how the date of each lies to the model's own: -1 earlier, 1 later, 0 neither."""

    units: Units
    dated: np.ndarray
    side: np.ndarray

    def points_by_unit(self) -> dict[str, float]:
        """Points of each unit by its name, in their order."""
        points = self.units.points / self.units.mean_weight
        return dict(zip(self.units.keys.unit.texts(), points.tolist(), strict=True))

    @classmethod
    def of(cls, result: Result, dates: Mapping[str, str]) -> "_Dated":
        units = headline_units(result)
        units = units.take(np.flatnonzero(units.graded))
        keys = units.keys
        own = keys.groups.get(DATE)
        names = zip(keys.unit.texts(), keys.item.texts(), own.texts() if own else [""] * len(units), strict=True)
        texts = [dates.get(unit) or dates.get(item) or group for unit, item, group in names]
        released = result.provenance.facts.get(RELEASED)
        return cls(units, np.array([bool(text) for text in texts], dtype=np.bool_),
                   np.array([_side(text, released) for text in texts], dtype=np.int64))  # fmt: skip


def _side(date: str, released: str | None) -> int:
    """Side of the release on which a date lies; 0 where one is unknown, or the coarser of both has the two in it.

    >>> _side("2024-03", "2024-06"), _side("2025", "2024-06-01"), _side("2024", "2024-06")
    (-1, 1, 0)
    """
    if not date or not released:
        return 0
    size = min(len(date), len(released))
    one, other = date[:size], released[:size]
    return (one > other) - (one < other)


def _split(result: Result, own: _Dated, every: Sequence[tuple[Result, _Dated]]) -> DatedSplit:
    units, kept = own.units, own.side != 0
    texts = {name: np.array(getattr(units.keys, name).texts()) for name in ("unit", "place", "cluster")}
    points = np.array(list(own.points_by_unit().values()))
    references = [one.points_by_unit() for other, one in every if other is not result and _one_sided(one)]
    plain = date_split(points[kept], own.side[kept] < 0, texts["place"][kept], texts["cluster"][kept])
    beyond = None
    if references:
        of_others = np.array([[one.get(name, nan) for one in references] for name in texts["unit"]]).mean(axis=1)
        both = kept & np.isfinite(of_others)
        beyond = date_split(
            (points - of_others)[both], own.side[both] < 0, texts["place"][both], texts["cluster"][both]
        )  # fmt: skip
    why = "no_date_of_model" if result.provenance.facts.get(RELEASED) is None else "dates_on_one_side"
    if not kept.any() or _one_sided(own):
        # A model to which all items are alike is one that others are held against, and has no split of its own.
        plain, beyond = plain._replace(missing=Missing(code=why)), None
    return DatedSplit(
        result=result, released=result.provenance.facts.get(RELEASED), plain=plain, beyond=beyond,
        references=len(references), same=int((own.dated & ~kept).sum()), undated=int((~own.dated).sum()),
    )  # fmt: skip


def _one_sided(own: _Dated) -> bool:
    """True of a model to which all dated items are earlier, or all later: its scores tell how hard they are."""
    sides = own.side[own.dated]
    return bool(sides.size) and bool((sides == sides[0]).all()) and sides[0] != 0


# The tables, as programs know them.

GAPS = Table.of(
    "contamination", "Items and their paraphrases", EVALUATION,
    Column("kind", "text", "`item`: items in other words; `prompt`: the same items under other prompts"),
    METRIC,
    Column("gap", "contrast", "score of originals less the mean of their paraphrases", title="Gap, points", main=True,
           ends=("original", "paraphrases")),
    Column("others", "count", "other models that it is held against"),
    Column("beyond", "contrast", "the gap less the mean gap of the other models", title="Beyond others, points"),
)  # fmt: skip
DATES = Table.of(
    "contamination_dates", "Items of before and after a model", EVALUATION, METRIC,
    Column("released", "text", "date of the model's release, or what a run gave for it", title="Released"),
    Column("earlier", "count", "units from before it, in places that have both"),
    Column("later", "count", "units from after it"),
    Column("places", "count", "places that have both"),
    Column("clusters", "count", "independent clusters of these units"),
    Column("difference", "size", "score on earlier items less that on later ones, within places",
           title="Earlier less later, points"),
    Column("p", "p", "two-sided p of it", title="p"),
    Column("p_holm", "p", "the same after Holm's correction over models", title="p (Holm)"),
    Column("minimum_detectable", "score", "least difference that power .8 would show", title="MDE, points"),
    Column("references", "count", "models to which all dated items are earlier, or all later"),
    Column("beyond", "size", "the difference less that of these models", title="Beyond these, points"),
    Column("p_beyond", "p", "two-sided p of that", title="p"),
    Column("p_holm_beyond", "p", "the same after Holm's correction over models", title="p (Holm)"),
    Column("same", "count", "dated units whose date and the model's are not told apart"),
    Column("undated", "count", "units without a date"),
)  # fmt: skip


def _size(found: DateSplit | None) -> DifferenceCell | None:
    if found is None:
        return None
    return DifferenceCell(difference=found.difference, low=found.low, high=found.high, missing=found.missing)


def _gap_row(each: ParaphraseGap) -> Row:
    return each.result, each.kind, each.result.listed(), each.gap, each.others, each.beyond


def _split_row(each: DatedSplit) -> Row:
    plain, beyond = each.plain, each.beyond
    sizes = (plain.earlier, plain.later, plain.places, plain.clusters)
    tested = (_size(plain), plain.p, each.p_holm, plain.minimum_detectable)
    others = (_size(beyond), None if beyond is None else beyond.p, each.p_holm_beyond)
    return (each.result, each.result.listed(), each.released, *sizes, *tested, each.references, *others, each.same,
            each.undated)  # fmt: skip


# The same for people.

ABOUT = (
    "A model that has seen an item may know its answer by heart. Such a model does better on the words that it has "
    "seen than on the same thing in other words, and better on items from before its release than on later ones."
)
GAP_NOTES = (
    "Gap: score on the original less the mean of its paraphrases, unit by unit, in points with its 95% interval. A gap "
    "above 0 is no proof: paraphrases may be harder. So is the gap of models that cannot have seen the items, or of "
    "people; where these are not at hand, beyond others is the gap less the mean gap of the other models, of which "
    "some may have seen them too. p-values are corrected (Holm) over models. Under `prompt` the question stands in "
    "the words of other prompts: only what is known of prompt and question together shows there."
)
DATE_NOTES = (
    "Items are earlier or later than the model's release, which is no earlier than the end of what it was trained on: "
    "later items it cannot have seen, earlier ones it may have. Places are compared with themselves. Later items may "
    "be harder for everybody: beyond these takes off the same difference of models to which all items are on one side."
)


def analyse(results: Results) -> AnalysisResult | None:
    """Signs of contamination; None where items have no paraphrases, no further wordings and no dates."""
    found = contamination(results)
    if found is None:
        return None
    gaps, splits = GAPS.filled(map(_gap_row, found.gaps)), DATES.filled(map(_split_row, found.splits))
    return AnalysisResult(
        tables=(gaps, splits),
        blocks=(Paragraph(ABOUT, "explanation"), *_blocks(gaps, splits)),
        findings=tuple(_findings(found)),
    )


def _blocks(gaps: FilledTable, splits: FilledTable) -> Iterator[Block]:
    shown: tuple[Show | str, ...]
    shown = ("evaluation", "kind", Show("original", "Original"), Show("paraphrases", "Paraphrases"), "gap", "p_holm",
             "units", "minimum_detectable",
             "beyond", Show("beyond_p_holm", "p (Holm)"))  # fmt: skip
    yield from blocks_of(gaps, View(title=GAPS.title, rows=gaps.rows, shown=shown, notes=(GAP_NOTES,)))
    shown = ("evaluation", "released", "earlier", "later", "difference", "p_holm",
             Show("minimum_detectable", format="size"), "beyond",
             "p_holm_beyond", Show("same", minor=True), Show("undated", minor=True))  # fmt: skip
    yield from blocks_of(splits, View(title=DATES.title, rows=splits.rows, shown=shown, notes=(DATE_NOTES,)))


def _findings(found: Contamination) -> Iterator[Finding]:
    """Models of which a gap or a split is found beyond other models; that none is found, and what could have been."""
    sure = [each for each in found.gaps if each.beyond is not None and each.beyond.found
            and (each.beyond.difference or 0.0) > 0]  # fmt: skip
    for each in sure:
        yield Finding(
            id="contamination.gap",
            words=(Span(each.result.label, "model"), " does better on the original words of ", _name(each.result),
                   " than on paraphrases, beyond other models."),
            sure=_sure(each.beyond, each.result.described),
            weight="doubtful",
        )  # fmt: skip
    if found.gaps and not sure:
        tests = [each.beyond or each.gap for each in found.gaps]
        yield Finding(
            id="contamination.none",
            words="No model is found to do better on original words than on paraphrases, beyond other models."
            if any(each.beyond for each in found.gaps)
            else "One model alone: a gap between items and paraphrases cannot be told from harder paraphrases.",
            sure=words.describe_detectable(tests, found.gaps[0].result.described),
            found=False,
        )
    for split in found.splits:
        p, beyond = split.p_holm_beyond, split.beyond
        if beyond is not None and p is not None and p < LEVEL and (beyond.difference or 0.0) > 0:
            size = CellValue(_size(beyond), "size", split.result.described)
            yield Finding(
                id="contamination.dates",
                words=(Span(split.result.label, "model"), " does better on items of ", _name(split.result),
                       " from before its release, beyond models to which all are alike."),
                sure=(size, " points, ", CellValue(p, "full_p"), " after correction."),
                weight="doubtful",
            )  # fmt: skip


def _name(result: Result) -> Span:
    return Span(result.benchmark, "code")


def _sure(gap: Contrast | None, metric: Metric | None) -> Words:
    p = None if gap is None else gap.p_adjusted
    return CellValue(gap, metric=metric), " points, ", CellValue(p, "full_p"), " after correction."


CONTAMINATION_ANALYSIS = Analysis(
    id="contamination",
    title="Signs of contamination",
    tables=(GAPS, DATES),
    analyse=where(others_of_items, analyse),
    order=14,
)
