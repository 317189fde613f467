"""Signed links: a JSON Web Token, checked against the public keys of whoever signs (RS256, and nothing else)."""

import binascii
import hashlib
import hmac
from base64 import urlsafe_b64decode
from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from mores.core.codec import parse_json
from mores.core.errors import InputError

SHA256_PREFIX = bytes.fromhex("3031300d060960864801650304020105000420")
"""What stands before a SHA-256 hash in a signature of PKCS #1 1.5."""
SMALLEST = 2048
LONGEST = 8_000


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
        # With the exponent 1 every block would be its own signature.
        long_enough = _number(key["n"]).bit_length() >= SMALLEST and _number(key["e"]) > 2
    except (binascii.Error, ValueError):
        long_enough = False
    if not key["kid"] or not long_enough:
        raise InputError(f"key set: expected kid, e and n of at least {SMALLEST} bits in each key.")
    return key


def claims_of(token: str, keys: Sequence[Mapping[str, str]], *, audience: str, now: float) -> dict[str, object]:
    """Claims of a token, once it is known to be true.

    Args:
        token: The token.
        keys: Public keys of those who may sign.
        audience: Address of this studio; the token has to be for its host.
        now: Seconds since 1970.

    Raises:
        InvalidToken: none of the keys signed it, it ran out, or it is for another place.
    """
    try:
        head, body, signature = token[:LONGEST].split(".")
        header = parse_json(_bytes(head), where="token")
        claims = parse_json(_bytes(body), where="token")
        signed = f"{head}.{body}".encode("ascii")
        # The header may not choose: "none", or HS256 with the public key as secret, would let anybody sign.
        if not isinstance(header, dict) or not isinstance(claims, dict) or header.get("alg") != "RS256":
            raise InvalidToken("not a token with RS256")
        key = next((each for each in keys if each["kid"] == header.get("kid")), None)
        if key is None or not _signed(signed, _bytes(signature), key):
            raise InvalidToken("signed by none of the keys")
    except (ValueError, InputError) as error:  # pieces that are no base64 or no JSON, or not three
        raise InvalidToken("not a token") from error
    expires = claims.get("exp")
    if not isinstance(expires, int | float) or expires <= now:
        raise InvalidToken("ran out")
    if not _is_for(claims.get("aud"), audience):
        raise InvalidToken("for another place")
    return claims


def _signed(message: bytes, signature: bytes, key: Mapping[str, str]) -> bool:
    modulus, exponent = _number(key["n"]), _number(key["e"])
    length = (modulus.bit_length() + 7) // 8
    number = int.from_bytes(signature, "big")
    if len(signature) != length or number >= modulus:
        return False
    tail = b"\x00" + SHA256_PREFIX + hashlib.sha256(message).digest()
    # The whole block is built and compared: signatures are forged where its padding is parsed (Bleichenbacher 2006).
    expected = b"\x00\x01" + b"\xff" * (length - 2 - len(tail)) + tail
    return hmac.compare_digest(pow(number, exponent, modulus).to_bytes(length, "big"), expected)


def _is_for(audience: object, here: str) -> bool:
    named = audience if isinstance(audience, list) else [audience]
    return urlsplit(here).hostname in {
        urlsplit(str(each) if "//" in str(each) else f"//{each}").hostname for each in named
    }


def _bytes(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _number(text: str) -> int:
    return int.from_bytes(_bytes(text), "big")
