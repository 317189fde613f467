"""Pictures of CultureForest's analyses as SVG; a table beside each says the same, so readers aloud skip them."""

from collections.abc import Sequence

from markupsafe import Markup

BAR, HEIGHT = 240.0, 14.0
BOX, HEAD = 34.0, 22.0
_STRONGEST = 0.45
"""Opacity of a correlation of 1: dark enough to see, light enough to read on, in light and in dark."""


def stacked(shares: Sequence[float]) -> Markup:
    """Shares of satisfied, neutral and violated, one beside the other; nothing where there are none."""
    parts, left = [], 0.0
    for number, share in enumerate(shares):
        width = BAR * share
        parts.append(
            Markup('<rect class="part p{}" x="{:.1f}" y="1" width="{:.1f}" height="{:g}"/>').format(
                number, left, width, HEIGHT
            )
        )
        left += width
    return _picture(parts, BAR, HEIGHT + 2)


def heat_map(correlations: Sequence[Sequence[float | None]]) -> Markup:
    """A square a pair of models, numbered as in the table beside it, with the correlation in it, without its 0."""
    size = len(correlations)
    parts = [_word(HEAD + BOX * (n + 0.5), 15, str(n + 1), "label") for n in range(size)]
    for row, values in enumerate(correlations):
        y = HEAD + BOX * row
        parts.append(_word(HEAD - 8, y + BOX / 2 + 3.5, str(row + 1), "label"))
        parts += [_square(HEAD + BOX * n, y, value) for n, value in enumerate(values) if n != row]
    return _picture(parts, HEAD + BOX * size, HEAD + BOX * size)


def _square(x: float, y: float, value: float | None) -> Markup:
    if value is None:
        return _word(x + BOX / 2, y + BOX / 2 + 3.5, "–", "label")
    kind = "agrees" if value >= 0 else "differs"
    box = Markup(
        '<rect class="{}" x="{:g}" y="{:g}" width="{:g}" height="{:g}" fill-opacity="{:.2f}"/>'
    ).format(kind, x + 1, y + 1, BOX - 2, BOX - 2, _STRONGEST * abs(value))  # fmt: skip
    return box + _word(x + BOX / 2, y + BOX / 2 + 3.5, _told(value), "value")


def _told(value: float) -> str:
    """Two decimals without the nought before them.

    >>> _told(0.714), _told(-0.2), _told(1.0)
    ('.71', '−.20', '1')
    """
    told = f"{abs(value):.2f}"
    sign = "−" if value < 0 and float(told) else ""
    return sign + ("1" if told == "1.00" else told.removeprefix("0"))


def _word(x: float, y: float, text: str, kind: str) -> Markup:
    return Markup('<text class="{}" x="{:g}" y="{:g}" text-anchor="middle">{}</text>').format(kind, x, y, text)


def _picture(parts: Sequence[Markup], width: float, height: float) -> Markup:
    head = Markup('<svg viewBox="0 0 {0:g} {1:g}" width="{0:g}" height="{1:g}" aria-hidden="true">')
    return head.format(width, height) + Markup("").join(parts) + Markup("</svg>")
