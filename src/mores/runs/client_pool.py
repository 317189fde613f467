"""The doors to models: opened once, with one window and one budget behind them, and asked through a journal each."""

import resource
from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import TypeAlias

from msgspec import Struct, structs

from mores.core.code_errors import keep
from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.models.batch.endpoint import BatchClient
from mores.models.batch.queue import BatchQueue
from mores.models.budget import Budget, Price, no_price, rate_of
from mores.models.client import ModelClient
from mores.models.credentials import Access
from mores.models.marks import ThinkTags
from mores.models.model import Model
from mores.models.rate_limits import AdaptiveLimit, FairSemaphore, RateLimiter
from mores.models.recorded import AS_THEY_ARE
from mores.models.registry import Connection, open_model
from mores.models.retries import RetryPolicy
from mores.runs.progress import StopSignal
from mores.runs.spec import ExecutionSpec

Rates: TypeAlias = dict[str, Price | None]


class ClientPool(Struct, frozen=True, kw_only=True):
    """Models by spec, and for each what makes its client for a journal; journals share them."""

    models: dict[str, Model]
    make: Mapping[str, Callable[..., ModelClient]]

    async def close(self) -> None:
        """Give back connections; where that fails the answers are there all the same, and it is told."""
        for spec, model in self.models.items():
            try:
                await model.close()
            except Exception as error:  # noqa: BLE001 - whatever it is, nothing that was asked depends on it
                keep(f"the closing of {spec}", error)


def _rates(reached: Mapping[str, Access], given: Mapping[str, Price], conditions: ExecutionSpec) -> Rates:
    """Price of a token of each model, None where it is not known.

    Raises:
        InputError: a budget in money, and one of them has no known price.
    """
    rates = {spec: given.get(spec) or rate_of(spec, access.base_url) for spec, access in reached.items()}
    unpriced = [spec for spec, rate in rates.items() if rate is None]
    if conditions.max_cost is not None and unpriced:
        raise no_price(", ".join(unpriced))
    return rates


def open_doors(  # noqa: PLR0913 - whom, how, and what is shared
    reached: Mapping[str, Access],
    conditions: ExecutionSpec,
    *,
    window: int,
    seed: Seed,
    budget: Budget,
    brake: StopSignal,
    tray: BatchQueue | None = None,
    beside: Mapping[str, Access] = MappingProxyType({}),
    prices: Mapping[str, Price] = MappingProxyType({}),
    columns: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
) -> ClientPool:
    """Doors to models, reached as is said of each, with at most `window` calls under way.

    With a `tray` calls to endpoints are parked in it. Models `beside` are opened, so that what is wrong with them is
    said before anything is asked, and have no door. `prices` that are given go before known ones. `columns` are those
    of tables of recorded outputs, by model.

    Raises:
        InputError: a model cannot be opened, has no price and the budget is in money, or none can be parked.
    """
    rates = _rates(reached, prices, conditions)
    tags = ThinkTags.of(conditions.think_tags)
    connections = {
        spec: Connection(
            **structs.asdict(access), window=window, timeout=conditions.timeout, batches=tray, think_tags=tags,
            columns=columns.get(spec, AS_THEY_ARE),
        )
        for spec, access in {**reached, **beside}.items()
    }  # fmt: skip
    models = {spec: open_model(spec, seed, connection) for spec, connection in connections.items()}
    if tray is not None and all(model.batch is None for model in models.values()):
        raise InputError("--batch: no model of this run is an endpoint's; expected one, such as openai/gpt-4o.")
    slots = FairSemaphore(window)
    doors = {
        spec: partial(
            partial(BatchClient, batches=tray) if tray and models[spec].batch is not None else ModelClient,
            model=models[spec],
            window=slots,
            limit=AdaptiveLimit(window),
            budget=budget,
            seed=seed.child("door"),
            rate=rate,
            requests_pace=RateLimiter(conditions.requests_per_minute),
            tokens_pace=RateLimiter(conditions.tokens_per_minute),
            retry_policy=RetryPolicy(attempts=conditions.attempts, first_wait=conditions.first_wait),
            stopped=lambda: brake.pulled,
            think_tags=tags,
        )
        for spec, rate in rates.items()
    }
    return ClientPool(models=models, make=doors)


FILES, FILES_OF_A_MODEL = 28, 12
"""Files that a run has open beside its connections, and those of each model that is asked side by side."""


def files_needed(calls: int, models: int) -> int:
    """Open files of a run of some models that makes so many calls at the same time."""
    return calls + FILES + FILES_OF_A_MODEL * models


def room_for_connections(wanted: int, models: int) -> int:
    """As many connections as are wanted, or as the system allows a process at the most; its own limit is raised.

    Raises:
        InputError: none is left beside the files of the run.
    """
    spare = files_needed(0, models)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard - spare)
    if allowed < 1:
        raise InputError(
            f"ulimit -n {hard}: a run of {models} models needs {spare + 1} open files at least; try ulimit -n 1024."
        )
    if allowed + spare > soft:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed + spare, hard))
    return allowed
