"""Whoever writes what may tell who somebody is hears of it before it is stored, and may send it all the same."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from mores.studio.flows.fields import Field, Posted, Problems, Text
from mores.studio.flows.personal import Found, Kind, personal

SEEN = "seen"
"""Field of a form that says which warning its sender has read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Warned:
    """What is told of each field, and what the form says when it is sent again."""

    problems: Problems
    seen: str


def warn(fields: Sequence[Field], values: Mapping[str, object], posted: Posted) -> Warned | None:
    """The warning that the words of a form want; None where they want none, or its sender has read it."""
    texts = {field.name: personal(str(values[field.name])) for field in fields if isinstance(field, Text)}
    found = {name: parts for name, parts in texts.items() if parts}
    seen = hashlib.sha256(repr(found).encode()).hexdigest()[:16]
    if not found or seen in posted.get(SEEN, ()):
        return None
    return Warned(problems={name: _told(parts) for name, parts in found.items()}, seen=seen)


def _told(parts: Sequence[Found]) -> str:
    # The words may run in another direction than the sentence.
    each = "; ".join(f"{looks_like(part.kind)}: \u2068{part.words}\u2069" for part in parts)
    told = _("This may tell who somebody is: %(parts)s. Take it out, or send it again to store it as it is.")
    return told % {"parts": each}


def looks_like(kind: Kind) -> str:
    """A kind, in words."""
    match kind:
        case Kind.MAIL:
            return _("e-mail address")
        case Kind.ACCOUNT:
            return _("account on the web")
        case Kind.CARD:
            return _("number of a card or bank account")
        case Kind.DOCUMENT:
            return _("number of a passport or identity card")
        case Kind.TELEPHONE:
            return _("telephone number")
