"""Runs with days in town: their conditions, the effect of settings, and the front of goal and adherence.

results ─▶ groups of results that only the subject tells apart, as `mores compare` says ─▶ days by unit, read once from
verdicts where two evaluations are held against each other.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from math import isnan

import numpy as np
import numpy.typing as npt
from msgspec import Struct, structs
from msgspec.structs import replace

from mores.analysis.compatibility import DRAWN, Mismatch, first_mismatch
from mores.analysis.contrast import Contrast, ContrastOptions, adjusted, contrast_of, paired
from mores.analysis.results import Result
from mores.analysis.units import units_of
from mores.benchmarks.liveculture.benchmark import FIGURES
from mores.benchmarks.shapes.pressure import DAY_LEVELS
from mores.core.arrays import Floats
from mores.core.estimate import Estimate, Missing
from mores.core.seeds import Seed
from mores.stats.clusters import resampled
from mores.stats.intervals import MIN_CLUSTERS
from mores.stats.rng import generator

RNG_SEED = Seed("report").child("town")
GOAL, ADHERENCE, APPLICABLE, STEP, ABSENT = (
    "goal", "adherence_mean", "adherence_applicable", "adherence_step", "not_applicable",
)  # fmt: skip
ON_TIME, FAITHFULNESS, CONTEXT, COHERENCE = "on_time", "faithfulness", "context", "coherence"
PAIRED = (ADHERENCE, GOAL)
READINGS = (ADHERENCE, APPLICABLE, STEP, ABSENT)
"""The three readings of adherence, the paper's formula first, and the share that tells it from the second."""


class TownRun(Struct, frozen=True, kw_only=True, dict=True):
    """One evaluation with its days; verdicts are read when they are first asked for, and once."""

    evaluation: Result

    @cached_property
    def days(self) -> dict[str, dict[str, float]]:
        """Score of each day, by metric and unit."""
        return {metric: self._points(metric) for metric in PAIRED}

    @cached_property
    def asked(self) -> frozenset[str]:
        """Units whose days were played, judged or not."""
        table = self.evaluation.verdict_table
        things = np.concatenate([table.frame(FIGURES[metric].task).item for metric in PAIRED])
        return frozenset(table.item_metadata[thing].unit for thing in np.unique(things).tolist())

    def _points(self, metric: str) -> dict[str, float]:
        """Score of each day on one metric; one without a graded step is left out."""
        units = units_of(self.evaluation.scores[metric])
        named = zip(units.keys.unit.texts(), units.value.tolist(), strict=True)
        return {name: value for name, value in named if not isnan(value)}

    @property
    def settings(self) -> dict[str, str]:
        """Settings that the run left as they are or set otherwise."""
        return self.evaluation.provenance.protocol.settings

    @property
    def unusual(self) -> dict[str, str]:
        """In what the run departs from its card, judging included, by the name of each setting."""
        return {gone.setting: gone.used for gone in self.evaluation.provenance.departures if not gone.by_default}

    @property
    def rejudged(self) -> bool:
        """True where the days are those of an earlier run, and were judged again."""
        return self.evaluation.provenance.judged is not None

    def mismatch_with(self, other: "TownRun", setting: str = "") -> Mismatch | None:
        """In what besides their subject two results differ, as `mores compare` says, one setting left out; or None."""
        if self.evaluation.benchmark != other.evaluation.benchmark:
            return Mismatch("benchmark", self.evaluation, other.evaluation, {}, {})
        one, two = (_without(each.evaluation, setting) for each in (self, other))
        return first_mismatch(one, two, allow_other_data=False)


def _without(evaluation: Result, setting: str) -> Result:
    """An evaluation as if it had one setting as published; itself where none is named."""
    made = evaluation.provenance
    left = tuple(gone for gone in made.departures if gone.setting != setting)
    return (
        structs.replace(evaluation, provenance=structs.replace(made, departures=left))
        if left != made.departures
        else evaluation
    )


def figure_of(evaluation: Result, metric: str) -> Estimate:
    """A figure over all days, or one that says that there is none."""
    return evaluation.overall(metric) or Estimate(
        metric=metric, value=None, asked=0, graded=0, missing=Missing(code="not_in_this_run")
    )


def alike(runs: Iterable[TownRun], setting: str = "") -> tuple[tuple[TownRun, ...], ...]:
    """Cells that may be held against each other, together, in the order of the runs; one setting may differ."""
    found: list[list[TownRun]] = []
    for each in runs:
        own = next((group for group in found if group[0].mismatch_with(each, setting) is None), None)
        if own is None:
            found.append([each])
        else:
            own.append(each)
    return tuple(tuple(group) for group in found)


