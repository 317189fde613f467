"""One run in six media, terminal, page, JSON, frames, LaTeX and figures: every figure is the same in all of them.

What a run's own estimates say is written with the digits of each medium: a point, a sampling interval, n, and the band
of the judge where one decided the figure. A medium that drops or changes any of these fails here.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from csv import DictReader
from inspect import signature
from pathlib import Path
from typing import NamedTuple

import pytest

from mores.analysis.results import Result, Results
from mores.api.notebook import Runs
from mores.core.card import Metric
from mores.core.estimate import Estimate, judge_band_of
from mores.exports.figures import drawn, to_csv
from mores.exports.figures.found import BANDED, figures_of
from mores.exports.figures.found import Figure as PaperFigure
from mores.exports.latex import latex_table
from mores.reports.json_output import as_json
from mores.reports.page.write import render
from mores.reports.sections_list import leaderboard_of, tables_of
from mores.runs.loading import read_results
from mores.tables import rows_by_key
from mores.tables.formatting import group_name, is_share, kind_name
from tests.golden.data import write_data
from tests.golden.play import typed
from tests.reports.media_read import Numbers, Tables, Written, cells_of, of_data, of_line, printed
from tests.tables.told import latex_tables

WIDE = 400
"""Columns of a terminal on which no row is broken."""
LINES = {
    "ladder": "run ladder --limit 40 --places JP,NG,BR,IN,DE,ID --out ladder",
    "ladders": "run ladder/explain ladder/apply ladder/converse -m simulated/typical -m simulated/uneven --limit 30"
    " --places JP,NG,BR,IN --out ladders",
    "thick": "run cure/normad_thick cure/casa_thick --data data/cure --limit 12 --out thick",
    "forest": "run cultureforest/hard -m simulated/typical -m simulated/novice --data data/forest --samples 1"
    " --out forest",
    "talks": "run socialcc -m simulated/typical -m simulated/novice --data data/socialcc --limit 12 --out talks",
    "town": "run liveculture --data data/town --limit 10 --set steps=20 --out town",
}
JUDGED = {
    "ladder": {"ladder/explain", "ladder/apply", "ladder/converse", "ladder/live"},
    "ladders": {"ladder/explain", "ladder/apply", "ladder/converse"},
    "thick": {"cure/casa_thick"},
    "forest": {"cultureforest/hard"},
    "talks": {"socialcc/dialogue"},
    "town": {"liveculture/town"},
}
"""Benchmarks of which the headline is judged; a label that is read in the words of an answer is not."""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which all runs lie."""
    folder = tmp_path_factory.mktemp("media")
    write_data(folder / "data")
    for line in LINES.values():
        done = typed(line, folder)
        assert done.code == 0, done.err
    return folder


@pytest.fixture(scope="module", params=LINES)
def run(request: pytest.FixtureRequest, played: Path) -> Path:
    """One run after the other."""
    return played / str(request.param)


@pytest.fixture(scope="module")
def results(run: Path) -> Results:
    return read_results([run])


Group = tuple[str, str]
"""The kind and name of a group; both are empty for the whole."""


class Figure(NamedTuple):
    """A figure of a headline, with its evaluation and group."""

    evaluation: Result
    group: Group
    estimate: Estimate

    @property
    def written(self) -> Written:
        return Written.of(self.estimate, self.evaluation.described)

    @property
    def numbers(self) -> Numbers:
        return Numbers.of(self.estimate)

    @property
    def row(self) -> str:
        """The name of its group in tables."""
        return group_name(*self.group) if self.group[0] else "Everything"


def headlines(results: Results) -> Iterator[Figure]:
    """All figures of headlines: the whole, and each group of one kind."""
    for each in results.evaluations:
        for figure in each.figures:
            if figure.metric == each.headline and len(figure.group) <= 1:
                yield Figure(each, next(iter(figure.group.items()), ("", "")), figure)


def test_each_benchmark_has_the_band_that_its_judge_gives(run: Path, results: Results) -> None:
    banded = {each.evaluation.benchmark for each in headlines(results) if judge_band_of(each.estimate)}
    assert banded == JUDGED[run.name]
    assert len([*headlines(results)]) > 5


