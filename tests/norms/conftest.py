"""Where the real data lie, for the tests that speak of them."""

import csv
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

Column = Callable[[str, str], Iterator[str]]


@pytest.fixture(scope="session")
def column() -> Column:
    folder = Path(os.environ.get("MORES_DATA", Path(__file__).parents[3] / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("the real data are not here; set MORES_DATA to their folder")

    def values(file: str, name: str) -> Iterator[str]:
        with (folder / file).open(encoding="utf-8-sig", newline="") as lines:
            for row in csv.DictReader(lines):
                yield row[name]

    return values
