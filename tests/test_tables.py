"""docs/tables.md has every table of every analysis: where a column changes, `python -m tests.test_tables` writes it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mores.calibration.agreement_analysis import AGREEMENT_ANALYSIS
from mores.calibration.certificates_analysis import CALIBRATION_ANALYSIS
from mores.calibration.corrections_analysis import CORRECTIONS_ANALYSIS
from mores.calibration.folds_analysis import FOLDS_ANALYSIS
from mores.calibration.jury_weights_analysis import WEIGHTS_ANALYSIS
from mores.calibration.trust_analysis import TRUST_ANALYSIS
from mores.reports.analysis import every_analysis
from mores.reports.two_runs import every_comparison
from mores.tables import Analysis, Table
from mores.tables.columns import describe_keys

OF_LABELS: tuple[Analysis[Any], ...] = (
    AGREEMENT_ANALYSIS, FOLDS_ANALYSIS, WEIGHTS_ANALYSIS, CALIBRATION_ANALYSIS, CORRECTIONS_ANALYSIS, TRUST_ANALYSIS,
)  # fmt: skip
"""Analyses of people's labels; that of judges in a report comes last, as it has tables of the others."""
DOCUMENT = Path(__file__).parent.parent / "docs" / "tables.md"
BEGIN, END = "<!-- tables: begin -->\n", "<!-- tables: end -->\n"


def written() -> str:
    """The document with its tables made anew."""
    head, _, rest = DOCUMENT.read_text(encoding="utf-8").partition(BEGIN)
    return "".join((head, BEGIN, *_tables(), END, rest.partition(END)[2]))


def analyses() -> Iterator[tuple[Analysis[Any], tuple[Table, ...]]]:
    """Those of runs, of two runs and of labels, with the tables that none before has."""
    before: list[Table] = []
    for analysis in (*every_analysis(), *every_comparison(), *OF_LABELS):
        if own := tuple(table for table in analysis.tables if table not in before):
            yield analysis, own
        before += analysis.tables


def _tables() -> Iterator[str]:
    for analysis, tables in analyses():
        yield f"\n## {analysis.title} (`{analysis.id}`)\n"
        for table in tables:
            yield f"\n`{table.id}`: {table.title[:1].lower()}{table.title[1:]}.\n\n"
            yield "| key | type | meaning |\n|---|---|---|\n"
            for key, type_, says in describe_keys(table):
                yield f"| `{key}` | {type_} | {says} |\n"
    yield "\n"


def test_the_document_has_the_keys_of_every_table() -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == written(), "python -m tests.test_tables writes it anew"


def test_ids_of_tables_are_unique() -> None:
    ids = [table.id for _, tables in analyses() for table in tables]
    assert sorted(set(ids)) == sorted(ids)


if __name__ == "__main__":
    DOCUMENT.write_text(written(), encoding="utf-8")
