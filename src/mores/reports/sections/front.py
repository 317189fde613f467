"""The first screen of a page: what was asked, who got how far with which certainty, and what was found.

results, their front table, findings ─▶ blocks: what was asked, the leaderboard, the ladder of all models, findings
"""

from collections.abc import Iterator, Sequence
from itertools import groupby, takewhile
from math import floor

from mores.analysis.benchmark_figures import dots
from mores.analysis.controls import PlaceGain
from mores.analysis.judge_errors import describe_shared_bands
from mores.analysis.leaderboard import Leaderboard, LeaderboardCell, LeaderboardColumn, LeaderboardRow, Rank
from mores.analysis.outcomes import slug_of, units_link
from mores.analysis.rankings import describe_incompatible
from mores.analysis.results import Result, Results
from mores.core.estimate import CommonScale, Estimate, judge_band_of
from mores.reports.sections.benchmark import marked, title_of
from mores.tables import formatting as words
from mores.tables.blocks import (
    Axis,
    Block,
    BlockColumn,
    BulletList,
    Cell,
    CellValue,
    Chart,
    ChartPoint,
    DefinitionList,
    Details,
    Finding,
    Inline,
    Paragraph,
    Section,
    Series,
    SideBySide,
    Span,
    Stack,
    TableBlock,
    Weight,
    Words,
)

NAMES = frozenset({"model", "code"})
"""Styles of words that name something."""
FEW = 2
"""Benchmarks up to which a figure has its picture beside it."""
DOUBTFUL: Weight = "doubtful"
"""The weight of what stands before all figures."""
FIRST = 8
"""Findings that stand on the first screen."""
NAMED = 60
"""Places that are named at once."""
HOW = "Each figure has its 95% sampling interval in brackets and n, and links to its items."
RANKED = " Brackets after a rank hold all ranks that the model may have."


def front_section(results: Results, board: Leaderboard, findings: Sequence[Finding]) -> Section:
    """The first section of a page."""
    picture = _picture(board)
    doubtful = [finding for finding in findings if finding.weight == DOUBTFUL]
    findings_blocks = _findings([finding for finding in findings if finding.weight != DOUBTFUL])
    content = (SideBySide(blocks=(picture, *findings_blocks)),) if picture and findings_blocks else findings_blocks
    return Section(
        id="summary",
        title="Results",
        order=-100,
        folded=False,
        blocks=(
            *_findings(doubtful),
            DefinitionList(tuple(_asked(results))),
            _table(results, board),
            *_how(board),
            *content,
        ),
    )


def page_title(results: Results) -> str:
    """Title of a page: the benchmarks, and how many models or the one."""
    who = results.labels[0] if len(results.labels) == 1 else words.plural(len(results.labels), "model")
    return f"{'; '.join(measured(results.evaluations))}: {who}"


def measured(evaluations: Sequence[Result]) -> Iterator[str]:
    """Benchmarks by their titles; several of one family by the family's name."""
    first = {each.benchmark: each for each in reversed(evaluations)}
    names = dict.fromkeys(each.benchmark for each in evaluations)
    for family, members in groupby(names, key=lambda name: name.partition("/")[0]):
        of = list(members)
        titles = [title_of(first[name]) for name in of]
        alike = takewhile(lambda letters: len(set(letters)) == 1, zip(*titles, strict=False))
        shared = "".join(letters[0] for letters in alike).partition(",")[0].strip(" -:")
        if len(of) == 1 or (not shared and len(of) <= FEW):
            yield from titles
        else:
            own = (name.partition("/")[2] or name for name in of)
            yield f"{shared or family} ({', '.join(own)})"


def _asked(results: Results) -> Iterator[tuple[Words, tuple[Words, ...]]]:
    """Items asked, places, and departures from what was published."""
    evaluations = results.evaluations
    yield "Asked", _by_words(_counted(evaluations))
    places = dict.fromkeys(place for each in evaluations for place in each.by("place"))
    if places:
        names = ", ".join(sorted(words.group_name("place", place) for place in places))
        chosen = " chosen by --places" if any(each.provenance.places for each in evaluations) else ""
        listed: Inline = names if len(places) <= NAMED else Span("named below", "link", target="#places")
        yield "Places", ((f"{len(places)}{chosen}: ", listed),)
    others = {role: spec for each in evaluations for role, spec in each.provenance.roles.items() if role != "subject"}
    if others:
        yield "Other roles", (words.joined((f"{role} ", Span(spec, "model")) for role, spec in others.items()),)
    yield "Deviations", _by_words(_departures(evaluations)) or ("none: all ran as the benchmarks were published",)


