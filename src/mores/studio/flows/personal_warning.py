"""Whoever writes what may tell who somebody is hears of it before it is stored, and may send it all the same."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from mores.studio.flows.fields import Field, Posted, Problems, TextField
from mores.studio.flows.personal import PersonalDataKind, PersonalDataMatch, personal

SEEN = "seen"
"""Field of a form that says which warning its sender has read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonalDataWarning:
    """What is told of each field, and what the form says when it is sent again."""

    problems: Problems
    seen: str


def warn(fields: Sequence[Field], values: Mapping[str, object], posted: Posted) -> PersonalDataWarning | None:
    """The warning that the words of a form want; None where they want none, or its sender has read it."""
    texts = {field.name: personal(str(values[field.name])) for field in fields if isinstance(field, TextField)}
    found = {name: parts for name, parts in texts.items() if parts}
    seen = hashlib.sha256(repr(found).encode()).hexdigest()[:16]
    if not found or seen in posted.get(SEEN, ()):
        return None
    return PersonalDataWarning(problems={name: _format_parts(parts) for name, parts in found.items()}, seen=seen)


def _format_parts(parts: Sequence[PersonalDataMatch]) -> str:
    # The words may run in another direction than the sentence.
    each = "; ".join(f"{looks_like(part.kind)}: \u2068{part.words}\u2069" for part in parts)
    told = _("This may tell who somebody is: %(parts)s. Take it out, or send it again to store it as it is.")
    return told % {"parts": each}


def looks_like(kind: PersonalDataKind) -> str:
    """A kind, in words."""
    match kind:
        case PersonalDataKind.MAIL:
            return _("e-mail address")
        case PersonalDataKind.ACCOUNT:
            return _("account on the web")
        case PersonalDataKind.CARD:
            return _("number of a card or bank account")
        case PersonalDataKind.DOCUMENT:
            return _("number of a passport or identity card")
        case PersonalDataKind.TELEPHONE:
            return _("telephone number")
