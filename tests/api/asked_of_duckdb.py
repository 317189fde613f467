"""Prints what DuckDB reads of a table, as JSON: `python -m tests.api.asked_of_duckdb made|none`."""

import json
import sys

import numpy as np

from mores.api.frames import Frame, FrameColumn

MADE = Frame(
    name="made",
    columns={
        "text": FrameColumn("text", ["a", None, 'c,"d"\n']),
        "whole": FrameColumn("integer", [1, None, 3]),
        "number": FrameColumn("number", [0.5, None, -1.0]),
        "flag": FrameColumn("flag", [True, None, False]),
        "shared": FrameColumn("text", ["x", "y"], np.array([1, -1, 1])),
        "counted": FrameColumn("integer", [7], np.array([0, -1, 0])),
        "measured": FrameColumn("number", np.array([0.25, np.nan, 2.0])),
        "numbered": FrameColumn("integer", np.array([3, 4, 5])),
    },
)
NONE = Frame(name="none", columns={"text": FrameColumn("text", [])})


def rows_of(frame: Frame) -> list[dict[str, object]]:
    """What DuckDB reads of a table, which it finds by its name here."""
    import duckdb  # noqa: PLC0415 - whoever takes the tables alone has no need of it

    found = duckdb.sql("SELECT * FROM frame")
    assert found is not None
    return [dict(zip(found.columns, row, strict=True)) for row in found.fetchall()]


if __name__ == "__main__":
    json.dump(rows_of({"made": MADE, "none": NONE}[sys.argv[1]]), sys.stdout)
