"""Addresses of endpoints, which hold no secret: checked before anything is written or said.

An address stands in manifests, pages and errors, so what must not stand there has no place in it; and since what is
refused may be a secret, a refusal does not repeat it. A query is kept where it says which version or deployment is
meant, as Azure wants it; it goes with each call, and is no part of what decides a reply.
"""

import re
from ipaddress import ip_address
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from mores.core.errors import InputError

_PLAIN = re.compile(r"[!-~]+")
_HIDES = re.compile(r"[@#;\\]|%(?:40|3[fFdDbB]|23|5[cC])")
_SECRET = re.compile(
    r"key|tok|secret|sig|pass|pwd|pw$|auth|cred|code|user|login|account|session|sas|jwt|hash|cert|^(?:k|p|s|t)$",
    re.IGNORECASE,
)
"""In the name of a part of a query: what it holds may be a secret."""
_PLAIN_VALUE = re.compile(r"[\w.:-]{1,20}")
"""Value that a part of a query may have: a version, a date, a name; a longer one may be a key under another name."""
_TAIL = re.compile(r"/+(?:chat/+completions|completions|responses)/*\Z")
"""Path that people copy behind an address: the last part of it is added to each call."""
_INSTEAD = "a key goes into the environment: MORES_API_KEY, or the variable that mores list models names."


def checked_address(typed: str, *, role: str = "") -> str:
    """The address, if it is one and holds nothing but where an endpoint is; without what each call adds to it.

    >>> checked_address("https://gateway.example.org/v1/chat/completions/")
    'https://gateway.example.org/v1'

    Raises:
        InputError: it is no address, or has room for a secret: a user, a password, a fragment, or a query that is not
            plainly a version or a name.
    """
    named = f"--base-url for the {role}" if role else "--base-url"
    try:
        parts = urlsplit(typed)
        # That a port is none shows only when it is asked for.
        _ = parts.port
    except ValueError:
        parts = None
    plain = _PLAIN.fullmatch(typed)
    if parts is not None and plain and (_HIDES.search(typed) or not _is_plain_query(parts.query)):
        raise InputError(
            f"{named}: it carries a user, a password, a query or a fragment, which may be secret; {_INSTEAD}"
        )
    if parts is None or parts.scheme not in {"http", "https"} or not parts.hostname or not plain:
        raise InputError(f"{named}: no address; expected one such as http://localhost:8000/v1, without a key in it.")
    path = _TAIL.sub("", parts.path)
    return typed if path == parts.path else urlunsplit(parts._replace(path=path))


def _is_plain_query(query: str) -> bool:
    """True where a query has nothing that may be a secret, such as `api-version=2024-10-21`."""
    try:
        pairs = parse_qsl(query, keep_blank_values=True, strict_parsing=True) if query else []
    except ValueError:
        return False
    return all(_PLAIN_VALUE.fullmatch(value) and not _SECRET.search(name) for name, value in pairs)


def url_of(address: str, verb: str) -> str:
    """Address of the calls of a kind: the verb behind the path, before a query.

    >>> url_of("https://x.example.org/openai/deployments/m?api-version=2024-10-21", "chat/completions")
    'https://x.example.org/openai/deployments/m/chat/completions?api-version=2024-10-21'
    """
    parts = urlsplit(address)
    return urlunsplit(parts._replace(path=f"{parts.path.rstrip('/')}/{verb}"))


def without_port(address: str) -> str:
    """Part of an address that decides replies: a server moves to another port or version of its interface at any time.

    >>> without_port("http://localhost:8000/v1?api-version=1")
    'http://localhost/v1'
    """
    parts = urlsplit(address)
    return urlunsplit(parts._replace(netloc=parts.hostname or "", query=""))


def same_host(one: str, other: str) -> bool:
    """True for two addresses of one server: the same scheme, host and port."""
    return _host(one) == _host(other)


def _host(address: str) -> tuple[str, str | None, int]:
    parts = urlsplit(address)
    return parts.scheme, parts.hostname, parts.port or {"https": 443}.get(parts.scheme, 80)


def host_of(address: str) -> str:
    """The host as people read it, with its port where one is named."""
    return urlsplit(address).netloc


def is_open(address: str) -> bool:
    """True where what is sent can be read on the way: plain http, and not to this machine itself."""
    parts = urlsplit(address)
    host = parts.hostname or ""
    if parts.scheme == "https" or host == "localhost" or host.endswith(".localhost"):
        return False
    try:
        found = ip_address(host)
    except ValueError:
        return True
    # ::ffff:127.0.0.1 is this machine too.
    found = getattr(found, "ipv4_mapped", None) or found
    return not (found.is_loopback or found.is_unspecified)
