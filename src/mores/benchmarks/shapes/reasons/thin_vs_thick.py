"""Thin against thick: right labels and macro F1 of the same items, models side by side, and their order."""

from collections.abc import Iterator, Sequence

from mores.analysis.contrast import LEVEL
from mores.benchmarks.shapes.reasons.across_models import (
    BOXES,
    F1S,
    LABELS,
    MACRO,
    MACRO_MEANS,
    RANKS,
    REVERSALS,
    REVERSED,
    SCORED,
    SPREADS,
    InterquartileSpread,
    spreads,
)
from mores.benchmarks.shapes.reasons.reversals import Reversals, ThinThickReversal, reversals_of
from mores.benchmarks.shapes.reasons.thin_and_thick import MacroF1, ThinThickComparison, macro_of
from mores.core.estimate import Caution, Estimate, cautioned
from mores.tables import AnalysisResult, FilledTable, Row, Show, View, blocks_of
from mores.tables import formatting as words
from mores.tables.blocks import (
    Axis,
    Block,
    BulletList,
    Cell,
    CellValue,
    Chart,
    ChartPoint,
    Details,
    Finding,
    Paragraph,
    Series,
    Span,
    Words,
)
from mores.tables.missing_texts import format_caution, format_missing

NAMES = {"f1_micro": "F1 micro", "f1_macro": "F1 macro"}
RANGE = (
    "The interquartile range over the models of these runs that have both forms, over the items that a model was asked "
    "in both; baselines are left out. It has no interval, as these models are not a sample of all models."
)
ABOUT_MACRO = (
    "Macro F1 of thick answers minus that of thin ones, over items graded in both. The interval is over clusters of "
    "items; the test swaps the two answers to all items of a cluster at once. A mean over models rests on the same "
    "items, and these stay together; sets count alike in the last row."
)
ABOUT_BOXES = (
    "Box: quartiles over models and their median; whiskers reach to the last model within 1.5 quartile ranges, dots "
    "beyond are outliers, named in the table."
)
ABOUT_REVERSALS = (
    "Models by the share of right labels in either form, over items that all of them have a grade on in both. Two "
    "models reverse where the one ahead in thin answers is behind in thick ones. That is certain where both "
    "differences are found after Holm’s correction over all pairs in both forms. The interval of the share runs from "
    "the pairs that reverse for certain to those that are not found to keep their order."
)
CHANGED = (
    Show(key="thin", title="Thin"),
    Show(key="thick", title="Thick"),
    Show(key="change"),
    Show(key="p", title="p"),
    Show(key="p_holm"),
)
SIZE = Show(key="units", title="n in clusters", to="clusters", between=" in ")


def forms_found(pairs: Sequence[ThinThickComparison]) -> AnalysisResult:
    """Results of pairs of forms, pair by pair and over models; empty tables and no blocks where there are none."""
    macro, over_models, orders = macro_of(pairs), spreads(pairs), reversals_of(pairs)
    labels = FilledTable(table=LABELS, rows=tuple(map(_pair_row, pairs)))
    f1s = FilledTable(table=MACRO, rows=tuple(_macro_rows(macro)))
    means = FilledTable(table=MACRO_MEANS, rows=tuple(_mean_rows(macro)))
    spread = FilledTable(table=SPREADS, rows=tuple(map(_spread_row, over_models)))
    boxes = FilledTable(table=BOXES, rows=tuple(row for each in over_models for row in _box_rows(each)))
    scored = FilledTable(table=SCORED, rows=tuple(row for each in over_models for row in _scored_rows(each)))
    ranks = FilledTable(table=RANKS, rows=tuple(row for each in orders for row in _rank_rows(each)))
    share = FilledTable(table=REVERSED, rows=tuple(map(_reversed_row, orders)))
    reversals = FilledTable(table=REVERSALS, rows=tuple(row for each in orders for row in _reversal_rows(each)))
    blocks = (
        *_labels(labels, pairs),
        *_macro(f1s, means),
        *_spreads(spread, over_models),
        *_orders(ranks, orders),
    )
    return AnalysisResult(
        tables=(labels, f1s, means, spread, boxes, scored, ranks, share, reversals),
        blocks=blocks if pairs else (),
        findings=tuple(_findings(macro)),
    )


