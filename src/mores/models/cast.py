"""Who plays which role: each role has a door."""

from collections.abc import Mapping
from dataclasses import dataclass

from mores.models.door import Door
from mores.models.request import Reply, Request


@dataclass(frozen=True, slots=True)
class Cast:
    """The doors by role; the tag of a request says whose door it goes through."""

    doors: Mapping[str, Door]

    async def ask(self, request: Request) -> Reply:
        """The reply of the role that the request's tag names."""
        return await self.doors[request.tag.role].ask(request)
