"""The command typed in this process, as tests of runs have it."""

from tests.runs.conftest import typed

__all__ = ["typed"]
