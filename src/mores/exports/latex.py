r"""Tables for a paper, in LaTeX with booktabs: each figure with its interval and n.

`table.tex` has models by benchmarks, `analyses.tex` every table that the page shows. In the first a figure is bold only
where its model is told from every other on that benchmark by the paired test, corrected (Holm) for all pairs; the
highest mean alone is no reason.
"""

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from mores.analysis.compatibility import describe_mismatch, first_mismatch, groups_alike
from mores.analysis.contrast import LEVEL
from mores.analysis.rankings import Rankings, rankings
from mores.analysis.results import Result, Results
from mores.core.estimate import caution_of, judge_band_of
from mores.exports import ExportedFiles
from mores.reports.sections_list import all_sections
from mores.tables.blocks import Block, BlockColumn, Cell, CellValue, Details, SideBySide, TableBlock, TableRow
from mores.tables.formatting import (
    JUDGE_BAND,
    describe_judge_bands,
    format_graded,
    format_interval,
    format_judge_band,
    format_number,
    text_of,
)
from mores.tables.missing_texts import format_caution, format_mark

_ESCAPED = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "$": r"\$",
        "&": r"\&",
        "#": r"\#",
        "_": r"\_",
        "%": r"\%",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "−": r"$-$",
        "–": r"--",
        "…": r"\dots{}",
        "→": r"$\to$",
        "≈": r"$\approx$",
        "≤": r"$\le$",
        "≥": r"$\ge$",
        "×": r"$\times$",
        "·": r"$\cdot$",
        "’": "'",
        "○": r"$\circ$",
        "◔": r"$\frac14$",
        "◑": r"$\frac12$",
        "◕": r"$\frac34$",
        "●": r"$\bullet$",
        "“": "``",
        "”": "''",
    }
)
ACROSS = 6
"""Benchmarks that stand beside each other; where there are more, they stand below each other."""
LONGEST, BETWEEN, ROOM = 40, 4, 220
"""Letters of a column of words, between two columns, and of a line."""
BROKEN = r"$\ddagger$: most answers could not be used, or all are alike."
SIMULATED_TABLE = r"\textbf{Simulated} answers say nothing about any real model."
SIMULATED = (
    r"\textbf{Simulated:} answers of models marked with $\dagger$ were generated from planted competence; they say "
    "nothing about any real model."
)


def latex(text: str) -> str:
    r"""Words that LaTeX prints as they are.

    >>> latex("a_b & 50% <x>")
    'a\\_b \\& 50\\% \\textless{}x\\textgreater{}'
    """
    return text.translate(_ESCAPED)


def latex_table(results: Results) -> ExportedFiles:
    """A table environment of all headlines, to be put into a paper that uses booktabs, and all tables of the page."""
    mismatches = tuple(_mismatches(results))
    left = "what stands in tables alone that a page leaves out; --to csv has all rows"
    unmarked = (f"the mark of the best where figures do not compare: {why.rstrip('.')}" for why in mismatches)
    files = {"table.tex": "\n".join(_headlines(results, mismatches)), "analyses.tex": "\n".join(_all_tables(results))}
    return ExportedFiles(files={name: text.encode() for name, text in files.items()}, left_out=(left, *unmarked))


def _headlines(results: Results, mismatches: Sequence[str]) -> Iterator[str]:
    """Models by benchmarks; benchmarks by models where these are many and more than models."""
    benchmarks, labels, best = results.benchmarks, results.labels, _best(rankings(results), results)
    named = {name: ", ".join(dict.fromkeys(each.headline for each in results.on(name))) for name in benchmarks}
    down = len(benchmarks) > max(ACROSS, len(labels))
    grid = [[_cell(results, label, name, best) for name in benchmarks] for label in labels]
    models = [(f"{latex(label)}{_mark(results.of(label))}", "") for label in labels]
    measured = [(latex(name), latex(unit)) for name, unit in named.items()]
    heads, names = (models, measured) if down else (measured, models)
    rows = [*zip(*grid, strict=True)] if down else grid
    yield "% Needs \\usepackage{booktabs}. Written by mores."
    yield from (f"% Not comparable: {why}" for why in mismatches)
    yield from (r"\begin{table}", r"  \centering")
    yield f"  \\caption{{{_caption(results, 'row' if down else 'column')}}}"
    yield r"  \label{tab:mores}"
    yield f"  \\begin{{tabular}}{{l{'c' * len(heads)}}}"
    yield r"    \toprule"
    yield f"    {' & '.join(('Benchmark' if down else 'Model', *(head for head, _ in heads)))} \\\\"
    if not down:
        yield f"    {' & '.join(('', *(unit for _, unit in heads)))} \\\\"
    yield r"    \midrule"
    for (name, unit), cells in zip(names, rows, strict=True):
        values, intervals, bands = zip(*cells, strict=True)
        lines = [(name, *values), (unit, *intervals), *([("", *bands)] if any(bands) else [])]
        *first, last = (" & ".join(line) for line in lines)
        yield from (f"    {line} \\\\" for line in first)
        yield f"    {last} \\\\[2pt]"
    yield from (r"    \bottomrule", r"  \end{tabular}", r"\end{table}", "")