def mismatches(runs: Iterable[TownRun]) -> tuple[Mismatch, ...]:
    """Reasons that models are not in one picture: one a group, against the first before it of another model."""
    found, before = [], list[tuple[TownRun, ...]]()
    for group in alike(runs):
        other = next((first for first in before if _several((*first, *group))), None)
        found.append(other[0].mismatch_with(group[0]) if other is not None else None)
        before.append(group)
    return tuple(why for why in found if why is not None)


def rivals_of(runs: Iterable[TownRun]) -> tuple[tuple[TownRun, ...], ...]:
    """Several models that lived the same days under the same conditions, together; who has no rival is left out."""
    found: list[tuple[TownRun, ...]] = []
    for group in filter(_several, alike(runs)):
        by_days: dict[frozenset[str], list[TownRun]] = {}
        for each in group:
            by_days.setdefault(each.asked, []).append(each)
        found += [tuple(together) for together in by_days.values() if _several(together)]
    return tuple(found)


def _several(group: Sequence[TownRun]) -> bool:
    return len({each.evaluation.model for each in group}) > 1


def describe_conditions(group: Sequence[TownRun]) -> str:
    """Conditions of evaluations that are alike, in words: settings of their own, and who else took part."""
    first = group[0]
    settings = [f"{name} {value}" for name, value in sorted(first.unusual.items()) if name != DRAWN]
    others = [f"{role} {spec}" for role, spec in sorted(first.evaluation.provenance.roles.items()) if role != "subject"]
    return "; ".join((", ".join(settings) or "settings as published", ", ".join(others)))


RESAMPLES = 1_000
_ORDER = {
    "pressure": tuple(DAY_LEVELS),
    "decoding": ("provider", "paper"),
}
OF_THE_PAPER = ("cultures", "pressure", "decoding")


class SettingSeries(Struct, frozen=True, kw_only=True):
    """One model's runs that differ in one setting alone, by its values, least first."""

    setting: str
    runs: tuple[TownRun, ...]

    @property
    def evaluation(self) -> Result:
        """The first of the runs."""
        return self.runs[0].evaluation

    @property
    def values(self) -> tuple[str, ...]:
        """The values of the setting."""
        return tuple(each.settings[self.setting] for each in self.runs)


class SettingContrast(Struct, frozen=True, kw_only=True):
    """One metric of a series at its last value less at its first, over days that were graded at both."""

    series: SettingSeries
    contrast: Contrast


def series_of(runs: Sequence[TownRun]) -> tuple[SettingSeries, ...]:
    """For each setting and model, the runs that differ in it alone; of runs that differ in nothing the first."""
    return tuple(each for setting in _settings(runs) for each in _series(runs, setting))


def _settings(runs: Sequence[TownRun]) -> tuple[str, ...]:
    """The settings of which runs have several values, those of the paper's analyses first."""
    names = dict.fromkeys((*OF_THE_PAPER, *(name for each in runs for name in each.settings)))
    return tuple(name for name in names if len({each.settings.get(name) for each in runs} - {None}) > 1)


def _series(runs: Sequence[TownRun], setting: str) -> Iterator[SettingSeries]:
    having = [each for each in runs if setting in each.settings]
    for model in dict.fromkeys(each.evaluation.model for each in having):
        for group in alike((each for each in having if each.evaluation.model == model), setting=setting):
            # Backwards, so that of runs with one value the first stays.
            by_value = {each.settings[setting]: each for each in reversed(group)}
            if len(by_value) > 1:
                ordered = sorted(by_value, key=lambda value: _place(setting, value))
                yield SettingSeries(setting=setting, runs=tuple(by_value[value] for value in ordered))


def _place(setting: str, value: str) -> tuple[int, float, str]:
    """Position of a value: as the setting orders its own, else numbers by size and then words."""
    known = _ORDER.get(setting, ())
    if value in known:
        return 0, float(known.index(value)), ""
    return (1, float(value), "") if value.replace(".", "", 1).isdecimal() else (2, 0.0, value)


def changes_of(series: Sequence[SettingSeries]) -> tuple[SettingContrast, ...]:
    """Effect of each setting on adherence and on what gets done; p is corrected over all of these."""
    found = [SettingContrast(series=each, contrast=_contrast(each, metric)) for each in series for metric in PAIRED]
    found = [each for each in found if each.contrast.units]
    corrected = adjusted([each.contrast for each in found])
    return tuple(replace(each, contrast=one) for each, one in zip(found, corrected, strict=True))


