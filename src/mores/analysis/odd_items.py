"""Items as models answer them: those that are odd, and the reliability of the whole scale.

units over models (`items`) ─▶ a row a unit that is odd, a row a benchmark ─▶ tables with their words, sentences.
"""

from collections.abc import Iterator, Mapping, Sequence

from mores.analysis.groups import PLACE
from mores.analysis.item_places import ITEM_PLACES, describe_places, place_blocks, place_rows
from mores.analysis.items import ItemFlag, ItemRow, ItemTable, item_tables
from mores.analysis.results import Result, Results
from mores.stats.crossed_effects import MIN_FAMILIES
from mores.stats.items import ENOUGH
from mores.stats.reliability import WANTED
from mores.tables import Analysis, AnalysisResult, Column, FilledTable, Row, Show, Table, View, blocks_of
from mores.tables import formatting as words
from mores.tables.blocks import Block, Cell, Details, Inline, Paragraph, Quoted, Span, Stack, Words
from mores.tables.columns import BENCHMARK
from mores.tables.missing_texts import format_caution, format_missing

UNITS = Table.of(
    "item_statistics",
    "Units over models",
    BENCHMARK,
    Column("unit", "text", "what the headline counts, by its name"),
    Column("item", "text", "id of its first item"),
    Column("part", "text", "the norm, where an answer is judged by several"),
    Column("place", "group", "code of its place", of=PLACE),
    Column("models", "count", "models with a grade on it"),
    Column("share", "share", "mean share of its points over models", title="Right"),
    Column("right", "count", "models that got all of it", title="All right"),
    Column("wrong", "count", "models that got nothing of it", title="All wrong"),
    Column("rest", "number", "correlation over models with the mean on all others", title="Item-rest"),
    Column("p_negative", "p", "one-sided p-value that it is below 0, uncorrected", title="p"),
    Column("key", "text", "the right label of a closed question"),
    Column("keyed", "count", "models that gave it", title="Key given"),
    Column("rival", "text", "the other label that most models gave"),
    Column("rival_models", "count", "models that gave it", title="Rival given"),
    Column("rival_p", "p", "p-value that better models give it, uncorrected", title="p"),
    Column("p_fit", "p", "one-sided p-value that it goes with ability, as others do, uncorrected", title="p (fit)"),
    Column("flags", "names", "reasons to look at it"),
    Column("separate", "group", "scored separately, in no figure of the benchmark", of="apart"),
)
SCALES = Table.of(
    "item_scales",
    "Units of a benchmark as a scale",
    BENCHMARK,
    Column("simulated", "flag", "true where answers of any model were simulated"),
    Column("metric", "text", "the headline"),
    Column("models", "names", "models that are compared"),
    Column("independent", "count", "their families; a model of no known family is its own", title="Families"),
    Column("left_out", "count", "evaluations that differ in more than the model"),
    Column("units", "count", "units over all models"),
    Column("nobody_right", "count", "units that no model gets"),
    Column("everybody_right", "count", "units that all models get"),
    Column("negative", "count", "units on which better models do worse", title="Better do worse"),
    Column("rival", "count", "units whose key better models do not give", title="Better say otherwise"),
    Column("fit_tested", "count", "units of which it is tested whether they go with ability", title="Fit tested"),
    Column("misfits", "count", "of them those that do not, one in twenty by chance", title="Do not fit"),
    Column("fit_seen", "share", "chance to see a unit on which ability has no bearing", title="Would be seen"),
    Column("alpha", "number", "reliability of the scale over models (KR-20, alpha)"),
    Column("low", "number", "lower end of its 95% interval"),
    Column("high", "number", "upper end of it"),
    Column("alpha_units", "count", "units that every model has a grade on", title="Units of alpha"),
    Column("why", "reason", "reason for a missing reliability"),
    Column("cautions", "names", "what has to be known of answers, by model", title="Caution"),
)
FEWEST_MODELS = 3
"""Models from which a report speaks of items at all."""
FLAGS = (
    "A flag is a reason to look at an item; it is not a finding, as each test has level .05 by itself. Item-rest: "
    "correlation over models of the points on this item with the mean on all others."
)
MOST = 40
"""Odd units of a benchmark whose words a page shows."""


