"""The first screen of a page: what was asked, who is ahead and how sure that is, in few words."""

import re
from collections.abc import Iterator
from html import unescape
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest

from mores.analysis.results import Results
from mores.reports.page.glossary import Glossary, terms
from mores.reports.page.write import render
from mores.reports.sections_list import findings_of, leaderboard_of
from mores.runs.loading import read_results
from mores.tables import formatting
from tests.bundled import LIVED, counted, some_places
from tests.reports.conftest import Held
from tests.reports.shown import words_on

PLACES = ("CO", "GR", "JP", "KE")
FOUR = tuple(f"simulated/{name}" for name in ("typical", "uneven", "expert", "novice"))


class Visible(HTMLParser):
    """The words that stand on a page before anything is opened."""

    VOID = frozenset({"meta", "input", "br", "path", "circle", "rect"})

    def __init__(self, page: str) -> None:
        super().__init__()
        self.words: list[str] = []
        self._open: list[tuple[str, bool]] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in self.VOID:
            closed = tag == "details" and "open" not in dict(attrs)
            self._open.append((tag, closed or tag in {"style", "script", "title"}))

    def handle_endtag(self, tag: str) -> None:
        while tag not in self.VOID and self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        summed_up = {number for number, (tag, _) in enumerate(self._open) if tag == "summary"}
        if not any(hidden and number + 1 not in summed_up for number, (_, hidden) in enumerate(self._open)):
            self.words += data.split()


