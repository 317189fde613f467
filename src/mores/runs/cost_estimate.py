"""What a run would ask and cost, without asking anything."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from mores.benchmarks.benchmark import CallEstimate
from mores.core.card import Variant
from mores.models.budget import FREE, Price, price_table
from mores.models.provider import provider_of
from mores.models.registry import is_endpoint
from mores.models.request import Usage
from mores.runs.evaluation import Evaluation
from mores.runs.roles import extra_fields_of_subject
from mores.runs.selection import drawn_by
from mores.runs.spec import Spec
from mores.runs.study import Study, addresses, rates_of

MANY = 4
"""Waves from which a live run is quicker for most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DryRunEstimate:
    """Calls and tokens of one evaluation, at most; the cost in US dollars is None where no price is known.

    `units` is what a limit counts: items, of which those that are drawn together are one. `addresses` say where the
    calls to each role's endpoint would go, `sent` are fields of each call to the subject that were asked for beside its
    sampling. Where calls would be parked, `waves` is how many batches would follow one another, and the cost is theirs.
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


def estimate(spec: Spec, *, parked: bool = False) -> tuple[DryRunEstimate, ...]:
    """What each evaluation of a spec would ask, live or by batches.

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
        costs = [_cost(rates[evaluation.roles[role]], effort, parked=parked) for role, effort in efforts.items()]
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
                waves=_waves(evaluation) if parked else None,
            )
        )
    return tuple(found)


def describe_long_waits(found: Sequence[DryRunEstimate]) -> Iterator[str]:
    """A warning of benchmarks that take many waves, where there are any."""
    long = {each.benchmark: each.waves for each in found if (each.waves or 0) > MANY}
    if long:
        told = ", ".join(f"{name} up to {waves:,}" for name, waves in long.items())
        yield (
            f"Waves of {told}: one for each turn of a dialogue or step of a day, and a provider may take a day for "
            "each. Without --park they are asked live."
        )


def _efforts(evaluation: Evaluation) -> dict[str, CallEstimate]:
    """What an evaluation asks of each role, all its items and samples together; each judge of a jury as much."""
    totals: dict[str, list[int]] = {role: [0, 0, 0] for role in evaluation.asked}
    samples = evaluation.setting.protocol.samples
    for item in evaluation.items:
        outline = evaluation.benchmark.outline(item, evaluation.setting)
        for role, total in totals.items():
            effort = outline.get(role) or outline["judge"]
            for number, part in enumerate(effort[:3]):
                total[number] += samples * part
    return {role: CallEstimate(*total) for role, total in totals.items()}


def _waves(evaluation: Evaluation) -> int:
    """How many batches follow one another until the longest play is judged; nobody but an endpoint is waited for."""
    asked = {role for role, spec in evaluation.asked.items() if is_endpoint(spec)}
    outlines = (evaluation.benchmark.outline(item, evaluation.setting) for item in evaluation.items)
    return max(
        (sum(effort.waves for role, effort in outline.items() if role in asked) for outline in outlines), default=0
    )


def _sources(rates: Iterable[Price | None]) -> str:
    """Where the prices of what is paid for come from; the table where nothing is."""
    paid = dict.fromkeys(rate.source for rate in rates if rate is not None and rate != FREE)
    return "; ".join(paid) or price_table()


def _cost(rate: Price | None, effort: CallEstimate, *, parked: bool) -> float | None:
    used = Usage(input=effort.input_tokens, output=effort.output_tokens, batch=parked)
    return None if rate is None else round(rate.of(used), 9)
