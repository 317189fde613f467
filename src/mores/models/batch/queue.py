"""What a sitting of a parked run holds: the answers that came, and the calls that go into the next wave."""

from msgspec import Struct, field

from mores.models.batch.answers import BatchAnswers
from mores.models.batch.formats import LayoutName
from mores.models.capabilities import Capabilities
from mores.models.request import BatchedCall


class EndpointProfile(Struct, frozen=True, kw_only=True):
    """What an endpoint said of itself before its calls were parked.

    `way` names how it weighs labels, where that was asked; `schemas` says whether one was tried.
    """

    capabilities: Capabilities = field(default_factory=Capabilities)
    schemas: bool = False
    way: str | None = None


class BatchQueue(Struct, kw_only=True):
    """Answers in, calls out; `layout` is of providers whose own cannot be told.

    `learnt` is by model, and what was found out before. `waiting` are calls of earlier waves that nothing has come of
    so far; those of them that are wanted in this sitting are `awaited`. `heard` are calls whose answers were read, and
    `kept` those of a reply that is not whole yet. `left_out` counts requests that the budget had no room for.
    """

    answers: BatchAnswers = field(default_factory=BatchAnswers)
    layout: LayoutName | None = None
    learnt: dict[str, EndpointProfile] = field(default_factory=dict)
    waiting: frozenset[str] = frozenset()
    awaited: set[str] = field(default_factory=set)
    parked: dict[str, dict[str, BatchedCall]] = field(default_factory=dict)
    heard: set[str] = field(default_factory=set)
    kept: set[str] = field(default_factory=set)
    left_out: int = 0

    def park(self, spec: str, calls: tuple[BatchedCall, ...]) -> None:
        """Put calls to a model into the next wave; one that two benchmarks wait for goes there once."""
        if calls:
            self.parked.setdefault(spec, {}).update((call.id, call) for call in calls)
