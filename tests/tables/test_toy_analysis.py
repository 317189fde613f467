"""An analysis of one's own, one module that an entry point names, stands in every medium; no other file knows of it."""

import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pyarrow.parquet as parquet
import pytest

import mores
from tests.runs.conduct import mores as typed_anew

MODULE = """
from mores.analysis.results import Results
from mores.tables import Analysis, AnalysisResult, Column, Table
from mores.tables.blocks import CellValue, Finding

THANKS = Table.of(
    "thanks",
    "Words of thanks",
    Column("evaluation", "evaluation", title="Benchmark"),
    Column("metric", "metric", "the headline"),
    Column("figure", "estimate", "the headline's value", main=True),
    Column("thanks", "count", "words of thanks in all answers"),
)


def analyse(results: Results) -> AnalysisResult:
    rows = ((each, each.described, each.overall(), 7411) for each in results.evaluations)
    said = Finding(words=("Thanks were said ", CellValue(7411), " times."), id="thanks.said")
    return AnalysisResult(tables=(THANKS.filled(rows),), findings=(said,))


ANALYSIS = Analysis(id="thanks", title="Politeness of models", tables=(THANKS,), analyse=analyse)
"""
TOLD = "Thanks were said 7,411 times."
Type = Callable[..., str]


def install(folder: Path) -> None:
    sys.path.insert(0, str(folder))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package of the analysis as it would be installed, and a run."""
    site = tmp_path_factory.mktemp("toy")
    (site / "toy_analysis.py").write_text(MODULE)
    about = site / "toy_analysis-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: toy-analysis\nVersion: 1\n")
    (about / "entry_points.txt").write_text("[mores.analyses]\nthanks = toy_analysis:ANALYSIS\n")
    mores.run("ladder/know", model="simulated/typical", limit=12, out=site / "run")
    return site


@pytest.fixture(scope="module")
def type_(folder: Path) -> Type:
    def typed(*words: str) -> str:
        done = typed_anew(*words, cwd=folder, seconds=120, before=partial(install, folder))
        assert done.returncode == 0, done.stderr
        return done.stdout

    return typed


def test_people_see_it_on_the_short_screen_the_full_one_and_the_page(type_: Type, folder: Path) -> None:
    assert TOLD in type_("report", "run", "--out", "page.html")
    full = type_("report", "run", "--full")
    assert "Politeness of models" in full
    assert "7,411" in full
    page = (folder / "page.html").read_text()
    assert "<caption>Words of thanks</caption>" in page
    assert TOLD in page


def test_programs_have_its_rows_as_json_frames_csv_and_parquet(type_: Type, folder: Path) -> None:
    (row,) = json.loads(type_("report", "run", "--json"))["analyses"]["thanks"]["thanks"]
    assert (row["thanks"], row["simulated"], row["graded"]) == (7411, True, row["asked"])
    for to in ("csv", "parquet"):
        type_("export", "run", "--to", to, "--out", to)
    head, line = (folder / "csv" / "thanks.csv").read_text().splitlines()
    assert head.split(",") == list(row)
    assert ",7411" in line
    assert parquet.read_table(folder / "parquet" / "thanks.parquet").to_pylist() == [row]


def test_papers_have_it_in_latex_and_as_a_figure(type_: Type, folder: Path) -> None:
    type_("export", "run", "--to", "latex", "--out", "latex")
    tables = (folder / "latex" / "analyses.tex").read_text()
    assert r"\caption{Words of thanks." in tables
    assert "7,411" in tables
    type_("export", "run", "--to", "figures", "--out", "figures")
    assert "Words of thanks" in (folder / "figures" / "figures.md").read_text()
    assert (folder / "figures" / "thanks-words-of-thanks.svg").is_file()
