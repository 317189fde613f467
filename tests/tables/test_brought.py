"""What is wrong with an analysis of a package is one line with its name, and costs that analysis alone."""

import json
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import mores
from docs.pages import ROOT
from mores.benchmarks import catalogue
from mores.core import code_errors
from mores.reports import sections_list
from tests.bundled import SOME
from tests.runs.planted import Type, typing_in
from tests.tables.told import page_tables
from tests.test_docs import blocks

MODULE = """
from mores.analysis.results import Results
from mores.tables import Analysis, AnalysisResult, Column, FilledTable, Show, Table, View, blocks_of

THANKS = Table(
    id="thanks",
    title="Words of thanks",
    columns=(
        Column(key="evaluation", title="Benchmark", kind="evaluation"),
        Column(key="thanks", title="Thanks", kind="count", says="words of thanks in all answers"),
    ),
)


def analyse(results: Results) -> AnalysisResult:
    filled = FilledTable(table=THANKS, rows=tuple((each, 7411) for each in results.evaluations))
    view = View(title="Words of thanks", rows=filled.rows, shown=("evaluation", "thanks"))
    return AnalysisResult(tables=(filled,), blocks=tuple(blocks_of(filled, view)))


ANALYSIS = Analysis(id="thanks", title="Politeness of models", tables=(THANKS,), analyse=analyse)
"""
AGAIN = "import toy_analysis\n\nANALYSIS = toy_analysis.ANALYSIS\n"
WRONG = {
    "it is no analysis": ("ANALYSIS = Analysis(", "ANALYSIS = dict(", "it is a dict; expected an Analysis"),
    "it cannot be imported": (
        "from mores.tables import", "from mores.tabels import",
        "No module named 'mores.tabels' (toy_analysis, line 3)",
    ),
    "its id is taken": ('id="thanks"', 'id="leaderboard"', "there is an analysis 'leaderboard' already"),
    "a table's id is taken": (
        "tables=(THANKS,), analyse", "tables=(THANKS, Table(id='metrics', title='Mine', columns=())), analyse",
        "there is a table 'metrics' already",
    ),
    "a table has the name of a file that is written": (
        "tables=(THANKS,), analyse", "tables=(THANKS, Table(id='items', title='Mine', columns=())), analyse",
        "there is a table 'items' already",
    ),
    "an id is no name of a file": ('id="thanks"', 'id="../thanks"', "'../thanks'"),
    "its order is no number": ("analyse=analyse)", "analyse=analyse, order='last')", "order 'last'"),
    "a column has no meaning": (
        'title="Thanks", kind="count", says="words of thanks in all answers"', 'title="", kind="count"',
        "Table 'thanks', column 'thanks': no meaning",
    ),
    "a column has no kind": (
        'kind="count", ', "", "Missing required argument 'kind' (toy_analysis, line 10)",
    ),
    "a kind is none": (
        'kind="count"', 'kind="counts"', "Table 'thanks', column 'thanks': no kind is called 'counts'",
    ),
    "a key is twice": ('key="thanks", title', 'key="model", title', "Table 'thanks' has ['model'] twice"),
    "a row is too short": ("(each, 7411)", "(each,)", "Table 'thanks' has 2 columns, and a row of 1"),
    "a view has a missing key": (
        '"evaluation", "thanks")', '"evaluation", "thank")', "Table 'thanks' has no key 'thank'",
    ),
    "a value is of another type": (
        "(each, 7411)", "(each, 'many')", "Table 'thanks', key 'thanks': 'many' is no integer",
    ),
    "a value is of another noun": ("(each, 7411)", "(each.label, 7411)", "'str' object has no attribute 'benchmark'"),
    "it gives no result": (
        "return AnalysisResult(tables=(filled,), blocks=", "return (",
        "gave a tuple; expected an AnalysisResult or None",
    ),
    "a table is not declared": (
        "FilledTable(table=THANKS,", "FilledTable(table=Table(id='more', title='', columns=THANKS.columns),",
        "has a table 'more' that it does not declare",
    ),
}  # fmt: skip
Bring = Callable[..., None]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("brought") / "run"
    mores.run("ladder/know", model="simulated/typical", limit=6, out=out)
    return out


