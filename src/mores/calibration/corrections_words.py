"""Judges' means beside what they would be if people had judged, in sentences."""

from collections.abc import Callable, Mapping, Sequence
from math import ceil, floor

from mores.calibration.corrections import JUDGE, PEOPLE, PPI, ROGAN, CorrectedMean, TaskCorrected, Uncorrected
from mores.core.estimate import Caution, Estimate
from mores.tables import formatting as words
from mores.tables.blocks import Axis, CellValue, Words
from mores.tables.missing_texts import format_missing

ESTIMATED = (
    "The estimate is the mean of people's labels (majority of labels, mean of points); people may make errors too."
)
NAMED = 6
"""Places that a warning names."""


def scale_of(of: CorrectedMean) -> Axis:
    """Whole tenths of a target's range round all its figures and intervals, two of them at least."""
    low, span = of.target.low, of.target.high - of.target.low
    ends = [end for _, e in of.ways for end in (e.value, e.low, e.high) if end is not None] or [low, low + span]
    first = floor((min(ends) - low) / span * 10 + 1e-9)
    last = ceil((max(ends) - low) / span * 10 - 1e-9)
    first = max(0, min(first, last - 2))
    return Axis(low=low + first * span / 10, high=low + min(10, max(last, first + 2)) * span / 10)


def what(of: CorrectedMean) -> str:
    """What is averaged."""
    return f"share of '{of.target.name}'" if of.target.is_share else "mean of points"


def figure_told(of: CorrectedMean) -> str:
    """Which figure of the card it is."""
    if of.figure is None:
        return "no figure of the card is this mean"
    kind = "the headline" if of.figure.headline else "a metric"
    alike = "" if of.figure.counted == "thing" else f", each {of.figure.counted} counting alike"
    return f"{kind} of the card: {of.figure.name}{alike}"


def aside(name: str, figure: Estimate, of: CorrectedMean) -> str:
    """What stands beside one way's figure: its n, what it used, or why it refuses."""
    if name in of.refused:
        return caution_told(of.refused[name])
    if figure.value is None:
        return format_missing(figure.missing)
    if name == PPI and of.lam:
        low, high = min(of.lam), max(of.lam)
        return f"lambda {low:.2f}" if high - low < 0.005 else f"lambda {low:.2f} to {high:.2f}"
    if name == ROGAN and of.rates is not None:
        return f"J = se + sp − 1 = {of.rates.youden:.2f}, in the interval {of.rates.youden_of_interval:.2f}"
    counted = {PEOPLE: of.labelled, JUDGE: of.judged}
    return f"n {counted[name]:,}" if name in counted else ""


def errors_told(of: CorrectedMean) -> str:
    """Sensitivity and specificity with their n."""
    parts = []
    for each in filter(None, (of.sensitivity, of.specificity)):
        value = words.DASH if each.value is None else f"{each.value:.2f}"
        ends = "" if each.low is None or each.high is None else f" [{each.low:.2f}, {each.high:.2f}]"
        parts.append(f"{each.metric} {value}{ends}, n {each.graded:,}")
    return "; ".join(parts)


def apart(of: CorrectedMean) -> str:
    """How far people's mean lies from the judge's on labelled things, with its interval, as points or per cent."""
    gap, share = of.apart, words.is_share(of.metric)
    if not of.labelled:
        return words.DASH

    def signed(value: float) -> str:
        return f"{100 * value:+.1f}".replace("-", "−") if share else f"{value:+.2f}".replace("-", "−")

    ends = "" if gap.low is None or gap.high is None else f" [{signed(gap.low)}, {signed(gap.high)}]"
    return f"{signed(gap.difference)}{ends}"


def bounds(of: CorrectedMean) -> str:
    """Where the corrected figure would be if what is ungraded were all at worst or best; empty where nothing is."""
    ends = words.format_bounds(of.best, of.metric)
    return f"Corrected, {ends[0]} if all ungraded things were at the low end, {ends[1]} at the high end" if ends else ""


def counts(task: TaskCorrected) -> str:
    """How much was judged and labelled."""
    parts = [f"{task.judged:,} things judged"]
    if task.ungraded:
        parts.append(f"{task.ungraded:,} ungraded")
    people = words.plural(task.people, "person", "people")
    parts.append(f"{task.labelled:,} labelled by {people}, in {task.whole[0].clusters:,} clusters")
    if task.tied:
        parts.append(f"{task.tied:,} on which people are tied are left out")
    if task.labelled_ungraded:
        parts.append(f"{task.labelled_ungraded:,} labelled but ungraded")
    return f"{'; '.join(parts)}."