def test_json_says_what_the_estimates_say(run: Path, results: Results) -> None:
    said = {}
    for line in as_json(results, run):
        one = json.loads(line)
        for benchmark, found in one["benchmarks"].items():
            for each in found["estimates"]:
                band = each["judge"] or {}
                group = next(iter(each["group"].items()), ("", ""))
                if len(each["group"]) <= 1:
                    said[benchmark, one["model"], each["metric"], group] = Numbers(
                        **{name: each[name] for name in ("value", "low", "high", "asked", "graded")},
                        judge_low=band.get("low"),
                        judge_high=band.get("high"),
                    )
    for each in headlines(results):
        assert said[each.evaluation.benchmark, each.evaluation.model, each.estimate.metric, each.group] == each.numbers


def test_a_json_band_says_which_judges_it_is_of(results: Results, run: Path) -> None:
    bands = [
        each["judge"]
        for line in as_json(results, run)
        for found in json.loads(line)["benchmarks"].values()
        for each in found["estimates"]
        if each["judge"] is not None
    ]
    assert bands
    assert {(*band["sensitivity"], *band["specificity"]) for band in bands} == {(0.75, 1.0, 0.75, 1.0)}


def test_frames_say_what_the_estimates_say(results: Results) -> None:
    frame = list(Runs(results).estimates)
    groups = {row["group"] for row in Runs(results).tables["groups"]}
    assert groups
    for each in headlines(results):
        kind, name = each.group
        mine = [
            row
            for row in frame
            if (row["benchmark"], row["model"], row["metric"])
            == (each.evaluation.benchmark, each.evaluation.label, each.evaluation.headline)
            and {column: row.get(column) for column in each.evaluation.kinds if row.get(column)}
            == ({kind: name} if kind else {})
        ]
        (row,) = mine
        assert _numbers(row) == each.numbers
        (row,) = (
            row
            for row in Runs(results).tables["groups"]
            if (row["benchmark"], row["model"], row["kind"], row["group"])
            == (each.evaluation.benchmark, each.evaluation.label, kind or None, name or None)
        )
        assert _numbers(row) == each.numbers


def _numbers(row: Mapping[str, object]) -> Numbers:
    value = row.get("value", row.get("figure", row.get("kept")))
    return Numbers(value, *(row[name] for name in Numbers._fields[1:]))  # type: ignore[arg-type]


def test_the_page_says_what_the_estimates_say(results: Results) -> None:
    page, shaded = Tables(render(results)), 0
    for each in headlines(results):
        name = f"{each.evaluation.benchmark} by place and group"
        (row,) = _rows(page.tables[name], each)
        own, _, _ = row[_at(page.tables[name], each)].partition("pooled ")
        assert Written.read(own) == each.written
        caption = f"{name}, in {'per cent' if is_share(each.evaluation.described) else 'points'}"
        cells, titles = page.tables[caption], page.titles[caption]
        for texts, told in zip(cells, titles, strict=True):
            if each.group[0] in {"", "place"} and len(texts) > 1 and texts[0] == each.row:
                at, shaded = _at(cells, each), shaded + 1
                assert Written.read(told[at]) == each.written
                assert texts[at].rstrip(" !") == (each.written.value or "–")
    assert shaded >= len(results.evaluations)


def _at(table: Sequence[Sequence[str]], each: Figure) -> int:
    """The column of a model."""
    return [head.removesuffix(" simulated") for head in table[0]].index(each.evaluation.label)


def _rows(table: Sequence[Sequence[str]], each: Figure) -> list[Sequence[str]]:
    """The row of a group: its head begins with its name, and its kind stands in the next cell."""
    kind = kind_name(each.group[0]) if each.group[0] else "all"
    return [row for row in table if len(row) > 2 and row[1] == kind and row[0].startswith(each.row)]


def test_the_leaderboard_of_the_page_says_what_its_table_says(results: Results) -> None:
    (board,) = (rows for caption, rows in Tables(render(results)).tables.items() if caption.startswith("Leaderboard"))
    for label, column, figure, metric in _board(results):
        (row,) = (row for row in board[1:] if row[0].removesuffix(" simulated").startswith(label))
        assert Written.read(row[1 + column]) == Written.of(figure, metric)


