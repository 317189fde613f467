"""Whether an endpoint still serves a model: a refused call is held against one that it took before.

Some refusals are about one call (its words, its length, its settings), others about all: a key that is refused from
now on, credit that is used up, a model that is gone. Their words and numbers differ from server to server, and the
same number means the one here and the other there. So the question of the first probe is put once more: where that is
refused too, nothing can pass any more, and the run stops before it burns through its plan. A quota of the day alone is
not asked about: a short question may still fit into what is left of it.
"""

from collections.abc import Awaitable, Callable

from mores.core.errors import NotServed
from mores.models.outcomes import NO_CREDIT, NO_KEY, NO_MODEL, speaks_of_all
from mores.models.request import CallFailed
from mores.models.single_flight import SingleFlight

REFUSED_IN_A_ROW = 8
"""So many refusals with no answer between are looked into, whatever they say."""


class EndpointHealth:
    """How an endpoint stands to one model; `ask_again` puts the probe's question once more."""

    def __init__(self, spec: str, variable: str, ask_again: Callable[[], Awaitable[object]]) -> None:
        self._spec, self._variable = spec, variable
        self._ask_again = ask_again
        self._in_a_row = 0
        self._asking = SingleFlight[bool]()

    def answered(self) -> None:
        """A call was answered."""
        self._in_a_row = 0

    async def look_into(self, failure: CallFailed) -> None:
        """Return where a failure is of that call alone.

        Raises:
            NotServed: the endpoint refuses what it took before.
        """
        status = status_in(failure)
        if failure.passing or not status:
            return
        if failure.of_day:
            raise self._not_served(failure)
        self._in_a_row += 1
        suspect = speaks_of_all(status, failure.detail)
        if (suspect or self._in_a_row % REFUSED_IN_A_ROW == 0) and await self._asking.outcome(self._refused_again):
            raise self._not_served(failure)

    async def _refused_again(self) -> bool:
        """True where the probe's question is refused now."""
        try:
            await self._ask_again()
        except CallFailed as failure:
            return bool(status_in(failure)) and not failure.passing
        return False

    def _not_served(self, failure: CallFailed) -> NotServed:
        return NotServed(f"{self._spec}: {reason_of(failure, self._variable)} ({failure}).")


def reason_of(failure: CallFailed, variable: str) -> str:
    """Why an endpoint refuses every call, in words; `variable` holds the key that it refuses."""
    status = status_in(failure)
    if failure.of_day:
        return "the endpoint takes no call any more, as the quota of the day is used up; resume once there is a new one"
    if status in NO_KEY:
        return f"the endpoint takes no call with this key any more; see to it and to {variable}"
    if status in NO_CREDIT:
        return "the endpoint takes no call any more, as the credit or quota is used up"
    if status in NO_MODEL:
        return "the model, or its address, is gone"
    return "the endpoint refuses every call by now, also one that it took before"


def status_in(failure: CallFailed) -> int:
    """The HTTP status of a refusal; 0 where a failure is none."""
    name, _, number = failure.cause.partition(" ")
    return int(number) if name == "http" and number.isdecimal() else 0
