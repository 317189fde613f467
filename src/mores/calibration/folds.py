"""Folds by left-out model: agreement of a verifier with people on answers of a model that it has not learnt from.

judged things of one task, model by model ─▶ agreement on each model's answers ─▶ the same after the verifier's
probabilities were corrected by people's labels of all other models' answers. Each model may have been judged by a
verifier of its own, one trained without that model's answers; questions are the same ones over models.

Source:
    CultureForest, appendix E (leave-one-model-out).
"""

from collections.abc import Iterator, Mapping, Sequence
from math import nan
from statistics import fmean
from typing import NamedTuple

import numpy as np
from msgspec import Struct

from mores.annotation.label_tables import TaskTable, refuse_mixed
from mores.calibration.agreement import AgreementOptions, with_field
from mores.calibration.agreement_tables import CONFUSED, FIGURE, SIMULATED, TASK, Keyed, confusion_of, figures_of
from mores.calibration.judge_agreement import JudgeAgreement, compare_with_people
from mores.core.arrays import Floats, Mask
from mores.core.errors import InputError
from mores.stats.recalibration import recalibrate
from mores.tables import Analysis, AnalysisResult, FilledTable, Show, Table, View, blocks_of, columns_of, gathered
from mores.tables.blocks import Block, Paragraph

EVERY = "all models, each left out in turn"


class Fold(Struct, frozen=True, kw_only=True):
    """One left-out model, or all of them together: its judges, and their agreement with people on its answers.

    `put_right` is the same after the probabilities were put right by `learnt_from` labelled things of the other models;
    None where judges gave no probabilities, or each model has a verifier of its own.
    """

    model: str
    judges: Mapping[str, str]
    as_judged: JudgeAgreement
    put_right: JudgeAgreement | None
    learnt_from: int


class Folds(Struct, frozen=True, kw_only=True):
    """One task: a fold a model, and all together; `alike` is true where one verifier judged them all.

    `left_out` are models of whose answers nothing is labelled, or can be compared.
    """

    benchmark: str
    task: str
    simulated: bool
    alike: bool
    folds: tuple[Fold, ...]
    whole: Fold
    left_out: tuple[str, ...]


def all_folds(tables: Sequence[TaskTable], options: AgreementOptions) -> tuple[tuple[Folds, ...], tuple[str, ...]]:
    """The folds of each task that carries them, and why the others do not.

    Raises:
        InputError: no task carries any.
    """
    return with_field(tables, lambda table: folds_of(table, options))


def folds_of(table: TaskTable, options: AgreementOptions) -> Folds:
    """The folds of one task.

    Raises:
        InputError: judges chose no words, fewer than two models have labels, or one model was judged in two ways.
    """
    if not table.options:
        raise InputError(f"{table.name}: judges give points; folds are of words, such as satisfied, neutral, violated.")
    models = sorted(set(table.models.tolist()))
    # each model by itself, as each may have been judged by a verifier of its own
    for model in models:
        refuse_mixed(table.at(table.models == model))
    judges = {row.evaluation.model: row.evaluation.judges for row in table.rows}
    # by roles and specs: one verifier for all, or one for each model
    alike = len({tuple(sorted(each.items())) for each in judges.values()}) == 1
    learnt = _Learnt.of(table, alike=alike)
    found = {model: _fold(table, learnt, model, judges[model], options) for model in models}
    folds = tuple(fold for fold in found.values() if fold is not None)
    whole = _fold(table, learnt, "", judges[models[0]] if alike else {}, options)
    if len(folds) < 2 or whole is None:
        raise InputError(f"{table.name}: {len(folds)} of {len(models)} models have labels; folds need two at least.")
    return Folds(
        benchmark=table.benchmark,
        task=table.task,
        simulated=table.simulated,
        alike=alike,
        folds=folds,
        whole=whole,
        left_out=tuple(model for model, fold in found.items() if fold is None),
    )


class _Learnt(NamedTuple):
    """The likeliest label of each row, put right by other models, NaN for none; `known` are rows to learn from."""

    labels: Floats
    known: Mask

    @classmethod
    def of(cls, table: TaskTable, *, alike: bool) -> "_Learnt":
        chances = np.array([_chances(table, row) for row in range(len(table.rows))], dtype=np.float64)
        known: Mask = np.isfinite(chances).all(axis=1) & np.isfinite(table.truth)
        labels = np.full(len(table.rows), np.nan)
        # verifiers of their own have no probabilities in common that could be put right together
        for model in set(table.models[known].tolist()) if alike else ():
            own, others = known & (table.models == model), known & (table.models != model)
            if others.any():
                labels[own] = recalibrate(chances[others], table.truth[others]).likeliest(chances[own])
        return cls(labels, known)


def _chances(table: TaskTable, row: int) -> list[float]:
    """The mean over votes of each label's probability; NaN where no vote has any."""
    shares = [vote.shares for votes in table.rows[row].votes.values() for vote in votes if vote.shares is not None]
    return [fmean(each[option] for each in shares) if shares else nan for option in table.options]


