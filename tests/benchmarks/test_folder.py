"""A folder with a card, words and a table is a benchmark; nobody writes Python for it."""

import json
from pathlib import Path

import pytest

import mores
from mores.benchmarks.catalogue import names
from mores.core.errors import InputError
from mores.runs.loading import read_results
from tests.runs.conduct import mores as typed

CARD = """
title = "Table manners"
measures = "Whether a custom at table is told to be polite."
not_measured = "How a model behaves at a table."
source = "own"
licence = "CC-BY-4.0"
labels = ["yes", "no"]
affirmative = "yes"
"""
WORDS = "In [[place]], somebody does this: [[act]]\n\nIs it polite? Reply with one word (yes or no).\n"
ROWS = """id,place,gold,act,topic
1,Japan,no,passes food from chopsticks to chopsticks,chopsticks
2,JP,yes,slurps noodles,noodles
3,Germany,Yes,wishes everybody a good appetite,greetings
4,Georgia,no,drinks before the toast is over,toasts
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "manners"
    made.mkdir()
    for name, text in (("card.toml", CARD), ("prompt.md", WORDS), ("items.csv", ROWS)):
        (made / name).write_text(text)
    return made


def test_a_folder_is_run_resumed_and_reported_by_its_path(folder: Path) -> None:
    done = typed("run", "./manners", "--out", "run", "--json", cwd=folder.parent)
    found = json.loads(done.stdout)["benchmarks"]["folder/manners"]
    assert (found["asked"], found["chance"]) == (4, 0.5)
    assert {estimate["group"].get("topic") for estimate in found["estimates"]} >= {"noodles", "toasts"}
    assert typed("resume", "run", cwd=folder.parent).returncode == 0
    again = json.loads(typed("report", "run", "--json", cwd=folder.parent).stdout)["runs"][0]
    assert again["benchmarks"]["folder/manners"]["estimates"] == found["estimates"]
    assert f"mores run {folder}" in " ".join(typed("report", "run", cwd=folder.parent).stdout.split())


def test_the_words_are_put_with_the_english_name_of_the_place(folder: Path) -> None:
    mores.run(str(folder), out=folder.parent / "run")
    (evaluation,) = read_results([folder.parent / "run"]).evaluations
    asked = {each.item: each.events[0].messages[0].content for each in evaluation.transcripts()}  # type: ignore[union-attr]
    assert asked["2"].startswith("In Japan, somebody does this: slurps noodles")


def test_a_folder_that_is_gone_is_a_benchmark_no_more(folder: Path) -> None:
    mores.run(str(folder), out=folder.parent / "run")
    assert "folder/manners" in names()
    (folder / "card.toml").unlink()
    assert "folder/manners" not in names()
    mores.run("ladder/know", limit=2, out=folder.parent / "other").export("csv", folder.parent / "csv")
    assert (folder.parent / "csv" / "estimates.csv").is_file()


def test_it_can_be_looked_at_before_it_is_run(folder: Path) -> None:
    shown = typed("show", "./manners", cwd=folder.parent).stdout
    assert "Table manners (folder/manners, version 1-A)" in shown
    assert "folder/manners" in typed("plan", "./manners", cwd=folder.parent).stdout


def test_all_that_is_missing_is_named_at_once(folder: Path) -> None:
    (folder / "card.toml").write_text('title = "x"\nlables = ["yes"]\n')
    gone = ", ".join(f"no field '{name}'" for name in ("measures", "not_measured", "source", "licence", "labels"))
    told = f"{gone}, unknown field 'lables'"
    with pytest.raises(InputError, match=told):
        mores.run(str(folder), out=folder.parent / "run")
    (folder / "items.csv").unlink()
    (folder / "prompt.md").unlink()
    with pytest.raises(InputError, match=r"no prompt.md and no items.csv; a benchmark has card.toml"):
        mores.run(str(folder), out=folder.parent / "run")


@pytest.mark.parametrize(
    ("file", "text", "told"),
    [
        ("items.csv", "id,place,gold\n1,Japan,no\n", r"no column 'act'"),
        ("items.csv", "id,place,gold,act\n1,Japan,perhaps,x\n", r"gold is 'perhaps'; expected one of \['yes', 'no'\]"),
        ("items.csv", "id,place,gold,act\n1,Atlantis,no,x\n", "Atlantis"),
        ("card.toml", CARD.replace('["yes", "no"]', '["yes"]'), "expected two or more different ones"),
        ("card.toml", CARD.replace('affirmative = "yes"', 'affirmative = "ja"'), "affirmative is 'ja'"),
    ],
)
def test_a_slip_is_one_line_that_says_where(folder: Path, file: str, text: str, told: str) -> None:
    (folder / file).write_text(text)
    with pytest.raises(InputError, match=told):
        mores.run(str(folder), out=folder.parent / "run")


def test_a_folder_runs_alone(folder: Path) -> None:
    with pytest.raises(InputError, match="runs alone, and with its own data"):
        mores.run([str(folder), "ladder/know"], out=folder.parent / "run")


@pytest.mark.parametrize("name", ["ladder", "ladder/know"])
def test_a_folder_with_the_name_of_a_benchmark_or_family_is_meant_by_its_path_alone(folder: Path, name: str) -> None:
    shadow = folder.parent / name
    shadow.parent.mkdir(exist_ok=True)
    folder.rename(shadow)
    assert "(ladder/know, version" in typed("show", name, cwd=folder.parent).stdout
    done = typed("run", name, "--limit", "8", "--out", "known", "--json", cwd=folder.parent)
    assert "ladder/know" in json.loads(done.stdout)["benchmarks"], done.stderr
    done = typed("run", f"./{name}", "--out", "own", "--json", cwd=folder.parent)
    assert [*json.loads(done.stdout)["benchmarks"]] == [f"folder/{shadow.name}"], done.stderr


def test_a_folder_that_is_gone_leaves_its_figures(folder: Path) -> None:
    mores.run(str(folder), out=folder.parent / "run")
    folder.rename(folder.parent / "elsewhere")
    done = typed("report", "run", cwd=folder.parent)
    assert done.returncode == 0
    assert "folder/manners" in done.stdout


def test_a_folder_says_its_language_and_what_is_none_is_refused(folder: Path) -> None:
    (folder / "card.toml").write_text(f'{CARD}language = "Spanish"\n')
    with pytest.raises(InputError, match=r"card\.toml: language 'Spanish' is no BCP 47 tag"):
        mores.run(str(folder), out=folder.parent / "other")
    (folder / "card.toml").write_text(f'{CARD}language = "es-MX"\n')
    mores.run(str(folder), out=folder.parent / "run")
    (evaluation,) = read_results([folder.parent / "run"]).evaluations
    assert {each.events[0].language for each in evaluation.transcripts()} == {"es-MX"}  # type: ignore[union-attr]
    assert "es" in evaluation.by("language", "accuracy")
