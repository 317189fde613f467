"""What of a model's words the other mind hears, and what was wrong with them.

A model may say nothing, say the same again, go on to speak for the other, say its instructions aloud, or be cut short.
None of it ends a talk by itself; all of it is flagged, so that it can be counted.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple, get_args

from mores.models.request import Reply
from mores.worlds.persona import Persona

ReplyFlag = Literal["empty", "refusal", "repeats", "speaks for the other", "leaks its instructions", "cut short"]
FLAGS: tuple[ReplyFlag, ...] = get_args(ReplyFlag)
_SHINGLE = 8
"""Words of a mind's instructions in a row that nobody says by chance."""
_WORD = re.compile(r"\w+")
_MARKS = r"[\s*_#>\[\]()]"
"""What may stand round a speaker's name in Markdown or a script."""
_BETWEEN = 4
"""Marks between a name and its colon, at most."""
_AGENTS = r"(?:agent|character)\s*[12]"
_GOVERNED = (
    r"(?:say|says|saying|said|wave|waved|bid|bidding|kiss|a|an|the|this|that|no|our|my|your|his|her|their|of|or"
    r"|hello\s+and)\s+"
)
_GOOD_BYE = re.compile(rf"(?P<governed>\b{_GOVERNED})?\bgood[\s-]?bye\b", re.IGNORECASE)


class FilteredReply(NamedTuple):
    """The words that reach the other, and the flags of what was said."""

    text: str
    flags: tuple[ReplyFlag, ...]


def filter_reply(reply: Reply, speaker: Persona, listener: Persona, before: str | None) -> FilteredReply:
    """What the listener hears of a reply: without the speaker's own name before it, and not beyond its own turn.

    Args:
        reply: What the speaker's model said.
        speaker: Who speaks.
        listener: Who hears it.
        before: What the speaker said last, if it spoke before.
    """
    own, beyond = reply.text.strip(), None
    if _may_name(own, (speaker.name, listener.name)):
        own = _own_label(speaker.name).sub("", own, count=1)
        beyond = _turn_of(listener.name, speaker.name).search(own)
    text = (own[: beyond.start()] if beyond else own).strip()
    found: dict[ReplyFlag, bool] = {
        "empty": not text,
        "refusal": reply.refusal,
        "repeats": bool(text) and before is not None and _bare(text) == _bare(before),
        "speaks for the other": beyond is not None,
        "leaks its instructions": not _secret(speaker.rules).isdisjoint(_shingles(_words(own))),
        "cut short": reply.finish == "length",
    }
    return FilteredReply(text, tuple(flag for flag in FLAGS if found[flag]))


def is_closing(text: str) -> bool:
    """Whether somebody says good bye; to plan a goodbye party, or to say goodbye to a third, is to go on talking.

    >>> closes("OK. GOOD BYE!"), closes("Let us plan her goodbye party.")
    (True, False)
    """
    if "bye" not in text.lower():
        return False
    return any(found["governed"] is None for found in _GOOD_BYE.finditer(text))


def _bare(text: str) -> str:
    return " ".join(_words(text)) or text


def _may_name(text: str, names: tuple[str, str]) -> bool:
    """Whether a name may stand before a colon, which is seldom so.

    Only then the patterns of these two are made, which took a sixth of a simulated talk.
    """
    *before, _ = text.lower().split(":")
    if not before:
        return False
    odd = not (text.isascii() and all(name.isascii() and ":" not in name for name in names))
    if odd or any("agent" in words or "character" in words for words in before):
        return True  # for the patterns to say; a letter beyond ASCII may have more cases than two
    return any(name.lower() in words[-len(name) - _BETWEEN :] for words in before for name in names)


@lru_cache(maxsize=1024)
def _words(text: str) -> tuple[str, ...]:
    """The words of a turn, which is looked at again when its speaker's next one comes."""
    return tuple(_WORD.findall(text.casefold()))


@lru_cache(maxsize=4096)
def _secret(rules: tuple[str, ...]) -> frozenset[tuple[str, ...]]:
    """All runs of words of the instructions, none of them over the bounds of a stretch."""
    return frozenset(shingle for rule in rules for shingle in _shingles(_words(rule)))


def _shingles(words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    return zip(*(words[start:] for start in range(_SHINGLE)), strict=False)


@lru_cache(maxsize=4096)
def _own_label(name: str) -> re.Pattern[str]:
    return re.compile(rf"\A{_MARKS}*(?:{re.escape(name)}|{_AGENTS}){_MARKS}{{0,{_BETWEEN}}}:{_MARKS}*", re.IGNORECASE)


@lru_cache(maxsize=4096)
def _turn_of(listener: str, speaker: str) -> re.Pattern[str]:
    """The beginning of a line that is put into somebody's mouth, the listener's or once more the speaker's."""
    names = "|".join((re.escape(listener), re.escape(speaker), _AGENTS))
    return re.compile(rf"^{_MARKS}{{0,4}}(?:{names}){_MARKS}{{0,{_BETWEEN}}}:", re.IGNORECASE | re.MULTILINE)