def _pair_row(pair: ThinThickComparison) -> Row:
    whose = pair.thick.subject, pair.simulated, pair.thick.set
    benchmarks = pair.thin.benchmark, pair.thick.evaluation.benchmark
    left = pair.only_thin, pair.only_thick, pair.ungraded, pair.other_data
    return *whose, *benchmarks, pair.contrast, *pair.slips, *left


def _macro_rows(macro: MacroF1 | None) -> Iterator[Row]:
    if macro is not None:
        for pair, found in zip(macro.pairs, macro.contrasts, strict=True):
            yield pair.thick.subject, pair.simulated, pair.thick.set, found


def _mean_rows(macro: MacroF1 | None) -> Iterator[Row]:
    if macro is not None:
        for each in (*macro.sets, *([macro.whole] if macro.whole else ())):
            yield each.set or None, each.models, each.simulated, each.contrast


def _spread_row(each: InterquartileSpread) -> Row:
    ranges = each.thin, each.thick, each.reduced
    return each.set, each.metric, each.models, each.simulated, *ranges, each.missing, _caution_text(each.caution)


def _box_rows(each: InterquartileSpread) -> Iterator[Row]:
    for form, box in (("thin", each.thin_box), ("thick", each.thick_box)):
        if box is not None:
            beyond = tuple(one.subject for one in (each.outliers("thin") if form == "thin" else each.outliers("thick")))
            yield each.set, each.metric, form, box.low, box.first, box.median, box.third, box.high, beyond


def _scored_rows(each: InterquartileSpread) -> Iterator[Row]:
    for one in each.scored:
        yield each.set, each.metric, one.subject, one.thin, one.thick, one.items, _caution_text(one.caution)


def _rank_rows(found: Reversals) -> Iterator[Row]:
    for each in found.ranks:
        ranked = each.thin, each.thin_rank, each.thick, each.thick_rank
        yield found.set, each.subject, each.simulated, *ranked, _caution_text(each.caution)


def _reversed_row(found: Reversals) -> Row:
    counts = len(found.reversals), found.certain, found.units, found.clusters
    return found.set, found.simulated, found.share, *counts


def _reversal_rows(found: Reversals) -> Iterator[Row]:
    for each in found.reversals:
        yield found.set, each.ahead, each.behind, each.thin, each.thick, each.certain, _caution_text(each.caution)


def _caution_text(caution: Caution | None) -> str | None:
    return None if caution is None else format_caution(caution)


def _findings(macro: MacroF1 | None) -> Iterator[Finding]:
    """Difference in macro F1 of thick and thin answers, by the widest mean that there is."""
    if macro is None:
        return
    widest = [macro.whole] if macro.whole else [*macro.sets] if len(macro.sets) == 1 else []
    for each in widest:
        found = each.contrast
        if found.p is None:
            continue
        above = "higher" if (found.difference or 0) > 0 else "lower"
        differ = (
            f"{above} in thick answers than in thin ones"
            if found.p < LEVEL
            else "not distinguishable between thin and thick answers"
        )
        where = (" on ", Span(each.set, "code")) if each.set else ()
        scores = CellValue(value=found.b), " against ", CellValue(value=found.a)
        yield Finding(
            words=(f"Over {words.plural(each.models, 'model')}", *where, f" macro F1 is {differ}: ", *scores, "."),
            id="thick.macro_f1",
            sure=(CellValue(value=found), ", ", CellValue(value=found.p, format="full_p"), "."),
            found=found.p < LEVEL,
        )


