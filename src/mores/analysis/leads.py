"""Leading models in sentences: those of one leader in one, and how sure it is or what could have been seen.

Rankings ─▶ the leader on each benchmark and how it stands to the next ─▶ findings.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from mores.analysis.comparison import Compared
from mores.analysis.contrast import Contrast
from mores.analysis.rankings import BenchmarkRanking, Rankings, describe_apart
from mores.core.card import Metric
from mores.core.estimate import NO_UNIT_DIFFERS, Missing
from mores.tables import formatting as words
from mores.tables.blocks import CellValue, Finding, Inline, Span, Words

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

    @property
    def p(self) -> float | None:
        """That of the two, corrected where they are two of several."""
        found = self.contrast
        return None if found is None else found.p if found.p_adjusted is None else found.p_adjusted


def who_is_ahead(found: Rankings) -> Iterator[Finding]:
    """Findings on the model that is ahead, those that are found first."""
    leads = [*map(_lead_of_ranked, found.ranked), *map(_lead_of_pair, found.pairs)]
    leads.sort(key=lambda lead: (not lead.found, lead.leader if lead.found else ""))
    for (ahead, leader), same in groupby(leads, key=lambda lead: (lead.found, lead.leader if lead.found else "")):
        several = list(same)
        if len(several) == 1:
            yield _lone(several[0])
        elif ahead:
            yield _ahead(leader, several)
        else:
            yield _level(several)
    for each in found.apart:
        told = f"Not compared: {describe_apart(each)}"
        yield Finding(words=told, id="models.not_compared", weight="doubtful", found=False)


def _lead_of_ranked(ranked: BenchmarkRanking) -> Lead:
    first, second = ranked.standings[:2]
    return Lead(
        benchmark=ranked.benchmark, leader=first.label, rival=second.label, others=len(ranked.standings) - 1,
        level=len(ranked.level_with), contrast=second.against, metric=ranked.described, unit=ranked.unit,
        missing=ranked.missing,
    )  # fmt: skip


def _lead_of_pair(pair: Compared) -> Lead:
    whole = pair.whole
    first, second = (pair.b, pair.a) if pair.b_is_better else (pair.a, pair.b)
    return Lead(
        benchmark=pair.benchmark, leader=first.label, rival=second.label, others=1, level=0 if pair.found else 1,
        contrast=whole, metric=pair.described, unit=first.counted, missing=whole.missing if whole.p is None else None,
    )  # fmt: skip


def _lone(lead: Lead) -> Finding:
    """One benchmark's sentence."""
    name, who, rival = Span(lead.benchmark, "code"), Span(lead.leader, "model"), Span(lead.rival, "model")
    if lead.missing is not None:
        why = CellValue(lead.missing, "why")
        return _said("no_ranking", ("No ranking is possible on ", name, "."), ("Not tested: ", why, "."))
    if lead.found:
        whom = rival if lead.others == 1 else f"all {lead.others} other models"
        sure = ("By ", *_difference(lead), ", ", CellValue(lead.p, "full_p"), ".")
        return _said("ahead", (who, " is ahead of ", whom, " on ", name, "."), sure)
    told: Words = (who, " and ", rival, " are not distinguishable on ", name, ".")
    if lead.others > 1:
        level = f"{words.plural(lead.level, 'other model')} {'is' if lead.level == 1 else 'are'}"
        told = (who, " has the highest mean on ", name, f", but {level} not distinguishable from it.")
    return _said("level", told, _seen(lead))


def _ahead(leader: str, leads: Sequence[Lead]) -> Finding:
    sizes = [abs(c.difference) for lead in leads if (c := lead.contrast) is not None and c.difference is not None]
    p = max((lead.p for lead in leads if lead.p is not None), default=None)
    range_ = f"By {_range(sizes, leads[0].metric)} points, " if _one_metric(leads) and sizes else ""
    less = " or less" if p is not None and p >= words.SMALL else ""
    whom: Words = "all others" if leads[0].others > 1 else Span(leads[0].rival, "model")
    told = (Span(leader, "model"), " is ahead of ", *words.inline_parts(whom), " on ", _named(leads), ".")
    return _said("ahead", told, (range_, CellValue(p, "full_p"), f"{less} on each."))


def _level(leads: Sequence[Lead]) -> Finding:
    seen = range_of_least([lead.contrast for lead in leads if lead.contrast is not None], leads[0].metric)
    sure = f"Minimum detectable effect: {seen}." if seen and _one_metric(leads) else ""
    return _said("level", ("No single best model is found on ", _named(leads), "."), sure)


def _said(what: str, told: Words, sure: Words) -> Finding:
    """A finding on who is ahead; nothing is found but that somebody is."""
    return Finding(words=told, sure=sure, id=f"models.{what}", weight="differs", found=what == "ahead")


def _named(leads: Sequence[Lead]) -> Span:
    """The benchmarks by name, or how many there are."""
    names = [lead.benchmark for lead in leads]
    return Span(words.benchmarks_named(names) if len(names) <= NAMED else f"{len(names)} benchmarks", "code")


def _seen(lead: Lead) -> Words:
    """Size of the difference, and units that it takes to find it, or the minimum detectable effect."""
    contrast = lead.contrast
    if contrast is None or contrast.difference is None or contrast.undetectable == NO_UNIT_DIFFERS:
        return "No unit differs between them."
    told: tuple[Inline, ...] = ("They differ by ", *_difference(lead))
    if contrast.units_needed is not None:
        needed = CellValue(contrast.units_needed, "count")
        return *told, "; finding this difference needs about ", needed, f" {lead.unit}."
    return *told, f"; the minimum detectable effect is {range_of_least([contrast], lead.metric)}."


def _difference(lead: Lead) -> tuple[Inline, ...]:
    """Lead in points, with its interval."""
    found = lead.contrast
    if found is None or found.difference is None:
        return (words.DASH,)
    told: list[Inline] = [CellValue(abs(found.difference), "size", lead.metric), " points"]
    if found.low is not None and found.high is not None:
        ends = (found.low, found.high) if found.difference >= 0 else (0.0 - found.high, 0.0 - found.low)
        told.append(f" [{', '.join(words.format_number(end, lead.metric, sign=False) for end in ends)}]")
    return *told, *(f" {mark}" for mark in words.bracketed_mark(found))


def range_of_least(against: Sequence[Contrast], metric: Metric | None) -> str:
    """From the least minimum detectable effect to the greatest, in points; empty where none is known."""
    seen = [each.minimum_detectable for each in against if each.minimum_detectable is not None]
    blind = sum(map(words.is_out_of_reach, against))
    never = f"{words.NOT_REACHABLE} in {blind:,} of {len(against):,}" if seen else words.NOT_REACHABLE
    return "; ".join([*([f"{_range(seen, metric)} points"] if seen else []), *([never] if blind else [])])


def _range(sizes: Sequence[float], metric: Metric | None) -> str:
    ends = dict.fromkeys(words.format_size(size, metric) for size in (min(sizes), max(sizes)))
    return " to ".join(ends)


def _one_metric(leads: Sequence[Lead]) -> bool:
    """True where sizes on all of them are in the same points."""
    return all(words.is_share(lead.metric) for lead in leads)
