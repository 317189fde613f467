"""docs/tables.md has every table of every analysis: where a column changes, `python -m tests.test_tables` writes it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mores.calibration.agreement_analysis import AGREEMENT_ANALYSIS
from mores.calibration.certificates_analysis import CALIBRATION_ANALYSIS
from mores.calibration.corrections_analysis import CORRECTIONS_ANALYSIS
from mores.calibration.folds import FOLDS_ANALYSIS
from mores.calibration.jury_weights import WEIGHTS_ANALYSIS
from mores.calibration.trust_analysis import TRUST_ANALYSIS
from mores.reports.sections_list import every_analysis
from mores.reports.two_runs import every_comparison
from mores.tables import Analysis, Column, Table
from mores.tables.columns import PARTS, SAYS, keys_of

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
    yield from _kinds()
    for analysis, tables in analyses():
        yield f"\n## {analysis.title} (`{analysis.id}`)\n"
        for table in tables:
            yield f"\n`{table.id}`: {table.title[:1].lower()}{table.title[1:]}.\n\n"
            yield "| key | kind | meaning |\n|---|---|---|\n"
            yield from map(_row, table.columns)
    yield "\n"


def _kinds() -> Iterator[str]:
    """What each kind of several values comes to, once for all tables."""
    yield "\n## Kinds\n\nA value of one of these kinds has several keys; any other has its column's alone.\n\n"
    yield "| kind | keys beside the column's own |\n|---|---|\n"
    for kind, parts in PARTS.items():
        beside = "; ".join(f"`{part.name}` {SAYS[part.name]}" for part in parts if part.name)
        if beside and kind != "evaluation":
            yield f"| {kind} | {beside} |\n"


def _row(column: Column) -> str:
    """A column with its own keys; those of its parts begin with it, but for the main one's, which stand alone."""
    whole = [key for key, part in keys_of(column) if not part.name or part.name in {"a", "b"}]
    keys = ", ".join(f"`{key}`" for key in whole or [key for key, _ in keys_of(column)])
    main = ", main" if column.main else ""
    return f"| {keys} | {column.kind}{main} | {column.says or column.title} |\n"


def test_the_document_has_the_keys_of_every_table() -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == written(), "python -m tests.test_tables writes it anew"


def test_ids_of_tables_are_unique() -> None:
    ids = [table.id for _, tables in analyses() for table in tables]
    assert sorted(set(ids)) == sorted(ids)


if __name__ == "__main__":
    DOCUMENT.write_text(written(), encoding="utf-8")
