"""Names that people would take for one another, by keys that they have in common.

Unicode's table of confusable signs says what looks alike (UTS 39). Names are compared in small and in capital letters,
as some are alike in one of the two only.
"""

import hashlib
from typing import NamedTuple
from unicodedata import normalize

from confusable_homoglyphs.confusables import confusables_data

SIGN = ":"
"""Stands in the names of people who come from elsewhere, or who withdrew, and in no name that is chosen."""


class LookalikeKeys(NamedTuple):
    """Hashes of what a name looks like in small and in capital letters; no two accounts have either in common."""

    small: str
    capital: str


def lookalike_keys(name: str) -> LookalikeKeys:
    """Keys of any name, chosen or not: capitals, spaces and signs that hide make no difference.

    A name that nobody chose is known by its very letters, as ids of other platforms tell capitals apart.

    >>> lookalike_keys("Ida Okri") == lookalike_keys("ida  okri")
    True
    >>> lookalike_keys("Ida Okri").small == lookalike_keys("1da 0kri").small
    True
    """
    if SIGN in name:
        return LookalikeKeys(_hash(name), _hash(name))
    plain = "".join(sign for sign in normalize("NFKC", name) if sign.isprintable())
    small = _drawn(" ".join(plain.casefold().split()))
    # A capital I looks as a small L does, and zero as a capital O, so that these are small letters again. On a Turkish
    # telephone the capital of i keeps its dot.
    small = small.casefold().replace("i\u0307", "i").replace("i", "l")
    return LookalikeKeys(_hash(small), _hash(_drawn(" ".join(plain.upper().split()))))


def _drawn(text: str) -> str:
    """A text in the signs that others of their looks are compared by (UTS 39, section 4)."""
    return normalize("NFD", "".join(map(_prototype, normalize("NFD", text))))


def _prototype(sign: str) -> str:
    # The table lists under a prototype all that look like it, and under each of these the prototype alone.
    alike = confusables_data.get(sign, ())
    if len(alike) != 1:
        return sign
    other = str(alike[0]["c"]).strip("\u200e")
    return other if len(confusables_data.get(other, ())) != 1 else min(sign, other)


def _hash(looks: str) -> str:
    return hashlib.sha256(looks.encode()).hexdigest()
