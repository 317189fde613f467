"""`mores agreement`: what is printed for people and for programs, and what is refused in one line."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mores.runs.spec import Spec
from tests.annotation.conftest import scenes, shape, spoken, typed
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
    done = typed("agreement", run, "--labels", labels)
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


@pytest.mark.parametrize(
    "words", [("RUN", "--labels", "FILE"), ("--labels", "FILE", "RUN"), ("of", "RUN", "--labels", "FILE")]
)
def test_the_verb_can_be_typed_in_any_order(words: tuple[str, ...], labelled: tuple[Path, Path], typed: Typed) -> None:
    given = {"RUN": labelled[0], "FILE": labelled[1]}
    done = typed("agreement", *(given.get(word, word) for word in words), "--json")
    assert len(as_json(done)["tasks"]) == 2


def test_the_json_has_every_figure_with_its_n_and_interval(labelled: tuple[Path, Path], typed: Typed) -> None:
    run, labels = labelled
    found = as_json(typed("agreement", run, "--labels", labels, "--json"))
    assert (found["runs"], found["simulated"], found["refused"]) == ([str(run)], True, [])
    awareness, behaviour = found["tasks"]
    assert (awareness["task"], behaviour["task"]) == ("awareness", "behaviour")
    assert awareness["judges"] == {"judge": "simulated/judge"}
    assert awareness["counts"] | {"clusters": 0} == {
        "judged": 60, "labelled": 60, "labels": 180, "people": 3, "clusters": 0, "compared": 60, "tied": 0, "unread": 0,
    }  # fmt: skip
    figures = awareness["together"]["figures"]
    assert set(figures) == {
        "raw agreement (accuracy)", "balanced accuracy", "macro F1", "Cohen's kappa", "Krippendorff's alpha",
        "Gwet's AC1", "PABAK",
    }  # fmt: skip
    assert all(each["low"] <= each["value"] <= each["high"] for each in figures.values())
    assert "Cohen's kappa, quadratic weights" in behaviour["together"]["figures"]
    assert behaviour["options"] == ["0", "1", "2", "3"]
    assert len(behaviour["together"]["confusion"]) == 4
    assert awareness["people"]["alt_test"]["passed"] in {True, False}
    raters = awareness["people"]["agreement"]["people"]
    assert set(raters) == {"n", "raters", "figures"}
    assert set(raters["figures"]) == {
        "pairs that agree",
        "Fleiss' kappa",
        "Krippendorff's alpha",
        "Gwet's AC1",
        "PABAK",
    }
    assert awareness["cases"]["n"] == len(awareness["cases"]["cases"]) > 0


def test_one_task_can_be_had_alone(labelled: tuple[Path, Path], typed: Typed) -> None:
    run, labels = labelled
    found = as_json(typed("agreement", run, "--labels", labels, "--task", "behaviour", "--json"))
    assert [task["task"] for task in found["tasks"]] == ["behaviour"]


def test_from_sample_to_causes(spoken: Path, typed: Typed, tmp_path: Path) -> None:
    assert typed("agreement", "sample", spoken, "--n", 120, "--one-per", "item", "--out", "work").returncode == 0
    simulate = ("agreement", "simulate", spoken, "--sample", "work", "--accuracy", "0.9,0.7", "--people", 3)
    assert typed(*simulate, "--out", "labels.csv").returncode == 0
    agree = ("agreement", spoken, "--labels", "labels.csv", "--sample", "work")
    whole = as_json(typed(*agree, "--json"))
    assert len(whole["tasks"]) == 6
    assert [each["who"] for each in whole["tasks"][0]["models"]] == ["simulated/novice", "simulated/typical"]
    assert [each["who"] for each in whole["tasks"][0]["splits"]] == ["calibration", "test"]
    test = as_json(typed(*agree, "--split", "test", "--task", "goal", "--json"))["tasks"][0]
    goal = next(task for task in whole["tasks"] if task["task"] == "goal")
    assert test["counts"]["labelled"] == goal["splits"][1]["n"] + goal["splits"][1]["unread"]
    done = typed(*agree, "--cases", "cases.csv")
    assert "cases to code: cases.csv; then: --causes cases.csv" in done.stdout
    with (tmp_path / "cases.csv").open(encoding="utf-8-sig", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert len(rows) == sum(task["cases"]["n"] for task in whole["tasks"])
    for row in rows[1:]:
        row["cause"] = "a norm in conflict"
    labels_file(tmp_path / "coded.csv", rows)
    coded = as_json(typed(*agree, "--causes", "coded.csv", "--json"))
    assert coded["causes"]["coded"] == len(rows) - 1
    assert coded["causes"]["causes"][0] | {"share": 0} == {
        "cause": "a norm in conflict",
        "n": len(rows) - 1,
        "share": 0,
    }
    printed = typed(*agree, "--causes", "coded.csv").stdout
    assert f"Causes of {len(rows) - 1} cases" in printed
    assert "All tasks" in printed


def test_points_have_correlations_and_what_length_changes(scenes: Path, typed: Typed) -> None:
    assert typed("agreement", "simulate", scenes, "--out", "labels.csv").returncode == 0
    done = typed("agreement", scenes, "--labels", "labels.csv")
    text = " ".join(done.stdout.split())
    for told in (
        "Pearson's r 1.00 [",
        "Spearman's rho 0.",
        "mean of judge less people (bias) 0.0",
        "Before and after, n =",
    ):
        assert told in text
    (task,) = as_json(typed("agreement", scenes, "--labels", "labels.csv", "--json"))["tasks"]
    assert set(task["together"]["figures"]) == {
        "Pearson's r", "Spearman's rho", "mean of judge less people (bias)", "mean distance (absolute error)",
        "Krippendorff's alpha, interval",
    }  # fmt: skip
    assert task["before_and_after"]["stages"][0]["ratio"] == 1.0


def test_a_jury_asked_again_has_each_judge_and_its_flips(shape: Shape, typed: Typed, tmp_path: Path) -> None:
    run = judged_again(tmp_path / "jury", shape(TALKS), SHAPES[TALKS], "simulated/judge", "simulated/novice", runs=3)
    assert typed("agreement", "simulate", run, "--out", "labels.csv").returncode == 0
    found = as_json(typed("agreement", run, "--labels", "labels.csv", "--task", "respected", "--json"))["tasks"][0]
    assert [each["who"] for each in found["each"]] == ["judge", "judge2"]
    assert [each["judge"] for each in found["repeats"]] == ["judge", "judge2"]
    assert found["repeats"][0]["runs"] == 3.0
    assert (found["jury"]["judges"], len(found["jury"]["accuracies"])) == (2, 2)
    assert [stage["judged_by"] for stage in found["before_and_after"]["stages"]] == [
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
    assert says in refused(typed("agreement", run, "--labels", path, *words))


def test_runs_judged_by_others_are_no_one_judge(spoken: Path, shape: Shape, typed: Typed, tmp_path: Path) -> None:
    spec = Spec(benchmarks=(TALKS,), data=str(spoken.parent / "run-data"), limit="all",
                models=("simulated/typical", "simulated/novice"))  # fmt: skip
    other = judged_again(tmp_path / "other", spoken, spec, "simulated/novice")
    assert typed("agreement", "sample", spoken, "--n", 40, "--out", "work").returncode == 0
    assert typed("agreement", "simulate", spoken, "--sample", "work", "--out", "labels.csv").returncode == 0
    told = refused(typed("agreement", spoken, other, "--labels", "labels.csv", "--sample", "work"))
    assert "by simulated/novice in" in told
    assert "give runs that were judged alike, or one after another" in told
    alone = as_json(typed("agreement", other, "--labels", "labels.csv", "--sample", "work", "--json"))
    assert alone["tasks"][0]["judges"] == {"judge": "simulated/novice"}


def test_a_split_that_is_not_the_samples_is_refused(spoken: Path, typed: Typed) -> None:
    assert typed("agreement", "sample", spoken, "--n", 40, "--out", "work").returncode == 0
    assert typed("agreement", "simulate", spoken, "--sample", "work", "--out", "labels.csv").returncode == 0
    told = refused(typed("agreement", spoken, "--labels", "labels.csv", "--sample", "work", "--split", "train"))
    assert "--split train: expected one of calibration, test." in told
    assert "name its folder: --sample DIR" in refused(typed("agreement", spoken, "--labels", "labels.csv"))


def test_nothing_is_written_over_and_a_run_stays_as_it_was(
    labelled: tuple[Path, Path], typed: Typed, tmp_path: Path
) -> None:
    run, labels = labelled
    before = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
    (tmp_path / "cases.csv").write_text("mine")
    assert "it exists already" in refused(typed("agreement", run, "--labels", labels, "--cases", "cases.csv"))
    assert typed("agreement", run, "--labels", labels, "--cases", "new.csv").returncode == 0
    assert {path: path.read_bytes() for path in run.rglob("*") if path.is_file()} == before


def test_a_sample_has_splits_of_different_names(spoken: Path, typed: Typed) -> None:
    told = refused(typed("agreement", "sample", spoken, "--n", 30, "--split", "a,a", "--out", "twice"))
    assert "--split a,a: a name stands twice" in told


def test_a_sample_of_everything_does_not_say_one_per_none(spoken: Path, typed: Typed) -> None:
    done = typed("agreement", "sample", spoken, "--n", 30, "--one-per", "none", "--out", "everything")
    assert "things that were judged." in done.stdout


def test_no_folder_no_run_and_no_labels_are_said(typed: Typed, labelled: tuple[Path, Path]) -> None:
    assert "no run" in refused(typed("agreement", "nowhere", "--labels", labelled[1]))
    assert "Missing option '--labels'" in refused(typed("agreement", labelled[0]))
    assert "cannot be read" in refused(typed("agreement", labelled[0], "--labels", "nowhere.csv"))


def test_folds_have_a_row_a_model_for_people_and_for_programs(typed: Typed, tmp_path: Path) -> None:
    models = ("simulated/typical", "simulated/novice")
    run = talks(tmp_path / "run", 60, models=models, judge="simulated/judge")
    sample, labels = tmp_path / "work", tmp_path / "labels.csv"
    assert typed("agreement", "sample", run, "--n", "240", "--one-per", "none", "--out", sample).returncode == 0
    made = typed("agreement", "simulate", run, "--sample", sample, "--people", "1", "--out", labels)
    assert made.returncode == 0, made.stderr
    asked = ("agreement", run, "--labels", labels, "--sample", sample, "--folds")
    shown = typed(*asked)
    assert shown.returncode == 0, shown.stderr
    assert max(map(len, shown.stdout.splitlines())) <= 80
    for told in (*models, "all models, each left out in turn", "Macro F1"):
        assert told in shown.stdout
    (first, *_) = as_json(typed(*asked, "--json"))["folds"]
    assert sorted(fold["model"] for fold in first["folds"]) == sorted(models)
    assert {"value", "low", "high"} <= set(first["whole"]["as_judged"]["figures"]["macro F1"])


def test_folds_of_one_model_and_folds_with_cases_are_refused(
    labelled: tuple[Path, Path], typed: Typed, tmp_path: Path
) -> None:
    run, labels = labelled
    assert "folds need two at least" in refused(typed("agreement", run, "--labels", labels, "--folds"))
    cases = ("--cases", tmp_path / "cases.csv")
    assert "leave --cases and --causes out" in refused(typed("agreement", run, "--labels", labels, "--folds", *cases))
