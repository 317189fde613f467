"""Analyses as the rest of the house knows them: long tables of values, the ways that people see them, what is found.

results ─▶ Analysis.analyse ─▶ AnalysisResult ─▶ rows by key (`columns`): JSON, frames, CSV, Parquet
                                              ─▶ blocks (`views`): page, terminal, LaTeX, figures

A value is computed once, stands in a row of a table, and goes from there to every medium. `blocks` are what people see,
`formatting` writes its numbers, and `missing_texts` the reasons for what is missing.
"""

from mores.tables.analysis import Analysis, AnalysisResult, as_data, blocks_in, refuse_unfit, section_of
from mores.tables.columns import (
    Column,
    FilledTable,
    Row,
    Table,
    columns_of,
    gathered,
    row_by_key,
    rows_by_key,
    types_of,
)
from mores.tables.views import Show, View, blocks_of

__all__ = [
    "Analysis", "AnalysisResult", "Column", "FilledTable", "Row", "Show", "Table", "View", "as_data",
    "blocks_in", "blocks_of", "columns_of", "gathered", "refuse_unfit", "row_by_key", "rows_by_key", "section_of",
    "types_of",
]  # fmt: skip
