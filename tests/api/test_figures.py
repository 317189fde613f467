"""Figures for a paper: every chart in three formats with its data, and words that never cover each other."""

import csv
import io
import re
import sys
from collections.abc import Iterator
from functools import cache
from itertools import combinations
from typing import NamedTuple, get_args
from xml.etree import ElementTree as ET

import pytest
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path
from msgspec.structs import replace

import mores
from mores.analysis.results import Results
from mores.core.estimate import Estimate
from mores.exports.figures import drawn, figures, index, to_csv, who_is_simulated
from mores.exports.figures.found import Figure, figures_of
from mores.exports.figures.sheet import INCH
from mores.exports.figures.typeset import typesetter
from mores.runs.loading import read_results
from mores.tables.blocks import Axis, Chart, ChartKind, ChartPoint, Series
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
                points=tuple(ChartPoint(y=estimate(0.5, 0.3, 0.7), marked=level == "live") for level in levels),
            )
            for n in range(24)
        )
        charts = (
            Chart(
                kind="climbs" if kind == "climbs" else "curves",
                series=series,
                axes=(Axis(labels=levels), Axis(title="norms kept", mark=0.0)),
            ),
        )
    elif kind in {"plane", "square"}:
        points = tuple(
            ChartPoint(x=estimate(0.5 + n / 900, 0.3, 0.7), y=estimate(0.5, 0.2, 0.8), label=f"{n}", name=f"{n} {LONG}")
            for n in range(45)
        )
        axes = (Axis(title="knew"), Axis(title="noticed"))
        charts = (Chart(kind="plane" if kind == "plane" else "square", series=(Series(points=points),), axes=axes),)
    elif kind in {"risk", "reliability"}:
        points = tuple(
            ChartPoint(x=estimate(r / 20), y=estimate(None if r == 1 and kind == "risk" else r / 30, 0, r / 15))
            for r in range(1, 9)
        )
        series = tuple(Series(name=f"{n} {LONG}", points=points) for n in range(4))
        axes = (Axis(title="level certified"), Axis(title="held-out loss"))
        charts = (Chart(kind="risk" if kind == "risk" else "reliability", series=series, axes=axes),)
    elif kind == "boxes":
        points = tuple(ChartPoint(y=estimate((n + 1) ** 2 / 100), label=f"{n} {LONG}") for n in range(9))
        series = tuple(Series(name=f"{n} {LONG}", points=points, marked=n % 2 == 1) for n in range(16))
        charts = (Chart(kind="boxes", series=series, axes=(Axis(),)),)
    elif kind == "squares":
        series = tuple(
            Series(name=f"{n} {LONG}", points=tuple(ChartPoint(y=estimate((n - m) / 20)) for m in range(14)))
            for n in range(14)
        )
        charts = (Chart(kind="squares", series=series),)
    elif kind == "stack":
        parts = tuple(
            ChartPoint(y=estimate(0.25), label=kind, name=f"part that is {kind}")
            for kind in ("good", "poor", "other", "rest")
        )
        charts = tuple(Chart(kind="stack", title=f"{n} {LONG}", series=(Series(points=parts),)) for n in range(9))
    elif kind == "world":
        points = tuple(ChartPoint(y=estimate(0.5), label=place) for place in ("JP", "GB-SCT", "SG", "BR"))
        axis = Axis(title="b")
        charts = tuple(
            Chart(kind="world", title=f"{n} {LONG}", series=(Series(points=points, name=f"{n} {LONG}"),), axes=(axis,))
            for n in range(5)
        )
    else:
        points = tuple(ChartPoint(y=estimate(0.5, 0.3, 0.7), label=f"{n} {LONG}") for n in range(50))
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


class Word(NamedTuple):
    """Words of a picture, and the room that they take on its sheet."""

    text: str
    left: float
    top: float
    right: float
    foot: float


def words_of(figure: Figure) -> tuple[list[Word], float, float]:
    """All words of a figure's SVG as they stand, and its width and height."""
    root = ET.fromstring(drawn(figure, GIVEN))
    width, height = map(float, root.attrib["viewBox"].split()[2:])
    return [*_words(root, (1, 0, 0), figure.kind)], width, height


def _words(at: ET.Element, frame: tuple[float, float, float], kind: str) -> Iterator[Word]:
    scale, left, top = frame
    turned = False
    for verb, values in re.findall(r"(\w+)\(([-\d. ]+)\)", at.get("transform", "")):
        numbers = [float(value) for value in values.split()]
        if verb == "translate":
            left, top = left + scale * numbers[0], top + scale * numbers[1]
        elif verb == "scale":
            scale *= numbers[0]
        else:
            turned = numbers == [-90]
    if at.tag.endswith("text") and at.text:
        size = size_of(at.get("class", ""), kind)
        wide, across = scale * width(at.text, size), scale * float(at.get("x", 0))
        x = left + across - {"middle": wide / 2, "end": wide}.get(at.get("text-anchor", ""), 0)
        y = top + scale * float(at.get("y", 0))
        high, deep = 0.72 * scale * size, 0.18 * scale * size
        yield (
            Word(at.text, x - high, y - wide, x + deep, y) if turned else Word(at.text, x, y - high, x + wide, y + deep)
        )
    for child in at:
        yield from _words(child, (scale, left, top), kind)


