"""Goal against adherence as a picture: points with whiskers both ways, the front as a stair; tables say the same."""

from collections.abc import Sequence
from math import ceil, floor
from typing import NamedTuple

from markupsafe import Markup

from mores.core.estimate import Estimate
from mores.reports.drawing import Scale
from mores.reports.town.front import Spot

WIDE, HIGH = 460.0, 340.0
LEFT, TOP, RIGHT, FOOT = 44.0, 22.0, 16.0, 40.0
_LETTER, _LINE = 6.2, 11.0  # room that a letter of a label and a line of it take
_FARTHEST = 0.25
"""Share of a label's cost that a whisker in its way adds; points and other labels count in full."""


class Box(NamedTuple):
    """Room that is taken: left, top, right, bottom."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: "Box") -> bool:
        """True where both need the same room."""
        apart = self.right <= other.left or other.right <= self.left
        return not (apart or self.bottom <= other.top or other.bottom <= self.top)


class Plane(NamedTuple):
    """Both scales, to the right and upwards."""

    x: Scale
    y: Scale

    def at(self, spot: Spot) -> tuple[float, float]:
        """Where a point stands."""
        return self.across(spot.goal.value or 0.0), self.up(spot.adherence.value or 0.0)

    def across(self, value: float) -> float:
        """How far to the right a share of tasks stands."""
        return LEFT + _share(self.x, value) * (WIDE - LEFT - RIGHT)

    def up(self, value: float) -> float:
        """How far down from the top a share of adherence stands."""
        return HIGH - FOOT - _share(self.y, value) * (HIGH - TOP - FOOT)


def plane(spots: Sequence[Spot], labels: Sequence[str], *, front: bool, whole: Spot | None = None) -> Markup:
    """The points, each with its label; with `front` the stair over those that nobody dominates.

    `whole` is the model of whose parts the points are, drawn apart from them.
    """
    placed = [(spot, label) for spot, label in zip(spots, labels, strict=True) if spot.placed]
    every = [spot for spot, _ in placed] + ([whole] if whole is not None and whole.placed else [])
    drawn = Plane(_range([spot.goal for spot in every]), _range([spot.adherence for spot in every]))
    parts = [_frame(drawn), _stair([spot for spot, _ in placed], drawn) if front else Markup("")]
    parts += [_whiskers(spot, drawn) for spot in every]
    if whole is not None and whole.placed:
        x, y = drawn.at(whole)
        parts.append(Markup('<path class="whole" d="M{:.1f} {:.1f}l6 6-6 6-6-6z"/>').format(x, y - 6))
    for spot, _ in placed:
        x, y = drawn.at(spot)
        kind = "dot" if spot.on_front or not front else "dot beaten"
        parts.append(Markup('<circle class="{}" cx="{:.1f}" cy="{:.1f}" r="4"/>').format(kind, x, y))
    parts += _labels(placed, every, drawn)
    return _picture(parts)


def _frame(drawn: Plane) -> Markup:
    """Lines at whole tenths with what they stand for, and what the two directions are."""
    parts = []
    for tick in _ticks(drawn.x):
        x = drawn.across(tick)
        parts.append(Markup('<path class="axis" d="M{0:.1f} {1:g}V{2:g}"/>').format(x, TOP, HIGH - FOOT))
        parts.append(_word(x, HIGH - FOOT + 14, f"{100 * tick:.0f}%", "middle"))
    for tick in _ticks(drawn.y):
        y = drawn.up(tick)
        parts.append(Markup('<path class="axis" d="M{0:g} {1:.1f}H{2:g}"/>').format(LEFT, y, WIDE - RIGHT))
        parts.append(_word(LEFT - 6, y + 3.5, f"{100 * tick:.0f}%", "end"))
    parts.append(_word((LEFT + WIDE - RIGHT) / 2, HIGH - 6, "the day’s tasks that were done →", "middle"))
    parts.append(_word(LEFT - 34, 10, "↑ steps without a violated norm", "start"))
    return Markup("").join(parts)


def _stair(spots: Sequence[Spot], drawn: Plane) -> Markup:
    """The border of what nobody exceeds in both: down a step at each model of the front."""
    best = sorted({drawn.at(spot) for spot in spots if spot.on_front})
    if not best:
        return Markup("")
    way = f"M{LEFT:g} {best[0][1]:.1f}"
    for number, (x, _) in enumerate(best):
        below = best[number + 1][1] if number + 1 < len(best) else HIGH - FOOT
        way += f"H{x:.1f}V{below:.1f}"
    return Markup('<path class="front" d="{}"/>').format(way)


def _whiskers(spot: Spot, drawn: Plane) -> Markup:
    x, y = drawn.at(spot)
    ends = ""
    if spot.goal.low is not None and spot.goal.high is not None:
        ends += f"M{drawn.across(spot.goal.low):.1f} {y:.1f}H{drawn.across(spot.goal.high):.1f}"
    if spot.adherence.low is not None and spot.adherence.high is not None:
        ends += f"M{x:.1f} {drawn.up(spot.adherence.low):.1f}V{drawn.up(spot.adherence.high):.1f}"
    return Markup('<path class="whisker" d="{}"/>').format(ends) if ends else Markup("")


def _labels(placed: Sequence[tuple[Spot, str]], every: Sequence[Spot], drawn: Plane) -> list[Markup]:
    """Each label beside its point, on the side where it is least in the way."""
    taken = [Box(x - 5, y - 5, x + 5, y + 5) for x, y in map(drawn.at, every)]
    crossed = [box for spot in every for box in _crossed(spot, drawn)]
    found = []
    for spot, label in placed:
        x, y = drawn.at(spot)
        best = min(_beside(x, y, label), key=lambda side: _cost(side[2], taken, crossed))
        taken.append(best[2])
        found.append(Markup('<text class="label" x="{:.1f}" y="{:.1f}">{}</text>').format(best[0], best[1], label))
    return found


def _beside(x: float, y: float, label: str) -> list[tuple[float, float, Box]]:
    """Where a label may stand: its left end, its foot, and the room that it takes; the usual place first."""
    width = _LETTER * len(label)
    feet = (y - 7, y + 15, y - 17, y + 25)
    ends = (x + 7, x - 7 - width)
    return [(end, foot, Box(end, foot - _LINE + 2, end + width, foot + 2)) for foot in feet for end in ends]


def _cost(room: Box, taken: Sequence[Box], crossed: Sequence[Box]) -> float:
    """How much is in the way; leaving the picture is worst."""
    outside = room.left < LEFT or room.right > WIDE or room.top < 0 or room.bottom > HIGH - FOOT
    in_the_way = sum(room.meets(box) for box in taken) + _FARTHEST * sum(room.meets(box) for box in crossed)
    return in_the_way + 100.0 * outside


def _crossed(spot: Spot, drawn: Plane) -> list[Box]:
    """Room that whiskers take."""
    x, y = drawn.at(spot)
    found = []
    if spot.goal.low is not None and spot.goal.high is not None:
        found.append(Box(drawn.across(spot.goal.low), y - 1, drawn.across(spot.goal.high), y + 1))
    if spot.adherence.low is not None and spot.adherence.high is not None:
        found.append(Box(x - 1, drawn.up(spot.adherence.high), x + 1, drawn.up(spot.adherence.low)))
    return found


def _range(figures: Sequence[Estimate]) -> Scale:
    """Whole tenths, at least two of them, round all figures and their intervals; the whole where there are none."""
    values = [v for e in figures for v in (e.value, e.low, e.high) if v is not None]
    if not values:
        return Scale(0.0, 1.0)
    low, high = floor(10 * min(values) + 1e-9), ceil(10 * max(values) - 1e-9)
    low = max(0, min(low, high - 2))
    return Scale(low / 10, max(high, low + 2) / 10)


def _ticks(scale: Scale) -> list[float]:
    tenths = range(round(10 * scale.low), round(10 * scale.high) + 1)
    step = 1 if len(tenths) <= 6 else 2
    return [tenth / 10 for tenth in tenths if (tenth - tenths[0]) % step == 0]


def _share(scale: Scale, value: float) -> float:
    return (min(max(value, scale.low), scale.high) - scale.low) / (scale.high - scale.low)


def _word(x: float, y: float, text: str, anchor: str) -> Markup:
    return Markup('<text x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>').format(x, y, anchor, text)


def _picture(parts: Sequence[Markup]) -> Markup:
    head = Markup('<svg viewBox="0 0 {0:g} {1:g}" width="{0:g}" height="{1:g}" aria-hidden="true">').format(WIDE, HIGH)
    return head + Markup("").join(parts) + Markup("</svg>")
