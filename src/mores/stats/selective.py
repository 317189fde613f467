"""Trust or escalate: from which confidence a judge's single decision may stand, and which go to people.

confidence + whether wrong ─▶ levels walked downwards ─▶ the lowest whose error is certified.

For a binary judge this answers more than a kept set does: with probability 1 - delta over the calibration items, of
the decisions accepted at or above the level at most a share `risk` are wrong. Items must be independent.
"""

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from scipy import special

from mores.core.arrays import Floats, Integers
from mores.core.errors import InputError
from mores.core.estimate import Missing
from mores.stats.checks import numbers, same_length
from mores.stats.conformal.calibration import UncalibratableCause
from mores.stats.conformal.draws import UNREADABLE
from mores.stats.conformal.risk_tests import checked_level, units_for

_MIN_UNITS = 30
_DOWNWARDS = tuple(hundredths / 100 for hundredths in range(100, -1, -1))


class Majority(NamedTuple):
    """The most frequent decision of each item and the share of its draws that made it."""

    decision: Integers
    confidence: Floats


class Trusted(Struct, frozen=True, kw_only=True):
    """A confidence from which decisions may stand.

    Attributes:
        risk: Certified share of wrong decisions among those accepted.
        delta: Allowed chance that the certificate is wrong.
        level: Decisions of at least this confidence are accepted; the rest go to people.
        items: Calibration items.
        accepted: Those of them accepted.
        errors: Wrong ones among the accepted.
        upper: Clopper and Pearson's upper bound of the error among the accepted.
    """

    risk: float
    delta: float
    level: float
    items: int
    accepted: int
    errors: int
    upper: float

    @property
    def share(self) -> float:
        """Share of calibration items accepted."""
        return self.accepted / self.items


class Untrusted(Struct, frozen=True, kw_only=True):
    """The honest answer that no confidence can be certified at this risk: every decision goes to people.

    Attributes:
        risk: The risk asked for.
        cause: Which of three: with so few items no judge could pass, or this one's errors are under the risk and the
            items too few to show it; its errors are above the risk; or the first level failed and a later would pass.
        missing: The cause with its figures.
        level: The first level tested; None where none was.
        accepted: Calibration items at or above it.
        errors: Wrong ones among those.
        upper: Upper bound of their error: the risk at which this level would have passed.
    """

    risk: float
    cause: UncalibratableCause
    missing: Missing
    level: float | None
    accepted: int
    errors: int
    upper: float


TrustDecision: TypeAlias = Trusted | Untrusted


def certify_confidence(
    confidence: npt.ArrayLike,
    wrong: npt.ArrayLike,
    risks: Sequence[float],
    *,
    levels: Sequence[float] = _DOWNWARDS,
    delta: float = 0.05,
    clusters: npt.ArrayLike | None = None,
) -> tuple[TrustDecision, ...]:
    """For each risk the lowest confidence from which decisions may stand, or the reason why there is none.

    Levels are walked downwards and tested one after the other at the full delta, up to the first that fails. Levels
    with fewer than 30 items, or with fewer than could pass without any error, are left out: that looks at
    confidences alone, so the promise stands, and a risk of .05 is not lost to a first level with 40 items.

    Args:
        confidence: Of one decision an item; larger is surer.
        wrong: Whether the decision differs from the people's; a decision that did not parse is wrong.
        risks: Wanted shares of wrong decisions among the accepted; each certificate holds on its own.
        levels: Falling, fixed beforehand: even steps from 1, or `confidence_levels` of unlabelled decisions.
        delta: Allowed chance that a certificate is wrong; divide it by the number of claims made at once.
        clusters: What items share; refused where items share any, since the bound is for independent items.

    Raises:
        InputError: a number is out of range, lengths differ, or items share clusters.

    Source:
        Jung, Brahman and Choi (2025), Trust or escalate, ICLR. Where the strictest level fails, there is none.
    """
    sure, lost = numbers(confidence, "confidence"), numbers(wrong, "wrong")
    same_length(sure, lost, "confidence and wrong")
    _independent(clusters, sure)
    checked_level(delta, "delta")
    steps = np.asarray(levels, dtype=np.float64)
    if steps.size == 0 or np.any(np.diff(steps) >= 0) or not np.isin(lost, (0, 1)).all():
        raise InputError("levels do not fall, or wrong is not 0 or 1 throughout; expected the strictest level first.")
    walk = _Walk.down(sure, lost, steps, delta)
    return tuple(walk.trust(risk) for risk in risks)


def _independent(clusters: npt.ArrayLike | None, items: Floats) -> None:
    if clusters is None:
        return
    given = np.asarray(clusters)
    same_length(given, items, "clusters and items")
    count = np.unique(given).size
    if count < given.size:
        raise InputError(
            f"{given.size} items come from {count} clusters; the bound is for independent items. Keep one item from "
            "each cluster (one_each)."
        )


