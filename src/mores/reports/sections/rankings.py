"""Models against each other as blocks: their ranks on each benchmark or the difference of two, and who is ahead."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from mores.analysis.comparison import Compared
from mores.analysis.contrast import LEVEL, Contrast, known, reach_of
from mores.analysis.rankings import ModelRank, Ranked, Rankings, rankings
from mores.analysis.results import Results
from mores.blocks import Axis, Block, Cell, Chart, Column, Finding, Section, Span, Table, Text, Words
from mores.blocks import formatting as words
from mores.blocks.reasons import format_caution, format_missing, plain_fields
from mores.core.card import Metric
from mores.core.estimate import Estimate, Missing, cautioned
from mores.reports.sections.comparison import CORRECTIONS, compared_blocks, compared_to_dict, contrast_to_dict
from mores.reports.wording import describe_apart
from mores.stats.paired import units_to_see

PAIRED = (
    "Models are compared on the same units: those graded for all models here. Units of one cluster stay together. "
    "Intervals resample clusters and tests permute signs, so the two may disagree near the limit."
)
RANKS = (
    "The brackets beside a rank hold every rank that the model may have: percentiles over resampled clusters, widened "
    "to all ranks that the paired tests of all pairs allow (p-values after Holm’s correction). All intervals of a "
    "table hold together with 95%, ties included. The correction counts all pairs, because the first model was "
    "selected for being first."
)
PROMISES = (
    "Holm’s correction is for claims: with probability .95, all claims of a family are true. Benjamini and Hochberg’s "
    "correction is for screening: on average at most one in twenty of the differences that it keeps is false, so such "
    "a difference is worth a look and is not a finding. MDE, the minimum detectable effect: the least difference found "
    "with power .8 at level .05, before correction."
)

NAMED = 5
"""Benchmarks that a finding names; of more it says how many."""


def rankings_section(results: Results) -> Section | None:
    """All models of some runs against each other; None where no two did the same benchmark."""
    found = rankings(results)
    if found is None:
        return None
    return Section(
        id="models",
        title="Models compared",
        blocks=(
            Text(words=PAIRED, role="explanation"),
            *((Text(words=RANKS, role="explanation"),) if found.ranked else ()),
            *(block for ranked in found.ranked for block in _of_ranked(ranked)),
            *(block for pair in found.pairs for block in _of_pair(pair)),
            Text(words=PROMISES, role="explanation"),
            *(Text(words=f"Not compared: {describe_apart(each)}") for each in found.apart),
        ),
        data=to_dict(found),
        findings=tuple(_findings(found)),
    )


def _of_ranked(ranked: Ranked) -> Iterator[Block]:
    yield _heading(ranked.benchmark, ranked.metric, simulated=ranked.simulated)
    yield Text(words=describe_verdict(ranked), role="finding")
    yield _table(ranked)
    left = f"; {ranked.left_out:,} graded for some models only are left out" if ranked.left_out else ""
    clusters = "" if ranked.clusters == ranked.units else f" in {ranked.clusters:,} clusters"
    test = f", {ranked.test}" if ranked.test else ""
    notes = "".join(f" {format_caution(note)}." for note in ranked.notes)
    told = (
        f"{ranked.units:,} {ranked.unit}{clusters}{left}. A family of {ranked.family} pairs{test}. Minimum detectable "
        f"effect, compared with the first: {_least(ranked)} points (power .8, level .05, one pair alone).{notes}"
    )
    yield Text(words=told)


def _heading(benchmark: str, metric: str, *, simulated: bool) -> Text:
    return Text(words=(f"{benchmark} ", Span(metric, "code"), *words.made_up(simulated=simulated)), role="heading")


def _table(ranked: Ranked) -> Table:
    models = len(ranked.standings)
    columns = (
        "Model",
        Column(title="Rank", sort="ascending"),
        Chart.scale("first", "last"),
        Column(title=ranked.metric, format="share", metric=ranked.described, sort="descending"),
        Column(title="First in resamples", format="share"),
        Column(title="Minus the first, points", metric=ranked.described),
        Column(title="p", format="p"),
        Column(title=f"p (Holm, {ranked.family} pairs)", format="p", sort="ascending"),
        "Claim",
    )
    return Table.of(f"Ranks on {ranked.benchmark}", columns, (_of_model(each, models) for each in ranked.standings))


def _of_model(each: ModelRank, models: int) -> tuple[Cell, ...]:
    rank = Estimate(metric="rank", value=each.rank, low=each.low, high=each.high, asked=models, graded=models)
    picture = Chart.interval(cautioned(rank, each.caution), Axis(low=1, high=models, share=False))
    ranks, against = Span(words.format_range(each.low, each.high), "strong"), each.against
    who = (*words.subject(each.label, simulated=each.simulated), *words.marks_of(each))
    return (
        who, ranks, picture, each.mean, each.first, against, against and against.p, against and against.p_adjusted,
        _claim(each),
    )  # fmt: skip


def _claim(each: ModelRank) -> Words:
    if each.against is None:
        return "first" if (each.low, each.high) == (1, 1) else "highest mean"
    if each.apart:
        return Span("worse than the first", "strong")
    return "not tested" if each.against.p_adjusted is None else "not distinguishable from the first"


def describe_verdict(ranked: Ranked) -> str:
    """Who is first, and who cannot be told from it, in a sentence."""
    leader, level = ranked.standings[0].label, [each.label for each in ranked.level_with]
    if ranked.missing is not None:
        return f"No ranking is possible: {format_missing(ranked.missing)}."
    if not level:
        return f"{leader} is first, and differs from every other model."
    return f"No single best model: {leader} has the highest mean and is not distinguishable from {', '.join(level)}."


def _least(ranked: Ranked) -> str:
    """The least differences from the first that could have been seen, in points; a dash for none."""
    against = [each.against.minimum_detectable for each in ranked.standings if each.against]
    seen = [min(reach_of(ranked.described), least) for least in against if least]
    return _range(seen, ranked.described) if seen else words.DASH


def _range(sizes: Sequence[float], metric: Metric | None) -> str:
    ends = dict.fromkeys(words.format_size(size, metric) for size in (min(sizes), max(sizes)))
    return " to ".join(ends)


def _of_pair(compared: Compared) -> Iterator[Block]:
    yield _heading(compared.benchmark, compared.metric, simulated=compared.simulated)
    yield from compared_blocks(compared, compared.a.label, compared.b.label)


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


def _findings(found: Rankings) -> Iterator[Finding]:
    """Who is ahead, first where that is found."""
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
    yield from (
        Finding(words=f"Not compared: {describe_apart(each)}", weight="caveat", found=False) for each in found.apart
    )


def _lead_of_ranked(ranked: Ranked) -> Lead:
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
    range_ = f"By {_range(sizes, leads[0].metric)} points, " if _one_metric(leads) and sizes else ""
    p_words = words.format_p(p) + (" or less" if p is not None and p >= words.SMALL else "")
    whom: Words = "all others" if leads[0].others > 1 else Span(leads[0].rival, "model")
    names = _named(leads)
    told = (Span(leader, "model"), " is ahead of ", *words.as_words(whom), " on ", names, ".")
    return Finding(words=told, sure=f"{range_}{p_words} on each.", weight="main")


def _level(leads: Sequence[Lead]) -> Finding:
    names = _named(leads)
    seen = [m for lead in leads if (c := lead.contrast) is not None and (m := c.minimum_detectable) is not None]
    sure = f"Minimum detectable effect: {_range(seen, leads[0].metric)} points." if seen else ""
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
    told = [f"{words.format_size(abs(found.difference), lead.metric)} points"]
    if found.low is not None and found.high is not None:
        ends = (found.low, found.high) if found.difference >= 0 else (0.0 - found.high, 0.0 - found.low)
        told.append(f"[{', '.join(words.format_number(end, lead.metric, sign=False) for end in ends)}]")
    return " ".join((*told, *words.bracketed_mark(found)))


def _bare_p(lead: Lead) -> float | None:
    found = lead.contrast
    return None if found is None else found.p if found.p_adjusted is None else found.p_adjusted


def _one_metric(leads: Sequence[Lead]) -> bool:
    """Whether sizes on all of them are in the same points."""
    return all(words.is_share(lead.metric) for lead in leads)


def to_dict(found: Rankings) -> dict[str, object]:
    """All figures."""
    return {
        "level": LEVEL,
        "corrections": CORRECTIONS,
        "rankings": [_dict_of_ranked(ranked) for ranked in found.ranked],
        "pairs": [
            {"benchmark": pair.benchmark, "a": pair.a.label, "b": pair.b.label, **compared_to_dict(pair)}
            for pair in found.pairs
        ],
        "not_compared": [describe_apart(each) for each in found.apart],
    }


def _dict_of_ranked(ranked: Ranked) -> dict[str, object]:
    names = ("benchmark", "metric", "simulated", "units", "clusters", "left_out", "family", "test")
    return {
        **plain_fields(ranked, *names),
        "notes": [format_caution(note) for note in ranked.notes],
        "why": ranked.missing,
        "verdict": describe_verdict(ranked),
        "models": [_dict_of_model(each) for each in ranked.standings],
    }


def _dict_of_model(each: ModelRank) -> dict[str, object]:
    against = each.against
    return {
        "model": each.label,
        "mean": known(each.mean),
        **plain_fields(each, "rank", "low", "high", "caution", first_share="first"),
        "told_from_first": None if against is None else each.apart,
        "against_first": None if against is None else contrast_to_dict(against),
    }
