"""The paper's figures of a day: goal against adherence, faithfulness, awareness and coherence.

Source:
    LiveCultureBench (2026), section 2.6.1. Adherence has three readings, as the formulas are lost: over all norms of
    the place, over steps, and over norms that came up.
"""

from __future__ import annotations

from collections.abc import Sequence

from mores.benchmarks.shapes.days.measures import Reading, Values, with_label
from mores.benchmarks.shapes.days.verifying import ABSENT, OPEN, RESPECTED, VIOLATED
from mores.core.arrays import Floats, np
from mores.core.verdict import Ballot
from mores.core.verdict_table import Frame, VerdictTable


def _share(label: str) -> Values:
    def worth(ledger: VerdictTable, frame: Frame, ballots: Sequence[Ballot | None]) -> Floats:
        _ = ledger, frame
        return np.array([np.nan if b is None or b.label_probs is None else b.label_probs[label] for b in ballots])

    return worth


def _applicable(ledger: VerdictTable, frame: Frame, ballots: Sequence[Ballot | None]) -> Floats:
    """Respected of the norms that came up; nothing where none did."""
    respected, violated = (_share(label)(ledger, frame, ballots) for label in (RESPECTED, VIOLATED))
    up = respected + violated
    return np.asarray(np.divide(respected, up, out=np.full(up.shape, np.nan), where=up > 0))


READINGS: dict[str, Reading] = {
    "adherence_step": Reading(task="norms", worth=with_label(RESPECTED), open=OPEN),
    "adherence_mean": Reading(task="norms"),
    "adherence_applicable": Reading(task="norms", worth=_applicable),
    "not_applicable": Reading(task="norms", worth=_share(ABSENT)),
    "goal": Reading(task="goal"),
    "on_time": Reading(task="on_time"),
    "faithfulness": Reading(task="profile"),
    "context": Reading(task="context"),
    "coherence": Reading(task="coherence"),
    "refused": Reading(task="deed", worth=with_label("refused")),
    "format_error": Reading(task="deed", worth=with_label("format_error")),
    "refusal": Reading(task="deed", worth=with_label("refusal")),
    "steps": Reading(task="steps", top=30.0, plain=True),
}