class _Walk(NamedTuple):
    """Items accepted, errors among them and upper bounds at each level."""

    levels: Floats
    accepted: Integers
    errors: Integers
    upper: Floats
    items: int
    delta: float

    @classmethod
    def down(cls, confidence: Floats, wrong: Floats, levels: Floats, delta: float) -> "_Walk":
        order = np.argsort(-confidence, kind="stable")
        # negated, as the search wants rising numbers
        accepted = np.searchsorted(-confidence[order], -levels, side="right")
        errors = np.concatenate(([0], np.cumsum(wrong[order])))[accepted].astype(np.int64)
        return cls(levels, accepted, errors, _upper(errors, accepted, delta), confidence.size, delta)

    def trust(self, risk: float) -> TrustDecision:
        checked_level(risk)
        needed = max(_MIN_UNITS, units_for(risk, self.delta))
        tested = np.flatnonzero(self.accepted >= needed)
        if tested.size == 0:
            return self._too_few(risk, needed)
        # a sequence fixed beforehand: each level is tested at the full delta, up to the first that fails
        passed = tested[np.logical_and.accumulate(self.upper[tested] <= risk)]
        if passed.size == 0:
            return self._failed(risk, tested)
        last = int(passed[-1])
        return Trusted(
            risk=risk,
            delta=self.delta,
            level=float(self.levels[last]),
            items=self.items,
            accepted=int(self.accepted[last]),
            errors=int(self.errors[last]),
            upper=float(self.upper[last]),
        )

    def _too_few(self, risk: float, needed: int) -> Untrusted:
        widest = int(np.argmax(self.accepted))
        n = int(self.accepted[widest])
        return self._untrusted(
            risk, "too few items", Missing(code="too_few_reach_a_level", n=n, needed=needed, figures=(risk,)), widest
        )

    def _failed(self, risk: float, tested: npt.NDArray[np.intp]) -> Untrusted:
        first = int(tested[0])
        accepted, errors = int(self.accepted[first]), int(self.errors[first])
        cause, because = self._cause(risk, tested)
        code = "one_surest_is_wrong" if errors == 1 else "surest_are_wrong"
        missing = Missing(code=code, n=errors, of=accepted, because=because)
        return self._untrusted(risk, cause, missing, first, level=float(self.levels[first]))

    def _untrusted(
        self, risk: float, cause: UncalibratableCause, missing: Missing, at: int, level: float | None = None
    ) -> Untrusted:
        accepted, errors, upper = int(self.accepted[at]), int(self.errors[at]), float(self.upper[at])
        return Untrusted(
            risk=risk, cause=cause, missing=missing, level=level, accepted=accepted, errors=errors, upper=upper
        )

    def _cause(self, risk: float, tested: npt.NDArray[np.intp]) -> tuple[UncalibratableCause, Missing]:
        """Cause for which the first level failed: the order, the number of items, or the judge."""
        accepted, errors = self.accepted[tested], self.errors[tested]
        if (_upper(errors, accepted, self.delta / tested.size) <= risk).any():
            return "unlucky order", Missing(code="first_level_failed", of=tested.size, figures=(risk,))
        if (errors < risk * accepted).any():
            most = int(accepted[errors < risk * accepted].max())
            return "too few items", Missing(code="too_few_items_to_show_share", n=most, figures=(risk,))
        return "judge not good enough", Missing(code="errors_not_under_risk", figures=(risk,))


def _upper(errors: Integers, n: Integers, delta: float) -> Floats:
    """Clopper and Pearson's upper bound at 1 - delta, 1 where all are wrong."""
    # the function takes no 0; where all are wrong the other branch answers
    right = np.maximum(n - errors, 1)
    return np.where(errors < n, special.betaincinv(errors + 1.0, right, 1 - delta), 1.0)


def confidence_levels(unlabelled: npt.ArrayLike, count: int = 71, start: float = 0.7) -> tuple[float, ...]:
    """Falling levels for `certify_confidence`: quantiles of confidences without labels, from `start` to the least.

    A start at .7 leaves three tenths of the items above the first level, enough to test from there on.
    """
    values = numbers(unlabelled, "confidence")
    quantiles = np.quantile(values, np.linspace(start, 0, count), method="nearest")
    return tuple(dict.fromkeys(quantiles.tolist()))


def majority(decisions: npt.ArrayLike) -> Majority:
    """The most frequent decision of each item (the one drawn first among equals) and its share of all draws.

    Args:
        decisions: Codes, shape (items, draws), -1 where a draw did not parse: it counts among the draws, and is the
            decision only where no draw parsed, with confidence 0.

    >>> majority([[1, 0, 1], [-1, -1, 0]]).confidence.round(3).tolist()
    [0.667, 0.333]
    """
    codes: Integers = np.asarray(decisions, dtype=np.int64)
    if codes.ndim != 2 or codes.shape[1] == 0:
        raise InputError(f"decisions have shape {codes.shape}; expected items in rows and at least one draw of each.")
    # unreadable draws agree with nobody, not even with each other
    votes = np.where(codes == UNREADABLE, 0, (codes[:, :, None] == codes[:, None, :]).sum(axis=2))
    best = votes.argmax(axis=1)
    rows = np.arange(codes.shape[0])
    return Majority(codes[rows, best], votes[rows, best] / codes.shape[1])
