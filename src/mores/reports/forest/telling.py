"""The analyses for a terminal, a line a finding."""

from collections.abc import Iterator, Sequence
from typing import TypeVar

from mores.core.card import Metric
from mores.core.estimate import Estimate
from mores.reports import wording
from mores.reports.forest.agreement import RHO, Agreement
from mores.reports.forest.change import POINTS, Change, short
from mores.reports.forest.levels import Climb, Levels
from mores.reports.forest.regions import Disparity
from mores.reports.forest.standing import Standing
from mores.reports.forest.surprises import Surprises
from mores.reports.forest.using import Use, Using
from mores.reports.forest.weights import Steadiness


def named(name: str, simulated: bool) -> str:
    """A model's name, marked where its answers were made up."""
    return f"{name} (simulated)" if simulated else name


def told(figure: Estimate | None, metric: Metric | None = None) -> str:
    """A figure with its interval and n; a dash for none."""
    if figure is None:
        return wording.DASH
    beside = wording.interval(figure, metric) if figure.value is not None else short(figure.why)
    return f"{wording.number(figure.value, metric)} {beside} n {wording.counted(figure)}"


def of_levels(levels: Levels) -> Iterator[str]:
    """Each model on its modes, the drop from easy to medium, and the gain from being told."""
    for climb in levels.climbs:
        drop = "" if climb.drop is None else f"; easy to medium {_change(climb.drop, len(levels.drops))}"
        yield f"{named(climb.name, climb.simulated)}: {', '.join(_steps(climb))}{drop}."
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
    """How far regions lie apart for each model."""
    for name, mine in _by_name(disparities):
        modes = (
            f"{d.mode} {d.hundred(d.gap)} over {d.regions} regions ({d.hundred(d.null)} by chance; "
            f"{wording.chance_of(d.p_holm) or 'untested'}, Holm, {d.family})"
            for d in mine
        )
        yield f"{name}: points between the best and the worst region: {', '.join(modes)}."


def of_standings(standings: Sequence[Standing]) -> Iterator[str]:
    """What each model's open answers leave open and break."""
    for name, mine in _by_name(standings):
        parts = (f"{s.mode}, norms {s.said}: left open {told(s.neutral)}, broken {told(s.violated)}" for s in mine)
        yield f"{name}: {'; '.join(parts)}."


Named = TypeVar("Named", Disparity, Standing, Use, Surprises)


def _by_name(rows: Sequence[Named]) -> Iterator[tuple[str, list[Named]]]:
    """The rows of each model together, under its name."""
    for name in dict.fromkeys(row.name for row in rows):
        mine = [row for row in rows if row.name == name]
        yield named(name, mine[0].simulated), mine


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
    for name, mine in _by_name(using.uses):
        modes = (f"{u.mode} {told(u.known.right)} against {told(u.unknown.right)}" for u in mine)
        yield f"{name}: right with all norms possessed against fewer: {', '.join(modes)}."
    for reason in using.unpaired:
        yield f"Not looked at: {reason}."


def of_surprises(surprises: Sequence[Surprises]) -> Iterator[str]:
    """How many questions were right without the knowledge."""
    for name, mine in _by_name(surprises):
        modes = (f"{s.mode} {s.total:,} of {s.lacking:,}{_guessed(s.by_chance)}" for s in mine)
        yield f"{name}: right in every sample with a norm not possessed: {', '.join(modes)}."


def _guessed(by_chance: float | None) -> str:
    return "" if by_chance is None else f" ({by_chance:,.1f} by guessing)"


def _rho(value: float | None) -> str:
    return wording.number(value, RHO)
