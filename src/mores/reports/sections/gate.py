"""What a gate finds, in lines for people and as figures for programs."""

from collections.abc import Iterator, Sequence

from mores.analysis.comparison import Compared
from mores.analysis.contrast import reach_of
from mores.analysis.gate import Decision, Gate
from mores.blocks import formatting as words


def describe_gate(gate: Gate) -> Iterator[str]:
    """Each headline that does not pass with what is known of it, or that all pass, and by which margin."""
    held_back = [each for each in gate.decisions if each.verdict != "passed"]
    several = len({each.compared.b.model for each in gate.decisions}) > 1
    for each in held_back:
        model = f" · {each.compared.b.model}" if several else ""
        yield f"{each.compared.benchmark}{model} is {each.verdict}: {_known(each)}"
    if gate.untested:
        yield f"{', '.join(gate.untested)}: not tested, because no unit was graded in both runs; this is not a pass."
    if gate.verdict == "passed":
        names = words.benchmarks_named(list(dict.fromkeys(each.compared.benchmark for each in gate.decisions)))
        yield f"Passed: on {names} B is no worse than A by {gate.margin:g} points."


def _known(each: Decision) -> str:
    """The difference beside the margin, and what would decide it."""
    compared, metric = each.compared, each.compared.described
    margin = words.format_size(each.margin, metric)
    told = f"B − A is {words.format_difference(compared.whole, metric)}, and the margin is {margin} points."
    if each.needed is None:
        return told
    return f"{told} {_seen(compared)}about {each.needed:,} would decide this margin, were both equally good."


def _seen(compared: Compared) -> str:
    """How small a difference the units could show: the beginning of a sentence."""
    whole, metric = compared.whole, compared.described
    units = words.plural(whole.units, metric.unit if metric else "unit")
    seen = whole.minimum_detectable
    if seen is None or seen > reach_of(metric):
        return f"{units} are too few to show any difference; "
    return f"{units} can only show {words.format_size(seen, metric)} points; "


def gate_to_dict(gate: Gate, compared: Sequence[Compared]) -> dict[str, object]:
    """The margin, in per cent of each metric's range, the worst verdict of all, and those of some headlines."""
    own = {id(each) for each in compared}
    return {
        "margin": gate.margin,
        "verdict": gate.verdict,
        "untested": gate.untested,
        "benchmarks": {
            each.compared.benchmark: {"verdict": each.verdict, "margin": each.margin, "needed": each.needed}
            for each in gate.decisions
            if id(each.compared) in own
        },
    }