def _contrast(series: SettingSeries, metric: str) -> Contrast:
    """The last value less the first; a day is drawn by itself."""
    sides = (series.runs[0].evaluation, series.runs[-1].evaluation)
    pairs = paired(*(each.scores[metric] for each in sides))
    seed = RNG_SEED.child(series.setting, series.evaluation.model, metric)
    terms = ContrastOptions(seed, metric, series.evaluation.metric(metric), resamples=RESAMPLES, sides=sides)
    return contrast_of(structs.replace(pairs, cluster=np.arange(len(pairs.a)), groups={}), terms)


REDRAWS = 2_000


class FrontPoint(Struct, frozen=True, kw_only=True):
    """One point: how much was done, to the right, and how far norms were kept, upwards; `name` is what tells it apart.

    `sure` is the share of redraws of days in which it is on the front, None where days are too few or nobody is beside
    it; `beaten_by` are the names of those that dominate it, None where it has no place among them.
    """

    name: str
    goal: Estimate
    adherence: Estimate
    sure: float | None = None
    beaten_by: tuple[str, ...] | None = None

    @property
    def placed(self) -> bool:
        """True where both figures are known."""
        return self.goal.value is not None and self.adherence.value is not None

    @property
    def on_front(self) -> bool:
        """True where nobody dominates it."""
        return self.beaten_by == ()


class ParetoFront(Struct, frozen=True, kw_only=True):
    """Several models on the same days, each a spot, in the order of `runs`."""

    runs: tuple[TownRun, ...]
    spots: tuple[FrontPoint, ...]

    @property
    def conditions(self) -> str:
        """Conditions of all of them."""
        return describe_conditions(self.runs)

    @property
    def simulated(self) -> bool:
        """True where any of them is made up."""
        return any(each.evaluation.simulated for each in self.runs)


def front_of(runs: Sequence[TownRun]) -> ParetoFront:
    """The spots of several models, with who dominates whom."""
    goals, kept = ([figure_of(each.evaluation, metric) for each in runs] for metric in (GOAL, ADHERENCE))
    names = [each.evaluation.label for each in runs]
    points = np.array([[_value(one), _value(other)] for one, other in zip(goals, kept, strict=True)])
    beats = dominating(points)
    sure = front_shares(runs)
    spots = tuple(
        FrontPoint(
            name=name,
            goal=goals[n],
            adherence=kept[n],
            sure=sure[n],
            beaten_by=None if np.isnan(points[n]).any() else tuple(names[m] for m in np.flatnonzero(beats[:, n])),
        )
        for n, name in enumerate(names)
    )
    return ParetoFront(runs=tuple(runs), spots=spots)


def dominating(points: Floats) -> npt.NDArray[np.bool_]:
    """Mask of points (rows) that dominate others (columns), shape (…, models, 2); a missing figure does neither.

    >>> dominating(np.array([[0.8, 0.6], [0.8, 0.5], [0.9, 0.4], [0.8, 0.6]])).astype(int).tolist()
    [[0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 1, 0, 0]]
    """
    one, other = points[..., :, None, :], points[..., None, :, :]
    return np.asarray((one >= other).all(axis=-1) & (one > other).any(axis=-1))


def front_shares(runs: Sequence[TownRun]) -> tuple[float | None, ...]:
    """The share of redraws of days in which each model is on the front; None for all under eight days."""
    units = sorted({unit for each in runs for days in each.days.values() for unit in days})
    if len(units) < MIN_CLUSTERS:
        return (None,) * len(runs)
    columns = [each.days[metric].get for each in runs for metric in (GOAL, ADHERENCE)]
    points = np.array([[get(unit, np.nan) for get in columns] for unit in units])
    # Sums and counts are drawn together, so that a day without a figure is missing from both.
    rows = np.hstack([np.nan_to_num(points), np.isfinite(points)])
    sums = resampled(
        rows, len(units), REDRAWS, generator(RNG_SEED.child("front", *(each.evaluation.model for each in runs)))
    )
    total, count = np.hsplit(sums, 2)
    means = np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
    pairs = means.reshape(REDRAWS, len(runs), 2)
    there = ~dominating(pairs).any(axis=1) & np.isfinite(pairs).all(axis=2)
    known = np.isfinite(points).any(axis=0).reshape(len(runs), 2).all(axis=1)
    return tuple(float(share) if seen else None for share, seen in zip(there.mean(axis=0), known, strict=True))


def _value(figure: Estimate) -> float:
    return float("nan") if figure.value is None else figure.value
