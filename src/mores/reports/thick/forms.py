"""A label alone against a label with its reasons, on the same items: does having to explain change the answer?

Items are paired by unit; samples of one are averaged first. One claim is made for each model and set, so that p-values
are corrected for the number of them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import isnan

import numpy as np

from mores.core.estimate import Estimate
from mores.core.seeds import Seed
from mores.reports import wording
from mores.reports.findings import Finding, Findings
from mores.reports.thick.explained import THICK, Explained
from mores.reports.units import Unit, items_of, label_units
from mores.stats.multiplicity import holm
from mores.stats.paired import compare_paired

THIN = "_thin"
DICE = Seed("thin and thick")
LEVEL = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Forms:
    """One model on one set in both forms."""

    thin: Finding
    thick: Explained

    @property
    def subject(self) -> str:
        """The model's name."""
        return self.thick.subject

    @property
    def set(self) -> str:
        """The data set."""
        return self.thick.set

    @property
    def simulated(self) -> bool:
        """True where answers or judges were made up."""
        return self.thin.simulated or self.thick.cell.simulated


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """Thick less thin in the accuracy of labels, over units graded in both; shares, with the means of each form.

    `p_holm` is corrected for all changes that could be tested. `only_thin` and `only_thick` count items that the
    other form did not ask, `ungraded` units that one of the two left without a grade.
    """

    forms: Forms
    thin: float | None
    thick: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_holm: float | None
    test: str
    why: str | None
    units: int
    clusters: int
    only_thin: int
    only_thick: int
    ungraded: int
    other_data: bool

    @property
    def found(self) -> bool:
        """True where the change is significant after correction."""
        return self.p_holm is not None and self.p_holm < LEVEL

    @property
    def apart(self) -> str:
        """The difference in percentage points."""
        return wording.points_apart(self.difference)

    @property
    def ends(self) -> str:
        """Its interval in brackets, or why there is none."""
        if self.low is None or self.high is None:
            return f"({self.why})"
        return f"[{wording.points_apart(self.low)}, {wording.points_apart(self.high)}]"

    @property
    def chance(self) -> str:
        """Its p before correction."""
        return wording.chance_of(self.p) or wording.DASH

    @property
    def chance_holm(self) -> str:
        """Its p after correction for all changes."""
        return wording.chance_of(self.p_holm) or wording.DASH

    @property
    def left_out(self) -> str:
        """What the two forms do not share, in words."""
        counts = {
            "items in thin only": self.only_thin,
            "items in thick only": self.only_thick,
            "units not graded in both": self.ungraded,
        }
        return ", ".join(f"{count:,} {what}" for what, count in counts.items() if count) or "none"

    @property
    def slips(self) -> tuple[Estimate | None, Estimate | None]:
        """The share of answers without a readable label in either form: a part of the change may be theirs."""
        return self.forms.thin.whole("format_error"), self.forms.thick.cell.whole("format_error")


def forms_of(findings: Findings, cells: Sequence[Explained], subjects: dict[str, str]) -> tuple[Forms, ...]:
    """Models and sets that the runs have in both forms, `X_thin` and `X_thick`."""
    thin = {(subjects[cell.label], cell.benchmark): cell for cell in findings.cells}
    return tuple(
        Forms(thin=thin[each.subject, each.set + THIN], thick=each)
        for each in cells
        if each.cell.benchmark.endswith(THICK) and (each.subject, each.set + THIN) in thin
    )


def changes(forms: Sequence[Forms]) -> tuple[Change, ...]:
    """What explaining changes, for each model and set, with p-values corrected over all of them."""
    found = [_change(each) for each in forms]
    adjusted = holm([each.p if each.p is not None else float("nan") for each in found]).tolist()
    return tuple(replace(each, p_holm=_known(p)) for each, p in zip(found, adjusted, strict=True))


def _change(forms: Forms) -> Change:
    thin, thick = forms.thin, forms.thick.cell
    asked = items_of(thin), items_of(thick)
    common = asked[0] & asked[1]
    before, after = label_units(thin, common), label_units(thick, common)
    both = [name for name in before if before[name].graded and name in after and after[name].graded]
    first, second = np.array(list(_points(before, both))), np.array(list(_points(after, both)))
    place = np.array([before[name].place for name in both], dtype=np.str_)
    cluster = np.array([before[name].cluster for name in both], dtype=np.str_)
    paired = compare_paired(second, first, cluster, strata=place, seed=DICE.child(forms.set, forms.subject))
    return Change(
        forms=forms,
        thin=float(first.mean()) if both else None,
        thick=float(second.mean()) if both else None,
        difference=_known(paired.difference),
        low=paired.low,
        high=paired.high,
        p=_known(paired.p),
        p_holm=None,
        test=paired.test,
        why=paired.why,
        units=paired.units,
        clusters=paired.clusters,
        only_thin=len(asked[0] - common),
        only_thick=len(asked[1] - common),
        ungraded=len(before.keys() & after.keys()) - len(both),
        other_data=set(thin.provenance.data.values()) != set(thick.provenance.data.values()),
    )


def _points(units: dict[str, Unit], names: Sequence[str]) -> Iterator[float]:
    return (units[name].points for name in names)


def _known(figure: float) -> float | None:
    return None if isnan(figure) else figure
