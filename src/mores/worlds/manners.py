"""What of a model's words the other mind hears, and what was wrong with them.

A model may say nothing, say the same again, go on to speak for the other, say its instructions aloud, or be cut short.
None of it ends a talk by itself; all of it is flagged, so that it can be counted.
"""

import re
from functools import lru_cache
from typing import Literal, NamedTuple, get_args

from mores.agents.mind import Persona
from mores.models.request import Reply

Flag = Literal["empty", "refusal", "repeats", "speaks for the other", "leaks its instructions", "cut short"]
FLAGS: tuple[Flag, ...] = get_args(Flag)
_SHINGLE = 8
"""Words of a mind's rules in a row that nobody says by chance."""
_WORD = re.compile(r"\w+")


class Heard(NamedTuple):
    """The words that reach the other, and the flags of what was said."""

    text: str
    flags: tuple[Flag, ...]


def heard_of(reply: Reply, speaker: Persona, listener: Persona, before: str | None) -> Heard:
    """What the listener hears of a reply: without the speaker's own name before it, and not beyond its own turn.

    Args:
        reply: What the speaker's model said.
        speaker: Who speaks.
        listener: Who hears it.
        before: What the speaker said last, if it spoke before.
    """
    own = _own_label(speaker.name).sub("", reply.text.strip(), count=1)
    beyond = _turn_of(listener.name, speaker.name).search(own)
    text = (own[: beyond.start()] if beyond else own).strip()
    found: dict[Flag, bool] = {
        "empty": not text,
        "refusal": reply.refusal,
        "repeats": bool(text) and before is not None and _bare(text) == _bare(before),
        "speaks for the other": beyond is not None,
        "leaks its instructions": bool(speaker.rules) and _leaks(text, speaker.rules),
        "cut short": reply.finish == "length",
    }
    return Heard(text, tuple(flag for flag in FLAGS if found[flag]))


def _bare(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))


def _leaks(text: str, rules: str) -> bool:
    words = _WORD.findall(text.casefold())
    if len(words) < _SHINGLE:
        return False
    secret = _shingles(rules)
    return any(tuple(words[start : start + _SHINGLE]) in secret for start in range(len(words) - _SHINGLE + 1))


@lru_cache(maxsize=4096)
def _shingles(rules: str) -> frozenset[tuple[str, ...]]:
    words = _WORD.findall(rules.casefold())
    return frozenset(tuple(words[start : start + _SHINGLE]) for start in range(len(words) - _SHINGLE + 1))


@lru_cache(maxsize=4096)
def _own_label(name: str) -> re.Pattern[str]:
    return re.compile(rf"\A\W*(?:{re.escape(name)}|agent\s*[12]|character\s*[12])\W{{0,4}}:\W{{0,4}}\s*", re.IGNORECASE)


@lru_cache(maxsize=4096)
def _turn_of(listener: str, speaker: str) -> re.Pattern[str]:
    """The beginning of a line that is put into somebody's mouth, the listener's or once more the speaker's."""
    names = "|".join(re.escape(name) for name in (listener, speaker))
    return re.compile(rf"^\W{{0,4}}(?:{names}|agent\s*[12]|character\s*[12])\W{{0,4}}:", re.IGNORECASE | re.MULTILINE)
