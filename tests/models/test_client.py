"""Through the door: asked once, tried again where it may pass, never more than may be spent."""

import asyncio
import gc
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from mores.core.errors import BudgetReached, InputError, Unreachable
from mores.core.seeds import Seed
from mores.models.budget import Budget, Price
from mores.models.client import ModelClient
from mores.models.rate_limits import RateLimiter
from mores.models.request import CallFailed, Reply, Request
from mores.models.retries import RetryPolicy
from tests.models.clients import HASTE, Script, ask_all, at_door, passing, request, said, slowly, texts
from tests.models.clock import Clock


def many(count: int) -> list[Request]:
    return [request(f"Question {n}", item=f"i-{n}") for n in range(count)]


def test_equal_requests_under_way_are_asked_once(tmp_path: Path) -> None:
    model = Script(slowly(0.02, said("True")), said("False"))
    replies = at_door(tmp_path, model, ask_all(*(request(item=f"i-{n}") for n in range(30))))
    assert texts(replies) == ["True"] * 30
    assert model.asked.total() == 1


def test_what_fails_fails_for_all_who_wait_for_it(tmp_path: Path) -> None:
    model = Script(CallFailed("http 400", "no"))
    replies = at_door(tmp_path, model, ask_all(request(), request(), request()))
    assert [getattr(reply, "cause", None) for reply in replies] == ["http 400"] * 3
    assert model.asked.total() == 1


def test_a_call_that_was_given_up_while_its_reply_was_written_is_not_asked_again(tmp_path: Path) -> None:
    model = Script(replace(said("first"), seconds=5.0), said("second"))

    async def use(door: ModelClient) -> Reply:
        given_up = asyncio.create_task(door.ask(request()))
        for _ in range(10):
            await asyncio.sleep(0)
        assert door.tally.output_tokens  # the reply came, and waits for others to be written down
        given_up.cancel()
        return await door.ask(request())

    assert at_door(tmp_path, model, use).text == "first"
    assert model.asked.total() == 1


def test_a_call_that_failed_leaves_nothing_for_the_collector(tmp_path: Path) -> None:
    async def use(door: ModelClient) -> int:
        gc.collect()
        gc.disable()
        try:
            with suppress(CallFailed):
                await door.ask(request("a prompt of its own"))
            known = (each for each in gc.get_objects() if isinstance(each, Request))
            return sum(each.messages[0].content == "a prompt of its own" for each in known)
        finally:
            gc.enable()

    async def refuse(_: Request) -> Reply:
        raise CallFailed("http 400", "too long")

    assert at_door(tmp_path, Script(refuse), use) == 0


@pytest.mark.parametrize("failures", [1, 3, 7])
def test_what_may_pass_is_tried_again(tmp_path: Path, failures: int) -> None:
    model = Script(*[passing()] * failures, said("at last"))
    assert texts(at_door(tmp_path, model, ask_all(request()))) == ["at last"]
    assert model.asked.total() == failures + 1


def test_after_all_attempts_the_call_has_failed_with_its_cause(tmp_path: Path) -> None:
    model = Script(passing("http 500"))
    (failed,) = at_door(tmp_path, model, ask_all(request()))
    assert isinstance(failed, CallFailed)
    assert failed.cause == "http 500"
    assert model.asked.total() == HASTE.attempts


def test_what_cannot_pass_is_not_tried_again(tmp_path: Path) -> None:
    model = Script(CallFailed("http 404", "no"), said())
    (failed,) = at_door(tmp_path, model, ask_all(request()))
    assert isinstance(failed, CallFailed)
    assert model.asked.total() == 1


@given(st.integers(0, 40), st.text(max_size=5))
def test_waits_double_up_to_the_longest_and_are_jittered(attempt: int, name: str) -> None:
    patience = RetryPolicy(first_wait=0.5, longest_wait=20)
    whole = min(20.0, 0.5 * 2**attempt)
    assert whole / 2 <= patience.wait(attempt, Seed(name)) <= whole


