"""Tables for a paper fit on a page: wide ones go on in parts, and many benchmarks stand below each other."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import mores
from mores.exports.latex import environments
from mores.tables.blocks import BlockColumn, TableBlock, TableRow
from tests.bundled import SOME

DOCUMENT = r"""
\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage{booktabs,longtable}
\usepackage[a4paper,landscape,margin=1cm]{geometry}
\begin{document}
\tiny
\input{table.tex}
\input{analyses.tex}
\end{document}
"""


def written(columns: int, cell: str, rows: int = 2) -> list[str]:
    heads = (BlockColumn(title="Place"), *(BlockColumn(title=f"Model {n}") for n in range(1, columns)))
    cells = tuple(TableRow(cells=(f"place {row}", *[cell] * (columns - 1))) for row in range(rows))
    table = TableBlock(caption="Figures.", columns=heads, rows=(TableRow(cells=("Africa",)), *cells))
    return "\n".join(environments(table, "places-1", simulated=False)).split("\n\n")


def test_a_wide_table_goes_on_in_parts_with_its_first_column_each_under_a_label_of_its_own() -> None:
    parts = written(30, "75.0% [64.6, 82.7] n 40")
    assert len(parts) == 5
    for number, part in enumerate(parts, start=1):
        assert f"Figures, part {number} of 5." in part
        assert part.count(rf"\label{{tab:places-1-{number}}}") == 1
        assert part.count("place 0") == part.count(r"\emph{Africa}") == 1
        assert max(map(len, part.splitlines())) < 300
    heads = re.findall(r"Model \d+", "".join(part.partition(r"\endfirsthead")[0] for part in parts))
    assert heads == [f"Model {n}" for n in range(1, 30)]


def test_a_table_that_fits_is_one_and_its_caption_stands_on_its_first_page_alone() -> None:
    (part,) = written(3, "50.0%")
    head, _, later = part.partition(r"\endfirsthead")
    assert r"\caption{Figures.} \label{tab:places-1}" in head
    assert "caption" not in later
    assert later.count("Model 1 & Model 2") == 1


def test_words_that_are_long_are_broken_and_long_names_that_cannot_be_are_not() -> None:
    (part,) = written(2, "no claim: too few norms; left out: one asked on one rung only")
    assert r"{lp{20em}}" in part
    assert r"\raggedright no claim: too few norms; left out: one asked on one rung only" in part
    (part,) = written(2, "x" * 50)
    assert r"{ll}" in part


def test_many_benchmarks_stand_below_each_other_with_the_same_figures(tmp_path: Path) -> None:
    data = Path(__file__).parents[1] / "benchmarks" / "tiny" / "cure"
    runs = mores.run("cure", model="simulated/typical", data=data, limit=3, out=tmp_path / "run")
    runs.export("latex", tmp_path)
    table = (tmp_path / "table.tex").read_text()
    assert "Benchmark & simulated/typical" in table
    assert "every other model of its row" in table
    for each in runs.results.evaluations:
        whole = each.overall()
        assert whole is not None
        assert whole.value is not None
        assert f"{each.benchmark} & {100 * whole.value:.1f}%".replace("_", r"\_").replace("%", r"\%") in table


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no LaTeX on this machine")
def test_all_tables_are_typeset_without_an_error_and_none_is_clipped(tmp_path: Path) -> None:
    models = ["simulated/typical", "simulated/uneven:refusal=.05,person=1"]
    mores.run("ladder", model=models, places=SOME[:2], limit=9, out=tmp_path / "run").export("latex", tmp_path)
    (tmp_path / "paper.tex").write_text(DOCUMENT)
    for _ in range(2):
        words = ["pdflatex", "-interaction=nonstopmode", "paper.tex"]
        subprocess.run(words, cwd=tmp_path, check=True, capture_output=True, timeout=120)
    log = (tmp_path / "paper.log").read_text(errors="replace")
    assert not re.findall(r"^(?:!|Overfull|LaTeX Warning: Label).*", log, re.MULTILINE)
