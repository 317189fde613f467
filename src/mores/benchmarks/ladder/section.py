"""The ladder as blocks: where each model breaks, in figures, claims and examples; and people beside models on it."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from types import MappingProxyType

from mores.analysis.controls import kept_as_well
from mores.analysis.results import Results
from mores.benchmarks.ladder.drops import LEVEL, ONE_LABEL, SIZE, Drop
from mores.benchmarks.ladder.examples import Example, Happened, Tried, describe_standing, examples, happened
from mores.benchmarks.ladder.ladders import Ladder, Standing, ladders
from mores.benchmarks.ladder.pooling import SAYS
from mores.benchmarks.ladder.rungs import FAMILY, ORDER, Stood
from mores.benchmarks.ladder.words import (
    describe_break,
    describe_groups,
    describe_judges,
    describe_meaning,
    findings_of,
    interval,
    left_out,
    named,
    within,
)
from mores.benchmarks.shapes.people import HUMAN
from mores.benchmarks.shapes.people_blocks import people_blocks, people_figures
from mores.blocks import (
    Block,
    Cell,
    Chart,
    Column,
    Details,
    Filter,
    Listing,
    Point,
    Row,
    Section,
    Series,
    Span,
    Stack,
    Table,
    Text,
    Value,
    Words,
)
from mores.blocks import formatting as words
from mores.blocks.reasons import brief_reason, format_missing, plain_fields
from mores.core.estimate import Estimate, Scale
from mores.core.fields import field_names
from mores.stats.intervals import MIN_CLUSTERS
from mores.stats.judge_errors import FLAWLESS, JudgeErrors

SCALE = (
    "All rungs have the same norms and the same scale, the share of norms kept: 0% is guessing or one answer for all "
    "(the dashed line), 100% is every norm kept. At know, true and false statements of a norm have equal weight; at "
    "judge, the three labels have. An answer that could not be read or was declined counts there as omitted, which is "
    "0%, and a wrong one counts against. At explain, apply, converse and live a norm is kept or not, by the judge’s "
    "most likely label; the goal of a dialogue does not count. The headline of each rung stands beside it, corrected "
    "for guessing: (s − g)/(1 − g)."
)
DROPS = (
    "Drop: as judged, or as labels correct it. Its brackets and p are for the worst judge of the range, on "
    "each rung separately. Next to the rung judge, norms are weighted so that its three labels have equal weight; a "
    "mean may therefore differ from that in the table below. MDE, the minimum detectable effect: the least drop found "
    "with power .8 at level .05, before correction, for judges without errors. Intervals resample clusters and tests "
    "permute signs, so the two may disagree near the limit."
)
EXAMPLES = (
    "Answers about single norms. These are examples and never findings: one item is no evidence about one norm, and a "
    "right or wrong answer may be chance. Norms are what many people of a place say. The filled part of a dot is the "
    "share that was right."
)

RIGHT: Mapping[str, str | None] = {"ladder/know": None, "ladder/judge": None, "ladder/explain": "label_accuracy"}
"""The metric of a model that stands beside people's; None for the headline."""


def ladder_section(results: Results) -> Section | None:
    """The ladders of some runs; None where no model stood on two rungs."""
    found = ladders(results)
    return section(found, kept_as_well(results)) if found else None


def people_section(results: Results) -> Section | None:
    """Models beside people on each rung on which people were asked; None where there is none."""
    beside = [each for each in results.evaluations if each.benchmark in RIGHT and each.whole(HUMAN) is not None]
    if not beside:
        return None
    names = [name for name in RIGHT if any(each.benchmark == name for each in beside)]
    return Section(
        id="ladder-people",
        title="People on the ladder",
        order=-9,
        blocks=tuple(block for name in names for block in people_blocks(results.on(name), RIGHT[name])),
        data=[people_figures(each) for each in beside],
        findings=(),
    )


