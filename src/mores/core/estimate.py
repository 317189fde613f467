"""A figure that a person sees: its value, interval, counts and what it would be at worst and at best."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """One figure of one group.

    `asked` and `graded` count the metric's own unit. `worst` and `best` are the value if every ungraded unit
    were wrong or right. A missing value or interval is None, with `why`; `method` names the interval.
    """

    metric: str
    group: dict[str, str] = field(default_factory=dict)
    value: float | None
    low: float | None = None
    high: float | None = None
    asked: int
    graded: int
    worst: float | None = None
    best: float | None = None
    method: str = ""
    why: str | None = None
