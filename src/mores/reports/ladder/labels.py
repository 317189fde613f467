"""What people's labels tell of a ladder's judges: sensitivity and specificity on each rung, in one model's answers.

labels ─▶ tables of the rungs' judged tasks ─▶ kept or not, by people and by judges ─▶ errors of each cell's judges
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from mores.benchmarks.ladder.scores import JUDGED_TASKS, kept_by
from mores.benchmarks.shapes.explained import LABEL
from mores.core.errors import InputError
from mores.core.verdict import Graded
from mores.people.tables import Floats, TaskTable
from mores.reports.findings import Finding, Findings, JudgesKnown
from mores.reports.ladder.rungs import FAMILY
from mores.stats import JudgedUnits, LabelledUnits, rogan_gladen
from mores.stats.judged_contrast import JudgeErrors, Rate

LEAST_LABELS = 10
"""Labels, counted by their clusters, from which a rate is theirs; below, it is the stated range's."""


def with_labels(findings: Findings, tables: Sequence[TaskTable]) -> Findings:
    """The same findings, in which judges of the ladder are known by what people said of the same answers."""
    by_task = {(table.benchmark, table.task): table for table in tables}
    labelled = dict(findings.judges.labelled)
    for cell in findings.cells:
        rung = cell.benchmark.removeprefix(FAMILY)
        table = by_task.get((cell.benchmark, JUDGED_TASKS.get(rung, "")))
        if table is not None and cell.benchmark.startswith(FAMILY):
            labelled[cell.folder] = _errors(cell, rung, table, findings.judges.stated)
    return replace(findings, judges=replace(findings.judges, labelled=labelled))


def _errors(cell: Finding, rung: str, table: TaskTable, stated: JudgeErrors) -> JudgeErrors:
    """The errors on one model's answers; a rate of which too few labels speak stays as stated."""
    own = np.array([row.cell.folder == cell.folder for row in table.rows], dtype=bool)
    if rung == "explain":
        right = _right_labels(cell)
        own &= np.array([(row.thing.item, row.thing.sample) in right for row in table.rows], dtype=bool)
    known = own & np.isfinite(table.said) & np.isfinite(table.truth)
    said, truth = (_kept(rung, table, codes[known]) for codes in (table.said, table.truth))
    found = rogan_gladen(
        JudgedUnits(values=said, clusters="each"),
        LabelledUnits(values=said, labels=truth, clusters=table.clusters[known]),
    )
    if rung == "live" and min(found.yes, found.no) < LEAST_LABELS:
        return stated  # of each step, where the labels are of days
    return JudgeErrors(
        sensitivity=_rate(found.sensitivity, found.yes, stated.sensitivity),
        specificity=_rate(found.specificity, found.no, stated.specificity),
    )


def _rate(share: float, labels: float, stated: Rate) -> Rate:
    return Rate.labelled(share * labels, labels) if labels >= LEAST_LABELS else stated


def _kept(rung: str, table: TaskTable, codes: Floats) -> Floats:
    if not table.options:
        return np.array([kept_by(rung, None, points) for points in codes.tolist()], dtype=np.float64)
    words = (table.options[int(code)] for code in codes.tolist())
    return np.array([kept_by(rung, word, None) for word in words], dtype=np.float64)


def _right_labels(cell: Finding) -> set[tuple[str, int]]:
    """Answers whose label is right: only there do reasons decide."""
    labels = (verdict for verdict in cell.every_verdict() if verdict.task == LABEL and isinstance(verdict, Graded))
    return {(label.about.item, label.sample) for label in labels if label.points >= 1}


def stated_range(typed: str | None) -> JudgesKnown:
    """What `.85-1` says of every judge; without it what is taken for granted.

    Raises:
        InputError: it is no range of two shares.
    """
    if typed is None:
        return JudgesKnown()
    low, _, high = typed.partition("-")
    try:
        return JudgesKnown(stated=JudgeErrors.within(float(low), float(high)))
    except ValueError:
        raise InputError(
            f"--judge-range {typed}: expected two shares from .6 to 1 with a hyphen, such as .85-1."
        ) from None
