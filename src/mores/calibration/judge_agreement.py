"""One judge, or all together, beside what people say, people beside people, and ways to come to a judgement.

two columns over the same things ─▶ figures with clustered intervals. People's word is the majority's, people's points
are the mean; things on which either is missing, or tied, are left out and counted. One run, the mean of several, the
jury and (points) that corrected for length stand beside each other, over the same things.
"""

from typing import Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from mores.annotation.label_tables import TaskTable, combined_judges
from mores.core.arrays import Floats, Mask
from mores.core.errors import InputError
from mores.core.estimate import Missing
from mores.stats.agreement import Ceiling, Repeats, human_ceiling, krippendorff_alpha, rater_agreement, repeat_stability
from mores.stats.alt_test import AltTest, alt_test
from mores.stats.checks import ratio
from mores.stats.cluster_sums import ClusterSums, Design, MeasuredFigure, share
from mores.stats.confusion import ClassAgreement, PairAgreement, pair_agreement
from mores.stats.correlation import pearson_correlation, spearman_correlation
from mores.stats.explanations import LengthBias, length_bias
from mores.stats.intervals import Interval
from mores.stats.paired import compare_paired
from mores.stats.panel import Panel, panel_worth
from mores.stats.weighted_means import weighted_mean


class JudgeAgreement(Struct, frozen=True, kw_only=True):
    """One judge, or all together, beside people: figures of words or of points by their names, as the task has it.

    `spec` names the judge's model and `runs` how often each thing was judged. `unread` counts labelled things on which
    this judge said nothing that could be read, or tied. Of words, `classes` has the figures of each and
    `confusion` how often people say one (row) where the judge says another (column).
    """

    who: str
    spec: str
    runs: int
    n: int
    clusters: int
    unread: int
    figures: dict[str, MeasuredFigure]
    classes: tuple[ClassAgreement, ...] = ()
    confusion: tuple[tuple[int, ...], ...] = ()


def compare_with_people(
    table: TaskTable, verdicts: Floats, who: tuple[str, str, int], design: Design
) -> JudgeAgreement | None:
    """One column of judges' words or points beside people's; None where nothing can be compared.

    Args:
        table: The task.
        verdicts: What is held against people, a value a row.
        who: Name, model and number of runs.
        design: Clusters of all rows.
    """
    name, spec, runs = who
    both = np.isfinite(verdicts) & np.isfinite(table.truth)
    unread = int((np.isfinite(table.truth) & ~np.isfinite(verdicts)).sum())
    if not both.any():
        return None
    part, judge, people = design.part(both, f"beside {name}"), verdicts[both], table.truth[both]
    figures: dict[str, MeasuredFigure]
    classes: tuple[ClassAgreement, ...] = ()
    confusion: list[list[int]] = []
    if table.options:
        found = pair_agreement(people, judge, table.options, part, ordered=table.ordered)
        figures, classes, confusion = _of_words(found), found.classes, found.table.tolist()
    else:
        figures = _of_points(people, judge, part)
    clusters = int(np.unique(np.asarray(part.clusters)).size)
    return JudgeAgreement(
        who=name, spec=spec, runs=runs, n=people.size, clusters=clusters, unread=unread, figures=figures,
        classes=classes, confusion=tuple(map(tuple, confusion)),
    )  # fmt: skip


def mean_difference(differences: Floats, design: Design) -> MeasuredFigure:
    """A mean difference with its clustered interval: not that of a share, though none of these may lie below 0."""
    if design.weights is not None:
        return weighted_mean(differences, design.clusters, design.weights, signs=True, confidence=design.confidence)
    found = compare_paired(
        differences, np.zeros(differences.size), design.clusters, confidence=design.confidence,
        resamples=design.resamples, seed=design.seed.child("bias"),
    )  # fmt: skip
    return MeasuredFigure(float(differences.mean()), Interval(found.low, found.high, found.method, found.missing))


def _of_words(found: PairAgreement) -> dict[str, MeasuredFigure]:
    figures = {
        "raw agreement (accuracy)": found.accuracy,
        "balanced accuracy": found.balanced_accuracy,
        "macro F1": found.f1_macro,
        "Cohen's kappa": found.kappa,
        "Cohen's kappa, linear weights": found.kappa_linear,
        "Cohen's kappa, quadratic weights": found.kappa_quadratic,
        "Krippendorff's alpha": found.alpha,
        "Gwet's AC1": found.ac1,
        "PABAK": found.pabak,
    }
    return {name: figure for name, figure in figures.items() if figure is not None}


