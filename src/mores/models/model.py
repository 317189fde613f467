"""What any model offers: one reply to one request."""

from typing import Protocol

from mores.core.card import Sampling
from mores.models.request import Reply, Request, Usage


class Model(Protocol):
    """A model behind the door.

    `spec` is the name a person gave, `identity` what else decides its replies (an endpoint, a file's hash),
    `sealed` whether it may read the sealed key, `by_item` whether its reply depends on the item and not only on
    the words. `overhead` is what calls of the model's own (a probe) have used and nobody has paid for yet.
    """

    spec: str
    identity: str
    sealed: bool
    by_item: bool
    simulated: bool
    overhead: list[Usage]

    def most_output(self, limit: int) -> int:
        """Tokens that a reply may take where its answer is limited so."""
        ...

    async def prepare(self, sampling: Sampling) -> None:
        """Return once the model can be asked; the first time an endpoint is probed for what it takes.

        Raises:
            MoresError: it cannot be asked at all.
            CallFailed: it could not be asked just now.
        """
        ...

    async def reply(self, request: Request) -> Reply:
        """The reply to one request.

        Raises:
            CallFailed: no reply came.
        """
        ...

    async def close(self) -> None:
        """Give back connections."""
        ...
