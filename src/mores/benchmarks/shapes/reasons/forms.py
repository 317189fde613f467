"""Thin against thick as blocks: right labels and macro F1 of the same items, models side by side, and their order."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mores.analysis.contrast import LEVEL, Contrast
from mores.benchmarks.shapes.reasons.macro import Averaged, MacroF1, macro_of
from mores.benchmarks.shapes.reasons.models import F1S, Spread, spreads
from mores.benchmarks.shapes.reasons.reversals import Ranks, Reversal, Reversals, reversals_of
from mores.benchmarks.shapes.reasons.thin_and_thick import Pair
from mores.blocks import (
    Axis,
    Block,
    Cell,
    Chart,
    Column,
    Details,
    Finding,
    Listing,
    Point,
    Series,
    Span,
    Table,
    Text,
    Value,
)
from mores.blocks import formatting as words
from mores.blocks.reasons import format_missing
from mores.core.estimate import Estimate, cautioned

NAMES = {"f1_micro": "F1 micro", "f1_macro": "F1 macro"}
RANGE = (
    "The interquartile range over the models of these runs that have both forms, over the items that a model was asked "
    "in both; baselines are left out. It has no interval, as these models are not a sample of all models."
)
MACRO = (
    "Macro F1 of thick answers minus that of thin ones, over items graded in both. The interval is over clusters of "
    "items; the test swaps the two answers to all items of a cluster at once. A mean over models rests on the same "
    "items, and these stay together; sets count alike in the last row."
)
BOXES = (
    "Box: quartiles over models and their median; whiskers reach to the last model within 1.5 quartile ranges, dots "
    "beyond are outliers, named in the table."
)
REVERSALS = (
    "Models by the share of right labels in either form, over items that all of them have a grade on in both. Two "
    "models reverse where the one ahead in thin answers is behind in thick ones. That is certain where both "
    "differences are found after Holm’s correction over all pairs in both forms. The interval of the share runs from "
    "the pairs that reverse for certain to those that are not found to keep their order."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Forms:
    """All that runs with both forms show; empty where there are none."""

    pairs: tuple[Pair, ...]
    macro: MacroF1 | None
    spreads: tuple[Spread, ...]
    reversals: tuple[Reversals, ...]

    def to_dict(self) -> dict[str, object]:
        """All figures."""
        changes = [each.to_dict() for each in self.pairs]
        return {
            "thin_and_thick": {"family": _family(self.pairs), "changes": changes},
            "macro_f1": self.macro.to_dict() if self.macro else None,
            "spreads": self.spreads,
            "reversals": self.reversals,
        }


def forms_of(pairs: Sequence[Pair]) -> Forms:
    """What pairs of forms show, pair by pair and over models."""
    return Forms(pairs=tuple(pairs), macro=macro_of(pairs), spreads=spreads(pairs), reversals=reversals_of(pairs))


def form_findings(forms: Forms) -> Iterator[Finding]:
    """Whether thick answers have another macro F1 than thin ones, by the widest mean that there is."""
    if forms.macro is None:
        return
    widest = [forms.macro.whole] if forms.macro.whole else [*forms.macro.sets] if len(forms.macro.sets) == 1 else []
    for each in widest:
        found = each.contrast
        if found.p is None:
            continue
        above = "higher" if (found.difference or 0) > 0 else "lower"
        differ = (
            f"{above} in thick answers than in thin ones"
            if found.p < LEVEL
            else "not distinguishable between thin and thick answers"
        )
        where = (" on ", Span(each.set, "code")) if each.set else ()
        against = f"{words.format_number(found.b)} against {words.format_number(found.a)}"
        yield Finding(
            words=(f"Over {words.plural(each.models, 'model')}", *where, f" macro F1 is {differ}: {against}."),
            sure=f"{words.format_difference(found)}, {words.format_p(found.p)}.",
            found=found.p < LEVEL,
        )


def form_blocks(forms: Forms) -> Iterator[Block]:
    """Tables and charts of the two forms; nothing without pairs."""
    if not forms.pairs:
        return
    yield from _labels(forms.pairs)
    if forms.macro is not None:
        yield from _macro(forms.macro)
    yield from _spreads(forms.spreads)
    if forms.reversals:
        yield Text(words="Order of models, thin and thick", role="heading")
        yield Text(words=REVERSALS, role="explanation")
        for each in forms.reversals:
            yield from _reversals(each)


def _labels(pairs: Sequence[Pair]) -> Iterator[Block]:
    yield Text(words="Thin against thick, on the same items", role="heading")
    yield _about_pairs(pairs)
    changed = _changed(_family(pairs))
    columns = ("Model", "Set", *changed, "n (clusters)", "Unreadable, thin → thick", "Left out")
    yield Table.of("Thin against thick", columns, map(_pair, pairs))


def _changed(family: int) -> tuple[Column | str, ...]:
    """The columns of a contrast of the two forms."""
    shares = (Column(title="Thin", format="share"), Column(title="Thick", format="share"))
    tests = (Column(title="p", format="p"), Column(title=f"p (Holm, {family})", format="p"))
    return (*shares, "Thick − thin, points", *tests)


def _contrast(found: Contrast) -> tuple[Cell, ...]:
    return found.a, found.b, found, found.p, found.p_adjusted


def _size(found: Contrast) -> str:
    return f"{found.units:,} ({found.clusters:,})"


def _macro(macro: MacroF1) -> Iterator[Block]:
    yield Text(words="Macro F1, thin against thick", role="heading")
    yield Text(words=MACRO, role="explanation")
    columns = ("Model", "Set", *_changed(macro.contrasts[0].family), "n (clusters)")
    rows = (
        (words.subject(pair.thick.subject, simulated=pair.simulated), Span(pair.thick.set, "code"),
         *_contrast(found), _size(found))
        for pair, found in zip(macro.pairs, macro.contrasts, strict=True)
    )  # fmt: skip
    yield Table.of("Macro F1 of each model", columns, rows)
    means = (*macro.sets, *([macro.whole] if macro.whole else ()))
    if means:
        family = macro.sets[0].contrast.family if macro.sets else 0
        columns = ("Set", "Models", *_changed(family), "n (clusters)")
        yield Table.of("Macro F1, mean over models", columns, map(_mean, means))


def _mean(each: Averaged) -> tuple[Cell, ...]:
    name = (Span(each.set, "code"),) if each.set else ("all sets",)
    tag = words.made_up(simulated=each.simulated)
    return (*name, *tag), f"{each.models}", *_contrast(each.contrast), _size(each.contrast)


def _spreads(over_models: Sequence[Spread]) -> Iterator[Block]:
    yield Text(words="How far models lie apart", role="heading")
    yield Text(words=RANGE, role="explanation")
    heads = ("Set", "Figure", "Models", "Thin, points", "Thick, points", "Thick against thin", "Outliers")
    yield Table.of("Spread over models", heads, map(_spread, over_models))
    charts = tuple(_boxes(metric, over_models) for metric in F1S)
    if any(chart.series for chart in charts):
        yield Text(words=BOXES, role="explanation")
        yield from (chart for chart in charts if chart.series)


def _boxes(metric: str, over_models: Sequence[Spread]) -> Chart:
    """Two boxes a set that has enough models, thin above thick."""
    boxed = [each for each in over_models if each.metric == metric and each.thin_box is not None]
    series = tuple(_series(each, form) for each in boxed for form in ("thin", "thick"))
    return Chart(kind="boxes", title=f"{NAMES[metric]} over models, thin and thick", series=series, axes=(Axis(),))


def _spread(each: Spread) -> tuple[Cell, ...]:
    thin, thick_form = (Value(value=value, format="points") for value in (each.thin, each.thick))
    beyond = [
        f"{one.subject} ({form} {words.format_number(getattr(one, form))})"
        for form in ("thin", "thick")
        for one in each.outliers(form)
    ]
    return (
        (Span(each.set, "code"), *words.made_up(simulated=each.simulated)), NAMES[each.metric], each.models, thin,
        thick_form, (describe_spread(each), *words.marks_of(each)),
        ", ".join(beyond) or "none" if each.thin_box else words.DASH,
    )  # fmt: skip


def _series(each: Spread, form: str) -> Series:
    """The models of one box; in the thick form they are set apart."""
    points = tuple(
        Point(
            y=cautioned(
                Estimate(metric=each.metric, value=getattr(one, form), asked=one.items, graded=one.items), one.caution
            ),
            label=one.subject,
        )
        for one in each.scored
    )
    return Series(points=points, name=f"{each.set} {form}", marked=form == "thick")


def _reversals(found: Reversals) -> Iterator[Block]:
    told = (
        f": {len(found.reversals)} of {words.plural(found.share.asked, 'pair')} of models reverse, "
        f"{found.certain} for certain; {words.text_of(found.share, 'share')}."
    )
    size = f" n = {found.units:,} items in {found.clusters:,} clusters." if found.units else ""
    yield Text(words=(Span(found.set, "code"), *words.made_up(simulated=found.simulated), told, size))
    thin, thick = (Column(title=form, format="share") for form in ("Thin", "Thick"))
    columns = ("Model", thin, "Rank, thin", thick, "Rank, thick")
    yield Table.of(f"Ranks on {found.set}, thin and thick", columns, map(_ranked, found.ranks))
    certain, others = ([describe_reversal(r) for r in found.reversals if r.certain is sure] for sure in (True, False))
    if certain:
        yield Listing(tuple(certain))
    if others:
        count = words.plural(len(others), "reversal")
        yield Details(summary=f"{count} that may be chance", blocks=(Listing(tuple(others)),))


def describe_reversal(each: Reversal) -> str:
    """Who is ahead of whom in thin answers and behind in thick ones, and by how much."""
    thin, thick = (words.format_size(abs(points), None) for points in (each.thin, each.thick))
    told = f"{each.ahead} is {thin} points ahead of {each.behind} in thin answers and {thick} behind in thick ones"
    return f"{' '.join((told, *words.bracketed_mark(each)))}."


def _ranked(each: Ranks) -> tuple[Cell, ...]:
    who = (*words.subject(each.subject, simulated=each.simulated), *words.marks_of(each))
    return who, each.thin, _rank(each.thin_rank), each.thick, _rank(each.thick_rank)


def _rank(rank: Estimate) -> str:
    ends = "" if rank.low is None or rank.high is None else f" [{rank.low:g}, {rank.high:g}]"
    return words.DASH if rank.value is None else f"{rank.value:g}{ends}"


def _family(pairs: Sequence[Pair]) -> int:
    """Pairs that could be tested, over which p-values are corrected."""
    return sum(pair.contrast.p is not None for pair in pairs)


def _about_pairs(pairs: Sequence[Pair]) -> Text:
    found = sum(pair.contrast.found for pair in pairs)
    told = (
        "Accuracy of labels in thick answers minus accuracy in thin answers, over items graded in both, paired. The "
        f"family is {words.plural(_family(pairs), 'pair')} of a model and a set; after Holm’s correction {found} of "
        f"them differ{'s' if found == 1 else ''} at .05. The test permutes signs and the interval resamples clusters, "
        "so the two may disagree near the limit."
    )
    sets = dict.fromkeys(each.thick.set for each in pairs if each.thick.judged_labels)
    if not sets:
        return Text(words=told)
    named = words.joined(Span(name, "code") for name in sets)
    return Text(
        words=(told, " A judge reads the thick label of ", *named, ", so its errors are part of these differences.")
    )


def _pair(pair: Pair) -> tuple[Cell, ...]:
    who = words.subject(pair.thick.subject, simulated=pair.simulated)
    thin, thick = (Value(value=None if slip is None else slip.value) for slip in pair.slips)
    other, found = "; the data files differ, paired by id" if pair.other_data else "", pair.contrast
    return (
        who, Span(pair.thick.set, "code"), *_contrast(found), _size(found), (thin, " → ", thick),
        f"{describe_left_out(pair)}{other}",
    )  # fmt: skip


def describe_left_out(pair: Pair) -> str:
    """What the two forms do not share."""
    counts = {
        "items in thin only": pair.only_thin,
        "items in thick only": pair.only_thick,
        "units not graded in both": pair.ungraded,
    }
    return ", ".join(f"{count:,} {what}" for what, count in counts.items() if count) or "none"


def describe_spread(each: Spread) -> str:
    """By how much models lie nearer together where they have to explain, or why that is not known."""
    if each.reduced is None:
        return format_missing(each.missing)
    return f"{100 * abs(each.reduced):.0f}% {'less' if each.reduced >= 0 else 'more'}"