def _of_points(people: Floats, judge: Floats, design: Design) -> dict[str, MeasuredFigure]:
    difference = judge - people
    return {
        "Pearson's r": pearson_correlation(people, judge, design),
        "Spearman's rho": spearman_correlation(people, judge, design),
        "mean of judge less people (bias)": mean_difference(difference, design),
        "mean distance (absolute error)": share(np.abs(difference), design, "distance"),
        "Krippendorff's alpha, interval": krippendorff_alpha(np.column_stack((people, judge)), "interval", design),
    }


class Raters(Struct, frozen=True, kw_only=True):
    """Agreement among some who labelled the same things: over `n` that two or more of them have labelled."""

    n: int
    raters: int
    figures: dict[str, MeasuredFigure]


class PeopleAgreement(Struct, frozen=True, kw_only=True):
    """People with each other, with the judge as one more of them, and the judge against each.

    `agreement` has the figures of `people` and of people `with_judge`. `labels` says how many each person gave.
    """

    labels: dict[str, int]
    agreement: dict[str, Raters]
    ceiling: Ceiling
    alt_test: AltTest
    points: bool


def people_agreement(table: TaskTable, design: Design, epsilon: float) -> PeopleAgreement:
    """People of one task with each other and with its judges' word."""
    # the judge as one more rater, of labelled things alone: elsewhere nobody could agree with it
    joined = np.column_stack((table.labels, np.where(table.labelled, table.judged, np.nan)))
    return PeopleAgreement(
        labels=dict(zip(table.people, np.isfinite(table.labels).sum(0).tolist(), strict=True)),
        agreement={
            "people": _raters(table, table.labels, _part(design, "people")),
            "with_judge": _raters(table, joined, _part(design, "joined")),
        },
        ceiling=human_ceiling(
            table.judged, table.labels, _part(design, "ceiling"), matching="equal" if table.options else "near"
        ),
        alt_test=alt_test(
            table.judged, table.labels, table.people, epsilon=epsilon, clusters=table.clusters,
            distance="equal" if table.options else "points",
        ),
        points=not table.options,
    )  # fmt: skip


def _raters(table: TaskTable, labels: Floats, design: Design) -> Raters:
    if table.options:
        level: Literal["ordinal", "nominal"] = "ordinal" if table.ordered else "nominal"
        found = rater_agreement(labels, len(table.options), design, level=level)
        figures = {
            "pairs that agree": found.pairwise,
            "Fleiss' kappa": found.fleiss,
            "Krippendorff's alpha": found.alpha,
            "Gwet's AC1": found.ac1,
            "PABAK": found.pabak,
        }
        return Raters(n=found.units, raters=found.raters, figures=figures)
    given = np.isfinite(labels)
    return Raters(
        n=int((given.sum(1) > 1).sum()),
        raters=int(given.any(0).sum()),
        figures={"Krippendorff's alpha, interval": krippendorff_alpha(labels, "interval", design)},
    )


def _part(design: Design, name: str) -> Design:
    return design.part(np.ones(np.asarray(design.clusters).size, dtype=np.bool_), name)


_FOLDS = 5


class JudgeStability(Struct, frozen=True, kw_only=True):
    """One judge asked several times of the same things, over all that was judged, labelled or not."""

    judge: str
    repeats: Repeats
    points: bool


class JudgementMethod(Struct, frozen=True, kw_only=True):
    """One way to come to a judgement, held against people: one run, the mean of several, a jury, corrected for length.

    `together` is Pearson's correlation of points, Cohen's kappa of words. `disagreement` is the variance of judge less
    people, for words the share of errors; `ratio` is that over the single run's, and `reduced` what is gone of it.
    """

    judged_by: str
    together: MeasuredFigure
    disagreement: float
    ratio: float
    reduced: MeasuredFigure


class MethodComparison(Struct, frozen=True, kw_only=True):
    """The stages over the same things; `length` is what the last judge gives it, or why that is not known."""

    n: int
    stages: tuple[JudgementMethod, ...]
    points: bool
    length: LengthBias | None = None
    why_no_length: str | None = None


