"""Wordings and orders as blocks: how far each headline hangs on them, and whether models change places."""

from collections.abc import Iterator

from mores.analysis.contrast import LEVEL, reach_of
from mores.analysis.results import Results
from mores.analysis.variants import KINDS, Kind, Order, Sensitivity, Variants, variants
from mores.blocks import Block, Cell, Column, Finding, Heads, Section, Span, Stack, Table, Text, Words
from mores.blocks import formatting as words
from mores.blocks.reasons import format_missing, plain_fields
from mores.core.estimate import Estimate, Missing, cautioned

NAMES: dict[Kind, str] = {"wording": "wording", "order": "order of options or labels"}
TWO = Missing(code="too_few_conditions", n=2, needed=3)
ABOUT = (
    "The same questions were also asked in other wordings or orders. Headlines are of the first alone. Everything else "
    "here is over the units that have a grade in all of them. The largest difference is between the best and the worst "
    "of them; its interval allows for having looked at all pairs. SD: the standard deviation between wordings (or "
    "orders) without the noise of the units; its interval speaks of other wordings too, and is wide where few were "
    "tried. p-values are corrected (Holm) for the pairs and for the rows of a table."
)


def variants_section(results: Results) -> Section | None:
    """How far headlines hang on wordings and orders; None where everything was asked in one."""
    found = variants(results)
    if found is None:
        return None
    return Section(
        id="wordings",
        title="Wordings and orders",
        order=12,
        blocks=(Text(words=ABOUT, role="explanation"), *_blocks(found)),
        data=to_dict(found),
        findings=tuple(_findings(found)),
    )


def _blocks(found: Variants) -> Iterator[Block]:
    for kind in KINDS:
        rows = [row for row in found.rows if row.kind == kind]
        if rows:
            yield Table.of(f"Dependence on the {NAMES[kind]}", _columns(kind), map(_row, rows))
        yield from (Text(words=_told(order)) for order in found.orders if order.kind == kind)


def _columns(kind: Kind) -> Heads:
    each = Column(title=f"In each {'wording' if kind == 'wording' else 'order'}", minor=True)
    p = Column(title="p (Holm)", format="p", sort="ascending")
    return ("Benchmark", "First", each, "Mean of all", "Largest difference, points", p, "SD, points", "Units")


def _row(row: Sensitivity) -> tuple[Cell, ...]:
    found, first = row.found, row.first
    who = words.subject(first.label, simulated=first.simulated)
    each = (f"{n}: {words.format_number(mean, row.metric)}" for n, mean in zip(row.numbers, found.means, strict=True))
    mean = Estimate(metric=first.headline, value=found.mean, low=found.low, high=found.high, asked=found.units,
                    graded=found.units, missing=found.missing)  # fmt: skip
    return (
        Stack((Span(first.benchmark, "code"), who)),
        row.figures[0],
        Stack(tuple(each)) if found.means else None,
        None if found.mean is None else cautioned(mean, row.caution),
        _sized(row, found.spread, found.spread_low, found.spread_high, found.missing),
        row.p_adjusted,
        _sized(row, found.deviation, found.deviation_low, found.deviation_high, found.missing or TWO),
        words.format_units(found.units, found.clusters).removeprefix("n "),
    )


def _sized(
    row: Sensitivity, size: float | None, low: float | None, high: float | None, missing: Missing | None
) -> Cell:
    """A size without a sign, with its ends, or why there are none."""
    if size is None:
        return Span(words.DASH, "missing", title=format_missing(missing))
    ends = _ends(row, low, high)
    interval = Span(ends, "interval") if ends else Span("no interval", "missing", title=format_missing(missing))
    return (words.format_size(size, row.metric), " ", interval, *words.marks_of(row))


def _told(order: Order) -> Words:
    """Whether models keep their order, in a sentence."""
    tags = words.made_up(simulated=order.simulated)
    told = (
        f": pairs of models that change their order over {order.variants} {order.kind}s (a pair has {order.units:,} "
        f"units or more): {len(order.reversals)} of {order.pairs}"
    )
    names = ", ".join(f"{each.one} and {each.other}{'*' if each.certain else ''}" for each in order.reversals)
    certain = any(each.certain for each in order.reversals)
    star = "; * found each way (p < .05 after Holm’s correction)" if certain else "; none is found each way"
    return (Span(order.benchmark, "code"), told, f" ({names}{star})." if names else ".", *tags)


def _findings(found: Variants) -> Iterator[Finding]:
    """The headline that hangs most on the wording, and on the order; or that none was found to, or could be."""
    for kind in KINDS:
        rows = [row for row in found.rows if row.kind == kind and row.found.spread is not None]
        sure = [row for row in rows if row.p_adjusted is not None and row.p_adjusted < LEVEL]
        if not rows:
            continue
        most = max(sure or rows, key=lambda row: (row.found.spread or 0.0) / reach_of(row.metric))
        size = words.format_size(most.found.spread or 0.0, most.metric)
        ends = _ends(most, most.found.spread_low, most.found.spread_high)
        mark = "".join(f" {told}" for told in words.bracketed_mark(most))
        name, who = Span(most.first.benchmark, "code"), Span(most.first.label, "model")
        if sure:
            told: Words = (f"The {NAMES[kind]} moves ", name, " of ", who, f" by up to {size} points.")
            yield Finding(words=told, sure=f"{ends}{mark}, {words.format_p(most.p_adjusted)}.", weight="caveat")
        elif not ends:
            told = (f"Whether headlines depend on the {NAMES[kind]} cannot be told.",)
            why = format_missing(most.found.missing)
            size_and_why = f"Largest difference {size} points{mark}{f'; {why}' if why else ''}."
            yield Finding(words=told, sure=size_and_why, weight="caveat", found=False)
        else:
            told = (f"No headline is found to depend on the {NAMES[kind]}.",)
            yield Finding(words=told, sure=f"Largest difference {size} points {ends}{mark}.", weight="caveat",
                          found=False)  # fmt: skip


def _ends(row: Sensitivity, low: float | None, high: float | None) -> str:
    known = [words.format_size(end, row.metric) for end in (low, high) if end is not None]
    return f"[{', '.join(known)}]" if len(known) == 2 else ""


def to_dict(found: Variants) -> dict[str, object]:
    """The values, for programs."""
    names = ("benchmark", "kind", "models", "variants", "pairs", "simulated")
    return {
        "rows": [_row_to_dict(row) for row in found.rows],
        "orders": [
            {
                **plain_fields(order, *names),
                "reversed": [plain_fields(each, "one", "other", "certain") for each in order.reversals],
            }
            for order in found.orders
        ],
    }


def _row_to_dict(row: Sensitivity) -> dict[str, object]:
    spread = ("means", "mean", "low", "high", "spread", "spread_low", "spread_high", "p")
    return {
        **plain_fields(row.first, "benchmark", model="label"),
        "kind": row.kind,
        **plain_fields(row.first, metric="headline", simulated="simulated"),
        "numbers": row.numbers,
        "figures": [None if figure is None else figure.value for figure in row.figures],
        **plain_fields(row.found, *spread),
        "p_adjusted": row.p_adjusted,
        **plain_fields(row, "caution"),
        **plain_fields(row.found, "deviation", "deviation_low", "deviation_high", "units", "clusters", why="missing"),
    }
