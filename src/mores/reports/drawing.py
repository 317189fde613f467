"""Small pictures of figures, as SVG that stands in the page: a dot with whiskers, a line where guessing stands."""

from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup

from mores.core.card import Metric
from mores.core.estimate import Estimate

LEFT, RIGHT, MIDDLE = 4.0, 156.0, 8.0
SHARE = (0.0, 1.0)


class Scale(NamedTuple):
    """The values at the left and the right end of a picture."""

    low: float
    high: float

    def x(self, value: float) -> str:
        """Where a value stands, kept within the picture."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return f"{LEFT + share * (RIGHT - LEFT):.1f}".removesuffix(".0")


def scale_of(metric: Metric | None) -> Scale:
    """The whole range of a metric; that of shares where no card says."""
    return Scale(metric.low, metric.high) if metric else Scale(*SHARE)


def dot_and_whisker(estimate: Estimate | None, chance: float | None, scale: Scale) -> Markup:
    """One figure on its scale; the picture repeats the text beside it, so readers aloud skip it."""
    parts = [_path("axis", f"M{LEFT:g} {MIDDLE:g}H{RIGHT:g}")]
    if chance is not None:
        parts.append(_path("chance", f"M{scale.x(chance)} 1V15"))
    if estimate is not None:
        parts.append(_mark(estimate, scale, MIDDLE, "dot"))
    return _picture(parts, 16)


def axis(scale: Scale, labels: Sequence[tuple[float, str]]) -> Markup:
    """The ends and middle of a scale, to stand in a table's head."""
    words = (
        Markup('<text x="{}" y="11" text-anchor="{}">{}</text>').format(scale.x(value), _anchor(value, scale), label)
        for value, label in labels
    )
    return _picture(list(words), 16)


def _anchor(value: float, scale: Scale) -> str:
    return {scale.low: "start", scale.high: "end"}.get(value, "middle")


def _mark(estimate: Estimate, scale: Scale, y: float, kind: str) -> Markup:
    if estimate.value is None:
        return Markup("")
    dot = Markup('<circle class="{}" cx="{}" cy="{:g}" r="3.2"/>').format(kind, scale.x(estimate.value), y)
    if estimate.low is None or estimate.high is None:
        return dot
    low, high = scale.x(estimate.low), scale.x(estimate.high)
    ends = f"M{low} {y:g}H{high}M{low} {y - 3:g}v6M{high} {y - 3:g}v6"
    return _path("whisker", ends) + dot


def _path(kind: str, way: str) -> Markup:
    return Markup('<path class="{}" d="{}"/>').format(kind, way)


def _picture(parts: Sequence[Markup], height: int) -> Markup:
    head = Markup('<svg viewBox="0 0 160 {0}" width="160" height="{0}" aria-hidden="true">').format(height)
    return head + Markup("").join(parts) + Markup("</svg>")
