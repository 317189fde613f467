"""Findings for programs: one JSON object a model, its shape a contract."""

from collections.abc import Sequence
from pathlib import Path

from mores.core.codec import encode
from mores.core.estimate import Estimate
from mores.reports.findings import Finding, Findings
from mores.reports.order import orders_of

_UNSAID = "the run gives no reason"


def as_json(findings: Findings, folder: Path) -> list[str]:
    """One line of JSON for each model of the runs; a missing figure or interval is null with its `why`."""
    return [encode(_of_subject(findings.of(label), folder)).decode() for label in findings.labels]


def _of_subject(cells: Sequence[Finding], folder: Path) -> dict[str, object]:
    benchmarks = {cell.benchmark: _of_cell(cell) for cell in cells}
    return {"run": str(folder), "model": cells[0].model, "benchmarks": benchmarks}


def _of_cell(cell: Finding) -> dict[str, object]:
    whole = cell.whole()
    return {
        "asked": whole.asked if whole else 0,
        "graded": whole.graded if whole else 0,
        "simulated": cell.simulated,
        "version": cell.provenance.card.version,
        "headline": cell.headline,
        "chance": cell.chance,
        "departures": cell.provenance.departures,
        "remarks": cell.provenance.remarks,
        "own_judges": cell.own_judges,
        "ungraded": cell.causes(),
        "estimates": [_of_estimate(estimate) for estimate in cell.estimates],
        "reliability": {order.kind: order.found for order in orders_of([cell])},
    }


def _of_estimate(estimate: Estimate) -> dict[str, object]:
    missing = estimate.value is None or estimate.low is None or estimate.high is None
    return {
        "metric": estimate.metric,
        "group": estimate.group,
        "value": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "asked": estimate.asked,
        "graded": estimate.graded,
        "worst": estimate.worst,
        "best": estimate.best,
        "method": estimate.method,
        "why": (estimate.why or _UNSAID) if missing else estimate.why,
    }