def _all_tables(results: Results) -> Iterator[str]:
    """Every table of the page as an environment of its own, in the page's order."""
    yield "% Needs \\usepackage{booktabs} and \\usepackage{longtable}; other scripts than Latin need XeLaTeX or"
    yield "% LuaLaTeX and fonts that have them (babel with bidi for Arabic, Persian and Hebrew)."
    yield "% Every table fits on a page of A4 or letter that is turned (landscape), in \\tiny."
    for section in all_sections(results, page=True):
        for number, table in enumerate(_tables_in(section.blocks), start=1):
            yield from environments(table, f"{section.id}-{number}", simulated=results.simulated)


def _tables_in(blocks: Iterable[Block]) -> Iterator[TableBlock]:
    """The tables among some blocks, those in details and beside charts too."""
    for block in blocks:
        match block:
            case TableBlock() if block.on != "terminal" and block.rows:
                yield block
            case Details() | SideBySide():
                yield from _tables_in(block.blocks)
            case _:
                pass


def environments(table: TableBlock, label: str, *, simulated: bool) -> Iterator[str]:
    """One table, in parts where it is wider than a page, each with the first column; pictures alone are left out."""
    cells = [row.cells for row in table.rows if len(row.cells) > 1] or [row.cells for row in table.rows]
    kept = [number for number in range(len(cells[0])) if any(text_of(each[number]) for each in cells)]
    lines = [[text_of(table.columns[number].title) for number in kept]]
    lines += [_texts(table, row, kept) for row in table.rows]
    texts = [[line[at] for line in lines if len(line) == len(kept)] for at in range(len(kept))]
    kinds = [_alignment(table.columns[number], texts[at], first=at == 0) for at, number in enumerate(kept)]
    parts = [*_parts([*map(_width, texts)])]
    for number, part in enumerate(parts, start=1):
        part_text = f", part {number} of {len(parts)}" if len(parts) > 1 else ""
        caption = f"{latex(table.caption.rstrip('.'))}{part_text}.{f' {SIMULATED_TABLE}' if simulated else ''}"
        some = [[line[at] for at in part] if len(line) == len(kept) else line for line in lines]
        yield from _environment(caption, f"{label}-{number}" if part_text else label, [kinds[at] for at in part], some)


def _environment(caption: str, label: str, kinds: Sequence[str], lines: Sequence[Sequence[str]]) -> Iterator[str]:
    """A table that goes on over pages where it is long, its caption on the first of them."""
    head, *rows = (_line(line, kinds) for line in lines)
    yield f"\\begin{{longtable}}{{{''.join(kinds)}}}"
    yield f"  \\caption{{{caption}}} \\label{{tab:{label}}} \\\\"
    yield "  \\toprule"
    yield f"  {head} \\tabularnewline"
    yield "  \\midrule \\endfirsthead"
    yield "  \\toprule"
    yield f"  {head} \\tabularnewline"
    yield "  \\midrule \\endhead"
    # Not \\, which ends a line within a cell where the column is ragged.
    yield from (f"  {row} \\tabularnewline" for row in rows)
    yield "  \\bottomrule"
    yield "\\end{longtable}\n"


def _width(texts: Sequence[str]) -> int:
    """Letters that a column is wide: its longest text, or LONGEST where that can be broken."""
    longest = max(map(len, texts), default=0)
    return min(longest, max(LONGEST, *(len(word) for text in texts for word in text.split()), 0))


