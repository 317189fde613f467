"""What somebody wants to do, read out of a model's words and checked against the world.

words ─▶ Wish, or why they cannot be read ─▶ what is done: the wish where it is possible, else a wait with the reason.
No other model repairs a mind's words.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mores.core.day import Deed
from mores.worlds.town.menus import Offer

DEEDS: tuple[Deed, ...] = ("go", "talk", "do", "call", "text", "wait")
_CODE = re.compile(r"\A```(?:json)?\s*(.*?)\s*```\Z", re.DOTALL | re.IGNORECASE)
_LONGEST = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """An action as it was wished for: the place walked to or the people meant are in `to`."""

    deed: Deed
    action: str = ""
    argument: str = ""
    to: tuple[int, ...] = ()
    how: str = ""


@dataclass(frozen=True, slots=True)
class Unclear:
    """Why words are no wish."""

    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """What can be done at a step: places to walk to, people here, what the place offers, and contacts to phone."""

    neighbours: tuple[int, ...]
    present: tuple[int, ...]
    offers: tuple[Offer, ...]
    contacts: tuple[int, ...]


def read_wish(text: str) -> Wish | Unclear:
    """The wish that a model's words are: one JSON object, in a pair of code fences or bare. Never raises."""
    stripped = text.strip()
    if not stripped:
        return Unclear("an empty reply")
    fenced = _CODE.match(stripped)
    try:
        said: Any = json.loads(fenced[1] if fenced else stripped)
    except (ValueError, RecursionError):
        return Unclear("malformed JSON")
    return _wish(said) if isinstance(said, dict) else Unclear("no JSON object")


def _wish(said: Mapping[str, Any]) -> Wish | Unclear:
    deed = said.get("deed")
    if deed not in DEEDS:
        return Unclear(f"no deed is called {json.dumps(deed, default=str)[:40]}")
    to = _numbers(said.get("to", []))
    if to is None:
        return Unclear("'to' is no number and no list of numbers")
    words = {name: said.get(name) or "" for name in ("action", "argument", "how")}
    wrong = [name for name, value in words.items() if not isinstance(value, str)]
    if wrong:
        return Unclear(f"'{wrong[0]}' is no text")
    return Wish(deed=deed, to=to, **{name: value[:_LONGEST] for name, value in words.items()})


def _numbers(value: object) -> tuple[int, ...] | None:
    found = value if isinstance(value, list) else [] if value is None or value == "" else [value]
    if any(isinstance(each, bool) or not isinstance(each, int) for each in found):
        return None
    return tuple(dict.fromkeys(found))


def refusal(wish: Wish, choices: Choices) -> str:
    """Why the world does not allow a wish; empty where it does."""
    match wish.deed:
        case "go":
            if len(wish.to) != 1:
                return "walks to one place at a time"
            return "" if wish.to[0] in choices.neighbours else "no street leads there from here"
        case "talk":
            return _people(wish.to, choices.present, "is not here")
        case "call" | "text":
            if len(wish.to) != 1:
                return "phones one person at a time"
            return _people(wish.to, choices.contacts, "is not among the contacts")
        case "do":
            known = any(offer.name == wish.action for offer in choices.offers)
            return "" if known else "the place does not offer that"
        case _:
            return ""


def _people(wanted: tuple[int, ...], possible: tuple[int, ...], why: str) -> str:
    if not wanted:
        return "nobody is named"
    strangers = [person for person in wanted if person not in possible]
    return f"{strangers[0]} {why}" if strangers else ""


def offer_of(wish: Wish, choices: Choices) -> Offer | None:
    """What of the menu a wish is for."""
    return next((offer for offer in choices.offers if offer.name == wish.action), None) if wish.deed == "do" else None
