"""The leaderboard on a terminal: models × benchmarks where that fits, else whatever shows most of it.

leaderboard ─▶ cells of a figure and its interval ─▶ the first layout that fits the width: long figures, whole per
cents, benchmarks as rows, short names; at last as many benchmarks as there is room for. What is left out is counted.
"""

import textwrap
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace
from rich.cells import cell_len, set_cell_size
from rich.text import Text as Line

from mores.analysis.judge_errors import describe_shared_bands
from mores.analysis.leaderboard import Leaderboard, LeaderboardCell, LeaderboardColumn, LeaderboardRow
from mores.core.card import Metric
from mores.core.estimate import Estimate, caution_of, judge_band_of
from mores.core.terminal_safety import escape_control
from mores.tables import formatting as words
from mores.tables.missing_texts import TOO_FEW, format_mark, short_reason

LONGEST = 34
"""Letters of a name; longer ones are cut in the middle."""
FEW_LETTERS = 16
"""Letters of the name of a row that stay, however narrow the screen is."""
GAP = "  "
GAIN = "effect of the place"


class GridCell(NamedTuple):
    """A figure, to the right, and after it its interval or other words; `ahead` where nobody is known to be better."""

    value: str = ""
    rest: str = ""
    ahead: bool = False


CellWriter = Callable[[Estimate, Metric | None], GridCell]


class TextTable(Struct, frozen=True):
    """Heads, and rows of as many cells; `left` says which benchmarks are not among them, `rows_are` what a row is."""

    heads: list[str]
    rows: list[list[GridCell]]
    left: str = ""
    rows_are: str = "model"

    @property
    def parts(self) -> list[tuple[int, int]]:
        """The widths of values and of what follows them, column by column."""
        columns = zip(*self.rows, strict=True)
        return [(max(cell_len(c.value) for c in column), max(cell_len(c.rest) for c in column)) for column in columns]

    @property
    def rooms(self) -> list[int]:
        """The widths of columns, with their heads."""
        bodies = (value + bool(value and rest) + rest for value, rest in self.parts)
        return [max(cell_len(head), body) for head, body in zip(self.heads, bodies, strict=True)]

    @property
    def width(self) -> int:
        """The width of all columns."""
        return sum(self.rooms) + len(GAP) * (len(self.heads) - 1)

    def fitted(self, width: int) -> "TextTable":
        """The same with the names of its rows cut as far as the width asks, but for a few letters."""
        room = max(FEW_LETTERS, self.rooms[0] - max(0, self.width - width))
        rows = [[first._replace(rest=cut(first.rest, room)), *others] for first, *others in self.rows]
        return replace(self, rows=rows)

    def turned(self) -> "TextTable":
        """Rows as columns; the heads of rows are words."""
        first, *others = ([row[n] for row in self.rows] for n in range(len(self.heads)))
        rows = [[GridCell("", head), *cells] for head, cells in zip(self.heads[1:], others, strict=True)]
        return TextTable([self.heads[0], *(cell.rest for cell in first)], rows, rows_are="benchmark")

    def lines(self, most: int) -> Iterator[Line]:
        """The heads and at most so many rows."""
        layout = list(zip(self.parts, self.rooms, strict=True))
        heads = (
            _padded(head, room, right=not rest) for head, ((_, rest), room) in zip(self.heads, layout, strict=True)
        )
        yield Line(GAP.join(heads).rstrip(), style="dim")
        for row in self.rows[:most]:
            line = Line()
            for cell, ((value, rest), room) in zip(row, layout, strict=True):
                figure = value if rest else room
                line.append(_padded(cell.value, figure, right=True), style="bold" if cell.ahead else "")
                line.append(" " if value and rest else "")
                after = room - figure - bool(value and rest) + len(GAP)
                line.append(_padded(cell.rest, after), style="dim" if value else "")
            line.rstrip()
            yield line


