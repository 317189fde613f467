"""Clients of the models that a run asks: their addresses, headers and prices, opened once behind one window and budget.

What is typed now is told apart from what stands in a study or a run, which somebody else may have made: secrets go to
typed addresses alone. Each journal makes clients of its own out of the pool.
"""

import re
import resource
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import TypeAlias

from msgspec import Struct, structs
from msgspec.structs import replace

from mores.core.code_errors import keep
from mores.core.codec import build
from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.models.address import host_of
from mores.models.batch.endpoint import BatchClient
from mores.models.batch.queue import BatchQueue
from mores.models.budget import Budget, Price, given_prices, no_price, rate_of
from mores.models.client import ModelClient
from mores.models.credentials import Access, headers_for, read_headers, role_of, with_headers
from mores.models.marks import ThinkTags
from mores.models.model import Model
from mores.models.provider import provider_of
from mores.models.rate_limits import AdaptiveLimit, FairSemaphore, RateLimiter
from mores.models.recorded import AS_THEY_ARE
from mores.models.redaction import GONE
from mores.models.registry import Connection, is_asked_elsewhere, is_endpoint, open_model
from mores.models.retries import RetryPolicy
from mores.runs.evaluation import Evaluation
from mores.runs.options import PairArgument, names_of
from mores.runs.progress import StopSignal
from mores.runs.spec import ExecutionSpec, Spec

Rates: TypeAlias = dict[str, Price | None]
PaceOf: TypeAlias = Callable[[str, str, float | None], RateLimiter]
"""Pace of a model, by its spec, in `requests` or `tokens`, so many a minute."""


def own_pace(model: str, kind: str, per_minute: float | None) -> RateLimiter:  # noqa: ARG001 - others ask by them
    """A pace that this process keeps alone."""
    return RateLimiter(per_minute)


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


def open_clients(  # noqa: PLR0913 - whom, how, and what is shared
    reached: Mapping[str, Access],
    conditions: ExecutionSpec,
    *,
    window: int,
    seed: Seed,
    budget: Budget,
    stop_signal: StopSignal,
    batches: BatchQueue | None = None,
    checked_only: Mapping[str, Access] = MappingProxyType({}),
    prices: Mapping[str, Price] = MappingProxyType({}),
    columns: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
    pace_of: PaceOf = own_pace,
) -> ClientPool:
    """Doors to models, reached as is said of each, with at most `window` calls under way.

    With a `batches` calls to endpoints go into it. Models that are `checked_only` are opened, so that what is wrong
    with them is said before anything is asked, and have no client. `prices` that are given go before known ones.
    `columns` are those of tables of recorded outputs, by model.

    Raises:
        InputError: a model cannot be opened, has no price and the budget is in money, or none can go into a batch.
    """
    rates = _rates(reached, prices, conditions)
    tags = ThinkTags.of(conditions.think_tags)
    connections = {
        spec: Connection(
            **structs.asdict(access), window=window, timeout=conditions.timeout, batches=batches, think_tags=tags,
            columns=columns.get(spec, AS_THEY_ARE),
        )
        for spec, access in {**reached, **checked_only}.items()
    }  # fmt: skip
    models = {spec: open_model(spec, seed, connection) for spec, connection in connections.items()}
    if batches is not None and all(model.batch is None for model in models.values()):
        raise InputError("--batch: no model of this run is an endpoint's; expected one, such as openai/gpt-4o.")
    slots = FairSemaphore(window)
    clients = {
        spec: partial(
            partial(BatchClient, batches=batches) if batches and models[spec].batch is not None else ModelClient,
            model=models[spec],
            window=slots,
            limit=AdaptiveLimit(window),
            budget=budget,
            seed=seed.child("door"),
            rate=rate,
            requests_pace=pace_of(spec, "requests", conditions.requests_per_minute),
            tokens_pace=pace_of(spec, "tokens", conditions.tokens_per_minute),
            retry_policy=RetryPolicy(attempts=conditions.attempts, first_wait=conditions.first_wait),
            stopped=lambda: stop_signal.stopped,
            think_tags=tags,
        )
        for spec, rate in rates.items()
    }
    return ClientPool(models=models, make=clients)


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
    # Python has -1 for a limit that there is not, which would be the minimum.
    allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard - spare)
    if allowed < 1:
        raise InputError(
            f"ulimit -n {hard}: a run of {models} models needs {spare + 1} open files at least; try ulimit -n 1024."
        )
    if allowed + spare > soft:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed + spare, hard))
    return allowed


_ROLE_URL = re.compile(r"(?P<role>[a-z]+[2-9]?)=(?P<url>https?://.*)")


class TypedNow(Struct, frozen=True, kw_only=True):
    """Addresses and headers of this very command line, and not of a file that somebody else may have made.

    `headers` are typed ones by their names, with the role where one has its own.
    """

    addresses: frozenset[str] = frozenset()
    headers: frozenset[str] = frozenset()


def addresses_of(urls: PairArgument | str) -> dict[str, object]:
    """The address of all roles, and those of single ones."""
    given = [f"{role}={url}" for role, url in urls.items()] if isinstance(urls, Mapping) else names_of(urls)
    parts = [_ROLE_URL.fullmatch(url) for url in given]
    plain = [url for url, part in zip(given, parts, strict=True) if part is None]
    if len(plain) > 1:
        raise InputError(
            "--base-url: a second address for all; expected ROLE=URL, such as judge=http://localhost:8000/v1."
        )
    roles = {part["role"]: part["url"] for part in parts if part is not None}
    return {"base_url": plain[0] if plain else None, "role_urls": roles}


