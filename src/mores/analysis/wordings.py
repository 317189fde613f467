"""Wordings and orders as tables and findings: how far headlines hang on them, and whether models change places."""

from collections.abc import Iterator, Sequence

from mores.analysis.contrast import LEVEL, metric_range
from mores.analysis.results import Results
from mores.analysis.variants import KINDS, RankStability, VariantKind, Variants, VariantSensitivity, variants
from mores.blocks import Block, CellValue, Finding, Paragraph, Span, Words
from mores.blocks import formatting as words
from mores.tables import Analysis, AnalysisResult, Column, FilledTable, Row, Show, Table, View, blocks_of
from mores.tables.columns import BENCHMARK, EVALUATION, METRIC, SIMULATED

KIND = Column(key="kind", title="Kind", kind="text", says="`wording`, or `order` of options or labels")
WORDINGS = Table(
    id="wordings",
    title="Dependence on wordings and orders",
    columns=(
        *(EVALUATION, KIND, METRIC),
        Column(key="first", title="First", kind="estimate", says="the headline, which is of the first variant"),
        Column(key="mean", title="Mean of all", kind="estimate", main=True, says="the mean over units and variants"),
        Column(key="spread", title="Largest difference, points", kind="size", says="the best variant less the worst"),
        Column(key="p", title="p", kind="p", says="p of all variants being equal, corrected for their pairs"),
        Column(key="p_holm", title="p (Holm)", kind="p", says="the same after Holm's correction for rows of a kind"),
        Column(key="deviation", title="SD, points", kind="size", says="SD between variants without the units' noise"),
        Column(key="units", title="Units", kind="count", says="units that have a grade in all variants"),
        Column(key="clusters", title="Clusters", kind="count", says="independent clusters of them"),
    ),
)
"""A row a model, benchmark and kind of variants."""
EACH = Table(
    id="wordings_each",
    title="Each wording and order",
    columns=(
        *(EVALUATION, KIND, METRIC),
        Column(key="number", title="Number", kind="count", says="which variant of its kind"),
        Column(key="value", title="Value", kind="score", says="the mean over units that have a grade in all of them"),
        Column(key="figure", title="Headline", kind="estimate", main=True, says="the headline over all its own units"),
    ),
)
ORDERS = Table(
    id="wordings_orders",
    title="Models that change their order",
    columns=(
        *(BENCHMARK, SIMULATED, KIND),
        Column(key="models", title="Models", kind="count", says="models that were asked in several variants"),
        Column(key="variants", title="Variants", kind="count", says="variants that each has at least"),
        Column(key="pairs", title="Pairs", kind="count", says="pairs of models"),
        Column(key="reversed", title="Reversed", kind="count", says="pairs whose order changes"),
        Column(key="units", title="Units", kind="count", says="units that a pair has at least"),
    ),
)
REVERSALS = Table(
    id="wordings_reversals",
    title="Pairs of models that change their order",
    columns=(
        BENCHMARK,
        KIND,
        Column(key="one", title="One", kind="model", says="ahead in one variant"),
        Column(key="other", title="Other", kind="model", says="ahead in another"),
        Column(key="certain", title="Certain", kind="flag", says="true where both are found after Holm's correction"),
    ),
)


def _row(row: VariantSensitivity) -> Row:
    first, found = row.first, row.found
    tested = (row.spread, found.p, row.p_adjusted, row.deviation)
    return first, row.kind, row.first.listed(), row.figures[0], row.mean, *tested, found.units, found.clusters


def _each(row: VariantSensitivity) -> Iterator[Row]:
    means = row.found.means or (None,) * len(row.numbers)
    for number, mean, figure in zip(row.numbers, means, row.figures, strict=True):
        yield row.first, row.kind, row.first.listed(), number, mean, figure


def _of_order(order: RankStability) -> Row:
    counts = (order.models, order.variants, order.pairs, len(order.reversals), order.units)
    return order.benchmark, order.simulated, order.kind, *counts


# The same for people.

NAMES: dict[VariantKind, str] = {"wording": "wording", "order": "order of options or labels"}
ABOUT = (
    "The same questions were also asked in other wordings or orders. Headlines are of the first alone. Everything else "
    "here is over the units that have a grade in all of them. The largest difference is between the best and the worst "
    "of them; its interval allows for having looked at all pairs. SD: the standard deviation between wordings (or "
    "orders) without the noise of the units; its interval speaks of other wordings too, and is wide where few were "
    "tried. p-values are corrected (Holm) for the pairs and for the rows of a table."
)
SHOWN = (
    Show(key="evaluation"), Show(key="first"), Show(key="mean"), Show(key="spread"),
    Show(key="p_holm", sort="ascending"), Show(key="deviation"), Show(key="units"), Show(key="clusters", minor=True),
)  # fmt: skip


