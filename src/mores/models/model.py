"""What any model offers: one reply to one request."""

from typing import Protocol

from mores.core.card import Sampling
from mores.models.request import Reply, Request, Usage


class Keyed(Protocol):
    """What of a model decides the key of a request.

    `spec` is the name a person gave, `identity` what else decides its replies (an endpoint, a file's hash),
    `sealed` whether it may read the sealed key, `by_item` whether its reply depends on the item and not only on
    the words.
    """

    @property
    def spec(self) -> str: ...  # noqa: D102 - said above
    @property
    def identity(self) -> str: ...  # noqa: D102
    @property
    def sealed(self) -> bool: ...  # noqa: D102
    @property
    def by_item(self) -> bool: ...  # noqa: D102


class Model(Keyed, Protocol):
    """A model behind the door; `overhead` is what its own calls (a probe) have used and nobody has paid for yet."""

    simulated: bool
    overhead: list[Usage]

    def most_output(self, limit: int, sampling: Sampling) -> int:
        """Tokens that a reply may take where its answer is limited so."""
        ...

    async def prepare(self, sampling: Sampling, *, schema: bool = False) -> None:
        """Return once the model can be asked, by a schema too; the first time an endpoint is probed for what it takes.

        Raises:
            MoresError: it cannot be asked at all.
            CallFailed: it could not be asked just now.
        """
        ...

    async def reply(self, request: Request) -> Reply:
        """The reply to one request.

        Raises:
            CallFailed: no reply came.
            NotServed: its endpoint refuses every call by now.
        """
        ...

    async def close(self) -> None:
        """Give back connections."""
        ...
