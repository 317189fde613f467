"""Headers that a gateway wants beside a key: named by whoever runs a benchmark, with values out of the environment.

A value may be a secret, so none is written down or said: names may. What a file (a study, a run) names as
`$VARIABLE` is whoever runs it's own, and so is what was typed.
"""

import os
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from mores.core.errors import InputError
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
"""What stands before a key in a header."""
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

    def said(self) -> str:
        """The value that is sent.

        Raises:
            InputError: a variable is not set, or what stands in it is no value of a header; the line says neither.
        """
        return self._checked(_VARIABLE.sub(self._of_variable, self.value))

    def secrets(self) -> tuple[str, ...]:
        """What must be said nowhere: the value, also without its scheme, and what its variables hold."""
        said = self.said()
        bare = _SCHEME.sub("", said)
        return (said, bare, *(os.environ.get(name, "").strip() for name in self.variables))

    def _of_variable(self, found: "re.Match[str]") -> str:
        name = found["braced"] or found["plain"]
        if not name:
            return "$"
        value = os.environ.get(name, "").strip()
        if not value:
            raise InputError(f"--header {self.name}: no variable {name} in the environment; set it.")
        return value

    def _checked(self, said: str) -> str:
        if not (said.isascii() and said.isprintable()):
            raise InputError(
                f"--header {self.name}: its value holds a line break or another sign that headers do not have."
            )
        return said.strip()


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
            CallHeader(form["name"], value).said()


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
    said = {key.casefold() for key in more}
    return {**{key: value for key, value in before.items() if key.casefold() not in said}, **more}


def role_of(key: str) -> str:
    """The role whose calls alone have a header; empty for all."""
    return key.rpartition(":")[0]


def headers_for(roles: Iterable[str], given: Mapping[str, str], typed: frozenset[str]) -> tuple[CallHeader, ...]:
    """The headers of a model that plays some roles: those of all, and in their place those of its roles."""
    playing = set(roles)
    found: dict[str, CallHeader] = {}
    for key, value in sorted(given.items(), key=lambda entry: ":" in entry[0]):
        role, _, name = key.rpartition(":")
        if not role or role in playing:
            found[name.casefold()] = CallHeader(name, value, key in typed)
    return tuple(found.values())


def without_values(given: Mapping[str, str]) -> dict[str, str]:
    """The headers as a run may write them down: variables stand, what was typed in full does not."""
    return {key: value if _REFERENCE.fullmatch(value) else GONE for key, value in given.items()}
