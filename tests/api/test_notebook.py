"""The notebook of the documents: it runs, it is short, and the page beside it says the same."""

import ast
import json
import re
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pytest

from mores.api.runs import Comparisons, Runs
from mores.tables.formatting import SIMULATED
from tests.conftest import ROOT

NOTEBOOK = ROOT / "docs" / "notebook.ipynb"


def cells() -> list[str]:
    """The code of its cells."""
    whole = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    return ["".join(cell["source"]) for cell in whole["cells"] if cell["cell_type"] == "code"]


def test_the_notebook_runs_loads_compares_and_plots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    mpl.use("Agg")
    names: dict[str, Any] = {}
    shown = [_shown(cell, names) for cell in cells()]
    assert [type(each) for each in shown[1:3]] == [Runs, Comparisons]
    assert all(SIMULATED in each._repr_html_() for each in shown[1:3])
    assert len(shown[3]) > 3
    assert {line.get_label() for line in names["axes"].containers} == {"simulated/typical", "simulated/uneven"}
    names["plt"].close("all")


def _shown(cell: str, names: dict[str, Any]) -> Any:
    """What a notebook shows beneath a cell: the value of its last expression."""
    *first, last = ast.parse(cell).body
    exec(compile(ast.Module(first, []), "cell", "exec"), names)
    if isinstance(last, ast.Expr):
        return eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    exec(compile(ast.Module([last], []), "cell", "exec"), names)
    return None


def test_it_has_fewer_than_thirty_lines_and_no_outputs_in_the_repository() -> None:
    assert sum(bool(line.strip()) for cell in cells() for line in cell.splitlines()) < 30
    whole = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    assert all(not cell.get("outputs") and cell.get("execution_count") is None for cell in whole["cells"])


def test_the_page_beside_it_has_the_same_code() -> None:
    page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    assert re.findall(r"```python\n(.*?)\n```", page, re.DOTALL) == cells()
