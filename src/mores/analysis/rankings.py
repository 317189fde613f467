"""Models against each other: two by their difference and where it lies, three or more by their ranks.

results of a benchmark that may be compared ─▶ units that all of them have a grade on ─▶ ranks with intervals, and each
model's difference from the first. Nobody is called best whose interval does not say so.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from mores.analysis.comparison import Compared, compare_results
from mores.analysis.compatibility import Mismatch, describe_mismatch, first_mismatch, groups_alike
from mores.analysis.contrast import Contrast, ContrastOptions, PairedUnits, contrast_of, known
from mores.analysis.groups import PLACE
from mores.analysis.results import Result, Results
from mores.analysis.units import SharedUnits, headline_units
from mores.core.card import Metric
from mores.core.estimate import Caution, Missing
from mores.core.seeds import Seed
from mores.stats.rankings import Ranking, rank_models

_SEED = Seed("ranking")
MODELS_RANKED = 3
"""Models from which a ranking says more than their difference."""


class ModelRank(Struct, frozen=True, kw_only=True):
    """One model among others: its mean over the units of all, its rank, and how it stands to the first.

    `first` is the share of resamples in which it comes first. `against` is this model less the first, its p corrected
    for all pairs of models; None for the first itself. `caution` is what has to be known of its answers.
    """

    evaluation: Result
    mean: float
    rank: int
    low: int | None
    high: int | None
    first: float | None
    against: Contrast | None
    caution: Caution | None = None

    @property
    def label(self) -> str:
        """The model."""
        return self.evaluation.label

    @property
    def simulated(self) -> bool:
        """True where its answers were made up."""
        return self.evaluation.simulated

    @property
    def is_behind(self) -> bool:
        """True where it is found to be worse than the first."""
        return self.against is not None and self.against.found


class BenchmarkRanking(Struct, frozen=True, kw_only=True):
    """Three models or more on one benchmark, the first of them first.

    `family` counts the pairs that p-values are corrected for. `left_out` counts units that only some have a grade on;
    `notes` say what keeps the figures from being plain; `missing` says why there are no rank intervals.
    """

    benchmark: str
    metric: str
    described: Metric | None
    unit: str
    standings: tuple[ModelRank, ...]
    family: int
    test: str
    units: int
    clusters: int
    left_out: int
    missing: Missing | None
    notes: tuple[Caution, ...]

    @property
    def simulated(self) -> bool:
        """True where any of it was made up."""
        return any(each.simulated for each in self.standings)

    @property
    def level_with(self) -> tuple[ModelRank, ...]:
        """Those that are not distinguishable from the first."""
        return tuple(each for each in self.standings[1:] if not each.is_behind)


class NotRankable(NamedTuple):
    """Models without a unit that all have a grade on, and those of them of which nothing was graded at all."""

    benchmark: str
    unit: str
    models: int
    ungraded: tuple[str, ...]


def describe_incompatible(found: NotRankable | Mismatch) -> str:
    """Reason that results stand in no order together, in a line."""
    if isinstance(found, Mismatch):
        return describe_mismatch(found)
    if found.ungraded:
        return f"{found.benchmark}: nothing was graded of {', '.join(found.ungraded)}."
    return f"{found.benchmark}: none of the {found.unit} was graded for all {found.models} models."


class Rankings(Struct, frozen=True, kw_only=True):
    """Ranks and pairs of models on all benchmarks; `not_compared` says which could not be compared, and why."""

    ranked: tuple[BenchmarkRanking, ...]
    pairs: tuple[Compared, ...]
    not_compared: tuple[NotRankable | Mismatch, ...]


@lru_cache(maxsize=1)
def rankings(results: Results) -> Rankings | None:
    """All models of some runs against each other; None where no two did the same benchmark."""
    ranked, pairs = list[BenchmarkRanking](), list[Compared]()
    mismatches, blank = list[Mismatch](), list[NotRankable]()
    for benchmark in results.benchmarks:
        groups = groups_alike(results.on(benchmark))
        for evaluations in groups:
            if len(evaluations) >= MODELS_RANKED:
                found = _ranked(evaluations)
                if found.units:
                    ranked.append(found)
                else:
                    blank.append(_unordered(evaluations))
            elif len(evaluations) > 1:
                pairs.append(compare_results(*evaluations))
        # each further group is held against the first, and says in what it differs from that
        others = (first_mismatch(groups[0][0], evaluations[0], allow_other_data=False) for evaluations in groups[1:])
        mismatches += [found for found in others if found is not None]
    if not ranked and not pairs and not blank:
        return None
    return Rankings(ranked=tuple(ranked), pairs=tuple(pairs), not_compared=(*blank, *mismatches))


def _unordered(evaluations: Sequence[Result]) -> NotRankable:
    """Models without a unit that all have a grade on, and whose grades are missing."""
    silent = (evaluation.label for evaluation in evaluations if not headline_units(evaluation).graded.any())
    return NotRankable(evaluations[0].benchmark, evaluations[0].counted, len(evaluations), tuple(silent))


def _ranked(evaluations: Sequence[Result]) -> BenchmarkRanking:
    units = [headline_units(evaluation) for evaluation in evaluations]
    shared = SharedUnits.of(units)
    described = evaluations[0].described
    # the first rank is of the highest mean, so that metrics of which less is better are turned
    sign = -1.0 if described is not None and described.better == "lower" else 1.0
    found = rank_models(
        sign * shared.points,
        shared.first.keys.cluster.codes,
        strata=shared.first.keys.place.codes,
        seed=_SEED.child(evaluations[0].benchmark),
    )
    order = sorted(range(len(evaluations)), key=lambda number: (found.models[number].rank, number))
    leader = order[0]
    standings = [_rank_of(evaluations, shared, found, number, leader) for number in order]
    notes = [Caution(code="judged_by_itself", words=(each.label,)) for each in evaluations if each.own_judges]
    notes += [
        Caution(code="ranked_by_mean_points", words=(each.label, each.headline))
        for each in evaluations
        if not each.is_mean
    ]
    return BenchmarkRanking(
        benchmark=evaluations[0].benchmark,
        metric=evaluations[0].headline,
        described=described,
        unit=evaluations[0].counted,
        standings=tuple(standings),
        family=found.family,
        test=found.test,
        units=found.units,
        clusters=found.clusters,
        left_out=shared.left_out,
        missing=found.missing,
        notes=tuple(notes),
    )


def _rank_of(evaluations: Sequence[Result], shared: SharedUnits, found: Ranking, number: int, leader: int) -> ModelRank:
    evaluation, own = evaluations[number], found.models[number]
    return ModelRank(
        evaluation=evaluation,
        mean=float(shared.points[number].mean()) if found.units else float("nan"),
        rank=own.rank,
        low=own.low,
        high=own.high,
        first=own.first,
        against=None if number == leader else _against(evaluations, shared, found, number, leader),
        caution=evaluation.caution(evaluation.headline, {}),
    )


def _against(evaluations: Sequence[Result], shared: SharedUnits, found: Ranking, number: int, leader: int) -> Contrast:
    """A model less the first, with the p-values of the ranking."""
    evaluation, keys = evaluations[number], shared.first.keys
    pairs = PairedUnits(
        a=shared.points[leader], b=shared.points[number], cluster=keys.cluster.codes,
        groups={PLACE: keys.place}, shared=found.units,
    )  # fmt: skip
    seed = _SEED.child(evaluation.benchmark, evaluation.label)
    terms = ContrastOptions(seed, evaluation.headline, evaluation.described, sides=(evaluations[leader], evaluation))
    p, p_holm = float(found.p[leader, number]), float(found.p_holm[leader, number])
    contrast = contrast_of(pairs, terms)
    return replace(contrast, p=known(p), p_adjusted=known(p_holm), family=found.family, test=found.test)
