"""May run B be released: on each headline, is it no worse than run A by a margin, is it worse, or is neither known?

A comparison ─▶ a decision on each headline ─▶ the gate: the worst of all. What could not be compared never passes.
"""

from typing import Literal, NamedTuple

from mores.analysis.comparison import Compared, Comparison
from mores.analysis.contrast import reach_of
from mores.core.errors import InputError
from mores.stats.non_inferiority import is_non_inferior, units_to_decide

MARGIN = 3.0
"""The margin where nobody names one, in per cent of a metric's range: points of a share."""
Verdict = Literal["passed", "undecided", "worse"]


class Decision(NamedTuple):
    """What is known of one headline; `margin` is in the metric's own points, None of a run without such units.

    `needed` is how many units would decide it were both equally good, None where it is decided.
    """

    compared: Compared
    verdict: Verdict
    margin: float
    needed: int | None


class Gate(NamedTuple):
    """Decisions on all headlines by one margin, in per cent of each metric's range; `untested` could not be compared.

    A loss that is significant and yet smaller than the margin is `worse` where nobody named the margin.
    """

    margin: float
    named: bool
    decisions: tuple[Decision, ...]
    untested: tuple[str, ...]

    @property
    def verdict(self) -> Verdict:
        """The worst of all; what could not be compared is no pass."""
        found = {each.verdict for each in self.decisions}
        if "worse" in found or self.untested:
            return "worse"
        return "undecided" if "undecided" in found else "passed"


def gate_of(comparison: Comparison, margin: float | None = None) -> Gate:
    """Whether run B passes.

    A headline passes where its loss is shown to be smaller than the margin. It is worse where B is significantly worse,
    one-sided and after Holm's correction over all headlines; where the margin was named, a loss that is shown to be
    smaller passes all the same. Else it is undecided.

    Args:
        comparison: Run B against run A.
        margin: The largest loss that is not to count, in per cent of a metric's range; None for `MARGIN`.

    Raises:
        InputError: the margin is not in (0, 100).
    """
    used = MARGIN if margin is None else margin
    if not 0 < used < 100:
        raise InputError(f"--margin {used:g}: expected points of a share, above 0 and below 100.")
    worse = {id(each.compared) for each in comparison.worse}
    decisions = tuple(
        _decided(each, used, worse=id(each) in worse, named=margin is not None)
        for each in comparison.compared
        if each.whole.p_worse is not None
    )
    return Gate(used, margin is not None, decisions, tuple(dict.fromkeys(comparison.untested)))


def _decided(compared: Compared, margin: float, *, worse: bool, named: bool) -> Decision:
    reach, share = reach_of(compared.described), margin / 100
    whole, deff = compared.whole, compared.design_effect
    small = (
        whole.low is not None
        and whole.difference is not None
        and is_non_inferior(whole.difference / reach, whole.low / reach, whole.units / deff, share)
    )
    if worse and not (named and small):
        return Decision(compared, "worse", share * reach, None)
    if small:
        return Decision(compared, "passed", share * reach, None)
    differ = (compared.mean_square * whole.units + 2) / (whole.units + 2)  # one more each way, as in the interval
    return Decision(compared, "undecided", share * reach, units_to_decide(differ, share, deff))
