"""The judge in each place: how far it agrees with people there, and whether it errs more there than elsewhere.

A judge that errs unequally puts places in a wrong order even where the models do not differ, so that claims about
places need labels from these places.
"""

from collections.abc import Iterator

import numpy as np
from msgspec import Struct

from mores.annotation.label_tables import TaskTable
from mores.calibration.judge_agreement import mean_difference
from mores.core.arrays import Floats, Mask
from mores.stats.cluster_sums import Design, MeasuredFigure, share
from mores.stats.group_means import unequal_errors
from mores.stats.intervals import MIN_CLUSTERS
from mores.stats.ranks import benjamini_hochberg, holm

LEVEL = 0.05


class PlaceFigures(Struct, frozen=True, kw_only=True):
    """One place: labelled things with a word of the judge, their clusters, and how near the judge is to people there.

    `agree` is the share of equal words or, for points, None; `bias` and `distance` are for points.
    """

    place: str
    n: int
    clusters: int
    few: bool
    agree: MeasuredFigure | None = None
    bias: MeasuredFigure | None = None
    distance: MeasuredFigure | None = None


class PlaceTest(Struct, frozen=True, kw_only=True):
    """Test that the judge errs otherwise in one place than elsewhere; `errors` names the errors that are compared."""

    place: str
    errors: str
    n: int
    clusters: int
    here: float
    elsewhere: float
    p: float
    holm: float
    benjamini_hochberg: float


class PlaceAgreement(Struct, frozen=True, kw_only=True):
    """All places of a task, weakest agreement first, and the tests; `family` is the number of tests corrected for."""

    places: tuple[PlaceFigures, ...]
    tests: tuple[PlaceTest, ...]
    family: int
    points: bool

    @property
    def unequal(self) -> tuple[PlaceTest, ...]:
        """Those that stand after Holm."""
        return tuple(test for test in self.tests if test.holm <= LEVEL)

    @property
    def screened(self) -> tuple[PlaceTest, ...]:
        """Those worth a look, after Benjamini and Hochberg."""
        return tuple(test for test in self.tests if test.benjamini_hochberg <= LEVEL)


def places_of(table: TaskTable, design: Design) -> PlaceAgreement | None:
    """The judges' word against people's in each place; None where things have no place, or all the same."""
    both = table.compared & (table.places != "")
    names = sorted(set(table.places[both].tolist()))
    if len(names) < 2:
        return None
    figures = [_figures(table, name, both, design) for name in names]
    # places with too few clusters last: their order says nothing
    figures.sort(key=lambda each: (each.few, _nearness(each), each.place))
    tests = _tests(table, both, design)
    return PlaceAgreement(places=tuple(figures), tests=tests, family=len(tests), points=not table.options)


def _nearness(each: PlaceFigures) -> float:
    if each.agree is not None:
        return each.agree.value
    return 0.0 if each.distance is None else -each.distance.value


def _figures(table: TaskTable, place: str, both: Mask, design: Design) -> PlaceFigures:
    here = both & (table.places == place)
    part, difference = design.part(here, f"place {place}"), table.judged[here] - table.truth[here]
    clusters = int(np.unique(table.clusters[here]).size)
    return PlaceFigures(
        place=place,
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


def _tests(table: TaskTable, both: Mask, design: Design) -> tuple[PlaceTest, ...]:
    # no p of permutations is below 1 / (their number + 1), which Holm multiplies by the tests: about three a place
    family = 3 * len(set(table.places[both].tolist()))
    found = [
        (kind, one)
        for kind, errors in _kinds(table, both)
        for one in unequal_errors(errors, table.places, table.clusters, seed=design.seed.child("unequal", kind),
                                  permutations=max(5000, 100 * family))
        if np.isfinite(one.p)
    ]  # fmt: skip
    p = [one.p for _, one in found]
    return tuple(
        PlaceTest(place=one.group, errors=kind, n=one.units, clusters=one.clusters, here=one.error,
                  elsewhere=one.others, p=one.p, holm=strict, benjamini_hochberg=loose)
        for (kind, one), strict, loose in zip(found, holm(p).tolist(), benjamini_hochberg(p).tolist(), strict=True)
    )  # fmt: skip
