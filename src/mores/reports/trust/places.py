"""The judge in each place: how far it agrees with people there, and whether it errs more there than elsewhere.

A judge that errs unequally puts places in a wrong order even where the models do not differ, so that claims about
places need labels from these places.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mores.people.tables import Floats, TaskTable
from mores.reports import wording
from mores.reports.trust.agreement_pair import Mask, mean_apart
from mores.reports.trust.agreement_words import Grid, chance, counted, number, plain, told
from mores.stats import Design, Measured, benjamini_hochberg, holm
from mores.stats.cluster_sums import share
from mores.stats.intervals import FEWEST
from mores.stats.unequal import unequal_errors

LEVEL = 0.05
_SHOWN = 12
"""Places that a terminal shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceFigures:
    """One place: labelled things with a word of the judge, their clusters, and how near the judge is to people there.

    `agree` is the share of equal words or, for points, None; `bias` and `distance` are for points.
    """

    place: str
    units: int
    clusters: int
    agree: Measured | None = None
    bias: Measured | None = None
    distance: Measured | None = None

    @property
    def few(self) -> bool:
        """True under the clusters that any claim needs."""
        return self.clusters < FEWEST


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceTest:
    """Whether the judge errs otherwise in one place than in the others; `kind` says of which errors."""

    place: str
    kind: str
    units: int
    clusters: int
    error: float
    others: float
    p: float
    holm: float
    screened: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """All places of a task, weakest agreement first, and the tests; `family` is the number of tests corrected for."""

    places: tuple[PlaceFigures, ...]
    tests: tuple[PlaceTest, ...]
    points: bool

    @property
    def family(self) -> int:
        """Tests that were made together."""
        return len(self.tests)

    @property
    def unequal(self) -> tuple[PlaceTest, ...]:
        """Those that stand after Holm."""
        return tuple(test for test in self.tests if test.holm <= LEVEL)

    @property
    def screened(self) -> tuple[PlaceTest, ...]:
        """Those worth a look, after Benjamini and Hochberg."""
        return tuple(test for test in self.tests if test.screened <= LEVEL)

    def lines(self) -> Iterator[str]:
        """Where it errs unequally, of how many tests; or that this cannot be said."""
        few = sum(place.few for place in self.places)
        if not self.tests:
            many = counted(len(self.places), "place")
            yield f"Places: too few labels to compare them ({many}, {few} of them under {FEWEST} clusters)."
            return
        found = self.unequal
        head = f"Places: of a family of {counted(self.family, 'test')}, {len(found)} at {LEVEL:g} after Holm, "
        yield head + f"{len(self.screened)} after Benjamini–Hochberg; {few} of {len(self.places)} places have too few."
        for test in found:
            yield (
                f"{wording.group_name('place', test.place)}: {test.kind}, {_error(test.error, self.points)} against "
                f"{_error(test.others, self.points)} elsewhere (Holm p {chance(test.holm)}, n = {test.units})."
            )

    def grids(self) -> Iterator[Grid]:
        """Places with enough clusters, the weakest first; then the tests that stand out."""
        enough = [each for each in self.places if not each.few]
        few = len(self.places) - len(enough)
        if enough:
            more = f", {_SHOWN} of {len(enough)}" if len(enough) > _SHOWN else ""
            yield Grid(
                title=f"Place by place, weakest first{more}",
                heads=("n", "judge − people", "distance", "place") if self.points else ("n", "agree", "place"),
                rows=tuple(self._row(each) for each in enough[:_SHOWN]),
                note=f"{counted(few, 'place')} with under {FEWEST} clusters: too few." if few else "",
            )
        if self.screened:
            yield Grid(
                title=f"Errors here and elsewhere, family of {self.family}",
                heads=("n", "here", "elsewhere", "p", "Holm", "BH", "place and errors"),
                rows=tuple(
                    (str(t.units), _error(t.error, self.points), _error(t.others, self.points), chance(t.p),
                     chance(t.holm), chance(t.screened), f"{wording.group_name('place', t.place)}: {t.kind}")
                    for t in sorted(self.screened, key=lambda test: test.p)
                ),
            )  # fmt: skip

    def _row(self, each: PlaceFigures) -> tuple[str, ...]:
        name = wording.group_name("place", each.place)
        if each.agree is not None:
            return f"{each.units:,}", told(each.agree, "share"), name
        figures = (told(found) for found in (each.bias, each.distance) if found is not None)
        return f"{each.units:,}", *figures, name

    def plain(self) -> dict[str, object]:
        """All of it for programs."""
        return {
            "places": [
                {"place": each.place, "n": each.units, "clusters": each.clusters, "few": each.few,
                 **{name: plain(found) for name in ("agree", "bias", "distance")
                    if (found := getattr(each, name)) is not None}}
                for each in self.places
            ],
            "family": self.family,
            "tests": [
                {"place": t.place, "errors": t.kind, "n": t.units, "clusters": t.clusters, "here": t.error,
                 "elsewhere": t.others, "p": t.p, "holm": t.holm, "benjamini_hochberg": t.screened}
                for t in self.tests
            ],
        }  # fmt: skip