def section(found: Sequence[Ladder], as_well: Mapping[Path, frozenset[str]] = MappingProxyType({})) -> Section:
    """The section of what was found; `as_well` are norms kept as well without their place."""
    tried, standing = [(ladder, happened(ladder.rungs, as_well)) for ladder in found], describe_standing(found)
    run = {rung.name for ladder in found for rung in ladder.rungs}
    names = [name for name in ORDER if name in run]
    simulated = any(ladder.simulated for ladder in found)
    made_up = " Answers marked simulated do not come from a real model." if simulated else ""
    return Section(
        id="ladder",
        title=f"The ladder: {' → '.join(names)}",
        order=-10,
        blocks=(
            Text(words=f"{SCALE}{made_up}", on="page"),
            Text(words=standing, on="page"),
            Text(words=_rule(len(found)), on="page"),
            *(block for number, ladder in enumerate(found, start=1) for block in _of_ladder(ladder, number)),
            Text(words="Norm by norm: examples", role="heading", on="page"),
            Text(words=EXAMPLES, on="page"),
            *(
                _of_place(place, list(of), names, several=len(found) > 1)
                for place, of in groupby(examples(tried), key=lambda example: example.place)
            ),
            Text(words=standing, on="terminal"),
        ),
        data=to_dict(tried, standing),
        findings=tuple(findings_of(found)),
        scale=scale_of(found),
    )


def scale_of(found: Sequence[Ladder]) -> Scale:
    """Norms kept, on which the rungs of all models can be read side by side."""
    titles = {rung.evaluation.benchmark: rung.name for ladder in found for rung in ladder.rungs}
    figures = {
        rung.evaluation.folder: score
        for ladder in found
        for rung, score in zip(ladder.rungs, ladder.whole.scores, strict=True)
        if score is not None
    }
    ordered = {FAMILY + name: name for name in ORDER if FAMILY + name in titles}
    breaks = {(ladder.label, ladder.whole.broken.after) for ladder in found if ladder.whole.broken is not None}
    falls = (rung.evaluation.folder for ladder in found for rung in ladder.rungs if (ladder.label, rung.name) in breaks)
    return Scale(name="norms kept", says=SCALE, titles=ordered, figures=figures, falls=frozenset(falls))


def _rule(models: int) -> Words:
    """What a break is, and what a claim takes."""
    told = (
        f" at the first rung that lies more than {100 * SIZE:.0f} points below the one before it, where neither chance "
        "nor errors of the judge explain this, and where the rung before is better than guessing. Norms are paired, "
        "norms of one cluster stay together, and p-values are corrected (Holm) over all drops of all groups of one "
        "model. Each model is a family of its own"
    )
    many = (
        f", so a finding does not depend on the other models; of {models} models without a drop, on average at most "
        f"{LEVEL * models:.2g} would show a break by chance"
    )
    takes = f". A claim needs {MIN_CLUSTERS} norms in {MIN_CLUSTERS} clusters; smaller groups have no intervals."
    return "The ladder ", Span("breaks", "strong"), f"{told}{many if models > 1 else ''}{takes}"


def _of_ladder(ladder: Ladder, number: int) -> Iterator[Block]:
    who, whole, family = words.subject(ladder.label, simulated=ladder.simulated), ladder.whole, ladder.family
    yield Text(words=who, role="heading", on="page")
    scores = words.joined((rung.name, " ", Value(value=e)) for rung, e in zip(ladder.rungs, whole.scores, strict=True))
    yield Text(words=(*who, ", norms kept; 0% is guessing and 100% all of them: ", *scores, "."), on="terminal")
    yield Text(words=f"All norms: {describe_break(whole.drops, family)}", role="finding")
    yield from (Text(words=told) for told in (describe_judges(ladder), " ".join(describe_meaning(ladder))) if told)
    columns = _drop_columns(family)
    rows = ((named(drop), *_of_drop(drop)) for drop in whole.drops)
    yield Table.of(f"Drops of {ladder.label} over all norms", ("All norms", *columns), rows, on="page")
    yield Text(words=DROPS, role="explanation")
    yield Text(words=describe_groups(ladder))
    broken = (*ladder.broken, *ladder.suspect)
    if broken:
        yield Listing(tuple(f"{_name(row)}: {describe_break(row.drops, family)}" for row in broken))
    yield _groups(ladder, f"ladder-{number}")
    if any(pooled is not None for row in ladder.groups for pooled in row.pooled):
        yield Text(words=SAYS, role="explanation")
    every = ((_name(row), named(drop), *_of_drop(drop)) for row in ladder.groups for drop in row.drops)
    columns = (Column(title="Group", sort="ascending"), "Rungs", *columns)
    yield Details(
        summary=("Every drop of every group of ", who[0], " ", Span(f"{family} of them tested", "soft")),
        blocks=(Table.of(f"Drops of all groups of {ladder.label}", columns, every),),
    )


