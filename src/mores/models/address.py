"""Where an endpoint is reached: an address that holds no secret, checked before anything is written or said.

An address stands in manifests, pages and errors, so what must not stand there has no place in it; and since what is
refused may be a secret, a refusal does not repeat it.
"""

import re
from urllib.parse import urlsplit

from mores.core.errors import InputError

_PLAIN = re.compile(r"[!-~]+")
_HIDES = re.compile(r"[@?#=;\\]|%(?:40|3[fFdDbB]|23|5[cC])")
_INSTEAD = "a key goes into the environment: MORES_API_KEY, or the variable that mores list models names."


def checked_address(typed: str, *, role: str = "") -> str:
    """The address as typed, if it is one and holds nothing but where an endpoint is.

    Raises:
        InputError: it is no address, or has room for a secret: a user, a password, a query or a fragment.
    """
    named = f"--base-url for the {role}" if role else "--base-url"
    try:
        parts = urlsplit(typed)
        _ = parts.port
    except ValueError:
        parts = None
    if parts is not None and _PLAIN.fullmatch(typed) and _HIDES.search(typed):
        raise InputError(
            f"{named}: it carries a user, a password, a query or a fragment, which may be secret; {_INSTEAD}"
        )
    if parts is None or parts.scheme not in {"http", "https"} or not parts.hostname or not _PLAIN.fullmatch(typed):
        raise InputError(f"{named}: no address; expected one such as http://localhost:8000/v1, without a key in it.")
    return typed
