"""What models of finished runs say of the items themselves: on the page, in the terminal, as a table, for programs."""

import csv
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from mores.analysis.items import ItemFlag, ItemRow, ItemTable, item_tables
from mores.analysis.odd_items import analyse
from mores.analysis.results import Results
from mores.cli.app import app
from mores.core.errors import InputError
from mores.core.estimate import SEPARATE, Estimate
from mores.core.verdict import Graded, Ungraded, Verdict
from mores.reports.page import write_page
from mores.runs.loading import read_results
from mores.tables.missing_texts import format_missing
from tests.reports.conftest import Held
from tests.reports.made import Made, about, run_of

Screen = pytest.CaptureFixture[str]
QUESTIONS = 30


def verdicts(said: Sequence[str | None], keys: Sequence[str], apart: Sequence[str] = ()) -> list[Verdict]:
    found: list[Verdict] = []
    for n, (label, key) in enumerate(zip(said, keys, strict=True)):
        where = replace(about(f"q{n}", place="GE"), groups={SEPARATE: "boundary"} if f"q{n}" in apart else {})
        if label is None:
            found.append(Ungraded(about=where, sample=0, task="strict", cause="timeout", gold=key))
        else:
            right = float(label == key)
            found.append(Graded(about=where, sample=0, task="strict", points=right, label=label, gold=key))
    return found


def run(folder: Path, models: int, family: str = "", apart: Sequence[str] = ()) -> Path:
    """Models ever better, by name; q0's key is wrong, q1 nobody and q2 everybody has."""
    rng, made = np.random.default_rng(2), []
    keys = ["A", "D", *"ABC" * 10][:QUESTIONS]
    for number in range(models):
        known = rng.random(QUESTIONS) < 0.3 + 0.65 * number / models
        said: list[str | None] = [
            key if knows else str(rng.choice([each for each in "ABC" if each != key]))
            for key, knows in zip(keys, known, strict=True)
        ]
        said[:3] = ["A" if number == 0 else "B", "ABC"[number % 3], keys[2]]
        if number == 1:
            said[3] = None
        facts = {"facts": {"family": family}} if family else {}
        made.append(Made(model=f"openai/m{number:02}", benchmark="odd/tea", verdicts=verdicts(said, keys, apart),
                         figures={"accuracy": 0.5}, also=facts))  # fmt: skip
    return run_of(folder, *made)


@pytest.fixture(scope="module")
def dozen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run(tmp_path_factory.mktemp("items") / "run", 12)


def table(results: Results) -> ItemTable:
    (found,) = item_tables(results)
    return found


def rows(run: Path) -> dict[str, ItemRow]:
    return {row.item: row for row in table(read_results([run])).rows}


def test_a_wrong_key_is_seen_by_what_better_models_say(dozen: Path) -> None:
    row = rows(dozen)["q0"]
    assert row.rival is not None
    assert (row.rival.key, row.rival.keyed, row.rival.label, row.rival.models) == ("A", 1, "B", 11)
    assert row.rival.p < 0.01
    assert ItemFlag.RIVAL in row.flags
    assert (row.models, row.right) == (12, 1)
    assert row.share == pytest.approx(1 / 12)


def test_what_nobody_and_everybody_has_is_told_and_the_rest_is_let_be(dozen: Path) -> None:
    found = rows(dozen)
    assert found["q1"].flags == (ItemFlag.NOBODY,)
    assert found["q2"].flags == (ItemFlag.EVERYBODY,)
    assert sum(bool(row.flags) for row in found.values()) <= 7


def test_an_ungraded_answer_is_no_wrong_one(dozen: Path) -> None:
    assert rows(dozen)["q3"].models == 11


def test_runs_without_a_grade_have_rows_without_figures(tmp_path: Path) -> None:
    silent = [Made(model=f"openai/m{n}", benchmark="odd/tea", verdicts=verdicts([None] * 4, "ABCD"), figures={})
              for n in range(9)]  # fmt: skip
    found = table(read_results([run_of(tmp_path / "run", *silent)]))
    assert [(row.models, row.share, row.flags) for row in found.rows] == [(0, None, ())] * 4
    assert found.alpha.value is None
    assert found.suspects == ()


