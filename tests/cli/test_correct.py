"""`mores judge correct`: from a sample labelled by simulated people to the corrected figure, and bad input."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mores.cli.main import main
from mores.norms.pack import load_pack
from tests.annotation.people import simulate
from tests.calibration.made_votes import Play, judged_run, labels_file

Mores = Callable[..., tuple[int, str, str]]


@pytest.fixture
def mores(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Mores:
    """Run the command line in this process; exit code, standard output and standard error."""

    def run(*words: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["mores", *(str(word) for word in words)])
        with pytest.raises(SystemExit) as ended:
            main()
        told = capsys.readouterr()
        return int(ended.value.code or 0), told.out, told.err

    return run


def made(folder: Path, n: int = 120, labelled: int = 70) -> tuple[Path, Path]:
    """A run whose judge takes every fourth no of people for yes, and labels of some of it."""
    rng = np.random.default_rng(1)
    true = ["yes" if hit else "no" for hit in rng.random(n) < 0.5]
    said = ["yes" if word == "no" and k % 4 == 0 else word for k, word in enumerate(true)]
    run = judged_run(folder / "run", [Play(item=f"i{k}", said=word, place="JP") for k, word in enumerate(said)])
    return run, labels_file(folder / "labels.csv", [(f"i{k}", "ann", true[k]) for k in range(labelled)])


def test_the_whole_way_from_a_run_to_a_corrected_score(mores: Mores, tmp_path: Path) -> None:
    """Simulated people are perfect: the corrected mean of points has what was planted in its interval."""
    run, sample, labels = tmp_path / "run", tmp_path / "sample", tmp_path / "labels.csv"
    assert mores("run", "ladder/explain", "-m", "simulated/typical", "--samples", 2, "--out", run)[0] == 0
    assert mores("judge", "sample", run, "--n", 100, "--out", sample)[0] == 0
    simulate(run, "--sample", sample, "--accuracy", 1, "--noise", 0, "--people", 2, "--out", labels)
    everything = tmp_path / "all.csv"
    simulate(run, "--noise", 0, "--people", 1, "--out", everything)
    truth = np.mean([float(line.rsplit(",", 1)[1]) for line in everything.read_text().splitlines()[1:]])
    code, out, _ = mores("judge", "correct", run, "--labels", labels, "--sample", sample, "--json")
    assert code == 0
    found = json.loads(out)
    (task,) = found["corrections_tasks"]
    assert task["simulated"]
    counted = sum(not entry.norm.contested for entry in load_pack().norms)  # those that are contested stand apart
    assert (task["task"], task["judged"], task["people"]) == ("coverage", 2 * counted, 2)
    assert 60 <= task["labelled"] <= 100
    ways = {row["way"]: row for row in found["corrections"]}
    assert {row["figure"] for row in ways.values()} == {"coverage"}
    assert ways["PPI++"]["low"] <= truth <= ways["PPI++"]["high"]
    assert ways["judge, uncorrected"]["mean"] == pytest.approx(_figure(run, "coverage"))


def _figure(run: Path, metric: str) -> float:
    found: Any = json.loads((run / "estimates.json").read_text())
    return float(next(e["value"] for e in found["estimates"] if e["metric"] == metric and not e.get("group")))


def test_corrected_figures_stand_beside_the_uncorrected_with_what_they_rest_on(mores: Mores, tmp_path: Path) -> None:
    run, labels = made(tmp_path)
    code, out, _ = mores("judge", "correct", run, "--labels", labels, "--by", "place")
    assert code == 0
    for words in ("judge, uncorrected", "PPI++", "Rogan–Gladen", "people alone", "lambda", "sensitivity", "specificity",
                  "the headline of the card: polite", "120 things judged; 70 labelled by 1 person, in 70 clusters",
                  "Japan", "people may make errors"):  # fmt: skip
        assert words in " ".join(out.split()), words
    assert max(map(len, out.splitlines())) <= 80


def test_json_says_all_of_it(mores: Mores, tmp_path: Path) -> None:
    run, labels = made(tmp_path)
    found = json.loads(mores("judge", "correct", run, "--labels", labels, "--by", "place", "--json")[1])
    assert all(row["headline"] for row in found["corrections"])
    assert {row["place"] for row in found["corrections"]} == {None, "JP"}
    powered = next(row for row in found["corrections"] if row["way"] == "PPI++" and row["place"] is None)
    assert powered["lambda_low"] == powered["lambda_high"] is not None
    whole, there = found["corrections_apart"]
    assert whole["sensitivity_graded"] + whole["specificity_graded"] == whole["labelled"] == 70
    assert there["place"] == "JP"
    assert whole["p_holm"] == pytest.approx(2 * whole["p"])
    assert not found["simulated"]
    assert found["confidence"] == 0.95


def test_the_same_seed_gives_the_same_figures(mores: Mores, tmp_path: Path) -> None:
    run, labels = made(tmp_path)
    first, again = (mores("judge", "correct", run, "--labels", labels, "--seed", 3, "--json")[1] for _ in range(2))
    assert first == again


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([("i1", "ann", "yes"), ("nobody", "ann", "no")], "labels.csv:3: nobody, sample 0, polite was not judged"),
        ([("i1", "ann", "yes"), ("i1", "ann", "no")], "labels.csv:3: a second label of i1"),
        ([("i1", "ann", "maybe")], "labels.csv:2: label is 'maybe'; expected one of yes, no."),
        ([("i1", "ann", "")], "no row has a label"),
    ],
)
def test_bad_labels_are_one_line(mores: Mores, tmp_path: Path, rows: list[tuple[str, str, str]], says: str) -> None:
    run, _ = made(tmp_path)
    code, out, err = mores("judge", "correct", run, "--labels", labels_file(tmp_path / "labels.csv", rows))
    assert code == 2
    assert not out
    assert says in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (("--task", "warmth"), "--task warmth: nobody judged it; tasks are polite."),
        (("--confidence", "95"), "--confidence 95.0: expected a share from 0.5 to below 1, such as .95."),
        (("--sample", "nowhere"), "nowhere: cannot be read"),
    ],
)
def test_what_cannot_be_used_is_one_line(mores: Mores, tmp_path: Path, more: tuple[str, str], says: str) -> None:
    run, labels = made(tmp_path)
    code, _, err = mores("judge", "correct", run, "--labels", labels, *more)
    assert code == 2
    assert says in err
    assert len(err.splitlines()) == 1


def test_a_task_without_labels_has_nothing_to_correct_and_says_so(mores: Mores, tmp_path: Path) -> None:
    run, labels = made(tmp_path)
    other = judged_run(tmp_path / "other", [Play(item="x", said="yes")], task="warm")
    code, _, err = mores("judge", "correct", run, other, "--labels", labels, "--task", "warm")
    assert code == 2
    assert "No label is about warm" in err


def test_the_report_of_labelled_runs_says_whether_the_judge_can_be_believed(mores: Mores, tmp_path: Path) -> None:
    run, labels = made(tmp_path)
    page = tmp_path / "page.html"
    code, out, _ = mores("report", run, "--labels", labels, "--out", page)
    assert code == 0
    assert "compared with people's labels" in out
    assert "has not been checked against people" not in out
    code, out, _ = mores("report", run, "--labels", labels, "--out", page, "--full")
    assert code == 0
    assert "Can the judge be believed?" in out
    assert "How good?\nagree " in out
    assert out.split()[-1] == str(page)
    assert 'id="trust"' in page.read_text()


def test_a_sample_without_labels_is_refused_by_the_report(mores: Mores, tmp_path: Path) -> None:
    run, _ = made(tmp_path)
    code, _, err = mores("report", run, "--sample", tmp_path)
    assert code == 2
    assert "a sample without labels says nothing" in err