def _board(results: Results) -> Iterator[tuple[str, int, Estimate, Metric | None]]:
    """Each figure of the leaderboard with its row, its column, and what it is written by."""
    board = leaderboard_of(results)
    for row in board.rows:
        for number, (column, cell) in enumerate(zip(board.columns, row.cells, strict=True)):
            if cell is not None and cell.figure is not None:
                yield row.label, number, cell.figure, None if column.scale else column.metric


def test_the_leaderboard_holds_the_headline_or_what_the_ladder_says(results: Results) -> None:
    tables = tables_of(results)
    wholes = {(each.evaluation.benchmark, each.evaluation.label): each.numbers
              for each in headlines(results) if each.group == ("", "")}  # fmt: skip
    kept = {
        (row["benchmark"], row["model"]): _numbers(row)
        for row in rows_by_key(tables["ladder"].table, tables["ladder"].rows)
        if row["group"] is None
    }
    found = rows_by_key(tables["leaderboard"].table, tables["leaderboard"].rows)
    assert {(row["benchmark"], row["model"]): _numbers(row) for row in found} == {**wholes, **kept}
    assert len(kept) in {0, len(wholes)}


class Kept(NamedTuple):
    """Norms kept of one model on a rung, of all norms or a group."""

    model: str
    rung: str
    kind: str
    row: str
    estimate: Estimate

    @property
    def written(self) -> Written:
        return Written.of(self.estimate, None)


def ladder_figures(results: Results) -> list[Kept]:
    """All figures on the scale of the ladder; none where no ladder was run."""
    filled = tables_of(results)["ladder"]
    read = filled.table.getter("model", "rung", "kind", "group", "kept")
    rows = (read(row) for row in filled.rows)
    return [
        Kept(model, rung, kind or "", group_name(kind, group) if kind else "All norms", kept)
        for model, rung, kind, group, kept in rows
        if kept is not None
    ]


def test_the_ladder_of_the_page_says_what_its_table_says(results: Results) -> None:
    page = Tables(render(results)).tables
    for each in ladder_figures(results):
        table = page[f"The ladder of {each.model}"]
        kind = kind_name(each.kind) if each.kind else "all"
        (row,) = (row for row in table if len(row) > 2 and row[1] == kind and row[0].startswith(each.row))
        own, _, _ = row[table[0].index(each.rung)].partition(" pooled ")
        assert Written.read(own) == each.written


def test_a_ladder_has_points_bands_and_a_band_alone(results: Results, run: Path) -> None:
    if "ladder" not in run.name:
        pytest.skip("no ladder was run here")
    figures = ladder_figures(results)
    assert {each.estimate.value is None for each in figures if judge_band_of(each.estimate)} == (
        {True, False} if run.name == "ladder" else {False}
    )
    assert {each.rung for each in figures if judge_band_of(each.estimate)} == {
        name.partition("/")[2] for name in JUDGED[run.name]
    }


# The terminal.


def test_the_first_screen_says_what_the_leaderboard_says(played: Path, run: Path, results: Results) -> None:
    lines = typed(f"report {run.name}", played, columns=WIDE).out.splitlines()
    figures = [*_board(results)]
    if len(results.labels) == 1:
        names = {line.split()[0]: line for line in lines if line.strip()}
        for _, number, figure, metric in figures:
            line = names[_short_name(results, number)]
            assert of_line(line, "judge band" in "".join(lines[:5])) == Written.of(figure, metric)
        return
    heads, *rows = (cells_of(line) for line in lines if "simulated/" in line or line.startswith(" " * 4))
    for label, number, figure, metric in figures:
        (row,) = (row for row in rows if row[0].startswith(label))
        value, low, high, *_ = Written.of(figure, metric)
        assert row[1 + heads.index(_short_name(results, number))] == f"{value} [{low}, {high}]"
    told = next(line for line in lines if line.startswith("Judge bands"))
    for name, move in _moves(results):
        assert f"{name} {move}" in told


def _short_name(results: Results, number: int) -> str:
    board = leaderboard_of(results)
    column = board.columns[number]
    if column.scale is not None:
        return column.title
    return column.benchmark if len(board.columns) == 1 else column.benchmark.partition("/")[2]


