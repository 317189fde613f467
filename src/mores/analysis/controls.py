"""Effect of the place on a score: the same units with it and without it, or of another place whose norm differs.

the plain evaluation and the same under a control ─▶ items that both asked ─▶ units graded in both ─▶ the gain (plain
less control), over all and by place, and the units that are kept as well without their place ─▶ a table, findings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from mores.analysis import wrong_place
from mores.analysis.contrast import (
    Contrast,
    ContrastOptions,
    WithGroups,
    all_first,
    contrast_of,
    contrast_of_group,
    families_of,
    metric_range,
    of_common_items,
    paired,
)
from mores.analysis.groups import PLACE, Group
from mores.analysis.results import Result, Results
from mores.analysis.units import Units, shared_rows, units_of
from mores.analysis.wrong_place import wrong_places
from mores.core.card import Control, Metric
from mores.core.estimate import SEPARATE, MetricRows
from mores.core.seeds import Seed
from mores.stats.intervals import MIN_CLUSTERS
from mores.tables import Analysis, AnalysisResult, Column, FilledTable, Row, Show, Table, View, blocks_of
from mores.tables import formatting as words
from mores.tables.blocks import CellValue, Finding, Paragraph, Span, Words
from mores.tables.columns import EVALUATION

KEPT = "kept"
"""The metric of benchmarks that score norms on one scale, where 0 is guessing; their gains are on it."""
OF_PLACE: tuple[Control, ...] = ("masked", "swapped")
"""Controls of the place; what telling the norm adds is another question, and the ladder's own."""
_SEED = Seed("controls")


class CourtesyShare(Struct, frozen=True, kw_only=True):
    """Units of a place that were kept with it, and those of them that are kept as well without it."""

    place: str
    kept: int
    as_well: tuple[str, ...]


class PlaceGain(Struct, frozen=True, eq=False, kw_only=True):
    """Effect of the place for one model on one benchmark: `a` is the score under the control, `b` the plain one.

    `p_adjusted` of `whole` is Holm's over all gains of one control, those of `families` are by kind of group. Items
    that are scored separately, such as those at the boundary of a norm, are a family of their own and in no other.
    """

    control: Control
    plain: Result
    other: Result
    whole: Contrast
    families: Mapping[str, tuple[Contrast, ...]] = field(default_factory=dict)
    courtesy: tuple[CourtesyShare, ...] = ()

    @property
    def metric(self) -> Metric | None:
        """The card's entry for the metric; None of norms kept, which is a share."""
        return self.plain.metric(self.whole.metric)

    @property
    def kept(self) -> int:
        """Units that were kept with their place."""
        return sum(each.kept for each in self.courtesy)

    @property
    def as_well(self) -> int:
        """Those of them that are kept as well without it."""
        return sum(len(each.as_well) for each in self.courtesy)


@lru_cache(maxsize=2)
def gains(results: Results) -> tuple[PlaceGain, ...]:
    """The gain of the place under each control, model by model; empty where no control was run.

    It is in points of the headline; without the place in norms kept where a benchmark has these, whose norms are masked
    whole, while another place may have an answer to some of their questions alone. A headline that is no mean of its
    units is left out: its control can be opened by itself.
    """
    return tuple(gain for control in OF_PLACE for gain in _of_control(results, control))


def is_informed(results: Results) -> bool:
    """True where a model was also told the norms."""
    return any(each.variant.control == "told" for each in results.variants)


def kept_without_place(results: Results) -> Mapping[Path, frozenset[str]]:
    """By folder of a plain evaluation, its units that are kept as well without their place."""
    masked = (gain for gain in gains(results) if gain.control == "masked")
    return {gain.plain.folder: frozenset(unit for each in gain.courtesy for unit in each.as_well) for gain in masked}


