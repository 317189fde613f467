"""Where the real data lie, for the tests that speak of them."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def real() -> Path:
    """The folder of the real data."""
    folder = Path(os.environ.get("MORES_DATA", Path(__file__).parents[3] / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("the real data are not here; set MORES_DATA to their folder")
    return folder
