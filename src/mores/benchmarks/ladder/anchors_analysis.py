"""The anchors of rungs as tables, views and sentences: told scores, what telling adds, and what is left of drops."""

from collections.abc import Iterator, Sequence

from mores.analysis.controls import is_informed
from mores.analysis.results import Results
from mores.analysis.variants import where
from mores.benchmarks.ladder.anchors import AnchoredDrop, AnchoredLadder, AnchoredRung, anchored_ladders, as_contrast
from mores.benchmarks.ladder.tables import MODEL, TWO_RUNGS
from mores.stats.judged_scores import JudgedContrast
from mores.tables import Analysis, AnalysisResult, Column, FilledTable, Row, Show, Table, View, blocks_of
from mores.tables import formatting as words
from mores.tables.blocks import Block, BulletList, CellValue, Finding, Paragraph, Span
from mores.tables.missing_texts import format_missing

ABOUT = (
    "The same items were also asked after the norm was told: its statement, and whether there are exceptions, in a "
    "neutral sentence before the item. Who is told knows the norm on every rung, so a drop that is left then is not "
    "for want of knowing it: the items of that rung are harder, or ask for a skill of their own. Told less plain is "
    "what knowing would add. The part of a drop that telling takes away is (plain drop − told drop), paired by norm. "
    "Figures are norms kept, on the scale of the ladder; told and plain answers are taken to be judged with the same "
    "errors. Brackets are 95% intervals of sampling; p is for the worst judge of the range, corrected (Holm) over the "
    "rungs, or the drops, of one model. No other figure of this report counts a told answer."
)
_SKILL = {
    "judge": "the skill of judging",
    "explain": "the skill of explaining",
    "apply": "the skill of applying",
    "converse": "the skill of holding to it in a talk",
    "live": "the skill of living by it",
}
_RANGE = (
    Column(
        key="least", title="Least", kind="number", says="the difference for the judge of the range that makes least"
    ),
    Column(key="most", title="Most", kind="number", says="the difference for the judge that makes most of it"),
)
ANCHORS = Table(
    id="ladder_anchors",
    title="Rungs with the norm told",
    columns=(
        *MODEL,
        Column(key="rung", title="Rung", kind="text", says="its short name"),
        Column(key="plain", title="Plain", kind="estimate", says="norms kept, as in the table `ladder`"),
        Column(key="told", title="Told the norm", kind="estimate", says="norms kept where each item tells its norm"),
        Column(
            key="gain",
            title="Told − plain, points",
            kind="contrast",
            main=True,
            ends=("told_paired", "plain_paired"),
            says="what knowing would add: told less plain, of norms graded in both",
        ),
        *_RANGE,
    ),
)
ANCHORED_DROPS = Table(
    id="ladder_anchored_drops",
    title="Drops with the norm told",
    columns=(
        *MODEL,
        *TWO_RUNGS,
        Column(
            key="drop",
            title="Drop, points",
            kind="contrast",
            says="norms kept before less after, of norms that all four evaluations graded; p is uncorrected",
        ),
        Column(
            key="told_drop",
            title="Told the norm, points",
            kind="contrast",
            says="the same drop where each item tells its norm: harder items, or a skill; p is uncorrected",
        ),
        Column(
            key="taken",
            title="Knowledge, points",
            kind="contrast",
            main=True,
            ends=("gain_after", "gain_before"),
            says="the part that telling takes away: what telling adds after less what it adds before",
        ),
        *_RANGE,
        Column(key="claim", title="Claim", kind="text", says="what the drop is made of, in a sentence"),
    ),
)


def analyse(results: Results) -> AnalysisResult | None:
    """Anchors of the ladders of some runs; None where no model was told the norms."""
    found = anchored_ladders(results)
    if not found:
        return None
    rungs = FilledTable(table=ANCHORS, rows=tuple(row for each in found for row in _rung_rows(each)))
    drops = FilledTable(table=ANCHORED_DROPS, rows=tuple(row for each in found for row in _drop_rows(each)))
    return AnalysisResult(
        tables=(rungs, drops),
        blocks=(Paragraph(ABOUT, "explanation"), *(block for each in found for block in _blocks(each, rungs, drops))),
        findings=tuple(finding for each in found if (finding := _finding(each)) is not None),
    )


def _rung_rows(each: AnchoredLadder) -> Iterator[Row]:
    for rung in each.rungs:
        gain = as_contrast(rung.gain, rung.p_holm, _tests([other.gain for other in each.rungs]), rung.caution)
        yield (*_whose(each), rung.rung.name, rung.plain, rung.informed, gain, *_ends(rung, rung.gain))


def _drop_rows(each: AnchoredLadder) -> Iterator[Row]:
    family = _tests([drop.taken for drop in each.drops])
    for drop in each.drops:
        caution = drop.before.caution or drop.after.caution
        plain, informed = (as_contrast(found, None, 0, caution) for found in (drop.plain, drop.informed))
        taken = as_contrast(drop.taken, drop.p_holm, family, caution)
        judged = drop.before if drop.before.rung.judged else drop.after
        yield *_whose(each), *drop.names, plain, informed, taken, *_ends(judged, drop.taken), describe_drop(drop)