@pytest.fixture
def type_(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Type:
    return typing_in(monkeypatch, capsys)


@pytest.fixture
def bring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bring]:
    """Installs a package with such a module, and one whose analysis is in order."""
    site = tmp_path / "site"

    def installed(module: str, more: str = "") -> None:
        about = site / "toy_analysis-1.dist-info"
        about.mkdir(parents=True)
        (site / "toy_analysis.py").write_text(module)
        (site / "toy_again.py").write_text(AGAIN)
        (about / "METADATA").write_text("Metadata-Version: 2.1\nName: toy-analysis\nVersion: 1\n")
        (about / "entry_points.txt").write_text(f"[mores.analyses]\nthanks = toy_analysis:ANALYSIS\n{more}")
        monkeypatch.syspath_prepend(site)
        for name in ("toy_analysis", "toy_again"):
            monkeypatch.delitem(sys.modules, name, raising=False)
        forget()

    yield installed
    monkeypatch.undo()
    forget()


def named(line: str) -> str:
    return line.partition("'")[2].partition("'")[0].replace("/", "-").replace(" ", "-")


def forget() -> None:
    """Have what is installed looked for anew, as a new process does."""
    for cached in (sections_list._found_in, sections_list.leaderboard_of, code_errors._packages, catalogue._others):
        cached.cache_clear()


@pytest.mark.parametrize("what", WRONG)
def test_one_line_names_what_and_where_and_all_else_stands(
    what: str, run: Path, type_: Type, bring: Bring, tmp_path: Path
) -> None:
    before, after, told = WRONG[what]
    assert before in MODULE
    bring(MODULE.replace(before, after))
    done = type_("report", run, "--json")
    assert done.status == 1
    (line,) = [line for line in done.err.splitlines() if not line.endswith("html")]
    assert told in line
    assert "error in the package toy-analysis" in line
    assert line.endswith("Please report it to the authors of toy-analysis.")
    found = json.loads(done.out)["analyses"]
    assert {"leaderboard", "metrics"} <= set(found)
    assert found[f"failed-{named(line)}"] == {"failed": line.removeprefix("mores: ")}
    assert "thanks" not in found
    forget()
    assert "Words of thanks" not in type_("report", run, "--full").out
    page = type_("report", run, "--out", tmp_path / "page.html")
    assert told in page.err
    exported = type_("export", run, "--to", "parquet", "--out", tmp_path / "out")
    assert told in exported.err
    assert exported.status == 1
    assert {"metrics.parquet", "items.parquet"} <= {path.name for path in (tmp_path / "out").iterdir()}


def test_two_of_one_id_are_told_apart_by_their_entry_points(run: Path, type_: Type, bring: Bring) -> None:
    bring(MODULE, "thanked = toy_again:ANALYSIS\n")
    done = type_("report", run, "--json")
    assert done.status == 1
    assert "The section 'thanked' could not be made" in done.err
    assert "there is an analysis 'thanks' already" in done.err
    assert json.loads(done.out)["analyses"]["thanks"]["thanks"][0]["thanks"] == 7411


def test_what_is_in_order_is_told_of_nobody(run: Path, type_: Type, bring: Bring) -> None:
    bring(MODULE)
    done = type_("report", run, "--only", "thanks", "--json")
    assert (done.status, done.err) == (0, "")
    assert json.loads(done.out)["analyses"]["thanks"]["thanks"][0]["thanks"] == 7411


def test_an_analysis_that_cannot_be_used_can_be_asked_for_by_the_name_of_its_entry_point(
    run: Path, type_: Type, bring: Bring
) -> None:
    bring(MODULE.replace("ANALYSIS = Analysis(", "ANALYSIS = dict("))
    done = type_("report", run, "--only", "thanks")
    assert done.status == 1
    assert "expected an Analysis" in done.err
    assert "nothing for it" not in done.err


