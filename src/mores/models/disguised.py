"""Answers of status 200 that are none: an error put into the body, or a stream that nobody asked for."""

from typing import NamedTuple

import msgspec

STREAMED = "streamed answer"
"""The cause of a call whose answer came in pieces, as events."""
IN_BODY = "error in the body"
"""The cause of a call whose answer of status 200 is an error that gives no status of its own."""
_EVENTS = (b"data:", b"event:", b": ")


class _Said(msgspec.Struct):
    message: object = None
    code: object = None


class _Body(msgspec.Struct):
    error: _Said | str
    choices: object = None


class Disguised(NamedTuple):
    """What such an answer says: its cause, its words, and the status that it speaks of, 0 where of none."""

    cause: str
    words: str
    status: int = 0


def disguised(body: bytes) -> Disguised | None:
    """What an answer says that is no completion; None where it may be one, or is unreadable.

    >>> disguised(b'{"error": {"message": "Overloaded", "code": 503}}')
    Disguised(cause='http 503', words='Overloaded', status=503)
    >>> disguised(b'data: {"choices": [{"delta": {"content": "Yes"}}]}').cause
    'streamed answer'
    """
    if body.lstrip()[:6].startswith(_EVENTS):
        return Disguised(STREAMED, "the endpoint sends events, which it was not asked for; turn streaming off there")
    if b'"choices"' in body:
        return None
    try:
        error = msgspec.json.decode(body, type=_Body).error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    if isinstance(error, str):
        return Disguised(IN_BODY, error)
    words = error.message if isinstance(error.message, str) else body.decode("utf-8", "replace")
    code = int(error.code) if isinstance(error.code, int | str) and str(error.code).isdecimal() else 0
    return Disguised(f"http {code}", words, code) if 400 <= code < 600 else Disguised(IN_BODY, words)