def _whose(each: AnchoredLadder) -> Row:
    simulated = each.run.simulated or any(rung.other.simulated for rung in each.rungs)
    return each.run.label, simulated


def _tests(found: Sequence[JudgedContrast]) -> int:
    return sum(each.p is not None for each in found)


def _ends(rung: AnchoredRung, found: JudgedContrast) -> tuple[float | None, float | None]:
    """Ends over the judge's range; nothing where nobody judged."""
    return (found.least, found.most) if rung.rung.judged else (None, None)


def describe_drop(drop: AnchoredDrop) -> str:
    """The parts of a drop in a sentence: what telling takes away of it, and what stays.

    `apply lies 20.0 points below judge; told the norm it still lies 15.0 below: that part is the item or the skill of
    applying, not the knowledge.`
    """
    before, after = drop.names
    plain, informed, taken = drop.plain.size, drop.informed.size, drop.taken
    if plain is None or informed is None or taken.size is None:
        why = format_missing(taken.missing) if taken.missing is not None else "no point before labels tell of its judge"
        return f"{before} → {after}: {why}."
    if plain <= 0:
        return f"{after} lies {_points(plain)} points above {before}, so there is no drop to part."
    whole = f"{after} lies {_points(plain)} points below {before}"
    item = f"the item or {_SKILL[after]}, not the knowledge"
    if drop.stays:
        stays = f"{whole}; told the norm it still lies {_points(informed)} below: that part is {item}."
    else:
        side = "below" if informed > 0 else "above"
        sure = drop.informed.low is not None and drop.informed.low > 0
        why = "which errors of the judge may explain" if sure else "where no drop is found"
        stays = f"{whole}; told the norm it lies {_points(informed)} {side}, {why}."
    if drop.found:
        return f"{stays} Knowing would close {_points(taken.size)} points{_interval(taken)}{_p(drop)}."
    return f"{stays} No part is found to be for want of knowing{_p(drop)}."


def _p(drop: AnchoredDrop) -> str:
    return f" ({words.format_p(drop.p_holm)} after Holm's correction)" if drop.p_holm is not None else ""


def _interval(found: JudgedContrast) -> str:
    if found.low is None or found.high is None:
        return ""
    return f" [{', '.join(words.format_number(end, sign=False) for end in (found.low, found.high))}]"


def _points(size: float) -> str:
    return words.format_number(abs(size), sign=False)


def _blocks(each: AnchoredLadder, rungs: FilledTable, drops: FilledTable) -> Iterator[Block]:
    label = each.run.label
    own, dropped = (
        tuple(row for row in filled.rows if filled.table.getter("model")(row) == label) for filled in (rungs, drops)
    )
    yield from blocks_of(
        rungs,
        View(
            title=f"Told the norm: {label}",
            rows=own,
            shown=("rung", Show("plain", format="share"), Show("told", format="share"), "gain", *_TESTED),
        ),
    )
    yield from blocks_of(
        drops,
        View(
            title=f"What drops are made of: {label}",
            rows=dropped,
            shown=(Show("before", title="Rungs", to="after"), "drop", "told_drop", "taken", *_TESTED),
        ),
    )
    if each.drops:
        yield BulletList(tuple(describe_drop(drop) for drop in each.drops))


_TESTED = (
    Show("least", title="By the judges’ range", to="most", between=" to ", format="points"),
    Show("p_holm", sort="ascending"),
    "units",
    "clusters",
)


def _finding(each: AnchoredLadder) -> Finding | None:
    """The largest drop that telling takes something away of; else the largest that stays; None without a drop."""
    dropped = [drop for drop in each.drops if (drop.plain.size or 0.0) > 0 and (drop.found or drop.stays)]
    if not dropped:
        return None
    drop = max(dropped, key=lambda one: (one.found, one.plain.size or 0.0))
    before, after = drop.names
    informed, size = drop.informed.size or 0.0, CellValue(drop.plain.size, "points")
    still = "still lies" if drop.stays else "lies"
    side = "below" if informed >= 0 else "above"
    p = CellValue(drop.p_holm, "full_p")
    knowing = ("Knowing would close ", CellValue(drop.taken.size, "points"), " points, ")
    return Finding(
        id="ladder.anchors",
        words=(
            Span(each.run.label, "model"),
            f": {after} lies ",
            size,
            f" points below {before}; told the norm it {still} ",
            CellValue(abs(informed), "points"),
            f" {side}.",
        ),
        sure=(*knowing, p, " after Holm's correction.") if drop.found else ("No part is found to be want of knowing.",),
        weight="differs",
        found=drop.found,
    )


ANCHORS_ANALYSIS = Analysis(
    id="ladder_anchors",
    title="Told the norm",
    tables=(ANCHORS, ANCHORED_DROPS),
    analyse=where(is_informed, analyse),
    order=-9,
)
