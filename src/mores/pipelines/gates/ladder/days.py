"""A gate on the days of the rung live: dates and times of one day that contradict each other, or its windows."""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from mores.benchmarks.ladder.rung_live import WINDOWS
from mores.norms.pack import ApplyItem, Pack, PackNorm
from mores.pipelines.gates.gate import Gate, GateItem, share_gate

_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
           "december")  # fmt: skip
_ELSEWHEN = r"(?<!last )(?<!next )(?<!every )(?<!each )(?<!since )(?<!until )(?<!by )"
_DAY = re.compile(rf"{_ELSEWHEN}\b({'|'.join(_WEEKDAYS)})\b", re.IGNORECASE)
_MONTH = re.compile(rf"(?:\b(\d{{1,2}})(?:st|nd|rd|th)? (?:of )?)?\b({'|'.join(m.title() for m in _MONTHS)})\b(?! I\b)")
_FEASTS = {
    "christmas": "december", "boxing day": "december", "halloween": "october", "new year's eve": "december",
    "valentine's day": "february", "new year's day": "january",
}  # fmt: skip
_FEAST = re.compile("|".join(_FEASTS), re.IGNORECASE)
_CLOCK = re.compile(r"\b([01]?\d|2[0-3])[:.]([0-5]\d)\b|\b(\d{1,2}) ?(am|pm|o'clock)\b", re.IGNORECASE)
_PARTS = {
    "early in the morning": (5, 9), "this morning": (0, 12), "in the morning": (0, 12),
    "early in the afternoon": (12, 15), "this afternoon": (12, 18), "in the afternoon": (12, 18),
    "this evening": (17, 24), "in the evening": (17, 24), "tonight": (17, 24), "at night": (20, 24),
}  # fmt: skip
"""Parts of a day, and the hours from and to which they last."""


class _Moments(NamedTuple):
    """Weekdays, months and dates that a text names; empty where it names none."""

    weekdays: frozenset[str]
    months: frozenset[str]
    dates: frozenset[str]


def consistent_days(pack: Pack) -> Gate:
    """Gate on days that cannot be one day: two weekdays or dates, or hours outside the windows of their tasks."""
    says = "tasks of one day name dates that contradict each other, or their windows"
    entries = {entry.norm.id: entry for entry in pack.norms}
    found = [
        (GateItem(id=f"live-{bundle.id}", norm=bundle.id, place=entries[bundle.norm[0].id].norm.place),
         _contradicts(bundle, entries))
        for bundle in pack.bundles if bundle.day or any(_task(bundle, entries))
    ]  # fmt: skip
    return share_gate("dates of a day", says, found, most=0.0, none="not applicable: no bundle has a day of its own")


def _task(bundle: ApplyItem, entries: Mapping[str, PackNorm]) -> list[str]:
    """The task of each norm of a bundle, in the order of the day; empty where it has none."""
    live = [entries[norm.id].live for norm in bundle.norm]
    return ["" if each is None else each.task for each in live]


def _contradicts(bundle: ApplyItem, entries: Mapping[str, PackNorm]) -> bool:
    tasks = _task(bundle, entries)
    moments = [_moments(words) for words in (bundle.day, *tasks)]
    several = any(
        len(frozenset().union(*(each[kind] for each in moments))) > 1 for kind in range(len(_Moments._fields))
    )
    return several or any(_outside(words, number) for number, words in enumerate(tasks))


def _moments(words: str) -> _Moments:
    plain = words.replace("’", "'")
    named = _MONTH.findall(plain)
    feasts = frozenset(_FEASTS[found.lower()] for found in _FEAST.findall(plain))
    return _Moments(
        weekdays=frozenset(day.lower() for day in _DAY.findall(plain)),
        months=frozenset(month.lower() for _, month in named) | (frozenset() if named else feasts),
        dates=frozenset(f"{day} {month.lower()}" for day, month in named if day),
    )


def _outside(words: str, number: int) -> bool:
    """True if a task names a time that lies outside its window of the day."""
    start, end = WINDOWS[min(number, len(WINDOWS) - 1)]
    plain = words.lower().replace("’", "'")
    parts = (hours for part, hours in _PARTS.items() if part in plain)
    return any(to * 60 <= start or since * 60 >= end for since, to in parts) or any(
        not start <= minute <= end for minute in _minutes(plain)
    )


def _minutes(words: str) -> Iterator[int]:
    """Times of the clock, in minutes from midnight; nine o'clock is in the morning."""
    for hour, minute, bare, half in _CLOCK.findall(words):
        if hour:
            yield int(hour) * 60 + int(minute)
        else:
            yield (int(bare) % 12 + (12 if half == "pm" else 0)) * 60
