"""How many units, calls and how much money a difference of two models takes, before anybody is asked.

items of a benchmark ─▶ its headline units with their clusters and places ─▶ what they could show ─▶ what the wanted
differences need, with calls, tokens and price as a dry run tells them.
"""

from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path

from mores.analysis.contrast import metric_range
from mores.analysis.power import (
    Basis,
    MinimumSample,
    PilotData,
    PlacePlan,
    PlannedUnit,
    PlanRequest,
    UnitDesign,
    basis_of,
    by_place,
)
from mores.analysis.units import units_of
from mores.core.card import Metric
from mores.core.errors import InputError
from mores.core.verdict import Ungraded
from mores.core.verdict_table import VerdictTable
from mores.runs.cost_estimate import DryRunEstimate, estimate
from mores.runs.evaluation import Evaluation
from mores.runs.selection import drawn_by
from mores.runs.spec import Spec
from mores.runs.study import Study
from mores.stats.intervals import MIN_CLUSTERS

USUAL = (0.02, 0.05, 0.1)
"""Differences that are planned for where none is named, as shares of the metric's range."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequiredSample:
    """What a difference takes: `units` to be graded for both models, and calls and cost of asking as many.

    With more units than there are, `enough` is False, and `samples` is how many answers to each of all units would do
    instead; None where no number would, and then `evaluations` is empty.
    """

    difference: float
    units: int
    enough: bool
    samples: int | None
    evaluations: tuple[DryRunEstimate, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkPlan:
    """One benchmark: what its own number of units could show, whole and by place, and what differences take.

    `floor` says what it takes to see any difference, `places` the same for a place of the middle size where the claim
    has to hold among all of them; None without a family of places. `detectable` is None where nothing can be seen.
    """

    benchmark: str
    metric: str
    described: Metric | None
    unit: str
    units: int
    clusters: int
    available: int
    basis: Basis
    detectable: float | None
    floor: MinimumSample
    parts: tuple[PlacePlan, ...]
    places: MinimumSample | None
    needs: tuple[RequiredSample, ...]
    evaluations: tuple[DryRunEstimate, ...]

    @property
    def family(self) -> int:
        """Places with enough units for a claim."""
        return sum(part.clusters >= MIN_CLUSTERS for part in self.parts)


def plan_of(spec: Spec, wanted: PlanRequest, pilot: PilotData | None = None) -> BenchmarkPlan:
    """The plan of a spec's one benchmark.

    Raises:
        InputError: as a run of the spec would, or a figure is outside its range.
    """
    evaluation, everything = _evaluation(spec), _evaluation(replace(spec, limit="all"))
    asked, card = _asked(evaluation), evaluation.benchmark.card
    basis, clusters, whole = basis_of(asked, wanted, pilot), asked.clusters, _asked(everything).clusters
    described = next((each for each in card.metrics if each.name == card.headline), None)
    reach = metric_range(described)
    if wanted.difference is not None and wanted.difference > reach:
        raise InputError(
            f"--difference {wanted.difference:g}: {evaluation.name}'s {card.headline} has a range of {reach:g}; "
            f"expected a difference within it, such as {reach / 20:g}."
        )
    least, places = basis.detectable(clusters), by_place(asked, basis, reach)
    sizes = USUAL if wanted.difference is None else (wanted.difference / reach,)
    return BenchmarkPlan(
        benchmark=evaluation.name,
        metric=card.headline,
        described=described,
        unit=described.unit if described else "unit",
        units=len(clusters),
        clusters=len(set(clusters)),
        available=len(whole),
        basis=basis,
        detectable=None if least is None else reach * least,
        floor=basis.floor(clusters),
        parts=places.parts,
        places=places.floor,
        needs=tuple(replace(_need(spec, everything, whole, basis, size), difference=reach * size) for size in sizes),
        evaluations=estimate(spec),
    )


def unit_design(spec: Spec) -> UnitDesign:
    """What a spec's first evaluation would ask: the units that its headline counts, and how.

    Raises:
        InputError: as a run of the spec would.
    """
    return _asked(_evaluation(spec))


def _evaluation(spec: Spec) -> Evaluation:
    study = Study(spec=spec, folder=Path("plan"))
    return study.evaluations()[0]


def _asked(evaluation: Evaluation) -> UnitDesign:
    benchmark, protocol = evaluation.benchmark, evaluation.setting.protocol
    owed = [due for item in evaluation.items for due in benchmark.due(item)]
    blank = VerdictTable(Ungraded(about=due.about, sample=0, task=due.task, cause="not asked yet") for due in owed)
    keys = units_of(benchmark.scoring(evaluation.setting).score(blank)[benchmark.card.headline]).keys
    kinds = {kind: column.texts() for kind, column in keys.groups.items()}
    groups = ({kind: texts[row] for kind, texts in kinds.items() if texts[row]} for row in range(len(keys)))
    columns = zip(keys.unit.texts(), keys.cluster.texts(), keys.place.texts(), groups, strict=True)
    return UnitDesign(
        units={name: PlannedUnit(cluster, place, own) for name, cluster, place, own in columns},
        samples=protocol.samples,
        random=protocol.sampling.random,
        judged=any(role.startswith("judge") for role in evaluation.roles),
        chance=benchmark.card.chance or 0.0,
    )


def _need(spec: Spec, everything: Evaluation, whole: list[str], basis: Basis, size: float) -> RequiredSample:
    """What one difference takes, as a share of the metric's range."""
    units, available = basis.units_for(size, whole), len(whole)
    enough = units <= available
    samples = basis.samples if enough else basis.lifted(size).samples_for(size, whole)
    # The limit of a run counts what is drawn; one answer may be held against several units.
    own = len({drawn_by(item) for item in everything.items})
    asked = replace(spec, limit=max(1, ceil(units * own / available)) if enough else "all", samples=samples)
    evaluations = estimate(asked) if samples else ()
    return RequiredSample(difference=size, units=units, enough=enough, samples=samples, evaluations=evaluations)