def test_a_benchmark_of_a_package_that_cannot_be_imported_costs_no_report(
    run: Path, type_: Type, bring: Bring, tmp_path: Path
) -> None:
    bring(MODULE, "[mores.benchmarks]\nmanners/table = toy_gone:table\n")
    done = type_("report", run, "--json")
    assert json.loads(done.out)["analyses"]["thanks"]["thanks"][0]["thanks"] == 7411
    exported = type_("export", run, "--to", "csv", "--out", tmp_path / "out")
    assert (tmp_path / "out" / "thanks.csv").is_file()
    for each in (done, exported):
        assert each.status == 1
        assert "toy_gone" in each.err


def test_the_analysis_that_is_shown_to_contributors_stands_in_every_medium(
    run: Path, type_: Type, bring: Bring, tmp_path: Path
) -> None:
    (code,) = (code for code in blocks(ROOT / "CONTRIBUTING.md", "python") if "\nANALYSIS = Analysis(id=" in code)
    bring(code)
    two = mores.run(["ladder/know", "ladder/judge"], model="simulated/typical", places=SOME, out=tmp_path / "two")
    (folder,) = two.folders
    rows = json.loads(type_("report", folder, "--json").out)["analyses"]["widths"]["widths"]
    assert (
        [row["width"] for row in rows] == [row["high"] - row["low"] for row in rows] == [*two.tables["widths"]["width"]]
    )
    told = f"The widest interval spans {100 * max(row['width'] for row in rows):.1f}% of all points."
    assert told in type_("report", folder, "--full").out
    type_("report", folder, "--out", tmp_path / "page.html")
    page = page_tables((tmp_path / "page.html").read_text())
    head, *shown = page["How wide intervals are"]
    assert head[:2] == ["Benchmark", "Figure"]
    assert len(shown) == 2
    assert all("[picture" in " ".join(row) for row in shown)
    for to, file in (
        ("csv", "widths.csv"),
        ("parquet", "widths.parquet"),
        ("figures", "widths-how-wide-intervals-are.svg"),
    ):
        assert type_("export", folder, "--to", to, "--out", tmp_path / to).status == 0
        assert (tmp_path / to / file).is_file()
    assert type_("export", folder, "--to", "latex", "--out", tmp_path / "latex").status == 0
    assert "How wide intervals are" in (tmp_path / "latex" / "analyses.tex").read_text()


def test_of_a_run_whose_files_were_changed_the_package_is_still_named(
    run: Path, type_: Type, bring: Bring, tmp_path: Path
) -> None:
    changed = shutil.copytree(run, tmp_path / "run")
    verdicts = next(changed.rglob("verdicts.jsonl"))
    verdicts.write_text(verdicts.read_text().replace("{", "{ ", 1))
    before, after, told = WRONG["a row is too short"]
    bring(MODULE.replace(before, after))
    done = type_("report", changed, "--json")
    assert told in done.err
    assert "error in the package toy-analysis" in done.err
    assert "verdicts.jsonl was changed" in done.err
    assert "contradict" not in done.err
    assert "leaderboard" in json.loads(done.out)["analyses"]


def test_a_function_that_gives_no_section_costs_itself_alone(
    run: Path, type_: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    def courtesies(_: object) -> dict[str, int]:
        return {"courtesies": 1}

    monkeypatch.setattr(sections_list, "ANALYSES", (*sections_list.ANALYSES, courtesies))
    forget()
    done = type_("report", run, "--json")
    forget()
    assert done.status == 1
    assert "The section 'courtesies' could not be made" in done.err
    assert "gave a dict; expected a Section or None" in done.err
    assert {"leaderboard", "failed-courtesies"} <= set(json.loads(done.out)["analyses"])
