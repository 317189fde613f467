"""Cases of disagreement: listed, written for people to code causes, and read back with them."""

import csv
import json
from pathlib import Path

import pytest

from mores.annotation.label_tables import read_tables
from mores.calibration.agreement import AgreementOptions, agreement_of, agreements_of
from mores.calibration.agreement_analysis import SHOWN, case_blocks, describe_cases
from mores.calibration.disagreements import COLUMNS, Cases, Disagreement, read_causes, write_cases
from mores.core.errors import InputError
from mores.tables.blocks import BulletList, Words
from tests.annotation.by_hand import Hand, once
from tests.annotation.conftest import Shape
from tests.annotation.people import SimulatedAnnotators, simulate_labels, write_labels
from tests.annotation.runs import TALKS, label, labels_file, things


def cases_of(hand: Hand, disagreement: float = 0.5) -> Cases:
    found = agreement_of(hand.table(), AgreementOptions(disagreement=disagreement)).cases
    assert found is not None
    return found


def shown(found: Cases) -> tuple[Words, ...]:
    """What is told of the first cases."""
    return next((block.items for block in case_blocks(found) if isinstance(block, BulletList)), ())


def words() -> Hand:
    """Of 20 things the judge is wrong about three; people are of one mind on one of these."""
    people = ["yes", "no"] * 10
    judge = ["no", "no", "no", *["yes"] * 2, *people[5:]]
    judge[3] = "yes"
    other = people[:]
    other[0], other[2] = "no", "yes"
    third = people[:]
    third[3] = "yes"
    return Hand(judges={"judge": once(judge)}, people={"Ana": people, "Bo": other, "Cy": third})


def test_words_that_differ_are_cases_and_those_on_which_people_are_of_one_mind_stand_first() -> None:
    found = cases_of(words())
    assert [case.thing.item for case in found.cases] == ["scene-2", "scene-0", "scene-3"]
    assert found.share.value == pytest.approx(3 / 20)
    assert describe_cases(found) == "Judge and people say another word in 3 cases, 15.0% [5.2, 36.0]."
    assert shown(found)[0] == "scene-2, sample 0, fair: people yes (3 of 3), judge no: no, as it seems"


def test_points_are_cases_from_the_threshold_on_and_the_furthest_stand_first() -> None:
    judge, people = [0.1, 0.2, 0.9, 0.5, *[0.5] * 10], [0.6, 0.9, 0.3, 0.5, *[0.5] * 10]
    hand = Hand(judges={"judge": once(judge)}, people={"Ana": people}, options=())
    found = cases_of(hand)
    assert [(case.thing.item, round(case.difference or 0, 3)) for case in found.cases] == [
        ("scene-1", -0.7), ("scene-2", 0.6), ("scene-0", -0.5),
    ]  # fmt: skip
    assert [case.thing.item for case in cases_of(hand, 0.65).cases] == ["scene-1"]
    assert "are 0.5 points apart or more in 3 cases" in describe_cases(found)


def test_a_terminal_shows_the_first_ten_and_says_how_many_there_are() -> None:
    people = ["yes", "no"] * 20
    hand = Hand(judges={"judge": once(["no", "yes"] * 20)}, people={"Ana": people})
    told = shown(cases_of(hand))
    assert len(told) == SHOWN + 1
    assert told[-1] == "… and 30 more: --cases FILE writes all, to code causes."


def test_nothing_apart_is_no_case() -> None:
    people = ["yes", "no"] * 10
    found = cases_of(Hand(judges={"judge": once(people)}, people={"Ana": people}))
    assert (found.cases, found.share.value, shown(found)) == ((), 0.0, ())


def talked(run: Path, folder: Path) -> tuple[Disagreement, ...]:
    """Cases of a run of talks, with people who are often wrong."""
    path = folder / "people.csv"
    write_labels(path, simulate_labels([run], None, SimulatedAnnotators(count=1, accuracy=(0.6,))))
    behaviour = [label(each, "0") for each in things(run) if each.thing.task == "behaviour"]
    behaviour[0]["label"] = "3"
    tables = read_tables([run], [path, labels_file(folder / "conduct.csv", behaviour)])
    return tuple(agreements_of(tables, AgreementOptions()).all_cases())


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_the_file_of_cases_has_all_that_is_needed_to_find_a_cause(ending: str, shape: Shape, tmp_path: Path) -> None:
    cases = talked(shape(TALKS), tmp_path)
    path = tmp_path / f"cases.{ending}"
    write_cases(path, cases)
    if ending == "csv":
        assert path.read_bytes().startswith(b"\xef\xbb\xbf")
        with path.open(encoding="utf-8-sig", newline="") as lines:
            rows = list(csv.DictReader(lines))
    else:
        rows = [json.loads(line) for line in path.read_bytes().splitlines()]
    assert [tuple(row) for row in rows] == [COLUMNS] * len(cases)
    for row, case in zip(rows, cases, strict=True):
        assert (row["case"], row["item"], row["task"], row["place"]) == (
            case.id, case.thing.item, case.thing.task, case.judged.place,
        )  # fmt: skip
        assert "[dialogue]" in row["words"]
        assert row["people"].split(": ")[1] == case.people_label
        assert case.judge_label in row["judges"]
        assert row["judges"].count(" – ") == len(case.judges)
        assert row["cause"] == row["note"] == ""
        asked = row["task"] != "behaviour"
        assert row["words"].startswith("(Nobody was asked about this") != asked
        assert not asked or f"Choose one of these words: {', '.join(case.judged.options)}." in row["words"]
    assert {case.thing.task for case in cases} >= {"awareness", "behaviour"}
    assert "simulated/typical" not in path.read_text(encoding="utf-8-sig")


