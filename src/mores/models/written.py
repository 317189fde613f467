"""Messages as JSON, as endpoints and the journal's key have them; what many calls begin with is written once."""

from functools import lru_cache

import msgspec

from mores.core.transcript import Message

LONG = 1024
KEPT = 512
"""Beginnings that are kept, the latest: norms, for each place and each kind of location, are a few hundred."""
_encoder = msgspec.json.Encoder()


def common(messages: tuple[Message, ...]) -> Message | None:
    """The long message with which a chat begins that has more: rules, norms, a profile, which come again and again."""
    return messages[0] if len(messages) > 1 and len(messages[0].content) >= LONG else None


def written(messages: tuple[Message, ...]) -> bytes:
    """JSON list of the messages."""
    first = common(messages)
    if first is None:
        return _encoder.encode(messages)
    return b"".join((b"[", _written(first), b",", _encoder.encode(messages[1:])[1:]))


@lru_cache(maxsize=KEPT)
def _written(message: Message) -> bytes:
    return _encoder.encode(message)