def _drop_columns(family: int) -> tuple[Column | str, ...]:
    return (
        Column(title="Mean scores", format="points"),
        Column(title="Drop, points", format="points", sort="descending"),
        Column(title="By the judges’ range", format="points"),
        Column(title="p", format="p"),
        Column(title=f"p (Holm, {family})", format="p", sort="ascending"),
        Column(title="n (clusters)", format="count"),
        Column(title="MDE, points", format="points"),
        "Claim",
    )


def _of_drop(drop: Drop) -> tuple[Cell, ...]:
    found = drop.contrast
    ends = words.DASH if found.ends is None else " → ".join(words.format_number(end) for end in found.ends)
    size: Words = (
        Value(value=found.size, format="points"),
        " ",
        Span(interval(drop), "interval"),
        *words.marks_of(drop),
    )
    p, count = Span(words.format_bare_p(found.p), title=found.test), f"{found.units:,} ({found.clusters:,})"
    lacking = left_out(drop)
    claim = Stack((_claim(drop), Span(f"left out: {lacking}", "soft"))) if lacking else _claim(drop)
    seen = words.NOT_REACHABLE if words.is_out_of_reach(found) else found.minimum_detectable
    return ends, size, within(drop), p, drop.p_holm, count, seen, claim


def _claim(drop: Drop) -> Words:
    if drop.breaks:
        return Span("found, large", "alarm")
    if drop.sinks:
        return f"no break: {drop.before} is no better than guessing"
    if drop.may_be_judge:
        return f"may be judge error{f': would hold from {drop.holds_from:.2f}' if drop.holds_from else ''}"
    if drop.found:
        return "found, not large"
    if drop.tested:
        return "not found"
    missing = drop.contrast.missing
    brief = "no scene has one of the labels" if missing and missing.code == ONE_LABEL else brief_reason(missing)
    return Span(f"no claim: {brief}", title=format_missing(missing))


def _groups(ladder: Ladder, slug: str) -> Table:
    """All norms and each group: its line over the rungs, where it breaks, and its score with the headline."""
    kinds = dict.fromkeys(row.group.kind for row in ladder.groups)
    rungs = (f"{rung.name} (g {words.format_number(rung.chance)})" for rung in ladder.rungs)
    return Table(
        caption=f"The ladder of {ladder.label}",
        columns=(
            Column(title="Group", sort="ascending"),
            Column(title="Kind", sort="ascending", minor=True),
            Column(title=""),
            Column(title="Breaks at"),
            *(Column(title=rung, format="share", sort="descending") for rung in rungs),
        ),
        rows=tuple(_of_group(ladder, row) for row in ladder.rows),
        id=slug,
        filters=(Filter(name="kind", label="Groups", choices=tuple((k, words.kinds_name(k)) for k in kinds)),),
        on="page",
    )


def _of_group(ladder: Ladder, row: Standing) -> Row:
    kind = words.kind_name(row.group.kind)
    at = Span("not found" if row.claims else "no claim", "soft")
    pooled = row.pooled or (None,) * len(row.scores)
    scores = (_beside(*each) for each in zip(row.scores, row.figures, pooled, strict=True))
    return Row(
        cells=(
            (_name(row), Span(kind, "narrow")), kind or "all", _stair(ladder, row),
            at if row.broken is None else Span(row.broken.after, "alarm"), *scores,
        ),
        kind=row.group.kind,
        whole=not row.group.kind,
    )  # fmt: skip


def _beside(score: Estimate | None, headline: Estimate | None, pooled: Estimate | None) -> Cell:
    """A score with the rung's headline below, and what a place stands at where all places are read together."""
    below = [Span(f"headline {words.format_number(headline.value)}", "soft")] if headline is not None else []
    if pooled is not None:
        below.append(Span(f"pooled {words.format_number(pooled.value)} {words.format_interval(pooled)}", "soft"))
    return Stack((Value(value=score), *below)) if below else score


def _stair(ladder: Ladder, row: Standing) -> Chart:
    """A group's line over the rungs; the step of its first break is marked."""
    broken, rungs = row.broken and row.broken.after, zip(ladder.rungs, row.scores, strict=True)
    points = tuple(Point(y=score, label=rung.name, marked=rung.name == broken) for rung, score in rungs)
    return Chart(kind="stair", series=(Series(points=points),))


