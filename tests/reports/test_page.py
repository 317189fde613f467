"""The page: whole in itself, true to the estimates, deaf to what models and data say."""

import json
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import pytest

from mores.analysis.results import Results
from mores.core.errors import InputError
from mores.reports.page import write_page
from mores.runs.loading import read_results
from mores.tables import formatting
from mores.tables.missing_texts import format_missing
from tests.reports.browsed import answers, browsed
from tests.reports.conftest import SPOKEN, Held
from tests.reports.shown import words_on

FETCHING = {"src", "href", "srcset", "action", "data", "poster", "background", "xlink:href", "formaction"}


class Parts(HTMLParser):
    """All tags with their attributes, and all text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(words_on(page))
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())


@pytest.fixture(scope="module")
def page(found: Results, tmp_path_factory: pytest.TempPathFactory) -> str:
    return written(found, tmp_path_factory.mktemp("page") / "report.html")


def written(found: Results, path: Path) -> str:
    write_page(found, path)
    return path.read_text(encoding="utf-8")


def test_it_fetches_nothing(page: str) -> None:
    for tag, attributes in Parts(page).tags:
        assert tag not in {"link", "iframe", "object", "embed", "base", "img"}
        for name in FETCHING & set(attributes):
            value = attributes[name] or ""
            assert value.startswith("#") or (tag == "a" and value.startswith("https://arxiv.org/abs/"))
    assert "@import" not in page
    assert not re.search(r"url\((?!#)", page)
    assert "default-src &#39;none&#39;" in page


def test_what_a_model_says_stays_words(spoken: Path, tmp_path: Path) -> None:
    page = written(read_results([spoken]), tmp_path / "report.html")
    assert SPOKEN not in page
    parts = Parts(page)
    assert SPOKEN in browsed(spoken).said["culturalbench/easy", "easy-0"][0].lines[-1][1]
    assert [attributes for tag, attributes in parts.tags if tag == "script" and "type" not in attributes] == [{}]
    assert "img" not in [tag for tag, _ in parts.tags]


def test_headlines_are_the_estimates(page: str, found: Results) -> None:
    text = Parts(page).text
    for evaluation in found.evaluations:
        whole = evaluation.overall()
        assert whole is not None
        assert f"{formatting.format_number(whole.value)} {formatting.format_interval(whole)}" in text
        assert f"n {formatting.format_graded(whole)}" in text


def test_each_group_stands_in_the_table_with_its_figure(page: str, found: Results) -> None:
    rows = [Parts(row).text for row in re.findall(r"<tr.*?</tr>", page, re.DOTALL)]
    for evaluation in found.evaluations:
        for kind in evaluation.kinds:
            for value, estimate in evaluation.by(kind).items():
                name, told = formatting.group_name(kind, value), f"{formatting.format_number(estimate.value)} "
                assert any(row.startswith(name) and told in row for row in rows)


def test_too_few_is_flagged_with_its_reason(held: Held, tmp_path: Path) -> None:
    run = held("ladder/judge", models=("simulated/typical:judge=.2",), limit=60, samples=3, temperature=1.0)
    found = read_results([run])
    reasons = {
        format_missing(e.missing) for e in found.evaluations[0].estimates if e.metric == "accuracy" and e.missing
    }
    assert any(reason.startswith("too few") for reason in reasons)
    text = Parts(written(found, tmp_path / "report.html")).text
    assert "% too few n" in text
    assert all(reason in text for reason in reasons)


def test_the_family_of_places_is_counted(page: str) -> None:
    # Six places have 6 · 5 / 2 pairs.
    assert "shows 6 places, 15 pairs to compare" in Parts(page).text


def test_what_was_made_up_is_said_in_words(page: str, held: Held, tmp_path: Path) -> None:
    assert formatting.SIMULATED in Parts(page).text
    assert "No model was asked." in Parts(page).text
    assert "25% throughout in BD" in Parts(page).text
    run = held("ladder/judge", models=("baseline/random",), limit=9)
    text = Parts(written(read_results([run]), tmp_path / "other.html")).text
    assert "made up" not in text
    assert "A baseline: it picks one of the possible answers at random" in text


def test_provenance_is_traced(page: str, found: Results) -> None:
    text = Parts(page).text
    for evaluation in found.evaluations:
        traced = evaluation.provenance
        assert all(sha in text for sha in traced.prompts.values())
        assert traced.spec_hash in text
        assert str(evaluation.folder) in text


def test_data_and_departures_are_named(held: Held, cultural: Path, tmp_path: Path) -> None:
    run = held("culturalbench/easy", models=("baseline/first",), data=str(cultural), shuffle=True)
    found = read_results([run])
    text = Parts(written(found, tmp_path / "report.html")).text
    assert "options shuffled True (published False)" in text
    assert next(iter(found.evaluations[0].provenance.data.values()))[:16] in text


def test_cost_and_what_an_endpoint_would_not_take_are_told(held: Held, tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(held("ladder/judge", limit=9), run)
    manifest = json.loads((run / "manifest.json").read_text(encoding="utf-8"))
    passage = manifest["models"]["simulated/typical"]
    passage |= {"altered": ["temperature was left out"], "price": {"table": "prices 1.0", "per_token": [0.01, 0.02]}}
    (run / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    text = Parts(written(read_results([run]), tmp_path / "report.html")).text
    sat = passage["sitting"]
    assert f"at most ${0.01 * sat['input_tokens'] + 0.02 * sat['output_tokens']:.4f} (prices 1.0)" in text
    assert "temperature was left out" in text


def test_a_benchmark_that_nobody_here_knows_still_has_a_page(held: Held, tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(held("ladder/judge", limit=9), run)
    manifest = (run / "manifest.json").read_text(encoding="utf-8")
    (run / "manifest.json").write_text(manifest.replace('"ladder/judge"', '"strange/thing"'), encoding="utf-8")
    found = read_results([run])
    whole = found.evaluations[0].overall()
    assert found.evaluations[0].card is None
    assert whole is not None
    assert formatting.format_number(whole.value) in Parts(written(found, tmp_path / "report.html")).text


def test_it_says_how_many_items_are_there(spoken: Path, tmp_path: Path) -> None:
    text = Parts(written(read_results([spoken]), tmp_path / "report.html")).text
    assert "All 24 items with the answers of all models" in text
    # Of 24 questions one is right, two have unusable answers, and 21 have none.
    assert answers(spoken) == {"right": 1, "format error": 2, "ungraded": 21}


def test_the_same_run_gives_the_same_page(found: Results, page: str, tmp_path: Path) -> None:
    assert written(found, tmp_path / "again.html") == page


def test_tables_can_be_read_aloud(page: str) -> None:
    parts = Parts(page)
    assert all(attributes.get("scope") in {"col", "row", "rowgroup"} for tag, attributes in parts.tags if tag == "th")
    assert all(
        "aria-hidden" in attributes or attributes.get("aria-label") for tag, attributes in parts.tags if tag == "svg"
    )
    ids = [attributes["id"] for _, attributes in parts.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    links = [attributes["href"] or "" for tag, attributes in parts.tags if tag == "a"]
    assert {link[1:].partition("?")[0] for link in links if link.startswith("#")} <= set(ids)


def test_the_ladder_is_corrected_for_chance(page: str, found: Results) -> None:
    evaluation = found.on("ladder/judge")[0]
    whole = evaluation.overall()
    assert whole is not None
    assert whole.value is not None
    # A third is guessed right: (s - 1/3) / (2/3).
    assert formatting.format_number((whole.value - 1 / 3) / (2 / 3)) in Parts(page).text
    assert "The ladder breaks at the first rung" in Parts(page).text


def test_a_page_within_a_file_is_the_callers_input(found: Results, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").touch()
    with pytest.raises(InputError, match="is not a folder; name another"):
        write_page(found, tmp_path / "notes.txt" / "report.html")
