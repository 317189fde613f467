"""Calls and cost of a pipeline at most, by role, where every reply will do; nothing is asked."""

from collections.abc import Mapping
from typing import Any

import msgspec

from mores.benchmarks.benchmark import CallEstimate
from mores.models.budget import rate_of
from mores.models.request import Usage
from mores.pipelines.pipeline import Pipeline


class RoleEstimate(msgspec.Struct, frozen=True, kw_only=True):
    """Calls and tokens of one role, at most; the cost in US dollars is None where no price is known."""

    role: str
    model: str
    calls: int
    input_tokens: int
    output_tokens: int
    cost: float | None


def estimate_pipeline(pipeline: Pipeline[Any, Any], addresses: Mapping[str, str | None]) -> tuple[RoleEstimate, ...]:
    """Estimate of each role of a pipeline."""
    totals = {role: CallEstimate(0, 0, 0) for role in pipeline.roles}
    for unit in pipeline.units:
        for role, efforts in pipeline.outline(unit).items():
            totals[role] = CallEstimate(*map(sum, zip(totals[role], *efforts, strict=True)))
    found = []
    for role, effort in totals.items():
        model = pipeline.roles[role]
        rate = rate_of(model, addresses.get(model))
        used = Usage(input=effort.input_tokens, output=effort.output_tokens)
        found.append(
            RoleEstimate(role=role, model=model, calls=effort.calls, input_tokens=effort.input_tokens,
                         output_tokens=effort.output_tokens, cost=None if rate is None else round(rate.of(used), 9))
        )  # fmt: skip
    return tuple(found)