def size_of(words: str, kind: str) -> float:
    """The size of letters, as the style has it."""
    if words == "label":
        return 11.0 if kind in {"plane", "square", "boxes"} else 12.0
    if words != "said" and kind in {"climbs", "plane", "square"}:
        return 12.0
    return 12.0 if words.startswith("name") or words == "rung" else 11.0


@cache
def width(text: str, size: float) -> float:
    font = FontProperties(family="DejaVu Sans", size=size)
    return float(text_to_path.get_text_width_height_descent(text, font, ismath=False)[0])


@cache
def crowd(kind: str) -> tuple[list[Word], float, float]:
    """The words of the worst that may come, drawn once for all that is said of it."""
    return words_of(crowded(kind))


def collisions(found: list[Word], width: float, height: float) -> Iterator[str]:
    """Words that cover each other, and words that leave the sheet."""
    for a, b in combinations(found, 2):
        if min(a.right, b.right) - max(a.left, b.left) > 1 and min(a.foot, b.foot) - max(a.top, b.top) > 1:
            yield f"{a.text!r} covers {b.text!r}"
    for word in found:
        if word.left < 0 or word.top < 0 or word.right > width or word.foot > height:
            yield f"{word.text!r} leaves the sheet"


@pytest.mark.parametrize("kind", KINDS)
def test_no_words_cover_each_other_or_leave_the_sheet_however_many_and_long_they_are(kind: str) -> None:
    assert [*collisions(*crowd(kind))] == []


def test_no_words_of_a_run_cover_each_other_or_leave_the_sheet(ladder: Results, talks: Results) -> None:
    found = {figure.name: [*collisions(*words_of(figure))] for of in (ladder, talks) for figure in figures_of(of)}
    assert {name: told for name, told in found.items() if told} == {}


@pytest.mark.parametrize("kind", KINDS)
def test_a_figure_is_as_wide_as_one_column_or_two_and_says_that_it_is_simulated(kind: str) -> None:
    found, width, _ = crowd(kind)
    assert width / INCH in {3.3, 7.0}
    assert "Simulated: all answers" in " ".join(word.text for word in found)


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
        assert made.files[f"{name}.svg"].startswith(b"<svg")
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
    wholes = {each.label: each.overall() for each in talks.evaluations}
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
def test_the_same_figure_gives_the_same_bytes(kind: str) -> None:
    svg = drawn(few(kind), GIVEN)
    assert drawn(few(kind), GIVEN) == svg
    assert dict(typesetter()("title", svg)) == dict(typesetter()("title", svg))


def test_a_picture_bears_its_own_style_and_a_pdf_its_font_and_no_day() -> None:
    svg = drawn(crowded("risk"), GIVEN)
    made = dict(typesetter()("title", svg))
    assert "<style>" in svg
    assert "href" not in svg
    assert b"LibertinusSerif" in made["pdf"]
    assert b"/FontFile3" in made["pdf"]
    assert b"CreationDate" not in made["pdf"]


def test_names_with_marks_of_a_language_lines_and_unknown_letters_are_drawn_as_they_are() -> None:
    figure = replace(few("interval"), title="$x^2$ \x1b[31m\nnext </text> 日本")
    charts = tuple(replace(chart, title="#panic() <b>&\x07") for chart in figure.charts)
    svg = drawn(replace(figure, charts=charts), GIVEN)
    texts = {each.text for each in ET.fromstring(svg).iter() if each.tag.endswith("text")}
    assert "#panic() <b>&\\u0007" in texts
    assert b"%PDF" in dict(typesetter()("#title", svg))["pdf"]
    assert "<b>" not in index([replace(figure, title="<b>|`x`")], simulated="")


def test_a_score_below_the_scale_widens_it() -> None:
    def low(value: float) -> Figure:
        points = (
            ChartPoint(y=estimate(value, value - 0.1, value + 0.1), label="a"),
            ChartPoint(y=estimate(0.5), label="b"),
        )
        chart = Chart(kind="interval", series=(Series(points=points),), axes=(Axis(mark=0.0),))
        return Figure(name="low", title="Low", kind="interval", charts=(chart,))

    assert guessing(low(0.3)) == 4.0
    assert guessing(low(-0.4)) > 60


def guessing(figure: Figure) -> float:
    """Where the line of guessing stands in its panel."""
    (line, *_) = re.findall(r'class="chance" d="M([\d.]+) ', drawn(figure, GIVEN))
    return float(line)


def test_a_long_table_is_parted_so_that_each_part_has_room_on_a_page(ladder: Results) -> None:
    assert all(words_of(figure)[2] <= 9.5 * INCH for figure in figures_of(ladder))
    assert crowd("heat")[2] <= 9.5 * INCH


def test_without_typst_there_are_svg_and_data_and_a_line_says_what_brings_the_others(
    talks: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "typst", None)
    made = figures(talks)
    assert {name.rpartition(".")[2] for name in made.files} == {"svg", "csv", "md"}
    assert "pdf" not in made.files["figures.md"].decode()
    assert any(re.search(r"PDF and PNG: .*pip install '\.\[figures\]'", line) for line in made.left_out)
