"""Models against each other, told: their ranks on each benchmark or the difference of two, and who is ahead.

Rankings ─▶ rows of ranks, of pairs and of what was not compared ─▶ tables and sentences of them.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from mores.analysis.comparison import Compared
from mores.analysis.contrast import Contrast, known
from mores.analysis.differences import (
    DescribedComparison,
    DifferenceTables,
    describe_comparison,
    difference_blocks,
    difference_table,
    family_blocks,
    headline_table,
    other_metric_blocks,
    outcome_table,
)
from mores.analysis.rankings import BenchmarkRanking, ModelRank, Rankings, describe_incompatible, rankings
from mores.analysis.results import Results
from mores.analysis.sequential import are_of_a_claim
from mores.core.card import Metric
from mores.core.estimate import NO_UNIT_DIFFERS, Estimate, Missing, cautioned
from mores.tables import Analysis, AnalysisResult, Column, FilledTable, Row, Show, Table, View, blocks_of
from mores.tables import formatting as words
from mores.tables.blocks import Axis, Block, CellValue, Chart, Finding, Inline, Paragraph, Span, Words
from mores.tables.columns import BENCHMARK, METRIC, SIMULATED, SUBJECT
from mores.tables.missing_texts import format_caution, format_missing

# The tables, as programs know them.

MODELS = Table.of(
    "models",
    "Ranks of models",
    SUBJECT,
    METRIC,
    Column("rank", "count", "by the mean over units that are graded for all"),
    Column("rank_low", "count", "95% interval, all ranks of a benchmark at once", title="Best rank"),
    Column("rank_high", "count", "the other end of it", title="Worst rank"),
    Column("mean", "score", "over the units that are graded for all"),
    Column("first_share", "share", "share of them in which it is first", title="First in resamples"),
    Column(
        "behind",
        "contrast",
        "the model less the first; missing for the first itself",
        title="Minus the first, points",
        main=True,
    ),
    Column("told_from_first", "flag", title="Distinguishable from the first"),
    Column("claim", "text", "what may be said of it"),
    Column("model_caution", "text", "what has to be known of its answers", title="Answers"),
)
RANKED = Table.of(
    "model_rankings",
    "Rankings of models",
    BENCHMARK,
    SIMULATED,
    METRIC,
    Column("models", "count", title="Models"),
    Column("units", "count", "units that are graded for all"),
    Column("clusters", "count", "independent clusters of them"),
    Column("left_out", "count", "units that are graded for some models only"),
    Column("tests", "count", "pairs of models that p-values are corrected for"),
    Column("test", "text", title="Test"),
    Column("verdict", "text", "who is first, and who is not told from it"),
    Column("why", "reason", "reason for no ranking"),
    Column("notes", "names", "what keeps the figures from being plain"),
)
NOT_COMPARED = Table.of(
    "models_not_compared",
    "Models that were not compared",
    BENCHMARK,
    Column("why", "text", "why they stand in no order"),
)
PAIRS = DifferenceTables(
    headline_table("model_pairs", "Two models on one benchmark"),
    difference_table("model_differences", "Differences of two models"),
    outcome_table("model_outcomes", "Right and wrong of two models"),
)


def _metric(ranked: BenchmarkRanking) -> Metric:
    return ranked.standings[0].evaluation.listed()


def _of_models(ranked: BenchmarkRanking) -> Iterator[Row]:
    for each in ranked.standings:
        against = each.against
        yield (
            each.evaluation, _metric(ranked), each.rank, each.low, each.high, known(each.mean), each.first, against,
            None if against is None else each.is_behind, _claim(each),
            None if each.caution is None else format_caution(each.caution),
        )  # fmt: skip


def _of_ranked(ranked: BenchmarkRanking) -> Row:
    return (
        ranked.benchmark, ranked.simulated, _metric(ranked), len(ranked.standings), ranked.units, ranked.clusters,
        ranked.left_out, ranked.family, ranked.test or None, describe_verdict(ranked), ranked.missing,
        tuple(map(format_caution, ranked.notes)),
    )  # fmt: skip


BEHIND = "worse than the first"


def _claim(each: ModelRank) -> str:
    if each.against is None:
        return "first" if (each.low, each.high) == (1, 1) else "highest mean"
    if each.is_behind:
        return BEHIND
    return "not tested" if each.against.p_adjusted is None else "not distinguishable from the first"


# The same for people.

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
LOOKED_AT = (
    "This run ended once a claim on these models was decided. The p and intervals here take the number of questions as "
    "fixed and are too sure by a little; those under “Asked until decided” are not."
)
PROMISES = (
    "Holm’s correction is for claims: with probability .95, all claims of a family are true. The difference over "
    "everything is tested first; groups are tested once it is found, and share its part of the level. Those of which "
    "too few units differ to show anything cost the others nothing (Tarone). Benjamini and Hochberg’s "
    "correction is for screening: on average at most one in twenty of the differences that it keeps is false, so such "
    "a difference is worth a look and is not a finding. MDE, the minimum detectable effect: the least difference found "
    "with power .8 at level .05, before correction."
)


def analyse(results: Results) -> AnalysisResult | None:
    """All models of some runs against each other; None where no two did the same benchmark."""
    found = rankings(results)
    if found is None:
        return None
    models = MODELS.filled(row for ranked in found.ranked for row in _of_models(ranked))
    pairs = [describe_comparison(PAIRS, pair, pair.a.label, pair.b.label) for pair in found.pairs]
    not_compared = NOT_COMPARED.filled((each.benchmark, describe_incompatible(each)) for each in found.not_compared)
    ranked = RANKED.filled(map(_of_ranked, found.ranked))
    return AnalysisResult(
        tables=(models, ranked, *_joined(pairs), not_compared),
        blocks=(
            Paragraph(PAIRED, "explanation"),
            *((Paragraph(RANKS, "explanation"),) if found.ranked else ()),
            *(block for each in found.ranked for block in _ranked_blocks(models, each)),
            *(block for pair in pairs for block in _pair_blocks(pair)),
            Paragraph(PROMISES, "explanation"),
            *(Paragraph(f"Not compared: {describe_incompatible(each)}") for each in found.not_compared),
        ),
        findings=tuple(who_is_ahead(found)),
    )


def _joined(pairs: Sequence[DescribedComparison]) -> Iterator[FilledTable]:
    for number, table in enumerate(PAIRS):
        yield table.filled(row for pair in pairs for row in pair.tables[number].rows)


def _ranked_blocks(models: FilledTable, ranked: BenchmarkRanking) -> Iterator[Block]:
    yield _heading(ranked.benchmark, ranked.metric, simulated=ranked.simulated)
    yield Paragraph(_verdict(ranked), "finding")
    yield from blocks_of(models, _view(models, ranked))
    left = f"; {ranked.left_out:,} graded for some models only are left out" if ranked.left_out else ""
    clusters = "" if ranked.clusters == ranked.units else f" in {ranked.clusters:,} clusters"
    test = f", {ranked.test}" if ranked.test else ""
    notes = "".join(f" {format_caution(note)}." for note in ranked.notes)
    text = (
        f"{ranked.units:,} {ranked.unit}{clusters}{left}. A family of {ranked.family} pairs{test}. Minimum detectable "
        f"effect, compared with the first: {_least(ranked)} (power .8, level .05, one pair alone).{notes}"
    )
    yield Paragraph(text)


def _heading(benchmark: str, metric: str, *, simulated: bool) -> Paragraph:
    return Paragraph((f"{benchmark} ", Span(metric, "code"), *words.made_up(simulated=simulated)), "heading")


def _view(models: FilledTable, ranked: BenchmarkRanking) -> View:
    """A row a model, the first of them first."""
    standings = {id(each.evaluation): each for each in ranked.standings}
    rows = tuple(row for row in models.rows if id(row[0]) in standings)

    def of(row: Row) -> ModelRank:
        return standings[id(row[0])]

    return View(
        title=f"Ranks on {ranked.benchmark}",
        rows=rows,
        shown=(
            Show("evaluation", write=lambda row: _who(of(row))),
            Show("rank", sort="ascending", write=lambda row: _ranks(of(row))),
            Show("rank_low", Chart.scale("first", "last"), write=lambda row: _picture(of(row), len(rows))),
            Show("mean", ranked.metric, sort="descending"),
            "first_share",
            "behind",
            "p",
            Show("p_holm", f"p (Holm, {ranked.family} pairs)", sort="ascending"),
            Show("claim", write=lambda row: Span(_claim(of(row)), "strong" if of(row).is_behind else "plain")),
        ),
    )


def _who(each: ModelRank) -> tuple[Inline, ...]:
    return *words.subject_of(each), *words.marks_of(each)


def _ranks(each: ModelRank) -> Span:
    return Span(words.format_range(each.low, each.high), "strong")


def _picture(each: ModelRank, models: int) -> Chart:
    rank = Estimate(metric="rank", value=each.rank, low=each.low, high=each.high, asked=models, graded=models)
    return Chart.interval(cautioned(rank, each.caution), Axis(low=1, high=models, share=False))


def describe_verdict(ranked: BenchmarkRanking) -> str:
    """The first model, and those not distinguishable from it, in a sentence."""
    return words.text_of(_verdict(ranked))


def _verdict(ranked: BenchmarkRanking) -> Words:
    leader = Span(ranked.standings[0].label, "model")
    level = words.joined(Span(each.label, "model") for each in ranked.level_with)
    if ranked.missing is not None:
        return f"No ranking is possible: {format_missing(ranked.missing)}."
    if not level:
        return leader, " is first, and differs from every other model."
    return "No single best model: ", leader, " has the highest mean and is not distinguishable from ", *level, "."


def _least(ranked: BenchmarkRanking) -> str:
    """The least differences from the first that could have been seen, in points; a dash for none."""
    against = [each.against for each in ranked.standings if each.against is not None]
    return range_of_least(against, ranked.described) or words.DASH


def _pair_blocks(pair: DescribedComparison) -> Iterator[Block]:
    compared = pair.compared
    yield _heading(compared.benchmark, compared.metric, simulated=compared.simulated)
    if are_of_a_claim((compared.a, compared.b)):
        yield Paragraph(LOOKED_AT, "warning")
    yield from difference_blocks(pair)
    yield from family_blocks(pair)
    yield from other_metric_blocks(compared)


# The findings.

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
    pairs = [pair for pair in found.pairs if not are_of_a_claim((pair.a, pair.b))]  # whose p knows of no looks
    leads = [*map(_lead_of_ranked, found.ranked), *map(_lead_of_pair, pairs)]
    # groupby joins neighbours only
    leads.sort(key=lambda lead: (not lead.found, lead.leader if lead.found else ""))
    for (ahead, leader), same in groupby(leads, key=lambda lead: (lead.found, lead.leader if lead.found else "")):
        several = list(same)
        if len(several) == 1:
            yield _lone(several[0])
        elif ahead:
            yield _ahead(leader, several)
        else:
            yield _level(several)
    for each in found.not_compared:
        text = f"Not compared: {describe_incompatible(each)}"
        yield Finding(words=text, id="models.not_compared", weight="doubtful", found=False)


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
        return _finding("no_ranking", ("No ranking is possible on ", name, "."), ("Not tested: ", why, "."))
    if lead.found:
        whom = rival if lead.others == 1 else f"all {lead.others} other models"
        sure = ("By ", *_difference(lead), ", ", CellValue(lead.p, "full_p"), ".")
        return _finding("ahead", (who, " is ahead of ", whom, " on ", name, "."), sure)
    text: Words = (who, " and ", rival, " are not distinguishable on ", name, ".")
    if lead.others > 1:
        level = f"{words.plural(lead.level, 'other model')} {'is' if lead.level == 1 else 'are'}"
        text = (who, " has the highest mean on ", name, f", but {level} not distinguishable from it.")
    return _finding("level", text, _seen(lead))


def _ahead(leader: str, leads: Sequence[Lead]) -> Finding:
    sizes = [abs(c.difference) for lead in leads if (c := lead.contrast) is not None and c.difference is not None]
    p = max((lead.p for lead in leads if lead.p is not None), default=None)
    range_ = f"By {_range(sizes, leads[0].metric)} points, " if _one_metric(leads) and sizes else ""
    less = " or less" if p is not None and p >= words.SMALL else ""
    whom: Words = "all others" if leads[0].others > 1 else Span(leads[0].rival, "model")
    text = (Span(leader, "model"), " is ahead of ", *words.inline_parts(whom), " on ", _named(leads), ".")
    return _finding("ahead", text, (range_, CellValue(p, "full_p"), f"{less} on each."))


def _level(leads: Sequence[Lead]) -> Finding:
    seen = range_of_least([lead.contrast for lead in leads if lead.contrast is not None], leads[0].metric)
    sure = f"Minimum detectable effect: {seen}." if seen and _one_metric(leads) else ""
    return _finding("level", ("No single best model is found on ", _named(leads), "."), sure)


def _finding(what: str, text: Words, sure: Words) -> Finding:
    """A finding on who is ahead; nothing is found but that somebody is."""
    return Finding(words=text, sure=sure, id=f"models.{what}", weight="differs", found=what == "ahead")


def _named(leads: Sequence[Lead]) -> Span:
    """The benchmarks by name, or how many there are."""
    names = [lead.benchmark for lead in leads]
    return Span(words.benchmarks_named(names) if len(names) <= NAMED else f"{len(names)} benchmarks", "code")


def _seen(lead: Lead) -> Words:
    """Size of the difference, and units that it takes to find it, or the minimum detectable effect."""
    contrast = lead.contrast
    if contrast is None or contrast.difference is None or contrast.undetectable == NO_UNIT_DIFFERS:
        return "No unit differs between them."
    text: tuple[Inline, ...] = ("They differ by ", *_difference(lead))
    if contrast.units_needed is not None:
        needed = CellValue(contrast.units_needed, "count")
        return *text, "; finding this difference needs about ", needed, f" {lead.unit}."
    return *text, f"; the minimum detectable effect is {range_of_least([contrast], lead.metric)}."


def _difference(lead: Lead) -> tuple[Inline, ...]:
    """Lead in points, with its interval."""
    found = lead.contrast
    if found is None or found.difference is None:
        return (words.DASH,)
    parts: list[Inline] = [CellValue(abs(found.difference), "size", lead.metric), " points"]
    if found.low is not None and found.high is not None:
        # 0.0 - x, as a negative zero would be printed with its sign
        ends = (found.low, found.high) if found.difference >= 0 else (0.0 - found.high, 0.0 - found.low)
        parts.append(f" [{', '.join(words.format_number(end, lead.metric, sign=False) for end in ends)}]")
    return *parts, *(f" {mark}" for mark in words.bracketed_mark(found))


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


MODELS_ANALYSIS = Analysis(
    id="models",
    title="Models compared",
    tables=(MODELS, RANKED, *PAIRS, NOT_COMPARED),
    analyse=analyse,
)