def _counted(evaluations: Sequence[Result]) -> Iterator[tuple[str, str]]:
    """Number of items that each benchmark asked."""
    for each in evaluations:
        whole, limit = each.overall(), each.provenance.protocol.limit
        many = "unfinished" if whole is None else words.plural(whole.asked, each.counted.removesuffix("s"))
        yield f"{many}{'' if limit is None else f', limited to {limit:,}'}", each.benchmark


def _departures(evaluations: Sequence[Result]) -> Iterator[tuple[str, str]]:
    """Each setting that differs from the published protocol, and where."""
    for each in evaluations:
        for gone in each.provenance.departures:
            yield f"{words.setting_name(gone.setting)} {gone.plain}", each.benchmark


def _by_words(pairs: Iterator[tuple[str, str]]) -> tuple[Words, ...]:
    """Words on benchmarks, those with the same words together."""
    found: dict[str, dict[str, None]] = {}
    for text, benchmark in pairs:
        found.setdefault(text, {})[benchmark] = None
    return tuple((f"{text}: ", Span(words.benchmarks_named([*names]), "code")) for text, names in found.items())


def _table(results: Results, board: Leaderboard) -> TableBlock:
    several, ranked = len(results.runs) > 1, any(row.mean_rank is not None for row in board.rows)
    columns = (
        BlockColumn(title="Model", sort="ascending"),
        *(_column(column) for column in board.columns),
        *((BlockColumn(title="Mean rank", sort="ascending"),) if ranked else ()),
        BlockColumn(title="Cost", sort="ascending", minor=True),
        BlockColumn(title="Date", sort="descending", minor=True),
        *((BlockColumn(title="Runs", sort="ascending"),) if several else ()),
    )
    rows = (_cells(row, board, ranked=ranked, several=several) for row in board.rows)
    return TableBlock.of("Leaderboard: models by benchmark", columns, rows, id="leaderboard")


def _column(column: LeaderboardColumn) -> BlockColumn:
    title = Span(column.title, "link", target=f"#{slug_of(column.benchmark)}")
    less = column.metric is not None and column.metric.better == "lower"
    return BlockColumn(title=title, sort="ascending" if less else "descending")


def _cells(row: LeaderboardRow, board: Leaderboard, *, ranked: bool, several: bool) -> Iterator[Cell]:
    pictured, cost = len(board.columns) <= FEW, row.effort.cost
    unfinished = any(result.partial for result in row.results)
    itself = any(result.own_judges for result in row.results)
    yield marked(row, {"unfinished": (unfinished, ""), "judges itself": (itself, "#judging")})
    yield from (_figure(cell, column, pictured=pictured) for cell, column in zip(row.cells, board.columns, strict=True))
    if ranked:
        yield None if row.mean_rank is None else CellValue(row.mean_rank, "mean")
    yield "unknown" if cost is None else f"${cost:.2f}" if cost else "none"
    yield row.effort.ended[:10]
    if several:
        yield ", ".join(run.name for run in row.runs)


def _figure(cell: LeaderboardCell | None, column: LeaderboardColumn, *, pictured: bool) -> Cell:
    if cell is None:
        return Span("not asked", "missing")
    metric = None if column.scale else column.metric
    value = CellValue(cell.figure, "share", metric, target=units_link(cell.result))
    counted = () if cell.figure is None else (f"n {words.format_graded(cell.figure)}",)
    ranked = () if cell.rank is None else (_rank(cell.rank),)
    picture = (" ", dots(cell.result, cell.figure)) if pictured and column.scale is None else ()
    gained = () if cell.gain is None else (_gained(cell.gain),)
    return Stack(((value, *picture), Span(", ".join((*counted, *ranked)), "soft"), *gained))


def _gained(gain: PlaceGain) -> Words:
    """The effect of the place on a figure, with a link to its section."""
    added = Span("effect of the place", "link", target="#controls")
    return (added, Span(f" {words.format_difference(gain.whole, gain.metric)}", "soft"))


def _rank(rank: Rank) -> str:
    """A rank with the ranks that the model may have, where these are several."""
    ends = "" if rank.low is None or rank.low == rank.high else f" ({rank.low}–{rank.high})"
    return f"rank {rank.value}{ends}"


