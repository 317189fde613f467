"""What a first user meets: names that are nearly right, roles and data that are missing, files that moved or broke."""

from pathlib import Path

import pytest

from tests.conftest import write_cultural
from tests.runs.conduct import Typed, mores

EASY = "culturalbench/easy"


def test_all_missing_roles_are_named_at_once_with_the_options_that_fill_them(typed: Typed) -> None:
    done = typed("run", "ladder", "-m", "recorded/none.jsonl")
    assert done.returncode == 2
    assert (
        "ladder/explain, ladder/apply, ladder/converse, ladder/live: no model for the judge, antagonist and supporter; "
        "a real run names them: --judge SPEC --role antagonist=SPEC --role supporter=SPEC."
    ) in done.stderr


def test_a_baseline_is_left_out_where_it_is_no_guess_and_refused_where_nothing_else_is_asked(typed: Typed) -> None:
    models = ("-m", "baseline/first", "-m", "simulated/typical")
    done = typed("run", "ladder/explain", "--limit", 3, *models)
    assert done.returncode == 0
    assert "baseline/first on ladder/explain was left out" in done.stderr
    alone = typed("run", "ladder/explain", "--limit", 3, "-m", "baseline/first")
    assert alone.returncode == 2
    assert "no guess at an open answer" in alone.stderr


def test_a_family_leaves_out_what_has_no_data_and_says_so(typed: Typed, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    write_cultural(data, 8)
    (data / "culturalbench-hard.csv").unlink()
    done = typed("run", "culturalbench", "--data", data)
    assert done.returncode == 0
    assert "culturalbench/hard was left out: --data" in done.stderr
    assert "expected culturalbench-hard.csv or CulturalBench-Hard.csv" in done.stderr
    assert EASY in done.stdout
    alone = typed("run", "culturalbench/hard", "--data", data)
    assert (alone.returncode, "no data of culturalbench/hard there" in alone.stderr) == (2, True)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("list", "benchmrks"), "Did you mean 'benchmarks'?"),
        (("show", "japn"), "Did you mean 'Japan'"),
        (("run", "ladder/jugde"), "Did you mean 'ladder/judge'"),
        (("run", "ladder/converse", "--set", "presure=none"), "Did you mean 'pressure'?"),
        (("run", "ladder/judge", "-m", "gpt-4o"), "Did you mean 'openai/gpt-4o'"),
        (("run", "ladder/judge", "-m", "typical"), "Did you mean 'simulated/typical'?"),
    ],
)
def test_a_name_that_is_nearly_right_is_guessed(typed: Typed, words: tuple[str, ...], told: str) -> None:
    done = typed(*words)
    assert done.returncode == 2
    assert told in done.stderr


def recorded(folder: Path, items: range) -> Path:
    lines = (f'{{"item": "easy-{number}", "reply": "A"}}\n' for number in items)
    (folder / "said.jsonl").write_text("".join(lines), encoding="utf-8")
    return folder / "said.jsonl"


def test_a_limit_that_leaves_recorded_items_out_is_named_as_the_cause(typed: Typed, tmp_path: Path) -> None:
    write_cultural(tmp_path, 24)
    kept = typed("show", EASY, "--data", tmp_path, "--items").stdout
    assert "easy-0" in kept
    said = recorded(tmp_path, range(24))
    some = typed("run", EASY, "--data", tmp_path, "-m", f"recorded/{said}", "--limit", 1, "--json")
    assert some.returncode == 0
    asked = next((tmp_path / "runs").rglob("transcripts.jsonl")).read_text(encoding="utf-8")
    own = next(number for number in range(24) if f'"easy-{number}"' not in asked)
    recorded(tmp_path, range(own, own + 1))
    done = typed("run", EASY, "--data", tmp_path, "-m", f"recorded/{said}", "--limit", 1, "--out", tmp_path / "other")
    assert done.returncode == 2
    assert f"its 1 items of {EASY} are not among the 1 that --limit or --places leave" in done.stderr


def test_estimates_that_are_damaged_are_made_anew_as_they_were(typed: Typed, tmp_path: Path) -> None:
    typed("run", "ladder/judge", "--limit", 9, "--out", tmp_path / "run")
    estimates = tmp_path / "run" / "estimates.json"
    whole = estimates.read_bytes()
    estimates.write_bytes(whole[:200])
    done = typed("report", tmp_path / "run")
    assert done.returncode == 0
    assert "it was damaged and was rebuilt from the verdicts" in done.stderr
    assert "Changed" not in done.stdout
    assert estimates.read_bytes() == whole


def test_damaged_estimates_that_verdicts_do_not_give_again_are_refused(typed: Typed, tmp_path: Path) -> None:
    typed("run", "ladder/judge", "--limit", 9, "--out", tmp_path / "run")
    (tmp_path / "run" / "estimates.json").write_text("{", encoding="utf-8")
    verdicts = tmp_path / "run" / "verdicts.jsonl"
    lines = verdicts.read_bytes().splitlines(keepends=True)
    verdicts.write_bytes(b"".join(lines[:-2]))
    done = typed("report", tmp_path / "run")
    assert done.returncode == 2
    assert f"mores resume {tmp_path / 'run'}" in done.stderr


def test_a_recording_with_a_relative_name_is_found_again_from_another_folder(tmp_path: Path) -> None:
    write_cultural(tmp_path, 24)
    recorded(tmp_path, range(24))
    run, other = tmp_path / "run", tmp_path / "other"
    other.mkdir()
    spec = ("run", EASY, "--data", tmp_path, "-m", "recorded/said.jsonl", "--out", run, "--max-calls", 5)
    assert mores(*spec, cwd=tmp_path).returncode == 1
    for _ in range(2):
        done = mores("resume", run, cwd=other)
        assert done.returncode == 0, done.stderr
