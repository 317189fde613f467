"""Corrections in words and as plain values, for a terminal, programs and the page."""

from collections.abc import Iterator

from mores.core.estimate import Estimate
from mores.reports import wording
from mores.reports.trust.agreement_words import finite
from mores.reports.trust.correcting import Corrected, Corrections, TaskCorrected
from mores.stats.intervals import FEWEST

ESTIMATED = (
    "What is estimated is the mean of people's words, who may err too: by majority of words, by the mean of points."
)
PLACE_HEADS = ("place", "judged", "labelled", "uncorrected", "PPI++", "Rogan–Gladen", "people less judge", "p, Holm")
SHORT_HEADS = ("labelled", "judge", "corrected", "people − judge", "Holm p", "place")
NO_RANKS = "Intervals of places are not corrected for their number; they say nothing of which place is best."


def number(figure: Estimate, of: Corrected) -> str:
    """A figure with its interval, or the word refused."""
    if figure.value is None:
        return "refused"
    return f"{wording.number(figure.value, of.metric)} {wording.interval(figure, of.metric)}".strip()


def apart(of: Corrected) -> str:
    """How far people's mean lies from the judge's on labelled things, with its interval, as points or per cent."""
    gap = of.apart
    if not of.labelled:
        return wording.DASH
    scale, sign = (100.0, "") if wording.is_share(of.metric) else (1.0, "")
    digits = 1 if wording.is_share(of.metric) else 2

    def told(value: float) -> str:
        return f"{scale * value:+.{digits}f}{sign}".replace("-", "−")

    ends = "" if gap.low is None or gap.high is None else f" [{told(gap.low)}, {told(gap.high)}]"
    return f"{told(gap.difference)}{ends}"


def figure_words(of: Corrected) -> str:
    """Which figure of the card it is."""
    if of.figure is None:
        return "no figure of the card is this mean"
    kind = "the headline" if of.figure.headline else "a metric"
    alike = "" if of.figure.counted == "thing" else f", each {of.figure.counted} counting alike"
    return f"{kind} of the card: {of.figure.name}{alike}"


def what(of: Corrected) -> str:
    """What is averaged."""
    return f"share of '{of.target.name}'" if of.target.is_share else "mean of points"


def lam_words(of: Corrected) -> str:
    """How far the judge's figures are used."""
    if not of.lam:
        return ""
    low, high = min(of.lam), max(of.lam)
    return f"lambda {low:.2f}" if high - low < 0.005 else f"lambda {low:.2f} to {high:.2f}"


def youden_words(of: Corrected) -> str:
    """Sensitivity and specificity less 1 as they enter the figure, and as drawn towards a half for its interval."""
    if of.rates is None:
        return ""
    return f"J = se + sp − 1 = {of.rates.youden:.2f}, in the interval {of.rates.youden_of_interval:.2f}"


def errors_words(of: Corrected) -> str:
    """Sensitivity and specificity with their n."""
    if of.errors is None:
        return ""
    told = []
    for name, each in (("sensitivity", of.errors.sensitivity), ("specificity", of.errors.specificity)):
        value = wording.DASH if each.value is None else f"{each.value:.2f}"
        ends = "" if each.low is None or each.high is None else f" [{each.low:.2f}, {each.high:.2f}]"
        told.append(f"{name} {value}{ends}, n {each.graded:,}")
    return "; ".join(told)


def aside(name: str, figure: Estimate, of: Corrected) -> str:
    """What stands beside one way's figure: its n, what it used, or why it refuses."""
    if figure.value is None:
        return figure.why or ""
    match name:
        case "PPI++":
            return lam_words(of)
        case "Rogan–Gladen":
            return youden_words(of)
        case "people alone":
            return f"n {of.labelled:,}"
        case _:
            return f"n {of.judged:,}"


def heading(task: TaskCorrected) -> str:
    """Which task of which model, and who judged."""
    made_up = " (simulated)" if task.simulated else ""
    return f"{task.cell.benchmark} · {task.task} · {task.label}, judged by {', '.join(task.judges)}{made_up}"


def counts(task: TaskCorrected) -> str:
    """How much was judged and labelled."""
    clusters = task.whole[0].clusters
    told = [f"{task.judged:,} things judged"]
    if task.ungraded:
        told.append(f"{task.ungraded:,} ungraded")
    people = "person" if task.people == 1 else "people"
    told.append(f"{task.labelled:,} labelled by {task.people} {people}, in {clusters:,} clusters")
    if task.tied:
        told.append(f"{task.tied:,} on which people are tied are left out")
    if task.lost:
        told.append(f"{task.lost:,} labelled but ungraded")
    return "; ".join(told) + "."


