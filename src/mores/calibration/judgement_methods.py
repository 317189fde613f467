"""Judges beside judges: one asked again and again, several as a jury, and what a jury or putting length right changes.

What is put right for length is put right by a slope found in other clusters than those it is applied to, so that the
figures after it are not flattered by it.
"""

from dataclasses import dataclass

import numpy as np
from msgspec.structs import replace

from mores.annotation.label_tables import TaskTable, combined_judges
from mores.core.arrays import Floats, Mask
from mores.core.errors import InputError
from mores.core.estimate import Missing
from mores.stats.agreement import Repeats, repeat_stability
from mores.stats.checks import ratio
from mores.stats.cluster_sums import ClusterSums, Design, MeasuredFigure, share
from mores.stats.confusion import pair_agreement
from mores.stats.correlation import pearson_correlation
from mores.stats.explanations import LengthBias, length_bias
from mores.stats.panel import Panel, panel_worth

_FOLDS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeStability:
    """One judge asked several times of the same things, over all that was judged, labelled or not."""

    judge: str
    repeats: Repeats
    points: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgementMethod:
    """One way to come to a judgement, held against people: one run, the mean of several, a jury, corrected for length.

    `together` is Pearson's correlation of points, Cohen's kappa of words. `apart` is the variance of judge less people,
    for words the share of errors; `ratio` is that over the single run's, and `reduced` what is gone of it.
    """

    judged_by: str
    together: MeasuredFigure
    apart: float
    ratio: float
    reduced: MeasuredFigure


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodComparison:
    """The stages over the same things; `length` is what the last judge gives it, or why that is not known."""

    n: int
    stages: tuple[JudgementMethod, ...]
    points: bool
    length: LengthBias | None = None
    why_no_length: str | None = None


def judge_stability(table: TaskTable, design: Design) -> tuple[JudgeStability, ...]:
    """Each judge that was asked several times, with itself, over all that was judged."""
    found, every = [], replace(design, weights=None)
    for judge in table.judges:
        draws = table.draws(judge)
        if draws.shape[1] > 1:
            repeats = repeat_stability(draws, every, level="nominal" if table.options else "interval")
            found.append(JudgeStability(judge=judge, repeats=repeats, points=not table.options))
    return tuple(found)


def panel_of(table: TaskTable) -> Panel | None:
    """What several judges are worth together, by their first words; None for one judge, or points."""
    if len(table.judges) < 2 or not table.options:
        return None
    said = np.column_stack([table.by(judge) for judge in table.judges])
    return panel_worth(said, table.truth, len(table.options))


def improved(table: TaskTable, design: Design) -> MethodComparison | None:
    """One run, the mean of runs, the jury, and the jury put right for length, over things that all of them judged."""
    steps = _steps(table)
    both: Mask = np.isfinite(sum(steps.values(), table.truth))
    if not both.any():
        return None
    people, part = table.truth[both], design.part(both, "before and after")
    columns = {name: said[both] for name, said in steps.items()}
    bias, why = None, None
    if not table.options:
        lengths = np.array([row.words or 0 for row in table.rows], dtype=np.float64)[both]
        last, said = list(columns.items())[-1]
        try:
            corrected, bias = _put_right(said, people, lengths, part)
            columns[f"{last}, corrected for length"] = corrected
        except InputError as error:
            why = str(error).rstrip(".")
    single = next(iter(columns.values()))
    stages = tuple(_stage(name, said, single, people, (table, part)) for name, said in columns.items())
    if len(stages) == 1 and why is None:
        return None
    return MethodComparison(n=int(both.sum()), stages=stages, points=not table.options, length=bias, why_no_length=why)


def _steps(table: TaskTable) -> dict[str, Floats]:
    """What is said by one run of the first judge, by all its runs, and by all judges."""
    first = table.judges[0]
    draws = table.draws(first)
    found = {f"one run of {first}": draws[:, 0]}
    if draws.shape[1] > 1:
        found[f"{draws.shape[1]} runs of {first}"] = combined_judges(draws, table.options)
    if len(table.judges) > 1:
        found[f"the jury of {len(table.judges)}"] = table.said
    return found


def _put_right(judge: Floats, people: Floats, lengths: Floats, design: Design) -> tuple[Floats, LengthBias]:
    """Points put right for length, in parts that share no cluster; and what length is worth in all of them.

    Raises:
        InputError: too few labels, or no lengths.
    """
    whole = length_bias(judge, people, lengths)
    names, cluster = np.unique(np.asarray(design.clusters), return_inverse=True)
    order = sorted(range(names.size), key=lambda n: design.seed.child("fold", str(names[n])).uniform())
    fold = np.empty(names.size, dtype=np.int64)
    fold[order] = np.arange(names.size) % _FOLDS
    corrected = np.empty(judge.size)
    for number_ in range(_FOLDS):
        held = fold[cluster] == number_
        others = length_bias(judge[~held], people[~held], lengths[~held])
        corrected[held] = others.corrected(judge[held], lengths[held])
    return corrected, whole


def _stage(name: str, said: Floats, single: Floats, people: Floats, where: tuple[TaskTable, Design]) -> JudgementMethod:
    table, design = where
    apart, before = said - people, single - people
    if table.options:
        together = pair_agreement(people, said, table.options, design).kappa
        apart, before = (apart != 0).astype(np.float64), (before != 0).astype(np.float64)
        left = share(apart, design, "errors").value
    else:
        together = pearson_correlation(people, said, design)
        left = float(np.cov(apart, aweights=design.counts(apart.size))) if apart.size > 1 else float("nan")
    reduced = _reduced(apart, before, design, words=bool(table.options))
    return JudgementMethod(judged_by=name, together=together, apart=left, ratio=1 - reduced.value, reduced=reduced)


def _reduced(after: Floats, before: Floats, design: Design, *, words: bool) -> MeasuredFigure:
    """What is gone of the variance, or of the errors, with its clustered interval."""
    columns = np.column_stack((np.ones(after.size), before, before**2, after, after**2))

    def gone(rows: Floats) -> Floats:
        total, one, ones, other, others = np.moveaxis(rows, -1, 0)
        if words:
            return np.asarray(1 - ratio(other, one))
        return np.asarray(1 - ratio(others - ratio(other**2, total), ones - ratio(one**2, total)))

    missing = Missing(code="single_run_without_error" if words else "single_run_equally_off")
    return ClusterSums.of(columns, design).measure(gone, "coefficient", missing=missing)
