"""Two runs on the same items: did the second do worse, where, and could a difference have been seen at all?

Every benchmark that a model has in both runs is paired by item: units (a question is right if all its items are; a
norm of an open answer) are averaged over samples first, clusters stay whole. Runs that differ in more than the subject
are refused, so that both were judged by the same judges.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from mores.analysis.compatibility import form_of_answers, nobody_thought, notes_on, refuse_incompatible, thinking_of
from mores.analysis.contrast import (
    LEVEL,
    Contrast,
    ContrastOptions,
    WithGroups,
    adjusted,
    all_first,
    contrast,
    contrast_of,
    families_of,
    mean_square,
    of_common_items,
    paired,
    widened_by_clusters,
)
from mores.analysis.groups import PLACE
from mores.analysis.outcomes import OutcomeCounts, outcomes
from mores.analysis.results import Result, Results
from mores.analysis.thinking import ThinkingEffect, effects_of
from mores.analysis.units import items_of
from mores.core.card import Metric
from mores.core.code_errors import attempt
from mores.core.errors import InputError, RunError, UnknownName
from mores.core.estimate import Caution
from mores.core.seeds import Seed
from mores.stats.ranks import holm

_SEED = Seed("compare")


class Compared(Struct, frozen=True, kw_only=True):
    """One benchmark in both runs: its headline over the whole and by groups, and other metrics over the whole.

    `outcomes` count how units went, None where none is right or wrong. `families` are groups by their kind, which
    are tested once the headline is found to differ (`all_first`). `other_metrics` are the others that are means of
    units, a family of their own on which no alarm rests. `only_a` and `only_b` count items that the other run did
    not ask; `ungraded` units that one of the two left ungraded. `notes` say what else differs, and who judged
    itself. `judge_quality` is J of the judge where somebody gave it. `mean_square` is the mean squared difference
    of units as a share of the squared range, and `design_effect` how much clusters widen the variance of the mean
    difference, 1 at least.
    """

    a: Result
    b: Result
    whole: Contrast
    outcomes: OutcomeCounts | None
    families: dict[str, tuple[Contrast, ...]]
    other_metrics: tuple[Contrast, ...]
    only_a: int
    only_b: int
    ungraded: int
    notes: tuple[Caution, ...]
    judge_quality: float | None
    mean_square: float
    design_effect: float

    @property
    def benchmark(self) -> str:
        """The benchmark."""
        return self.a.benchmark

    @property
    def metric(self) -> str:
        """The headline."""
        return self.a.headline

    @property
    def described(self) -> Metric | None:
        """The card's entry for the headline."""
        return self.a.described

    @property
    def simulated(self) -> bool:
        """True where any of it was made up."""
        return self.a.simulated or self.b.simulated

    @property
    def found(self) -> bool:
        """True where the two differ in the headline, after Holm's correction where it is one of several compared."""
        p = self.whole.p if self.whole.p_adjusted is None else self.whole.p_adjusted
        return p is not None and p < LEVEL

    @property
    def b_is_better(self) -> bool:
        """True where B has the better mean of the headline."""
        lower = self.described is not None and self.described.better == "lower"
        gap = self.whole.difference or 0.0
        return gap < 0 if lower else gap > 0

    @property
    def places(self) -> tuple[Contrast, ...]:
        """The places, where there are several."""
        return self.families.get(PLACE, ())


class Regression(NamedTuple):
    """A headline, with the one-sided p of B being worse after Holm over all headlines."""

    compared: Compared
    p: float


class MissingCounterpart(NamedTuple):
    """A model or benchmark that was not compared: only run A or only run B has it, or both do and code failed.

    `paired` is False where the whole model has no counterpart.
    """

    run: Literal["A", "B", "both"]
    model: str
    benchmark: str
    paired: bool


