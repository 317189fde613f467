"""Runs to load: two models on one rung, and one of them on another."""

from pathlib import Path

import pytest

import mores
from mores.api.notebook import Runs
from tests.runs.conftest import typed

__all__ = ["typed"]


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """Two models on two rungs: one that errs in its own way, and one that guesses."""
    out = tmp_path_factory.mktemp("api") / "run"
    models = ["simulated/uneven:refusal=.05,failure=.03", "baseline/random"]
    return mores.run(["ladder/know", "ladder/judge"], model=models, limit=30, places=["JP", "NG", "BR"], out=out)


@pytest.fixture(scope="session")
def folder(runs: Runs) -> Path:
    """Its folder."""
    return runs.folders[0]
