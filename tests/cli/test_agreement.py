"""`mores judge agreement`: what is printed for people and for programs, and what is refused in one line."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mores.runs.spec import Spec
from tests.annotation.conftest import scenes, shape, spoken, typed
from tests.annotation.people import simulate
from tests.annotation.runs import SHAPES, TALKS, judged_again, label, labels_file, talks, things
from tests.runs.conduct import Done, Typed

__all__ = ["scenes", "shape", "spoken", "typed"]
Shape = Callable[[str], Path]


@pytest.fixture(scope="session")
def labelled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A run of talks, and labels of three people on all that was judged."""
    folder = tmp_path_factory.mktemp("labelled")
    run = talks(folder / "run", 60, judge="simulated/judge")
    rows: list[dict[str, object]] = []
    for number, each in enumerate(things(run)):
        if each.thing.task in {"awareness", "behaviour"} and each.label is not None:
            for who in ("Ana", "Bo", "Cy"):
                wrong = each.options[(each.options.index(each.label) + 1) % len(each.options)]
                rows.append(label(each, wrong if number % 9 == 0 and who != "Cy" else each.label, who))
    return run, labels_file(folder / "labels.csv", rows)


def as_json(done: Done) -> Any:
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n") == 1
    return json.loads(done.stdout)


def refused(done: Done) -> str:
    assert done.returncode == 2, done.stdout
    assert done.stderr.count("\n") == 1
    assert not done.stdout
    return done.stderr


def test_what_matters_stands_first_and_nothing_is_wider_than_a_terminal(
    labelled: tuple[Path, Path], typed: Typed
) -> None:
    run, labels = labelled
    done = typed("judge", "agreement", run, "--labels", labels)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert max(len(line) for line in lines) <= 80
    assert lines[0].startswith("Simulated: ")
    text = " ".join(lines)
    head = text.index("socialcc/dialogue awareness")
    for told in (
        "simulated/judge against people (simulated): agree ",
        "180 labels by 3 people on 60 of 60 judged things",
        "Human ceiling, over 60 ",
        "Alt-test ",
        "Confusion table: a column for each label of the judge",
        "Cases",
    ):
        assert told in text, told
    assert head < text.index("agree ") < text.index("Alt-test") < text.index("Confusion table")


@pytest.mark.parametrize("words", [("RUN", "--labels", "FILE"), ("--labels", "FILE", "RUN")])
def test_the_verb_can_be_typed_in_any_order(words: tuple[str, ...], labelled: tuple[Path, Path], typed: Typed) -> None:
    given = {"RUN": labelled[0], "FILE": labelled[1]}
    done = typed("judge", "agreement", *(given.get(word, word) for word in words), "--json")
    assert len(as_json(done)["agreement_tasks"]) == 2


def test_the_json_has_every_figure_with_its_n_and_interval(labelled: tuple[Path, Path], typed: Typed) -> None:
    run, labels = labelled
    found = as_json(typed("judge", "agreement", run, "--labels", labels, "--json"))
    assert (found["runs"], found["simulated"], found["refused"]) == ([str(run)], True, [])
    awareness, behaviour = found["agreement_tasks"]
    assert (awareness["task"], behaviour["task"]) == ("awareness", "behaviour")
    assert (awareness["role"], awareness["judges"]) == ("judge", ["simulated/judge"])
    counts = {"judged": 60, "labelled": 60, "labels": 180, "people": 3, "compared": 60, "tied": 0, "unread": 0}
    assert awareness.items() >= counts.items()
    rows = [row for row in found["agreement"] if row["part"] == "all" and row["word"] is None]
    figures = {row["measure"]: row for row in rows if row["task"] == "awareness"}
    assert set(figures) == {
        "raw agreement (accuracy)", "balanced accuracy", "macro F1", "Cohen's kappa", "Krippendorff's alpha",
        "Gwet's AC1", "PABAK",
    }  # fmt: skip
    assert all(each["low"] <= each["value"] <= each["high"] and each["graded"] == 60 for each in figures.values())
    assert "Cohen's kappa, quadratic weights" in {row["measure"] for row in rows if row["task"] == "behaviour"}
    assert behaviour["options"] == ["0", "1", "2", "3"]
    assert sum(row["task"] == "behaviour" for row in found["agreement_confusion"]) == 4 * 4
    assert awareness["passed"] in {True, False}
    people = [row for row in found["agreement_people"] if (row["task"], row["among"]) == ("awareness", "people")]
    assert {row["measure"] for row in people} == {
        "pairs that agree",
        "Fleiss' kappa",
        "Krippendorff's alpha",
        "Gwet's AC1",
        "PABAK",
    }
    assert awareness["cases"] == sum(row["task"] == "awareness" for row in found["agreement_cases"]) > 0