def _of_control(results: Results, control: Control) -> Iterator[PlaceGain]:
    found = [
        _gain(control, plain, other)
        for plain in results.evaluations
        for other in results.variants_of(plain)
        if other.variant.control == control and (KEPT in plain.scores or plain.is_mean)
    ]
    corrected = all_first([WithGroups(each.whole, each.families) for each in found])
    return (replace(each, whole=own.whole, families=own.families) for each, own in zip(found, corrected, strict=True))


def _gain(control: Control, plain: Result, other: Result) -> PlaceGain:
    name = KEPT if control == "masked" and KEPT in plain.scores else plain.headline
    with_, without = of_common_items(plain.scores[name], other.scores[name])
    terms = ContrastOptions(_SEED.child(plain.benchmark, control), name, plain.metric(name), sides=(other, plain))
    pairs = paired(without, with_)
    return PlaceGain(
        control=control,
        plain=plain,
        other=other,
        whole=contrast_of(pairs, terms),
        families=families_of(pairs, terms) | _separate(plain, other, terms),
        courtesy=_courtesy(with_, without, metric_range(terms.metric)) if control == "masked" else (),
    )


def _separate(plain: Result, other: Result, terms: ContrastOptions) -> dict[str, tuple[Contrast, ...]]:
    """Effects of the place on the items that are scored separately, each kind of them by itself."""
    without, with_ = (each.scores.separate.get(terms.name) for each in (other, plain))
    if without is None or with_ is None:
        return {}
    pairs = paired(*of_common_items(without, with_))
    names = sorted(filter(None, pairs.groups[SEPARATE].used()))
    return {SEPARATE: tuple(contrast_of_group(pairs, terms, Group(SEPARATE, name)) for name in names)}


def _courtesy(with_: MetricRows, without: MetricRows, reach: float) -> tuple[CourtesyShare, ...]:
    """By place, the units that get half of the range at least with it, and no less without it."""
    one, other = units_of(with_), units_of(without)
    rows, matching = shared_rows([one, other])
    # from half of the range on a unit counts as kept
    half = _share(one, rows, reach) >= 1 / 2
    rows, equal = rows[half], (other.value[matching] >= one.value[rows])[half]
    names, places = one.keys.unit.texts(), one.keys.place.texts()
    found: dict[str, list[tuple[str, bool]]] = {}
    for at, well in zip(rows.tolist(), equal.tolist(), strict=True):
        found.setdefault(places[at], []).append((names[at], well))
    return tuple(
        CourtesyShare(place=place, kept=len(of), as_well=tuple(name for name, well in of if well))
        for place, of in sorted(found.items())
    )


def _share(units: Units, rows: np.ndarray, reach: float) -> np.ndarray:
    return np.asarray(units.points_a_value * units.value[rows] / (reach if units.weight is None else 100.0))


# The table, as programs know it.

GAINS = Table.of(
    "controls",
    "Effect of the place",
    EVALUATION,
    Column("control", "text", "`masked` or `swapped`"),
    Column("metric", "metric", "the headline, or norms kept"),
    Column("separate", "group", "scored separately, in no headline; missing for what the headline is of", of=SEPARATE),
    Column("place", "group", "its code; missing for the whole", of=PLACE),
    Column(
        "gain",
        "contrast",
        "the score with the place less the score under the control",
        title="Gain, points",
        main=True,
        ends=("with_place", "under_control"),
    ),
    Column("courtesy", "ratio", "units kept with the place and as well without it"),
    Column("as_well", "names", "which units these are", title="Kept as well without the place"),
    Column("left_out", "names", "what the control could not ask"),
)


def _rows(gain: PlaceGain) -> Iterator[Row]:
    """The whole first, then each place, which may have its courtesy alone, then what is scored separately."""
    whose = (gain.plain, gain.control, gain.metric or Metric(name=gain.whole.metric, unit="norm", says=""))
    courtesy = (gain.as_well, gain.kept) if gain.control == "masked" else None
    yield (*whose, None, None, gain.whole, courtesy, None, _left_out(gain))
    contrasts = {each.group.value: each for each in gain.families.get(PLACE, ())}
    kept = {each.place: each for each in gain.courtesy}
    for place in sorted({*contrasts, *kept}):
        yield (*whose, None, place, contrasts.get(place), *_kept_there(kept.get(place)), None)
    for each in gain.families.get(SEPARATE, ()):
        yield (*whose, each.group.value, None, each, None, None, None)


