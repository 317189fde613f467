"""What the code of somebody else's package does wrong is named with the package, and is its authors' to hear of."""

from functools import partial
from pathlib import Path

import pytest

from tests.benchmarks.test_toy_family import install, package
from tests.runs.conduct import Done, mores

BY_AUTHORS = "Please report it to the authors of toy-manners."
PLAY = """

async def _play(self, item, *given):
    if item.about.item == "advice-3":
        return {"a": 1}["b"]
    return await _real(self, item, *given)

_real, ExplainedBenchmark.play = ExplainedBenchmark.play, _play
"""
JUDGE = """

async def _judge(self, item, transcript, *given):
    graded = await _real(self, item, transcript, *given)
    return type(graded)(graded.verdicts[:1]) if item.about.item == "advice-3" else graded

_real, ExplainedBenchmark.judge = ExplainedBenchmark.judge, _judge
"""
FIGURE = """

def _short(source):
    raise KeyError("no words")
"""
SECTION = """

def _fails(results):
    raise KeyError("no words")


SHORT_ANALYSIS = Analysis(id="short", title="Short and right", tables=(TABLE,), analyse=_fails)
"""
ITEMS = """

def _item(cells, **given):
    raise KeyError("no words")
"""
MAKING = """

def benchmark(words=None):
    raise KeyError("no words")
"""
IMPORT = "\n\n1 / 0\n"


def run_with(folder: Path, code: str, *more: str) -> Done:
    """A run where the package has this code at its end."""
    site = package(folder / "site", {})
    room = site / "toy_manners" / "__init__.py"
    room.write_text(room.read_text() + code)
    typed = ("run", "manners/advice", "--data", str(site), "--model", "simulated/typical", "--out", "run", *more)
    return mores(*typed, cwd=folder, seconds=120, before=partial(install, site))


@pytest.mark.parametrize(
    ("code", "told"),
    [
        (PLAY, "advice-3 could not be played or judged (error in the package toy-manners: KeyError: 'b')"),
        (JUDGE, "Unfit: judge gave no verdict on the task 'reasons' of advice-3, which is due)"),
        (FIGURE, "The figure 'short' could not be made (error in the package toy-manners: KeyError: 'no words')"),
        (SECTION, "The section 'short' could not be made (error in the package toy-manners: KeyError: "),
    ],
    ids=["play", "judge", "figure", "section"],
)
def test_what_a_package_does_wrong_costs_that_alone_and_names_it(tmp_path: Path, code: str, told: str) -> None:
    done = run_with(tmp_path, code)
    assert done.returncode == 1, done.stderr
    assert told in done.stderr
    assert BY_AUTHORS in done.stderr
    assert "Traceback" not in done.stderr + done.stdout
    files = ("transcripts.jsonl", "verdicts.jsonl", "votes.jsonl", "estimates.json", "manifest.json", "report.html")
    assert all((tmp_path / "run" / name).is_file() for name in files)


@pytest.mark.parametrize("code", [ITEMS, MAKING, IMPORT], ids=["items", "making", "import"])
def test_a_package_that_fails_before_the_first_call_is_named_in_one_line(tmp_path: Path, code: str) -> None:
    done = run_with(tmp_path, code)
    assert done.returncode == 1
    assert done.stderr.startswith("mores: error in the package toy-manners: ")
    assert BY_AUTHORS in done.stderr
    assert done.stderr.count("\n") == 1
