"""What people's labels tell of a ladder's judges: sensitivity and specificity on each rung, in one model's answers.

labels ─▶ tables of the rungs' judged tasks ─▶ kept or not, by people and by judges ─▶ errors of each cell's judges
"""

from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace

from mores.analysis.judge_errors import LEAST_LABELS, rate_of
from mores.analysis.results import Result, Results
from mores.annotation.label_tables import TaskTable
from mores.benchmarks.ladder.rungs import FAMILY, measured_of
from mores.benchmarks.ladder.scores import RUNGS, RungRule
from mores.core.arrays import Floats
from mores.core.verdict import LABEL
from mores.stats.labelled_units import JudgedUnits, LabelledUnits
from mores.stats.rogan_gladen import JudgeErrors, rogan_gladen

RULES = {FAMILY + name: rule for name, rule in RUNGS.items() if rule.task}


def with_labels(results: Results, tables: Sequence[TaskTable]) -> Results:
    """The same results, in which judges of the ladder are known by what people said of the same answers."""
    by_task = {(table.benchmark, table.task): table for table in tables}
    labelled = dict(results.judges.labelled)
    for evaluation in results.evaluations:
        rule = RULES.get(evaluation.benchmark)
        table = by_task.get((evaluation.benchmark, rule.task)) if rule is not None else None
        if rule is not None and table is not None:
            otherwise = results.judges.unlabelled(measured_of(evaluation, rule))
            labelled[evaluation.folder] = _errors(evaluation, rule, table, otherwise)
    return replace(results, judges=replace(results.judges, labelled=labelled))


def _errors(evaluation: Result, rule: RungRule, table: TaskTable, otherwise: JudgeErrors) -> JudgeErrors:
    """The errors on one model's answers; a rate of which too few labels speak is what it is otherwise."""
    own = np.array([row.evaluation.folder == evaluation.folder for row in table.rows], dtype=bool)
    if LABEL in evaluation.verdict_table.tasks:
        right = _right_labels(evaluation)
        own &= np.array([(row.thing.item, row.thing.sample) in right for row in table.rows], dtype=bool)
    known = own & table.compared
    said, truth = (_kept(rule, table, codes[known]) for codes in (table.said, table.truth))
    found = rogan_gladen(
        JudgedUnits(values=said, clusters="each"),
        LabelledUnits(values=said, labels=truth, clusters=table.clusters[known]),
    )
    if rule.by_steps and min(found.yes, found.no) < LEAST_LABELS:
        return otherwise  # of each step, where the labels are of days
    return JudgeErrors(
        sensitivity=rate_of(found.sensitivity, found.yes, otherwise.sensitivity),
        specificity=rate_of(found.specificity, found.no, otherwise.specificity),
    )


def _kept(rule: RungRule, table: TaskTable, codes: Floats) -> Floats:
    if not table.options:
        return np.array([rule.kept(None, points) for points in codes.tolist()], dtype=np.float64)
    words = (table.options[int(code)] for code in codes.tolist())
    return np.array([rule.kept(word, None) for word in words], dtype=np.float64)


def _right_labels(evaluation: Result) -> set[tuple[str, int]]:
    """Answers whose label is right: only there do reasons decide."""
    table = evaluation.verdict_table
    labels = table.frame(LABEL)
    right = labels.take(labels.points >= 1)
    return {(table.abouts[item].item, int(sample)) for item, sample in zip(right.item, right.sample, strict=True)}
