r"""Tables for a paper, in LaTeX with booktabs: each figure with its interval and n.

`table.tex` has models by benchmarks, `analyses.tex` every table that the page shows. In the first a figure is bold only
where its model is told from every other on that benchmark by the paired test, corrected (Holm) for all pairs; the
highest mean alone is no reason.
"""

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from mores.analysis.comparable import describe_unlike, groups_alike, unlike
from mores.analysis.contrast import LEVEL
from mores.analysis.rankings import Rankings, rankings
from mores.analysis.results import Result, Results
from mores.blocks import Beside, Block, Cell, Column, Details, Row, Table, Value
from mores.blocks.formatting import format_graded, format_interval, format_number, text_of
from mores.blocks.reasons import format_caution, format_mark
from mores.core.estimate import caution_of
from mores.exports import Export
from mores.reports.analysis import all_sections

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
BROKEN = r"$\ddagger$: most answers could not be used, or all are alike."
SIMULATED_TABLE = r"\textbf{Simulated} answers say nothing about any real model."
SIMULATED = (
    r"\textbf{Simulated:} answers of models marked with $\dagger$ were made up from planted competence; they say "
    "nothing about any real model."
)


def latex(text: str) -> str:
    r"""Words that LaTeX prints as they are.

    >>> latex("a_b & 50% <x>")
    'a\\_b \\& 50\\% \\textless{}x\\textgreater{}'
    """
    return text.translate(_ESCAPED)


def latex_table(results: Results) -> Export:
    """A table environment of all headlines, to be put into a paper that uses booktabs."""
    benchmarks, ranked = results.benchmarks, rankings(results)
    best, apart = _best(ranked, results), tuple(_unlike(results))
    head = " & ".join(("Model", *(latex(name) for name in benchmarks)))
    headlines = (", ".join(dict.fromkeys(each.headline for each in results.on(name))) for name in benchmarks)
    unit = " & ".join(("", *map(latex, headlines)))
    lines = [
        "% Needs \\usepackage{booktabs}. Written by mores.",
        *(f"% Not comparable: {why}" for why in apart),
        r"\begin{table}",
        r"  \centering",
        f"  \\caption{{{_caption(results)}}}",
        r"  \label{tab:mores}",
        f"  \\begin{{tabular}}{{l{'c' * len(benchmarks)}}}",
        r"    \toprule",
        f"    {head} \\\\",
        f"    {unit} \\\\",
        r"    \midrule",
        *(line for label in results.labels for line in _row(results.of(label), benchmarks, best)),
        r"    \bottomrule",
        r"  \end{tabular}",
        r"\end{table}",
    ]
    left = "what stands in tables alone that a page leaves out; --to csv has all rows"
    unmarked = (f"the mark of the best where figures do not compare: {why.rstrip('.')}" for why in apart)
    files = {"table.tex": "\n".join((*lines, "")), "analyses.tex": "\n".join(_all_tables(results))}
    return Export(files={name: text.encode() for name, text in files.items()}, left_out=(left, *unmarked))


def _all_tables(results: Results) -> Iterator[str]:
    """Every table of the page as an environment of its own, in the page's order."""
    yield "% Needs \\usepackage{booktabs} and \\usepackage{longtable}; scripts other than Latin need XeLaTeX."
    for section in all_sections(results, page=True):
        for number, table in enumerate(_tables_in(section.blocks), start=1):
            yield from _environment(table, f"{section.id}-{number}", simulated=results.simulated)


def _tables_in(blocks: Iterable[Block]) -> Iterator[Table]:
    """The tables among some blocks, those in details and beside charts too."""
    for block in blocks:
        match block:
            case Table() if block.on != "terminal" and block.rows:
                yield block
            case Details() | Beside():
                yield from _tables_in(block.blocks)
            case _:
                pass