def with_addresses(spec: Spec, urls: PairArgument | str) -> dict[str, object]:
    """The same, where those of roles that a spec has and nobody typed stay."""
    given = addresses_of(urls)
    return {**given, "role_urls": {**spec.role_urls, **build(dict[str, str], given["role_urls"], where="--base-url")}}


def headers_of(typed: PairArgument) -> dict[str, str]:
    """Headers by name, or by ROLE:NAME, as they are typed.

    Raises:
        InputError: one has no name.
    """
    return read_headers(
        [f"{name}={value}" for name, value in typed.items()] if isinstance(typed, Mapping) else names_of(typed)
    )


def headers_with(before: ExecutionSpec, typed: PairArgument) -> dict[str, str]:
    """All headers: those of before, and in their place those that are typed."""
    return with_headers(before.headers, headers_of(typed))


def headers_of_judges(conditions: ExecutionSpec) -> ExecutionSpec:
    """Conditions with the headers that judges had alone, none of which has a value."""
    names = [name for name, value in conditions.headers.items() if value and role_of(name)[:5] in {"", "judge"}]
    return replace(conditions, headers=dict.fromkeys(names, GONE))


def refuse_unsaid(conditions: ExecutionSpec, how: str) -> None:
    """Refuse headers whose values no run keeps.

    Raises:
        InputError: one has none; the line says how it is typed again.
    """
    missing = [name for name, value in conditions.headers.items() if value == GONE]
    if missing:
        flags = " ".join(f"--header {name}='$VARIABLE'" for name in missing)
        raise InputError(
            f"{how} with the header {', '.join(missing)}, whose value no run keeps; type it again: {flags}."
        )


def typed_now(urls: PairArgument | str, headers: PairArgument) -> TypedNow:
    """The addresses and headers that were typed now, and stand in no file."""
    given = build(Spec, {name: value for name, value in addresses_of(urls).items() if value}, where="--base-url")
    plain = () if given.base_url is None else (given.base_url,)
    return TypedNow(
        addresses=frozenset((*plain, *given.role_urls.values())),
        headers=frozenset(headers_of(headers)),
    )


def addresses(spec: Spec, evaluations: Sequence[Evaluation]) -> dict[str, str | None]:
    """Address of each model, None where its preset has it.

    Raises:
        InputError: one model is to be reached at two addresses.
    """
    found: dict[str, str | None] = {}
    for role, model in _played(spec, evaluations):
        url = spec.role_urls.get(role, spec.base_url)
        if found.setdefault(model, url) != url:
            raise InputError(f"--base-url {role}={url}: {model} is reached at {found[model]} in another role.")
    return found


def _played(spec: Spec, evaluations: Sequence[Evaluation]) -> Iterator[tuple[str, str]]:
    """Each role with a model that plays it."""
    yield from spec.roles.items()
    for evaluation in evaluations:
        yield from evaluation.asked.items()


def accesses(
    spec: Spec, conditions: ExecutionSpec, typed: TypedNow, evaluations: Sequence[Evaluation]
) -> dict[str, Access]:
    """Access to each model: its address and its headers.

    Raises:
        InputError: as for `addresses`, or one header would go to several hosts.
    """
    given = conditions.headers
    urls, roles = addresses(spec, evaluations), defaultdict[str, list[str]](list)
    for role, model in _played(spec, evaluations):
        roles[model].append(role)
    _refuse_ambiguous(given, [provider_of(model).address(url) for model, url in urls.items() if is_endpoint(model)])
    inspected = {key: value for key, value in given.items() if role_of(key)} if any(map(is_endpoint, urls)) else given
    return {
        model: Access(
            base_url=url,
            typed=url in typed.addresses,
            role=next((role for role in roles[model] if role in spec.role_urls), ""),
            headers=headers_for(roles[model], given if is_endpoint(model) else inspected, typed.headers)
            if is_asked_elsewhere(model)
            else (),
        )
        for model, url in urls.items()
    }


def _refuse_ambiguous(headers: Mapping[str, str], addresses: Sequence[str]) -> None:
    """Refuse a header of all calls where these go to several hosts, to one of which it is meant to go.

    Raises:
        InputError: there is one; the line names it, and the hosts.
    """
    hosts = dict.fromkeys(map(host_of, addresses))
    name = next((key for key in headers if not role_of(key)), None)
    if name is not None and len(hosts) > 1:
        raise InputError(
            f"--header {name}: calls go to {' and to '.join(hosts)}; say whose it is, such as --header "
            f"subject:{name}='$VARIABLE'."
        )


def prices_of(spec: Spec) -> dict[str, Price]:
    """The prices that whoever runs a spec says, by model.

    Raises:
        InputError: one is no price.
    """
    return given_prices(spec.facts, spec.models, spec.roles.values())


def rates_of(spec: Spec, urls: Mapping[str, str | None]) -> dict[str, Price | None]:
    """Price of a token of each model: as is said, else as is known, else None."""
    given = prices_of(spec)
    return {model: given.get(model) or rate_of(model, url) for model, url in urls.items()}