def _moves(results: Results) -> Iterator[tuple[str, str]]:
    """How far judges may move the rows of each judged benchmark."""
    moves: dict[str, list[tuple[float, float]]] = {}
    for _, number, figure, metric in _board(results):
        band = judge_band_of(figure)
        if band is not None and figure.value is not None:
            scale = 100 if is_share(metric) else 1
            ends = scale * (band.low - figure.value), scale * (band.high - figure.value)
            moves.setdefault(_short_name(results, number), []).append(ends)
    digits = {name: 2 if results.on(name) and _few_points(results, name) else 1 for name in moves}
    for name, found in moves.items():
        down, up = min(low for low, _ in found), max(high for _, high in found)
        told = [f"{end:+.{digits[name]}f}".replace("-", "−") for end in (down, up)]
        yield name, " to ".join(told)


def _few_points(results: Results, name: str) -> bool:
    metric = results.on(name)[0].described
    return metric is not None and 1 < metric.high - metric.low < 20


def test_the_full_terminal_says_what_the_estimates_say(played: Path, run: Path, results: Results) -> None:
    lines = typed(f"report {run.name} --full", played, columns=WIDE).out.splitlines()
    shown = 0
    for each in headlines(results):
        if not each.group[0]:
            (at,) = (n for n, line in enumerate(lines) if f"{each.evaluation.benchmark} version" in line)
            line = next(line for line in lines[at:] if line.strip().startswith(f"{each.evaluation.label} "))
            assert Written.read(cells_of(line)[1]) == each.written
        for row, heads in _rows_under(lines, results, each):
            shown += 1
            own = Written.read(row[heads.index(each.evaluation.label)])
            assert own == each.written._replace(n="")
    # Groups are listed where they have an interval and are many: in these runs of few norms a place none is.
    assert shown or run.name in {"forest", "ladder", "ladders", "thick"}


def _rows_under(lines: Sequence[str], results: Results, each: Figure) -> Iterator[tuple[list[str], list[str]]]:
    """The rows of a group in the table of its kind within the section of its benchmark, with the heads of the table."""
    of, heads = "", list[str]()
    for line in lines:
        cells = cells_of(line)
        if not line.startswith(" "):
            last = line.split()[-1:]
            of, heads = (last[0] if last and last[0] in results.benchmarks else of), []
        if cells[:2] == [kind_name(each.group[0]), "n"] and of == each.evaluation.benchmark:
            heads = cells
        elif heads and cells[0] == each.row and len(cells) == len(heads):
            yield cells, heads


# Papers: tables in LaTeX, and figures with their data.


def test_the_table_of_a_paper_says_what_the_estimates_say(results: Results) -> None:
    table = latex_table(results).files["table.tex"].decode()
    rows = [[printed(cell) for cell in line.split("&")] for line in table.splitlines() if "&" in line]
    heads = next(row for row in rows if row[0] == "Model")
    for each in headlines(results):
        if each.group[0]:
            continue
        at = next(n for n, row in enumerate(rows) if row[0] == each.evaluation.label)
        beneath = [row for row in rows[at + 1 : at + 3] if not row[0]]
        column = heads.index(each.evaluation.benchmark)
        own = [rows[at][column], *(row[column] for row in beneath)]
        own[-1] = f"({own[-1]})" if "judge band" in own[-1] else own[-1]
        assert Written.read(" ".join(own)) == each.written


def test_the_other_tables_of_a_paper_say_what_the_estimates_say(results: Results) -> None:
    tables = latex_tables(latex_table(results).files["analyses.tex"].decode())
    for each in headlines(results):
        table = tables[f"{each.evaluation.benchmark} by place and group"]
        (row,) = _rows(table, each)
        own, _, _ = row[_at(table, each)].partition("pooled ")
        assert Written.read(own) == each.written
    for kept in ladder_figures(results):
        table = tables[f"The ladder of {kept.model}"]
        kind = kind_name(kept.kind) if kept.kind else "all"
        (row,) = (row for row in table if len(row) > 2 and row[1] == kind and row[0].startswith(kept.row))
        own, _, _ = row[table[0].index(kept.rung)].partition("pooled ")
        assert Written.read(own) == kept.written


