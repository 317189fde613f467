"""What models on this machine have in common: nothing to prepare, nothing to pay, nothing to give back."""

from mores.core.card import Sampling
from mores.models.request import Usage


class Local:
    """The part of a model that needs no endpoint."""

    def __init__(self, spec: str) -> None:
        self.spec = spec
        self.overhead: list[Usage] = []

    def most_output(self, limit: int) -> int:
        """No more than the limit."""
        return limit

    async def prepare(self, sampling: Sampling) -> None:
        """Nothing to prepare."""

    async def close(self) -> None:
        """Nothing to give back."""