def test_how_far_points_are_apart_is_a_number_in_the_file(shape: Shape, tmp_path: Path) -> None:
    run = shape("ladder/explain")
    far = [each for each in things(run) if each.points is not None and not 0.3 < each.points < 0.7]
    rows = [label(each, 1.0 if (each.points or 0) < 0.5 else 0.0) for each in far]
    tables = read_tables([run], [labels_file(tmp_path / "labels.csv", rows)])
    cases = tuple(agreements_of(tables, AgreementOptions(disagreement=0.6)).all_cases())
    write_cases(tmp_path / "cases.csv", cases)
    with (tmp_path / "cases.csv").open(encoding="utf-8-sig", newline="") as lines:
        apart = [float(row["apart"]) for row in csv.DictReader(lines)]
    assert apart == [round(case.difference or 0, 3) for case in cases]
    assert min(apart) < 0 or max(apart) > 0


def test_a_file_that_is_there_is_not_overwritten(shape: Shape, tmp_path: Path) -> None:
    (tmp_path / "cases.csv").write_text("mine")
    with pytest.raises(InputError, match=r"--cases .*cases.csv: it exists already and is not overwritten"):
        write_cases(tmp_path / "cases.csv", ())
    assert (tmp_path / "cases.csv").read_text() == "mine"


def test_causes_that_people_found_come_back_as_shares_of_the_cases(shape: Shape, tmp_path: Path) -> None:
    run = shape(TALKS)
    cases = talked(run, tmp_path)
    path = tmp_path / "cases.csv"
    write_cases(path, cases)
    with path.open(encoding="utf-8-sig", newline="") as lines:
        rows = list(csv.DictReader(lines))
    for number, row in enumerate(rows):
        row["cause"] = ("", " Norms in conflict", "norms  in conflict", "too long")[number % 4]
    coded = labels_file(path, rows)
    causes = read_causes(coded, {case.id for case in cases})
    found = agreements_of(
        read_tables([run], [tmp_path / "people.csv", tmp_path / "conduct.csv"]), AgreementOptions(causes=causes)
    )
    assert found.causes is not None
    assert found.causes.coded == sum(bool(row["cause"]) for row in rows)
    assert found.causes.open == sum(not row["cause"] for row in rows)
    conflict, long = found.causes.causes
    assert conflict.cause.casefold() == "norms in conflict"
    assert (conflict.n, long.n) == (
        sum(number % 4 in {1, 2} for number in range(len(rows))), sum(number % 4 == 3 for number in range(len(rows))),
    )  # fmt: skip
    assert conflict.share.value == pytest.approx(conflict.n / found.causes.coded)
    assert conflict.share.value + long.share.value == pytest.approx(1.0)
    task = next(task for task in found.tasks if task.task == "awareness")
    assert task.causes is not None
    assert task.causes.coded + task.causes.open == len(task.cases.cases if task.cases else ())


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("case,cause\nabc,\n", "no row has a cause; expected words of your own in the column 'cause'."),
        (
            "case,cause\nxyz,long\n",
            "causes.csv:2: 'xyz' is no case of these runs and labels; expected one of the 2 that",
        ),
        ("case,cause\nabc,long\nabc,short\n", "causes.csv:3: the case 'abc' stands twice (first"),
        ("case,why\nabc,long\n", "no column 'cause'"),
    ],
)
def test_a_file_of_causes_that_fits_nothing_is_refused_in_one_line(text: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "causes.csv"
    path.write_text(text)
    with pytest.raises(InputError) as refused:
        read_causes(path, {"abc", "def"})
    assert says in str(refused.value)
    assert "\n" not in str(refused.value)