def analyse(results: Results) -> AnalysisResult | None:
    """The units to look at, and how many are odd; None where no benchmark has enough models."""
    # nothing is read of benchmarks with too few models
    busy = {name for name in results.benchmarks if len({each.model for each in results.on(name)}) >= FEWEST_MODELS}
    evaluations = tuple(each for each in results.evaluations if each.benchmark in busy)
    tables = item_tables(Results(runs=results.runs, evaluations=evaluations)) if evaluations else ()
    shown = [table for table in tables if len(table.models) >= FEWEST_MODELS]
    if not shown:
        return None
    filled = filled_of(shown, {each.benchmark: each.suspects for each in shown})
    return AnalysisResult(
        tables=filled,
        blocks=(
            *(_details(filled[0], each) for each in shown if each.suspects),
            *(_places(filled[2], each) for each in shown if each.fits[PLACE].places),
        ),
        lead=tuple(f"{each.benchmark}: {summary(each)}" for each in shown),
    )


def filled_of(tables: Sequence[ItemTable], units: Mapping[str, Sequence[ItemRow]]) -> tuple[FilledTable, ...]:
    """The tables of some benchmarks, with such of their units."""
    rows: dict[str, list[Row]] = {UNITS.id: [], SCALES.id: [], ITEM_PLACES.id: []}
    for table in tables:
        some = units[table.benchmark]
        rows[UNITS.id] += [_unit(table, row) for row in some]
        rows[SCALES.id].append(_scale(table))
        rows[ITEM_PLACES.id] += place_rows(table)
    every = (UNITS, SCALES, ITEM_PLACES)
    return tuple(each.filled(rows[each.id]) for each in every)


def _unit(table: ItemTable, row: ItemRow) -> Row:
    about = (table.benchmark, row.unit, row.item, row.part or None, row.place or None)
    counts = (row.models, row.share, row.right, row.wrong, row.rest, row.p_negative)
    rival = row.rival
    given = (None,) * 5 if rival is None else (rival.key, rival.keyed, rival.label, rival.models, rival.p)
    return (*about, *counts, *given, row.p_fit, tuple(flag.value for flag in row.flags), row.separate or None)


def _scale(table: ItemTable) -> Row:
    counts, alpha = table.counts, table.alpha
    flags, fit = (ItemFlag.NOBODY, ItemFlag.EVERYBODY, ItemFlag.NEGATIVE, ItemFlag.RIVAL), table.fits[PLACE]
    return (
        *(table.benchmark, table.simulated, table.metric, table.models, table.independent),
        *(table.left_out, len(table.rows)),
        *(counts[flag] for flag in flags),
        *(fit.tested, fit.misfits if fit.tested else None, fit.seen),
        *(alpha.value, alpha.low, alpha.high, alpha.items, alpha.missing),
        tuple(f"{label}: {format_caution(caution)}" for label, caution in table.cautions.items()) or None,
    )


# The same for people.


def _details(filled: FilledTable, table: ItemTable) -> Details:
    text = f"{len(table.rows):,} {table.unit}, {len(table.models)} models, {len(table.suspects):,} to look at"
    some: tuple[Inline, ...] = ()
    if len(table.suspects) > MOST:
        verb = Span("mores items RUN… --out FILE.csv", "code")
        some = (f"The {MOST} oddest of {len(table.suspects):,}; ", verb, " has all. ")
    return Details(
        summary=(f"{table.benchmark} ", Span(text, "soft"), *words.made_up(simulated=table.simulated)),
        blocks=(Paragraph((*some, FLAGS), "explanation"), *odd_blocks(filled, table, MOST)),
    )


def _places(filled: FilledTable, table: ItemTable) -> Details:
    text = f"{len(table.fits[PLACE].places):,} places held against each other over {len(table.models)} models"
    return Details(
        summary=(f"{table.benchmark} by place ", Span(text, "soft"), *words.made_up(simulated=table.simulated)),
        blocks=tuple(place_blocks(filled, table)),
    )


def odd_blocks(filled: FilledTable, table: ItemTable, most: int) -> Iterator[Block]:
    """So many of a benchmark's odd units with their words, those first whose key may be wrong."""
    of = {row[1]: row for row in filled.rows if row[0] == table.benchmark}
    kept = table.suspects[:most]
    asked = _asked(table.first, [row.item for row in kept])
    shown = (
        Show("unit", sort="ascending", write=_name),
        Show("item", "Words", write=lambda row: Quoted(asked.get(row[2], ""))),
        Show("share", sort="descending"),
        "models",
        Show("rest", sort="ascending"),
        Show("key", "Key, and what others say", write=_rival),
        Show("flags", write=_flags),
    )
    view = View(title=f"Odd units of {table.benchmark}", rows=tuple(of[row.unit] for row in kept), shown=shown)
    yield from blocks_of(filled, view)