def _how(board: Leaderboard) -> Iterator[Block]:
    ranked = any(row.mean_rank is not None for row in board.rows)
    yield Paragraph(f"{HOW}{RANKED if ranked else ''}{_scaled(board)}", "explanation")
    several = len(board.rows) > 1
    if bands := describe_shared_bands(board.judged) if several else words.describe_judge_bands(board.figures):
        yield Paragraph(f"{bands} {words.PALE_LINE}", "explanation")
    yield from (Paragraph(f"Not compared: {describe_incompatible(each)}", "explanation") for each in board.not_compared)


def _scaled(board: Leaderboard) -> str:
    """Words on figures that are not headlines; empty where all are."""
    titles = [column.title for column in board.columns if column.scale is not None]
    name = next((column.scale.name for column in board.columns if column.scale is not None), "")
    if not name:
        return ""
    scale = next(column.scale for column in board.columns if column.scale is not None)
    polite = f" {scale.reference.capitalize()}, as stated: {scale.reference_says}." if scale.reference_says else ""
    return f" Figures of {', '.join(titles)} are {name}, 0% {scale.zero}; headlines stand with each benchmark.{polite}"


def _picture(board: Leaderboard) -> Chart | None:
    """The ladder of all models in one picture; None where no family has a scale for it."""
    scale = next((column.scale for column in board.columns if column.scale is not None), None)
    if scale is None:
        return None
    numbers = [n for n, column in enumerate(board.columns) if column.scale is scale]
    series = tuple(Series(name=row.label, points=_points(row, numbers, scale)) for row in board.rows)
    levels = tuple(board.columns[number].title for number in numbers)
    known = [scale.references.get(board.columns[number].benchmark) for number in numbers]
    marks = tuple(known) if any(share is not None for share in known) else ()
    title = f"{scale.name}; dashed: {scale.reference}" if marks else f"{scale.name}; 0% is {scale.zero}"
    axes = (
        Axis(labels=levels),
        Axis(title=title, low=_lowest(series), mark=None if marks else 0.0, marks=marks),
    )
    judged = "; pale lines are judge bands" if any(map(judge_band_of, board.figures)) else ""
    what = f"{scale.name.capitalize()} by rung, with 95% sampling intervals"
    title = f"{what}; a thick line is a break that was found{judged}"
    return Chart(kind="climbs", title=title, series=series, axes=axes)


def _lowest(series: Sequence[Series]) -> float:
    """Lower end of the scale: guessing, or the quarter below the lowest end of a figure."""
    figures = (point.y for each in series for point in each.points if point.y is not None)
    ends = (end for figure in figures for end in (figure.value, figure.low, _judged_low(figure)) if end is not None)
    return min(0.0, floor(4 * min(ends, default=0.0)) / 4)


def _judged_low(figure: Estimate) -> float | None:
    band = judge_band_of(figure)
    return None if band is None else band.low


def _points(row: LeaderboardRow, numbers: Sequence[int], scale: CommonScale) -> tuple[ChartPoint, ...]:
    cells = [row.cells[number] for number in numbers]
    return tuple(
        ChartPoint(y=cell.figure, marked=cell.result.folder in scale.falls) if cell else ChartPoint(y=None)
        for cell in cells
    )


def _findings(findings: Sequence[Finding]) -> tuple[Block, ...]:
    """Findings, the rest to be opened."""
    if not findings:
        return ()
    lines = [tuple(_format_finding(each)) for each in findings]
    rest = Details(
        summary=f"{words.plural(len(lines) - FIRST, 'more finding')}", blocks=(BulletList(tuple(lines[FIRST:])),)
    )
    return (BulletList(tuple(lines[:FIRST])), *((rest,) if len(lines) > FIRST else ()))


def _format_finding(finding: Finding) -> Iterator[Inline]:
    """A finding with its sign and how sure it is."""
    yield from (Span("caution", "warning"), " ") if finding.weight == DOUBTFUL else ()
    yield from (*words.inline_parts(finding.words), " ")
    yield from _soft(finding.sure)


def _soft(text: Words) -> Iterator[Inline]:
    """Words that stand back, figures among them too; names keep their style."""
    for named, spans in groupby(words.spans_of(text), key=lambda span: getattr(span, "style", "") in NAMES):
        if named:
            yield from spans
        else:
            yield Span("".join(span.text for span in spans if isinstance(span, Span)), "soft")