def _kept_there(found: CourtesyShare | None) -> tuple[tuple[int, int] | None, tuple[str, ...] | None]:
    """The courtesy of a place, and its units by their last part: that of a norm in an answer is the norm."""
    if found is None:
        return None, None
    return (len(found.as_well), found.kept), tuple(unit.rpartition("\x1f")[2] for unit in found.as_well)


def _left_out(gain: PlaceGain) -> tuple[str, ...]:
    """Remarks on the items that the control could not ask."""
    begins = f"Control {gain.control}:"
    return tuple(remark for remark in gain.other.provenance.remarks if remark.startswith(begins))


# The same for people.

ABOUT = (
    "The same items were also asked with their place masked (names of places and people, foods, languages), or "
    "swapped for another place whose norm differs, with the answer that is right there. Effect of the place: the "
    "headline less the score under the control, paired by unit; brackets hold its 95% interval. p-values are corrected "
    "(Holm) for the rows of a table. Scores here are of the items that both asked, so the first may differ from the "
    "headline; no other figure of this report counts a control."
)
COURTESY = (
    "Courtesy: units kept with their place that are kept as well without it. They say nothing about this culture, but "
    "one answer is no evidence about one norm: some are lucky guesses, and a list is of examples."
)
FEW = f"Places with fewer than {MIN_CLUSTERS} independent units have figures without a test."
HEADS: dict[Control, tuple[str, str, str]] = {
    "masked": ("With the place and without it", "Place-masked", "Effect of the place, points"),
    "swapped": ("Of the place and of another whose norm differs", "Place-swapped", "Plain less place-swapped, points"),
}
"""By control the title of its table, and the heads of its score and of the gain."""
TESTED = (Show("p_holm", sort="ascending"), "units", "courtesy")


def _view(control: Control, filled: FilledTable) -> View:
    """A row a model and benchmark, its places in details below."""
    title, under, gained = HEADS[control]
    own = [row for row in filled.rows if row[1] == control and row[3] is None]
    # a row without a place begins a model: its places follow, and go into its details
    firsts = [number for number, row in enumerate(own) if row[4] is None]
    parts = [own[first:end] for first, end in zip(firsts, [*firsts[1:], len(own)], strict=False)]
    left = (f"{row[0].benchmark}: {remark}" for row, *_ in parts for remark in row[-1])
    return View(
        title=title,
        rows=tuple(whole for whole, *_ in parts),
        shown=("evaluation", *_scores(under, gained), *TESTED),
        inner=(Show("place", sort="ascending"), "gain", *TESTED, "as_well"),
        inner_rows={number: tuple(places) for number, (_, *places) in enumerate(parts) if places},
        inner_title="{benchmark}, {control}, by place: {model}",
        inner_notes=(FEW,),
        notes=tuple(dict.fromkeys(left)),
    )


def _separate_view(control: Control, filled: FilledTable) -> View:
    """A row a model, benchmark and kind of items that are scored separately."""
    title, under, gained = HEADS[control]
    return View(
        title=f"{title}: items that are scored separately",
        rows=tuple(row for row in filled.rows if row[1] == control and row[3] is not None),
        shown=("evaluation", Show("separate", "Items"), *_scores(under, gained), *TESTED),
    )


def _scores(under: str, gained: str) -> tuple[Show, ...]:
    return Show("with_place", "With the place"), Show("under_control", under), Show("gain", gained)


