"""Regions as blocks: their gaps beside those of chance, the ends of their order, and whether models agree on them.

Anchors begin with the id of the section that the blocks stand in.
"""

from collections.abc import Iterator, Sequence

from mores.analysis.contrast import LEVEL
from mores.benchmarks.shapes.regions.consensus import MIN_MODELS, RHO, Agreement, Consensus
from mores.benchmarks.shapes.regions.gaps import RegionGap
from mores.blocks import (
    Beside,
    Block,
    Cell,
    Chart,
    Column,
    Details,
    Finding,
    Heads,
    Inline,
    Point,
    Row,
    Series,
    Span,
    Stack,
    Table,
    Text,
    Value,
    Words,
)
from mores.blocks import formatting as words
from mores.core.card import Metric
from mores.core.estimate import Estimate

POINTS = Metric(name="norm score", unit="norm", says="points of what could be had", low=-100.0, high=100.0)
ADJUSTED = (
    " Of open answers, the adjusted gap divides each region by what its own norms weigh; the paper’s divides by what "
    "all weigh, so that it grows with how strict a region’s norms are: make no claims from it."
)
ENDS = (
    "These were picked for standing at the ends, so each interval is widened to hold for all regions of its row "
    "together (95%, Bonferroni). They are named only where their order would come out again with other questions."
)
FORMS = {"accuracy": "share right", "adjusted": "adjusted score", "paper": "the paper’s score"}
CONSENSUS = (
    "Consensus is the mean over pairs of models of Spearman’s correlation between their scores over regions; "
    "polarization is the largest less the smallest of these, our reading, as the published equation is lost. Intervals "
    "are over regions. A domain has fewer questions a region, and noise alone lowers correlations, so a low one need "
    "not be disagreement; the intervals are not corrected for the number of domains."
)
STRICT = (
    " By the paper’s score a region with strict norms stands high for every model: part of that consensus is about the "
    "norms, not the models. The adjusted score is free of that."
)


def gap_findings(gaps: Sequence[RegionGap]) -> Iterator[Finding]:
    """Whose regions differ more than by chance, each in a sentence; that none is found in one for all."""
    tested = [(each, each.p_holm) for each in gaps if each.p_holm is not None]
    for each, p in tested:
        if p < LEVEL:
            told = (Span(each.name, "model"), f": regions differ in the mode {each.mode}.")
            sure = " ".join((words.format_p(p), *words.bracketed_mark(each)))
            yield Finding(words=told, sure=f"{sure} after correction.")
    if tested and all(p >= LEVEL for _, p in tested):
        least = words.format_p(min(p for _, p in tested))
        yield Finding(
            words="Regions show no difference.", sure=f"After correction, the smallest is {least}.", found=False
        )


def gap_blocks(gaps: Sequence[RegionGap], section: str) -> Iterator[Block]:
    """How far regions lie apart, and which stand at the ends."""
    if not gaps:
        return
    yield Text(words="Gaps between regions, compared with chance", role="heading", id=f"{section}-regions")
    families = {each.mode: each.family for each in gaps}
    counted = ", ".join(f"{mode} {families[mode]}" for mode in sorted(families))
    points = any(each.points for each in gaps)
    yield Text(
        words=(
            "The gap between the best and the worst of many regions is large even where no region differs. “By "
            "chance” is the mean gap over random permutations of places over bundles; p is the share of permutations "
            f"with a gap as large, corrected (Holm) for the models of a mode ({counted}).{ADJUSTED if points else ''}"
        )
    )
    paper = ("Gap, the paper’s", "SD, the paper’s") if points else ()
    columns = ("Model", "Mode", "Regions", "Gap", "By chance", Column(title="p (Holm)", format="p"), "SD", *paper)
    yield Table.of("Gaps between regions", columns, (_gap(each)[: len(columns)] for each in gaps))
    yield Text(
        words="Gaps and SDs in points of a hundred; they have no interval: compare them with the gap by chance.",
        role="note",
    )
    ends = ((_who(each), each.mode, *_ends(each)) for each in gaps)
    table = Table.of("Regions at the ends", ("Model", "Mode", "Lowest", "Highest"), ends)
    blocks = (Text(words=ENDS, role="note"), table)
    yield Details(summary="Which regions stand at the ends", blocks=blocks, id=f"{section}-ends")


def _who(each: RegionGap) -> tuple[Inline, ...]:
    return words.subject(each.name, simulated=each.simulated)


