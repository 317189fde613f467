"""Addresses, headers and prices of the models that a run asks, out of what was typed and what a file says.

What is typed now is told apart from what stands in a study or a run, which somebody else may have made.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from mores.core.codec import build
from mores.core.errors import InputError
from mores.models.address import host_of
from mores.models.budget import Price, given_prices, rate_of
from mores.models.credentials import Access, headers_for, read_headers, role_of, with_headers
from mores.models.provider import provider_of
from mores.models.redaction import GONE
from mores.models.registry import is_asked_elsewhere, is_endpoint
from mores.runs.evaluation import Evaluation
from mores.runs.options import PairArgument, names_of
from mores.runs.spec import ExecutionSpec, Spec

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
