"""A vocabulary for text of this project: every byte, and the beginnings of the commonest words of its prompts.

A word is put together from its left end, letter by letter, so that the merges need no training: each beginning of a
word is a token. Servers read the bytes of a token as GPT-2 spells them.
"""

import re
from collections import Counter
from pathlib import Path
from typing import NamedTuple

PROMPTS = Path(__file__).parents[2] / "src" / "mores"
MARKS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
COMMONEST = 600
"""Words that are tokens; two thirds of what is asked is made of these."""


class Vocabulary(NamedTuple):
    """Tokens in the order of their ids, and the merges that make them in the order of their ranks."""

    tokens: list[str]
    merges: list[tuple[str, str]]


def spelled(text: str) -> str:
    """A text as tokens spell it: a sign for each byte.

    >>> spelled(" yes")
    'Ġyes'
    """
    return "".join(_SPELLING[byte] for byte in text.encode())


def vocabulary(also: tuple[str, ...], said: str) -> Vocabulary:
    """The tokens of the prompts, of further words that must be one token each, and of a text that is only said."""
    merges: dict[tuple[str, str], None] = {}
    # Those that begin with a space come first: no merge of letters alone can then cut them otherwise.
    for word in sorted((*_common(), *also), key=lambda word: not word.startswith(" ")):
        whole = spelled(word)
        merges.update({(whole[:end], whole[end]): None for end in range(1, len(whole))})
    made = dict.fromkeys(left + right for left, right in merges)
    return Vocabulary([*MARKS, *_SPELLING, *made, spelled(said)], list(merges))


def _common() -> list[str]:
    files = sorted(PROMPTS.rglob("*.prompt.md"))
    counted = Counter(word for file in files for word in re.findall(r" [^\W\d_]+", file.read_text(encoding="utf-8")))
    return [word for word, _ in sorted(counted.items(), key=lambda found: (-found[1], found[0]))[:COMMONEST]]


def _spelling() -> tuple[str, ...]:
    """The sign of each byte: its own where it can be seen, else one of those behind the first 256."""
    plain = {*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)}
    odd = iter(range(256, 512))
    return tuple(chr(byte if byte in plain else next(odd)) for byte in range(256))


_SPELLING = _spelling()