def test_one_task_can_be_had_alone(labelled: tuple[Path, Path], typed: Typed) -> None:
    run, labels = labelled
    found = as_json(typed("judge", "agreement", run, "--labels", labels, "--task", "behaviour", "--json"))
    assert {row["task"] for rows in (found["agreement"], found["agreement_tasks"]) for row in rows} == {"behaviour"}


def test_from_sample_to_causes(spoken: Path, typed: Typed, tmp_path: Path) -> None:
    assert typed("judge", "sample", spoken, "--n", 120, "--one-per", "item", "--out", "work").returncode == 0
    simulate(spoken, "--sample", "work", "--accuracy", "0.9,0.7", "--people", 3, "--out", "labels.csv")
    agree = ("judge", "agreement", spoken, "--labels", "labels.csv", "--sample", "work")
    whole = as_json(typed(*agree, "--json"))
    assert len(whole["agreement_tasks"]) == 6
    assert {row["of"] for row in whole["agreement"] if row["part"] == "model"} == {
        "simulated/novice",
        "simulated/typical",
    }
    assert {row["of"] for row in whole["agreement"] if row["part"] == "split"} == {"calibration", "test"}
    test = as_json(typed(*agree, "--split", "test", "--task", "goal", "--json"))["agreement_tasks"][0]
    goal = [row for row in whole["agreement"] if (row["task"], row["of"], row["word"]) == ("goal", "test", None)]
    assert {row["asked"] for row in goal} == {test["labelled"]}
    done = typed(*agree, "--cases", "cases.csv")
    assert "cases to code: cases.csv; then: --causes cases.csv" in done.stdout
    with (tmp_path / "cases.csv").open(encoding="utf-8-sig", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert len(rows) == sum(task["cases"] for task in whole["agreement_tasks"]) == len(whole["agreement_cases"])
    for row in rows[1:]:
        row["cause"] = "a norm in conflict"
    labels_file(tmp_path / "coded.csv", rows)
    coded = as_json(typed(*agree, "--causes", "coded.csv", "--json"))
    (cause,) = coded["agreement_causes_of_all"]
    assert (cause["cause"], cause["n"], cause["asked"]) == ("a norm in conflict", len(rows) - 1, len(rows) - 1)
    printed = typed(*agree, "--causes", "coded.csv").stdout
    assert f"Causes of {len(rows) - 1} cases" in printed
    assert "All tasks" in printed


def test_points_have_correlations_and_what_length_changes(scenes: Path, typed: Typed, tmp_path: Path) -> None:
    simulate(scenes, "--out", tmp_path / "labels.csv")
    done = typed("judge", "agreement", scenes, "--labels", "labels.csv")
    text = " ".join(done.stdout.split())
    for told in (
        "Pearson's r 1.00 [",
        "Spearman's rho 0.",
        "mean of judge less people (bias) 0.0",
        "Before and after, n =",
    ):
        assert told in text
    found = as_json(typed("judge", "agreement", scenes, "--labels", "labels.csv", "--json"))
    assert {row["measure"] for row in found["agreement"] if row["part"] == "all"} == {
        "Pearson's r", "Spearman's rho", "mean of judge less people (bias)", "mean distance (absolute error)",
        "Krippendorff's alpha, interval",
    }  # fmt: skip
    assert found["agreement_stages"][0]["ratio"] == 1.0


def test_a_jury_asked_again_has_each_judge_and_its_flips(shape: Shape, typed: Typed, tmp_path: Path) -> None:
    run = judged_again(tmp_path / "jury", shape(TALKS), SHAPES[TALKS], "simulated/judge", "simulated/novice", runs=3)
    simulate(run, "--out", tmp_path / "labels.csv")
    found = as_json(typed("judge", "agreement", run, "--labels", "labels.csv", "--task", "respected", "--json"))
    for part, runs in (("judge", 1), ("again", 3)):
        rows = [row for row in found["agreement"] if row["part"] == part]
        assert {(row["of"], row["runs"]) for row in rows} == {("judge", runs), ("judge2", runs)}
    assert [(row["without"], row["judges"]) for row in found["agreement_jury"]] == [
        (None, 2), ("judge", 1), ("judge2", 1),
    ]  # fmt: skip
    assert [stage["judged_by"] for stage in found["agreement_stages"]] == [
        "one run of judge", "3 runs of judge", "the jury of 2",
    ]  # fmt: skip


BAD: dict[str, tuple[list[dict[str, object]], tuple[object, ...], str]] = {
    "an unknown item": ([{"item": "socialcc-99"}], (), "socialcc-99, sample 0, awareness was not judged in these runs"),
    "a word outside the scale": ([{"label": "maybe"}], (), "labels.csv:2: label is 'maybe'; expected one of yes, no."),
    "a label twice": ([{}, {}], (), "labels.csv:3: a second label of"),
    "one class only": ([{"label": "yes"}], (), "people say 'yes' of all 1 labelled things; expected two of yes, no"),
    "a split without a sample": ([{}], ("--split", "test"), "--split test: splits are a sample's; name its folder"),
    "a task without labels": ([{}], ("--task", "goal"), "socialcc/dialogue goal: no label is about it"),
    "an unknown task": ([{}], ("--task", "taste"), "--task taste: nobody judged it; tasks are awareness"),
    "a threshold of nothing": ([{}], ("--disagreement", "0"), "--disagreement 0: expected points above 0"),
    "an epsilon of all": ([{}], ("--epsilon", "1"), "--epsilon 1: expected a number from 0 to below 1"),
    "no such sample": ([{}], ("--sample", "nowhere"), "nowhere"),
    "no such causes": ([{}], ("--causes", "nowhere.csv"), "nowhere.csv"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_used_is_said_in_one_line(
    name: str, labelled: tuple[Path, Path], typed: Typed, tmp_path: Path
) -> None:
    changes, words, says = BAD[name]
    run, _ = labelled
    each = next(each for each in things(run) if each.thing.task == "awareness")
    path = labels_file(tmp_path / "labels.csv", [{**label(each, "yes"), **change} for change in changes])
    assert says in refused(typed("judge", "agreement", run, "--labels", path, *words))


def test_runs_judged_by_others_are_no_one_judge(spoken: Path, shape: Shape, typed: Typed, tmp_path: Path) -> None:
    spec = Spec(benchmarks=(TALKS,), data=str(spoken.parent / "run-data"), limit="all",
                models=("simulated/typical", "simulated/novice"))  # fmt: skip
    other = judged_again(tmp_path / "other", spoken, spec, "simulated/novice")
    assert typed("judge", "sample", spoken, "--n", 40, "--out", "work").returncode == 0
    simulate(spoken, "--sample", "work", "--out", "labels.csv")
    told = refused(typed("judge", "agreement", spoken, other, "--labels", "labels.csv", "--sample", "work"))
    assert "by simulated/novice in" in told
    assert "give runs that were judged alike, or one after another" in told
    alone = as_json(typed("judge", "agreement", other, "--labels", "labels.csv", "--sample", "work", "--json"))
    assert alone["agreement_tasks"][0]["judges"] == ["simulated/novice"]


def test_a_split_that_is_not_the_samples_is_refused(spoken: Path, typed: Typed) -> None:
    assert typed("judge", "sample", spoken, "--n", 40, "--out", "work").returncode == 0
    simulate(spoken, "--sample", "work", "--out", "labels.csv")
    told = refused(
        typed("judge", "agreement", spoken, "--labels", "labels.csv", "--sample", "work", "--split", "train")
    )
    assert "--split train: expected one of calibration, test." in told
    assert "name its folder: --sample DIR" in refused(typed("judge", "agreement", spoken, "--labels", "labels.csv"))


def test_nothing_is_written_over_and_a_run_stays_as_it_was(
    labelled: tuple[Path, Path], typed: Typed, tmp_path: Path
) -> None:
    run, labels = labelled
    before = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
    (tmp_path / "cases.csv").write_text("mine")
    assert "it exists already" in refused(typed("judge", "agreement", run, "--labels", labels, "--cases", "cases.csv"))
    assert typed("judge", "agreement", run, "--labels", labels, "--cases", "new.csv").returncode == 0
    assert {path: path.read_bytes() for path in run.rglob("*") if path.is_file()} == before


def test_a_sample_has_splits_of_different_names(spoken: Path, typed: Typed) -> None:
    told = refused(typed("judge", "sample", spoken, "--n", 30, "--split", "a,a", "--out", "twice"))
    assert "--split a,a: a name stands twice" in told


def test_a_sample_of_everything_does_not_say_one_per_none(spoken: Path, typed: Typed) -> None:
    done = typed("judge", "sample", spoken, "--n", 30, "--one-per", "none", "--out", "everything")
    assert "things that were judged." in done.stdout


def test_no_folder_no_run_and_no_labels_are_said(typed: Typed, labelled: tuple[Path, Path]) -> None:
    assert "no run" in refused(typed("judge", "agreement", "nowhere", "--labels", labelled[1]))
    assert "Missing option '--labels'" in refused(typed("judge", "agreement", labelled[0]))
    assert "cannot be read" in refused(typed("judge", "agreement", labelled[0], "--labels", "nowhere.csv"))


def test_folds_have_a_row_a_model_for_people_and_for_programs(typed: Typed, tmp_path: Path) -> None:
    models = ("simulated/typical", "simulated/novice")
    run = talks(tmp_path / "run", 60, models=models, judge="simulated/judge")
    sample, labels = tmp_path / "work", tmp_path / "labels.csv"
    assert typed("judge", "sample", run, "--n", "240", "--one-per", "none", "--out", sample).returncode == 0
    simulate(run, "--sample", sample, "--people", 1, "--out", labels)
    asked = ("judge", "agreement", run, "--labels", labels, "--sample", sample, "--folds")
    shown = typed(*asked)
    assert shown.returncode == 0, shown.stderr
    assert max(map(len, shown.stdout.splitlines())) <= 80
    for told in (*models, "all models, each left out in turn", "Macro F1"):
        assert told in shown.stdout
    rows = as_json(typed(*asked, "--json"))["folds"]
    assert {row["left_out"] for row in rows} == {*models, "all models, each left out in turn"}
    assert all({"value", "low", "high", "graded"} <= set(row) for row in rows)


def test_folds_of_one_model_and_folds_with_cases_are_refused(
    labelled: tuple[Path, Path], typed: Typed, tmp_path: Path
) -> None:
    run, labels = labelled
    assert "folds need two at least" in refused(typed("judge", "agreement", run, "--labels", labels, "--folds"))
    cases = ("--cases", tmp_path / "cases.csv")
    assert "leave --cases and --causes out" in refused(
        typed("judge", "agreement", run, "--labels", labels, "--folds", *cases)
    )