def test_several_samples_are_averaged_and_the_first_one_names_the_label(tmp_path: Path) -> None:
    def sampled(rights: Sequence[float]) -> list[Verdict]:
        return [Graded(about=about("q0"), sample=n, task="strict", points=each, label="A" if each else "B", gold="A")
                for n, each in enumerate(rights)]  # fmt: skip

    made = [Made(model=f"openai/m{n}", benchmark="odd/tea", verdicts=sampled([0, 1]), figures={}) for n in range(8)]
    (row,) = table(read_results([run_of(tmp_path / "run", *made)])).rows
    assert (row.share, row.right, row.wrong) == (0.5, 0, 0)
    assert row.rival is not None
    assert (row.rival.label, row.rival.models, row.rival.keyed) == ("B", 8, 0)


def test_with_few_models_only_shares_are_claimed(tmp_path: Path, capsys: Screen) -> None:
    found = table(read_results([run(tmp_path / "run", 5)]))
    assert not found.claims
    assert found.suspects == ()
    assert {(row.rest, row.p_negative, row.rival) for row in found.rows} == {(None, None, None)}
    assert "too few models: 5" in format_missing(found.alpha.missing)
    app(["items", str(tmp_path / "run")], standalone_mode=False)
    out = " ".join(capsys.readouterr().out.split())
    assert "30 units over 5 models: nobody right on" in out
    assert "With fewer than 8 models of 5 families no correlation over models is claimed, only shares." in out


def test_a_model_of_two_runs_counts_once(tmp_path: Path) -> None:
    runs = [run(tmp_path / "one", 5), run(tmp_path / "two", 5)]
    found = table(read_results(runs))
    assert len(found.models) == 5
    assert not found.claims


def placed(folder: Path, off: str = "", models: int = 12) -> Path:
    """Models ever better, on twelve questions at each of eight places; at the place that is off all of them guess."""
    rng, made = np.random.default_rng(3), []
    places = ["AR", "BR", "DE", "GE", "IN", "JP", "KE", "US"]
    for number in range(models):
        share = 0.25 + 0.7 * number / models
        said = [
            Graded(about=about(f"{place}-{n}", place=place), sample=0, task="strict", gold="A",
                   points=float(rng.random() < (0.6 if place == off else share)))
            for place in places for n in range(12)
        ]  # fmt: skip
        figures = {"accuracy": Estimate(metric="accuracy", value=0.5, asked=96, graded=96)}
        figures |= {
            f"accuracy {place}": Estimate(metric="accuracy", group={"place": place}, value=0.5, asked=12, graded=12)
            for place in places
        }
        made.append(Made(model=f"openai/m{number:02}", benchmark="odd/tea", verdicts=said, figures=figures))
    return run_of(folder, *made)


def test_a_place_whose_questions_do_not_go_with_the_others_is_named(tmp_path: Path, capsys: Screen) -> None:
    run_folder = placed(tmp_path / "off", off="GE")
    found = table(read_results([run_folder])).fits["place"]
    assert [each.place for each in found.places if each.found] == ["GE"]
    app(["items", str(run_folder)], standalone_mode=False)
    out = " ".join(capsys.readouterr().out.split())
    assert "1 place of 8 tells these models apart otherwise than the rest (Holm): Georgia." in out
    app(["items", str(run_folder), "--json"], standalone_mode=False)
    rows_found = json.loads(capsys.readouterr().out)["item_places"]
    assert [row["claim"] for row in rows_found if row["group"] == "GE"] == ["off"]
    assert {row["kind"] for row in rows_found} == {"place"}


def test_places_that_go_together_are_not_off(tmp_path: Path) -> None:
    found = table(read_results([placed(tmp_path / "alike")])).fits["place"]
    assert not any(each.found for each in found.places)
    assert all(each.low is not None and each.low < 1 < (each.high or 0) for each in found.places)


