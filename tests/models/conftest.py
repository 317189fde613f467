"""A clock of a test's own, in place of the true one."""

import pytest

from mores.models import limits, patience, wire
from tests.models.clock import Clock


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """A clock by which limits, paces and patience go."""
    clock = Clock()
    for module in (limits, patience, wire):
        monkeypatch.setattr(module, "monotonic", clock)
    return clock
