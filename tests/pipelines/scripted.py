"""Models that say what a test scripted, and count what they were asked."""

from collections import Counter
from collections.abc import Callable, Sequence

from mores.models.request import CallFailed, Reply, Request

Script = Callable[[Request], str | Reply | CallFailed]


class Scripted:
    """Says what the script says; `asked` holds every request."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self.asked: list[Request] = []

    async def ask(self, request: Request) -> Reply:
        self.asked.append(request)
        said = self._script(request)
        if isinstance(said, CallFailed):
            raise said
        return Reply(text=said) if isinstance(said, str) else said

    @property
    def by_role(self) -> Counter[str]:
        return Counter(request.tag.role for request in self.asked)


def in_turn(*replies: str | Reply | CallFailed) -> Script:
    """One reply after the other, the last again and again."""
    left: Sequence[str | Reply | CallFailed] = list(replies)
    place = iter(range(10**6))
    return lambda _: left[min(next(place), len(left) - 1)]
