"""Short forms of a benchmark: which questions stand for all, and what all would have come to.

results of whole runs ─▶ how hard each unit was ─▶ a part that is spread evenly over places and hardness
results of a part beside whole ones ─▶ the figure of all units, with an interval for these very units
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from mores.analysis.aggregate import estimated
from mores.analysis.items import ItemRow, ItemTable, item_tables
from mores.analysis.results import Result, Results
from mores.analysis.units import headline_units
from mores.core.errors import InputError
from mores.core.estimate import Estimate
from mores.core.seeds import Seed
from mores.stats.short_forms import evenly_spread, full_figure
from mores.tables import Analysis, AnalysisResult, Column, Row, Show, Table, View, blocks_of
from mores.tables.blocks import CellValue, Finding, Paragraph, Span
from mores.tables.columns import EVALUATION

_SEED = Seed("short form 1")
"""The number is raised when another part would be chosen."""
_NAMED = "those of"
"""How a departure begins that says which items were named."""


def short_form_of(table: ItemTable, count: int) -> tuple[ItemRow, ...]:
    """The units of a short form of a benchmark, by the models of an item analysis; whole clusters.

    Raises:
        InputError: there are not so many units.
    """
    if not 1 <= count <= len(table.rows):
        raise InputError(f"--short-form {count}: expected 1 to {len(table.rows):,} {table.unit} of {table.benchmark}.")
    keys = headline_units(table.first).keys
    cluster = dict(zip(keys.unit.texts(), keys.cluster.texts(), strict=True))
    shares = [row.share for row in table.rows]
    middle = float(np.mean([share for share in shares if share is not None] or [0.0]))
    taken = evenly_spread(
        [row.place for row in table.rows],
        [cluster.get(row.unit, row.unit) for row in table.rows],
        [middle if share is None else share for share in shares],
        count,
        seed=_SEED,
    )
    return tuple(table.rows[number] for number in taken)


class PartOfAll(NamedTuple):
    """A result of a part of a benchmark, the figure of all units that it gives, and on what that rests.

    `models` are the earlier ones that did all; `worth` counts the units, drawn from units without end, that would
    have told as much.
    """

    result: Result
    whole: int
    part: int
    models: int
    figure: Estimate
    worth: float
    explained: float


def parts_of_all(results: Results) -> tuple[PartOfAll, ...]:
    """The results of a drawn part that stand beside whole ones of other models; none of runs that ended early."""
    return tuple(found for each in results.evaluations if (found := _part(each, results)) is not None)


def _part(result: Result, results: Results) -> PartOfAll | None:
    about = result.provenance
    if result.partial or about.until is not None or about.places or not _is_part(result):
        return None
    longs = [each for each in results.on(result.benchmark) if _is_whole(each, result)]
    tables = item_tables(_only(results, longs)) if longs else ()
    if not tables:
        return None
    hard = {row.unit: row.share for row in tables[0].rows if row.share is not None}
    units = headline_units(result)
    names = units.keys.unit.texts()
    if len(names) >= len(hard) or not set(names) <= hard.keys() or not _is_drawn(result, names, tables[0]):
        return None
    kept = units.graded
    points = units.points[kept] / units.mean_weight
    here = [hard[name] for name, there in zip(names, kept, strict=True) if there]
    metric = result.described
    share = metric is None or (metric.low, metric.high) == (0.0, 1.0)
    found = full_figure(
        points, units.keys.cluster.codes[kept], len(hard), here=here,
        everywhere=float(np.mean([*hard.values()])), share=share,
    )  # fmt: skip
    figure = estimated(result.headline, found.value, found.interval, asked=len(names), graded=len(points))
    return PartOfAll(
        result, len(hard), len(names), len(tables[0].models), figure, found.worth, found.explained
    )  # fmt: skip


def _only(results: Results, kept: Sequence[Result]) -> Results:
    return Results(runs=results.runs, evaluations=tuple(kept), judges=results.judges)


def _named(result: Result) -> bool:
    return any(each.used.startswith(_NAMED) for each in result.provenance.departures)


def _is_part(result: Result) -> bool:
    return result.provenance.protocol.limit is not None or _named(result)


def _is_whole(each: Result, part: Result) -> bool:
    """True of a whole result of another model on the same card, asked alike."""
    same = each.provenance.card.version == part.provenance.card.version and each.variant == part.variant
    ended = each.partial or each.provenance.until is not None or each.provenance.places
    return same and each.model != part.model and not ended and not _is_part(each)


def _is_drawn(result: Result, names: Sequence[str], table: ItemTable) -> bool:
    """True where the units are those of `--limit`, or of the short form that these models give; not of any list."""
    if not _named(result):
        return True
    return {row.unit for row in short_form_of(table, len(names))} == set(names)


PARTS = Table.of(
    "short_form",
    "Figures of all questions from a part",
    EVALUATION,
    Column("part", "count", "units that were asked", title="Asked"),
    Column("whole", "count", "units of the whole", title="Of"),
    Column("models", "count", "models that did all", title="Models"),
    Column("figure", "estimate", "the headline of all units", title="All questions", main=True),
    Column("plain", "estimate", "the headline of the part, as it stands elsewhere", title="This part"),
    Column("worth", "rough", "units, drawn from units without end, that tell as much", title="Worth"),
    Column("explained", "share", "variance of units that the other models explain", title="Explained"),
)
ABOUT = (
    "A part of the questions was asked of these models, and all of them of others. The figure of all questions is the "
    "part's mean, moved by the regression on what the others got: the part's own luck with hard and easy questions is "
    "taken out. Its interval is for these very questions and no others of their kind, so that what was asked is "
    "certain; the interval elsewhere is for other questions too."
)


def analyse(results: Results) -> AnalysisResult | None:
    """Figures of all questions from parts of them; None where no part stands beside a whole."""
    found = parts_of_all(results)
    if not found:
        return None
    filled = PARTS.filled(map(_row, found))
    shown = ("evaluation", "part", "whole", "figure", "plain", Show("worth", minor=True), Show("models", minor=True))
    return AnalysisResult(
        tables=(filled,),
        blocks=(
            Paragraph(ABOUT, "explanation"),
            *blocks_of(filled, View(title=PARTS.title, rows=filled.rows, shown=shown)),
        ),
        findings=tuple(_findings(found)),
    )


def _row(part: PartOfAll) -> Row:
    return (
        part.result, part.part, part.whole, part.models, part.figure, part.result.overall(), (round(part.worth), False),
        part.explained,
    )  # fmt: skip


def _findings(parts: Sequence[PartOfAll]) -> Iterator[Finding]:
    for part in parts:
        yield Finding(
            id="short_form",
            words=(
                "Of all ", f"{part.whole:,} {part.result.counted} of ", Span(part.result.benchmark, "code"), ", ",
                Span(part.result.label, "model"), " would get ",
                CellValue(part.figure, metric=part.result.described), f", from {part.part:,} of them.",
            ),
        )  # fmt: skip


SHORT_FORM_ANALYSIS = Analysis(
    id="short_form", title="All questions from a part", tables=(PARTS,), analyse=analyse, order=13
)
