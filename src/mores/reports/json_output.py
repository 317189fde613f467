"""Results for programs: one JSON object a model, its shape a contract."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from mores.analysis.answers import ANSWERS
from mores.analysis.answers import row_of as answers_of
from mores.analysis.breakdown import orders_of
from mores.analysis.controls import GAINS, analyse
from mores.analysis.results import Result, Results
from mores.core.code_errors import attempt
from mores.core.codec import encode
from mores.core.estimate import Estimate, caution_of, judge_band_of
from mores.tables import Row, row_by_key
from mores.tables.missing_texts import format_caution, format_missing, to_plain

_WHOSE = ("run", "model", "benchmark", "simulated")
"""Keys of rows that are known where they stand within the figures of an evaluation."""
_UNSAID = "the run gives no reason"


def as_json(results: Results, folder: Path) -> list[str]:
    """One line of JSON for each model of the runs; a missing figure or interval is null with its `why`."""
    found = attempt("the controls", partial(_of_controls, results), lambda _: ())
    return [encode(_of_subject(results.of(label), folder, found)).decode() for label in results.labels]


def _of_controls(results: Results) -> tuple[Row, ...]:
    found = analyse(results)
    return found.tables[0].rows if found else ()


def _of_subject(evaluations: Sequence[Result], folder: Path, found: Sequence[Row]) -> dict[str, object]:
    benchmarks = {each.benchmark: _of_evaluation(each, found) for each in evaluations}
    return {"run": str(folder), "model": evaluations[0].model, "benchmarks": benchmarks}


def _of_evaluation(evaluation: Result, found: Sequence[Row]) -> dict[str, object]:
    whole = evaluation.overall()
    controls = [row_by_key(GAINS, row) for row in found if row[0].folder == evaluation.folder]
    return {
        "asked": whole.asked if whole else 0,
        "graded": whole.graded if whole else 0,
        "simulated": evaluation.simulated,
        "facts": evaluation.provenance.facts,
        "version": evaluation.provenance.card.version,
        "headline": evaluation.headline,
        "chance": evaluation.chance,
        "departures": evaluation.provenance.departures,
        "remarks": evaluation.provenance.remarks,
        "own_judges": evaluation.own_judges,
        "ungraded": evaluation.causes(),
        **attempt("the account of answers", partial(_of_answers, evaluation), lambda _: {}),
        "estimates": [_of_estimate(estimate) for estimate in evaluation.figures],
        "reliability": attempt("the reliability of orders", partial(_reliability, evaluation), lambda _: {}),
        **({"controls": controls} if controls else {}),
    }


def _reliability(evaluation: Result) -> dict[str, object]:
    return {order.kind: to_plain(order.found) for order in orders_of([evaluation])}


def _of_answers(evaluation: Result) -> dict[str, object]:
    """Counts of answers, the caution on mostly unusable ones, and what one label would get."""
    if evaluation.partial:
        return {}
    row = row_by_key(ANSWERS, answers_of(evaluation))
    always = evaluation.quality.always
    return {
        "always": None if always is None else {"label": always.label, "value": always.share},
        "caution": row.pop("caution"),
        "answers": {key: value for key, value in row.items() if key not in _WHOSE},
    }


def _of_estimate(estimate: Estimate) -> dict[str, object]:
    names = ("metric", "group", "value", "low", "high", "asked", "graded", "worst", "best", "method")
    lacks = None in {estimate.value, estimate.low, estimate.high}
    why = format_missing(estimate.missing) or (_UNSAID if lacks else None)
    caution, band = caution_of(estimate), judge_band_of(estimate)
    marked = {} if caution is None else {"caution": format_caution(caution)}
    return {**{name: getattr(estimate, name) for name in names}, "judge": to_plain(band), "why": why, **marked}