def _name(row: Standing) -> str:
    return words.group_name(*row.group) if row.group.kind else "All norms"


def _of_place(place: str, found: Sequence[Example], names: Sequence[str], *, several: bool) -> Details:
    """What happened with the norms of a place, a row a norm and model."""
    heads = ("Norm", *(("Model",) if several else ()), *names)
    rows = (
        (_norm(example), *((words.subject(ladder.label, simulated=ladder.simulated),) if several else ()),
         *(_happened(on.get(name)) for name in names))
        for example in found
        for ladder, on in example.tried
    )  # fmt: skip
    return Details(
        summary=(f"{place or 'No place'} ", Span(words.plural(len(found), "norm"), "soft")),
        blocks=(Table.of(f"Norms of {place or 'no place'}", heads, rows),),
    )


def _norm(example: Example) -> Stack:
    name = (Span(example.norm, "code"), " · ") if example.statement else ()
    return Stack((example.statement or example.norm, (*name, Span(example.domain, "soft"))))


def _happened(found: Happened | None) -> Cell:
    return f"{found.mark} {found.told}{'; courtesy' * found.courtesy}".strip() if found else words.DASH


def to_dict(tried: Sequence[Tried], standing: str) -> dict[str, object]:
    """All figures, drops and norms; what is missing is null."""
    return {
        "simulated": any(ladder.simulated for ladder, _ in tried),
        "standing": standing,
        "size": SIZE,
        "level": LEVEL,
        "fewest_norms": MIN_CLUSTERS,
        "ladders": [_dict_of_ladder(ladder, on) for ladder, on in tried],
    }


def _dict_of_ladder(ladder: Ladder, on: Mapping[str, Mapping[str, Happened]]) -> dict[str, object]:
    return {
        "label": ladder.label,
        "simulated": ladder.simulated,
        "rungs": [_dict_of_rung(stood) for stood in ladder.stood],
        "family": ladder.family,
        "needed_apart": ladder.needed,
        "meaning": tuple(describe_meaning(ladder)),
        "groups": [_dict_of_group(ladder, row) for row in ladder.rows],
        "norms": {
            norm: {name: {"share": h.share if h.graded else None, "told": h.told} for name, h in rungs.items()}
            for norm, rungs in on.items()
        },
    }


def _dict_of_rung(stood: Stood) -> dict[str, object]:
    rung, judge = stood.rung, stood.judge
    return {
        "name": rung.name,
        "benchmark": rung.evaluation.benchmark,
        "chance": rung.chance,
        "judged": rung.judged,
        "no_claims": stood.missing,
        "judge_range": None if judge is FLAWLESS else {name: getattr(judge, name) for name in _RATES},
    }


def _dict_of_group(ladder: Ladder, row: Standing) -> dict[str, object]:
    names = [rung.name for rung in ladder.rungs]
    return {
        "group": row.group.key,
        "scores": dict(zip(names, row.scores, strict=True)),
        "figures": dict(zip(names, row.figures, strict=True)),
        **({"pooled": dict(zip(names, row.pooled, strict=True))} if row.pooled else {}),
        "drops": [_dict_of_drop(drop) for drop in row.drops],
        "breaks": None if row.broken is None else row.broken.after,
        "told": describe_break(row.drops, ladder.family),
    }


def _dict_of_drop(drop: Drop) -> dict[str, object]:
    found = drop.contrast
    return {
        "before": drop.before, "after": drop.after,
        "ends": found.ends, "size": found.size, "least": found.least, "most": found.most,
        "low": found.low, "high": found.high, "p": found.p, "p_holm": drop.p_holm, "p_judged": found.p_judged,
        "test": found.test, "method": found.method, "why": found.missing,
        "norms": found.units, "clusters": found.clusters, "alone": drop.alone, "ungraded": drop.ungraded,
        "detectable": found.minimum_detectable, "judged": drop.judged, "grounded": drop.grounded,
        "may_be_judge": drop.may_be_judge, "holds_from": drop.holds_from,
        "found": drop.found, "breaks": drop.breaks, **plain_fields(drop, "caution"),
    }  # fmt: skip


_RATES = field_names(JudgeErrors)