def _error(value: float, points: bool) -> str:
    return number(value, "number" if points else "share")


def places_of(table: TaskTable, design: Design) -> Places | None:
    """The judges' word against people's in each place; None where things have no place, or all the same."""
    both = np.isfinite(table.said) & np.isfinite(table.truth) & (table.places != "")
    names = sorted(set(table.places[both].tolist()))
    if len(names) < 2:
        return None
    figures = [_figures(table, name, both, design) for name in names]
    figures.sort(key=lambda each: (each.few, _nearness(each), each.place))
    return Places(places=tuple(figures), tests=_tests(table, both, design), points=not table.options)


def _nearness(each: PlaceFigures) -> float:
    if each.agree is not None:
        return each.agree.value
    return 0.0 if each.distance is None else -each.distance.value


def _figures(table: TaskTable, place: str, both: Mask, design: Design) -> PlaceFigures:
    here = both & (table.places == place)
    part, apart = design.part(here, f"place {place}"), table.said[here] - table.truth[here]
    units, clusters = int(here.sum()), int(np.unique(table.clusters[here]).size)
    if table.options:
        return PlaceFigures(place=place, units=units, clusters=clusters, agree=share(apart == 0, part, "agree"))
    return PlaceFigures(place=place, units=units, clusters=clusters, bias=mean_apart(apart, part),
                        distance=share(np.abs(apart), part, "distance"))  # fmt: skip


def _kinds(table: TaskTable, both: Mask) -> Iterator[tuple[str, Floats]]:
    """Errors of each kind, NaN where a row is not of it."""
    apart = np.where(both, table.said - table.truth, np.nan)
    if not table.options:
        yield "judge less people", apart
        yield "distance from people", np.abs(apart)
        return
    wrong = np.where(np.isnan(apart), np.nan, apart != 0)
    yield "errors of any kind", wrong
    for code, option in enumerate(table.options):
        yield f"errors where people say '{option}'", np.where(table.truth == code, wrong, np.nan)


def _tests(table: TaskTable, both: Mask, design: Design) -> tuple[PlaceTest, ...]:
    family = 3 * len(set(table.places[both].tolist()))
    found = [
        PlaceTest(place=one.group, kind=kind, units=one.units, clusters=one.clusters, error=one.error,
                  others=one.others, p=one.p, holm=one.p, screened=one.p)
        for kind, errors in _kinds(table, both)
        for one in unequal_errors(errors, table.places, table.clusters, seed=design.seed.child("unequal", kind),
                                  deals=max(5000, 100 * family))
        if np.isfinite(one.p)
    ]  # fmt: skip
    p = [test.p for test in found]
    return _adjusted(found, holm(p).tolist(), benjamini_hochberg(p).tolist())


def _adjusted(tests: Sequence[PlaceTest], by_holm: list[float], by_rate: list[float]) -> tuple[PlaceTest, ...]:
    return tuple(
        replace(test, holm=strict, screened=loose) for test, strict, loose in zip(tests, by_holm, by_rate, strict=True)
    )
