"""Secrets and their addresses: a key goes where it belongs, and to nobody that a file alone names.

A study, a manifest or a run may come from somebody else, and any address can stand in it. So a provider's key goes to
that provider's own host; to another only where the address was typed on this command line. `MORES_API_KEY`, and
variables whose names begin with MORES_, are set for such addresses and go there. Nothing secret goes over plain http
but to this machine, unless `MORES_ALLOW_HTTP=1` says that the way is safe.

A gateway may want headers beside a key. A value may be a secret, so none is written down or said: names may. What a
file (a study, a run) names as `$VARIABLE` is whoever runs it's own, and so is what was typed.
"""

import os
import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from msgspec import Struct

from mores.core.errors import InputError
from mores.models.address import host_of, is_open, same_host
from mores.models.redaction import GONE

KEYS = frozenset({"authorization", "api-key", "x-api-key", "x-goog-api-key", "ocp-apim-subscription-key"})
"""Headers that hold an endpoint's key: where one is given, no other key is looked for or sent."""
_OURS = frozenset({
    "host", "content-length", "content-type", "content-encoding", "transfer-encoding", "accept-encoding", "connection",
    "keep-alive", "expect", "te", "trailer", "upgrade", "user-agent", "http2-settings",
})  # fmt: skip
"""Headers that say how a call is sent, which decides where it goes and how it is read."""
_FORM = re.compile(r"(?:(?P<role>[a-z]+[2-9]?):)?(?P<name>[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128})")
_VARIABLE = re.compile(r"\$\$|\$(?:\{(?P<braced>[A-Za-z_]\w*)\}|(?P<plain>[A-Za-z_]\w*))")
_SCHEME = re.compile(r"\A(?:Bearer|Basic|Token|ApiKey) +", re.IGNORECASE)
"""Prefix of a key in a header."""
_REFERENCE = re.compile(r"(?:(?:Bearer|Basic|Token|ApiKey) )?\$(?:\{[A-Za-z_]\w*\}|[A-Za-z_]\w*)|", re.IGNORECASE)
"""A value that holds no secret itself: a variable, or nothing."""


class CallHeader(NamedTuple):
    """One header of each call to a model: its value as it was given, and whether on this very command line."""

    name: str
    value: str
    typed: bool = False

    @property
    def private(self) -> bool:
        """True where it says what is the reader's own: what was typed now, or variables that are not made for this."""
        return bool(self.value) and (self.typed or any(not name.startswith("MORES_") for name in self.variables))

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables that its value is made of."""
        return tuple(name for found in _VARIABLE.finditer(self.value) if (name := found["braced"] or found["plain"]))

    def resolved(self) -> str:
        """The value that is sent.

        Raises:
            InputError: a variable is not set, or what stands in it is no value of a header; the line says neither.
        """
        return self._checked(_VARIABLE.sub(self._of_variable, self.value))

    def secrets(self) -> tuple[str, ...]:
        """Secrets that must be said nowhere: the value, also without its scheme, and those of its variables."""
        resolved = self.resolved()
        bare = _SCHEME.sub("", resolved)
        return (resolved, bare, *(os.environ.get(name, "").strip() for name in self.variables))

    def _of_variable(self, found: "re.Match[str]") -> str:
        name = found["braced"] or found["plain"]
        if not name:
            return "$"
        value = os.environ.get(name, "").strip()
        if not value:
            raise InputError(f"--header {self.name}: no variable {name} in the environment; set it.")
        return value

    def _checked(self, resolved: str) -> str:
        if not (resolved.isascii() and resolved.isprintable()):
            raise InputError(
                f"--header {self.name}: its value holds a line break or another sign that headers do not have."
            )
        return resolved.strip()


def check_headers(given: Mapping[str, str]) -> None:
    """Refuse headers that no call can have.

    Raises:
        InputError: a name is none, is mores' own or has no value; the line names it, and not what it holds.
    """
    for key, value in given.items():
        form = _FORM.fullmatch(key)
        if form is None:
            raise InputError("--header: no name of a header; expected NAME=VALUE or ROLE:NAME=VALUE.")
        name = form["name"].casefold()
        if name in _OURS or name.startswith(("proxy-", "sec-")):
            raise InputError(f"--header {form['name']}: mores, or the address, says that itself; leave it out.")
        if not value and name != "authorization":
            raise InputError(f"--header {form['name']}: no value; expected one, such as '$VARIABLE'.")
        if not _VARIABLE.search(value):
            CallHeader(form["name"], value).resolved()


def read_headers(entries: Iterable[str]) -> dict[str, str]:
    """Headers typed as `NAME=VALUE` or `ROLE:NAME=VALUE`.

    Raises:
        InputError: an entry has no such form; what it holds is not repeated.

    >>> read_headers(["api-key=$GATEWAY_KEY", "judge:authorization="])
    {'api-key': '$GATEWAY_KEY', 'judge:authorization': ''}
    """
    found = {}
    for entry in entries:
        key, equals, value = entry.partition("=")
        if not equals or _FORM.fullmatch(key) is None:
            raise InputError("--header: no name of a header; expected NAME=VALUE or ROLE:NAME=VALUE.")
        found[key] = value
    return found


def with_headers(before: Mapping[str, str], more: Mapping[str, str]) -> dict[str, str]:
    """Headers with others added, which replace those of the same name, however that is written."""
    named = {key.casefold() for key in more}
    return {**{key: value for key, value in before.items() if key.casefold() not in named}, **more}


def role_of(key: str) -> str:
    """The role whose calls alone have a header; empty for all."""
    return key.rpartition(":")[0]


def headers_for(roles: Iterable[str], given: Mapping[str, str], typed: frozenset[str]) -> tuple[CallHeader, ...]:
    """The headers of a model that plays some roles: those of all, and in their place those of its roles."""
    playing = set(roles)
    found: dict[str, CallHeader] = {}
    # Those of all roles first, so that a role's own replaces them.
    for key, value in sorted(given.items(), key=lambda entry: ":" in entry[0]):
        role, _, name = key.rpartition(":")
        if not role or role in playing:
            found[name.casefold()] = CallHeader(name, value, key in typed)
    return tuple(found.values())


def without_values(given: Mapping[str, str]) -> dict[str, str]:
    """The headers as a run may write them down: variables stand, what was typed in full does not."""
    return {key: value if _REFERENCE.fullmatch(value) else GONE for key, value in given.items()}


OWN_KEY = "MORES_API_KEY"
"""The variable of a key for an address of one's own."""
ALLOW = "MORES_ALLOW_HTTP"


class Access(Struct, frozen=True, kw_only=True):
    """Access to a model: its address where it is not its preset's, and the headers and fields of its calls.

    An address is `typed` where it stood on this command line; `role` is whose alone it is, empty for all.
    """

    base_url: str | None = None
    typed: bool = False
    role: str = ""
    headers: tuple[CallHeader, ...] = ()


class Credentials(NamedTuple):
    """Credentials sent to an address: a key, headers, and all of them that must be said nowhere."""

    key: str = ""
    headers: Mapping[str, str] = MappingProxyType({})
    secrets: tuple[str, ...] = ()


class Home(NamedTuple):
    """Address of a provider and the variable of its key; None where it needs none."""

    base_url: str
    key_variable: str | None


def credentials_of(spec: str, home: Home, access: Access) -> Credentials:
    """The key and headers that go to a model's endpoint.

    Raises:
        InputError: a key is missing or can be none, or a secret would go to whom it may not be meant for.
    """
    headers = {header.name: resolved for header in access.headers if (resolved := header.resolved())}
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
