"""What any model offers: one reply to one request."""

from typing import Protocol

from mores.models.request import Reply, Request


class Model(Protocol):
    """A model behind the door.

    `spec` is the name a person gave, `identity` what else decides its replies (an endpoint, a file's hash),
    `sealed` whether it may read the sealed key, `by_item` whether its reply depends on the item and not only on
    the words.
    """

    spec: str
    identity: str
    sealed: bool
    by_item: bool
    simulated: bool

    async def reply(self, request: Request) -> Reply:
        """The reply to one request.

        Raises:
            CallFailed: no reply came.
        """
        ...

    async def close(self) -> None:
        """Give back connections."""
        ...
