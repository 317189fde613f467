"""A clock of a test's own, in place of the true one."""

import pytest

from mores.models import rate_limits, retries
from tests.models.clock import Clock


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """A clock by which limits, paces and patience go."""
    clock = Clock()
    for module in (rate_limits, retries):
        monkeypatch.setattr(module, "monotonic", clock)
    return clock
