"""Which secrets go to which address: a key where it belongs, and to nobody that a file alone names.

A study, a manifest or a run may come from somebody else, and any address can stand in it. So a provider's key goes to
that provider's own host; to another only where the address was typed on this command line. `MORES_API_KEY`, and
variables whose names begin with MORES_, are set for such addresses and go there. Nothing secret goes over plain http
but to this machine, unless `MORES_ALLOW_HTTP=1` says that the way is safe.
"""

import os
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from msgspec import Struct

from mores.core.errors import InputError
from mores.models.address import host_of, is_open, same_host
from mores.models.headers import KEYS, CallHeader

OWN_KEY = "MORES_API_KEY"
"""The variable of a key for an address of one's own."""
ALLOW = "MORES_ALLOW_HTTP"


class Access(Struct, frozen=True, kw_only=True):
    """How a model is reached: its address where it is not its preset's, and what calls have beside.

    An address is `typed` where it stood on this command line; `role` is whose alone it is, empty for all.
    """

    base_url: str | None = None
    typed: bool = False
    role: str = ""
    headers: tuple[CallHeader, ...] = ()


class Credentials(NamedTuple):
    """What is sent to an address for its own ends: a key, headers, and all of them that must be said nowhere."""

    key: str = ""
    headers: Mapping[str, str] = MappingProxyType({})
    secrets: tuple[str, ...] = ()


class Home(NamedTuple):
    """Where a provider lives and which variable holds its key; None where it needs none."""

    base_url: str
    key_variable: str | None


def credentials_of(spec: str, home: Home, access: Access) -> Credentials:
    """The key and headers that go to a model's endpoint.

    Raises:
        InputError: a key is missing or can be none, or a secret would go to whom it may not be meant for.
    """
    headers = {header.name: said for header in access.headers if (said := header.said())}
    secrets = tuple(word for header in access.headers for word in header.secrets())
    key = "" if any(header.name.casefold() in KEYS for header in access.headers) else _key(spec, home, access)
    at = access.base_url or home.base_url
    private = next((header.name for header in access.headers if header.private), None)
    if private is not None and not _is_trusted(home, access):
        raise _untrusted(f"{spec}: the header {private}", access)
    if (key or headers) and is_open(at) and os.environ.get(ALLOW) != "1":
        what = "a key" if key else f"the header {next(iter(headers))}"
        raise InputError(
            f"{spec}: {what} would go to {host_of(at)} over plain http, which others can read; use https, a tunnel to "
            f"this machine, or {ALLOW}=1 where the network is your own."
        )
    return Credentials(key, headers, tuple(filter(None, (key, *secrets))))


def check_inspected(spec: str, access: Access) -> None:
    """Refuse what Inspect, which reads keys itself, would send where it may not be meant for.

    Raises:
        InputError: an address that a file alone names, or a header.
    """
    if access.base_url is not None and not access.typed:
        raise _untrusted(f"{spec}: the provider's key", access)
    if access.headers:
        name = access.headers[0].name
        raise InputError(f"{spec}: Inspect writes its calls and takes no header {name}; leave it out, or name a role.")


def _is_trusted(home: Home, access: Access) -> bool:
    """True for the provider's own host, and for what whoever runs this typed now."""
    return access.base_url is None or access.typed or same_host(access.base_url, home.base_url)


def _key(spec: str, home: Home, access: Access) -> str:
    """The key of a model's endpoint, empty where there is none and an address of one's own may need none."""
    own = access.base_url is None or same_host(access.base_url, home.base_url)
    variable = home.key_variable or OWN_KEY
    key = _read(variable)
    if key and variable != OWN_KEY and not own:
        key = (key if access.typed else "") or _read(OWN_KEY)
        if not key:
            raise _untrusted(f"{spec}: the key in {variable}", access, f", or set {OWN_KEY} for a key of its own")
    elif not key and not own:
        key = _read(OWN_KEY)
    if not key and home.key_variable and access.base_url is None:
        raise InputError(f"{spec}: no key; set {home.key_variable} in the environment.")
    return key


def _untrusted(what: str, access: Access, otherwise: str = "") -> InputError:
    at = access.base_url or ""
    flag = f"--base-url {access.role}={at}" if access.role else f"--base-url {at}"
    return InputError(
        f"{what} would go to {host_of(at)}, which a file names and nobody typed; if that is meant, add "
        f"{flag}{otherwise}."
    )


def _read(variable: str) -> str:
    """The key in a variable, empty where there is none.

    Raises:
        InputError: what stands there cannot be one.
    """
    key = os.environ.get(variable, "").strip()
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise InputError(
            f"{variable}: it holds a line break, a space or another character that keys do not have; set it again."
        )
    return key
