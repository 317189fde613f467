"""A ladder as a line over its rungs, as SVG; the tables beside it say the same, so readers aloud skip it."""

from collections.abc import Sequence
from itertools import pairwise
from math import isnan
from typing import NamedTuple

from markupsafe import Markup

from mores.core.estimate import Estimate

TOP, BOTTOM = 1.0, -0.25
"""Corrected scores at the upper and lower edge; what is worse than the lower one is drawn there."""


class _Frame(NamedTuple):
    """Where things stand: the first rung, the way to the next, the upper edge and the height of the scale."""

    left: float
    step: float
    top: float
    height: float

    def x(self, rung: int) -> float:
        """Where a rung stands."""
        return self.left + self.step * rung

    def y(self, score: float) -> float:
        """Where a score stands, kept within the picture."""
        return self.top + self.height * (TOP - min(max(score, BOTTOM), TOP)) / (TOP - BOTTOM)


def small(figures: Sequence[Estimate | None], broken: int | None) -> Markup:
    """One group's line for a table; `broken` is the rung that the first found drop leads to."""
    frame, right = _Frame(6, 30, 4, 38), 12 + 30 * (len(figures) - 1)
    level = Markup('<path class="chance" d="M0 {0:.1f}H{1}"/>').format(frame.y(0), right)
    return _picture([level, *_line(figures, frame, broken)], right, 46)


def large(figures: Sequence[Estimate | None], names: Sequence[str], broken: int | None) -> Markup:
    """All norms' line with the names of rungs and the scale."""
    frame, right = _Frame(72, 96, 12, 150), 24 + 96 * len(figures)
    scale = [
        Markup('<path class="{}" d="M40 {:.1f}H{}"/><text x="34" y="{:.1f}" text-anchor="end">{}</text>').format(
            "axis" if score else "chance", frame.y(score), right, frame.y(score) + 3.5, word
        )
        for score, word in ((1.0, "100%"), (0.5, "50"), (0.0, "0"))
    ]
    rungs = [
        Markup('<text class="rung" x="{:g}" y="180" text-anchor="middle">{}</text>').format(frame.x(number), name)
        for number, name in enumerate(names)
    ]
    return _picture([*scale, *_line(figures, frame, broken), *rungs], right, 186)


def mark(share: float) -> str:
    """A dot about as full as a share: quite full for all of it, hollow for nothing, and none where it is not known.

    >>> [mark(share) for share in (0.0, 0.01, 0.5, 0.99, 1.0, float("nan"))]
    ['○', '◔', '◑', '◕', '●', '']
    """
    if isnan(share):
        return ""
    return "○" if share <= 0 else "●" if share >= 1 else "◔◑◕"[min(2, int(3 * share))]


def _line(figures: Sequence[Estimate | None], frame: _Frame, broken: int | None) -> list[Markup]:
    known = [(rung, e) for rung, e in enumerate(figures) if e is not None and e.value is not None]
    spots = [(rung, frame.x(rung), frame.y(e.value or 0.0)) for rung, e in known]
    parts = []
    for (_, x, y), (rung, onward, down) in pairwise(spots):
        way = Markup('<path class="{}" d="M{:g} {:.1f}L{:g} {:.1f}"/>')
        parts.append(way.format("fall" if rung == broken else "step", x, y, onward, down))
    for (_, x, y), (_, estimate) in zip(spots, known, strict=True):
        if estimate.low is not None and estimate.high is not None:
            low, high = frame.y(estimate.low), frame.y(estimate.high)
            ends = Markup('<path class="whisker" d="M{0:g} {1:.1f}V{2:.1f}M{3:g} {1:.1f}h6M{3:g} {2:.1f}h6"/>')
            parts.append(ends.format(x, low, high, x - 3))
        parts.append(Markup('<circle class="dot" cx="{:g}" cy="{:.1f}" r="3.2"/>').format(x, y))
    return parts


def _picture(parts: Sequence[Markup], width: int, height: int) -> Markup:
    head = Markup('<svg viewBox="0 0 {0} {1}" width="{0}" height="{1}" aria-hidden="true">').format(width, height)
    return head + Markup("").join(parts) + Markup("</svg>")