def _gap(each: RegionGap) -> tuple[Cell, ...]:
    scale = 0.01 if each.points else 1.0
    own = (each.gap, each.null, each.std, each.gap_paper, each.std_paper)
    gap, null, std, *paper = (Value(value=None if value is None else scale * value, format="points") for value in own)
    marked = (gap, *words.marks_of(each))
    return _who(each), each.mode, each.regions, marked, null, each.p_holm, std, *(paper if each.points else ("", ""))


def _ends(each: RegionGap) -> tuple[Cell, Cell]:
    if not each.worst:
        return words.describe_order(each.order.kind, each.order.found, each.order.unit), ""
    metric = POINTS if each.points else None
    return _places(each.worst, metric), _places(each.best, metric)


def _places(figures: Sequence[Estimate], metric: Metric | None) -> Stack:
    named = ((words.group_name("place", e.group["place"]), e) for e in figures)
    return Stack(tuple((f"{name} ", Value(value=e, metric=metric)) for name, e in named))


def agreement_blocks(agreements: Sequence[Agreement], section: str) -> Iterator[Block]:
    """Whether models find the same regions hard."""
    if not agreements:
        return
    yield Text(words="Agreement of models about regions", role="heading", id=f"{section}-agreement")
    paper = any(each.form == "paper" for each in agreements)
    yield Text(words=f"{CONSENSUS}{STRICT if paper else ''}", role="explanation")
    for each in agreements:
        yield from _agreement(each, section)


def _agreement(found: Agreement, section: str) -> Iterator[Block]:
    made_up, of = sum(found.simulated), f"{found.mode}, {FORMS[found.form]}"
    tag: tuple[Inline, ...] = (" ", Span(f"{made_up} of {len(found.names)} simulated", "tag")) if made_up else ()
    title = f"{of[0].upper()}{of[1:]}"
    yield Text(words=(title, *tag), role="subheading", id=f"{section}-agreement-{found.mode}-{found.form}")
    columns: Heads = (
        *("Domain", "Consensus (n: pairs)", "Polarization (n: pairs)"),
        *(Column(title=head, format="share", metric=RHO) for head in ("Least", "Most", "SD")),
        *("Regions", "Units a region"),
    )
    rows = (Row(cells=_consensus(row), whole=not row.domain) for row in found.rows)
    yield Table.of(f"Consensus, {of}", columns, rows)
    yield Text(words=_outliers(found))
    yield _pairs(found, of)


def _consensus(row: Consensus) -> tuple[Cell, ...]:
    consensus, polarization = (Value(value=e, metric=RHO) for e in (row.consensus, row.polarization))
    spread = (row.least, row.most, row.deviation)
    return row.domain or "All domains", consensus, polarization, *spread, row.regions, f"{row.a_region:g}"


def _pairs(found: Agreement, of: str) -> Details:
    series = (
        Series(points=tuple(Point(y=_rho(value)) for value in values), name=name)
        for name, values in zip(found.names, found.correlations, strict=True)
    )
    picture = Chart(kind="squares", title=f"Correlations of models, {found.mode}", series=tuple(series))
    rows = []
    for number, values in enumerate(found.correlations):
        cells = ("" if n == number else Value(value=v, format="share", metric=RHO) for n, v in enumerate(values))
        mean = Value(value=found.means[number], format="share", metric=RHO)
        rows.append((_numbered(found, number), mean, *cells))
    numbers = (str(number) for number in range(1, len(found.names) + 1))
    table = Table.of(f"Pairwise correlations, {of}", ("Model", "Mean with others", *numbers), rows)
    summary = f"All models pairwise: Spearman over {found.whole.regions} regions"
    return Details(summary=summary, blocks=(Beside(blocks=(picture, table)),))


def _rho(value: float | None) -> Estimate | None:
    return None if value is None else Estimate(metric="rho", value=value, asked=1, graded=1)


def _numbered(found: Agreement, number: int) -> Words:
    name = found.names[number]
    outlier: tuple[Inline, ...] = (" ", Span("outlier", "warning")) if name in found.outliers else ()
    return (f"{number + 1} ", *words.subject(name, simulated=found.simulated[number]), *outlier)


def _outliers(found: Agreement) -> str:
    if found.fence is None:
        return f"Outliers: too few models to name any ({len(found.names)}; quartiles need {MIN_MODELS})."
    fence = f"{words.format_number(found.fence, RHO)} (first quartile less 1.5 times the quartile range)"
    if not found.outliers:
        return f"No model is an outlier: no mean correlation with the others lies below {fence}."
    names = f"Outlier{'s' if len(found.outliers) > 1 else ''}: {', '.join(found.outliers)}"
    return f"{names}, with a mean correlation with the others below {fence}."
