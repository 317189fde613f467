"""How figures are put for people: shares in per cent with one decimal, intervals in brackets, each with its n."""

import re
from collections.abc import Iterable

from mores.core.card import Metric
from mores.core.errors import UnknownName
from mores.core.estimate import Estimate
from mores.norms.places import place
from mores.reports.findings import Finding

DASH = "–"
SIMULATED = "Simulated: these answers were made up from planted competence; they say nothing about any real model."
_MESSAGE = re.compile(r'"(?:message|detail)"\s*:\s*"((?:[^"\\]|\\.)*)"')
_KINDS = {"wvs_group": "Inglehart–Welzel group", "cultures": "number of origins among those spoken with"}
_BY_WORDS = {
    "wvs_group": "Inglehart–Welzel groups",
    "strictness": "strictness",
    "nationality": "nationalities",
    "cultures": "numbers of origins among those spoken with",
}


def is_share(metric: Metric | None) -> bool:
    """True for metrics that run from 0 to 1; what no card describes is taken for one."""
    return metric is None or (metric.low, metric.high) == (0.0, 1.0)


def number(value: float | None, metric: Metric | None = None, *, sign: bool = True) -> str:
    """A figure in words: `75.6%` for a share (`75.6` without its sign), `1.25` for points, a dash for none.

    >>> number(0.7556), number(0.7556, sign=False), number(None)
    ('75.6%', '75.6', '–')
    """
    if value is None:
        return DASH
    if not is_share(metric):
        return _minus(f"{value:.2f}")
    return f"{_minus(f'{100 * value:.1f}')}{'%' if sign else ''}"


def _minus(told: str) -> str:
    """A number with the typographic minus, and none before zero."""
    return told.removeprefix("-") if float(told) == 0 else told.replace("-", "−")


def interval(estimate: Estimate, metric: Metric | None = None) -> str:
    """An interval in words, `[67.7, 82.0]`; where there is none, the short reason."""
    if estimate.low is None or estimate.high is None:
        return "" if estimate.value is None else short_why(estimate)
    return f"[{number(estimate.low, metric, sign=False)}, {number(estimate.high, metric, sign=False)}]"


def short_why(estimate: Estimate) -> str:
    """Two words on why a figure or its interval is missing; the whole reason is the estimate's own."""
    why = estimate.why or ""
    return "too few" if why.startswith("too few") else "no interval" if estimate.value is not None else why


def counted(estimate: Estimate) -> str:
    """The n of a figure: graded, and of how many asked where those differ.

    >>> counted(Estimate(metric="accuracy", value=None, asked=12, graded=10))
    '10 of 12'
    """
    same = estimate.graded == estimate.asked
    return f"{estimate.graded:,}" if same else f"{estimate.graded:,} of {estimate.asked:,}"


def kind_name(kind: str) -> str:
    """The name of a kind of group, such as `Inglehart–Welzel group`."""
    return _KINDS.get(kind, kind)


def kinds_name(kind: str) -> str:
    """The name of several groups of a kind, such as `places`."""
    return _BY_WORDS.get(kind, f"{kind}s")


def group_name(kind: str, value: str) -> str:
    """The name of one group: a place's English name, else its own."""
    if kind not in {"place", "nationality"}:
        return value
    try:
        return place(value).name
    except UnknownName:
        return value


def units_of(cell: Finding, metric: str | None = None) -> str:
    """What a metric counts, in the plural: `questions`; `units` where no card says."""
    found = cell.metric(metric or cell.headline)
    return f"{found.unit}s" if found else "units"


def told_causes(causes: dict[str, int]) -> str:
    """Causes with their counts: `timeout 3, no connection 1`; empty for none."""
    return ", ".join(f"{cause} {count:,}" for cause, count in causes.items())


def few_graded(cells: Iterable[Finding]) -> tuple[str, ...]:
    """What is said first of all: a sentence for each headline of which less than half could be graded."""
    wholes = [(cell, whole) for cell in cells if cell.mostly_ungraded and (whole := cell.whole()) is not None]
    return tuple(
        f"Less than half could be graded: {whole.graded:,} of {whole.asked:,} for {cell.benchmark} by {cell.label}"
        f" ({told_causes(cell.causes()) or 'no cause is known'})."
        for cell, whole in wholes
    )


def said_by_server(body: str) -> str:
    """The words of a server's refusal without what they are packed in, on one line and no longer than two lines.

    >>> said_by_server('{"error":{"code":400,"message":"request (2112 tokens) exceeds the context","n_ctx":2048}}')
    'request (2112 tokens) exceeds the context'
    """
    found = _MESSAGE.search(body)
    words = " ".join((found[1] if found else body).split())
    return words if len(words) <= 200 else f"{words[:200]}…"


def points_apart(value: float | None) -> str:
    """A difference of shares in percentage points with its sign; a dash for none.

    >>> points_apart(-0.105), points_apart(0.0), points_apart(None)
    ('−10.5', '0.0', '–')
    """
    if value is None:
        return DASH
    told = f"{100 * value:+.1f}"
    return "0.0" if float(told) == 0 else told.replace("-", "−")


def chance_of(p: float | None) -> str:
    """A p-value: `p = 0.012`, `p < 0.001`; empty for none.

    >>> chance_of(0.0123), chance_of(1e-5), chance_of(1.0)
    ('p = 0.012', 'p < 0.001', 'p = 1')
    """
    if p is None:
        return ""
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}" if p < 0.9995 else "p = 1"
