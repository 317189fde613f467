"""Places by model: a map that says what it does not know, and tables that say the same."""

import re

import pytest

from mores.analysis.results import Results
from mores.core.estimate import Estimate
from mores.norms.places import places
from mores.reports.charts import drawn
from mores.reports.charts.world import OUTLINES, country_of, outlines, shade_of
from mores.reports.page.write import render
from mores.tables.blocks import Axis, Chart, ChartPoint, Series
from mores.tables.formatting import format_number, group_name

ROOM = 120_000
"""Bytes of the map."""
MISSING = {"AQ", "BQ", "BV", "CC", "CX", "GF", "GP", "MQ", "RE", "SJ", "TK", "YT"}
"""Codes without an outline of their own: nobody lives there, or Natural Earth draws them with their country."""


@pytest.fixture(scope="module")
def page(found: Results) -> str:
    return render(found)


def section(page: str) -> str:
    return page.partition('<section id="places"')[2].partition("</section>")[0]


def figure(value: float | None, low: float | None = None, high: float | None = None) -> Estimate:
    return Estimate(metric="accuracy", value=value, low=low, high=high, asked=9, graded=9)


def world(**figures: Estimate | None) -> str:
    points = tuple(ChartPoint(y=each, label=place.replace("_", "-")) for place, each in figures.items())
    series = Series(points=points, name="a/model")
    return drawn(Chart(kind="world", title="Figures", series=(series,), axes=(Axis(title="odd/tea"),)))


def test_every_country_has_an_outline() -> None:
    countries = {place.id for place in places() if place.parent is None}
    assert countries - outlines().keys() == MISSING
    assert OUTLINES.stat().st_size < ROOM


def test_every_asked_place_can_be_reached_and_stands_in_the_table(page: str, found: Results) -> None:
    shown = section(page)
    for place, estimate in found.evaluations[0].by("place").items():
        link = re.search(rf'<a href="#place-{place}"[^>]*aria-label="([^"]+)"', shown)
        assert link is not None
        assert link[1].startswith(group_name("place", place))
        row = re.search(rf'<tr id="place-{place}".*?</tr>', shown, re.DOTALL)
        assert row is not None
        assert f">{format_number(estimate.value, sign=False)}<" in row[0]
    assert shown.count('class="asked') == len(found.evaluations[0].by("place"))


def test_places_that_were_not_asked_are_hatched() -> None:
    drawn_ = world(JP=figure(0.5, 0.4, 0.6))
    hatched = re.search(r'class="unasked" d="([^"]+)"', drawn_)
    assert hatched is not None
    assert outlines()["FR"].way in hatched[1]
    assert outlines()["JP"].way not in hatched[1]


def test_a_place_without_a_figure_for_a_model_says_so() -> None:
    one, other = Series(points=(ChartPoint(y=figure(0.5, 0.4, 0.6), label="JP"),)), Series(points=())
    told = drawn(Chart(kind="world", series=(one, other), axes=(Axis(), Axis())))
    assert 'data-shades="h5,blank"' in told
    assert "|Japan: not asked" in told


@pytest.mark.parametrize(
    ("estimate", "shade"),
    [
        (figure(0.0, 0.0, 0.1), "h0"), (figure(1.0, 0.9, 1.0), "h9"), (figure(0.7, 0.6, 0.8), "h7"),
        (figure(0.5, 0.1, 0.9), "few"), (figure(None), "blank"),
    ],
)  # fmt: skip
def test_shades_stand_for_figures_that_say_something(estimate: Estimate, shade: str) -> None:
    assert shade_of(estimate, Axis()) == shade


def test_a_country_of_which_a_part_was_asked_is_not_taken_for_the_whole() -> None:
    told = world(GB_SCT=figure(0.5, 0.4, 0.6))
    assert 'class="asked parts h5"' in told
    assert 'aria-label="Scotland: ' in told
    assert "only parts of it asked" in told
    assert "only parts of it asked" not in world(GB=figure(0.5, 0.4, 0.6), GB_SCT=figure(0.9, 0.8, 1.0))


def test_what_is_on_no_map_has_no_country() -> None:
    assert country_of("no such place") is None
    assert country_of("GB-SCT") == "GB"


def test_places_stand_under_their_regions(page: str) -> None:
    table = section(page).partition("<table")[2].partition("</table>")[0]
    names = re.findall(r'data-kind="(region|place)"><th[^>]*>([^<]+)<', table)
    assert ("region", "East Asia") in names
    assert names.index(("place", "Japan")) == names.index(("region", "East Asia")) + 1


def test_all_figures_of_a_table_have_their_interval_and_n_beside(page: str) -> None:
    cells = re.findall(r'<td class="num heat[^"]*">(.*?)</td>', section(page))
    assert cells
    assert all(re.search(r'title="[\d.]+% [^"]*n \d+', cell) for cell in cells)


def test_every_outline_is_a_path_that_a_browser_can_read() -> None:
    number = r"(?:-?[0-9]+)"
    ring = rf"M{number} {number}(?:l{number}(?: ?{number})(?: ?{number} ?{number})*)?z"
    for place, outline in outlines().items():
        assert re.fullmatch(f"(?:{ring})*", outline.way), place
