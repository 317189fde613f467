"""Where calls go and which headers they have, out of what was typed and what a file says.

What is typed now is told apart from what stands in a study or a run, which somebody else may have made.
"""

import re
from collections.abc import Mapping
from dataclasses import replace

from mores.core.codec import build
from mores.core.errors import InputError
from mores.models.credentials import read_headers, role_of, with_headers
from mores.models.redaction import GONE
from mores.runs.options import PairArgument, names_of
from mores.runs.spec import ExecutionSpec, Spec
from mores.runs.study import TypedNow

_ROLE_URL = re.compile(r"(?P<role>[a-z]+[2-9]?)=(?P<url>https?://.*)")


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
