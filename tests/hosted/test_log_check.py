"""A log of another program is held against mores on the same replies, and each difference is named."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

import mores
from tests.benchmarks.plays import TINY
from tests.runs.conduct import Typed
from tests.runs.conftest import typed

__all__ = ["typed"]
DATA = TINY / "culturalbench"


def hard() -> list[dict[str, str]]:
    with (DATA / "culturalbench-hard.csv").open(encoding="utf-8", newline="") as table:
        return list(csv.DictReader(table))


def lm_eval(path: Path, replies: list[tuple[str, float]]) -> Path:
    """A file of samples: a row a statement, with what was said to it and the points that it got there."""
    rows = (
        {"doc_id": number, "doc": {}, "resps": [[said]], "metrics": ["exact_match"], "exact_match": points,
         "arguments": {"gen_args_0": {"arg_0": f"{row['prompt_question']}\n{row['prompt_option']}\nAnswer:"}}}
        for number, (row, (said, points)) in enumerate(zip(hard(), replies, strict=True))
    )  # fmt: skip
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def right() -> list[tuple[str, float]]:
    return [(row["answer"].capitalize(), 1.0) for row in hard()]


def test_a_log_that_grades_as_mores_does_agrees(tmp_path: Path, typed: Typed) -> None:
    log = lm_eval(tmp_path / "samples_hard.jsonl", right())
    done = typed("doctor", "log", log, "culturalbench/hard", "--data", DATA)
    assert done.returncode == 0, done.stderr
    assert "Grades: 12 of 12 alike; mean points 1.0000 in the log, 1.0000 here." in done.stdout
    assert "accuracy by mores: 100.0%" in done.stdout


def test_each_reply_that_is_graded_otherwise_is_named_with_both_grades_and_why(tmp_path: Path, typed: Typed) -> None:
    replies = right()
    replies[0] = (f"{replies[0][0]}.", 0.0)
    replies[1] = ("No idea.", 1.0)
    log = lm_eval(tmp_path / "samples_hard.jsonl", replies)
    done = typed("doctor", "log", log, "culturalbench/hard", "--data", DATA)
    assert done.returncode == 1, done.stderr
    assert "Grades: 10 of 12 alike" in done.stdout
    told = json.loads(typed("doctor", "log", log, "culturalbench/hard", "--data", DATA, "--json").stdout)
    assert not told["agrees"]
    assert [(each["log"], each["mores"]) for each in told["grades"]] == [(0.0, 1.0), (1.0, 0.0)]
    assert [each["reply"] for each in told["grades"]] == [replies[0][0], "No idea."]
    assert all(each["reason"] for each in told["grades"])
    assert (told["points_log"], told["points_mores"]) == pytest.approx((11 / 12, 11 / 12))


def test_an_exported_log_says_its_benchmark_itself(tmp_path: Path, typed: Typed) -> None:
    run = mores.run("ladder/know", model="simulated/typical", places="JP", out=tmp_path / "run")
    run.export("inspect", tmp_path / "logs")
    (log,) = (tmp_path / "logs").iterdir()
    done = typed("doctor", "log", log)
    assert done.returncode == 0, done.stderr
    assert "to ladder/know." in done.stdout


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "it does not say which benchmark it is of; name one: mores doctor log"),
        (
            ("cure/normad_thick", "--data", TINY / "cure"),
            "graded by a judge, whom nobody asks here",
        ),
        (("culturalbench/hard",), "culturalbench/hard needs"),
        (("ladder/know",), "no reply in lm-evaluation-harness's samples answers a question of ladder/know"),
    ],
)
def test_what_cannot_be_checked_is_refused_in_a_line(words: Any, says: str, tmp_path: Path, typed: Typed) -> None:
    log = lm_eval(tmp_path / "samples_hard.jsonl", right())
    done = typed("doctor", "log", log, *words)
    assert done.returncode == 2
    assert says in done.stderr
    assert done.stderr.count("\n") <= 1
