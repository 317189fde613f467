"""How figures of agreement are put: shares in per cent, coefficients with two decimals, each with its interval.

A grid is a small table with a title, for a terminal and a page alike; names stand in its last column, where they may
be long.
"""

from dataclasses import dataclass
from math import isfinite
from typing import Literal

from mores.reports.wording import DASH
from mores.stats.cluster_sums import Measured

Scale = Literal["share", "number"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """A table of words: its title, the heads of its columns, and its rows; `note` stands below it."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


def number(value: float | None, scale: Scale = "number", *, sign: bool = True) -> str:
    """A figure in words.

    >>> number(0.8725, "share"), number(-0.5), number(float("nan"))
    ('87.2%', '−0.50', '–')
    """
    if value is None or not isfinite(value):
        return DASH
    told = f"{100 * value:.1f}" if scale == "share" else f"{value:.2f}"
    told = told.removeprefix("-") if float(told) == 0 else told.replace("-", "−")
    return f"{told}%" if scale == "share" and sign else told


def told(found: Measured, scale: Scale = "number") -> str:
    """A figure with its interval in brackets, or with the reason why either is missing."""
    if found.why is not None or not isfinite(found.value):
        return DASH
    return f"{number(found.value, scale)} {bracket(found, scale)}"


def bracket(found: Measured, scale: Scale = "number") -> str:
    """The interval in brackets; short words where there is none."""
    low, high, _, why = found.interval
    if low is None or high is None:
        return "too few" if (why or "").startswith("too few") else "no interval"
    return f"[{number(low, scale, sign=False)}, {number(high, scale, sign=False)}]"


def plain(found: Measured) -> dict[str, object]:
    """A figure for programs; what is missing is None, with why."""
    low, high, method, why = found.interval
    value = found.value if found.why is None and isfinite(found.value) else None
    return {"value": value, "low": low, "high": high, "method": method, "why": found.why or why}


def finite(value: float) -> float | None:
    """A number for programs, None for none."""
    return value if isfinite(value) else None


def counted(count: int, one: str, many: str = "") -> str:
    """A number with its noun.

    >>> counted(1, "person", "people"), counted(1200, "thing")
    ('1 person', '1,200 things')
    """
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"


def chance(p: float) -> str:
    """A p-value in three decimals."""
    if not isfinite(p):
        return DASH
    return "<0.001" if p < 0.001 else f"{p:.3f}"