def front_table(board: Leaderboard, width: int, most: int) -> list[Line]:
    """The lines of the table below its caption, and what judges may move of it.

    `most` counts its rows, the line that says what is left out, and of caption and judges all lines but the first.
    """
    one = len(board.rows) == 1
    head, foot = wrapped(caption(board), width), wrapped("" if one else describe_shared_bands(board.judged), width)
    most = max(1, most + 1 - len(head) - len(foot))
    grid = _of_one(board, width).fitted(width) if one else _of_several(board, width, most)
    left, kept = [grid.left] if grid.left else [], most - bool(grid.left)
    if len(grid.rows) > kept:
        kept = max(1, most - 1)
        left.append(words.plural(len(grid.rows) - kept, f"more {grid.rows_are}"))
    more = [Line(f"… {' and '.join(left)} with --full", style="dim")] if left else []
    return [*head, *grid.lines(kept), *more, *foot]


def wrapped(text: str, width: int) -> list[Line]:
    """A sentence in lines of this width, those after the first indented; no word is broken."""
    lines = textwrap.wrap(text, width, subsequent_indent=GAP, break_long_words=False, break_on_hyphens=False)
    return [Line(line, style="dim") for line in lines]


def caption(board: Leaderboard) -> str:
    """Words on the figures, on what guessing gets, and of one model on its judge bands."""
    bands = words.describe_judge_bands(board.figures) if len(board.rows) == 1 else ""
    return f"{_measured(board)} {bands}".rstrip()


def _measured(board: Leaderboard) -> str:
    """Words on the figures, and on what guessing gets."""
    scales = {column.scale.name if column.scale else None for column in board.columns}
    headlines = {column.headline for column in board.columns}
    chances = {column.chance for column in board.columns}
    first, *others = scales
    if first is not None and not others:
        below = any((cell.figure.value or 0) < 0 for row in board.rows for cell in row.cells if cell and cell.figure)
        below_zero = "; below 0 is worse than guessing" if below else ""
        scale = next(column.scale for column in board.columns if column.scale is not None)
        in_column = len(board.rows) == 1 and not board.rows[0].gained  # it has a column there
        polite = f"; {scale.reference}: {scale.reference_says}" if scale.reference_says and not in_column else ""
        return f"{first.capitalize()}, in % with 95% sampling intervals; 0 is {scale.short_zero}{below_zero}{polite}."
    named = "Headline figures"
    if len(headlines) == 1 and scales == {None}:
        named = headlines.pop().replace("_", " ").capitalize()
    unit = ", in %" if all(words.is_share(column.metric) for column in board.columns) else ","
    chance = chances.pop() if len(chances) == 1 else None
    guessing = "" if chance is None else f"; guessing gets {words.format_number(chance, sign=False)}"
    if guessing and len(board.columns) == 1:
        guessing += _always(board.columns[0])
    return f"{named}{unit} with 95% sampling intervals{guessing}."


def _always(column: LeaderboardColumn) -> str:
    """Share that one label for all would get."""
    if column.always is None:
        return ""
    return f", always {column.always.name} {words.format_number(column.always.share, sign=False)}"


def _of_one(board: Leaderboard, width: int) -> TextTable:
    """One model: what `_of_one_with` has, with a stated respondent beside it where there is room."""
    reference = next((c.scale.reference for c in board.columns if c.scale and c.scale.reference_says), "")
    found = _of_one_with(board, "" if board.rows[0].gained else reference)
    return found if found.width <= width else _of_one_with(board, "")


