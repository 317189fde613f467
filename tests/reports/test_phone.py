"""Wide tables on a phone: rows as cards whose cells say their heads; a table of many rows scrolls, and says so."""

import re

from mores.reports.page.glossary import Glossary
from mores.reports.page.html import Html
from mores.tables.blocks import BlockColumn, Filter, Section, TableBlock, TableRow


def page(columns: int, rows: int, **more: object) -> str:
    heads = tuple(BlockColumn(title=f"Head <{n}>") for n in range(columns))
    lines = tuple(TableRow(cells=tuple(f"{row}.{n}" for n in range(columns))) for row in range(rows))
    table = TableBlock(caption="Toy", columns=heads, rows=lines, **more)  # type: ignore[arg-type]
    return Html(Glossary()).section(Section(id="toy", title="Toy", blocks=(table,)))


def test_a_wide_table_is_cards_of_which_each_cell_says_its_head() -> None:
    told = page(5, 2)
    assert '<table class="cards">' in told
    assert re.findall(r'<td data-head="([^"]+)">', told) == [f"Head &lt;{n}&gt;" for n in (1, 2, 3, 4)] * 2
    assert "sideways" not in told


def test_a_narrow_table_stays_as_it_is() -> None:
    told = page(3, 50)
    assert "data-head" not in told
    assert "sideways" not in told


def test_a_wide_table_of_many_rows_or_of_rows_to_choose_from_says_that_it_scrolls() -> None:
    choices = (Filter.of("kind", "Groups", ["place"]),)
    for told in (page(5, 50), page(5, 2, id="toy-table", filters=choices)):
        assert 'class="scroll sideways"' in told
        assert "data-head" not in told
