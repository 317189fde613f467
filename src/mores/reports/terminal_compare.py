"""Two runs on a terminal: each headline with its difference, which differ, and where; everything behind `--full`."""

from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path

from rich.console import RenderableType
from rich.text import Text as Line

from mores.analysis.comparison import Compared, Comparison
from mores.analysis.judge_errors import JudgedRows, describe_shared_bands
from mores.analysis.thinking import format_spent, mean_over_models_in
from mores.analysis.two_runs import describe_left_out, findings
from mores.core.estimate import caution_of
from mores.reports.console import format_finding, show, show_fitted
from mores.reports.plugins import lines_of, printed_section
from mores.reports.terminal_table import GridCell, TextTable, cut, warned, wrapped
from mores.reports.two_runs import comparison_sections
from mores.tables import formatting as words
from mores.tables.missing_texts import format_mark

LEFT_OUT = 3
"""Things of one run alone that a terminal names."""


def print_comparison(comparison: Comparison, page: Path | None = None) -> None:
    """Print what matters of a comparison, and where its page lies or how one is made."""
    verb = f"mores compare {comparison.run_a} {comparison.run_b}"
    words_of_items = f"What was said: {verb} --out FILE" if page is None else f"Page: {page}"
    show_fitted(
        notes=lines_of("the notes", lambda: list(_notes(comparison))),
        table=lambda width, most: lines_of("the table", lambda: _table(comparison, width, most)),
        found=lines_of("the findings", lambda: list(_found(comparison))),
        foot=[Line(words_of_items), Line(f"All figures: {verb} --full")],
    )


def _found(comparison: Comparison) -> Iterator[Line]:
    yield from (Line(f"• {text}") for text in _thinking(comparison))
    yield from map(format_finding, findings(comparison))
    yield from (Line(f"• {text}") for text in _changed(comparison))


def _notes(comparison: Comparison) -> Iterator[Line]:
    if comparison.simulated:
        yield Line("Simulated answers: they say nothing about any real model.", style="bold")
    yield Line(f"A: {comparison.run_a}, B: {comparison.run_b}")
    left = describe_left_out(comparison, most=LEFT_OUT)
    if left:
        yield Line(left)


def _table(comparison: Comparison, width: int, most: int) -> list[Line]:
    """A row for each benchmark, and for each pair of models where there are several.

    What has to be known of a figure's answers is a sign where there is no room for its words.
    """
    rows = [_row(each, comparison, _mark) for each in comparison.compared]
    heads = ["", "A", "B", "B − A", "p (Holm)" if len(rows) > 1 else "p"]
    grid = TextTable(heads, rows)
    if grid.width > width:
        grid = TextTable(heads, [_row(each, comparison, warned) for each in comparison.compared]).fitted(width)
    foot = wrapped(describe_shared_bands(_judged(comparison)), width)
    most = max(1, most - len(foot))
    kept = most if len(rows) <= most else max(1, most - 1)
    left = (
        [Line(f"… {words.plural(len(rows) - kept, 'more row')} with --full", style="dim")] if len(rows) > kept else []
    )
    how = "Headlines; B − A in points with 95% sampling intervals. Negative: B is worse."
    return [Line(how, style="dim"), *grid.lines(kept), *left, *foot]


def _judged(comparison: Comparison) -> Iterator[JudgedRows]:
    """All sides of each benchmark with their judges."""
    for name, group in groupby(comparison.compared, key=lambda each: each.benchmark):
        pairs = list(group)
        sides = ((side.overall(), tuple(side.judges.values())) for each in pairs for side in (each.a, each.b))
        figures = tuple((figure, judges) for figure, judges in sides if figure is not None)
        yield JudgedRows(name, pairs[0].described, figures)


def _mark(figure: object) -> str:
    return format_mark(caution_of(figure))


def _row(compared: Compared, comparison: Comparison, mark: Callable[[object], str]) -> list[GridCell]:
    whole, metric = compared.whole, compared.described
    size, ends = words.parts_of_difference(whole, metric)
    a, b = (
        GridCell(words.format_number(mean, metric, sign=False), mark(result.overall()).strip())
        for mean, result in ((whole.a, compared.a), (whole.b, compared.b))
    )
    return [
        GridCell("", _name(compared, comparison)),
        a,
        b,
        GridCell(size, " ".join(filter(None, (ends, mark(whole).strip()))), compared.found),
        GridCell(words.format_bare_p(whole.p_adjusted)),
    ]


def _changed(comparison: Comparison) -> Iterator[str]:
    """Numbers of units right in one run alone, and of unstable ones, of each benchmark in a line."""
    counted = [(each, each.outcomes) for each in comparison.compared if each.outcomes is not None]
    texts = [
        f"{_name(each, comparison)} {found.only_a:,} and {found.only_b:,}"
        for each, found in counted
        if found.only_a + found.only_b
    ]
    if texts:
        from_ = {found.threshold for _, found in counted if found.only_a + found.only_b} - {None}
        soft = f" (of soft points, from {from_.pop():g} on)" if len(from_) == 1 else ""
        yield f"Right in A alone, and in B alone: {', '.join(texts)}{soft}."
    unstable = [f"{_name(each, comparison)} {sum(of.unstable):,}" for each, of in counted if any(of.unstable)]
    if unstable:
        yield f"Unstable over samples or repeated votes: {', '.join(unstable)}."


def _thinking(comparison: Comparison) -> Iterator[str]:
    """Effect of thinking over all models and its tokens, of each benchmark in a line."""
    for effect in comparison.thinking:
        spent = ", ".join(dict.fromkeys(format_spent(pair) for pair in effect.pairs))
        yield f"{words.text_of(mean_over_models_in(effect))} Tokens of thinking an answer: {spent}."


def _name(compared: Compared, comparison: Comparison) -> str:
    several = len(comparison.pairs) > 1
    return cut(f"{compared.benchmark} · {compared.b.model}") if several else compared.benchmark


def print_full_comparison(comparison: Comparison, page: Path | None = None) -> None:
    """Print all that is found of a comparison, and where its page lies."""
    show(_parts(comparison, page))


def _parts(comparison: Comparison, page: Path | None) -> Iterator[RenderableType]:
    if comparison.simulated:
        yield Line(words.SIMULATED, style="bold")
    yield Line(
        "Differences are B − A in percentage points, or in the metric's own unit, with 95% intervals; "
        "negative: B is worse.",
        style="dim",
    )
    for section in comparison_sections(comparison):
        yield ""
        yield from printed_section(section)
    if page is not None:
        yield from ("", Line(f"Page: {page}"))
