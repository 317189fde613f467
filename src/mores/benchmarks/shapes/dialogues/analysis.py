"""What runs show of dialogues under pressure: the fall from level to level, places, and values by topic.

scores ─▶ scenes at the weakest and at the strongest level, paired ─▶ drops, corrected over all models and shares.
Awareness and knowledge count at the place of the custom, values at the place of the value.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
from msgspec import structs

from mores.analysis.contrast import Contrast, Terms, adjusted, contrast_of, paired
from mores.analysis.results import Result, Results
from mores.benchmarks.shapes.dialogues.measures import SCENE
from mores.benchmarks.shapes.dialogues.reading import AWARENESS, CONDUCT, Reader, most_of, reader_of
from mores.benchmarks.shapes.pressure import LEVELS, PRESSURE
from mores.blocks.reasons import plain_fields
from mores.core.estimate import Estimate
from mores.core.scores import SEVERAL, Rows
from mores.core.seeds import Seed
from mores.norms.places import group_of
from mores.stats.intervals import mean_interval

KNOWLEDGE, VALUE, RESPECTED = "commonsense", "value", "respected"
RESPECTED_BOTH, FALSE_ALARMS = "respected_both", "false_alarms"
"""Stand beside the others where a benchmark has them."""
PRESSED = (AWARENESS, RESPECTED)
"""What pressure may change."""
SHARES = tuple(f"{CONDUCT}_{points}" for points in range(4))
UNKNOWING = "aware_unknowing"
MOST_PLACES = 21
"""Places with most scenarios that are shown, as in the paper's figure."""
RESAMPLES = 1_000
RNG_SEED = Seed("report")


