"""Judges' means corrected, task by task and model by model.

tables of labels and words ─▶ each run and model by itself ─▶ for each target: the judge's mean, prediction-powered,
Rogan and Gladen's, people's alone ─▶ by place, where asked.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from msgspec.structs import replace

from mores.analysis.results import Result
from mores.annotation.judged_items import JudgedEvaluation
from mores.annotation.label_tables import TaskTable
from mores.calibration.correct_means import TargetMean, TargetWeights, strata_of
from mores.calibration.corrections import (
    CorrectedMean,
    CorrectionOptions,
    Corrections,
    TaskCorrected,
    TaskFacts,
    Uncorrected,
    figure_of,
    targets_of,
)
from mores.core.arrays import Mask
from mores.core.errors import InputError
from mores.core.estimate import SEPARATE, Caution, Estimate, cautioned
from mores.stats.intervals import MIN_CLUSTERS
from mores.stats.ranks import holm

WORTH_SAYING = 0.95
"""Share of the labels that they are worth where they do not count alike, below which that is said."""


def correct_tables(tables: Sequence[TaskTable], results: Sequence[Result], options: CorrectionOptions) -> Corrections:
    """The corrections of all tasks with labels, each model of each run by its own.

    Args:
        tables: People's labels beside judges' words, with the sample that was labelled, where there was one: it says
            how labelled things were drawn.
        results: The runs' own figures.
        options: How to correct.

    Raises:
        InputError: a table is of a run without a result.
    """
    done, bare = [], []
    for table in map(_shared, tables):
        for evaluation, rows in _by_evaluation(table):
            result = _result_of(evaluation, results)
            own = table.at(rows & _counts(table, result))
            if own.labelled.any():
                done.append(_task(own, result, options))
            else:
                bare.append(_bare(evaluation, result, table))
    simulated = any(each.simulated for each in done)
    return Corrections(simulated=simulated, confidence=options.confidence, tasks=tuple(done), without=tuple(bare))


def _shared(table: TaskTable) -> TaskTable:
    """The table with labels given to each judging of the same answer: a label is of the answer, not of its judge."""
    rows: dict[str, list[int]] = {}
    for row, name in enumerate(table.ids.tolist()):
        if name:
            rows.setdefault(name, []).append(row)
    labels = table.labels.copy()
    for same in rows.values():
        if len(same) > 1:
            given = np.isfinite(labels[same])
            # a person's label of the answer stands on one of the rows or is the same on all: the largest is it
            most = np.where(given, labels[same], -np.inf).max(axis=0)
            labels[same] = np.where(given.any(axis=0), most, np.nan)
    return replace(table, labels=labels)


def _by_evaluation(table: TaskTable) -> Iterator[tuple[JudgedEvaluation, Mask]]:
    """The rows of each model of each run."""
    folders = np.array([str(row.evaluation.folder) for row in table.rows])
    for folder in dict.fromkeys(folders.tolist()):
        own = np.asarray(folders == folder)
        yield table.rows[int(own.argmax())].evaluation, own


def _counts(table: TaskTable, result: Result) -> Mask:
    """Mask of the rows that count in the benchmark's own figures: those of norms that are not contested."""
    difference = {(about.item, about.part) for about in result.verdict_table.item_metadata if SEPARATE in about.groups}
    items = {item for item, _ in difference}
    things = (row.thing for row in table.rows)
    own = [(each.item, each.norm) not in difference if each.norm else each.item not in items for each in things]
    return np.array(own, dtype=np.bool_)


def _result_of(evaluation: JudgedEvaluation, results: Sequence[Result]) -> Result:
    found = next((each for each in results if each.folder.resolve() == evaluation.folder.resolve()), None)
    if found is None:
        raise InputError(f"{evaluation.folder}: not among the runs; expected one of {len(results)} evaluations.")
    return found


def _bare(evaluation: JudgedEvaluation, result: Result, table: TaskTable) -> Uncorrected:
    others = tuple(dict.fromkeys(table.models[table.labelled].tolist()))
    return Uncorrected(run=str(evaluation.run), model=result.label, benchmark=table.benchmark, task=table.task,
                       labelled=others)  # fmt: skip