def _of_one_with(board: Leaderboard, reference: str) -> TextTable:
    """One model: a row for each benchmark, with what was graded, its judge band, a reference, and what is counted."""
    (row,) = board.rows
    judged = any(map(judge_band_of, board.figures))
    counted = [column.scale.name if column.scale else column.headline for column in board.columns]
    several = len(set(counted)) > 1
    rows = []
    for name, column, cell, of in zip(_names(board.columns), board.columns, row.cells, counted, strict=True):
        figure = cell.figure if cell else None
        graded = GridCell(words.format_graded(figure) if figure else words.DASH)
        banded = [_banded(figure, column)] if judged else []
        gained = [_gained(cell)] if row.gained else []
        polite = [_reference(column)] if reference else []
        of_what = [GridCell("", of)] if several else []
        rows.append([GridCell("", name), _written(cell, column, _long), graded, *banded, *gained, *polite, *of_what])
    further = {words.JUDGE_BAND: judged, GAIN: row.gained, reference: bool(reference), "of": several}
    heads = [_name(row), "", "n", *(head for head, has in further.items() if has)]
    return TextTable(heads, rows, rows_are="benchmark")


def _reference(column: LeaderboardColumn) -> GridCell:
    """Share that a stated respondent gets on a scale; nothing where nobody knows."""
    share = None if column.scale is None else column.scale.references.get(column.benchmark)
    return GridCell("" if share is None else words.format_number(share, sign=False))


def _banded(figure: Estimate | None, column: LeaderboardColumn) -> GridCell:
    """The judge band of a figure; nothing where nobody judged."""
    band = judge_band_of(figure)
    return GridCell("" if band is None else words.format_judge_band(band, None if column.scale else column.metric))


def _gained(cell: LeaderboardCell | None) -> GridCell:
    """The effect of the place, `+49.0 [+38.1, +60.3]`; a dash where it was not asked without it."""
    if cell is None or cell.gain is None:
        return GridCell(words.DASH)
    size, ends = words.parts_of_difference(cell.gain.whole, cell.gain.metric)
    return GridCell(size, " ".join((ends, *words.bracketed_mark(cell.gain.whole))))


def _of_several(board: Leaderboard, width: int, most: int) -> TextTable:
    """The layout that shows all benchmarks with the longest figures, else the one that shows most figures."""
    some = []
    for full in (True, False):
        for write in (_long, _short):
            grid = _models_down(board, write, full=full)
            if grid.width <= width:
                return grid
        turned = _models_down(board, _short, full=full).turned()
        if turned.width <= width:
            some.append(turned)
    some.append(_as_many_as_fit(_models_down(board, _tight, full=False), width, len(board.columns)))
    return max(some, key=lambda grid: min(most, len(grid.rows)) * len(grid.heads))


def _as_many_as_fit(grid: TextTable, width: int, benchmarks: int) -> TextTable:
    """The first benchmarks that there is room for, one at least; what stands beside the only one goes first."""
    room = len(grid.heads)
    while room > 2 and TextTable(grid.heads[:room], [row[:room] for row in grid.rows]).width > width:
        room -= 1
    left = benchmarks + 1 - room
    left_text = words.plural(left, "more benchmark") if left > 0 else ""
    return TextTable(grid.heads[:room], [row[:room] for row in grid.rows], left_text)


def _models_down(board: Leaderboard, write: CellWriter, *, full: bool) -> TextTable:
    """A row for each model; with a single benchmark, ranks and what was graded beside the figure."""
    names = [_name(row) for row in board.rows]
    rows = []
    for name, row in zip(names if full else _shortened(names), board.rows, strict=True):
        cells = [_written(cell, column, write) for cell, column in zip(row.cells, board.columns, strict=True)]
        others = _rank_and_n(row.cells[0]) if len(board.columns) == 1 else ()
        gained = [_gained(row.cells[0])] if others and any(each.gained for each in board.rows) else []
        rows.append([GridCell("", name), *cells, *others, *gained])
    other_heads = ["rank", "n", *([GAIN] if any(row.gained for row in board.rows) else [])]
    return TextTable(["", *_names(board.columns), *(other_heads if len(board.columns) == 1 else [])], rows)