def test_calls_back_off_before_they_are_tried_again(tmp_path: Path, clock: Clock) -> None:
    model = Script(passing(), passing(), said())
    started = clock()
    at_door(tmp_path, model, ask_all(request()), patience=RetryPolicy(first_wait=10.0), clock=clock)
    assert 5 + 10 <= clock() - started <= 10 + 20


def test_no_more_are_in_flight_than_the_window_holds(tmp_path: Path) -> None:
    model = Script(slowly(0.002))
    texts(at_door(tmp_path, model, ask_all(*many(60)), window=5))
    assert model.most == 5


def test_an_endpoint_that_answers_nobody_stops_the_run(tmp_path: Path) -> None:
    replies = at_door(tmp_path, Script(passing("no connection")), ask_all(*many(20)))
    assert any(isinstance(reply, Unreachable) for reply in replies)


def test_one_answer_among_failures_keeps_the_run_going(tmp_path: Path) -> None:
    turns = [said(), *([passing("no connection")] * 40 + [said()]) * 5]
    replies = at_door(tmp_path, Script(*turns), ask_all(*many(6)), patience=RetryPolicy(attempts=90, first_wait=0.0))
    assert not any(isinstance(reply, Unreachable) for reply in replies)


@pytest.mark.parametrize("window", [1, 7, 64])
def test_no_more_calls_are_made_than_the_budget_has(tmp_path: Path, window: int) -> None:
    model = Script(slowly(0.001))
    replies = at_door(tmp_path, model, ask_all(*many(100)), window=window, budget=Budget(max_calls=40))
    assert model.asked.total() == 40
    assert sum(isinstance(reply, Reply) for reply in replies) == 40
    assert sum(isinstance(reply, BudgetReached) for reply in replies) == 60


def test_attempts_that_failed_are_calls_too(tmp_path: Path) -> None:
    model = Script(passing())
    at_door(tmp_path, model, ask_all(*many(4)), budget=Budget(max_calls=10))
    assert model.asked.total() == 10


@pytest.mark.parametrize("window", [1, 64])
def test_no_more_tokens_are_spent_than_the_budget_has(tmp_path: Path, window: int) -> None:
    budget = Budget(max_tokens=500)
    replies = at_door(
        tmp_path, Script(slowly(0.001, said(tokens=(7, 8)))), ask_all(*many(100)), window=window, budget=budget
    )
    answered = sum(isinstance(reply, Reply) for reply in replies)
    assert 500 - 2 * 64 * 15 < answered * 15 == budget.tokens <= 500
    assert budget.tokens_reserved == 0


def test_no_more_money_is_spent_than_the_budget_has(tmp_path: Path) -> None:
    budget, rate = Budget(max_cost=0.05), Price(1e-5, 1e-4)
    model = Script(slowly(0.001, said(tokens=(7, 8))))
    replies = at_door(tmp_path, model, ask_all(*many(200)), window=64, budget=budget, rate=rate)
    answered = sum(isinstance(reply, Reply) for reply in replies)
    assert 10 < answered < 200
    assert budget.cost == pytest.approx(answered * (7e-5 + 8e-4))
    assert budget.cost <= 0.05


def test_money_is_not_guessed_where_no_price_is_known(tmp_path: Path) -> None:
    model = Script()
    (refused,) = at_door(tmp_path, model, ask_all(request()), budget=Budget(max_cost=1.0))
    assert isinstance(refused, InputError)
    assert "no price is known for vllm/script; use --max-calls or --max-tokens" in str(refused)
    assert model.asked.total() == 0


def test_what_is_journalled_costs_nothing(tmp_path: Path) -> None:
    at_door(tmp_path, Script(), ask_all(*many(5)))
    replies = at_door(tmp_path, Script(), ask_all(*many(5)), budget=Budget(max_calls=0))
    assert len(texts(replies)) == 5


def test_usage_that_was_not_given_is_guessed_and_marked(tmp_path: Path) -> None:
    budget = Budget()
    silent = Script(Reply(text="four and four more", model="m", usage=Reply(text="").usage))
    (reply,) = at_door(tmp_path, silent, ask_all(request()), budget=budget)
    assert isinstance(reply, Reply)
    assert reply.usage.output == 0 or reply.usage.estimated


