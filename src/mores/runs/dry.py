"""What a run would ask and cost, without asking anything."""

from dataclasses import dataclass
from pathlib import Path

from mores.benchmarks.benchmark import Effort
from mores.models.budget import Budget, price_table, rate_of
from mores.models.request import Usage
from mores.runs.casting import sent_beside
from mores.runs.evaluation import Evaluation
from mores.runs.spec import Conditions, Spec
from mores.runs.study import Study, addresses


@dataclass(frozen=True, slots=True, kw_only=True)
class Foreseen:
    """Calls and tokens of one evaluation, at most; the cost in US dollars is None where no price is known.

    `sent` are fields of each call to the subject that were asked for beside its sampling.
    """

    model: str
    benchmark: str
    items: int
    calls: dict[str, int]
    input_tokens: int
    output_tokens: int
    cost: float | None
    prices: str
    sent: dict[str, object]


def estimate(spec: Spec) -> tuple[Foreseen, ...]:
    """What each evaluation of a spec would ask.

    Raises:
        InputError: as a run would.
    """
    study = Study(spec=spec, conditions=Conditions(), folder=Path("dry"), budget=Budget())
    evaluations = study.evaluations()
    urls = addresses(spec, evaluations)
    found = []
    for evaluation in evaluations:
        efforts = _efforts(evaluation)
        costs = [
            _cost(evaluation.roles[role], urls[evaluation.roles[role]], effort) for role, effort in efforts.items()
        ]
        found.append(
            Foreseen(
                model=evaluation.model,
                benchmark=evaluation.name,
                items=len(evaluation.items),
                calls={role: effort.calls for role, effort in efforts.items()},
                input_tokens=sum(effort.input_tokens for effort in efforts.values()),
                output_tokens=sum(effort.output_tokens for effort in efforts.values()),
                cost=None if None in costs else sum(cost for cost in costs if cost is not None),
                prices=price_table(),
                sent=sent_beside(evaluation.model, evaluation.setting.protocol),
            )
        )
    return tuple(found)


def _efforts(evaluation: Evaluation) -> dict[str, Effort]:
    """What an evaluation asks of each role, all its items and samples together; each judge of a jury as much."""
    totals: dict[str, list[int]] = {role: [0, 0, 0] for role in evaluation.asked}
    samples = evaluation.setting.protocol.samples
    for item in evaluation.items:
        outline = evaluation.benchmark.outline(item, evaluation.setting)
        for role, total in totals.items():
            effort = outline.get(role) or outline["judge"]
            for number, part in enumerate(effort):
                total[number] += samples * part
    return {role: Effort(*total) for role, total in totals.items()}


def _cost(model: str, url: str | None, effort: Effort) -> float | None:
    rate = rate_of(model, url)
    return None if rate is None else round(rate.of(Usage(input=effort.input_tokens, output=effort.output_tokens)), 9)
