"""Progress of a run for whoever shows it, the signal that stops it, and the calls that it is expected to make."""

from collections import Counter
from collections.abc import Callable, Sequence

from msgspec import Struct, field

from mores.core.errors import MoresError
from mores.core.transcript import Item
from mores.models.call_claims import ClaimHolder
from mores.models.client import ModelClient
from mores.runs.evaluation import Evaluation

LOOKED_AT = 8
"""Items whose outlines stand for those of all, as thousands of outlines take seconds."""


class RunProgress(Struct):
    """Progress of one evaluation, and how much of what is done was lost in which way; read by whoever shows it.

    `wait` says for whom all of it waits, None while it goes on. `outlined` tells the calls of one play, at most, and
    is asked once, by whoever shows it; None where that is not known. They go through `clients`.
    """

    name: str
    plays: int
    done: int = 0
    lost: Counter[str] = field(default_factory=Counter)
    wait: ClaimHolder | None = None
    outlined: Callable[[], float] | None = None
    clients: tuple[ModelClient, ...] = ()
    _each: float | None = None

    @property
    def answered(self) -> int:
        """Calls that were answered, by models or by what is written down."""
        return sum(client.answered + client.tally.from_journal + client.tally.reused for client in self.clients)

    def expected(self) -> float:
        """Calls of all its plays: as outlined, or fewer where those that are done took fewer."""
        if self.done == self.plays or self.outlined is None:
            return self.answered
        if self._each is None:
            self._each = self.outlined()
        each = min(self._each, self.answered / self.done) if self.done else self._each
        return max(self.answered, self.plays * each)


class StopSignal(Struct):
    """Asked to stop: no new play begins, and those under way end."""

    stopped: bool = False
    reason: MoresError | None = None

    def stop(self, reason: MoresError | None = None) -> None:
        """Stop, for the first reason given."""
        self.stopped = True
        self.reason = self.reason or reason


def calls_of_a_play(evaluation: Evaluation) -> float:
    """The mean calls of one play by the outlines of some of its items: at most so many are asked."""
    looked_at = _spread(evaluation.items)
    calls = 0
    for item in looked_at:
        outline = evaluation.benchmark.outline(item, evaluation.setting)
        calls += sum((outline.get(role) or outline["judge"]).calls for role in evaluation.asked)
    return calls / max(1, len(looked_at))


def _spread(items: Sequence[Item]) -> list[Item]:
    """A few of them, evenly over all."""
    count = min(LOOKED_AT, len(items))
    return [items[number * len(items) // count] for number in range(count)]
