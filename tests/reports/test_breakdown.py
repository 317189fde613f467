"""Figures by place and group, all metrics, and what has to be known of them, as tables that every medium shares."""

from typing import Any

import pytest

from mores.analysis.breakdown import orders_of
from mores.analysis.gaps import spread_of
from mores.analysis.results import Results
from mores.reports.sections_list import all_sections, tables_of
from mores.tables import rows_by_key
from mores.tables.blocks import Details, TableBlock


@pytest.fixture(scope="module")
def tables(found: Results) -> dict[str, list[dict[str, Any]]]:
    return {id_: rows_by_key(each.table, each.rows) for id_, each in tables_of(found).items()}


def test_every_group_of_every_model_has_a_row_and_so_has_the_whole(
    found: Results, tables: dict[str, list[dict[str, Any]]]
) -> None:
    for each in found.evaluations:
        own = [row for row in tables["groups"] if (row["run"], row["model"], row["benchmark"]) == _whose(each)]
        whole, *groups = own
        assert (whole["kind"], whole["group"], whole["figure"]) == (None, None, each.overall().value)  # type: ignore[union-attr]
        figures = {(kind, value): e.value for kind in each.kinds for value, e in each.by(kind).items()}
        assert {(row["kind"], row["group"]): row["figure"] for row in groups} == figures


def _whose(each: Any) -> tuple[str, str, str]:
    return str(each.run), each.label, each.benchmark


def test_gaps_and_orders_have_rows(found: Results, tables: dict[str, list[dict[str, Any]]]) -> None:
    gap = spread_of(found.evaluations[0])
    assert gap is not None
    whose = _whose(found.evaluations[0])
    (row,) = [row for row in tables["place_gaps"] if (row["run"], row["model"], row["benchmark"]) == whose]
    assert (row["gap"], row["by_chance"], row["p"], row["places"]) == (gap.gap, gap.null, gap.p, gap.regions)
    orders = {order.kind: order.found for order in orders_of(found.on(found.benchmarks[0]))}
    rows = [row for row in tables["group_orders"] if row["benchmark"] == found.benchmarks[0]]
    assert {row["kind"]: row["reliability"] for row in rows} == {kind: each.value for kind, each in orders.items()}


def test_every_metric_has_a_row_with_its_meaning(found: Results, tables: dict[str, list[dict[str, Any]]]) -> None:
    for each in found.evaluations:
        own = [row for row in tables["metrics"] if (row["run"], row["model"], row["benchmark"]) == _whose(each)]
        assert [row["metric"] for row in own] == [name for name in each.metrics if each.overall(name) is not None]
        assert own[0]["metric"] == each.headline
        assert own[0]["says"]


def test_the_page_has_each_table_once_and_in_the_section_of_its_benchmark(found: Results) -> None:
    sections = all_sections(found, page=True)
    assert not {"groups", "metrics", "leaderboard"} & {section.id for section in sections}
    for name in found.benchmarks:
        captions = [table.caption for section in sections for table in _tables(section.blocks)]
        assert captions.count(f"All metrics of {name}") == 1
        assert captions.count(f"{name} by place and group") == 1


def _tables(blocks: Any) -> list[TableBlock]:
    inner = [table for block in blocks if isinstance(block, Details) for table in _tables(block.blocks)]
    return [block for block in blocks if isinstance(block, TableBlock) and block.on != "terminal"] + inner
