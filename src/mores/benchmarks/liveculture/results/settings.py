"""What a setting changes: pressure, the number of places that others come from, decoding, and whatever else runs set.

runs of one model that differ in one setting ─▶ figures at each value ─▶ the first value against the last, day by day
on the same residents, corrected over all that is tested here.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from msgspec import structs

from mores.analysis.contrast import Contrast, ContrastOptions, adjusted, contrast_of, paired
from mores.analysis.results import Result
from mores.benchmarks.liveculture.results.town_runs import DICE, PAIRED, TownRun, alike
from mores.benchmarks.shapes.pressure import DAY_LEVELS

RESAMPLES = 1_000
_ORDER = {
    "pressure": tuple(DAY_LEVELS),
    "decoding": ("provider", "paper"),
    "offscreen": ("schedule", "recorded"),
}
OF_THE_PAPER = ("cultures", "pressure", "decoding")


@dataclass(frozen=True, kw_only=True)
class SettingSeries:
    """One model's runs that differ in one setting alone, by its values, least first."""

    setting: str
    lived: tuple[TownRun, ...]

    @property
    def evaluation(self) -> Result:
        """The first of the runs."""
        return self.lived[0].evaluation

    @property
    def values(self) -> tuple[str, ...]:
        """The values of the setting."""
        return tuple(each.settings[self.setting] for each in self.lived)


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingContrast:
    """One metric of a series at its last value less at its first, over days that were graded at both."""

    series: SettingSeries
    contrast: Contrast


def series_of(lived: Sequence[TownRun]) -> tuple[SettingSeries, ...]:
    """For each setting and model, the runs that differ in it alone; of runs that differ in nothing the first."""
    return tuple(each for setting in _settings(lived) for each in _series(lived, setting))


def _settings(lived: Sequence[TownRun]) -> tuple[str, ...]:
    """The settings of which runs have several values, those of the paper's analyses first."""
    names = dict.fromkeys((*OF_THE_PAPER, *(name for each in lived for name in each.settings)))
    return tuple(name for name in names if len({each.settings.get(name) for each in lived} - {None}) > 1)


def _series(lived: Sequence[TownRun], setting: str) -> Iterator[SettingSeries]:
    having = [each for each in lived if setting in each.settings]
    for model in dict.fromkeys(each.evaluation.model for each in having):
        for group in alike((each for each in having if each.evaluation.model == model), apart_from=setting):
            by_value = {each.settings[setting]: each for each in reversed(group)}
            if len(by_value) > 1:
                ordered = sorted(by_value, key=lambda value: _place(setting, value))
                yield SettingSeries(setting=setting, lived=tuple(by_value[value] for value in ordered))


def _place(setting: str, value: str) -> tuple[int, float, str]:
    """Where a value stands: as the setting orders its own, else numbers by size and then words."""
    known = _ORDER.get(setting, ())
    if value in known:
        return 0, float(known.index(value)), ""
    return (1, float(value), "") if value.replace(".", "", 1).isdecimal() else (2, 0.0, value)


def changes_of(series: Sequence[SettingSeries]) -> tuple[SettingContrast, ...]:
    """What each setting changed in adherence and in what gets done; p is corrected over all of these."""
    found = [SettingContrast(series=each, contrast=_contrast(each, metric)) for each in series for metric in PAIRED]
    found = [each for each in found if each.contrast.units]
    corrected = adjusted([each.contrast for each in found])
    return tuple(replace(each, contrast=one) for each, one in zip(found, corrected, strict=True))


def _contrast(series: SettingSeries, metric: str) -> Contrast:
    """The last value less the first; a day is drawn by itself."""
    sides = (series.lived[0].evaluation, series.lived[-1].evaluation)
    pairs = paired(*(each.scores[metric] for each in sides))
    seed = DICE.child(series.setting, series.evaluation.model, metric)
    terms = ContrastOptions(seed, metric, series.evaluation.metric(metric), resamples=RESAMPLES, sides=sides)
    return contrast_of(structs.replace(pairs, cluster=np.arange(len(pairs.a)), groups={}), terms)
