"""Points put right for length by what people gave to the same answers, and what is said where that cannot be done."""

import csv
import random
from math import log
from pathlib import Path

import numpy as np
import pytest

from mores.benchmarks import catalogue
from mores.benchmarks.benchmark import summarise
from mores.core.errors import InputError
from mores.core.transcript import ItemMetadata
from mores.core.verdict import Graded, Verdict, VoteSummary
from mores.core.verdict_table import VerdictTable
from mores.tables.missing_texts import format_missing
from tests.benchmarks.plays import figure, setting_of
from tests.benchmarks.thick import Voice, normad, play, room, score, write_table


def lengthy(folder: Path, count: int = 400, labelled: int = 120) -> tuple[Path, Path, dict[str, str]]:
    """Scenes, people's labels of some answers, and answers whose lengths have nothing to do with how good they are."""
    data = normad(folder / "normad.csv", count)
    rng = random.Random(7)
    words = {f"normad-{n}": "Yes. " + "so " * rng.randint(5, 80) for n in range(count)}
    people = [
        {"item": f"normad-{n}", "task": task, "annotator": who, "label": min(1.0, max(0.0, 0.5 + shift)), "note": ""}
        for n in range(labelled)
        for who, shift in (("a", 0.05), ("b", -0.05))
        for task in ("coverage", "label")
    ]
    return data, write_table(folder / "labels.csv", people), words


def talkative(slope: float, words: dict[str, str]) -> Voice:
    """A judge that gives .5, and more to longer answers."""

    def say(item: str) -> str:
        return score(round(0.5 + slope * (log(len(words[item].split())) - log(30)), 6))

    return Voice(lambda request: say(request.tag.item))


def test_what_a_judge_gives_to_length_alone_is_taken_away(tmp_path: Path) -> None:
    data, labels, words = lengthy(tmp_path)
    benchmark, setting, items = room("cure/normad_thick", data, length_labels=str(labels))
    clients = {"subject": Voice(lambda request: words[request.tag.item]), "judge": talkative(0.1, words)}
    played = play(benchmark, setting, items, clients)
    plain, corrected = played.figure("coverage"), played.figure("coverage_corrected")
    assert "0.1000 points a unit of log words" in format_missing(corrected.missing)
    assert "120 labelled answers" in format_missing(corrected.missing)
    aside = np.mean([log(len(text.split())) for text in words.values()])
    centre = np.mean([log(len(words[f"normad-{n}"].split())) for n in range(120)])
    assert plain.value is not None
    assert corrected.value == pytest.approx(plain.value - 0.1 * (aside - centre), abs=1e-6)
    assert corrected.low is not None
    assert corrected.high is not None
    assert corrected.low <= (corrected.value or 0) <= corrected.high
    assert {e.group.get("place") for e in played.figures if e.metric == "coverage_corrected"} == {
        None, "JP", "DE", "NG", "BR"
    }  # fmt: skip


def test_without_peoples_labels_the_corrected_figure_is_missing_and_says_what_to_give(tmp_path: Path) -> None:
    benchmark, setting, items = room("cure/normad_thick", normad(tmp_path / "normad.csv", 12))
    played = play(benchmark, setting, items, {"subject": Voice("Yes. So."), "judge": Voice(score(0.5))})
    (missing,) = (e for e in played.figures if e.metric == "coverage_corrected")
    assert (missing.value, missing.group) == (None, {})
    assert "--set length_labels=FILE" in format_missing(missing.missing)


@pytest.mark.parametrize(("labelled", "says"), [(5, "expected at least 10"), (0, "expected at least 10")])
def test_too_few_labels_correct_nothing_and_say_so(labelled: int, says: str, tmp_path: Path) -> None:
    data, labels, words = lengthy(tmp_path, count=30, labelled=max(labelled, 1))
    if not labelled:
        labels.write_text("item,task,annotator,label\nother-1,coverage,a,0.5\n", encoding="utf-8")
    benchmark, setting, items = room("cure/normad_thick", data, length_labels=str(labels))
    clients = {"subject": Voice(lambda request: words[request.tag.item]), "judge": Voice(score(0.5))}
    found = play(benchmark, setting, items, clients).figure("coverage_corrected")
    assert found.value is None
    assert says in format_missing(found.missing)


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ("normad-0,coverage,a,1.5", "labels.csv:2: label is '1.5'; expected points from 0 to 1"),
        ("normad-0,coverage,a,good", "label is 'good'"),
        ("normad-0,coverage,,0.5", "annotator is empty"),
        ("normad-0,coverage,a,nan", "label is 'nan'"),
        (
            "normad-0,coverage,a,0.5\nnormad-0,coverage,a,0.6",
            "labels.csv:3: a second label of normad-0, sample 0, coverage by 'a'",
        ),
    ],
)
def test_labels_that_cannot_be_read_are_refused_before_anything_is_asked(row: str, says: str, tmp_path: Path) -> None:
    labels = tmp_path / "labels.csv"
    labels.write_text(f"item,task,annotator,label\n{row}\n", encoding="utf-8")
    with pytest.raises(InputError, match=says):
        room("cure/normad_thick", normad(tmp_path / "normad.csv", 12), length_labels=str(labels))


