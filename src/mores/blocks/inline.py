"""What stands in a line, a cell or a small chart: words, values as they are, and figures of them."""

from typing import Literal, Protocol

from msgspec import Struct

from mores.core.card import Metric
from mores.core.estimate import Estimate, Missing

Style = Literal[
    "plain",
    "model",
    "code",
    "strong",
    "soft",
    "tag",
    "warning",
    "alarm",
    "link",
    "source",
    "interval",
    "missing",
    "narrow",
]
"""What a stretch of words is: a model's name, code, what matters, what stands back, a tag, one that warns …

`narrow` words stand only where there is no room for the minor columns that say the same.
"""
Format = Literal[
    "figure", "share", "heat", "count", "points", "decimal", "mean", "correlation", "signed", "size", "p", "place"
]
"""How `formatting` writes a value; a share is written in the points of its metric, where that is none.

Heat is a figure's number alone, where a shade says how much it is; its interval and n are said beside. A signed figure
is a difference.
"""
ChartKind = Literal[
    "interval",
    "scale",
    "plane",
    "square",
    "curves",
    "climbs",
    "stair",
    "stack",
    "squares",
    "key",
    "risk",
    "reliability",
    "world",
    "boxes",
]


class Span(Struct, frozen=True):
    """A stretch of words; `target` is what a link leads to, `title` what is said of it beside, such as a reason."""

    text: str
    style: Style = "plain"
    target: str = ""
    title: str = ""


class Differing(Protocol):
    """A paired difference as far as it is shown: its size, its ends, or why it has none."""

    @property
    def difference(self) -> float | None:
        """The size, in the points of its metric (0–1 for shares)."""
        ...

    @property
    def low(self) -> float | None:
        """The lower end."""
        ...

    @property
    def high(self) -> float | None:
        """The upper end."""
        ...

    @property
    def missing(self) -> Missing | None:
        """Why there is no interval."""
        ...


class Apart(Struct, frozen=True, kw_only=True):
    """A paired difference as it is shown, of what has it in another shape."""

    difference: float | None
    low: float | None
    high: float | None
    missing: Missing | None


class Value(Struct, frozen=True, kw_only=True):
    """A value among words or in a cell of another kind than its column: what it is, and how it is written.

    `target` is what its link leads to, such as the units behind a figure.
    """

    value: "Plain"
    format: Format | None = None
    metric: Metric | None = None
    target: str = ""


class Axis(Struct, frozen=True, kw_only=True):
    """One direction of a chart: its ends, where guessing stands, what it is, and names of places along it."""

    low: float = 0.0
    high: float = 1.0
    title: str = ""
    labels: tuple[str, ...] = ()
    mark: float | None = None
    share: bool = True

    @classmethod
    def of(cls, metric: Metric | None, mark: float | None = None) -> "Axis":
        """The whole range of a metric; that of shares where no card says."""
        if metric is None:
            return cls(mark=mark)
        return cls(low=metric.low, high=metric.high, mark=mark, share=(metric.low, metric.high) == (0.0, 1.0))

    @property
    def metric(self) -> Metric | None:
        """What is written as values on it are: None for shares."""
        return None if self.share else Metric(name="", unit="", says="", low=self.low, high=self.high)


class Point(Struct, frozen=True, kw_only=True):
    """One point of a chart: how far up, how far to the right where that is a figure too, and its label.

    `marked` sets it apart: on a front, or where a line falls. `name` is what it is in words where the label is short:
    a number, a code, or the kind of a colour.
    """

    y: Estimate | None
    x: Estimate | None = None
    label: str = ""
    marked: bool = False
    name: str = ""


class Series(Struct, frozen=True, kw_only=True):
    """Points that belong together; `marked` series are drawn apart from the others."""

    points: tuple[Point, ...]
    name: str = ""
    marked: bool = False


class Chart(Struct, frozen=True, kw_only=True):
    """A picture; a table beside it says the same. Small kinds stand in cells, where the cell's text does.

    `title` is what it shows, for those who do not see it and as its caption.
    """

    kind: ChartKind
    title: "Words" = ""
    series: tuple[Series, ...] = ()
    axes: tuple[Axis, ...] = ()

    @classmethod
    def interval(cls, figure: Estimate | None, axis: Axis) -> "Chart":
        """One figure as a dot with whiskers on a scale, for a cell."""
        return cls(kind="interval", series=(Series(points=(Point(y=figure),)),), axes=(axis,))

    @classmethod
    def scale(cls, *labels: str) -> "Chart":
        """The ends of such a scale, for the head above."""
        return cls(kind="scale", axes=(Axis(labels=labels),))

    @classmethod
    def key(cls, colour: str) -> "Chart":
        """What has a colour in a chart beside."""
        return cls(kind="key", series=(Series(points=(), name=colour),))


Inline = str | Span | Value | Chart
Words = Inline | tuple[Inline, ...]
"""Words, in which values and small charts may stand."""


class Stack(Struct, frozen=True):
    """Several lines in one cell."""

    lines: tuple[Words, ...]


class Quoted(Struct, frozen=True):
    """Words of models or data in a cell, which a reader opens; a terminal leaves them to the page."""

    text: str


Plain = Estimate | Differing | float | str | None
"""What a value is before anyone writes it."""
Cell = Plain | Words | Stack | Quoted