def _rank_and_n(cell: LeaderboardCell | None) -> tuple[GridCell, GridCell]:
    """The ranks that a model may have, and what was graded."""
    figure, rank = (cell.figure, cell.rank) if cell else (None, None)
    ranks = words.format_range(rank.low, rank.high) if rank else words.DASH
    return GridCell(ranks), GridCell(words.format_graded(figure) if figure else words.DASH)


def _written(cell: LeaderboardCell | None, column: LeaderboardColumn, write: CellWriter) -> GridCell:
    if cell is None or cell.figure is None:
        return GridCell(words.DASH)
    ahead = cell.rank is not None and cell.rank.low == 1
    return write(cell.figure, None if column.scale else column.metric)._replace(ahead=ahead)


def _long(figure: Estimate, metric: Metric | None) -> GridCell:
    """`75.1 [64.6, 82.7]`, or why there is no interval, and what has to be known of its answers."""
    ends = words.format_interval(figure, metric) if figure.value is not None else short_reason(figure.missing)
    if figure.value is None and judge_band_of(figure):
        ends = ""  # the band stands beside
    if figure.value is not None and ends == TOO_FEW:
        ends = f"(n {figure.graded:,}: too few for an interval)"
    rest = " ".join(filter(None, (ends, format_mark(caution_of(figure)))))
    return GridCell(words.format_number(figure.value, metric, sign=False), rest)


def _short(figure: Estimate, metric: Metric | None) -> GridCell:
    """`75 [65, 83]`."""
    value, ends = _whole(figure, metric)
    return GridCell(value, (f"[{', '.join(ends)}]" if ends else "") + warned(figure))


def _tight(figure: Estimate, metric: Metric | None) -> GridCell:
    """`75 65–83`."""
    value, ends = _whole(figure, metric)
    return GridCell(value, "–".join(ends) + warned(figure))


def warned(figure: object) -> str:
    """A sign, where there is no room for what has to be known; a finding says it."""
    return "" if caution_of(figure) is None else " !"


def _whole(figure: Estimate, metric: Metric | None) -> tuple[str, tuple[str, ...]]:
    """A figure and its ends in whole per cents, or with a digit in the points of a metric."""
    share = words.is_share(metric)
    known = (x for x in (figure.value, figure.low, figure.high) if x is not None)
    texts = [words.format_whole(x) if share else words.text_of(x, "mean") for x in known]
    return (texts[0], tuple(texts[1:]) if len(texts) == 3 else ()) if texts else (words.DASH, ())


def _name(row: LeaderboardRow) -> str:
    """A model's name; what is made up says so."""
    marked = row.simulated and not row.label.startswith("simulated/")
    return cut(f"{row.label} (simulated)" if marked else row.label)


def cut(name: str, longest: int = LONGEST) -> str:
    """A name as a terminal shows it, without its middle where it is long."""
    shown, half = " ".join(escape_control(name).split()), longest // 2
    if cell_len(shown) <= longest:
        return shown
    # Turned round for its end, as set_cell_size cuts the end alone; in cells, as some letters are two wide.
    return f"{set_cell_size(shown, longest - half).rstrip()}…{set_cell_size(shown[::-1], half - 1)[::-1].lstrip()}"


def _shortened(names: Sequence[str]) -> list[str]:
    """Names without what stands before their first slash, where that leaves them apart."""
    own = [name.partition("/")[2] or name for name in names]
    counts = Counter(own)
    return [short if counts[short] == 1 else name for short, name in zip(own, names, strict=True)]


def _names(columns: Sequence[LeaderboardColumn]) -> list[str]:
    """Titles on a scale, else names of benchmarks, of several without their family where that leaves them apart."""
    names = [column.title if column.scale else column.benchmark for column in columns]
    return [cut(name) for name in (names if len(names) == 1 else _shortened(names))]


def _padded(text: str, width: int, *, right: bool = False) -> str:
    spaces = " " * (width - cell_len(text))
    return f"{spaces}{text}" if right else f"{text}{spaces}"
