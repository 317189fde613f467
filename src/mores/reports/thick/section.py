"""The section on reasons: its parts, where the runs have them, with their words for a terminal and for programs."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from mores.core.estimate import Estimate
from mores.reports import wording
from mores.reports.findings import Findings
from mores.reports.thick.explained import Explained, explained_cells, subjects_of
from mores.reports.thick.forms import Change, changes, forms_of
from mores.reports.thick.models import FOR_RANKS, Correlation, Spread, Together, spreads, together


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What rubrics say of one model, set by set."""

    subject: str
    cells: tuple[Explained, ...]

    @property
    def simulated(self) -> bool:
        """True where answers or judges were made up."""
        return any(each.cell.simulated for each in self.cells)


@dataclass(frozen=True, slots=True, kw_only=True)
class Thick:
    """All that the runs say of labels with their reasons; `together` is None where there is nothing to correlate."""

    id: ClassVar[str] = "thick"
    title: ClassVar[str] = "Reasons: thin against thick"
    template: ClassVar[str] = "thick.html.jinja"
    cells: tuple[Explained, ...]
    changes: tuple[Change, ...]
    spreads: tuple[Spread, ...]
    together: Together | None

    @property
    def profiles(self) -> tuple[Profile, ...]:
        """The cells by model."""
        subjects = dict.fromkeys(each.subject for each in self.cells)
        return tuple(
            Profile(subject=name, cells=tuple(each for each in self.cells if each.subject == name)) for name in subjects
        )

    @property
    def simulated(self) -> bool:
        """True where any figure rests on made-up answers or judges."""
        return any(each.cell.simulated for each in self.cells)

    @property
    def judged_labels(self) -> tuple[str, ...]:
        """Sets whose labels a judge chose, so that its errors are part of them."""
        return tuple(dict.fromkeys(each.set for each in self.cells if each.judged_labels))

    @property
    def family(self) -> int:
        """Changes that could be tested, over which p-values are corrected."""
        return sum(change.p is not None for change in self.changes)

    @property
    def found(self) -> int:
        """Changes that are significant after correction."""
        return sum(change.found for change in self.changes)

    def lines(self) -> Iterator[str]:
        """A line for each model and set, for each change, and for what models show together."""
        yield from (f"{_named(each)}: {_rubric(each)}; {each.sentence}" for each in self.cells)
        if self.changes:
            yield f"Thick less thin, same items: {self.found} of a family of {self.family} differ at .05 after Holm."
        yield from (_changed(change) for change in self.changes)
        yield from (_spread(each) for each in self.spreads)
        if self.together is not None:
            yield from _ranks(self.together)

    def plain(self) -> dict[str, object]:
        """All figures of the section."""
        return {
            "simulated": self.simulated,
            "cells": [_plain_cell(each) for each in self.cells],
            "thin_and_thick": {"family": self.family, "changes": [_plain_change(each) for each in self.changes]},
            "spreads": self.spreads,
            "together": None if self.together is None else _plain_together(self.together),
        }


def thick(findings: Findings) -> Thick | None:
    """What some runs say of reasons; None where no answer has any."""
    cells = explained_cells(findings)
    if not cells:
        return None
    forms = forms_of(findings, cells, subjects_of(findings))
    return Thick(cells=cells, changes=changes(forms), spreads=spreads(forms), together=together(cells, forms))


def _told(figure: Estimate | None) -> str:
    if figure is None or figure.value is None:
        return wording.DASH
    return f"{wording.number(figure.value)} {wording.interval(figure)}".strip()


def _named(each: Explained) -> str:
    return f"{each.subject} on {each.cell.benchmark}" + (" (simulated)" if each.cell.simulated else "")


def _rubric(each: Explained) -> str:
    n = wording.counted(each.points) if each.points else "0"
    return f"{each.rubric} {_told(each.points)}, n {n}"


def _changed(change: Change) -> str:
    made_up = " (simulated)" if change.forms.simulated else ""
    tested = f", {change.chance_holm} after Holm" if change.p_holm is not None else ""
    return (
        f"{change.forms.subject} on {change.forms.set}{made_up}: {change.apart} {change.ends} points{tested}, "
        f"n {change.units:,} in {change.clusters:,} clusters; left out: {change.left_out}."
    )


def _spread(each: Spread) -> str:
    name = f"{each.name} on {each.set}"
    if each.thin is None:
        return f"{name}: no spread over models, {each.why}."
    ranges = f"{100 * each.thin:.1f} thin, {_range(each.thick)} thick"
    return f"{name}: quartile range over {each.models} models {ranges}, {each.told}."


def _range(value: float | None) -> str:
    return wording.DASH if value is None else f"{100 * value:.1f}"


def _ranks(found: Together) -> Iterator[str]:
    if not found.enough:
        yield f"Whether rubrics rank models alike: {found.most} of the {FOR_RANKS} models that ranks need."
        return
    for number, ranked in enumerate(found.rubrics):
        others = [
            f"{other.name} on {other.set} {_rho(found.rows[number][column])}"
            for column, other in enumerate(found.rubrics)
            if column > number
        ]
        own = found.thin[number]
        against = [*others, *([f"thin accuracy {_rho(own)}"] if own is not None else [])]
        if against:
            yield f"Ranks of models by {ranked.name} on {ranked.set} against {', '.join(against)}."


def _rho(found: Correlation) -> str:
    return f"{wording.DASH} (n {found.models})" if found.rho is None else f"{signed(found.rho)} (n {found.models})"


def signed(rho: float) -> str:
    """A correlation with its sign.

    >>> signed(0.5), signed(-0.25), signed(-0.001)
    ('+0.50', '−0.25', '0.00')
    """
    told = f"{rho:+.2f}"
    return "0.00" if float(told) == 0 else told.replace("-", "−")


def _plain_cell(each: Explained) -> dict[str, object]:
    return {
        "model": each.cell.model,
        "subject": each.subject,
        "benchmark": each.cell.benchmark,
        "set": each.set,
        "simulated": each.cell.simulated,
        "rubric": each.rubric,
        "points": each.points,
        "label": each.label,
        "labels_judged": each.judged_labels,
        "quarters": {quarter.name: quarter for quarter in each.quarters},
        "right_labels": each.right,
        "wrong_reason": each.wrong_reason,
        "reasons_ungraded": each.counts.ungraded,
        "labels_ungraded": each.unlabelled,
    }


def _plain_change(change: Change) -> dict[str, object]:
    thin, thick_form = change.forms.thin, change.forms.thick.cell
    figures = ("thin", "thick", "difference", "low", "high", "p", "p_holm", "test", "why", "units", "clusters",
               "only_thin", "only_thick", "ungraded", "other_data")  # fmt: skip
    return {
        "subject": change.forms.subject,
        "set": change.forms.set,
        "simulated": change.forms.simulated,
        "benchmarks": [thin.benchmark, thick_form.benchmark],
        **{name: getattr(change, name) for name in figures},
        "format_error": {"thin": change.slips[0], "thick": change.slips[1]},
    }


def _plain_together(found: Together) -> dict[str, object]:
    return {
        "models": found.models,
        "needed": FOR_RANKS,
        "simulated": found.simulated,
        "rubrics": found.rubrics,
        "correlations": found.rows,
        "with_thin_accuracy": found.thin,
    }