def apart_told(of: CorrectedMean, task: TaskCorrected) -> str:
    """How far people and judge are apart, how the judge errs, and what is ungraded, in sentences."""
    tested = "; too few to test" if of.p_holm is None else f", {words.format_p(of.p_holm)}"
    family = f" after Holm over {task.family}" if of.p_holm is not None and task.family > 1 else ""
    judge = f" The judge: {errors_told(of)}." if of.sensitivity else ""
    ungraded = f" {bounds(of)}." if bounds(of) else ""
    return f"People less judge, over what is labelled: {apart(of)}{tested}{family}.{judge}{ungraded}"


def uncorrected_told(each: Uncorrected) -> str:
    """That a model is left as it is, and why."""
    carried = (
        f"; those of {', '.join(each.labelled)} are not carried over, as judges may err otherwise on other answers"
    )
    why = f"no labels of its own on {each.task}{carried if each.labelled else ''}"
    return f"{each.model} on {each.benchmark} is left uncorrected: {why}."


def caution_told(found: Caution) -> str:
    """What has to be known of a correction, or why there is none, in a sentence."""
    told = _CAUTIONS[found.code]
    return told.format(found) if isinstance(told, str) else told(found)


def _mixed(found: Caution) -> str:
    names = [words.group_name("place", code) if code else "no place" for code in found.words]
    rest = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return (
        f"Another mix: places are labelled otherwise than judged (p = {found.p:.2g}), and {found.n} of {found.of} have "
        f"under 4 labelled clusters ({', '.join(names[:NAMED])}{rest}): label there, or see --by place."
    )


def _weighed(found: Caution) -> str:
    otherwise = "" if found.p is None else f", as labels are mixed otherwise (p = {found.p:.2g})"
    return f"Weighed by place: {found.of} places, each by its share of what was judged{otherwise}."


def _together(found: Caution) -> str:
    p = "" if found.p is None else f" (p = {found.p:.2g})"
    return (
        f"Places are not weighed apart: {found.n} of {found.of} have under 4 labelled clusters; no sign that labels "
        f"are mixed otherwise than what was judged{p}."
    )


def _few(found: Caution, kind: str) -> str:
    word, counted = found.words
    one = f"{found.size:.3g}" == "1"
    units = ("unit" if one else "units") if counted == "label" else ("label's worth" if one else "labels' worth")
    return f"{found.size:.3g} {units} that people {kind} '{word}'; at least {found.of} are needed"


_CAUTIONS: Mapping[str, str | Callable[[Caution], str]] = {
    "picked": (
        "No correction: the labelled units were selected, not drawn at random; a list of units to decide is not a "
        "sample."
    ),
    "all labelled": "people labelled all that was judged: their own mean needs no correction",
    "few clusters": "too few labelled clusters: {0.n}, at least {0.of} are needed",
    "few of the word": lambda c: _few(c, "call"),
    "few of the others": lambda c: _few(c, "do not call"),
    "hardly better than chance": (
        "the judge is hardly better than chance: sensitivity + specificity - 1 is {0.size:.2f}, under 0.2"
    ),
    "another mix": _mixed,
    "another population": (
        "Another population: the judge's mean is {0.size:+.3f} away in what is labelled from what is not, within "
        "places (p = {0.p:.2g}); so these labels are no random sample of it, and corrections do not hold."
    ),
    "weighed by place": _weighed,
    "not by place": _together,
    "labels by names": (
        "Labels were not given by the ids of a work list, so mores cannot see whether they "
        "are of these very answers, nor how these were chosen; they are taken as a random sample."
    ),
    "sample without chances": (
        "The sample was drawn by an older mores, which did not store by what chance: "
        "long episodes were likelier to come into it than they count for here. Draw a new one."
    ),
    "worth fewer": (
        "One thing of each {0.words[0]} was labelled, though not each counts alike in this mean: "
        "the labels are worth {0.n} that do."
    ),
    "nothing to judge": "{0.n:,} answers left nothing to judge and count in the figure as they are.",
}


def scores(tasks: Sequence[TaskCorrected]) -> tuple[Words, ...]:
    """The judge's score and the corrected one, a line a model."""
    return tuple(_score(task.model, task.whole[0]) for task in tasks)


def _score(model: str, of: CorrectedMean) -> Words:
    best = "refused" if of.best is None else CellValue(value=of.best, format="share", metric=of.metric)
    return f"{model}: ", CellValue(value=of.judge.value, format="share", metric=of.metric), " → ", best
