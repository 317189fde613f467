"""Models against each other, told: their ranks on each benchmark or the difference of two, and who is ahead.

Rankings ─▶ rows of ranks, of pairs and of what was not compared ─▶ tables and sentences of them.
"""

from collections.abc import Iterator, Sequence

from mores.analysis.contrast import known
from mores.analysis.differences import (
    DescribedComparison,
    DifferenceTables,
    beside_blocks,
    difference_blocks,
    difference_table,
    family_blocks,
    headline_table,
    outcome_table,
    told_of,
)
from mores.analysis.leads import range_of_least, who_is_ahead
from mores.analysis.rankings import BenchmarkRanking, ModelRank, describe_apart, rankings
from mores.analysis.results import Results
from mores.core.card import Metric
from mores.core.estimate import Estimate, cautioned
from mores.tables import Analysis, AnalysisResult, Column, FilledTable, Row, Show, Table, View, blocks_of
from mores.tables import formatting as words
from mores.tables.blocks import Axis, Block, Chart, Inline, Paragraph, Span, Words
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
    Column("told_from_first", "flag", title="Told from the first"),
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
    return ranked.described or Metric(name=ranked.metric, unit="unit", says="")


def _of_models(ranked: BenchmarkRanking) -> Iterator[Row]:
    for each in ranked.standings:
        against = each.against
        yield (
            each.evaluation, _metric(ranked), each.rank, each.low, each.high, known(each.mean), each.first, against,
            None if against is None else each.apart, _claim(each),
            None if each.caution is None else format_caution(each.caution),
        )  # fmt: skip


def _of_ranked(ranked: BenchmarkRanking) -> Row:
    return (
        ranked.benchmark, ranked.simulated, _metric(ranked), len(ranked.standings), ranked.units, ranked.clusters,
        ranked.left_out, ranked.family, ranked.test or None, describe_verdict(ranked), ranked.missing,
        tuple(map(format_caution, ranked.notes)),
    )  # fmt: skip


WORSE = "worse than the first"


def _claim(each: ModelRank) -> str:
    if each.against is None:
        return "first" if (each.low, each.high) == (1, 1) else "highest mean"
    if each.apart:
        return WORSE
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
PROMISES = (
    "Holm’s correction is for claims: with probability .95, all claims of a family are true. Benjamini and Hochberg’s "
    "correction is for screening: on average at most one in twenty of the differences that it keeps is false, so such "
    "a difference is worth a look and is not a finding. MDE, the minimum detectable effect: the least difference found "
    "with power .8 at level .05, before correction."
)
NAMED = 5
"""Benchmarks that a finding names; of more it says how many."""


def analyse(results: Results) -> AnalysisResult | None:
    """All models of some runs against each other; None where no two did the same benchmark."""
    found = rankings(results)
    if found is None:
        return None
    models = MODELS.filled(row for ranked in found.ranked for row in _of_models(ranked))
    pairs = [told_of(PAIRS, pair, pair.a.label, pair.b.label) for pair in found.pairs]
    apart = NOT_COMPARED.filled((each.benchmark, describe_apart(each)) for each in found.apart)
    ranked = RANKED.filled(map(_of_ranked, found.ranked))
    return AnalysisResult(
        tables=(models, ranked, *_joined(pairs), apart),
        blocks=(
            Paragraph(PAIRED, "explanation"),
            *((Paragraph(RANKS, "explanation"),) if found.ranked else ()),
            *(block for each in found.ranked for block in _ranked_blocks(models, each)),
            *(block for pair in pairs for block in _pair_blocks(pair)),
            Paragraph(PROMISES, "explanation"),
            *(Paragraph(f"Not compared: {describe_apart(each)}") for each in found.apart),
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
    told = (
        f"{ranked.units:,} {ranked.unit}{clusters}{left}. A family of {ranked.family} pairs{test}. Minimum detectable "
        f"effect, compared with the first: {_least(ranked)} (power .8, level .05, one pair alone).{notes}"
    )
    yield Paragraph(told)


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
            Show("first_share"),
            Show("behind"),
            Show("p"),
            Show("p_holm", f"p (Holm, {ranked.family} pairs)", sort="ascending"),
            Show("claim", write=lambda row: Span(_claim(of(row)), "strong" if of(row).apart else "plain")),
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
    yield from difference_blocks(pair)
    yield from family_blocks(pair)
    yield from beside_blocks(compared)


MODELS_ANALYSIS = Analysis(
    id="models",
    title="Models compared",
    tables=(MODELS, RANKED, *PAIRS, NOT_COMPARED),
    analyse=analyse,
)