def analyse(results: Results) -> AnalysisResult | None:
    """Effects of places on headlines, and of another place that is named; None where no control was run."""
    found, misplaced = gains(results), wrong_places(results)
    if not found and not misplaced:
        return None
    filled = GAINS.filled(row for gain in found for row in _rows(gain))
    elsewhere = wrong_place.WRONG_PLACE.filled(wrong_place.rows_of(misplaced))
    masked = [gain for gain in found if gain.control == "masked"]
    views = (
        block
        for control in OF_PLACE for view in (_view(control, filled), _separate_view(control, filled))
        for block in blocks_of(filled, view)
    )  # fmt: skip
    last = (Paragraph(COURTESY, "explanation"),) if masked else ()
    first = (Paragraph(ABOUT, "explanation"), *views, *last) if found else ()
    named = (Paragraph(wrong_place.ABOUT, "explanation"), *blocks_of(elsewhere, wrong_place.view_of(elsewhere.rows)))
    return AnalysisResult(
        tables=(filled, elsewhere),
        blocks=(*first, *(named if misplaced else ())),
        findings=(*_findings(masked), *wrong_place.findings_of(misplaced)),
    )


def _findings(masked: Sequence[PlaceGain]) -> Iterator[Finding]:
    """Model by model, where the place adds something, where it takes, and where neither is found."""
    for label in dict.fromkeys(gain.plain.label for gain in masked):
        own = [gain for gain in masked if gain.plain.label == label]
        sure = [gain for gain in own if gain.whole.found and gain.whole.difference is not None]
        for verb, way, sign in (("adds", "to", 1), ("takes", "from", -1)):
            if some := [gain for gain in sure if sign * (gain.whole.difference or 0.0) > 0]:
                yield _moved(verb, way, label, some)
        if rest := [gain for gain in own if gain not in sure]:
            yield _unmoved(label, rest)


def _moved(verb: str, way: str, label: str, some: Sequence[PlaceGain]) -> Finding:
    """`The place adds 42.2 points to ladder/know and 20.3 to ladder/judge of …`."""
    parts: list[Words] = []
    for gain in some:
        size = CellValue(abs(gain.whole.difference or 0.0), "size", gain.metric)
        parts.append((size, "" if parts else " points", f" {way} ", Span(gain.plain.benchmark, "code")))
    ends = words.joined(CellValue(gain.whole, "ends", gain.metric) for gain in some)
    p = CellValue(max(gain.whole.p_adjusted or 0.0 for gain in some), "full_p")
    several = " or less" if len(some) > 1 else ""
    return Finding(
        words=(f"The place {verb} ", *words.joined(parts), " of ", Span(label, "model"), "."),
        id=f"controls.{verb}",
        sure=("95% intervals ", *ends, "; ", p, f"{several} after Holm's correction."),
        weight="differs",
    )


def _unmoved(label: str, rest: Sequence[PlaceGain]) -> Finding:
    names = words.joined(Span(gain.plain.benchmark, "code") for gain in rest)
    seen = [gain.whole.minimum_detectable for gain in rest if gain.whole.minimum_detectable is not None]
    size = CellValue(max(seen), "size", rest[0].metric) if seen else None
    least: list[Words] = [] if size is None else [("minimum detectable effect ", size, " points")]
    if any(words.is_out_of_reach(gain.whole) for gain in rest):
        least = [f"minimum detectable effect {words.NOT_REACHABLE}"]
    whys = dict.fromkeys(gain.whole.missing for gain in rest if gain.whole.missing is not None)
    return Finding(
        words=("The place is not found to add anything to ", *names, " of ", Span(label, "model"), "."),
        id="controls.none",
        sure=words.sentence(words.joined([*least, *(CellValue(why, "why") for why in whys)], "; ")),
        weight="differs",
        found=False,
    )


CONTROLS_ANALYSIS = Analysis(
    id="controls", title="What the place adds", tables=(GAINS, wrong_place.WRONG_PLACE), analyse=analyse, order=-5
)