@dataclass(frozen=True, slots=True, kw_only=True)
class Curves:
    """One metric of a benchmark at each level of pressure, weakest first, a row a model; None without a figure."""

    benchmark: str
    metric: str
    levels: tuple[str, ...]
    rows: tuple[tuple[Result, tuple[Estimate | None, ...]], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """One place of customs: how often a clash was noticed there, and how often the custom was known."""

    place: str
    aware: Estimate
    knows: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What one model's dialogues on one benchmark show.

    `levels` are those of pressure at which anything was graded, weakest first. `drops` are shares at the weakest (B)
    less at the strongest (A), over scenes graded at both. `places` are those of customs, most scenarios first. Of
    customs that are not known `unknowing` says how often the clash is noticed, None where all are known, and `kinds`
    the same by the kind of custom. `values` are those known by topic and Inglehart–Welzel group, a plain mean over
    scenarios.
    """

    evaluation: Result
    levels: tuple[str, ...]
    drops: tuple[Contrast, ...]
    places: tuple[Spot, ...]
    unknowing: Estimate | None
    kinds: dict[str, Estimate]
    values: dict[tuple[str, str], Estimate]

    @property
    def spots(self) -> tuple[Spot, ...]:
        """The places that are shown."""
        return self.places[:MOST_PLACES]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialogues:
    """All that the runs say of dialogues under pressure."""

    held: tuple[Held, ...]
    curves: tuple[Curves, ...]
    readers: tuple[Reader, ...]

    @property
    def simulated(self) -> bool:
        """True where any dialogue or verdict was made up."""
        return any(each.evaluation.simulated for each in self.held)

    @property
    def drops(self) -> tuple[tuple[Held, Contrast], ...]:
        """All drops, which are one family, each with whose it is."""
        return tuple((each, drop) for each in self.held for drop in each.drops)

    @property
    def fell(self) -> int:
        """Drops that are significant after correction."""
        return sum(drop.found and (drop.difference or 0) > 0 for _, drop in self.drops)

    def to_dict(self) -> dict[str, object]:
        """All figures of the section."""
        return {
            "simulated": self.simulated,
            "standing": [_named(each.evaluation, **_standing(each.evaluation)) for each in self.held],
            "pressure": {
                "family": len(self.drops),
                "curves": [_named(e, metric=each.metric, figures=dict(zip(each.levels, row, strict=True)))
                           for each in self.curves for e, row in each.rows],
                "drops": [_named(each.evaluation, **_dict_of_drop(each, drop)) for each, drop in self.drops],
            },
            "places": [_named(each.evaluation, places=len(each.places), shown=each.spots)
                       for each in self.held if each.places],
            "aware_without_knowing": [_named(each.evaluation, whole=each.unknowing, kinds=each.kinds)
                                      for each in self.held if each.unknowing],
            "values": [_named(each.evaluation, family=len(each.values), figures=tuple(each.values.values()))
                       for each in self.held if each.values],
            "talks": [plain_fields(each, "benchmark", "played", "shown", "items") for each in self.readers],
        }  # fmt: skip


def _named(evaluation: Result, **figures: object) -> dict[str, object]:
    return plain_fields(evaluation, model="label", benchmark="benchmark", simulated="simulated") | figures


def _standing(evaluation: Result) -> dict[str, object]:
    figures = {metric: evaluation.whole(metric) for metric in metrics_of([evaluation])}
    return {"figures": figures, "shares": shares_of(evaluation)}


def _dict_of_drop(held: Held, drop: Contrast) -> dict[str, object]:
    return {
        "weakest": held.levels[0],
        "strongest": held.levels[-1],
        **plain_fields(drop, before="b", after="a", drop="difference", p_holm="p_adjusted", why="missing"),
        **plain_fields(drop, "metric", "low", "high", "p", "units", "clusters", "test", "method", "caution"),
    }


def dialogues_of(results: Results) -> Dialogues:
    """What evaluations of dialogues show.

    Raises:
        InputError: verdicts or transcripts cannot be read.
    """
    held = _corrected([_held(evaluation) for evaluation in results.evaluations])
    benchmarks = [[each for each in held if each.evaluation.benchmark == name] for name in results.benchmarks]
    most = most_of(len(held))
    return Dialogues(
        held=held,
        curves=tuple(curves for members in benchmarks for curves in _curves(members)),
        readers=tuple(reader_of([each.evaluation for each in members], most) for members in benchmarks),
    )


def _held(evaluation: Result) -> Held:
    levels, unknowing = levels_of(evaluation), evaluation.whole(UNKNOWING)
    pressures, kinds = {level.label for level in LEVELS.values()}, evaluation.by("dimension", UNKNOWING)
    return Held(
        evaluation=evaluation,
        levels=levels,
        drops=tuple(_drops(evaluation, levels)) if len(levels) > 1 else (),
        places=_places(evaluation),
        unknowing=unknowing if unknowing and unknowing.value is not None else None,
        kinds={kind: figure for kind, figure in kinds.items() if kind not in pressures},
        values=_values(evaluation),
    )


def _corrected(held: Sequence[Held]) -> tuple[Held, ...]:
    """The same with the drops of all models as one family."""
    corrected = iter(adjusted([drop for each in held for drop in each.drops]))
    return tuple(replace(each, drops=tuple(islice(corrected, len(each.drops)))) for each in held)


def metrics_of(evaluations: Sequence[Result]) -> tuple[str, ...]:
    """The figures of a table of dialogues."""
    beside = (RESPECTED_BOTH, FALSE_ALARMS)
    more = (name for name in beside if any(each.whole(name) is not None for each in evaluations))
    return (AWARENESS, KNOWLEDGE, VALUE, RESPECTED, *more, CONDUCT)


def shares_of(evaluation: Result) -> tuple[Estimate, ...]:
    """The shares of each score of conduct, 0 to 3, as in the paper's Table 2; none where the benchmark has none."""
    return tuple(estimate for estimate in map(evaluation.whole, SHARES) if estimate is not None)


def levels_of(evaluation: Result) -> tuple[str, ...]:
    """The levels of pressure at which anything was graded, weakest first; none where a run names none."""
    pressed = [evaluation.scores[metric] for metric in PRESSED if metric in evaluation.scores]
    graded = [rows.take(np.isfinite(rows.value)) for rows in pressed]
    return tuple(level for level in LEVELS if any(len(_at(level, rows)) for rows in graded))


def _at(level: str, rows: Rows) -> Rows:
    """The rows of one level of pressure; runs of before named it among the kinds of custom alone."""
    named, kinds, label = rows.keys.groups.get(PRESSURE), rows.keys.groups.get("dimension"), LEVELS[level].label
    if named is not None:
        return rows.take(named.belongs(lambda name: name == level))
    return rows.take(np.zeros(len(rows), bool) if kinds is None else kinds.belongs(lambda n: label in n.split(SEVERAL)))


def _curves(held: Sequence[Held]) -> Iterator[Curves]:
    """Awareness, norms respected, conduct and the headline over all levels that any of the runs had."""
    several = {each.evaluation: each.levels for each in held if len(each.levels) > 1}
    for metric in dict.fromkeys(m for e in several for m in (*PRESSED, CONDUCT, e.headline)):
        tables = {evaluation: table for evaluation in several if (table := evaluation.by("dimension", metric))}
        union = tuple(level for level in LEVELS if any(level in several[evaluation] for evaluation in tables))
        rows = tuple((e, tuple(table.get(LEVELS[level].label) for level in union)) for e, table in tables.items())
        if rows:
            yield Curves(benchmark=rows[0][0].benchmark, metric=metric, levels=union, rows=rows)


def _drops(evaluation: Result, levels: Sequence[str]) -> Iterator[Contrast]:
    for metric in (metric for metric in PRESSED if metric in evaluation.scores):
        rows = evaluation.scores[metric]
        weakest, strongest = (_by_scene(_at(level, rows)) for level in (levels[0], levels[-1]))
        seed = RNG_SEED.child("pressure").child(evaluation.benchmark, evaluation.model, metric)
        pairs = structs.replace(paired(strongest, weakest), groups={})
        found = contrast_of(pairs, Terms(seed, metric, resamples=RESAMPLES, sides=(evaluation,)))
        if found.units:
            yield found


def _by_scene(rows: Rows) -> Rows:
    """The same rows with each scene a unit; in scores each of the dialogues on a scene is one."""
    return structs.replace(rows, keys=structs.replace(rows.keys, unit=rows.keys.groups.get(SCENE, rows.keys.unit)))


def _places(evaluation: Result) -> tuple[Spot, ...]:
    aware, knows = evaluation.by("place", AWARENESS), evaluation.by("place", KNOWLEDGE)
    both = sorted((place for place in aware if place in knows), key=lambda place: (-aware[place].asked, place))
    return tuple(Spot(place=place, aware=aware[place], knows=knows[place]) for place in both)


def _values(evaluation: Result) -> dict[tuple[str, str], Estimate]:
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


def _mean(evaluation: Result, key: tuple[str, str], rows: Rows) -> Estimate:
    seed = RNG_SEED.child("values").child(evaluation.benchmark, evaluation.model, *key)
    interval = mean_interval(rows.value, rows.keys.cluster.texts(), seed=seed)
    figure = Estimate(
        metric=VALUE, group=dict(zip(("topic", "wvs_group"), key, strict=True)), value=float(rows.value.mean()),
        low=interval.low, high=interval.high, asked=len(rows), graded=len(rows), method=interval.method,
        missing=interval.missing,
    )  # fmt: skip
    return evaluation.marked(figure)
