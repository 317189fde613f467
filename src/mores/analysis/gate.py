"""May run B be released: on each headline, is it no worse than run A by a margin, is it worse, or is neither known?

A comparison ─▶ a decision on each headline ─▶ the gate: the worst of all, in rows and sentences. What could not be
compared never passes.
"""

from collections.abc import Iterator
from typing import Literal, NamedTuple

from mores.analysis.comparison import Compared, Comparison
from mores.analysis.contrast import metric_range
from mores.analysis.differences import METRIC, WHOSE
from mores.core.errors import InputError
from mores.stats.paired import is_non_inferior, units_to_decide
from mores.tables import Analysis, AnalysisResult, Column, Row, Table
from mores.tables import formatting as words
from mores.tables.blocks import CellValue, Finding, Inline

MARGIN = 3.0
"""The margin where nobody names one, in per cent of a metric's range: points of a share."""
GateVerdict = Literal["passed", "undecided", "worse"]


class MarginDecision(NamedTuple):
    """Decision on one headline; `margin` is in the metric's own points, None of a run without such units.

    `needed` is how many units would decide it were both equally good, None where it is decided.
    """

    compared: Compared
    verdict: GateVerdict
    margin: float
    needed: int | None


class ReleaseGate(NamedTuple):
    """Decisions on all headlines by one margin, in per cent of each metric's range; `untested` could not be compared.

    A loss that is significant and yet smaller than the margin is `worse` where nobody named the margin.
    """

    margin: float
    named: bool
    decisions: tuple[MarginDecision, ...]
    untested: tuple[str, ...]

    @property
    def verdict(self) -> GateVerdict:
        """The worst of all; what could not be compared is no pass."""
        found = {each.verdict for each in self.decisions}
        if "worse" in found or self.untested:
            return "worse"
        return "undecided" if "undecided" in found else "passed"


def gate_of(comparison: Comparison, margin: float | None = None) -> ReleaseGate:
    """The gate's decisions on run B.

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
    regressed = {id(each.compared) for each in comparison.regressions}
    decisions = tuple(
        _decided(each, used, regressed=id(each) in regressed, named=margin is not None)
        for each in comparison.compared
        if each.whole.p_lower is not None
    )
    return ReleaseGate(used, margin is not None, decisions, tuple(dict.fromkeys(comparison.untested)))


def _decided(compared: Compared, margin: float, *, regressed: bool, named: bool) -> MarginDecision:
    reach, share = metric_range(compared.described), margin / 100
    whole, deff = compared.whole, compared.design_effect
    small = (
        whole.low is not None
        and whole.difference is not None
        and is_non_inferior(whole.difference / reach, whole.low / reach, whole.units / deff, share)
    )
    if regressed and not (named and small):
        return MarginDecision(compared, "worse", share * reach, None)
    if small:
        return MarginDecision(compared, "passed", share * reach, None)
    differ = (compared.mean_square * whole.units + 2) / (whole.units + 2)  # one more each way, as in the interval
    return MarginDecision(compared, "undecided", share * reach, units_to_decide(differ, share, deff))


# The tables, as programs know them.

DECISIONS = Table.of(
    "gate",
    "What the gate found on each headline",
    *WHOSE,
    METRIC,
    Column("verdict", "text", "passed, undecided or worse"),
    Column("margin", "score", "in the metric's own points (0–1 for shares)"),
    Column("units_needed", "count", "would decide it were both equally good"),
)
WHOLE = Table.of(
    "gate_verdict",
    "What the gate found",
    Column("verdict", "text", "the worst of all; what is untested is no pass"),
    Column("margin_percent", "number", "in per cent of each metric's range", title="Margin"),
    Column("untested", "names", "headlines of which no unit was graded in both", title="Not tested"),
)


def _row(each: MarginDecision) -> Row:
    compared = each.compared
    whose = (compared.benchmark, compared.a.model, compared.b.model, compared.simulated)
    return *whose, compared.a.listed(compared.whole.metric), each.verdict, each.margin, each.needed


# The same for people.


def analyse(gate: ReleaseGate) -> AnalysisResult:
    """Each headline that does not pass with what is known of it, or that all pass, and by which margin."""
    decisions = DECISIONS.filled(map(_row, gate.decisions))
    whole = WHOLE.filled(((gate.verdict, gate.margin, gate.untested),))
    return AnalysisResult(tables=(decisions, whole), findings=tuple(_findings(gate)))


def _findings(gate: ReleaseGate) -> Iterator[Finding]:
    several = len({each.compared.b.model for each in gate.decisions}) > 1
    for each in gate.decisions:
        if each.verdict != "passed":
            model = f" · {each.compared.b.model}" if several else ""
            name = f"{each.compared.benchmark}{model} is {each.verdict}: "
            yield Finding(words=(name, *_known(each)), id=f"gate.{each.verdict}", weight="differs")
    if gate.untested:
        text = f"{', '.join(gate.untested)}: not tested, because no unit was graded in both runs; this is not a pass."
        yield Finding(words=text, id="gate.untested", weight="differs")
    if gate.verdict == "passed":
        names = words.benchmarks_named(list(dict.fromkeys(each.compared.benchmark for each in gate.decisions)))
        text = f"Passed: on {names} B is no worse than A by {gate.margin:g} points."
        yield Finding(words=text, id="gate.passed", weight="differs")


def _known(each: MarginDecision) -> Iterator[Inline]:
    """The difference beside the margin, and what would decide it."""
    compared, metric = each.compared, each.compared.described
    yield from ("B − A is ", CellValue(compared.whole, metric=metric), ", and the margin is ")
    yield from (CellValue(each.margin, "size", metric), " points.")
    if each.needed is not None:
        needed = CellValue(each.needed, "count")
        yield from (f" {_seen(compared)}about ", needed, " would decide this margin, were both equally good.")


def _seen(compared: Compared) -> str:
    """The least difference that the units could show, as the beginning of a sentence."""
    whole, metric = compared.whole, compared.described
    units = words.plural(whole.units, metric.unit if metric else "unit")
    if whole.minimum_detectable is None:
        return f"{units} are too few to show any difference; "
    return f"{units} can only show {words.format_size(whole.minimum_detectable, metric)} points; "


GATE_ANALYSIS = Analysis(id="gate", title="The gate", tables=(DECISIONS, WHOLE), analyse=analyse)