def test_a_sample_that_is_no_number_is_refused(tmp_path: Path) -> None:
    labels = tmp_path / "labels.csv"
    labels.write_text("item,task,annotator,label,sample\nnormad-0,coverage,a,0.5,first\n", encoding="utf-8")
    with pytest.raises(InputError, match="sample is 'first'; expected a whole number"):
        room("cure/normad_thick", normad(tmp_path / "normad.csv", 12), length_labels=str(labels))


def test_a_missing_file_of_labels_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere\.csv"):
        room("cure/normad_thick", normad(tmp_path / "normad.csv", 12), length_labels=str(tmp_path / "nowhere.csv"))


def test_labels_of_a_later_sample_belong_to_it(tmp_path: Path) -> None:
    data, _, words = lengthy(tmp_path, count=30)
    labels = tmp_path / "labels.csv"
    with labels.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["item", "sample", "task", "annotator", "label"])
        table.writerows([f"normad-{n}", 1, "coverage", "a", 0.5] for n in range(30))
    clients = {"subject": Voice(lambda request: words[request.tag.item]), "judge": talkative(0.1, words)}
    whys = []
    for samples in (1, 2):
        benchmark, setting, items = room("cure/normad_thick", data, samples=samples, length_labels=str(labels))
        whys.append(format_missing(play(benchmark, setting, items, clients).figure("coverage_corrected").missing) or "")
    assert "expected at least 10" in whys[0]
    assert "from 30 labelled answers" in whys[1]


def test_people_labels_are_among_the_sources(tmp_path: Path) -> None:
    data, labels, _ = lengthy(tmp_path, count=12, labelled=12)
    benchmark, setting, _ = room("cure/normad_thick", data, length_labels=str(labels))
    assert set(benchmark.sources(setting)) == {"normad.csv", "labels.csv"}


def test_the_intervals_of_corrected_figures_hold_the_truth(tmp_path: Path) -> None:
    """Quality .5 with noise, a judge that gives .08 a unit of log length, 40 answers labelled with noise of .1."""
    held, benchmark = [], catalogue.load("cure/normad_thick")
    for seed in range(40):
        rng = np.random.default_rng(seed)
        words = rng.integers(5, 100, 200)
        quality = np.clip(0.5 + rng.normal(0, 0.1, 200), 0, 1)
        # the labelled answers are shorter than the others, so that the slope matters
        order = np.argsort(words + rng.normal(0, 20, 200))
        labelled = set(order[:40].tolist())
        centre = np.mean(np.log(words[list(labelled)]))
        points = quality + 0.08 * (np.log(words) - centre)
        rows = [
            {"item": f"normad-{n}", "task": "coverage", "annotator": "a",
             "label": float(np.clip(quality[n] + rng.normal(0, 0.1), 0, 1))}
            for n in labelled
        ]  # fmt: skip
        verdicts: list[Verdict] = []
        for n in range(200):
            about = ItemMetadata(item=f"normad-{n}", unit=f"normad-{n}", cluster=f"normad-{n}")
            ballot = VoteSummary(votes=1, asked=1, words=int(words[n]))
            verdicts.append(Graded(about=about, sample=0, task="label", points=1.0, label="yes", gold="yes"))
            verdicts.append(Graded(about=about, sample=0, task="coverage", points=float(points[n]), ballot=ballot))
        path = write_table(tmp_path / "labels.csv", rows)
        setting = setting_of(benchmark, None, settings={"scale": "continuous", "length_labels": str(path)})
        found = figure(summarise(benchmark, VerdictTable(verdicts), setting), "coverage_corrected")
        assert found.low is not None
        assert found.high is not None
        held.append(found.low <= 0.5 <= found.high)
    assert sum(held) / len(held) >= 0.9
