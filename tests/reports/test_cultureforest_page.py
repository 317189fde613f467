"""The section of the page, its lines and its plain values."""

import json
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest

from mores.analysis.results import Result
from mores.benchmarks.cultureforest.analysis import CultureForest, cultureforest, result_of
from mores.benchmarks.shapes.adherence.analysis import OPEN_ANSWERS_ANALYSIS, analyse
from mores.core.estimate import Estimate
from mores.runs.loading import read_results
from mores.tables import section_of
from mores.tables.formatting import format_difference
from tests.benchmarks.plays import TINY
from tests.bundled import MANY
from tests.reports import shown
from tests.reports.conftest import Held
from tests.reports.regime_cells import easy, evaluation, hard, lacked, medium, possessed, results, section

PLACES = ("JP", "NG", "BR", "DE", "IN", "ID")
HOSTILE = '<img src=x onerror="alert(1)">{{ it }}'
KEPT, OPEN, BROKEN = (1, 0, 0), (0, 1, 0), (0, 0, 1)
MODES = tuple(f"cultureforest/{mode}" for mode in ("easy", "medium", "hard", "knowledge", "informed"))


class Parts(HTMLParser):
    """All tags with their attributes, and all text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())


def laid_out(found: CultureForest) -> str:
    return shown.laid_out(section(found))


def made(*evaluations: Result) -> CultureForest:
    found = cultureforest(results(*evaluations))
    assert found is not None
    return found


def everything(folder: Path, model: str, turn: int = 0, **wished: object) -> list[Result]:
    """A model in all modes over 24 questions at six places; `turn` shifts which places it is good at."""
    asked = [(f"q{n}", PLACES[n % 6], n) for n in range(24)]
    right = {q: int((n + turn) % 6 < 3 or n < 6) for q, _, n in asked}
    said = {f"{q}-{suffix}": f"{model} says so." for q, _, _ in asked for suffix in ("easy", "medium-1", "medium-4")}
    of = {
        "easy": [v for q, at, _ in asked for v in easy(q, (1, 1, 1), place=at)],
        "medium": [v for q, at, _ in asked for v in medium(q, (right[q],) * 3, place=at)],
        "informed medium": [v for q, at, _ in asked for v in medium(q, (1,) * 3, place=at)],
        "hard": [v for q, at, n in asked for v in hard(q, [KEPT, OPEN if right[q] else BROKEN, KEPT], place=at)],
        "knowledge": [
            v for q, _, n in asked for k in (1, 2, 3) for v in (possessed if n % 4 >= k else lacked)(f"{q}.{k}")
        ],
    }
    return [evaluation(folder, model, mode, verdicts, said=said, **wished) for mode, verdicts in of.items()]  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> CultureForest:
    folder = tmp_path_factory.mktemp("forest")
    return made(*[c for n, model in enumerate(("one", "two", "three")) for c in everything(folder, model, n)])


def test_all_parts_stand_on_the_page(whole: CultureForest) -> None:
    text = Parts(laid_out(whole)).text
    for heading in (
        "Accuracy as help is removed",
        "With the norms in the prompt",
        "Gaps between regions, compared with chance",
        "Does the ranking depend on the weights?",
        "Agreement of models about regions",
        "Knowing and using",
        "Right answers without the knowledge",
    ):
        assert heading in text


def test_families_are_counted_in_words(whole: CultureForest) -> None:
    text = Parts(laid_out(whole)).text
    assert "corrected by Holm for the 3 models tested" in text
    assert "corrected by Holm for 3 tests" in text
    assert "(easy 3, hard 3, medium 3)" in text
    assert "not corrected for the 3 pairs" in text


def test_every_difference_stands_with_its_interval_and_n(whole: CultureForest) -> None:
    text = Parts(laid_out(whole)).text
    for change in (*whole.levels.drops, *whole.levels.gained):
        told = format_difference(change)
        assert told in text
        assert re.fullmatch(r"[+−]?\d+\.\d \[[+−]?\d+\.\d, [+−]?\d+\.\d\]", told)
    assert {(row["units"], row["clusters"]) for row in shown.data(section(whole))["forest_drops"]} == {(24, 24)}


def test_our_reading_of_polarization_is_marked_as_ours(whole: CultureForest) -> None:
    assert "our reading, as the published equation is lost" in Parts(laid_out(whole)).text


def test_too_few_models_for_outliers_is_said(whole: CultureForest) -> None:
    assert "too few models to name any (3; quartiles need 4)" in Parts(laid_out(whole)).text


def test_the_models_own_words_can_be_read(whole: CultureForest) -> None:
    text = Parts(laid_out(whole)).text
    assert "two says so." in text
    assert "Thought of q0-medium-1." in text


def test_it_can_be_read_aloud(whole: CultureForest) -> None:
    parts = Parts(laid_out(whole))
    assert all(attributes.get("scope") in {"col", "row"} for tag, attributes in parts.tags if tag == "th")
    assert all("aria-hidden" in of or of.get("aria-label") for tag, of in parts.tags if tag == "svg")
    ids = [attributes["id"] for _, attributes in parts.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert all((name or "").startswith("forest") for name in ids)
    assert not any("style" in attributes for _, attributes in parts.tags)  # the page's policy allows none


def test_the_picture_and_the_table_say_the_same(whole: CultureForest) -> None:
    page = laid_out(whole)
    (rho,) = [a.correlations[0][1] for a in whole.agreements if a.mode == "medium"]
    assert rho is not None
    told = f"{abs(rho):.2f}"
    sign = "−" if rho < 0 else ""
    assert f">{sign}{told.removeprefix('0')}</text>" in page
    assert f">{sign}{told}</td>" in page


def test_hostile_words_stay_words(tmp_path: Path) -> None:
    evaluations = [c for name in (HOSTILE, "b") for c in everything(tmp_path, name)]
    page = laid_out(made(*evaluations))
    assert HOSTILE not in page
    parts = Parts(page)
    assert "img" not in {tag for tag, _ in parts.tags}
    assert HOSTILE in " ".join(parts.texts)


def test_what_was_made_up_is_marked_in_every_part(tmp_path: Path) -> None:
    evaluations = everything(tmp_path, "mine", simulated=True)
    found = made(*evaluations, *everything(tmp_path, "real", 1))
    page = laid_out(found)
    assert "were made up" in Parts(page).text
    for row in re.findall(r"<tr>.*?</tr>", page, re.DOTALL):
        if '<th scope="row"' in row and '<span class="model">mine</span>' in row:
            assert "simulated" in row
    assert all("simulated" in line for line in shown.printed(section(found)) if "mine" in line)


def test_plain_values_hold_what_the_page_shows(whole: CultureForest) -> None:
    plain = shown.data(section(whole))
    assert [row["tests"] for row in plain["forest_drops"]] == [3, 3, 3]
    assert [row["tests"] for row in plain["forest_gains"]] == [3, 3, 3]
    assert Counter(row["mode"] for row in plain["forest_splits"]) == {"medium": 3, "hard": 3}
    assert len(plain["forest_right_without_knowing"]) == 6
    drop = plain["forest_drops"][0]
    assert {"easy", "medium", "drop", "low", "high", "p", "p_holm", "units", "clusters"} <= set(drop)
    assert "NaN" not in json.dumps(plain)


def test_a_missing_figure_or_interval_says_why(whole: CultureForest) -> None:
    filled = result_of(whole).tables
    figures = [value for each in filled for row in each.rows for value in row if isinstance(value, Estimate)]
    assert len(figures) > 50
    assert all(each.missing for each in figures if each.value is None or each.low is None)


def test_lines_are_a_line_a_finding(whole: CultureForest) -> None:
    lines = list(shown.printed(section(whole)))
    assert all("\n" not in line for line in lines)
    assert sum(line.strip().startswith(("one ", "two ", "three ")) for line in lines) > 9
    assert any(line.strip().startswith("All domains ") for line in lines)


def test_one_question_of_one_model_makes_a_page_without_claims(tmp_path: Path) -> None:
    found = made(evaluation(tmp_path, "m", "easy", easy("q", (None,))))
    text = Parts(laid_out(found)).text
    assert (len(found.gaps), len(found.agreements), len(found.steadiness)) == (0, 0, 0)
    assert "Knowing and using" not in text
    assert list(shown.printed(section(found)))


def test_a_run_of_every_mode_is_read_from_its_folder(held: Held) -> None:
    run = held(*MODES, models=("simulated/typical", "simulated/expert"), data=str(TINY / "cultureforest"))
    found = cultureforest(read_results([run]))
    assert found is not None
    assert found.simulated
    assert found.levels.modes == ("easy", "medium", "hard")
    assert [gain.mode for gain in found.levels.gains] == ["medium", "medium"]
    assert {d.mode for d in found.gaps} == {"easy", "medium", "hard"}
    assert {s.strictness for s in found.standings} == {"no", "sometimes"}
    for use in found.using.uses:
        assert (use.questions, use.left_out) == (9, 0)
    for d in found.gaps:  # the run's own figures, with their p
        (evaluation_,) = [c for c in read_results([run]).on(f"cultureforest/{d.mode}") if c.model == d.name]
        gap = evaluation_.overall("region_gap")
        assert gap is not None
        assert d.gap == gap.value
        assert d.p == gap.p
    assert "Right answers without the knowledge" in Parts(laid_out(found)).text


def test_the_ladders_open_rung_has_a_section_of_its_own(held: Held) -> None:
    run = held("ladder/apply", places=MANY, models=("simulated/typical", "simulated/expert"))
    results = read_results([run])
    assert cultureforest(results) is None
    result = analyse(results)
    assert result is not None
    found = section_of(OPEN_ANSWERS_ANALYSIS, result)
    plain = shown.data(found)
    assert {each["mode"] for each in plain["open_answers_agreement"]} == {"apply"}
    assert [row["model"] for row in plain["open_answers"]] == ["simulated/typical", "simulated/expert"]
    for row, evaluation_ in zip(plain["open_answers"], results.evaluations, strict=True):
        score, kept = evaluation_.overall("norm_score"), evaluation_.overall("accuracy")
        assert score is not None
        assert kept is not None
        assert (row["norm_score"], row["low"], row["norms_kept_to"]) == (score.value, score.low, kept.value)
    text = Parts(shown.laid_out(found)).text
    assert "Norms kept, left open or broken in open answers" in text
    assert "Right answers without the knowledge" not in text
