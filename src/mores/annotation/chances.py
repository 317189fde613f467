"""By what chance each thing of a task was drawn into a sample, or might have been."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mores.annotation.judged_items import JudgedItem
from mores.annotation.sample import Sample, SampleRow, grouped, unit_of, word_of
from mores.core.arrays import Floats


class InclusionProbabilities(NamedTuple):
    """Of each thing: by what chance it was drawn, among how many of its episode, and how likely that was.

    `drawn` is NaN for what was not drawn, and None where no chances are known; `likely` is known up to a factor, also
    of things that were not drawn.
    """

    drawn: Floats | None
    among: Floats
    likely: Floats

    @classmethod
    def of(
        cls, rows: Sequence[JudgedItem], drawn: Sequence[SampleRow | None], sample: Sample
    ) -> "InclusionProbabilities":
        """The chances of a task's things; those of an older mores are alike where it drew each thing by itself."""
        known = sample.chances or sample.wanted.one_per == "none"
        given = np.array([np.nan if row is None else row.chance or 1.0 for row in drawn], dtype=np.float64)
        own = [row for row, each in enumerate(rows) if each.evaluation.name in sample.evaluations]
        among = _among(rows, own, sample)
        by_verdict = known and "verdict" in sample.wanted.stratify
        return cls(given if known else None, among, _likely(rows, own, given, sample) if by_verdict else 1 / among)


def _among(rows: Sequence[JudgedItem], own: Sequence[int], sample: Sample) -> Floats:
    """How many things each was drawn among; things of evaluations that the sample is not of were drawn among none."""
    if sample.wanted.one_per == "none":
        return np.ones(len(rows))
    units = [unit_of(row, sample.wanted.one_per) for row in rows]
    counts = Counter(units[row] for row in own)
    return np.array([max(counts[unit], 1) for unit in units], dtype=np.float64)


def _likely(rows: Sequence[JudgedItem], own: Sequence[int], given: Floats, sample: Sample) -> Floats:
    """How likely each was to be drawn where verdicts are strata.

    Within an episode it follows from what judges say there; beyond it things of one verdict are as likely, as those
    that were drawn tell; of a verdict of which none was, as likely as those of the rarest.
    """
    within, rates = np.ones(len(rows)), np.full(len(rows), np.nan)
    for episode in grouped(own, lambda row: unit_of(rows[row], sample.wanted.one_per)).values():
        words = grouped(episode, lambda row: word_of(rows[row], sample.wanted)).values()
        for same in words:
            within[same] = 1 / (len(words) * len(same))
    for same in grouped(own, lambda row: word_of(rows[row], sample.wanted)).values():
        drawn = [row for row in same if np.isfinite(given[row])]
        rates[same] = np.mean(given[drawn] / within[drawn]) if drawn else np.nan
    return np.asarray(within * np.where(np.isnan(rates), np.nanmin(rates, initial=1.0), rates))
