"""Prints what DuckDB reads of a table, as JSON: `python -m tests.api.asked_of_duckdb made|none`."""

import json
import sys

import numpy as np

from mores.api.frames import Column, Frame

MADE = Frame(
    name="made",
    columns={
        "text": Column("text", ["a", None, 'c,"d"\n']),
        "whole": Column("integer", [1, None, 3]),
        "number": Column("number", [0.5, None, -1.0]),
        "flag": Column("flag", [True, None, False]),
        "shared": Column("text", ["x", "y"], np.array([1, -1, 1])),
        "counted": Column("integer", [7], np.array([0, -1, 0])),
        "measured": Column("number", np.array([0.25, np.nan, 2.0])),
        "numbered": Column("integer", np.array([3, 4, 5])),
    },
)
NONE = Frame(name="none", columns={"text": Column("text", [])})


def rows_of(frame: Frame) -> list[dict[str, object]]:
    """What DuckDB reads of a table, which it finds by its name here."""
    import duckdb  # noqa: PLC0415 - whoever takes the tables alone has no need of it

    found = duckdb.sql("SELECT * FROM frame")
    assert found is not None
    return [dict(zip(found.columns, row, strict=True)) for row in found.fetchall()]


if __name__ == "__main__":
    json.dump(rows_of({"made": MADE, "none": NONE}[sys.argv[1]]), sys.stdout)
