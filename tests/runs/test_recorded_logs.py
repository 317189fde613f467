"""Logs of other programs, scored by a whole run: what was exported reads back, and what was not matched is told."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

import mores
from mores.core.errors import InputError
from tests.benchmarks.plays import TINY
from tests.runs.conduct import Typed

DATA = str(TINY / "culturalbench")


def manifest_of(run: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((run / "manifest.json").read_text("utf-8"))
    return found


def recording_of(run: Path) -> dict[str, Any]:
    """The counts that are not zero."""
    (usage,) = manifest_of(run)["models"].values()
    return {name: count for name, count in usage["recording"].items() if count}


@pytest.mark.parametrize(
    ("to", "ending", "missing"),
    [("inspect", "*.eval", "recorded error"), ("every-eval-ever", "*_samples.jsonl", "no recorded reply")],
)
def test_what_was_exported_reads_back_to_the_same_figures(to: str, ending: str, missing: str, tmp_path: Path) -> None:
    played = {"limit": 9, "samples": 2}
    before = mores.run("ladder/know", model="simulated/uneven:refusal=.1,failure=.1", out=tmp_path / "a", **played)
    before.export(to, tmp_path / "logs")
    (log,) = (tmp_path / "logs").rglob(ending)
    after = mores.run("ladder/know", model=f"recorded/{log}", out=tmp_path / "b", **played)
    ours, theirs = ([(e["metric"], e["value"], e["graded"]) for e in runs.estimates] for runs in (before, after))
    assert ours == theirs
    failed = manifest_of(tmp_path / "a")["ungraded"]["simulated failure"]
    assert manifest_of(tmp_path / "b")["ungraded"] == {missing: failed}
    counts = recording_of(tmp_path / "b")
    assert counts["by_name"] + counts.get("missing", 0) == 2 * manifest_of(tmp_path / "a")["items"]
    assert counts["by_name"] == counts["replies"]


def lm_eval_row(number: int, asked: str, said: str) -> str:
    arguments = {"gen_args_0": {"arg_0": asked, "arg_1": {}}}
    return json.dumps({"doc_id": number, "doc": {}, "arguments": arguments, "resps": [[said]]}) + "\n"


def hard_rows() -> list[dict[str, str]]:
    with (TINY / "culturalbench" / "culturalbench-hard.csv").open(encoding="utf-8", newline="") as table:
        return list(csv.DictReader(table))


def test_another_template_is_matched_and_the_command_tells_what_was_not(tmp_path: Path, typed: Typed) -> None:
    rows = [
        lm_eval_row(number, f"{row['prompt_question']}\n{row['prompt_option']}\nAnswer:", row["answer"])
        for number, row in enumerate(hard_rows()[:-1])
    ]
    path = tmp_path / "samples_hard.jsonl"
    path.write_text(
        "".join(rows) + lm_eval_row(99, "Who came first?", "True") + rows[0].replace('"doc_id": 0', '"doc_id": 77')
    )
    done = typed("run", "culturalbench/hard", "--data", DATA, "--model", f"recorded/{path}", "--out", tmp_path / "run")
    said = " ".join(done.stdout.split())
    assert "samples: 10 of 13 replies used (10 by the question within another template)" in said
    assert "not used (2 ambiguous, 1 to no question asked here)" in said
    assert "2 answers are not there" in said
    assert manifest_of(tmp_path / "run")["ungraded"] == {"no recorded reply": 4}
    assert recording_of(tmp_path / "run") == {
        "layout": "lm-evaluation-harness's samples", "replies": 13, "by_contents": 10, "ambiguous": 2, "unmatched": 1,
        "missing": 2,
    }  # fmt: skip


def test_a_batch_named_by_items_is_played_back_with_its_errors(tmp_path: Path) -> None:
    rows = [{"key": f"hard-{row['data_idx']}", "response": {"candidates": [{"content": {"parts": [
             {"text": row["answer"].title()}]}, "finishReason": "STOP"}]}} for row in hard_rows()]  # fmt: skip
    rows[0] = {"key": "hard-0", "error": {"code": 4, "message": "expired"}}
    path = tmp_path / "results.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    mores.run("culturalbench/hard", data=DATA, model=f"recorded/{path}", out=tmp_path / "run")
    assert manifest_of(tmp_path / "run")["ungraded"] == {"recorded error": 2}
    assert recording_of(tmp_path / "run")["by_name"] == 12


@pytest.mark.parametrize(
    ("benchmark", "why"),
    [
        (
            "culturalbench/hard",
            "no reply in .* answers a question of culturalbench/hard, .* got '5', expected 'hard-0'",
        ),
        ("ladder/converse", "answer questions of one turn, and ladder/converse has none"),
    ],
)
def test_a_log_of_another_benchmark_is_refused_before_anything_is_played(
    benchmark: str, why: str, tmp_path: Path
) -> None:
    path = tmp_path / "samples.jsonl"
    path.write_text(lm_eval_row(5, "Who came first?", "True"))
    roles = (
        {"judge": "vllm/judge", "role": ["antagonist=vllm/other"]} if benchmark == "ladder/converse" else {"data": DATA}
    )
    with pytest.raises(InputError, match=why):
        mores.run(benchmark, model=f"recorded/{path}", out=tmp_path / "run", **roles)
    assert not (tmp_path / "run").exists()


def test_a_log_can_not_be_a_judge(tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl"
    path.write_text(lm_eval_row(5, "Who came first?", "True"))
    with pytest.raises(InputError, match="logs of other programs are read for the subject alone; got a judge"):
        mores.run("ladder/explain", model="vllm/x", judge=f"recorded/{path}", limit=3, out=tmp_path / "run")
