"""Calls, tokens and price of a run before it: those of a spec, and those that a difference of two models takes."""

from collections.abc import Iterable, Iterator, Sequence
from math import ceil
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from mores.analysis.contrast import metric_range
from mores.analysis.power import (
    Basis,
    ExpectedAsking,
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
from mores.benchmarks.benchmark import CallEstimate
from mores.core.card import Metric, Variant
from mores.core.errors import InputError
from mores.core.verdict import Ungraded
from mores.core.verdict_table import VerdictTable
from mores.models.budget import FREE, Price, price_table
from mores.models.provider import provider_of
from mores.models.registry import is_endpoint
from mores.models.request import Usage
from mores.runs.client_pool import addresses, rates_of
from mores.runs.evaluation import Evaluation
from mores.runs.protocol import extra_fields_of_subject
from mores.runs.selection import drawn_by
from mores.runs.spec import Spec
from mores.runs.study import Study
from mores.stats.sequential import FEWEST_CLUSTERS

MANY = 4
"""Waves from which a live run is quicker for most."""


class DryRunEstimate(Struct, frozen=True, kw_only=True):
    """Calls and tokens of one evaluation, at most; the cost in US dollars is None where no price is known.

    `units` is what a limit counts: items, of which those that are drawn together are one. `addresses` say where the
    calls to each role's endpoint would go, `sent` are fields of each call to the subject that were asked for beside its
    sampling. Where calls would go into batches, `waves` is how many would follow one another, and the cost is theirs.
    """

    model: str
    benchmark: str
    variant: Variant
    items: int
    units: int
    calls: dict[str, int]
    input_tokens: int
    output_tokens: int
    cost: float | None
    prices: str
    sent: dict[str, object]
    addresses: dict[str, str]
    waves: int | None = None


def estimate(spec: Spec, *, batch: bool = False) -> tuple[DryRunEstimate, ...]:
    """Calls, tokens and price of each evaluation of a spec, live or by batches.

    Raises:
        InputError: as a run would.
    """
    study = Study(spec=spec, folder=Path("dry"))
    evaluations = study.evaluations()
    urls = addresses(spec, evaluations)
    rates = rates_of(spec, urls)
    found = []
    for evaluation in evaluations:
        efforts = _efforts(evaluation)
        costs = [_cost(rates[evaluation.roles[role]], effort, batch=batch) for role, effort in efforts.items()]
        found.append(
            DryRunEstimate(
                model=evaluation.model,
                benchmark=evaluation.name,
                variant=evaluation.variant,
                items=len(evaluation.items),
                units=len({drawn_by(item) for item in evaluation.items}),
                calls={role: effort.calls for role, effort in efforts.items()},
                input_tokens=sum(effort.input_tokens for effort in efforts.values()),
                output_tokens=sum(effort.output_tokens for effort in efforts.values()),
                cost=None if None in costs else sum(cost for cost in costs if cost is not None),
                prices=_sources(rates[evaluation.roles[role]] for role in efforts),
                sent=extra_fields_of_subject(evaluation.model, evaluation.setting.protocol),
                addresses={
                    role: provider_of(model).address(urls[model])
                    for role, model in evaluation.asked.items()
                    if is_endpoint(model)
                },
                waves=_waves(evaluation) if batch else None,
            )
        )
    return tuple(found)


def describe_long_waits(found: Sequence[DryRunEstimate]) -> Iterator[str]:
    """A warning of benchmarks that take many waves, where there are any."""
    long = {each.benchmark: each.waves for each in found if (each.waves or 0) > MANY}
    if long:
        rounds = ", ".join(f"{name} up to {waves:,}" for name, waves in long.items())
        yield (
            f"Rounds of {rounds}: one for each turn of a dialogue or step of a day, and a provider may take a day for "
            "each. Without --batch they are asked live."
        )


def _efforts(evaluation: Evaluation) -> dict[str, CallEstimate]:
    """Calls of each role in an evaluation, all its items and samples together; each judge of a jury has as many."""
    totals: dict[str, list[int]] = {role: [0, 0, 0] for role in evaluation.asked}
    samples = evaluation.setting.protocol.samples
    for item in evaluation.items:
        outline = evaluation.benchmark.outline(item, evaluation.setting)
        for role, total in totals.items():
            # Further judges of a jury are asked what the first one is asked.
            effort = outline.get(role) or outline["judge"]
            for number, part in enumerate(effort[:3]):
                total[number] += samples * part
    return {role: CallEstimate(*total) for role, total in totals.items()}


def _waves(evaluation: Evaluation) -> int:
    """Number of batches, one after another, until the longest play is judged; nobody but an endpoint is waited for."""
    asked = {role for role, spec in evaluation.asked.items() if is_endpoint(spec)}
    outlines = (evaluation.benchmark.outline(item, evaluation.setting) for item in evaluation.items)
    return max(
        (sum(effort.waves for role, effort in outline.items() if role in asked) for outline in outlines), default=0
    )


def _sources(rates: Iterable[Price | None]) -> str:
    """Sources of the prices of what is paid for; the table where nothing is."""
    paid = dict.fromkeys(rate.source for rate in rates if rate is not None and rate != FREE)
    return "; ".join(paid) or price_table()


def _cost(rate: Price | None, effort: CallEstimate, *, batch: bool) -> float | None:
    used = Usage(input=effort.input_tokens, output=effort.output_tokens, batch=batch)
    return None if rate is None else round(rate.of(used), 9)


USUAL = (0.02, 0.05, 0.1)
"""Differences that are planned for where none is named, as shares of the metric's range."""


class RequiredSample(Struct, frozen=True, kw_only=True):
    """Sample that a difference takes: `units` to be graded for both models, and calls and cost of asking as many.

    With more units than there are, `enough` is False, and `samples` is how many answers to each of all units would do
    instead; None where no number would, and then `evaluations` is empty.
    """

    difference: float
    units: int
    enough: bool
    samples: int | None
    evaluations: tuple[DryRunEstimate, ...]


class BenchmarkPlan(Struct, frozen=True, kw_only=True):
    """One benchmark: what its own number of units could show, whole and by place, and what differences take.

    `floor` says what it takes to see any difference, `places` the same for a place of the middle size where the claim
    has to hold among all groups; None without a family of places. `family` is what the level is divided by for the
    first of these. `detectable` is None where nothing can be seen.
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
    family: int
    needs: tuple[RequiredSample, ...]
    until: tuple[ExpectedAsking, ...]
    evaluations: tuple[DryRunEstimate, ...]


def plan_of(spec: Spec, wanted: PlanRequest, pilot: PilotData | None = None) -> BenchmarkPlan:
    """The plan of a spec's one benchmark.

    Raises:
        InputError: as a run of the spec would, or a figure is outside its range.
    """
    evaluation, everything = _evaluation(spec), _evaluation(replace(spec, limit="all"))
    asked, card = design_of(evaluation), evaluation.benchmark.card
    basis, clusters, whole = basis_of(asked, wanted, pilot), asked.clusters, design_of(everything).clusters
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
        family=places.family,
        needs=tuple(replace(_need(spec, everything, whole, basis, size), difference=reach * size) for size in sizes),
        until=_until(basis, clusters, sizes, reach),
        evaluations=estimate(spec),
    )


def _until(basis: Basis, clusters: list[str], sizes: Sequence[float], reach: float) -> tuple[ExpectedAsking, ...]:
    """Expected lengths with `--until`, of no difference and of each size; none with too few clusters for two looks.

    Differences come in the metric's own points.
    """
    if len(set(clusters)) < 2 * FEWEST_CLUSTERS:
        return ()
    found = (basis.asking(size, clusters) for size in (0.0, *sizes))
    return tuple(replace(each, difference=reach * each.difference) for each in found)


def unit_design(spec: Spec) -> UnitDesign:
    """Units of a spec's first evaluation that its headline counts, and how they would be asked.

    Raises:
        InputError: as a run of the spec would.
    """
    return design_of(_evaluation(spec))


def _evaluation(spec: Spec) -> Evaluation:
    study = Study(spec=spec, folder=Path("plan"))
    return study.evaluations()[0]


def design_of(evaluation: Evaluation) -> UnitDesign:
    """Units of an evaluation that its headline counts, and how they would be asked."""
    benchmark, protocol = evaluation.benchmark, evaluation.setting.protocol
    owed = [due for item in evaluation.items for due in benchmark.due(item)]
    # Scored as if nothing could be graded: units and clusters are then those that a run would have.
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
    """Sample that one difference takes; it is a share of the metric's range."""
    units, available = basis.units_for(size, whole), len(whole)
    enough = units <= available
    samples = basis.samples if enough else basis.lifted(size).samples_for(size, whole)
    # The limit of a run counts what is drawn; one answer may be held against several units.
    own = len({drawn_by(item) for item in everything.items})
    asked = replace(spec, limit=max(1, ceil(units * own / available)) if enough else "all", samples=samples)
    evaluations = estimate(asked) if samples else ()
    return RequiredSample(difference=size, units=units, enough=enough, samples=samples, evaluations=evaluations)