def test_the_data_of_figures_say_what_the_estimates_say(results: Results) -> None:
    figures = {figure.title: figure for figure in figures_of(results)}
    for each in headlines(results):
        if each.group[0] not in {"", "place"}:
            continue
        unit = "per cent" if is_share(each.evaluation.described) else "points"
        heat = figures[f"{each.evaluation.benchmark} by place and group, in {unit}"]
        (row,) = (row for row in _data(heat) if _is(row["series"], each.evaluation.label) and row["label"] == each.row)
        assert of_data(row) == each.numbers
    board = next(figure for figure in figures.values() if figure.name == "leaderboard")
    for label, number, estimate, _ in _board(results):
        title = leaderboard_of(results).columns[number].title
        (row,) = (row for row in _data(board) if row["panel"] == title and _is(row["label"], label))
        assert of_data(row) == Numbers.of(estimate)
    for kept in ladder_figures(results):
        rows = [row for row in _data(figures[f"The ladder of {kept.model}"]) if row["panel"] == kept.rung]
        own = [row for row in rows if re.fullmatch(rf"{re.escape(kept.row)}(, .*)?", row["label"])]
        assert Numbers.of(kept.estimate) in map(of_data, own)


def _is(name: str, label: str) -> bool:
    return name.removesuffix(" †") == label


def _data(figure: PaperFigure) -> list[dict[str, str]]:
    return [*DictReader(to_csv(figure).splitlines())]


def test_figures_draw_a_line_for_each_band_and_say_what_it_is(results: Results) -> None:
    for figure in figures_of(results):
        bands = sum(
            judge_band_of(point.y) is not None
            for chart in figure.charts for series in chart.series for point in series.points
        )  # fmt: skip
        svg = drawn(figure, "")
        if figure.kind in BANDED:
            assert svg.count('class="judged"') == bands, figure.name
            assert ("Pale line" in svg) == bool(bands), figure.name


def test_the_pale_line_lies_where_the_band_is(results: Results) -> None:
    page = render(results)
    ends = re.findall(r'class="judged" d="M([\d.]+) 8H([\d.]+)"', page)
    assert ends
    places = {tuple(f"{4 + 152 * (end - low) / (high - low):.1f}" for end in (band.low, band.high))
              for each in headlines(results) if (band := judge_band_of(each.estimate))
              for low, high in [_span(each.evaluation.described)]}  # fmt: skip
    assert places <= {*ends}


def _span(metric: Metric | None) -> tuple[float, float]:
    return (0.0, 1.0) if metric is None else (metric.low, metric.high)


DROPS: dict[str, tuple[Callable[..., None], str]] = {
    "mores.reports.json_output": (test_json_says_what_the_estimates_say, "talks"),
    "mores.api.tables": (test_frames_say_what_the_estimates_say, "talks"),
    "mores.tables.columns": (test_frames_say_what_the_estimates_say, "talks"),
    "mores.tables.formatting": (test_the_page_says_what_the_estimates_say, "talks"),
    "mores.reports.terminal_table": (test_the_first_screen_says_what_the_leaderboard_says, "town"),
    "mores.analysis.judge_errors": (test_the_first_screen_says_what_the_leaderboard_says, "talks"),
    "mores.exports.latex": (test_the_table_of_a_paper_says_what_the_estimates_say, "talks"),
    "mores.exports.figures": (test_the_data_of_figures_say_what_the_estimates_say, "talks"),
    "mores.reports.charts.cells": (test_figures_draw_a_line_for_each_band_and_say_what_it_is, "talks"),
    "mores.reports.charts.frame": (test_figures_draw_a_line_for_each_band_and_say_what_it_is, "ladder"),
}
"""Modules that write bands, and what notices it where one of them does not."""


@pytest.mark.parametrize("module", DROPS)
def test_a_medium_that_drops_the_band_is_noticed(module: str, played: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    walk, name = DROPS[module]
    given = {"played": played, "run": played / name, "results": read_results([played / name])}
    wanted = {key: given[key] for key in signature(walk).parameters}
    walk(**wanted)
    monkeypatch.setattr(f"{module}.judge_band_of", lambda _: None)
    with pytest.raises((AssertionError, StopIteration)):
        walk(**wanted)
