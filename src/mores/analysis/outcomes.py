"""Outcomes of the same units in two runs: right, partly or wrong, and those that went two ways; links to them."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import urlencode

import numpy as np
from msgspec import Struct

from mores.analysis.contrast import of_common_items
from mores.analysis.results import Result
from mores.analysis.units import shared_rows, units_of
from mores.core.arrays import Codes, Floats
from mores.core.card import Metric
from mores.core.verdict import JudgeAnswer, JudgedUnit

STATES = ("right", "partly", "wrong")
"""All points of the metric, some, or none."""
HALF = 0.5
"""Points from which a judge's vote in points is taken for a yes."""


class OutcomeCounts(Struct, frozen=True, kw_only=True):
    """Units that both graded, counted by how they went: a row for each of A's `STATES`, a column for each of B's.

    `unstable` counts, for each state of A, those that in one of the runs went another way in another sample, or on
    which the repeated votes of a judge disagree. They are in `counts` too. `threshold` are the points from which a unit
    is right, where most have only a part of all points, such as a probability; None where it takes all of them.
    """

    counts: tuple[tuple[int, ...], ...]
    unstable: tuple[int, ...]
    threshold: float | None = None

    @property
    def only_a(self) -> int:
        """Right in A and wrong in B."""
        return self.counts[0][2]

    @property
    def only_b(self) -> int:
        """Right in B and wrong in A."""
        return self.counts[2][0]


class UnstableVotes(NamedTuple):
    """Items and units on which the repeated votes of a judge disagree."""

    items: frozenset[str]
    units: frozenset[str]


def outcomes(a: Result, b: Result) -> OutcomeCounts | None:
    """Outcomes of the headline's units in both; None where they are weighted, so that none is right or wrong."""
    rows_a, rows_b = a.scores[a.headline], b.scores[b.headline]
    if rows_a.weight is not None:
        return None
    one, other = map(units_of, of_common_items(rows_a, rows_b))
    (kept, at), metric, size = shared_rows([one, other]), a.described, len(STATES)
    points = one.points[kept], other.points[at]
    threshold = _threshold(np.concatenate(points), metric)
    state_a, state_b = (_states(each, metric, threshold) for each in points)
    judged = one.keys.unit.take(kept).belongs((unstable_votes(a).units | unstable_votes(b).units).__contains__)
    # samples that differ have a variance; of one sample it is NaN, which is not above 0
    turned = judged | (one.noise[kept] > 0) | (other.noise[at] > 0)
    counts = np.bincount(size * state_a + state_b, minlength=size**2).reshape(size, size)
    unstable = np.bincount(state_a[turned], minlength=size)
    return OutcomeCounts(
        counts=tuple(map(tuple, counts.tolist())), unstable=tuple(unstable.tolist()), threshold=threshold
    )  # fmt: skip


def _threshold(points: Floats, metric: Metric | None) -> float | None:
    """The middle of the scale where fewer than half of the units stand at its ends; else None."""
    low, high = (metric.low, metric.high) if metric else (0.0, 1.0)
    at_ends = int(((points == low) | (points == high)).sum())
    return None if 2 * at_ends >= len(points) else low + HALF * (high - low)


def _states(points: Floats, metric: Metric | None, threshold: float | None) -> Codes:
    low, high = (metric.low, metric.high) if metric else (0.0, 1.0)
    less = metric is not None and metric.better == "lower"
    if threshold is not None:
        return np.where(points <= threshold if less else points >= threshold, 0, 2)
    best, worst = (low, high) if less else (high, low)
    return np.where(points == best, 0, np.where(points == worst, 2, 1))


@lru_cache(maxsize=8)
def unstable_votes(result: Result) -> UnstableVotes:
    """Items and units that a judge, asked repeatedly, judged in two ways; none where each judged once.

    Votes on the headline's own tasks count; where it is made of other tasks, those on all tasks do.
    """
    judging = result.provenance.protocol.judging
    if judging is None or judging.runs < 2:
        return UnstableVotes(frozenset(), frozenset())
    first: dict[tuple[JudgedUnit, str], str | bool] = {}
    turned: dict[str, set[tuple[str, str]]] = {}
    for vote in result.stored.votes():
        found = turned.setdefault(vote.task, set())
        for thing, answer in vote.things():
            word = _word(answer)
            if word is not None and first.setdefault((thing, vote.judge), word) != word:
                found.add((thing.item, thing.norm))
    # where no vote is on a task of the headline, it is made of other tasks, and votes on these count
    tasks = [task for task in turned if task in result.headline_tasks] or list(turned)
    named = set().union(*(turned[task] for task in tasks))
    metadata = [
        about
        for about in result.verdict_table.item_metadata
        if named & {(about.item, ""), (about.item, about.part), (about.item, about.unit)}
    ]
    return UnstableVotes(frozenset(about.item for about in metadata), frozenset(about.unit for about in metadata))


def _word(answer: JudgeAnswer) -> str | bool | None:
    if answer.label is not None:
        return answer.label
    return None if answer.points is None else answer.points >= HALF


ANCHOR = "browse"
"""The part of a page that has every item."""
BETTER, DECLINED, UNSTABLE = "better in B", "worse in B", "unstable"
CHANGED = "changed"
"""Items that went another way in the second of two runs: how, and in any way."""


def slug_of(name: str) -> str:
    """The anchor of what has this name, such as a benchmark.

    >>> slug_of("ladder/know")
    'ladder-know'
    """
    return re.sub(r"[^a-z0-9]+", "-", name.casefold()).strip("-")


def units_link(result: Result, kind: str = "", value: str = "", change: str = "") -> str:
    """The address within a page of the items behind one figure: a result's, of one group, that changed in one way."""
    asked = {"benchmark": result.benchmark, "model": result.label}
    group = {} if not kind else {"place": value} if kind == "place" else {"group": f"{kind}:{value}"}
    return f"#{ANCHOR}?{urlencode(asked | group | ({'change': change} if change else {}))}"