def test_with_few_models_it_is_said_that_places_are_taken_as_alike(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    write_page(read_results([placed(tmp_path / "few", models=3)]), page)
    assert "of all places ask for one thing cannot be told" in page.read_text(encoding="utf-8")


def test_the_page_has_the_words_of_the_odd_ones(dozen: Path, tmp_path: Path) -> None:
    write_page(read_results([dozen]), tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    section = page.partition('<section id="item_statistics"')[2].partition("</section>")[0]
    assert "Ask q0" in section
    assert "better models say otherwise" in section
    assert "Ask q2" not in section
    assert "<details><summary>odd/tea" in section


def test_one_model_alone_has_no_section(tmp_path: Path) -> None:
    assert analyse(read_results([run(tmp_path / "run", 2)])) is None


def test_a_table_of_all_units_opens_in_a_spreadsheet_and_is_never_put_over_another(
    dozen: Path, tmp_path: Path, capsys: Screen
) -> None:
    path = tmp_path / "items.csv"
    app(["items", str(dozen), "--out", str(path)], standalone_mode=False)
    assert "q0" in capsys.readouterr().out
    with path.open(encoding="utf-8-sig", newline="") as file:
        found = {row["item"]: row for row in csv.DictReader(file)}
    assert len(found) == QUESTIONS
    assert (found["q0"]["key"], found["q0"]["rival"], found["q0"]["rival_models"]) == ("A", "B", "11")
    assert found["q1"]["flags"] == "nobody right"
    assert found["q3"]["models"] == "11"
    with pytest.raises(InputError, match="already"):
        app(["items", str(dozen), "--out", str(path)], standalone_mode=False)


def test_programs_get_every_unit(dozen: Path, capsys: Screen) -> None:
    app(["items", str(dozen), "--json"], standalone_mode=False)
    found = json.loads(capsys.readouterr().out)
    (scale,), units = found["item_scales"], found["item_statistics"]
    assert (scale["units"], len(units), len(scale["models"])) == (QUESTIONS, QUESTIONS, 12)
    assert scale["nobody_right"] == 1
    assert (units[0]["rival"], units[0]["key"], units[0]["flags"][0]) == ("B", "A", "better models say otherwise")
    assert 0 < scale["low"] < scale["alpha"] < scale["high"] <= 1


def test_a_unit_that_is_scored_separately_is_held_against_all_and_changes_no_other(
    dozen: Path, tmp_path: Path, capsys: Screen
) -> None:
    whole, some = table(read_results([dozen])), table(read_results([run(tmp_path / "run", 12, apart=("q0", "q1"))]))
    assert [row.unit for row in some.rows] == [row.unit for row in whole.rows[2:]]
    assert [(row.unit, row.separate, row.flags) for row in some.separate] == [
        (row.unit, "boundary", row.flags) for row in whole.rows[:2]
    ]
    assert {row.unit for row in some.separate} <= {row.unit for row in some.suspects}
    app(["items", str(tmp_path / "run"), "--json"], standalone_mode=False)
    units = json.loads(capsys.readouterr().out)["item_statistics"]
    assert [row["separate"] for row in units] == [None] * (QUESTIONS - 2) + ["boundary"] * 2


def test_a_report_has_those_to_look_at_as_a_table_too(dozen: Path) -> None:
    results = read_results([dozen])
    found = analyse(results)
    assert found is not None
    units, scales, *_ = found.tables
    assert [row[1] for row in units.rows] == [row.unit for row in table(results).suspects]
    assert len(scales.rows) == 1


def test_every_kind_of_benchmark_has_a_table(held: Held) -> None:
    names = ("ladder/explain", "ladder/apply", "ladder/converse")
    found = item_tables(read_results([held(*names, limit=4)]))
    assert tuple(each.benchmark for each in found) == names
    for each in found:
        assert each.rows
        assert all(row.share is None or 0 <= row.share <= 1 for row in each.rows)
        assert not each.claims