def _task(table: TaskTable, result: Result, options: CorrectionOptions) -> TaskCorrected:
    """One task of one evaluation; the sample is left out where labels were not given by its ids alone."""
    if (table.ids[table.labelled] == "").any():
        table = replace(table, sample=None, chances=None, among=None, likely=None)
    facts = TaskFacts.of(table, result.verdict_table)
    graded, truth = np.isfinite(table.judged), np.isfinite(table.truth)
    means = _means(table, graded, facts, result, options)
    strata = strata_of(means[0])
    whole, places, family = _claims(
        [replace(each, by_place=strata.by_place).corrected(strata.refused) for each in means],
        list(_places(means, table, ~graded)) if options.by_place else [],
    )
    picked, evaluation = means[0].picked, table.rows[0].evaluation
    return TaskCorrected(
        run=str(evaluation.run),
        model=result.label,
        benchmark=table.benchmark,
        task=table.task,
        judges=evaluation.judges,
        options=table.options,
        people=int(np.isfinite(table.labels).any(0).sum()),
        judged=int(graded.sum()),
        ungraded=means[0].open,
        nothing_to_judge=facts.nothing_to_judge,
        labelled=int((truth & graded).sum()),
        tied=int((table.labelled & ~truth).sum()),
        labelled_ungraded=int((truth & ~graded).sum()),
        simulated=table.simulated,
        whole=tuple(_marked(each, result) for each in whole),
        places=tuple(_marked(each, result) for each in places),
        family=family,
        warnings=(*((picked,) if picked else ()), *strata.warnings),
        remarks=(*strata.remarks, *_remarks(means[0], facts)),
    )


def _marked(found: CorrectedMean, result: Result) -> CorrectedMean:
    """The same with what has to be known of the answers; labels of these tell more of a judge than any band."""

    def cautious(figure: Estimate) -> Estimate:
        return cautioned(figure, result.caution(figure.metric, figure.group))

    powered, rogan = (each and cautious(each) for each in (found.powered, found.rogan))
    return replace(found, judge=cautious(found.judge), people=cautious(found.people), powered=powered, rogan=rogan)


def _means(
    table: TaskTable, graded: Mask, facts: TaskFacts, result: Result, options: CorrectionOptions
) -> list[TargetMean]:
    """Targets with their figures; what is no figure counts things as the first that is one, so that shares sum."""
    targets, own = targets_of(table, facts), table.at(graded)
    figures = [figure_of(target, own, result) for target in targets]
    first = next((figure.weights for figure in figures if figure is not None), None)
    sample, ungraded = table.sample, int((~graded).sum()) + facts.unheard
    # a list of things to work off, such as a certificate's, is no sample
    listed = sample is not None and not sample.chances and sample.population == len(sample.rows)
    return [
        TargetMean(
            target=target,
            table=own,
            figure=figure,
            weights=TargetWeights.of(own, first if figure is None else figure.weights),
            options=options,
            open=ungraded,
            nothing_to_judge=0 if figure is None else facts.nothing_to_judge,
            picked=Caution(code="picked") if listed and not table.labelled.all() else None,
        )
        for target, figure in zip(targets, figures, strict=True)
    ]


def _places(means: Sequence[TargetMean], table: TaskTable, ungraded: Mask) -> Iterator[CorrectedMean]:
    for place in sorted(set(table.places.tolist()) - {""}):
        missing = int((ungraded & (table.places == place)).sum())
        yield from (each.at(place, missing).corrected() for each in means)


def _remarks(mean: TargetMean, facts: TaskFacts) -> Iterator[Caution]:
    """Cautions on labels and answers, besides what forbids a correction."""
    sample = mean.table.sample
    if sample is None:
        yield Caution(code="labels by names")
    if mean.worth < WORTH_SAYING * mean.labelled.sum():
        one_per = "none" if sample is None else sample.wanted.one_per
        yield Caution(code="worth fewer", n=round(mean.worth), words=(one_per,))
    if facts.nothing_to_judge:
        yield Caution(code="nothing to judge", n=facts.nothing_to_judge)


def _claims(
    whole: Sequence[CorrectedMean], places: Sequence[CorrectedMean]
) -> tuple[tuple[CorrectedMean, ...], tuple[CorrectedMean, ...], int]:
    """All figures with Holm's p of the claim that judge and people differ, and how many such claims there are."""
    every = [*whole, *places]
    # what is not claimed for want of clusters must not make the correction of other claims stricter
    p = np.array([each.difference.p if each.clusters >= MIN_CLUSTERS else np.nan for each in every])
    text = tuple(
        replace(each, p_holm=None if np.isnan(held) else float(held))
        for each, held in zip(every, holm(p).tolist(), strict=True)
    )
    return text[: len(whole)], text[len(whole) :], int(np.isfinite(p).sum())