class Comparison(Struct, frozen=True, kw_only=True):
    """Run B against run A; the p of headlines are corrected for their number, and `left_out` was not compared.

    `thinking` is what thinking does to models that were told otherwise in B. `failed` could not be compared by an error
    of code.
    """

    run_a: Path
    run_b: Path
    compared: tuple[Compared, ...]
    left_out: tuple[MissingCounterpart, ...]
    thinking: tuple[ThinkingEffect, ...] = ()
    failed: tuple[MissingCounterpart, ...] = ()

    @property
    def simulated(self) -> bool:
        """True where any of it rests on made-up answers."""
        return any(each.simulated for each in self.compared)

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The models that were held against each other."""
        return tuple(dict.fromkeys((each.a.model, each.b.model) for each in self.compared))

    @property
    def alone(self) -> tuple[str, ...]:
        """Benchmarks of which something is in one run only."""
        return tuple(sorted({each.benchmark for each in self.left_out}))

    @property
    def one_sided(self) -> tuple[Regression, ...]:
        """Headlines that were tested, with the p of B being worse, corrected (Holm) for all of them."""
        tested = [(each, each.whole.p_lower) for each in self.compared if each.whole.p_lower is not None]
        corrected = holm([p for _, p in tested]).tolist()
        return tuple(Regression(each, p) for (each, _), p in zip(tested, corrected, strict=True))

    @property
    def regressions(self) -> tuple[Regression, ...]:
        """Headlines in which B is significantly worse."""
        return tuple(each for each in self.one_sided if each.p < LEVEL)

    @property
    def untested(self) -> tuple[str, ...]:
        """Headlines that could not be held against each other: in one run only, nothing graded in both, or failed."""
        failed = (f"{each.benchmark} by {each.model}" for each in self.failed)
        return (*self.alone, *failed, *(c.benchmark for c in self.compared if c.whole.p_lower is None))


def compare_runs(
    a: Results,
    b: Results,
    *,
    models: Sequence[str] = (),
    allow_other_data: bool = False,
    judge_quality: float | None = None,
) -> Comparison:
    """Run B against run A, model by model and benchmark by benchmark, in what both have.

    Models that both have are paired by name, one in each whatever their names. `models` are those to compare, none for
    all. A result's label says which run it is of.

    `judge_quality` is the judge's sensitivity plus specificity less 1, as found with people's labels: what could have
    been seen is then told of the truth as well. Nothing is assumed where it is not given.

    Raises:
        InputError: the runs have no model or no benchmark in common, or differ in more than the subject; or no judge
            has such a quality.
    """
    if judge_quality is not None and not 0 < judge_quality <= 1:
        raise InputError(f"--judge-quality {judge_quality}: expected sensitivity + specificity - 1, in (0, 1].")
    chosen = _chosen(a, b, models)
    pairs, left_out = _paired_results(*chosen, _paired_models(*chosen))
    for one, other in pairs:
        refuse_incompatible(one, other, allow_other_data=allow_other_data)
    made = [_compared(one, other, judge_quality) for one, other in pairs]
    failed = (b for (_, b), each in zip(pairs, made, strict=True) if each is None)
    compared = [each for each in made if each is not None]
    if not compared:
        raise RunError(f"{a.runs[0]}, {b.runs[0]}: nothing could be compared.")
    # headlines come first, as one family, and groups behind each
    corrected = all_first([WithGroups(each.whole, each.families) for each in compared])
    return Comparison(
        run_a=a.runs[0],
        run_b=b.runs[0],
        compared=tuple(
            replace(each, whole=own.whole, families=dict(own.families))
            for each, own in zip(compared, corrected, strict=True)
        ),
        left_out=left_out,
        failed=tuple(MissingCounterpart("both", each.model, each.benchmark, paired=True) for each in failed),
        thinking=attempt("the effect of thinking", lambda: effects_of(_thinking_otherwise(pairs)), lambda _: ()),
    )


def _compared(a: Result, b: Result, judge_quality: float | None) -> Compared | None:
    """The two held against each other; None where the code for it fails."""
    what = f"the comparison of {b.benchmark} by {b.model}"
    return attempt(what, lambda: compare_results(a, b, judge_quality=judge_quality), lambda _: None)


def _thinking_otherwise(pairs: Sequence[tuple[Result, Result]]) -> list[tuple[Result, Result]]:
    return [pair for pair in pairs if pair[0].model == pair[1].model and len({*map(thinking_of, pair)}) > 1]


def _chosen(a: Results, b: Results, models: Sequence[str]) -> tuple[Results, Results]:
    """Both runs with these models alone; with all of theirs where none is named."""
    known = {*a.models, *b.models}
    for model in models:
        if model not in known:
            raise UnknownName("model", model, known, where="--model", todo=f"The runs have {', '.join(sorted(known))}.")
    if not models:
        return a, b
    kept = (tuple(each for each in run.evaluations if each.model in models) for run in (a, b))
    one, other = (replace(run, evaluations=evaluations) for run, evaluations in zip((a, b), kept, strict=True))
    return one, other


def _paired_models(a: Results, b: Results) -> dict[str, str]:
    """The model of B that each model of A is held against."""
    if len(a.models) == len(b.models) == 1:
        return {a.models[0]: b.models[0]}
    both = {model: model for model in a.models if model in b.models}
    if not both:
        raise InputError(
            f"{a.runs[0]} has the models {list(a.models)} and {b.runs[0]} {list(b.models)}; expected a model that both "
            "have, or one model in each: --model A --model B names them."
        )
    return both


def _paired_results(
    a: Results, b: Results, models: dict[str, str]
) -> tuple[list[tuple[Result, Result]], tuple[MissingCounterpart, ...]]:
    """The results that are held against each other, labelled by their runs, and those of one run alone."""
    # by the model of B, as one model of A may be held against another name
    first = {(models[each.model], each.benchmark): each for each in a.evaluations if each.model in models}
    second = {(each.model, each.benchmark): each for each in b.evaluations}
    pairs = [(_labelled(each, "A", models), _labelled(second[key], "B", models)) for key, each in first.items()
             if key in second]  # fmt: skip
    if not pairs:
        raise InputError(
            f"{a.runs[0]} ran {', '.join(a.benchmarks)} and {b.runs[0]} {', '.join(b.benchmarks)}; "
            "expected a benchmark that both ran."
        )
    alone_a = [MissingCounterpart("A", each.model, each.benchmark, each.model in models) for each in a.evaluations
               if (models.get(each.model), each.benchmark) not in second]  # fmt: skip
    alone_b = [MissingCounterpart("B", each.model, each.benchmark,
        each.model in models.values()) for each in b.evaluations
               if (each.model, each.benchmark) not in first]  # fmt: skip
    return pairs, (*alone_a, *alone_b)


def _labelled(result: Result, run: str, models: dict[str, str]) -> Result:
    return replace(result, label=run if len(models) == 1 else f"{run}: {result.model}")


def compare_results(a: Result, b: Result, *, judge_quality: float | None = None) -> Compared:
    """One model against another on one benchmark; that they may be compared is for `refuse_incompatible` to say.

    Groups are corrected as where this is all that is compared.
    """
    rows_a, rows_b = a.scores[a.headline], b.scores[b.headline]
    items_a, items_b = items_of(rows_a), items_of(rows_b)
    pairs = paired(*of_common_items(rows_a, rows_b))
    # a benchmark that nobody judges has no judge whose errors could hide a difference
    quality = judge_quality if a.judges else None
    terms = ContrastOptions(_SEED.child(a.benchmark), a.headline, a.described, quality, sides=(a, b))
    other_metrics = _other_metrics(a, b, quality)
    # what may be no skill at all stands before what else differs
    first = (*form_of_answers(other_metrics), *nobody_thought(a, b))
    whole = contrast_of(pairs, terms)
    (alone,) = all_first([WithGroups(whole, families_of(pairs, terms))])
    return Compared(
        a=a,
        b=b,
        whole=whole,
        outcomes=outcomes(a, b),
        families=dict(alone.families),
        other_metrics=other_metrics,
        only_a=len(items_a - items_b),
        only_b=len(items_b - items_a),
        ungraded=pairs.shared - len(pairs.a),
        notes=(*first, *notes_on(a, b), *_own_judges(a, b), *_counted_otherwise(a, b)),
        judge_quality=quality,
        mean_square=mean_square(pairs, terms.reach),
        design_effect=widened_by_clusters(pairs),
    )


def _other_metrics(a: Result, b: Result, quality: float | None) -> tuple[Contrast, ...]:
    """Every other metric that is a mean over units in both, what judges say first; a family of its own."""
    found = []
    for name in a.scores.compared:
        if name in b.scores.compared:
            terms = ContrastOptions(_SEED.child(a.benchmark, name), name, a.metric(name), quality, sides=(a, b))
            found.append(contrast(*of_common_items(a.scores[name], b.scores[name]), terms))
    return adjusted(found)


def _own_judges(a: Result, b: Result) -> tuple[Caution, ...]:
    """Caution that one of the two was judged by itself: models tend to prefer their own answers."""
    own = {name: each for name, each in (("A", a), ("B", b)) if each.own_judges}
    code = "one_judged_by_itself" if len(own) == 1 else "both_judged_by_themselves"
    return tuple(Caution(code=code, words=(name, each.model)) for name, each in own.items())


def _counted_otherwise(*results: Result) -> tuple[Caution, ...]:
    """Says so where a headline is no mean over units, so that what is compared here is another figure."""
    if all(each.is_mean for each in results):
        return ()
    return (Caution(code="compared_by_mean_points", words=(results[0].headline,)),)
