"""Places and regions by their items: do these go with those of all others, before means of places are compared?

tables of items over models ─▶ a row a place or region ─▶ a table with its words, and what can be said of all together.
"""

from collections.abc import Iterator, Sequence

from mores.analysis.groups import PLACE, REGION
from mores.analysis.items import ItemTable, item_table
from mores.analysis.results import Result
from mores.stats.place_fit import LEVEL, PlaceFit, ScaleFit
from mores.tables import Column, FilledTable, Row, Show, Table, View, blocks_of
from mores.tables import formatting as words
from mores.tables.blocks import Block, Cell, Paragraph, Span
from mores.tables.columns import BENCHMARK
from mores.tables.missing_texts import brief_reason, format_missing

ITEM_PLACES = Table.of(
    "item_places",
    "Items of places held against all others",
    BENCHMARK,
    Column("kind", "text", "place or region"),
    Column("group", "group", "its name, a place's code", of="kind"),
    Column("units", "count", "units that all models have a grade on"),
    Column("telling", "count", "of them those that some models get and others do not", title="Tell models apart"),
    Column("clusters", "count", "independent clusters of these"),
    Column(
        "slope", "number", "how far its units tell good models from weak ones, 1 as all others do", title="Slope"
    ),
    Column("low", "number", "lower end of its 95% interval"),
    Column("high", "number", "upper end of it"),
    Column("p", "p", "of a slope of 1, uncorrected", title="p"),
    Column("p_holm", "p", "after Holm's correction over places, or regions", title="p (Holm)"),
    Column("misfits", "count", "units that do not go with ability, one in twenty by chance", title="Do not fit"),
    Column("claim", "text", "what may be said of it"),
    Column("why", "reason", "reason for a missing slope"),
)  # fmt: skip
EXPLAINED = (
    "Slope of a place: how far its units tell good models from weak ones, held against units of other places that as "
    "many models get, so that a place is not off for being hard. 1 is as everywhere, 0 not at all (as where keys "
    "are wrong or answers are guessed). A place that is off asks for something else than the others, and its mean does "
    "not compare with theirs. A unit does not fit where the models that get it are weaker than chance allows of units "
    "that go with ability (level .05 each, so that one in twenty does by chance)."
)
OFF, ALIKE, UNKNOWN = "off", "not off", "too few to tell"


def place_rows(table: ItemTable) -> Iterator[Row]:
    """A row a place, then a row a region."""
    for kind, fit in table.fits.items():
        for each in fit.places:
            yield (
                table.benchmark, kind, each.place, each.items, each.informative, each.clusters, each.slope, each.low,
                each.high, each.p, each.p_adjusted, each.misfits, claim_of(each), each.missing,
            )  # fmt: skip


def claim_of(found: PlaceFit) -> str:
    """Claim about a place at .05, after correction."""
    return UNKNOWN if found.p is None else OFF if found.found else ALIKE


def place_blocks(filled: FilledTable, table: ItemTable, most: int | None = None) -> Iterator[Block]:
    """Places and regions of one benchmark by their items, those first that are off; so many at most of each."""
    kinds = [kind for kind, fit in table.fits.items() if any(each.slope is not None for each in fit.places)]
    at, p = ITEM_PLACES.at("kind"), ITEM_PLACES.at("p")
    for kind in kinds:
        own = [row for row in filled.rows if row[0] == table.benchmark and row[at] == kind]
        own.sort(key=lambda row: (row[p] is None, row[p] or 0.0))
        view = View(
            title=f"Items by {words.kind_name(kind)}: {table.benchmark}",
            rows=tuple(own[:most]),
            shown=(
                Show("group", words.kind_name(kind), sort="ascending"),
                Show("units", sort="descending"),
                Show("telling", sort="descending"),
                Show("slope", "Slope [95%]", sort="ascending", write=_slope),
                "p",
                Show("p_holm", sort="ascending"),
                Show("misfits", sort="descending", write=_misfits),
                Show("claim", write=_claim),
            ),
        )
        yield from blocks_of(filled, view)
    if kinds:
        yield Paragraph(EXPLAINED, "explanation")


_SLOPE = ITEM_PLACES.getter("slope", "low", "high")
_MISFITS, _CLAIM = ITEM_PLACES.getter("misfits", "telling"), ITEM_PLACES.getter("claim", "why")


def _slope(row: Row) -> Cell:
    slope, low, high = _SLOPE(row)
    return None if slope is None else f"{slope:.2f} [{low:.2f}, {high:.2f}]".replace("-", "−")


def _misfits(row: Row) -> Cell:
    misfits, of = _MISFITS(row)
    return None if misfits is None else f"{misfits:,} of {of:,}"


def _claim(row: Row) -> Cell:
    claim, why = _CLAIM(row)
    return brief_reason(why) if why is not None else Span(claim, "strong" if claim == OFF else "plain")


def describe_places(table: ItemTable) -> str:
    """Sentences on all places and units together."""
    every = table.fits[PLACE]
    if every.missing is not None:
        return (
            f"Whether {table.unit} of all places ask for one thing cannot be told: {format_missing(every.missing)}. "
            "Means of places are compared as if they did."
        )
    texts = [_of_kind(kind, table.fits[kind]) for kind in (PLACE, REGION)]
    return " ".join(filter(None, (*texts, _reach(every), _of_units(table.unit, every))))


def _of_kind(kind: str, fit: ScaleFit) -> str:
    """Number of places, or regions, that are off, in a sentence; empty where none can be tested."""
    tested = [each for each in fit.places if each.p is not None]
    off = [words.group_name(kind, each.place) for each in tested if each.found]
    if not tested:
        return ""
    if not off:
        return f"No {words.kind_name(kind)} of {len(tested)} tells these models apart otherwise than the rest (Holm)."
    many = words.plural(len(off), words.kind_name(kind), words.kinds_name(kind))
    verb = "tells" if len(off) == 1 else "tell"
    return f"{many} of {len(tested)} {verb} these models apart otherwise than the rest (Holm): {', '.join(off)}."


def _reach(fit: ScaleFit) -> str:
    """Precision of the slope of a place, in a sentence; empty where none is known."""
    widths = sorted(each.high - each.low for each in fit.places if each.high is not None and each.low is not None)
    if not widths:
        return ""
    return f"The slope of a place is known to ±{widths[len(widths) // 2] / 2:.2f} as a rule, where 1 is as elsewhere."


def _of_units(unit: str, fit: ScaleFit) -> str:
    """The share of units that fit, beside what chance leaves and what could be seen."""
    if not fit.tested or fit.seen is None:
        return f"No single {unit.removesuffix('s')} can be tested."
    chance = LEVEL * fit.tested
    return (
        f"{1 - fit.misfits / fit.tested:.0%} of {fit.tested:,} {unit} go with ability; {fit.misfits:,} do not, "
        f"{chance:.0f} by chance were all to fit. Of such as ability has no bearing on these models would show "
        f"{fit.seen:.0%}."
    )


def describe_fit(evaluations: Sequence[Result]) -> str:
    """The same of the evaluations of one benchmark, before means of its places are compared."""
    return describe_places(item_table(tuple(evaluations)))