def _environment(table: Table, label: str, *, simulated: bool) -> Iterator[str]:
    """One table; columns of pictures alone are left out, and it goes on over pages where it is long."""
    kept = [number for number, column in enumerate(table.columns) if text_of(column.title)]
    caption = latex(table.caption.rstrip("."))
    numbers = "".join("r" if table.columns[number].format not in {None, "place"} else "l" for number in kept[1:])
    yield f"\\begin{{longtable}}{{l{numbers}}}"
    yield f"  \\caption{{{caption}.{f' {SIMULATED_TABLE}' if simulated else ''}}} \\label{{tab:{label}}} \\\\"
    yield "  \\toprule"
    yield f"  {' & '.join(latex(text_of(table.columns[number].title)) for number in kept)} \\\\"
    yield "  \\midrule \\endhead"
    yield from (f"  {_line(table, row, kept)} \\\\" for row in table.rows)
    yield "  \\bottomrule"
    yield "\\end{longtable}\n"


def _line(table: Table, row: Row, kept: Sequence[int]) -> str:
    """A row; one of one cell stands over those that follow."""
    if len(row.cells) == 1:
        return f"\\multicolumn{{{len(kept)}}}{{l}}{{\\emph{{{latex(text_of(row.cells[0]))}}}}}"
    columns = ((row.cells[number], table.columns[number]) for number in kept)
    return " & ".join(latex(_text(cell, column)) for cell, column in columns)


def _text(cell: Cell, column: Column) -> str:
    """A cell in words; a shaded figure has its interval and n here, as nothing else says them on paper."""
    if isinstance(cell, Value) and cell.format == "heat":
        cell = replace(cell, format=None)
    return text_of(cell, None if column.format == "heat" else column.format, column.metric)


def _row(own: Sequence[Result], benchmarks: Sequence[str], best: frozenset[tuple[str, str]]) -> tuple[str, str]:
    """A model's figures, and beneath them their intervals and n."""
    found = {each.benchmark: each for each in own}
    mark = r"$^{\dagger}$" if any(each.simulated for each in own) else ""
    figures, intervals = [f"{latex(own[0].label)}{mark}"], [""]
    for benchmark in benchmarks:
        each = found.get(benchmark)
        whole = each.whole() if each else None
        if each is None or whole is None:
            figures.append("")
            intervals.append("")
            continue
        described = each.metric(each.headline)
        value = latex(format_number(whole.value, described))
        warned = format_mark(caution_of(whole))
        figures.append(f"\\textbf{{{value}}}" if (benchmark, each.label) in best else value)
        beside = f"{latex(format_interval(whole, described))}, $n$ {latex(format_graded(whole))}"
        figures[-1] += r"$^{\ddagger}$" if warned else ""
        intervals.append(f"{{\\small {beside}{f', {latex(warned)}' if warned else ''}}}")
    return f"    {' & '.join(figures)} \\\\", f"    {' & '.join(intervals)} \\\\[2pt]"


def _best(found: Rankings | None, results: Results) -> frozenset[tuple[str, str]]:
    """Benchmarks and models that are told from every other model of the column; all of it must be comparable."""
    best = set()
    for each in found.ranked if found else ():
        if each.missing is None and not each.level_with and len(each.standings) == len(results.on(each.benchmark)):
            best.add((each.benchmark, each.standings[0].label))
    for pair in found.pairs if found else ():
        whole, described, benchmark = pair.whole, pair.described, pair.benchmark
        apart = whole.p is not None and whole.p < LEVEL and whole.difference
        if apart and len(results.on(benchmark)) == 2:
            second = (apart > 0) != (described is not None and described.better == "lower")
            best.add((benchmark, pair.b.label if second else pair.a.label))
    return frozenset(best)


def _unlike(results: Results) -> Iterator[str]:
    """Why figures of one column do not compare, a line for each group that stands apart from the first."""
    for benchmark in results.benchmarks:
        first, *others = groups_alike(results.on(benchmark))
        apart = (unlike(first[0], other[0], allow_other_data=False) for other in others)
        yield from (describe_unlike(found) for found in apart if found is not None)


def _caption(results: Results) -> str:
    said = (
        "Headline figure of each model on each benchmark; brackets hold 95\\% intervals, in per cent for shares, and n "
        "counts what was graded. Bold: told from every other model of its column by a paired test at .05, corrected "
        "(Holm) for all pairs of the column."
    )
    told = [
        f"{each.benchmark} by {each.label}: {format_caution(caution)}."
        for each in results.evaluations
        if (caution := caution_of(each.whole())) is not None
    ]
    broken = [BROKEN, *map(latex, told)] if told else []
    return " ".join((said, *broken, *((SIMULATED,) if results.simulated else ())))
