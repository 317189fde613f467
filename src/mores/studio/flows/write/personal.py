"""Personal data in a question: what is certain is refused, what may be is shown to the curator."""

import re

_CERTAIN = (
    re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"),  # an e-mail address
    re.compile(r"(?<![\w.])\+?\d[\d ()/.-]{7,}\d(?![\w.])"),  # nine digits or more: a telephone, a card, an identity
    re.compile(r"(?<!\w)@\w{3,}"),  # a name in a network
    re.compile(r"https?://\S+|www\.\S+", re.IGNORECASE),
)
_POSSIBLE = (
    re.compile(r"\b(?:Mr|Mrs|Ms|Dr|Prof|Señora?|Sr|Sra|Herr|Frau|M|Mme)\.? \w+"),
    re.compile(r"\b[A-Z][a-z]+ [A-Z]\. [A-Z][a-z]+\b"),
    re.compile(r"\b\d{1,4}[ ,]+(?:[A-Z][a-z]+ )+(?:Street|St|Road|Rd|Avenue|Ave|Lane)\b"),
)


def certain(text: str) -> list[str]:
    """Addresses, numbers and handles in a text.

    >>> certain("Write to ana@example.org or +34 600 123 456, in 2024."), certain("In 2010 and 2011")
    (['ana@example.org', '+34 600 123 456'], [])
    """
    return [found for pattern in _CERTAIN for found in pattern.findall(text) if _digits(found)]


def possible(text: str) -> list[str]:
    """What may name a person: a title before a name, an initial between two names, a house in a street.

    >>> possible("Mrs. Dalloway lives at 12 Old Church Street")
    ['Mrs. Dalloway', '12 Old Church Street']
    """
    return [found for pattern in _POSSIBLE for found in pattern.findall(text)]


def _digits(found: str) -> bool:
    """A date or a price has fewer digits than a number by which somebody can be reached."""
    return (not found[:1].isdigit() and found[:1] != "+") or sum(sign.isdigit() for sign in found) >= 9
