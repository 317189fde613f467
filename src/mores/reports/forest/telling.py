"""The analyses for a terminal, a line a finding."""

from collections.abc import Iterator, Sequence

from mores.core.card import Metric
from mores.core.estimate import Estimate
from mores.reports import wording
from mores.reports.forest.agreement import RHO, Agreement
from mores.reports.forest.change import POINTS, Change
from mores.reports.forest.levels import Climb, Levels
from mores.reports.forest.regions import Disparity
from mores.reports.forest.standing import Standing
from mores.reports.forest.surprises import Surprises
from mores.reports.forest.using import Using
from mores.reports.forest.weights import Steadiness


def named(name: str, simulated: bool) -> str:
    """A model's name, marked where its answers were made up."""
    return f"{name} (simulated)" if simulated else name


def told(figure: Estimate | None, metric: Metric | None = None) -> str:
    """A figure with its interval and n; a dash for none."""
    if figure is None:
        return wording.DASH
    return f"{wording.number(figure.value, metric)} {wording.interval(figure, metric)} n {wording.counted(figure)}"


def of_levels(levels: Levels) -> Iterator[str]:
    """Each model on its modes, the drop from easy to medium, and the gain from being told."""
    for climb in levels.climbs:
        yield f"{named(climb.name, climb.simulated)}: {', '.join(_steps(climb))}."
        if climb.drop is not None:
            yield f"  Easy to medium: {_change(climb.drop, len(levels.drops))}."
    for gain in levels.gains:
        head = f"{named(gain.name, gain.simulated)}, {gain.mode} with the norms in the prompt"
        if gain.change is None:
            yield f"{head}: not paired ({gain.why})."
        else:
            yield f"{head}: {_change(gain.change, len(levels.gained))}."


def _steps(climb: Climb) -> Iterator[str]:
    for mode, step in climb.steps.items():
        metric = POINTS if step.kept is not None else None
        yield f"{mode} {told(step.figure, metric)}"


def _change(change: Change, family: int) -> str:
    p = f", {wording.chance_of(change.p_holm)} (Holm, {family})" if change.p_holm is not None else ""
    return f"{change.told} points{p}, {change.units:,} pairs in {change.clusters:,} bundles"


def of_disparities(disparities: Sequence[Disparity]) -> Iterator[str]:
    """How far regions lie apart for each model and mode."""
    family = sum(each.tested for each in disparities)
    for each in disparities:
        yield (
            f"{named(each.name, each.simulated)}, {each.mode}: best and worst of {each.regions} regions are "
            f"{each.hundred(each.gap)} points apart, {each.hundred(each.null)} by chance alone; "
            f"{wording.chance_of(each.p_holm) or 'untested'} (Holm, {family})."
        )


def of_standings(standings: Sequence[Standing]) -> Iterator[str]:
    """Where each model's open answers go."""
    for each in standings:
        parts = {"kept to": each.satisfied, "left open": each.neutral, "broken": each.violated}
        shares = ", ".join(f"{words} {told(figure)}" for words, figure in parts.items())
        yield f"{named(each.name, each.simulated)}, {each.mode}, norms {each.said}: {shares}."


def of_steadiness(steadiness: Sequence[Steadiness]) -> Iterator[str]:
    """How steady rankings are under other weights."""
    for each in steadiness:
        ranked = {"models": each.models_least, "regions": each.regions_least}
        least = ", ".join(f"{_rho(value)} for {what}" for what, value in ranked.items())
        made = " (simulated)" if each.simulated else ""
        yield f"{each.mode}{made}: over {each.settings} weightings the least Spearman of two rankings is {least}."


def of_agreements(agreements: Sequence[Agreement]) -> Iterator[str]:
    """How alike models rank regions, and which stand apart."""
    for each in agreements:
        form = "" if each.form == "accuracy" else f", {each.form} form"
        yield (
            f"{each.mode}{form}: {len(each.names)} models rank {each.whole.regions} regions with consensus "
            f"{wording.number(each.whole.consensus.value, RHO)} {wording.interval(each.whole.consensus, RHO)} over "
            f"{each.whole.consensus.graded} pairs; {_apart(each)}{_made(each.simulated)}."
        )


def _apart(agreement: Agreement) -> str:
    if agreement.fence is None:
        return "too few models to name outliers"
    return f"outliers: {', '.join(agreement.outliers)}" if agreement.outliers else "no outlier"


def _made(simulated: Sequence[bool]) -> str:
    return f" ({sum(simulated)} of the models simulated)" if any(simulated) else ""


def of_using(using: Using) -> Iterator[str]:
    """How answers fare with and without the knowledge."""
    for use in using.uses:
        yield (
            f"{named(use.name, use.simulated)}, {use.mode}: right {told(use.known.right)} with all norms possessed, "
            f"{told(use.unknown.right)} with fewer; {told(use.coverage)} of their norms possessed."
        )
    for reason in using.unpaired:
        yield f"Not looked at: {reason}."


def of_surprises(surprises: Sequence[Surprises]) -> Iterator[str]:
    """How many questions were right without the knowledge."""
    for each in surprises:
        chance = "" if each.by_chance is None else f"; guessing alone gives {each.by_chance:,.1f}"
        yield (
            f"{named(each.name, each.simulated)}, {each.mode}: {each.total:,} of {each.lacking:,} questions with a "
            f"norm not possessed were right in all {each.samples} samples{chance}."
        )


def _rho(value: float | None) -> str:
    return wording.number(value, RHO)
