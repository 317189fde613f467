"""Work whose outcome many want is under way once, whoever of them is broken off."""

import asyncio

import pytest

from mores.models.request import CallFailed
from mores.models.single_flight import SingleFlight, is_valid


class Work:
    """Counts how often it was begun; it says what it is told to by the latest `end`, once that is there."""

    def __init__(self) -> None:
        self.begun, self.end = 0, asyncio.Event()
        self.failure: Exception | None = None

    async def __call__(self) -> int:
        self.begun += 1
        mine = self.begun
        await self.end.wait()
        if self.failure is not None:
            raise self.failure
        return mine


def test_who_comes_while_it_is_under_way_waits_for_the_same_though_the_first_is_broken_off() -> None:
    async def go() -> list[object]:
        work, shared = Work(), SingleFlight[int]()
        waiting = [asyncio.create_task(shared.outcome(work)) for _ in range(3)]
        await asyncio.sleep(0)
        waiting[0].cancel()
        await asyncio.sleep(0)
        work.end.set()
        found = await asyncio.gather(*waiting[1:])
        return [*found, await shared.outcome(work)]

    assert asyncio.run(go()) == [1, 1, 2]


def test_what_is_kept_stands_for_all_who_come_later_and_what_may_pass_is_begun_anew() -> None:
    async def go() -> int:
        work, shared = Work(), SingleFlight[int](is_valid)
        work.end.set()
        work.failure = CallFailed("http 500", passing=True)
        with pytest.raises(CallFailed):
            await shared.outcome(work)
        work.failure = None
        assert await shared.outcome(work) == await shared.outcome(work) == 2
        hopeless = SingleFlight[int](is_valid)
        work.failure = ValueError("no such model")
        for _ in range(2):
            with pytest.raises(ValueError, match="no such model"):
                await hopeless.outcome(work)
        return work.begun

    assert asyncio.run(go()) == 3


@pytest.mark.filterwarnings("error")
def test_a_failure_that_nobody_waits_for_any_more_is_no_noise(caplog: pytest.LogCaptureFixture) -> None:
    async def go() -> None:
        work, shared = Work(), SingleFlight[int]()
        waiting = asyncio.create_task(shared.outcome(work))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.sleep(0)
        work.failure = ValueError("too late")
        work.end.set()
        await asyncio.sleep(0.01)

    asyncio.run(go())
    assert not caplog.records
