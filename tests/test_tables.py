"""docs/tables.md has every table of every analysis: where a column changes, `python -m tests.test_tables` writes it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mores.reports.analysis import every_analysis
from mores.reports.two_runs import every_comparison
from mores.tables import Analysis
from mores.tables.columns import describe_keys

DOCUMENT = Path(__file__).parent.parent / "docs" / "tables.md"
BEGIN, END = "<!-- tables: begin -->\n", "<!-- tables: end -->\n"


def written() -> str:
    """The document with its tables made anew."""
    head, _, rest = DOCUMENT.read_text(encoding="utf-8").partition(BEGIN)
    return "".join((head, BEGIN, *_tables(), END, rest.partition(END)[2]))


def analyses() -> tuple[Analysis[Any], ...]:
    """Those of runs, and those of two runs that are not also of one."""
    own = every_analysis()
    return (*own, *(each for each in every_comparison() if each.id not in {other.id for other in own}))


def _tables() -> Iterator[str]:
    for analysis in analyses():
        yield f"\n## {analysis.title} (`{analysis.id}`)\n"
        for table in analysis.tables:
            yield f"\n`{table.id}`: {table.title[:1].lower()}{table.title[1:]}.\n\n"
            yield "| key | type | meaning |\n|---|---|---|\n"
            for key, type_, says in describe_keys(table):
                yield f"| `{key}` | {type_} | {says} |\n"
    yield "\n"


def test_the_document_has_the_keys_of_every_table() -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == written(), "python -m tests.test_tables writes it anew"


def test_ids_of_tables_are_unique() -> None:
    ids = [table.id for analysis in analyses() for table in analysis.tables]
    assert sorted(set(ids)) == sorted(ids)


if __name__ == "__main__":
    DOCUMENT.write_text(written(), encoding="utf-8")
