"""The judge in each place, and in each language: how far it agrees with people there, and does it err more there.

A judge that errs unequally puts places in a wrong order even where the models do not differ, so that claims about
places need labels from these places. So it is with the languages of answers, all of which a judge may be told about in
English.
"""

from collections.abc import Iterator
from typing import Literal

import numpy as np
from msgspec import Struct

from mores.annotation.label_tables import TaskTable
from mores.calibration.judge_agreement import mean_difference
from mores.core.arrays import Floats, Mask, Strings
from mores.stats.cluster_sums import Design, MeasuredFigure, share
from mores.stats.group_means import unequal_errors
from mores.stats.intervals import MIN_CLUSTERS
from mores.stats.ranks import benjamini_hochberg, holm

LEVEL = 0.05
ComparedBy = Literal["place", "language"]


class AgreementInGroup(Struct, frozen=True, kw_only=True):
    """One place or language: things that people and judge labelled, their clusters, and how near the judge comes.

    `agree` is the share of equal words or, for points, None; `bias` and `distance` are for points.
    """

    group: str
    n: int
    clusters: int
    few: bool
    agree: MeasuredFigure | None = None
    bias: MeasuredFigure | None = None
    distance: MeasuredFigure | None = None


class GroupTest(Struct, frozen=True, kw_only=True):
    """Test that the judge errs otherwise in one group than elsewhere; `errors` names the errors that are compared."""

    group: str
    errors: str
    n: int
    clusters: int
    here: float
    elsewhere: float
    p: float
    holm: float
    benjamini_hochberg: float


class GroupAgreement(Struct, frozen=True, kw_only=True):
    """All places or languages of a task, weakest agreement first; the `family` of tests is corrected together."""

    kind: ComparedBy
    groups: tuple[AgreementInGroup, ...]
    tests: tuple[GroupTest, ...]
    family: int
    points: bool

    @property
    def unequal(self) -> tuple[GroupTest, ...]:
        """Those that stand after Holm."""
        return tuple(test for test in self.tests if test.holm <= LEVEL)

    @property
    def screened(self) -> tuple[GroupTest, ...]:
        """Those worth a look, after Benjamini and Hochberg."""
        return tuple(test for test in self.tests if test.benjamini_hochberg <= LEVEL)


def agreement_by(table: TaskTable, kind: ComparedBy, design: Design) -> GroupAgreement | None:
    """The judges' word against people's in each place or language; None where things have none, or all the same."""
    of = table.places if kind == "place" else table.languages
    both = table.compared & (of != "")
    names = sorted(set(of[both].tolist()))
    if len(names) < 2:
        return None
    figures = [_figures(table, name, both & (of == name), design.part(both & (of == name), f"{kind} {name}"))
               for name in names]  # fmt: skip
    # groups with too few clusters last: their order says nothing
    figures.sort(key=lambda each: (each.few, _nearness(each), each.group))
    tests = _tests(table, of, both, design)
    return GroupAgreement(kind=kind, groups=tuple(figures), tests=tests, family=len(tests), points=not table.options)


def _nearness(each: AgreementInGroup) -> float:
    if each.agree is not None:
        return each.agree.value
    return 0.0 if each.distance is None else -each.distance.value


def _figures(table: TaskTable, group: str, here: Mask, part: Design) -> AgreementInGroup:
    difference = table.judged[here] - table.truth[here]
    clusters = int(np.unique(table.clusters[here]).size)
    return AgreementInGroup(
        group=group,
        n=int(here.sum()),
        clusters=clusters,
        few=clusters < MIN_CLUSTERS,
        agree=share(difference == 0, part, "agree") if table.options else None,
        bias=None if table.options else mean_difference(difference, part),
        distance=None if table.options else share(np.abs(difference), part, "distance"),
    )


def _kinds(table: TaskTable, both: Mask) -> Iterator[tuple[str, Floats]]:
    """Errors of each kind, NaN where a row is not of it."""
    difference = np.where(both, table.judged - table.truth, np.nan)
    if not table.options:
        yield "judge less people", difference
        yield "distance from people", np.abs(difference)
        return
    wrong = np.where(np.isnan(difference), np.nan, difference != 0)
    yield "errors of any kind", wrong
    for code, option in enumerate(table.options):
        yield f"errors where people say '{option}'", np.where(table.truth == code, wrong, np.nan)


def _tests(table: TaskTable, of: Strings, both: Mask, design: Design) -> tuple[GroupTest, ...]:
    # no p of permutations is below 1 / (their number + 1), which Holm multiplies by the tests: about three a group
    family = 3 * len(set(of[both].tolist()))
    found = [
        (kind, one)
        for kind, errors in _kinds(table, both)
        for one in unequal_errors(errors, of, table.clusters, seed=design.seed.child("unequal", kind),
                                  permutations=max(5000, 100 * family))
        if np.isfinite(one.p)
    ]  # fmt: skip
    p = [one.p for _, one in found]
    return tuple(
        GroupTest(group=one.group, errors=kind, n=one.units, clusters=one.clusters, here=one.error,
                  elsewhere=one.others, p=one.p, holm=strict, benjamini_hochberg=loose)
        for (kind, one), strict, loose in zip(found, holm(p).tolist(), benjamini_hochberg(p).tolist(), strict=True)
    )  # fmt: skip
