"""Values on which nearly all asked people of a country agree."""

import csv
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mores.cli.app import app
from mores.core.errors import InputError
from mores.pipelines.consensus import ValuesOptions, values_of


def responses(path: Path, rows: list[str], head: str = "B_COUNTRY_ALPHA,W_WEIGHT,Q1,Q28,note") -> Path:
    path.write_text(head + "\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


def options(path: Path, **more: object) -> ValuesOptions:
    return ValuesOptions(source=path, least=10, **more)  # type: ignore[arg-type]


@pytest.fixture
def survey(tmp_path: Path) -> Path:
    jordan = ["JOR,1,1,1,x"] * 18 + ["JOR,1,2,2,x"] * 2
    chile = ["CHL,1,1,1,x"] * 10 + ["CHL,1,2,4,x"] * 10
    return responses(tmp_path / "wvs.csv", [*jordan, *chile, "ZZZ,1,1,1,x", "JOR,1,-1,-2,x"])


def test_a_pair_is_kept_where_most_gave_one_answer(survey: Path) -> None:
    found = values_of(options(survey))
    assert [(each.question, each.place, each.codes) for each in found.kept] == [("Q1", "JO", (1,)), ("Q28", "JO", (1,))]
    first = found.kept[0]
    assert (first.share, first.answered) == (0.9, 20)
    assert first.low == pytest.approx(0.699, abs=0.001)
    assert (found.pairs, found.respondents, found.unknown) == (4, 42, {"ZZZ": 1})


def test_codes_can_count_as_one_answer(survey: Path) -> None:
    found = values_of(options(survey, together={"Q28": ((1, 4),)}, questions=("Q28",)))
    assert {each.place: each.share for each in found.kept} == {"CL": 1.0, "JO": 0.9}


def test_weights_decide_and_widen(tmp_path: Path) -> None:
    rows = ["JPN,9,1,1,x"] * 5 + ["JPN,1,2,1,x"] * 5
    found = values_of(options(responses(tmp_path / "w.csv", rows), questions=("Q1",)))
    assert found.kept[0].share == 0.9
    assert found.kept[0].low < 0.6


def test_few_respondents_are_counted_and_claim_nothing(survey: Path) -> None:
    found = values_of(ValuesOptions(source=survey))
    assert (found.kept, found.few) == ((), 4)


@pytest.mark.parametrize(
    ("row", "more", "says"),
    [
        ("JPN,1,often,1,x", {}, "Q1 is 'often'"),
        ("JPN,-2,1,1,x", {}, "expected a weight"),
        ("JPN,1,1,1,x", {"threshold": 0.4}, "--threshold 0.4"),
        ("JPN,1,1,1,x", {"questions": ("Q9",)}, "Q9"),
        ("JPN,1,1,1,x", {"country": "land"}, "land"),
    ],
)
def test_bad_input_is_one_line(tmp_path: Path, row: str, more: dict[str, object], says: str) -> None:
    with pytest.raises(InputError, match=says):
        values_of(options(responses(tmp_path / "x.csv", [row]), **more))


def test_the_command_writes_a_table_and_never_over_one(survey: Path, tmp_path: Path) -> None:
    typed = ["build", "values", str(survey), "--out", str(tmp_path / "v.csv"), "--least", "10", "--together", "Q28=1,4"]
    assert CliRunner().invoke(app, typed).exit_code == 0
    rows = list(csv.DictReader((tmp_path / "v.csv").read_text(encoding="utf-8").splitlines()))
    assert [(row["question"], row["place"], row["codes"]) for row in rows] == [
        ("Q1", "JO", "1"), ("Q28", "CL", "1 4"), ("Q28", "JO", "1 4"),
    ]  # fmt: skip
    assert isinstance(CliRunner().invoke(app, typed).exception, InputError)


@pytest.mark.parametrize("code", ["inf", "-inf", "nan", "1e400", "9" * 400, "1e12"])
@pytest.mark.parametrize("column", ["Q1", "W_WEIGHT"])
def test_a_number_that_is_no_code_and_no_weight_is_refused_with_its_line(
    code: str, column: str, tmp_path: Path
) -> None:
    row = {"Q1": f"JOR,1,{code},1,x", "W_WEIGHT": f"JOR,{code},1,1,x"}[column]
    path = responses(tmp_path / "wvs.csv", ["JOR,1,1,1,x", row])
    with pytest.raises(InputError, match=rf"wvs.csv:3: {column} is '{code[:60]}'; expected a number up to 1,000,0"):
        values_of(options(path))