def _labels(filled: FilledTable, pairs: Sequence[ThinThickComparison]) -> Iterator[Block]:
    yield Paragraph(words="Thin against thick, on the same items", role="heading")
    yield _about_pairs(pairs)
    shown = (
        Show(key="model"),
        Show(key="set"),
        *CHANGED,
        SIZE,
        Show(key="unreadable_thin", title="Unreadable, thin → thick", write=_unreadable),
        Show(
            key="only_thin",
            title="Left out",
            write=lambda row: describe_unshared(row[8], row[9], row[10], other_data=row[11]),
        ),
    )
    yield from blocks_of(filled, View(title=LABELS.title, rows=filled.rows, shown=shown))


def _about_pairs(pairs: Sequence[ThinThickComparison]) -> Paragraph:
    found, family = sum(pair.contrast.found for pair in pairs), sum(pair.contrast.p is not None for pair in pairs)
    about = (
        "Accuracy of labels in thick answers minus accuracy in thin answers, over items graded in both, paired. The "
        f"family is {words.plural(family, 'pair')} of a model and a set; after Holm’s correction {found} of "
        f"them differ{'s' if found == 1 else ''} at .05. The test permutes signs and the interval resamples clusters, "
        "so the two may disagree near the limit."
    )
    sets = dict.fromkeys(each.thick.set for each in pairs if each.thick.judged_labels)
    if not sets:
        return Paragraph(words=about)
    named = words.joined(Span(name, "code") for name in sets)
    return Paragraph(
        words=(about, " A judge reads the thick label of ", *named, ", so its errors are part of these differences.")
    )


def _unreadable(row: Row) -> Words:
    thin, thick = (CellValue(value=None if slip is None else slip.value) for slip in row[6:8])
    return thin, " → ", thick


def describe_unshared(only_thin: int, only_thick: int, ungraded: int, other_data: bool) -> str:
    """Items that the two forms do not share."""
    counts = {"items in thin only": only_thin, "items in thick only": only_thick, "units not graded in both": ungraded}
    left = ", ".join(f"{count:,} {what}" for what, count in counts.items() if count) or "none"
    return f"{left}; the data files differ, paired by id" if other_data else left


def _macro(filled: FilledTable, means: FilledTable) -> Iterator[Block]:
    if filled.rows:
        yield Paragraph(words="Macro F1, thin against thick", role="heading")
        yield Paragraph(words=ABOUT_MACRO, role="explanation")
    own = (Show(key="model"), Show(key="set"), *CHANGED, SIZE)
    yield from blocks_of(filled, View(title=MACRO.title, rows=filled.rows, shown=own))
    over = (Show(key="set", write=_set), Show(key="models"), *CHANGED, SIZE)
    yield from blocks_of(means, View(title=MACRO_MEANS.title, rows=means.rows, shown=over))


def _set(row: Row) -> Words:
    name = ("all sets",) if row[0] is None else (Span(row[0], "code"),)
    return (*name, *words.made_up(simulated=row[2]))


def _spreads(filled: FilledTable, over_models: Sequence[InterquartileSpread]) -> Iterator[Block]:
    yield Paragraph(words="How far models lie apart", role="heading")
    yield Paragraph(words=RANGE, role="explanation")
    of = {(each.set, each.metric): each for each in over_models}
    shown = (
        Show(key="set", write=lambda row: (Span(row[0], "code"), *words.made_up(simulated=row[3]))),
        Show(key="figure", write=lambda row: NAMES[row[1]]),
        Show(key="models"),
        Show(key="thin", format="points"),
        Show(key="thick", format="points"),
        Show(key="reduced", title="Thick against thin", write=lambda row: _against(of[row[:2]])),
        Show(key="caution", title="Outliers", write=lambda row: _outliers(of[row[:2]])),
    )
    yield from blocks_of(filled, View(title=SPREADS.title, rows=filled.rows, shown=shown))
    charts = [chart for metric in F1S if (chart := _boxes(metric, over_models)).series]
    if charts:
        yield Paragraph(words=ABOUT_BOXES, role="explanation")
        yield from charts


def _against(each: InterquartileSpread) -> Words:
    return describe_spread(each), *words.marks_of(each)