def _parts(widths: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Columns that a page has room for beside the first one."""
    part: list[int] = []
    for at, width in enumerate(widths[1:], start=1):
        if part and sum(widths[n] + BETWEEN for n in (0, *part)) + width > ROOM:
            yield (0, *part)
            part = []
        part.append(at)
    yield (0, *part)


def _alignment(column: BlockColumn, texts: Sequence[str], *, first: bool) -> str:
    """Numbers stand to the right; words that are too long are broken."""
    width = _width(texts)
    if width < max(map(len, texts), default=0):
        return f"p{{{width / 2:g}em}}"
    return "l" if first or column.format in {None, "place"} else "r"


def _texts(table: TableBlock, row: TableRow, kept: Sequence[int]) -> list[str]:
    """The cells of a row; one alone stands over those that follow."""
    if len(row.cells) == 1:
        return [text_of(row.cells[0])]
    return [_text(row.cells[number], table.columns[number]) for number in kept]


def _line(texts: Sequence[str], kinds: Sequence[str]) -> str:
    if len(texts) < len(kinds):
        return f"\\multicolumn{{{len(kinds)}}}{{l}}{{\\emph{{{latex(texts[0])}}}}}"
    cells = zip(map(latex, texts), kinds, strict=True)
    return " & ".join(f"\\raggedright {text}" if kind[0] == "p" and text else text for text, kind in cells)


def _text(cell: Cell, column: BlockColumn) -> str:
    """A cell in words; a shaded figure has its interval and n here, as nothing else says them on paper."""
    if isinstance(cell, CellValue) and cell.format == "heat":
        cell = replace(cell, format=None)
    return text_of(cell, None if column.format == "heat" else column.format, column.metric)


def _cell(results: Results, label: str, benchmark: str, best: frozenset[tuple[str, str]]) -> tuple[str, str, str]:
    """A model's figure on a benchmark, and what stands beneath it: its interval and n, then its judge band."""
    each = {each.benchmark: each for each in results.of(label)}.get(benchmark)
    whole = each.overall() if each else None
    if each is None or whole is None:
        return "", "", ""
    described = each.metric(each.headline)
    value = latex(format_number(whole.value, described))
    warned = format_mark(caution_of(whole))
    figure = f"\\textbf{{{value}}}" if (benchmark, label) in best else value
    interval = f"{latex(format_interval(whole, described))}, $n$ {latex(format_graded(whole))}"
    mark, band = r"$^{\ddagger}$" if warned else "", judge_band_of(whole)
    judged = "" if band is None else f"{{\\small {JUDGE_BAND} {latex(format_judge_band(band, described))}}}"
    return f"{figure}{mark}", f"{{\\small {interval}{f', {latex(warned)}' if warned else ''}}}", judged


def _mark(own: Sequence[Result]) -> str:
    return r"$^{\dagger}$" if any(each.simulated for each in own) else ""


def _best(found: Rankings | None, results: Results) -> frozenset[tuple[str, str]]:
    """Benchmarks and models that are told from every other model of the column; all of it must be comparable."""
    best = set()
    for each in found.ranked if found else ():
        if each.missing is None and not each.level_with and len(each.standings) == len(results.on(each.benchmark)):
            best.add((each.benchmark, each.standings[0].label))
    for pair in found.pairs if found else ():
        whole, described, benchmark = pair.whole, pair.described, pair.benchmark
        difference = whole.p is not None and whole.p < LEVEL and whole.difference
        if difference and len(results.on(benchmark)) == 2:
            second = (difference > 0) != (described is not None and described.better == "lower")
            best.add((benchmark, pair.b.label if second else pair.a.label))
    return frozenset(best)


def _mismatches(results: Results) -> Iterator[str]:
    """Reasons that figures of one column do not compare, a line for each group that differs from the first."""
    for benchmark in results.benchmarks:
        first, *others = groups_alike(results.on(benchmark))
        mismatches = (first_mismatch(first[0], other[0], allow_other_data=False) for other in others)
        yield from (describe_mismatch(found) for found in mismatches if found is not None)


def _caption(results: Results, line: str) -> str:
    text = (
        "Headline figure of each model on each benchmark; brackets hold 95\\% sampling intervals, in per cent for "
        f"shares, and n counts what was graded. Bold: distinguishable from every other model of its {line} by a paired "
        f"test at .05, corrected (Holm) for all pairs of the {line}."
    )
    cautions = [
        f"{each.benchmark} by {each.label}: {format_caution(caution)}."
        for each in results.evaluations
        if (caution := caution_of(each.overall())) is not None
    ]
    bands = latex(describe_judge_bands(each.overall() for each in results.evaluations))
    broken = [BROKEN, *map(latex, cautions)] if cautions else []
    return " ".join((text, *([bands] if bands else []), *broken, *((SIMULATED,) if results.simulated else ())))
