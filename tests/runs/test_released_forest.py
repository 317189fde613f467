"""What CultureForest's released code left is scored as it lies: each form by its folder, samples by their number."""

import json
from collections.abc import Callable, Mapping
from math import exp
from pathlib import Path
from typing import Any

import pytest

import mores
from mores.core.errors import InputError
from tests.benchmarks.plays import TINY

DATA = TINY / "cultureforest"
SHARES = {"Satisfy": 0.75, "Neutral": 0.25, "Violate": 0.0}


def questions() -> list[tuple[str, str, dict[str, Any]]]:
    """Each question with its folder and file."""
    return [
        (path.parent.name, path.name, json.loads(line))
        for path in sorted(DATA.glob("*/*.json"))
        for line in path.read_text("utf-8").splitlines()
    ]


def leave(home: Path, row_of: Callable[[dict[str, Any]], Mapping[str, Any]], ending: str = "") -> Path:
    """A file a category, a line a question, as the released code writes them."""
    for country, name, question in questions():
        path = home / country / f"{name}{ending}"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row_of(question)) + "\n")
    return home


def answered(*contents: str, thinking: str = "") -> dict[str, Any]:
    rows = [
        {"content": content, "reasoning_content": f"<think>\n{thinking}\n</think>{content}" if thinking else "",
         "params": {"model": "m"}, "sample_index": number}
        for number, content in enumerate(contents)
    ]  # fmt: skip
    return {"responses": rows}


def said(word: str) -> str:
    return json.dumps({"Answer": word})


def ran(name: str, out: Path, **wishes: Any) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The headline, and the verdicts that it rests on."""
    mores.run(name, data=str(DATA), out=out, **wishes)
    estimates = json.loads((out / "estimates.json").read_text("utf-8"))
    whole = next(e for e in estimates["estimates"] if e["metric"] == estimates["headline"] and not e["group"])
    return whole, [json.loads(line) for line in (out / "verdicts.jsonl").read_text("utf-8").splitlines()]


def test_easy_outputs_are_scored_with_three_samples_and_their_thinking_is_kept_apart(tmp_path: Path) -> None:
    home = leave(
        tmp_path / "Easy" / "model_nonThink" / "output",
        lambda q: {"uuid": q["uuid"], "samples": answered(*[said(q["Easy"]["Answer_Key_Shuffle"])] * 2, said("?"),
                                                         thinking="Hm.")},
    )  # fmt: skip
    whole, _ = ran("cultureforest/easy", tmp_path / "run", model=f"recorded/{home}")
    assert (whole["asked"], whole["graded"]) == (len(questions()), len(questions()))
    assert whole["value"] == pytest.approx(2 / 3)
    events = (tmp_path / "run" / "transcripts.jsonl").read_text("utf-8")
    assert events.count('"Hm."') == 3 * len(questions())


def test_the_four_folders_of_judgements_make_up_medium_and_a_sample_that_was_not_kept_is_ungraded(
    tmp_path: Path,
) -> None:
    for number in range(1, 5):
        word = "True" if number == 4 else "False"
        leave(tmp_path / "all" / f"Judge_{number}" / "m" / "output",
              lambda q, word=word: {"uuid": q["uuid"], "samples": answered(said(word))})  # type: ignore[misc]  # fmt: skip
    whole, _ = ran("cultureforest/medium", tmp_path / "one", model=f"recorded/{tmp_path / 'all'}", samples=1)
    assert (whole["value"], whole["graded"]) == (1, len(questions()))
    three, verdicts = ran("cultureforest/medium", tmp_path / "three", model=f"recorded/{tmp_path / 'all'}")
    causes = {v.get("cause") for v in verdicts if v["verdict"] != "graded"}
    assert (three["value"], causes) == (1, {"no recorded reply"})


def test_open_answers_are_scored_by_the_probabilities_that_the_verifier_gave(tmp_path: Path) -> None:
    outputs = leave(tmp_path / "Open" / "m" / "output",
                    lambda q: {"uuid": q["uuid"], "samples": answered("One.", "Two.", "Three.")})  # fmt: skip
    shares = leave(
        tmp_path / "Eval_Open" / "results" / "m",
        lambda q: {"uuid": q["uuid"], **{f"sample_{k}": {f"norm_{n}": SHARES for n in (1, 2, 3)} for k in (1, 2, 3)}},
        ending=".json",
    )
    whole, verdicts = ran(
        "cultureforest/hard", tmp_path / "run", model=f"recorded/{outputs}", judge=f"recorded/{shares}"
    )
    assert whole["asked"] == whole["graded"]
    assert {v["verdict"] for v in verdicts} == {"graded"}
    assert len(verdicts) == 3 * 3 * len(questions())
    for verdict in verdicts:
        found = verdict["ballot"]["shares"]
        assert (found["satisfied"], found["neutral"]) == (pytest.approx(0.75), pytest.approx(0.25))
        assert found["violated"] < exp(-500)
        assert not verdict["ballot"].get("hard")


def test_one_file_without_its_folders_is_read_by_the_benchmark_that_asks_for_it(tmp_path: Path) -> None:
    path = tmp_path / "outputs.jsonl"
    rows = [{"uuid": q["uuid"], "samples": answered(said(q["Easy"]["Answer_Key_Shuffle"]))} for *_, q in questions()]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    whole, _ = ran("cultureforest/easy", tmp_path / "run", model=f"recorded/{path}", samples=1)
    assert whole["value"] == 1
    with pytest.raises(InputError, match="no reply in CultureForest's outputs answers a question of cultureforest/med"):
        mores.run("cultureforest/medium", data=str(DATA), model=f"recorded/{path}", out=tmp_path / "other")


def test_a_row_that_is_none_costs_no_other(tmp_path: Path) -> None:
    home = leave(tmp_path / "Easy" / "m" / "output",
                 lambda q: {"uuid": q["uuid"], "samples": answered(said(q["Easy"]["Answer_Key_Shuffle"]))})  # fmt: skip
    odd = next(home.rglob("*.json"))
    with odd.open("a", encoding="utf-8") as file:
        file.write('{"uuid": "x", "samples": {"responses": [4]}}\n{"uuid": "y", "sam\n')
    whole, _ = ran("cultureforest/easy", tmp_path / "run", model=f"recorded/{home}", samples=1)
    assert (whole["value"], whole["graded"]) == (1, len(questions()))
    (usage,) = json.loads((tmp_path / "run" / "manifest.json").read_text("utf-8"))["models"].values()
    assert usage["recording"]["reasons"] == {"rows that could not be read": 2}
    assert usage["recording"]["replies"] == len(questions()) + 2


def test_a_folder_with_outputs_of_two_models_is_refused_with_their_names(tmp_path: Path) -> None:
    for model in ("a", "a_nonThink"):
        leave(tmp_path / "Easy" / model / "output",
              lambda q: {"uuid": q["uuid"], "samples": answered(said("A"))})  # fmt: skip
    with pytest.raises(InputError, match=r"outputs of several models \(a, a_nonThink\); name the folder of one"):
        mores.run("cultureforest/easy", data=str(DATA), model=f"recorded/{tmp_path / 'Easy'}", out=tmp_path / "run")
