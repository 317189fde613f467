"""The paper's figures of a day: goal against adherence, faithfulness, awareness and coherence.

Source:
    LiveCultureBench (2026), section 2.6.1. Adherence has three readings, as the formulas are lost: over all norms of
    the place, over steps, and over norms that came up.
"""

from __future__ import annotations

from mores.analysis.aggregate import describe_episodes
from mores.benchmarks.shapes.days.verifying import ABSENT, OPEN, RESPECTED, VIOLATED
from mores.benchmarks.shapes.figures import Figure, Points, labelled
from mores.core.arrays import Floats, np
from mores.core.verdict_table import Frame, VerdictTable


def _share(label: str) -> Points:
    def points(table: VerdictTable, frame: Frame) -> Floats:
        _ = frame
        shares = [None if ballot is None else ballot.label_probs for ballot in table.ballots("norms")]
        return np.array([np.nan if each is None else each[label] for each in shares])

    return points


def _applicable(table: VerdictTable, frame: Frame) -> Floats:
    """Respected of the norms that came up; nothing where none did."""
    respected, violated = (_share(label)(table, frame) for label in (RESPECTED, VIOLATED))
    up = respected + violated
    return np.asarray(np.divide(respected, up, out=np.full(up.shape, np.nan), where=up > 0))


FIGURES: dict[str, Figure] = {
    "adherence_step": Figure(task="norms", points=labelled(RESPECTED), derived=True, open=OPEN),
    "adherence_mean": Figure(task="norms"),
    "adherence_applicable": Figure(task="norms", points=_applicable, derived=True),
    "not_applicable": Figure(task="norms", points=_share(ABSENT), derived=True),
    "goal": Figure(task="goal"),
    "on_time": Figure(task="on_time"),
    "faithfulness": Figure(task="profile"),
    "context": Figure(task="context"),
    "coherence": Figure(task="coherence"),
    "refused": Figure(task="deed", points=labelled("refused"), derived=True),
    "format_error": Figure(task="deed", points=labelled("format_error"), derived=True),
    "refusal": Figure(task="deed", points=labelled("refusal"), derived=True),
    "steps": Figure(task="steps", top=30.0, aggregate=describe_episodes),
}
