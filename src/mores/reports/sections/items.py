"""The section on items: how many are odd, and the words of those that are."""

from dataclasses import asdict

from mores.analysis.items import Flag, ItemRow, ItemTable, item_tables
from mores.analysis.results import Results
from mores.blocks import Cell, Column, Details, Inline, Quoted, Section, Span, Stack, Table, Text, Words
from mores.blocks.formatting import group_name, made_up
from mores.blocks.reasons import format_caution, format_missing, plain_fields
from mores.reports.browse import questions_of
from mores.stats.items import ENOUGH, ENOUGH_EACH
from mores.stats.reliability import WANTED

FEWEST_MODELS = 3
"""Models from which a report speaks of items at all."""
FLAGS = (
    "A flag is a reason to look at an item; it is not a finding, as each test has level .05 by itself. Item-rest: "
    "correlation over models of the points on this item with the mean on all others."
)
MOST = 40
"""Odd units of a benchmark whose words a page shows."""


COLUMNS = (
    Column(title="Unit", sort="ascending"),
    "Words",
    Column(title="Right", format="share", sort="descending"),
    Column(title="Models", format="count"),
    Column(title="Item-rest", format="decimal", sort="ascending"),
    "Key, and what others say",
    "Flags",
)


def items_section(results: Results) -> Section | None:
    """The section; None where no benchmark has enough models."""
    busy = {name for name in results.benchmarks if len({each.model for each in results.on(name)}) >= FEWEST_MODELS}
    evaluations = tuple(each for each in results.evaluations if each.benchmark in busy)
    tables = item_tables(Results(runs=results.runs, evaluations=evaluations)) if evaluations else ()
    shown = [table for table in tables if len(table.models) >= FEWEST_MODELS]
    if not shown:
        return None
    return Section(
        id="items",
        title="The items themselves",
        order=20,
        lead=tuple(f"{each.benchmark}: {summary(each)}" for each in shown),
        blocks=tuple(_details(each) for each in shown if each.suspects),
        data={"benchmarks": {each.benchmark: plain_table(each) for each in shown}},
    )


def _details(table: ItemTable) -> Details:
    rows = table.suspects[:MOST]
    asked = questions_of(table.first, {row.item for row in rows})
    told = f"{len(table.rows):,} {table.unit}, {len(table.models)} models, {len(table.suspects):,} to look at"
    some: tuple[Inline, ...] = ()
    if len(rows) < len(table.suspects):
        verb = Span("mores items RUN… --out FILE.csv", "code")
        some = (f"The {len(rows)} oddest of {len(table.suspects):,}; ", verb, " has all. ")
    cells = (_cells(row, asked.get(row.item, "")) for row in rows)
    return Details(
        summary=(f"{table.benchmark} ", Span(told, "soft"), *made_up(simulated=table.simulated)),
        blocks=(
            Text(words=(*some, FLAGS), role="explanation"),
            Table.of(f"Odd units of {table.benchmark}", COLUMNS, cells),
        ),
    )


def _cells(row: ItemRow, asked: str) -> tuple[Cell, ...]:
    unit: list[Words] = [Span(name, "code") for name in (row.item, row.part) if name]
    unit += [group_name("place", row.place)] if row.place else []
    rival: Words | None = None
    if row.rival:
        key, other = Span(f"{row.rival.keyed}", "soft"), Span(f"{row.rival.models}", "soft")
        rival = (f"{row.rival.key} ", key, f", {row.rival.label} ", other)
    odd = [f"{o.family}{'' if o.delta is None else f' delta {o.delta:.1f}'}" for o in row.odd]
    flags = "; ".join((*row.flags, *odd))
    return Stack(tuple(unit)), Quoted(asked), row.share, row.models, row.rest, rival, flags


def summary(table: ItemTable) -> str:
    """What the models say of a benchmark's units, in a few sentences, after what has to be known of their answers."""
    cautions = (f"{label}: {format_caution(caution)}. " for label, caution in table.cautions.items())
    return f"{''.join(cautions)}{_counted(table)}"


def _counted(table: ItemTable) -> str:
    counts, models = table.counts, len(table.models)
    alike = f"nobody right on {counts[Flag.NOBODY]:,}, everybody on {counts[Flag.EVERYBODY]:,}"
    if not counts[Flag.NOBODY] + counts[Flag.EVERYBODY]:  # as where points are probabilities
        alike = "none is wholly right, or wholly wrong, with all models"
    base = f"{len(table.rows):,} {table.unit} over {models} model{'s' if models > 1 else ''}: {alike}"
    if not table.claims:
        return f"{base}. With fewer than {ENOUGH} models no correlation over models is claimed, only shares."
    chance = f"{0.05 * len(table.rows):.0f}"
    return (
        f"{base}; better models do worse on {counts[Flag.NEGATIVE]:,} (up to {chance} by chance, were all without "
        f"bearing on the rest) and say otherwise than the key on {counts[Flag.RIVAL]:,}. {reliability(table)} "
        f"{families(table)}"
    )


def reliability(table: ItemTable) -> str:
    """The reliability of the scale over models, in a sentence."""
    alpha = table.alpha
    if alpha.value is None or alpha.low is None or alpha.high is None:
        return f"No reliability of the scale: {format_missing(alpha.missing)}."
    short = "" if alpha.value >= WANTED else f", under {WANTED}: other {table.unit} may order these models otherwise"
    return (
        f"Reliability of the scale over these models (KR-20, alpha): {alpha.value:.2f} "
        f"[{alpha.low:.2f}, {alpha.high:.2f}], {alpha.items:,} {table.unit}{short}."
    )


def families(table: ItemTable) -> str:
    """Which families were large enough to have items of their own, in a sentence."""
    if not table.families:
        return f"No family has {ENOUGH_EACH} models, with as many others, so none is held against the rest."
    told = ", ".join(f"{group.family} ({group.models} against {group.others})" for group in table.families)
    return f"{told}: works differently on {table.counts[Flag.DIFFERENT]:,} (Mantel–Haenszel, Benjamini–Hochberg)."


def plain_table(table: ItemTable) -> dict[str, object]:
    """The figures of a benchmark without its units."""
    cautions = {label: format_caution(caution) for label, caution in table.cautions.items()}
    return {
        **({"cautions": cautions} if cautions else {}),
        **plain_fields(table, "metric", "simulated", "models", "left_out"),
        "units": len(table.rows),
        "flags": {flag.value: count for flag, count in table.counts.items()},
        "alpha": table.alpha,
        "families": [group._asdict() for group in table.families],
    }


def plain_row(row: ItemRow) -> dict[str, object]:
    """One unit for programs."""
    named = {"rival": row.rival and row.rival._asdict(), "odd": [odd._asdict() for odd in row.odd]}
    return {**asdict(row), **named, "flags": [flag.value for flag in row.flags]}
