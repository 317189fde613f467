"""Two models on one benchmark as blocks: their difference, what could have been seen, and where it lies.

The same for `mores compare`, on a terminal and for programs; names of keys are a contract.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from mores.analysis.comparison import Compared, Comparison
from mores.analysis.contrast import Contrast, reach_of
from mores.analysis.gate import Gate
from mores.analysis.groups import PLACE
from mores.analysis.links import CHANGED, units_link
from mores.analysis.outcomes import STATES, Outcomes
from mores.analysis.thinking import ThinkingEffect, ThinkingPair
from mores.blocks import Block, Cell, Column, Details, Inline, Listing, Span, Table, Text, Value, Words
from mores.blocks import formatting as words
from mores.blocks.reasons import TOO_FEW, format_caution, plain_fields, to_plain
from mores.core.card import Metric
from mores.core.codec import encode
from mores.reports.sections.gate import gate_to_dict
from mores.stats.intervals import MIN_CLUSTERS

CORRECTIONS = {
    "p_holm": (
        "Holm's correction over the family, for claims. With those below .05, all claims of a family are true with "
        "probability .95."
    ),
    "p_bh": (
        "Benjamini and Hochberg's correction over the family, for screening. On average at most one in twenty below "
        ".05 is false."
    ),
}
"""What each corrected p promises."""
KEYS = {
    "a": "a", "b": "b", "difference": "difference", "low": "low", "high": "high", "p": "p", "p_worse": "p_worse",
    "p_holm": "p_adjusted", "p_bh": "p_bh", "test": "test", "method": "method", "why": "missing", "units": "units",
    "clusters": "clusters", "detectable": "minimum_detectable", "detectable_true": "minimum_detectable_true",
    "caution": "caution",
}  # fmt: skip
"""The keys of a contrast for programs, with what they are of."""


def compared_blocks(compared: Compared, a: str, b: str, also: Iterable[Block] = ()) -> Iterator[Block]:
    """All of two models on one benchmark, who are called `a` and `b`; `also` stands below their difference."""
    yield from difference_blocks(compared, a, b)
    yield from also
    for members in compared.families.values():
        yield Text(words=f"{describe_family(members)}.")
        kinds = words.kinds_name(members[0].group.kind)
        summary = (f"All {kinds} ", Span(f"{len(members)}, of which {members[0].family} tested", "soft"))
        yield Details(summary=summary, blocks=(family_table(compared, members),))
    yield from beside_blocks(compared)


def difference_blocks(compared: Compared, a: str, b: str) -> Iterator[Block]:
    """The difference over everything, with its p, n, what could have been seen, and what was left out."""
    whole, metric = compared.whole, compared.described
    means = [f" {words.format_number(mean, metric)}" for mean in (whole.a, whole.b)]
    marks = [words.marks_of(each.whole()) for each in (compared.a, compared.b)]
    first: tuple[Inline, ...] = ("A ", Span(a, "model"), means[0], *marks[0], ", ")
    yield Text(words=(*first, "B ", Span(b, "model"), means[1], *marks[1]))
    tested = f", {words.format_p(whole.p)}, {whole.test}" if whole.p is not None else ", not tested"
    told = f" points{tested}; {words.format_units(whole.units, whole.clusters)}. {describe_seen(compared)}"
    yield Text(words=("B − A: ", Value(value=whole, metric=metric), told), role="finding")
    left = describe_left_out(compared)
    if left:
        yield Text(words=left)
    yield from (Text(words=f"Note: {format_caution(note)}.") for note in compared.notes)


def beside_blocks(compared: Compared) -> Iterator[Block]:
    """Every other metric, each in a sentence."""
    if compared.beside:
        size = f"a family of {compared.beside[0].family} (p after Holm's correction)"
        yield Text(words=f"Other metrics, {size}; they never raise an alarm:")
        yield Listing(tuple(describe_beside(each, compared.a.metric(each.metric)) for each in compared.beside))


def family_table(compared: Compared, members: Sequence[Contrast]) -> Table:
    """Groups of one kind with both means, their difference and its corrected p."""
    metric, kind, family = compared.described, members[0].group.kind, members[0].family
    columns = (
        Column(title=words.kind_name(kind), sort="ascending"),
        Column(title="n", format="count", sort="descending"),
        Column(title="A", format="share", metric=metric),
        Column(title="B", format="share", metric=metric),
        Column(title="B − A, points", metric=metric, sort="ascending"),
        Column(title="p", format="p"),
        Column(title=f"p (Holm, {family})", format="p", sort="ascending"),
        Column(title=f"p (BH, {family})", format="p", sort="ascending"),
        Column(title="MDE, points", format="size", metric=metric),
        "Claim",
    )
    rows = (_of_group(each, compared) for each in members)
    return Table.of(f"{words.kinds_name(kind)} of {compared.benchmark}", columns, rows)


def _of_group(found: Contrast, compared: Compared) -> tuple[Cell, ...]:
    metric = compared.described
    seen = None if found.minimum_detectable is None else min(reach_of(metric), found.minimum_detectable)
    name = Span(words.group_name(*found.group), "link", target=units_link(compared.b, *found.group, change=CHANGED))
    return name, found.units, found.a, found.b, found, found.p, found.p_adjusted, found.p_bh, seen, _claim(found)


def _claim(found: Contrast) -> Words:
    if found.found:
        return Span("differs", "strong")
    return "worth a look" if found.screened else TOO_FEW if found.p is None else "not found"


def describe_seen(compared: Compared) -> str:
    """The least difference that could have been seen, in a sentence or two."""
    whole, metric = compared.whole, compared.described
    if whole.minimum_detectable is None:
        return "No unit differs, so the minimum detectable effect is unknown."
    if whole.minimum_detectable > reach_of(metric):
        return "So few units cannot show a difference (power .8, level .05)."
    least = words.format_size(whole.minimum_detectable, metric)
    told = f"Minimum detectable effect: {least} points (power .8, level .05)."
    if whole.minimum_detectable_true is None:
        return told
    true = f"{words.format_size(whole.minimum_detectable_true, metric)} points"
    if whole.minimum_detectable_true > reach_of(metric):
        true = "more than the scale allows"
    return f"{told} With the judge's errors (J {compared.judge_quality:g}, given): {true}."


def describe_left_out(compared: Compared) -> str:
    """What is not in it, in a sentence; empty for nothing."""
    counts = {
        "items only in A": compared.only_a,
        "items only in B": compared.only_b,
        "units not graded in both": compared.ungraded,
    }
    told = [f"{count:,} {what}" for what, count in counts.items() if count]
    return f"Left out: {', '.join(told)}." if told else ""


def describe_beside(whole: Contrast, metric: Metric | None) -> Words:
    """Another metric than the headline, in one sentence."""
    a, b = words.format_number(whole.a, metric), words.format_number(whole.b, metric)
    told = f", {words.format_p(whole.p_adjusted)}" if whole.p_adjusted is not None else ""
    lower = " (lower is better)" if metric is not None and metric.better == "lower" else ""
    return (
        f"{whole.metric}{lower}: A {a}, B {b}; B − A: ", Value(value=whole, metric=metric),
        f" points{told}; {words.format_units(whole.units, whole.clusters)}.",
    )  # fmt: skip


def describe_family(members: Sequence[Contrast]) -> str:
    """How many of a family differ by both corrections, and what each is for."""
    name, size = words.kinds_name(members[0].group.kind), members[0].family
    name, untested = f"{name[0].upper()}{name[1:]}", len(members) - size
    if size == 0:
        return f"{name}: all {untested} have fewer than {MIN_CLUSTERS} clusters, too few for a claim"
    few = f"; {untested} more have fewer than {MIN_CLUSTERS} clusters, too few for a claim" if untested else ""
    found, screened = sum(each.found for each in members), sum(each.screened for each in members)
    return (
        f"{name}, a family of {size}: {found} differ at .05 by Holm's correction, {screened} by Benjamini and "
        f"Hochberg's, which is for screening (on average at most one in twenty of those is false){few}"
    )


def comparison_as_json(comparison: Comparison, gate: Gate | None = None) -> list[str]:
    """One line of JSON for each pair of models; what is missing is null with its `why`."""
    return [encode(to_plain(_of_pair(comparison, gate, *pair))).decode() for pair in comparison.pairs]


def _of_pair(comparison: Comparison, gate: Gate | None, model_a: str, model_b: str) -> Mapping[str, object]:
    compared = [c for c in comparison.compared if (c.a.model, c.b.model) == (model_a, model_b)]
    return {
        "a": {"run": str(comparison.run_a), "model": model_a},
        "b": {"run": str(comparison.run_b), "model": model_b},
        "benchmarks": {c.benchmark: compared_to_dict(c) for c in compared},
        "alone": comparison.alone,
        "left_out": [each._asdict() for each in comparison.left_out],
        "worse": {w.compared.benchmark: w.p for w in comparison.worse if w.compared in compared},
        **({} if gate is None else {"gate": gate_to_dict(gate, compared)}),
        **({"thinking": [effect_to_dict(each) for each in comparison.thinking]} if comparison.thinking else {}),
    }


def compared_to_dict(compared: Compared) -> dict[str, object]:
    """All figures of one benchmark, for programs."""
    others = {kind: members for kind, members in compared.families.items() if kind != PLACE}
    return {
        **plain_fields(compared, "metric", "simulated"),
        **contrast_to_dict(compared.whole),
        "headlines": compared.whole.family,
        "outcomes": None if compared.outcomes is None else outcomes_to_dict(compared.outcomes),
        "judge_quality": compared.judge_quality,
        "corrections": CORRECTIONS,
        "family": compared.places[0].family if compared.places else 0,
        "places": _members_to_dicts(compared.places),
        "groups": {
            kind: {"family": members[0].family, "members": _members_to_dicts(members)}
            for kind, members in others.items()
        },
        **plain_fields(compared, "only_a", "only_b", "ungraded"),
        **_cautions(compared),
        "notes": [format_caution(note) for note in compared.notes],
        "beside": {each.metric: contrast_to_dict(each) for each in compared.beside},
        "beside_family": compared.beside[0].family if compared.beside else 0,
    }


def _cautions(compared: Compared) -> dict[str, object]:
    """What has to be known of the answers of either side; nothing where most of both could be used."""
    sides = {"a": compared.a.quality.caution({}), "b": compared.b.quality.caution({})}
    told = {side: format_caution(caution) for side, caution in sides.items() if caution is not None}
    return {"cautions": told} if told else {}


def _members_to_dicts(members: Sequence[Contrast]) -> list[dict[str, object]]:
    return [{each.group.kind: each.group.value, **contrast_to_dict(each)} for each in members]


def outcomes_to_dict(found: Outcomes) -> dict[str, dict[str, int]]:
    """How units went in B, and how many are unstable, by how they went in A."""
    return {
        f"a_{state}": {**{f"b_{name}": count for name, count in zip(STATES, counts, strict=True)}, "unstable": unstable}
        for state, counts, unstable in zip(STATES, found.counts, found.unstable, strict=True)
    }


def contrast_to_dict(found: Contrast) -> dict[str, object]:
    """All figures of one contrast."""
    return plain_fields(found, **KEYS)


def effect_to_dict(effect: ThinkingEffect) -> dict[str, object]:
    """All figures."""
    return {
        "benchmark": effect.benchmark,
        "metric": effect.pairs[0].a.headline,
        "simulated": effect.simulated,
        "pairs": [_pair_to_dict(pair) for pair in effect.pairs],
        "models": effect.models,
        "mean_over_models": effect.mean,
    }


def _pair_to_dict(pair: ThinkingPair) -> dict[str, object]:
    sides = ("less", "more")
    return {
        "model": pair.model,
        **dict(zip(sides, pair.said, strict=True)),
        "runs": {side: str(each.run) for side, each in zip(sides, (pair.a, pair.b), strict=True)},
        **contrast_to_dict(pair.whole),
        "family": pair.whole.family,
        "gap": {"less": pair.gaps.a, "more": pair.gaps.b, "p": pair.gaps.p, "places": pair.gaps.regions},
        "thinking_tokens": {
            side: {"estimate": tokens.mean, "estimated": tokens.estimated}
            for side, tokens in zip(sides, pair.tokens, strict=True)
        },
    }
