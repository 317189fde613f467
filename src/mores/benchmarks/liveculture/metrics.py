"""The paper's figures of a day: goal against adherence, faithfulness, awareness and coherence.

Source:
    LiveCultureBench (2026), section 2.6.1. Adherence has three readings, as the formulas are lost: over all norms of
    the place, over steps, and over norms that came up.
"""

from __future__ import annotations

import numpy as np

from mores.analysis.aggregate import describe_episodes
from mores.benchmarks.shapes.days.verifier import ABSENT, OPEN, RESPECTED, VIOLATED
from mores.benchmarks.shapes.verdict_metrics import Points, VerdictMetric, labelled
from mores.core.arrays import Floats
from mores.core.verdict_table import VerdictColumns, VerdictTable


def _share(label: str) -> Points:
    def points(table: VerdictTable, frame: VerdictColumns) -> Floats:
        _ = frame
        shares = [None if ballot is None else ballot.label_probs for ballot in table.ballots("norms")]
        return np.array([np.nan if each is None else each[label] for each in shares])

    return points


def _applicable(table: VerdictTable, frame: VerdictColumns) -> Floats:
    """Respected of the norms that came up; nothing where none did."""
    respected, violated = (_share(label)(table, frame) for label in (RESPECTED, VIOLATED))
    up = respected + violated
    return np.asarray(np.divide(respected, up, out=np.full(up.shape, np.nan), where=up > 0))


FIGURES: dict[str, VerdictMetric] = {
    "adherence_step": VerdictMetric(task="norms", points=labelled(RESPECTED), derived=True, open=OPEN),
    "adherence_mean": VerdictMetric(task="norms"),
    "adherence_applicable": VerdictMetric(task="norms", points=_applicable, derived=True),
    "not_applicable": VerdictMetric(task="norms", points=_share(ABSENT), derived=True),
    "goal": VerdictMetric(task="goal"),
    "on_time": VerdictMetric(task="on_time"),
    "faithfulness": VerdictMetric(task="profile"),
    "context": VerdictMetric(task="context"),
    "coherence": VerdictMetric(task="coherence"),
    "refused": VerdictMetric(task="deed", points=labelled("refused"), derived=True),
    "format_error": VerdictMetric(task="deed", points=labelled("format_error"), derived=True),
    "refusal": VerdictMetric(task="deed", points=labelled("refusal"), derived=True),
    "steps": VerdictMetric(task="steps", top=30.0, aggregate=describe_episodes),
}