def _fold(
    table: TaskTable, learnt: _Learnt, model: str, judges: Mapping[str, str], options: AgreementOptions
) -> Fold | None:
    """One model, or all of them for an empty name; None where nothing can be compared."""
    kept: Mask = table.models == model if model else np.ones(len(table.rows), dtype=np.bool_)
    part = table.at(kept)
    who, design = (model or EVERY, ", ".join(dict.fromkeys(judges.values())), 1), options.design(part)
    judged = compare_with_people(part, part.judged, who, design)
    if judged is None:
        return None
    return Fold(
        model=model or EVERY,
        judges=judges,
        as_judged=judged,
        put_right=compare_with_people(part, learnt.labels[kept], who, design),
        learnt_from=int((learnt.known & ~kept).sum()),
    )


HEADS = {"raw agreement (accuracy)": "Accuracy", "macro F1": "Macro F1", "Cohen's kappa": "Kappa"}
OWN = (
    "Each model’s answers were judged by a verifier of its own: this is a cross-validation if that verifier was "
    "trained without them, which cannot be seen here."
)
ALIKE = (
    "One verifier judged all models. Put right: its probabilities, by people’s labels of all other models’ answers "
    "(one exponent, one weight a label); the left-out model’s labels have no part in it. Questions are the same ones, "
    "so that this tells of new models, not of new questions."
)
NO_CHANCES = "The judge gave no probabilities, so that nothing could be put right by the other models."
_FOLD = (
    *TASK,
    *SIMULATED,
    *columns_of("flag", alike="true where one verifier judged all models"),
    *columns_of("text", left_out="the model, or all of them, each left out in turn"),
    *columns_of("names", judges="specifications of its judges"),
    *columns_of("flag", put_right="true of probabilities put right by labels of the other models"),
    *columns_of("count", learnt_from="labelled things of the other models for that"),
)
FOLDS = Table(
    id="folds",
    title="Folds by left-out model",
    columns=(
        *_FOLD,
        *columns_of("text", word="of one word alone; missing for all words"),
        *FIGURE,
        *columns_of("count", clusters="independent clusters of the units"),
    ),
)
CONFUSION = Table(
    id="folds_confusion", title="Words of people and of the judge, by left-out model", columns=(*_FOLD, *CONFUSED)
)
LEFT = Table(
    id="folds_left",
    title="Models without labels that compare",
    columns=(*TASK, *SIMULATED, *columns_of("text", model="the model")),
)
TABLES = (FOLDS, CONFUSION, LEFT)


def analyse_folds(found: Sequence[Folds]) -> AnalysisResult:
    """All tasks: a row a left-out model and one for all, with intervals over clusters."""
    every, blocks = list[FilledTable](), list[Block]()
    for each in found:
        figures, *others = filled_of(each)
        every += [figures, *others]
        blocks += [Paragraph(words=f"{each.benchmark} {each.task}", role="heading"), *folds_blocks(each, figures)]
    return AnalysisResult(tables=gathered(TABLES, every), blocks=tuple(blocks))


def filled_of(found: Folds) -> Iterator[FilledTable]:
    """The tables of one task."""
    task = {"benchmark": found.benchmark, "task": found.task, "simulated": found.simulated}
    judged = [(_fold_row(fold, put_right=False), fold.as_judged) for fold in (*found.folds, found.whole)]
    right = [
        (_fold_row(fold, put_right=True), fold.put_right) for fold in (*found.folds, found.whole) if fold.put_right
    ]
    every = [({**task, "alike": found.alike, **who}, agreement) for who, agreement in (*judged, *right)]
    figures = (FOLDS.row(**who, **row) for who, agreement in every for row in figures_of(agreement))
    confusion = (CONFUSION.row(**who, **row) for who, agreement in every for row in confusion_of(agreement))
    yield FilledTable(table=FOLDS, rows=tuple(figures))
    yield FilledTable(table=CONFUSION, rows=tuple(confusion))
    yield FilledTable(table=LEFT, rows=tuple(LEFT.row(**task, model=model) for model in found.left_out))


def _fold_row(fold: Fold, *, put_right: bool) -> Keyed:
    learnt = (fold.learnt_from or None) if put_right else None
    judges = tuple(dict.fromkeys(fold.judges.values()))
    return {"left_out": fold.model, "judges": judges, "put_right": put_right, "learnt_from": learnt}


def folds_blocks(found: Folds, filled: FilledTable) -> Iterator[Block]:
    """One task: as it was judged, and put right by the other models."""
    right = any(fold.put_right is not None for fold in found.folds)
    yield Paragraph(words=(ALIKE if right else NO_CHANCES) if found.alike else OWN, role="note")
    title = f"{found.benchmark} {found.task}: folds by left-out model"
    yield from blocks_of(filled, _view(title, filled, put_right=False))
    yield from blocks_of(filled, _view(f"{title}, put right", filled, put_right=True))
    if found.left_out:
        yield Paragraph(words=f"Without labels that compare: {', '.join(found.left_out)}.", role="note")


def _view(title: str, filled: FilledTable, *, put_right: bool) -> View:
    measure = FOLDS.at("measure")
    own = filled.where(put_right=put_right, word=None)
    learnt = (Show(key="learnt_from", title="Learnt from"),) if put_right else ()
    who = Show(key="left_out", title="Left out"), Show(key="judges", title="Judged by")
    return View(
        title=title,
        rows=tuple(row for row in own if row[measure].name in HEADS),
        shown=(*who, "graded", "clusters", *learnt),
        across="measure",
        cell=Show(key="value", format="share"),
        heads={name: f"{head}, put right" if put_right else head for name, head in HEADS.items()},
    )


FOLDS_ANALYSIS = Analysis(id="folds", title="Folds by left-out model", tables=TABLES, analyse=analyse_folds)