@pytest.fixture(scope="module")
def four(held: Held, tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Four models on the whole ladder, of a pack of four places."""
    pack = some_places(tmp_path_factory.mktemp("four") / "pack", PLACES)
    return read_results([held("ladder", models=FOUR, roles=ROLES, data=str(pack))])


ROLES = {"judge": "simulated/judge", "antagonist": "simulated/tempter", "supporter": "simulated/tempter"}


@pytest.fixture(scope="module")
def page(four: Results) -> str:
    return render(four)


def first_screen(page: str) -> str:
    return page.partition("<body>")[2].partition('<section id="places"')[0]


def texts(html: str) -> str:
    return " ".join(re.sub("<[^>]+>", " ", words_on(html)).split())


def assert_short(page: str, words: int, size: int) -> None:
    assert len(Visible(page).words) < words
    assert len(page.encode()) < size


def test_the_ladder_of_four_models_is_told_in_few_words(page: str) -> None:
    assert_short(page, words=1_500, size=3_000_000)


@pytest.mark.soak
def test_the_ladder_of_four_models_on_the_whole_pack_is_told_in_few_words(held: Held) -> None:
    assert_short(render(read_results([held("ladder", models=FOUR, roles=ROLES)])), words=6_000, size=6_500_000)


def test_a_page_is_titled_by_what_was_measured(page: str) -> None:
    title = "Ladder (know, judge, explain, apply, converse, live): 4 models"
    assert f"<title>{title} · mores</title>" in page
    assert f"<h1>{title}</h1>" in page


def test_the_first_screen_says_what_was_asked(page: str) -> None:
    told = texts(first_screen(page))
    assert formatting.SIMULATED.partition(": ")[2] in told
    norms, lived = counted(PLACES), sum(norm.startswith(PLACES) for norm in LIVED)
    assert f"{2 * norms} questions: ladder/know {2 * norms} scenes: ladder/judge" in told
    assert f"{norms} norms: ladder/explain and converse {lived} norms: ladder/apply and live" in told
    assert "4: Colombia, Greece, Japan, Kenya" in told
    assert "judge simulated/judge" in told
    assert "none: all ran as the benchmarks were published" in told


def test_limits_places_and_departures_stand_on_the_first_screen(found: Results, held: Held) -> None:
    told = texts(first_screen(render(found)))
    assert "60 norms, limited to 60" in told or "limited to 60" in told
    assert "6 chosen by --places: Brazil, Germany, India, Indonesia, Japan, Nigeria" in told
    warm = held("ladder/judge", limit=9, temperature=1.0)
    assert "temperature 1.0 (published: 0.0): ladder/judge" in texts(first_screen(render(read_results([warm]))))


def rows(page: str) -> list[str]:
    table = page.partition('id="leaderboard"')[2].partition("</table>")[0]
    return [texts(row) for row in re.findall(r"<tr>.*?</tr>", table, re.DOTALL)[1:]]


def test_the_leaderboard_has_every_figure_with_interval_n_and_rank(page: str, four: Results) -> None:
    board = leaderboard_of(four)
    shown = rows(page)
    assert [row.partition(" ")[0] for row in shown] == [row.label for row in board.rows]
    for row, told in zip(board.rows, shown, strict=True):
        for cell in row.cells:
            assert cell is not None
            assert cell.figure is not None
            assert cell.rank is not None
            band = "".join(span.text for span in formatting.banded(cell.figure, None))
            interval = formatting.format_interval(cell.figure)
            figure = " ".join(filter(None, (formatting.format_number(cell.figure.value), interval, band.strip())))
            assert f"{figure} n {formatting.format_graded(cell.figure)}, rank {cell.rank.value}" in told


def test_figures_on_the_scale_of_a_family_are_said_to_be_no_headlines(page: str, held: Held) -> None:
    told = (
        "Figures of know, judge, explain, apply, converse, live are norms kept, 0% guessing at know and judge, no norm "
        "kept elsewhere; headlines stand"
    )
    assert told in texts(first_screen(page))
    assert "headlines stand" not in texts(first_screen(render(read_results([held("ladder/know", limit=9)]))))


def test_several_runs_stand_in_one_leaderboard(found: Results, held: Held) -> None:
    more = held("ladder/know", models=("baseline/first",), limit=60)
    shown = rows(render(read_results([*found.runs, more])))
    assert len(shown) == 3
    assert sum("baseline/first" in row and row.count("not asked") == 1 for row in shown) == 1


def test_one_picture_has_the_ladder_of_all_models(page: str) -> None:
    picture = re.search(r'<figure class="climbs">.*?</figure>', page, re.DOTALL)
    assert picture is not None
    assert page.count('class="climbs"') == 1
    names = re.findall(r'class="label"[^>]*y="([\d.]+)"[^>]*>([^<]+)<', picture[0])
    assert {name for _, name in names} == set(FOUR)
    heights = sorted(float(y) for y, _ in names)
    assert all(low + 12 < high for low, high in pairwise(heights))
    colours = set(re.findall(r"mark r(\d)", picture[0]))
    assert len(colours) == len(FOUR)


def test_findings_stand_on_the_first_screen(page: str, four: Results) -> None:
    told = "".join(unescape(texts(first_screen(page))).split())
    for finding in findings_of(four)[:3]:
        assert "".join(formatting.text_of(finding.words).split()) in told


def test_benchmarks_are_folded_until_they_are_opened(page: str, four: Results) -> None:
    for name in four.benchmarks:
        section = page.partition(f'<section id="{name.replace("/", "-")}"')[2]
        assert section.partition("<h2")[0].split("\n")[1] == '<details class="part"><summary>'


def anchors(page: str) -> Iterator[str]:
    return (link for link in re.findall(r'href="#([^"?]+)', page))


def test_terms_lead_to_a_glossary(page: str) -> None:
    used = {link for link in anchors(page) if link.startswith("term-")}
    assert {"term-interval", "term-rank", "term-norm"} <= used
    listed = unescape(page.partition('<section id="glossary"')[2])
    assert all(f'<dt id="{term.id}">{term.name}</dt><dd>{term.says}</dd>' in listed for term in terms())


def test_a_metric_with_the_name_of_a_term_is_another_thing() -> None:
    assert Glossary().mark("The model falls in “courtesy”.") == "The model falls in “courtesy”."
    assert 'href="#term-courtesy"' in Glossary().mark("What is kept without its place is courtesy.")


def test_a_name_is_no_term(held: Held, tmp_path: Path) -> None:
    run = held("ladder/judge", models=("simulated/typical:judge=.5",), limit=60)
    assert not re.search(r'class="model">[^<]*<a class="term"', render(read_results([run])))
