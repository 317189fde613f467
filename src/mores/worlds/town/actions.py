"""Actions: what a place offers, and what somebody wants to do, read out of a model's words and checked.

words ─▶ Wish, or why they cannot be read ─▶ what is done: the wish where it is possible, else a wait with the reason.
No other model repairs an agent's words.
"""

import json
import re
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct

from mores.core.codec import build, read_toml
from mores.core.transcript import ActionKind
from mores.worlds.town.streets import KINDS, LocationKind

PlaceRole = Literal["resident", "visitor", "staff", "cook", "student", "patient"]
"""What somebody is at a place: lives there, works there (in the kitchen as a cook), studies there, or comes from
outside."""


class MenuAction(Struct, frozen=True, kw_only=True):
    """One action that a place offers: its name, to whom, what it is done with, and whether it opens a conversation."""

    name: str
    who: tuple[PlaceRole, ...]
    using: str = ""
    talks: bool = False


@lru_cache(maxsize=64)
def menu(kind: LocationKind, place_role: PlaceRole) -> tuple[MenuAction, ...]:
    """Actions that a place of a kind offers to somebody, in the order of the file."""
    return tuple(offer for offer in _menus()[kind] if place_role in offer.who)


@cache
def _menus() -> dict[LocationKind, tuple[MenuAction, ...]]:
    path = Path(__file__).with_name("menus.toml")
    table = read_toml(path)
    return {kind: tuple(build(MenuAction, row, where=f"{path}: {kind}") for row in table[kind]) for kind in KINDS}


ACTION_KINDS: tuple[ActionKind, ...] = ("go", "talk", "do", "call", "text", "wait")
LONGEST = 1200
"""Characters that are kept of what somebody says or does."""
SHORT = 200
"""Characters of words that come again and again, as those of who waits do, and are read once."""
_CODE = re.compile(r"\A```(?:json)?\s*(.*?)\s*```\Z", re.DOTALL | re.IGNORECASE)
_SURROGATES = re.compile("[\ud800-\udfff]")
_QUOTED = 40


class Action(msgspec.Struct, frozen=True, kw_only=True):
    """An action as it was wished for: the place walked to or the people meant are in `to`."""

    kind: ActionKind
    action: str = ""
    argument: str = ""
    to: tuple[int, ...] = ()
    how: str = ""


class UnparsedAction(msgspec.Struct, frozen=True):
    """Reason that words are no action."""

    why: str


UNREADABLE, DECLINED, UNASKED = "unreadable: ", "the model declined", "could not be asked: "
"""How the log tells why somebody waited, where it was not that the world did not allow it."""


def blame_of(refused: str) -> Literal["format_error", "refusal", "failure", "refused"] | None:
    """Reason that somebody waited, by what the log says; None where it says nothing.

    Words could not be read, a model declined, a call brought nothing, or the world did not allow it.
    """
    if not refused:
        return None
    if refused.startswith(UNREADABLE):
        return "format_error"
    if refused.startswith(UNASKED):
        return "failure"
    return "refusal" if refused == DECLINED else "refused"


class AvailableActions(msgspec.Struct, frozen=True, kw_only=True):
    """Actions possible at a step: places to walk to, people here, offers of the place, and contacts to phone."""

    neighbours: tuple[int, ...]
    present: tuple[int, ...]
    offers: tuple[MenuAction, ...]
    contacts: tuple[int, ...]


def parse_action(text: str) -> Action | UnparsedAction:
    """The wish that a model's words are: one JSON object, in a pair of code fences or bare. Never raises."""
    return _read_short(text) if len(text) <= SHORT else _read(text)


def _read(text: str) -> Action | UnparsedAction:
    payload = read_object(text)
    return payload if isinstance(payload, UnparsedAction) else _action(payload)


_read_short = lru_cache(maxsize=1024)(_read)


def read_object(text: str) -> dict[str, Any] | UnparsedAction:
    """The JSON object that a model's words are, or why they are none. Never raises."""
    stripped = text.strip()
    if not stripped:
        return _unreadable("an empty reply")
    fenced = _CODE.match(stripped)
    try:
        payload: Any = json.loads(fenced[1] if fenced else stripped)
    except (ValueError, RecursionError):
        return _unreadable("malformed JSON")
    return payload if isinstance(payload, dict) else _unreadable("no JSON object")


def _unreadable(why: str) -> UnparsedAction:
    return UnparsedAction(f"{UNREADABLE}{why}")


def _action(payload: Mapping[str, Any]) -> Action | UnparsedAction:
    kind = payload.get("deed")
    if kind not in ACTION_KINDS:
        return _unreadable(f"no deed is called {json.dumps(kind, default=str)[:_QUOTED]}")
    to = _numbers(payload.get("to"))
    if to is None:
        return _unreadable("'to' is no number and no list of numbers")
    words = {name: payload.get(name) or "" for name in ("action", "argument", "how")}
    wrong = [name for name, value in words.items() if not isinstance(value, str)]
    if wrong:
        return _unreadable(f"'{wrong[0]}' is no text")
    return Action(kind=kind, to=to, **{name: plain(value) for name, value in words.items()})


def plain(text: str) -> str:
    """Words as a file can hold them, without halves of letters that JSON can spell, and no longer than is kept."""
    whole = text if text.isascii() else _SURROGATES.sub("", text)
    return whole.strip()[:LONGEST]


def _numbers(value: object) -> tuple[int, ...] | None:
    found = value if isinstance(value, list) else [] if value is None or value == "" else [value]
    # A bool is an int to Python, and names nobody.
    if any(isinstance(each, bool) or not isinstance(each, int) for each in found):
        return None
    return tuple(dict.fromkeys(found))


def refusal(action: Action, choices: AvailableActions) -> str:
    """Reason that the world does not allow an action; empty where it does."""
    match action.kind:
        case "go":
            if len(action.to) != 1:
                return "one walks to one place at a time"
            return "" if action.to[0] in choices.neighbours else "no street leads there from here"
        case "talk":
            return _people(action.to, choices.present, "is not here")
        case "call" | "text":
            return _phone(action, choices)
        case "do":
            return "" if offer_of(action, choices) is not None else "the place does not offer that"
        case "wait":
            return ""


def _phone(action: Action, choices: AvailableActions) -> str:
    if len(action.to) != 1:
        return "one phones one person at a time"
    if action.to[0] in choices.present:
        return f"{action.to[0]} is here and need not be phoned"
    if action.kind == "text" and not (action.argument or action.how):
        return "the message has no words"
    return _people(action.to, choices.contacts, "is not among the contacts")


def _people(wanted: tuple[int, ...], possible: tuple[int, ...], why: str) -> str:
    if not wanted:
        return "nobody is named"
    strangers = [person for person in wanted if person not in possible]
    return f"{str(strangers[0])[:_QUOTED]} {why}" if strangers else ""


def offer_of(action: Action, choices: AvailableActions) -> MenuAction | None:
    """Item of the menu that an action is, however its name is cased."""
    if action.kind != "do":
        return None
    name = action.action.casefold()
    return next((offer for offer in choices.offers if offer.name.casefold() == name), None)