def judge_stability(table: TaskTable, design: Design) -> tuple[JudgeStability, ...]:
    """Each judge that was asked several times, with itself, over all that was judged."""
    # sampling weights are of labelled things, and repeats are over all that was judged
    found, every = [], replace(design, weights=None)
    for judge in table.judges:
        draws = table.draws(judge)
        if draws.shape[1] > 1:
            repeats = repeat_stability(draws, every, level="nominal" if table.options else "interval")
            found.append(JudgeStability(judge=judge, repeats=repeats, points=not table.options))
    return tuple(found)


def panel_of(table: TaskTable) -> Panel | None:
    """Worth of several judges together, by their first words; None for one judge, or points."""
    if len(table.judges) < 2 or not table.options:
        return None
    judged = np.column_stack([table.by(judge) for judge in table.judges])
    return panel_worth(judged, table.truth, len(table.options))


def improved(table: TaskTable, design: Design) -> MethodComparison | None:
    """One run, the mean of runs, the jury, and the jury put right for length, over things that all of them judged."""
    steps = _steps(table)
    # one NaN makes the sum NaN: what is left was judged at every stage and decided by people
    both: Mask = np.isfinite(sum(steps.values(), table.truth))
    if not both.any():
        return None
    people, part = table.truth[both], design.part(both, "before and after")
    columns = {name: judged[both] for name, judged in steps.items()}
    bias, why = None, None
    if not table.options:
        lengths = np.array([row.words or 0 for row in table.rows], dtype=np.float64)[both]
        # of the fullest stage, which would be used
        last, judged = list(columns.items())[-1]
        try:
            corrected, bias = _put_right(judged, people, lengths, part)
            columns[f"{last}, corrected for length"] = corrected
        except InputError as error:
            why = str(error).rstrip(".")
    single = next(iter(columns.values()))
    stages = tuple(_stage(name, judged, single, people, (table, part)) for name, judged in columns.items())
    # one stage alone compares nothing; a reason for no second one is worth showing
    if len(stages) == 1 and why is None:
        return None
    return MethodComparison(n=int(both.sum()), stages=stages, points=not table.options, length=bias, why_no_length=why)


def _steps(table: TaskTable) -> dict[str, Floats]:
    """Answers by one run of the first judge, by all its runs, and by all judges."""
    first = table.judges[0]
    draws = table.draws(first)
    found = {f"one run of {first}": draws[:, 0]}
    if draws.shape[1] > 1:
        found[f"{draws.shape[1]} runs of {first}"] = combined_judges(draws, table.options)
    if len(table.judges) > 1:
        found[f"the jury of {len(table.judges)}"] = table.judged
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
        # each part is corrected by the others, so that no answer corrects itself
        others = length_bias(judge[~held], people[~held], lengths[~held])
        corrected[held] = others.corrected(judge[held], lengths[held])
    return corrected, whole


def _stage(
    name: str, verdicts: Floats, single: Floats, people: Floats, where: tuple[TaskTable, Design]
) -> JudgementMethod:
    table, design = where
    difference, before = verdicts - people, single - people
    if table.options:
        together = pair_agreement(people, verdicts, table.options, design).kappa
        difference, before = (difference != 0).astype(np.float64), (before != 0).astype(np.float64)
        left = share(difference, design, "errors").value
    else:
        together = pearson_correlation(people, verdicts, design)
        left = (
            float(np.cov(difference, aweights=design.counts(difference.size))) if difference.size > 1 else float("nan")
        )
    reduced = _reduced(difference, before, design, words=bool(table.options))
    return JudgementMethod(
        judged_by=name, together=together, disagreement=left, ratio=1 - reduced.value, reduced=reduced
    )


def _reduced(after: Floats, before: Floats, design: Design, *, words: bool) -> MeasuredFigure:
    """Reduction of the variance, or of the errors, with its clustered interval."""
    columns = np.column_stack((np.ones(after.size), before, before**2, after, after**2))

    def gone(rows: Floats) -> Floats:
        total, one, ones, other, others = np.moveaxis(rows, -1, 0)
        if words:
            return np.asarray(1 - ratio(other, one))
        return np.asarray(1 - ratio(others - ratio(other**2, total), ones - ratio(one**2, total)))

    missing = Missing(code="single_run_without_error" if words else "single_run_equally_off")
    return ClusterSums.of(columns, design).measure(gone, "coefficient", missing=missing)
