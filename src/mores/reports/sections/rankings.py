"""Models against each other as blocks: their ranks on each benchmark, or the difference of two."""

from collections.abc import Iterator

from mores.analysis.comparison import Compared
from mores.analysis.contrast import LEVEL, known, reach_of
from mores.analysis.rankings import ModelRank, Ranked, Rankings, rankings
from mores.analysis.results import Results
from mores.blocks import Axis, Block, Cell, Chart, Column, Section, Span, Table, Text, Words
from mores.blocks import formatting as words
from mores.blocks.reasons import format_caution, format_missing, plain_fields
from mores.core.estimate import Estimate
from mores.reports.sections.comparison import (
    CORRECTIONS,
    beside_blocks,
    compared_to_dict,
    contrast_to_dict,
    difference_blocks,
    family_details,
)
from mores.reports.sections.leads import lead_findings
from mores.reports.wording import describe_apart

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


def rankings_section(results: Results) -> Section | None:
    """All models of some runs against each other; None where no two did the same benchmark."""
    found = rankings(results)
    if found is None:
        return None
    blocks = [Text(words=PAIRED, role="explanation")]
    if found.ranked:
        blocks.append(Text(words=RANKS, role="explanation"))
    return Section(
        id="models",
        title="Models compared",
        blocks=(
            *blocks,
            *(block for ranked in found.ranked for block in _of_ranked(ranked)),
            *(block for pair in found.pairs for block in _of_pair(pair)),
            Text(words=PROMISES, role="explanation"),
            *(Text(words=f"Not compared: {describe_apart(each)}") for each in found.apart),
        ),
        data=to_dict(found),
        findings=tuple(lead_findings(found)),
    )


def _of_ranked(ranked: Ranked) -> Iterator[Block]:
    yield _heading(ranked.benchmark, ranked.metric, simulated=ranked.simulated)
    yield Text(words=describe_verdict(ranked), role="finding")
    yield _table(ranked)
    left = f"; {ranked.left_out:,} graded for some models only are left out" if ranked.left_out else ""
    clusters = "" if ranked.clusters == ranked.units else f" in {ranked.clusters:,} clusters"
    test = f", {ranked.test}" if ranked.test else ""
    notes = "".join(f" {format_caution(note)}." for note in ranked.notes)
    yield Text(
        words=(
            f"{ranked.units:,} {ranked.unit}{clusters}{left}. A family of {ranked.family} pairs{test}. Minimum "
            f"detectable effect, compared with the first: {_least(ranked)} points (power .8, level .05, one pair "
            f"alone).{notes}"
        )
    )


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
    picture = Chart.interval(rank, Axis(low=1, high=models, share=False))
    ranks, against = Span(words.format_ranks(each.low, each.high), "strong"), each.against
    return (
        words.subject(each.label, simulated=each.simulated), ranks, picture, each.mean, each.first, against,
        against and against.p, against and against.p_adjusted, _claim(each),
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
    seen = [least for least in against if least]
    if not seen:
        return words.DASH
    metric = ranked.described
    ends = [words.format_size(min(reach_of(metric), size), metric) for size in (min(seen), max(seen))]
    return ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"


def _of_pair(compared: Compared) -> Iterator[Block]:
    yield _heading(compared.benchmark, compared.metric, simulated=compared.simulated)
    yield from difference_blocks(compared, compared.a.label, compared.b.label)
    for members in compared.families.values():
        yield from family_details(compared, members)
    yield from beside_blocks(compared)


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
        **plain_fields(each, "rank", "low", "high", first_share="first"),
        "told_from_first": None if against is None else each.apart,
        "against_first": None if against is None else contrast_to_dict(against),
    }
