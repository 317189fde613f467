"""Folds by left-out model: how a verifier agrees with people on answers of a model that it has not learnt from.

judged things of one task, model by model ─▶ agreement on each model's answers ─▶ the same after the verifier's
probabilities were put right by people's labels of all other models' answers. Each model may have been judged by a
verifier of its own, one trained without that model's answers; questions are the same ones over models.

Source:
    CultureForest, appendix E (leave-one-model-out).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan
from statistics import fmean
from typing import NamedTuple

import numpy as np

from mores.annotation.label_tables import TaskTable, refuse_mixed
from mores.calibration.agreement import AgreementOptions
from mores.calibration.judge_agreement import JudgeAgreement, compare_with_people
from mores.calibration.values import with_field
from mores.core.arrays import Floats, Mask
from mores.core.errors import InputError
from mores.stats.recalibration import recalibrate

EVERY = "all models, each left out in turn"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fold:
    """One left-out model, or all of them together: its judges, and their agreement with people on its answers.

    `put_right` is the same after the probabilities were put right by `learnt_from` labelled things of the other models;
    None where judges gave no probabilities, or each model has a verifier of its own.
    """

    model: str
    judges: Mapping[str, str]
    as_judged: JudgeAgreement
    put_right: JudgeAgreement | None
    learnt_from: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Folds:
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
    for model in models:
        refuse_mixed(table.at(table.models == model))
    judges = {row.evaluation.model: row.evaluation.judges for row in table.rows}
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
    judged = compare_with_people(part, part.said, who, design)
    if judged is None:
        return None
    return Fold(
        model=model or EVERY,
        judges=judges,
        as_judged=judged,
        put_right=compare_with_people(part, learnt.labels[kept], who, design),
        learnt_from=int((learnt.known & ~kept).sum()),
    )
