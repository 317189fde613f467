"""Which items went another way in a second run, and which in two ways in one: for the browser of two runs."""

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from mores.core.verdict import Verdict, VerdictLine
from mores.reports.browse.answers import Kind

BETTER, WORSE, UNSTABLE = "better in B", "worse in B", "unstable"
CHANGES = (BETTER, WORSE, UNSTABLE)
CHANGED = "changed"
"""What stands in an address for both better and worse."""

Played = tuple[Sequence[Verdict | VerdictLine], Mapping[str, Kind]]
"""The verdicts on one play, and how each answer of it went by its part."""


def worth_of(plays: Sequence[Played], task: str) -> float | None:
    """The mean of all answers in some plays: right ones, or points where none is right; None where none is graded."""
    worths = [worth for _, worth in _worths(plays, task)]
    return sum(worths) / len(worths) if worths else None


def change_of(a: float | None, b: float | None) -> str:
    """How an item went in B against A; empty where that is the same, or where one of them is not graded."""
    if a is None or b is None or a == b:
        return ""
    return BETTER if b > a else WORSE


def went_two_ways(plays: Sequence[Played], task: str) -> bool:
    """Whether an answer went one way in one sample and another way in another."""
    seen: dict[str, float] = {}
    return any(seen.setdefault(part, worth) != worth for part, worth in _worths(plays, task))


def _worths(plays: Sequence[Played], task: str) -> Iterator[tuple[str, float]]:
    """Each graded answer's part, and what it is worth."""
    for verdicts, kinds in plays:
        for verdict in verdicts:
            kind = kinds.get(verdict.about.part)
            if verdict.task == task and verdict.verdict == "graded" and kind not in {None, "ungraded"}:
                yield verdict.about.part, cast(float, verdict.points) if kind == "points" else float(kind == "right")
