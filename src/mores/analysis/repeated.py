"""Open answers that are the same words to everything, as those of a model that says one sentence whatever it is asked.

numbers of words that were judged ─▶ where half or more are equal, texts of transcripts ─▶ the words of nearly all

Equal answers have equally many words, so that texts are read of few runs. A judge of talks counts the words of both
sides: there the texts alone can tell. They are read no further than it takes to know that answers differ.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress

import numpy as np
from msgspec import Struct

from mores.core.arrays import Codes
from mores.core.errors import InputError
from mores.core.transcript import ReplyEvent, Transcript, TurnEvent

ALIKE_FROM, FEWEST_ALIKE = 0.9, 10
"""Share of one answer among so many that were read from which they are all alike."""
FEWEST_ITEMS = 5
"""Items that they answer at least: the same answer to the same question again is no wonder."""
MAY_BE_ALIKE = 0.5
"""Share of verdicts on equally many words from which texts are looked at; answers may have unequally many verdicts."""
FIRST_WORDS = 8
SUBJECT = "subject"


class OneText(Struct, frozen=True, kw_only=True):
    """The words that nearly all open answers are: how they begin, in how many answers, and how many have words."""

    begins: str
    given: int
    read: int


def one_text(counts: Codes, plays: Iterable[Transcript], answers: int) -> OneText | None:
    """The words of nearly all open answers; None where they differ, or are too few or to too few items.

    Args:
        counts: How many words each verdict of a judge is on.
        plays: All transcripts; read only where answers may be alike.
        answers: How many there are at most.
    """
    if len(counts) < FEWEST_ALIKE:
        return None
    with suppress(InputError):  # a file that cannot be read shows nothing; whoever shows its words says so
        return _read(plays, answers, equal=int(np.bincount(counts).max()) >= MAY_BE_ALIKE * len(counts))
    return None


def _read(plays: Iterable[Transcript], answers: int, *, equal: bool) -> OneText | None:
    texts, items, read, most = Counter[str](), set[str](), 0, 0
    for play in plays:
        text = "\n".join(_said(play))
        if not text:
            continue
        texts[text] += 1
        items.add(play.item)
        read, most = read + 1, max(most, texts[text])
        even_if_all_others_were_it = most + answers - read
        if not (equal or _is_talk(play)) or even_if_all_others_were_it < ALIKE_FROM * answers:
            return None
    return _commonest(texts) if len(items) >= FEWEST_ITEMS else None


def _commonest(texts: Counter[str]) -> OneText | None:
    ((text, given),), read = texts.most_common(1), texts.total()
    if read < FEWEST_ALIKE or given < ALIKE_FROM * read:
        return None
    words = text.split()
    more = "…" if len(words) > FIRST_WORDS else ""
    return OneText(begins=f"{' '.join(words[:FIRST_WORDS])}{more}", given=given, read=read)


def _is_talk(play: Transcript) -> bool:
    return any(isinstance(event, TurnEvent) for event in play.events)


def _said(play: Transcript) -> Iterator[str]:
    """What the subject said, each thing once: a talk of one sentence is that sentence, however long it lasts."""
    own = (event for event in play.events if isinstance(event, ReplyEvent | TurnEvent) and event.role == SUBJECT)
    return iter(dict.fromkeys(words for event in own if (words := " ".join(event.text.split()))))
