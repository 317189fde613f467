"""A paired difference in points that is one of a family, in words."""

from dataclasses import dataclass

from mores.reports import wording
from mores.stats.paired import Paired

MARKED_AT = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class OneOfFamily:
    """A paired difference, and its p-value corrected over a family."""

    found: Paired
    p_holm: float | None = None

    @property
    def why(self) -> str | None:
        """Why there is no interval."""
        return self.found.why

    @property
    def told(self) -> str:
        """The difference in points with its interval, or why there is none."""
        pair = self.found
        if pair.low is None or pair.high is None:
            return f"{wording.points_apart(pair.difference)} ({self.why})"
        ends = f"[{wording.points_apart(pair.low)}, {wording.points_apart(pair.high)}]"
        return f"{wording.points_apart(pair.difference)} {ends}"

    @property
    def p_told(self) -> str:
        """The corrected p-value, without its letter."""
        return wording.chance_of(self.p_holm).removeprefix("p ").removeprefix("= ") or wording.DASH

    @property
    def significant(self) -> bool:
        """True where it is one after correction."""
        return self.p_holm is not None and self.p_holm < MARKED_AT
