"""Models beside people on the rungs know, judge and explain, in a report."""

from collections.abc import Mapping, Sequence

from mores.analysis.results import Results
from mores.benchmarks.shapes.people import HUMAN
from mores.benchmarks.shapes.people_blocks import people_blocks, people_figures
from mores.blocks import Section

RIGHT: Mapping[str, str | None] = {"ladder/know": None, "ladder/judge": None, "ladder/explain": "label_accuracy"}
"""The metric of a model that stands beside people's; None for the headline."""


def people_section(results: Results) -> Section | None:
    """Models beside people on each rung on which people were asked; None where there is none."""
    beside = [each for each in results.evaluations if each.benchmark in RIGHT and each.whole(HUMAN) is not None]
    if not beside:
        return None
    names: Sequence[str] = [name for name in RIGHT if any(each.benchmark == name for each in beside)]
    return Section(
        id="ladder-people",
        title="People on the ladder",
        order=-9,
        blocks=tuple(block for name in names for block in people_blocks(results.on(name), RIGHT[name])),
        data=[people_figures(each) for each in beside],
        findings=(),
    )
