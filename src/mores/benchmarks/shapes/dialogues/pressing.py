"""Values of dialogues under pressure: the fall from level to level, places, and values by topic.

scores ─▶ scenes at the weakest and at the strongest level, paired ─▶ drops, corrected over all models and shares.
Awareness and knowledge count at the place of the custom, values at the place of the value.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np
from msgspec import structs

from mores.analysis.contrast import Contrast, ContrastOptions, adjusted, contrast_of, paired
from mores.analysis.results import Result
from mores.benchmarks.shapes.dialogues.benchmark import SCENE
from mores.benchmarks.shapes.pressure import LEVELS, PRESSURE
from mores.core.card import Metric
from mores.core.estimate import SEVERAL, Estimate, MetricRows
from mores.core.seeds import Seed
from mores.norms.places import group_of
from mores.stats.intervals import mean_interval

AWARENESS, KNOWLEDGE, VALUE, UNKNOWING = "awareness", "commonsense", "value", "aware_unknowing"
MOST_PLACES = 21
"""Places with most scenarios that are shown, as in the paper's figure."""
RESAMPLES = 1_000
RNG_SEED = Seed("report")


class Drop(NamedTuple):
    """A share at the weakest level (B) less at the strongest (A), over scenes graded at both."""

    evaluation: Result
    metric: Metric
    levels: tuple[str, ...]
    contrast: Contrast


class Spot(NamedTuple):
    """One place of customs: how often the custom was known, and how often a clash was noticed there.

    `most` is true of the places with most scenarios.
    """

    place: str
    knows: Estimate
    aware: Estimate
    most: bool


def metrics_of(evaluation: Result) -> tuple[Metric, ...]:
    """Metrics in a table of dialogues, in the card's order: all that the card does not put aside."""
    return tuple(each for each in evaluation.card.metrics if not each.aside) if evaluation.card else ()


def pressed_of(evaluation: Result) -> tuple[Metric, ...]:
    """Metrics that pressure may lower."""
    return tuple(each for each in metrics_of(evaluation) if each.pressed)


def figures_of(evaluation: Result) -> Iterator[tuple[Metric, Estimate]]:
    """The figures of a table of dialogues."""
    for metric in metrics_of(evaluation):
        if (figure := evaluation.overall(metric.name)) is not None:
            yield metric, figure


def levels_of(evaluation: Result) -> tuple[str, ...]:
    """The levels of pressure at which anything was graded, weakest first; none where a run names none."""
    scores = evaluation.scores
    pressed = [scores[metric.name] for metric in pressed_of(evaluation) if metric.name in scores]
    graded = [rows.take(np.isfinite(rows.value)) for rows in pressed]
    return tuple(level for level in LEVELS if any(len(_at(level, rows)) for rows in graded))


def _at(level: str, rows: MetricRows) -> MetricRows:
    """The rows of one level of pressure; runs of before named it among the kinds of custom alone."""
    named, kinds, label = rows.keys.groups.get(PRESSURE), rows.keys.groups.get("dimension"), LEVELS[level].label
    if named is not None:
        return rows.take(named.belongs(lambda name: name == level))
    return rows.take(np.zeros(len(rows), bool) if kinds is None else kinds.belongs(lambda n: label in n.split(SEVERAL)))


def by_level(evaluation: Result) -> Iterator[tuple[Metric, str, Estimate]]:
    """Metrics that pressure may lower, and the headline, at each level with a figure, weakest first."""
    levels, headline = levels_of(evaluation), evaluation.described
    if len(levels) > 1:
        for metric in dict.fromkeys((*pressed_of(evaluation), *([headline] if headline else ()))):
            figures = evaluation.by("dimension", metric.name)
            named = ((level, figures.get(LEVELS[level].label)) for level in levels)
            yield from ((metric, level, figure) for level, figure in named if figure is not None)


def drops_of(evaluations: Sequence[Result]) -> tuple[Drop, ...]:
    """Fall of each share that pressure may lower; those of all models are one family."""
    found = [drop for evaluation in evaluations for drop in _drops(evaluation)]
    corrected = iter(adjusted([drop.contrast for drop in found]))
    return tuple(drop._replace(contrast=each) for drop, each in zip(found, islice(corrected, len(found)), strict=True))


def _drops(evaluation: Result) -> Iterator[Drop]:
    levels = levels_of(evaluation)
    shares = (metric for metric in pressed_of(evaluation) if metric.high == 1 and metric.name in evaluation.scores)
    for metric in shares if len(levels) > 1 else ():
        rows = evaluation.scores[metric.name]
        weakest, strongest = (_by_scene(_at(level, rows)) for level in (levels[0], levels[-1]))
        seed = RNG_SEED.child("pressure").child(evaluation.benchmark, evaluation.model, metric.name)
        pairs = structs.replace(paired(strongest, weakest), groups={})
        found = contrast_of(pairs, ContrastOptions(seed, metric.name, resamples=RESAMPLES, sides=(evaluation,)))
        if found.units:
            yield Drop(evaluation, metric, levels, found)


def _by_scene(rows: MetricRows) -> MetricRows:
    """The same rows with each scene a unit; in scores each of the dialogues on a scene is one."""
    return structs.replace(rows, keys=structs.replace(rows.keys, unit=rows.keys.groups.get(SCENE, rows.keys.unit)))


def places_of(evaluation: Result) -> tuple[Spot, ...]:
    """The places of customs, most scenarios first."""
    aware, knows = evaluation.by("place", AWARENESS), evaluation.by("place", KNOWLEDGE)
    both = sorted((place for place in aware if place in knows), key=lambda place: (-aware[place].asked, place))
    return tuple(Spot(place, knows[place], aware[place], n < MOST_PLACES) for n, place in enumerate(both))


def unknowing_of(evaluation: Result) -> Iterator[tuple[str | None, Estimate]]:
    """Of customs that are not known how often the clash is noticed, over all (None) and by the kind of custom."""
    whole, pressures = evaluation.overall(UNKNOWING), {level.label for level in LEVELS.values()}
    if whole is not None and whole.value is not None:
        yield None, whole
        kinds = evaluation.by("dimension", UNKNOWING).items()
        yield from ((kind, figure) for kind, figure in kinds if kind not in pressures)


def values_of(evaluation: Result) -> dict[tuple[str, str], Estimate]:
    """Values that are graded at a place that has a group; a pair of topic and group without any has no figure."""
    rows = evaluation.scores.get(VALUE)
    if rows is None or "topic" not in rows.keys.groups:
        return {}
    graded = rows.take(np.isfinite(rows.value))
    held: dict[tuple[str, str], list[int]] = defaultdict(list)
    for row, key in enumerate(zip(graded.keys.groups["topic"].texts(), graded.keys.place.texts(), strict=True)):
        group = group_of(key[1], "wvs_group") if all(key) else None
        if group:
            held[key[0], group].append(row)
    return {key: _mean(evaluation, key, graded.take(np.array(own))) for key, own in sorted(held.items())}


def _mean(evaluation: Result, key: tuple[str, str], rows: MetricRows) -> Estimate:
    seed = RNG_SEED.child("values").child(evaluation.benchmark, evaluation.model, *key)
    interval = mean_interval(rows.value, rows.keys.cluster.texts(), seed=seed)
    figure = Estimate(
        metric=VALUE, group=dict(zip(("topic", "wvs_group"), key, strict=True)), value=float(rows.value.mean()),
        low=interval.low, high=interval.high, asked=len(rows), graded=len(rows), method=interval.method,
        missing=interval.missing,
    )  # fmt: skip
    return evaluation.marked(figure)