def _asked(first: Result, items: Sequence[str]) -> dict[str, str]:
    """The words of some items."""
    plays = [(item, 0) for item in dict.fromkeys(items)]
    return {play.item: play.question for play in first.stored.transcripts_of(plays)}


def _name(row: Row) -> Cell:
    _, _, item, part, place, *_ = row
    lines: list[Words] = [Span(name, "code") for name in (item, part) if name]
    return Stack((*lines, *((words.group_name(PLACE, place),) if place else ())))


def _flags(row: Row) -> Cell:
    flags, separate = row[-2:]
    return "; ".join((*flags, *((words.group_name("apart", separate),) if separate else ())))


def _rival(row: Row) -> Cell:
    key, keyed, rival, models = row[11:15]
    return None if key is None else (f"{key} ", Span(f"{keyed}", "soft"), f", {rival} ", Span(f"{models}", "soft"))


def summary(table: ItemTable) -> str:
    """Summary of a benchmark's units over models in a few sentences, after what has to be known of their answers."""
    cautions = (f"{label}: {format_caution(caution)}. " for label, caution in table.cautions.items())
    return f"{''.join(cautions)}{_counted(table)}"


def _counted(table: ItemTable) -> str:
    counts, models = table.counts, len(table.models)
    alike = f"nobody right on {counts[ItemFlag.NOBODY]:,}, everybody on {counts[ItemFlag.EVERYBODY]:,}"
    if table.partial:
        alike = _shares(table)
    elif not counts[ItemFlag.NOBODY] + counts[ItemFlag.EVERYBODY]:
        alike = "on each some models are right and some are wrong"
    base = f"{len(table.rows):,} {table.unit} over {models} model{'s' if models > 1 else ''}: {alike}"
    if not table.claims:
        few = f"With fewer than {ENOUGH} models of {MIN_FAMILIES} families"
        of = f" (here {models} of {table.independent})" if models >= ENOUGH else ""
        return f"{base}. {few}{of} no correlation over models is claimed, only shares."
    chance = f"{0.05 * len(table.rows):.0f}"
    return (
        f"{base}; better models do worse on {counts[ItemFlag.NEGATIVE]:,} (up to {chance} by chance, were all without "
        f"bearing on the rest) and say otherwise than the key on {counts[ItemFlag.RIVAL]:,}. {_reliability(table)} "
        f"{describe_places(table)}"
    )


def _shares(table: ItemTable) -> str:
    """The shares of units that have a part of their points, and how many have all of it or nothing with all models."""
    counts, known = table.counts, [row.share for row in table.rows if row.share is not None]
    if not known:
        return "none is graded"
    text = f"each has a share of its points, {100 * min(known):.0f}% to {100 * max(known):.0f}% as the mean over models"
    ends = ((counts[ItemFlag.NOBODY], "nothing"), (counts[ItemFlag.EVERYBODY], "all of it"))
    some = [f"{words.plural(n, 'unit')} {what} with every model" for n, what in ends if n]
    return f"{text}; {' and '.join(some)}" if some else text


def _reliability(table: ItemTable) -> str:
    """The reliability of the scale over models, in a sentence."""
    alpha = table.alpha
    if alpha.value is None or alpha.low is None or alpha.high is None:
        return f"No reliability of the scale: {format_missing(alpha.missing)}."
    of = f", {alpha.models} models of {alpha.families} families" if alpha.families < alpha.models else ""
    short = "" if alpha.value >= WANTED else f", under {WANTED}: other {table.unit} may order these models otherwise"
    return (
        f"Reliability of the scale over these models (KR-20, alpha): {alpha.value:.2f} "
        f"[{alpha.low:.2f}, {alpha.high:.2f}], {alpha.items:,} {table.unit}{of}{short}."
    )


ITEMS_ANALYSIS = Analysis(
    id="item_statistics",
    title="The items themselves",
    tables=(UNITS, SCALES, ITEM_PLACES),
    analyse=analyse,
    order=20,
)
