"""How many calls an evaluation takes, for whoever waits for it."""

from collections.abc import Sequence

from mores.core.transcript import Item
from mores.runs.evaluation import Evaluation

LOOKED_AT = 8
"""Items whose outlines stand for those of all, as thousands of outlines take seconds."""


def calls_of_a_play(evaluation: Evaluation) -> float:
    """The mean calls of one play by the outlines of some of its items: at most so many are asked."""
    looked_at = _spread(evaluation.items)
    calls = 0
    for item in looked_at:
        outline = evaluation.benchmark.outline(item, evaluation.setting)
        calls += sum((outline.get(role) or outline["judge"]).calls for role in evaluation.asked)
    return calls / max(1, len(looked_at))


def _spread(items: Sequence[Item]) -> list[Item]:
    """A few of them, evenly over all."""
    count = min(LOOKED_AT, len(items))
    return [items[number * len(items) // count] for number in range(count)]