def test_a_push_back_rests_the_model_as_long_as_it_asked(tmp_path: Path, clock: Clock) -> None:
    asked_at: list[float] = []

    async def turn(_: Request) -> Reply:
        asked_at.append(clock())
        if len(asked_at) == 1:
            raise passing("http 429", wait=40.0)
        return said()

    async def use(door: ModelClient) -> None:
        await asyncio.gather(door.ask(request("first")), after(5.0, door, "second"), after(10.0, door, "third"))

    async def after(seconds: float, door: ModelClient, words: str) -> None:
        await asyncio.sleep(seconds)
        await door.ask(request(words))

    at_door(tmp_path, Script(turn), use, clock=clock)
    assert len(asked_at) == 4
    assert min(asked_at[1:]) - asked_at[0] == pytest.approx(40.0)


def test_the_limit_falls_where_too_many_are_in_flight_and_recovers(tmp_path: Path) -> None:
    bearable = 4

    async def turn(_: Request) -> Reply:
        if model.in_flight > bearable:
            raise passing("http 429")
        await asyncio.sleep(0.01)
        return said()

    async def use(door: ModelClient) -> tuple[int, int]:
        nonlocal bearable
        patience = asyncio.gather(*(door.ask(r) for r in many(400)))
        texts(await patience)
        low = door.limit.slots.size
        bearable = 1_000
        texts(await asyncio.gather(*(door.ask(request(f"More {n}")) for n in range(900))))
        return low, door.limit.slots.size

    model = Script(turn)
    low, high = at_door(
        tmp_path, model, use, window=32, patience=RetryPolicy(attempts=10_000, first_wait=0.01, longest_wait=0.05)
    )
    assert low < 28
    assert low < high <= 32


def test_a_call_given_up_gives_its_slot_back(tmp_path: Path) -> None:
    async def use(door: ModelClient) -> list[object]:
        flying = asyncio.create_task(door.ask(request("flying")))
        twin = asyncio.create_task(door.ask(request("flying")))
        waiting = asyncio.create_task(door.ask(request("waiting")))
        await asyncio.sleep(0.02)
        waiting.cancel()
        flying.cancel()
        found = await asyncio.gather(flying, twin, waiting, return_exceptions=True)
        return [*found, await asyncio.wait_for(door.ask(request("after")), 5)]

    flying, twin, waiting, after = at_door(tmp_path, Script(slowly(60), said("free")), use, window=1)
    assert isinstance(flying, asyncio.CancelledError)
    assert isinstance(twin, CallFailed)
    assert isinstance(waiting, asyncio.CancelledError)
    assert isinstance(after, Reply)


def test_a_call_given_up_while_it_waits_for_the_window_gives_its_place_at_the_model_back(tmp_path: Path) -> None:
    async def use(door: ModelClient) -> tuple[int, int]:
        door.window.resize(1)  # as where other models fill it
        flying, waiting = (asyncio.create_task(door.ask(request(words))) for words in ("flying", "waiting"))
        await asyncio.sleep(0.02)
        before = door.limit.slots.held
        waiting.cancel()
        flying.cancel()
        await asyncio.gather(flying, waiting, return_exceptions=True)
        return before, door.limit.slots.held

    assert at_door(tmp_path, Script(slowly(60)), use) == (2, 0)


def test_calls_that_rested_are_paced_when_they_go_on(tmp_path: Path, clock: Clock) -> None:
    """They were many, and had waited; an endpoint that had asked for a rest is not asked by all of them at once."""
    asked_at: list[float] = []

    async def turn(_: Request) -> Reply:
        asked_at.append(clock())
        if len(asked_at) == 1:
            raise passing("http 429", wait=40.0)
        return said()

    async def use(door: ModelClient) -> None:
        door.requests_pace = RateLimiter(60)
        texts(await ask_all(*many(40))(door))

    at_door(tmp_path, Script(turn), use, window=64, clock=clock)
    later = asked_at[1:]
    assert later[0] - asked_at[0] >= 40.0
    assert min(b - a for a, b in pairwise(later[1:])) > 0.9