def describe_spread(each: InterquartileSpread) -> str:
    """By how much models lie nearer together where they have to explain, or why that is not known."""
    if each.reduced is None:
        return format_missing(each.missing)
    return f"{100 * abs(each.reduced):.0f}% {'less' if each.reduced >= 0 else 'more'}"


def _outliers(each: InterquartileSpread) -> str:
    beyond = [
        *(f"{one.subject} (thin {words.format_number(one.thin)})" for one in each.outliers("thin")),
        *(f"{one.subject} (thick {words.format_number(one.thick)})" for one in each.outliers("thick")),
    ]
    return ", ".join(beyond) or "none" if each.thin_box else words.DASH


def _boxes(metric: str, over_models: Sequence[InterquartileSpread]) -> Chart:
    """Two boxes a set that has enough models, thin above thick."""
    boxed = [each for each in over_models if each.metric == metric and each.thin_box is not None]
    series = tuple(_series(each, form) for each in boxed for form in ("thin", "thick"))
    return Chart(kind="boxes", title=f"{NAMES[metric]} over models, thin and thick", series=series, axes=(Axis(),))


def _series(each: InterquartileSpread, form: str) -> Series:
    """The models of one box; in the thick form they are set apart."""
    points = tuple(
        ChartPoint(
            y=cautioned(
                Estimate(metric=each.metric, value=getattr(one, form), asked=one.items, graded=one.items), one.caution
            ),
            label=one.subject,
        )
        for one in each.scored
    )
    return Series(points=points, name=f"{each.set} {form}", marked=form == "thick")


def _orders(filled: FilledTable, orders: Sequence[Reversals]) -> Iterator[Block]:
    if orders:
        yield Paragraph(words="Order of models, thin and thick", role="heading")
        yield Paragraph(words=ABOUT_REVERSALS, role="explanation")
    start = 0
    for found in orders:
        end = start + len(found.ranks)
        yield from _order(filled, filled.rows[start:end], found)
        start = end


def _order(filled: FilledTable, rows: tuple[Row, ...], found: Reversals) -> Iterator[Block]:
    pairs = f"{len(found.reversals)} of {words.plural(found.share.asked, 'pair')} of models reverse"
    counts = (f": {pairs}, {found.certain} for certain; ", CellValue(value=found.share, format="share"), ".")
    size = f" n = {found.units:,} items in {found.clusters:,} clusters." if found.units else ""
    yield Paragraph(words=(Span(found.set, "code"), *words.made_up(simulated=found.simulated), *counts, size))
    marks = {each.subject: words.marks_of(each) for each in found.ranks}
    shown = (
        Show(key="model", write=lambda row: (*words.subject(row[1], simulated=row[2]), *marks[row[1]])),
        Show(key="thin"),
        Show(key="thin_rank", write=lambda row: _rank(row[4])),
        Show(key="thick"),
        Show(key="thick_rank", write=lambda row: _rank(row[6])),
    )
    yield from blocks_of(filled, View(title=f"Ranks on {found.set}, thin and thick", rows=rows, shown=shown))
    certain, others = ([describe_reversal(r) for r in found.reversals if r.certain is sure] for sure in (True, False))
    if certain:
        yield BulletList(tuple(certain))
    if others:
        count = words.plural(len(others), "reversal")
        yield Details(summary=f"{count} that may be chance", blocks=(BulletList(tuple(others)),))


def describe_reversal(each: ThinThickReversal) -> str:
    """Models of which one is ahead in thin answers and behind in thick ones, and by how much."""
    thin, thick = (words.format_size(abs(points), None) for points in (each.thin, each.thick))
    sentence = f"{each.ahead} is {thin} points ahead of {each.behind} in thin answers and {thick} behind in thick ones"
    return f"{' '.join((sentence, *words.bracketed_mark(each)))}."


def _rank(rank: Estimate) -> Cell:
    ends = "" if rank.low is None or rank.high is None else f" [{rank.low:g}, {rank.high:g}]"
    return words.DASH if rank.value is None else f"{rank.value:g}{ends}"
