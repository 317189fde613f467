"""Who is ahead on which benchmarks, as findings: benchmarks with the same answer share a sentence."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from mores.analysis.comparison import Compared
from mores.analysis.contrast import Contrast
from mores.analysis.rankings import Ranked, Rankings
from mores.blocks import Finding, Span, Words
from mores.blocks import formatting as words
from mores.blocks.reasons import format_missing
from mores.core.card import Metric
from mores.core.estimate import Missing
from mores.reports.wording import describe_apart
from mores.stats.paired import units_to_see

NAMED = 5
"""Benchmarks that a finding names; of more it says how many."""


class Lead(NamedTuple):
    """The model with the highest mean on one benchmark, and how it stands to the next, whose `contrast` is theirs.

    `level` counts the models that cannot be told from it, of `others`. `missing` says why nothing can be told.
    """

    benchmark: str
    leader: str
    rival: str
    others: int
    level: int
    contrast: Contrast | None
    metric: Metric | None
    unit: str
    missing: Missing | None

    @property
    def found(self) -> bool:
        """True where it is ahead of every other."""
        return self.missing is None and not self.level


def lead_findings(found: Rankings) -> Iterator[Finding]:
    """Who is ahead, first where that is found."""
    leads = [*map(_of_ranked, found.ranked), *map(_of_pair, found.pairs)]
    leads.sort(key=lambda lead: (not lead.found, lead.leader if lead.found else ""))
    for (ahead, leader), same in groupby(leads, key=lambda lead: (lead.found, lead.leader if lead.found else "")):
        several = list(same)
        if len(several) == 1:
            yield _one(several[0])
        elif ahead:
            yield _ahead(leader, several)
        else:
            yield _open(several)
    yield from (
        Finding(words=f"Not compared: {describe_apart(each)}", weight="caveat", found=False) for each in found.apart
    )


def _of_ranked(ranked: Ranked) -> Lead:
    first, second = ranked.standings[:2]
    return Lead(
        benchmark=ranked.benchmark, leader=first.label, rival=second.label, others=len(ranked.standings) - 1,
        level=len(ranked.level_with), contrast=second.against, metric=ranked.described, unit=ranked.unit,
        missing=ranked.missing,
    )  # fmt: skip


def _of_pair(pair: Compared) -> Lead:
    whole = pair.whole
    first, second = (pair.b, pair.a) if pair.b_is_better else (pair.a, pair.b)
    return Lead(
        benchmark=pair.benchmark, leader=first.label, rival=second.label, others=1, level=0 if pair.found else 1,
        contrast=whole, metric=pair.described, unit=first.counted, missing=whole.missing if whole.p is None else None,
    )  # fmt: skip


def _one(lead: Lead) -> Finding:
    """One benchmark's sentence."""
    name, who = Span(lead.benchmark, "code"), Span(lead.leader, "model")
    if lead.missing is not None:
        told: Words = ("No ranking is possible on ", name, ".")
        return Finding(words=told, sure=f"Not tested: {format_missing(lead.missing)}.", weight="main", found=False)
    if lead.found:
        whom = Span(lead.rival, "model") if lead.others == 1 else f"all {lead.others} other models"
        told = (who, " is ahead of ", whom, " on ", name, ".")
        return Finding(words=told, sure=f"By {_difference(lead)}, {words.format_p(_bare_p(lead))}.", weight="main")
    if lead.others == 1:
        told = (who, " and ", Span(lead.rival, "model"), " are not distinguishable on ", name, ".")
    else:
        level = f"{words.plural(lead.level, 'other model')} {'is' if lead.level == 1 else 'are'}"
        told = (who, " has the highest mean on ", name, f", but {level} not distinguishable from it.")
    return Finding(words=told, sure=_seen(lead), weight="main", found=False)


def _ahead(leader: str, leads: Sequence[Lead]) -> Finding:
    sizes = [abs(c.difference) for lead in leads if (c := lead.contrast) is not None and c.difference is not None]
    p = max((p for lead in leads if (p := _bare_p(lead)) is not None), default=None)
    range_ = f"By {_range(sizes, leads[0].metric)}, " if _one_metric(leads) and sizes else ""
    p_words = words.format_p(p) + (" or less" if p is not None and p >= words.SMALL else "")
    whom: Words = "all others" if leads[0].others > 1 else Span(leads[0].rival, "model")
    names = _named(leads)
    told = (Span(leader, "model"), " is ahead of ", *words.as_words(whom), " on ", names, ".")
    return Finding(words=told, sure=f"{range_}{p_words} on each.", weight="main")


def _open(leads: Sequence[Lead]) -> Finding:
    names = _named(leads)
    seen = [m for lead in leads if (c := lead.contrast) is not None and (m := c.minimum_detectable) is not None]
    sure = f"Minimum detectable effect: {_range(seen, leads[0].metric)}." if seen else ""
    told = ("No single best model is found on ", names, ".")
    return Finding(words=told, sure=sure if _one_metric(leads) else "", weight="main", found=False)


def _named(leads: Sequence[Lead]) -> Span:
    """The benchmarks by name, or how many there are."""
    names = [lead.benchmark for lead in leads]
    return Span(words.benchmarks_named(names) if len(names) <= NAMED else f"{len(names)} benchmarks", "code")


def _seen(lead: Lead) -> str:
    """The least difference that could have been seen, and what it takes to see the one that was measured."""
    contrast = lead.contrast
    if contrast is None or contrast.difference is None or contrast.minimum_detectable is None:
        return "No unit differs between them."
    least = f"{words.format_size(contrast.minimum_detectable, lead.metric)} points"
    seen = f"They differ by {_difference(lead)}; the minimum detectable effect is {least}."
    if not contrast.difference or abs(contrast.difference) >= contrast.minimum_detectable:
        return seen
    needed = units_to_see(contrast.units, contrast.minimum_detectable, abs(contrast.difference))
    return f"They differ by {_difference(lead)}; finding this difference needs about {needed:,} {lead.unit}."


def _difference(lead: Lead) -> str:
    """How far the leader is ahead in points, with the interval."""
    found = lead.contrast
    if found is None or found.difference is None:
        return words.DASH
    size = f"{words.format_size(abs(found.difference), lead.metric)} points"
    if found.low is None or found.high is None:
        return size
    ends = (found.low, found.high) if found.difference >= 0 else (0.0 - found.high, 0.0 - found.low)
    return f"{size} [{', '.join(words.format_number(end, lead.metric, sign=False) for end in ends)}]"


def _bare_p(lead: Lead) -> float | None:
    found = lead.contrast
    return None if found is None else found.p if found.p_adjusted is None else found.p_adjusted


def _range(sizes: Sequence[float], metric: Metric | None) -> str:
    ends = [words.format_size(size, metric) for size in (min(sizes), max(sizes))]
    return f"{ends[0] if ends[0] == ends[1] else ' to '.join(ends)} points"


def _one_metric(leads: Sequence[Lead]) -> bool:
    """Whether sizes on all of them are in the same points."""
    return all(words.is_share(lead.metric) for lead in leads)