def analyse(results: Results) -> AnalysisResult | None:
    """How far headlines hang on wordings and orders; None where everything was asked in one."""
    found = variants(results)
    if found is None:
        return None
    reversals = (pair for order in found.orders for pair in order.reversals)
    whole = FilledTable(table=WORDINGS, rows=tuple(map(_row, found.rows)))
    each = FilledTable(table=EACH, rows=tuple(row for of in found.rows for row in _each(of)))
    views = (block for kind in KINDS for block in _blocks(kind, whole, each, found.orders))
    return AnalysisResult(
        tables=(
            whole,
            each,
            FilledTable(table=ORDERS, rows=tuple(map(_of_order, found.orders))),
            FilledTable(
                table=REVERSALS, rows=tuple((p.benchmark, p.kind, p.one, p.other, p.certain) for p in reversals)
            ),
        ),
        blocks=(Paragraph(words=ABOUT, role="explanation"), *views),
        findings=tuple(_findings(found)),
    )


def _blocks(
    kind: VariantKind, whole: FilledTable, each: FilledTable, orders: Sequence[RankStability]
) -> Iterator[Block]:
    """How far each model hangs on a kind of variants, its mean in each of them, and whether models change places."""
    rows, members = (tuple(row for row in filled.rows if row[1] == kind) for filled in (whole, each))
    heads = {number: f"Mean in {kind} {number}" for number in sorted({row[3] for row in members})}
    yield from blocks_of(whole, View(title=f"Dependence on the {NAMES[kind]}", rows=rows, shown=SHOWN))
    shown = (Show(key="evaluation"),)
    title = f"Mean in each {kind}, over the units graded in all"
    yield from blocks_of(each, View(title=title, rows=members, shown=shown, across="number", cell="value", heads=heads))
    yield from (Paragraph(words=_in_words(order)) for order in orders if order.kind == kind)


def _in_words(order: RankStability) -> Words:
    """Whether models keep their order, in a sentence."""
    counts = (
        ": pairs of models that change their order over ", CellValue(value=order.variants),
            f" {order.kind}s (a pair has ",
        CellValue(value=order.units), " units or more): ", CellValue(value=len(order.reversals)), " of ",
        CellValue(value=order.pairs),
    )  # fmt: skip
    pairs = ", ".join(f"{each.one} and {each.other}{'*' if each.certain else ''}" for each in order.reversals)
    certain = any(each.certain for each in order.reversals)
    star = "; * found each way (p < .05 after Holm’s correction)" if certain else "; none is found each way"
    tags = words.made_up(simulated=order.simulated)
    return Span(order.benchmark, "code"), *counts, f" ({pairs}{star})." if pairs else ".", *tags


def _findings(found: Variants) -> Iterator[Finding]:
    """The headline that hangs most on the wording, and on the order; or that none was found to, or could be."""
    for kind in KINDS:
        rows = [row for row in found.rows if row.kind == kind and row.found.spread is not None]
        sure = [row for row in rows if row.p_adjusted is not None and row.p_adjusted < LEVEL]
        if rows:
            most = max(sure or rows, key=lambda row: (row.found.spread or 0.0) / metric_range(row.metric))
            yield _moved(most) if sure else _unmoved(most)


def _moved(most: VariantSensitivity) -> Finding:
    size = CellValue(value=most.found.spread, format="size", metric=most.metric)
    name, who = Span(most.first.benchmark, "code"), Span(most.first.label, "model")
    ends = CellValue(value=most.spread, format="size", metric=most.metric)
    return Finding(
        id="wordings.moved",
        words=(f"The {NAMES[most.kind]} moves ", name, " of ", who, " by up to ", size, " points."),
        sure=("Largest difference ", ends, " points, ", CellValue(value=most.p_adjusted, format="full_p"), "."),
        weight="doubtful",
    )


def _unmoved(most: VariantSensitivity) -> Finding:
    """That none is found to depend on it; without an interval, that it cannot be told."""
    known, why = most.found.spread_low is not None and most.found.spread_high is not None, most.found.missing
    largest = CellValue(value=most.spread if known else most.found.spread, format="size", metric=most.metric)
    mark = () if known else words.marks_of(most)
    reason = () if known or why is None else ("; ", CellValue(value=why, format="why"))
    told = (
        f"No headline is found to depend on the {NAMES[most.kind]}."
        if known
        else f"Whether headlines depend on the {NAMES[most.kind]} cannot be told."
    )
    return Finding(
        id=f"wordings.{'unmoved' if known else 'untold'}",
        words=told,
        sure=("Largest difference ", largest, " points", *mark, *reason, "."),
        found=False,
    )


WORDINGS_ANALYSIS = Analysis(
    id="wordings",
    title="Wordings and orders",
    tables=(WORDINGS, EACH, ORDERS, REVERSALS),
    analyse=analyse,
    order=12,
)
