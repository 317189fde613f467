"""Signed links: a JSON Web Token, checked against the public keys of whoever signs (RS256, and nothing else)."""

from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

import jwt

from mores.core.codec import parse_json
from mores.core.errors import InputError

ALGORITHM = "RS256"
SMALLEST = 2048
CLOCKS = 60.0
"""Seconds by which the clock of who signs may be ahead of ours, or behind it."""


class InvalidToken(Exception):
    """A link is not signed by any of the keys, or is not for here, or not for now."""


def read_keys(text: str) -> list[dict[str, str]]:
    """The RSA keys of a key set, as Prolific publishes it: `{"keys": [{"kid": …, "n": …, "e": …}]}`.

    Raises:
        InputError: there is none in it, or one is too short to be trusted.
    """
    key_set = parse_json(text, where="key set")
    listed = key_set.get("keys") if isinstance(key_set, dict) else None
    if not isinstance(listed, list) or not listed:
        raise InputError('key set: expected {"keys": [...]} with at least one key.')
    return [_read_key(each) for each in listed]


def _read_key(jwk: object) -> dict[str, str]:
    if not isinstance(jwk, dict) or jwk.get("kty") != "RSA":
        raise InputError("key set: expected keys with kty RSA.")
    key = {"kty": "RSA"} | {name: str(jwk.get(name, "")) for name in ("kid", "n", "e")}
    try:
        long_enough = jwt.PyJWK(key, ALGORITHM).key.key_size >= SMALLEST
    except jwt.PyJWTError:
        long_enough = False
    if not key["kid"] or not long_enough:
        raise InputError(f"key set: expected kid, e and n of at least {SMALLEST} bits in each key.")
    return key


def claims_of(token: str, keys: Sequence[Mapping[str, str]], *, audience: str) -> dict[str, object]:
    """Claims of a token, once it is known to be true: signed by a key, for this time (`exp`, `nbf`, `iat`) and place.

    Args:
        token: The token.
        keys: Public keys of those who may sign.
        audience: Address of this studio; the token has to be for its host.

    Raises:
        InvalidToken: none of the keys signed it, it ran out or is not yet true, or it is for another place.
    """
    try:
        named = jwt.get_unverified_header(token).get("kid")
        key = next((each for each in keys if each["kid"] == named), None)
        if key is None:
            raise InvalidToken("signed by none of the keys")
        claims: dict[str, object] = jwt.decode(
            token, jwt.PyJWK(dict(key), ALGORITHM), algorithms=[ALGORITHM], leeway=CLOCKS,
            options={"require": ["exp"], "verify_aud": False},  # a host says it, with a scheme or without
        )  # fmt: skip
    except jwt.PyJWTError as error:
        raise InvalidToken(str(error)) from error
    if not _is_for(claims.get("aud"), audience):
        raise InvalidToken("for another place")
    return claims


def _is_for(audience: object, here: str) -> bool:
    named = audience if isinstance(audience, list) else [audience]
    return urlsplit(here).hostname in {
        urlsplit(str(each) if "//" in str(each) else f"//{each}").hostname for each in named
    }
