"""Figures for a paper: every chart in three formats with its data, and words that never cover each other."""

import csv
import io
import sys
from collections.abc import Iterator
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import get_args

import pytest
from matplotlib.text import Text
from msgspec.structs import replace

import mores
from mores.analysis.results import Results
from mores.blocks import Axis, Chart, ChartKind, Point, Series
from mores.core.errors import InputError
from mores.core.estimate import Estimate
from mores.exports.figures import figures, who_is_simulated
from mores.exports.figures.data import index, to_csv
from mores.exports.figures.drawing import draw, images, styled
from mores.exports.figures.found import Figure, figures_of
from mores.exports.figures.sheet import Sheet
from mores.exports.figures.style import ONE, TWO
from mores.runs.loading import read_results
from tests.golden.data import write_data
from tests.golden.lines import TALKS
from tests.golden.play import typed

GIVEN = "† Simulated: all answers were made up."
LONG = "openai/a-model-with-a-name-that-is-much-too-long-for-any-figure-of-a-paper-and-goes-on-and-on"


@pytest.fixture(scope="module")
def ladder(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """A simulated model and a baseline on some rungs."""
    out = tmp_path_factory.mktemp("figures") / "ladder"
    models = ["simulated/uneven:refusal=.05,failure=.01", "baseline/random"]
    mores.run(["ladder/know", "ladder/apply", "ladder/explain"], model=models, judge="simulated/judge", limit=12,
              places=["JP", "NG", "BR"], out=out)  # fmt: skip
    return read_results([out])


@pytest.fixture(scope="module")
def talks(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Dialogues under pressure of two models."""
    folder = tmp_path_factory.mktemp("talks")
    write_data(folder / "data")
    assert typed(f"{TALKS} --out run --json", folder).code == 0
    return read_results([folder / "run"])


def estimate(value: float | None, low: float | None = None, high: float | None = None) -> Estimate:
    return Estimate(metric="share", value=value, low=low, high=high, asked=20, graded=18)


def crowded(kind: str) -> Figure:
    """The worst that may come: many points in one place, with long names."""
    charts: tuple[Chart, ...]
    if kind in {"climbs", "curves"}:
        levels = ("know", "judge", "explain", "apply", "converse", "live")
        series = tuple(
            Series(
                name=f"{n} {LONG}",
                points=tuple(Point(y=estimate(0.5, 0.3, 0.7), marked=level == "live") for level in levels),
            )
            for n in range(24)
        )
        charts = (Chart(kind="climbs", series=series, axes=(Axis(labels=levels), Axis(title="norms kept", mark=0.0))),)
    elif kind in {"plane", "square"}:
        points = tuple(
            Point(x=estimate(0.5 + n / 900, 0.3, 0.7), y=estimate(0.5, 0.2, 0.8), label=f"{n}", name=f"{n} {LONG}")
            for n in range(45)
        )
        axes = (Axis(title="knew"), Axis(title="noticed"))
        charts = (Chart(kind="plane" if kind == "plane" else "square", series=(Series(points=points),), axes=axes),)
    elif kind in {"risk", "reliability"}:
        points = tuple(
            Point(x=estimate(r / 20), y=estimate(None if r == 1 and kind == "risk" else r / 30, 0, r / 15))
            for r in range(1, 9)
        )
        series = tuple(Series(name=f"{n} {LONG}", points=points) for n in range(4))
        axes = (Axis(title="level certified"), Axis(title="held-out loss"))
        charts = (Chart(kind="risk" if kind == "risk" else "reliability", series=series, axes=axes),)
    elif kind == "boxes":
        points = tuple(Point(y=estimate((n + 1) ** 2 / 100), label=f"{n} {LONG}") for n in range(9))
        series = tuple(Series(name=f"{n} {LONG}", points=points, marked=n % 2 == 1) for n in range(16))
        charts = (Chart(kind="boxes", series=series, axes=(Axis(),)),)
    elif kind == "squares":
        series = tuple(
            Series(name=f"{n} {LONG}", points=tuple(Point(y=estimate((n - m) / 20)) for m in range(14)))
            for n in range(14)
        )
        charts = (Chart(kind="squares", series=series),)
    elif kind == "stack":
        parts = tuple(
            Point(y=estimate(0.25), label=kind, name=f"part that is {kind}")
            for kind in ("good", "poor", "other", "rest")
        )
        charts = tuple(Chart(kind="stack", title=f"{n} {LONG}", series=(Series(points=parts),)) for n in range(9))
    elif kind == "world":
        points = tuple(Point(y=estimate(0.5), label=place) for place in ("JP", "GB-SCT", "SG", "BR"))
        axis = Axis(title="b")
        charts = tuple(
            Chart(kind="world", title=f"{n} {LONG}", series=(Series(points=points, name=f"{n} {LONG}"),), axes=(axis,))
            for n in range(5)
        )
    else:
        points = tuple(Point(y=estimate(0.5, 0.3, 0.7), label=f"{n} {LONG}") for n in range(50))
        several = range(12 if kind == "heat" else 6)
        if kind == "heat":
            charts = (Chart(kind="interval", axes=(Axis(),),
                            series=tuple(Series(points=points, name=f"{n} {LONG}") for n in several)),)  # fmt: skip
        else:
            charts = tuple(Chart(kind="interval", title=f"{n} {LONG}", series=(Series(points=points),),
                                 axes=(Axis(mark=0.25),)) for n in several)  # fmt: skip
    return Figure(name=kind, title=f"What a crowd of {LONG} shows", kind=kind, charts=charts)  # type: ignore[arg-type]


KINDS = (
    "climbs", "curves", "plane", "square", "risk", "reliability", "squares", "boxes", "stack", "world", "heat",
    "interval",
)  # fmt: skip
OF_CELLS = {"scale", "stair", "key"}
"""Charts that stand in cells and in words, never alone."""


def test_every_kind_of_chart_that_stands_alone_on_a_page_can_be_drawn() -> None:
    assert {*get_args(ChartKind)} - OF_CELLS == {*KINDS} - {"heat"}


def few(kind: str) -> Figure:
    """A kind of figure with little on it."""
    (chart, *_) = crowded(kind).charts
    return replace(crowded(kind), charts=(replace(chart, series=chart.series[:2]),))


def drawn(figure: Figure) -> Sheet:
    """Its sheet as a reader has it."""
    with styled():
        sheet = draw(figure, GIVEN)
        sheet.figure.draw_without_rendering()  # words get their places; nothing is painted
    return sheet


@cache
def crowd(kind: str) -> Sheet:
    """The sheet of the worst that may come, drawn once for all that is said of it."""
    return drawn(crowded(kind))


@pytest.fixture(scope="module")
def of_ladder(ladder: Results) -> list[tuple[str, Sheet]]:
    """The names and sheets of a run's figures."""
    return [(figure.name, drawn(figure)) for figure in figures_of(ladder)]


def collisions(name: str, of: Sheet) -> Iterator[str]:
    """Words that cover each other, and words that leave the sheet."""
    sheet = of.figure
    with styled():
        found = [text for text in sheet.findobj(Text) if text.get_visible() and text.get_text()]
        boxes = [(text.get_text(), text.get_window_extent()) for text in found]
    for (one, a), (other, b) in combinations(boxes, 2):
        if min(a.x1, b.x1) - max(a.x0, b.x0) > 0.5 and min(a.y1, b.y1) - max(a.y0, b.y0) > 0.5:
            yield f"{name}: {one!r} covers {other!r}"
    for text, box in boxes:
        if box.x0 < 0 or box.y0 < 0 or box.x1 > sheet.bbox.x1 or box.y1 > sheet.bbox.y1:
            yield f"{name}: {text!r} leaves the sheet"


@pytest.mark.parametrize("kind", KINDS)
def test_no_words_cover_each_other_or_leave_the_sheet_however_many_and_long_they_are(kind: str) -> None:
    assert [*collisions(kind, crowd(kind))] == []


def test_no_words_of_a_run_cover_each_other_or_leave_the_sheet(
    of_ladder: list[tuple[str, Sheet]], talks: Results
) -> None:
    of_talks = [(figure.name, drawn(figure)) for figure in figures_of(talks)]
    assert [told for name, sheet in of_ladder + of_talks for told in collisions(name, sheet)] == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_figure_is_as_wide_as_one_column_or_two_and_says_that_it_is_simulated(kind: str) -> None:
    sheet = crowd(kind)
    assert sheet.width in {ONE, TWO}
    assert "Simulated: all answers" in " ".join(text.get_text() for text in sheet.figure.findobj(Text))


def test_every_figure_has_three_pictures_its_data_and_a_line_of_the_index(talks: Results) -> None:
    one = replace(talks, evaluations=talks.evaluations[:1])
    made = figures(one)
    names = {figure.name for figure in figures_of(one)}
    assert len(names) > 1
    assert {*made.files} == {f"{name}.{ending}" for name in names for ending in ("svg", "pdf", "png", "csv")} | {
        "figures.md"
    }
    listed = made.files["figures.md"].decode()
    for name in names:
        assert made.files[f"{name}.svg"].startswith(b"<?xml")
        assert made.files[f"{name}.pdf"].startswith(b"%PDF")
        assert made.files[f"{name}.png"].startswith(b"\x89PNG")
        assert f"| {name}: " in listed
    assert "Simulated: all answers" in listed


def test_a_run_has_its_leaderboard_ladder_map_table_in_shades_and_the_small_charts_of_its_tables(
    ladder: Results, talks: Results
) -> None:
    kinds = {figure.name: figure.kind for figure in figures_of(ladder)}
    assert kinds["leaderboard"] == "interval"
    assert kinds["summary-norms-kept-by-rung"] == "climbs"
    assert kinds["places-map-of-ladder-know"] == "world"
    assert kinds["places-ladder-know-by-place-and-group"] == "heat"
    assert kinds["thick-labels-and-reasons"] == "stack"
    assert {figure.kind for figure in figures_of(talks)} >= {"curves", "heat"}


def test_data_beside_a_figure_are_the_figures_of_the_run(talks: Results) -> None:
    (board, *_) = figures_of(talks)
    rows = [*csv.DictReader(io.StringIO(to_csv(board)))]
    wholes = {each.label: each.whole() for each in talks.evaluations}
    assert {row["label"].removesuffix(" †") for row in rows} == wholes.keys()
    for row in rows:
        whole = wholes[row["label"].removesuffix(" †")]
        assert whole is not None
        assert [row[name] for name in ("y", "low", "high", "asked", "n")] == [
            str(value) for value in (whole.value, whole.low, whole.high, whole.asked, whole.graded)
        ]


def test_only_models_whose_answers_were_made_up_are_marked(ladder: Results) -> None:
    mixed = replace(ladder, evaluations=ladder.on("ladder/know"))  # no judge was asked, so nothing of it is made up
    assert "answers of models with †" in who_is_simulated(mixed)
    (board, *_) = figures_of(mixed)
    labels = {point.label for chart in board.charts for series in chart.series for point in series.points}
    assert labels == {"simulated/uneven:refusal=.05,failure=.01 †", "baseline/random"}


@pytest.mark.parametrize("kind", ["climbs", "stack", "world"])
def test_the_same_figure_gives_the_same_bytes_whatever_a_user_has_set(kind: str) -> None:
    import matplotlib as mpl  # noqa: PLC0415

    figure = few(kind)
    before = dict(images(figure, GIVEN))
    with mpl.rc_context({"font.size": 20, "svg.hashsalt": None, "axes.facecolor": "red"}):
        assert dict(images(figure, GIVEN)) == before
        assert mpl.rcParams["font.size"] == 20


def test_fonts_are_embedded_and_nothing_of_the_day_is_in_a_file() -> None:
    made = dict(images(crowded("risk"), GIVEN))
    assert b"/FontFile2" in made["pdf"]
    assert b"CreationDate" not in made["pdf"]
    assert b"<text" not in made["svg"]
    assert b"dc:date" not in made["svg"]


def test_names_with_dollars_lines_and_unknown_letters_are_drawn_as_they_are() -> None:
    figure = replace(few("interval"), title="$x^2$ \x1b[31m\nnext 日本")
    charts = tuple(replace(chart, title="$\\frac{a}{$") for chart in figure.charts)
    assert b"%PDF" in dict(images(replace(figure, charts=charts), GIVEN))["pdf"]
    assert "<b>" not in index([replace(figure, title="<b>|`x`")], simulated="")


def test_a_long_table_is_parted_so_that_each_part_has_room_on_a_page(of_ladder: list[tuple[str, Sheet]]) -> None:
    assert all(sheet.height <= 9.5 for _, sheet in of_ladder)
    assert crowd("heat").height <= 9.5


def test_without_matplotlib_a_line_says_how_to_get_it(
    talks: Results, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(InputError, match=r"pip install '\.\[figures\]'"):
        figures(talks)