def judge_against_people(of: Corrected, task: TaskCorrected) -> str:
    """Whether the judge is off, and how sure that is."""
    if of.p_holm is None:
        return f"People less judge, over what is labelled: {apart(of)}; too few to test"
    held = (
        f"{wording.chance_of(of.p_holm)} after Holm over {task.family}"
        if task.family > 1
        else wording.chance_of(of.p_holm)
    )
    return f"People less judge, over what is labelled: {apart(of)}, {held}"


def bounds(of: Corrected) -> str:
    """Where the corrected figure would be if what is ungraded were all at worst or best; empty where nothing is."""
    best = of.best
    if best is None or best.worst is None or best.best is None or best.worst == best.best:
        return ""
    low, high = (wording.number(end, of.metric) for end in (best.worst, best.best))
    return f"Corrected, {low} if all ungraded things were at the low end, {high} at the high end"


def place_rows(task: TaskCorrected) -> Iterator[tuple[str, ...]]:
    """A row for each place and target that has enough labels for any claim."""
    many = len(task.whole) > 1
    for each in task.places:
        if each.clusters < FEWEST:
            continue
        name = wording.group_name("place", each.place) + (f", {each.target.name}" if many else "")
        ways = [number(figure, each) if figure is not None else "" for figure in (each.judge, each.powered, each.rogan)]
        held = wording.chance_of(each.p_holm)
        yield (
            name,
            f"{each.judged:,}",
            f"{each.labelled:,}",
            *ways,
            apart(each),
            held.removeprefix("p ").removeprefix("= "),
        )


def place_rows_short(task: TaskCorrected) -> Iterator[tuple[str, ...]]:
    """The same for a terminal: one way of correcting, and the place's name last, where it may be long."""
    many = len(task.whole) > 1
    for each in task.places:
        if each.clusters < FEWEST:
            continue
        name = wording.group_name("place", each.place) + (f", {each.target.name}" if many else "")
        way = each.powered if each.powered is not None else each.rogan
        held = wording.chance_of(each.p_holm).removeprefix("p ").removeprefix("= ")
        yield (
            f"{each.labelled:,} of {each.judged:,}",
            wording.number(each.judge.value, each.metric),
            "" if way is None else number(way, each),
            apart(each),
            held,
            name,
        )


def places_left_out(task: TaskCorrected) -> str:
    """How many places have too few labels; empty for none."""
    few = {each.place for each in task.places if each.clusters < FEWEST}
    every = {each.place for each in task.places}
    return f"{len(few)} of {len(every)} places have under {FEWEST} labelled clusters: too few." if few else ""


def plain(found: Corrections) -> dict[str, object]:
    """All figures."""
    return {
        "simulated": found.simulated,
        "confidence": found.wish.confidence,
        "estimated": ESTIMATED,
        "tasks": [_plain_task(task) for task in found.tasks],
        "without": [
            {"run": str(each.cell.run), "model": each.label, "benchmark": each.cell.benchmark, "why": each.why}
            for each in found.without
        ],
    }


def _plain_task(task: TaskCorrected) -> dict[str, object]:
    return {
        "run": str(task.cell.run),
        "model": task.label,
        "benchmark": task.cell.benchmark,
        "task": task.task,
        "judges": dict(task.cell.judges),
        "options": task.options,
        "simulated": task.simulated,
        "judged": task.judged,
        "ungraded": task.ungraded,
        "nothing_to_judge": task.settled,
        "people": task.people,
        "labelled": task.labelled,
        "tied": task.tied,
        "labelled_ungraded": task.lost,
        "family": task.family,
        "warnings": task.warnings,
        "remarks": task.remarks,
        "whole": [_plain_corrected(each) for each in task.whole],
        "places": [_plain_corrected(each) for each in task.places],
    }


def _plain_corrected(of: Corrected) -> dict[str, object]:
    gap = of.apart
    return {
        "target": of.target.name,
        "share": of.target.is_share,
        "place": of.place or None,
        "figure": of.figure.name if of.figure else None,
        "headline": of.figure.headline if of.figure else False,
        "counted": of.figure.counted if of.figure else None,
        "judged": of.judged,
        "labelled": of.labelled,
        "clusters": of.clusters,
        "uncorrected": of.judge,
        "ppi": of.powered,
        "lambda": of.lam if of.powered is not None and of.powered.value is not None else None,
        "rogan_gladen": of.rogan,
        "people": of.people,
        "sensitivity": of.errors.sensitivity if of.errors else None,
        "specificity": of.errors.specificity if of.errors else None,
        "youden": finite(of.rates.youden) if of.rates else None,
        "youden_of_interval": finite(of.rates.youden_of_interval) if of.rates else None,
        "people_less_judge": {
            "difference": gap.difference if of.labelled else None, "low": gap.low, "high": gap.high,
            "p": gap.p if of.labelled else None, "p_holm": of.p_holm, "test": gap.test, "method": gap.method,
            "why": gap.why,
        },
    }  # fmt: skip
