"""Knowing and using: how answers fare by how many of a question's norms a model possesses.

What sets two models apart is split into a part from knowing more and a part from using it better, which add up to the
difference: an identity, not a cause.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, repeat
from typing import NamedTuple

import numpy as np
from msgspec import Struct, structs
from msgspec.structs import replace

from mores.analysis.contrast import Contrast, adjusted, between_groups, known
from mores.analysis.groups import Group
from mores.analysis.results import Result, caution_of_several, marked
from mores.analysis.units import Subject, SubjectScores, headline_units, units_of
from mores.benchmarks.cultureforest.data import norms_of_bundle
from mores.benchmarks.cultureforest.levels import KNOWLEDGE, MODES, other_data, scored
from mores.benchmarks.shapes.norm_scores import KEPT
from mores.benchmarks.shapes.regions.region_scores import SEED
from mores.core.arrays import Codes, Floats, Mask, Strings
from mores.core.estimate import Estimate, Missing, RowKeys, cautioned, gravest
from mores.core.seeds import Seed
from mores.stats.decomposition import KnowledgeTable, knowledge_table, split_difference
from mores.stats.intervals import mean_interval

Known = Mapping[str, int]
"""By norm: 1 possessed, 0 not, -1 not known, as what could not be graded decides."""


def norms_known(result: Result) -> Known:
    """The norms of an evaluation that asks whether each, and its negation, is true."""
    units = headline_units(result)
    states = np.where(units.graded, units.value, -1).astype(np.int64)
    return dict(zip(units.keys.unit.texts(), states.tolist(), strict=True))


def bundles_of(result: Result) -> dict[str, tuple[str, ...]]:
    """The norms of the bundle that each item rests on."""
    return {about.item: norms_of_bundle(about.cluster) for about in result.verdict_table.item_metadata}


def states_of(keys: RowKeys, bundles: Mapping[str, Sequence[str]], known: Known) -> Codes:
    """The state of each norm of the bundle of each row's item, shape (rows, norms).

    Rows of which a bundle has another number of norms than the first are not known at all.
    """
    of_item = [bundles[item] for item in keys.item.names]
    size = len(of_item[0]) if of_item else 0
    norms = [norm for each in of_item for norm in (each if len(each) == size else [""] * size)]
    states = np.fromiter(map(known.get, norms, repeat(-1)), np.int64, len(norms))
    return states.reshape(len(of_item), size)[keys.item.codes]


class QuestionNormStates(Struct, frozen=True, kw_only=True):
    """Questions with their norms' states and the share of each answered right."""

    names: Strings
    state: Codes
    right: Floats
    cluster: Codes

    @property
    def some(self) -> Mask:
        """Questions of which all is known."""
        return np.asarray(np.isfinite(self.right) & (self.state >= 0).all(axis=1) & (self.state.shape[1] > 0))

    def at(self, rows: Mask | Codes) -> "QuestionNormStates":
        """Some of the questions, in the given order."""
        return QuestionNormStates(
            names=self.names[rows], state=self.state[rows], right=self.right[rows], cluster=self.cluster[rows]
        )

    def aligned_with(self, other: "QuestionNormStates") -> tuple["QuestionNormStates", "QuestionNormStates"]:
        """The questions of both, in one order."""
        _, rows, others = np.intersect1d(self.names, other.names, assume_unique=True, return_indices=True)
        return self.at(rows), other.at(others)

    @property
    def table(self) -> KnowledgeTable:
        """By the number of norms possessed."""
        return knowledge_table(self.state, self.right)


def conditioned(each: SubjectScores, known: Known) -> QuestionNormStates:
    """Questions with the states of their norms; of an open answer, right is the share of its norms kept to."""
    units = units_of(each.result.scores[KEPT]) if each.weighted else each.units
    keys, names, right = units.keys, units.keys.unit, units.value
    if each.weighted:
        names = keys.item
        first = np.unique(names.codes, return_index=True)[1]
        right = np.bincount(names.codes, right) / np.bincount(names.codes)  # NaN where a norm is ungraded
        keys, names = keys.take(first), names.take(first)
    return QuestionNormStates(
        names=np.array(names.texts(), dtype=np.str_),
        state=states_of(keys, bundles_of(each.result), known),
        right=right,
        cluster=keys.cluster.codes,
    )


def norm_by_norm(each: SubjectScores, known: Known) -> QuestionNormStates | None:
    """Norms of open answers with the state of the very norm that each is; None where answers are closed."""
    if not each.weighted:
        return None
    units = units_of(each.result.scores[KEPT])
    states = [known.get(norm, -1) for norm in units.keys.part.texts()]
    return QuestionNormStates(
        names=np.array(units.keys.unit.texts(), dtype=np.str_),
        state=np.array(states, dtype=np.int64)[:, None],
        right=units.value,
        cluster=units.keys.cluster.codes,
    )


FEW = 10
"""Questions below which a share says more than is known."""
RESAMPLES, LEVELS = 500, 50


class KnowledgeStratum(Struct, frozen=True, kw_only=True):
    """Questions of which so many norms are possessed: their share of all, and the share answered right."""

    known: str
    share: Estimate
    right: Estimate


class KnowledgeUse(Struct, frozen=True, kw_only=True):
    """One model in one mode: by norms possessed, with fewer than all of them, and for open answers norm by norm.

    `gained` is the share right with all norms possessed less that with fewer, its p corrected over the models of the
    mode; bundles that share a norm are one cluster. `coverage` is the share of norms possessed
    over questions, `complete` the share of questions with all of them. `left_out` questions are not counted: a norm
    of theirs was not asked about or not graded, or the answer was not.
    """

    name: str
    simulated: bool
    mode: str
    questions: int
    left_out: int
    coverage: Estimate
    complete: Estimate
    gained: Contrast
    rungs: tuple[KnowledgeStratum, ...]
    unknown: KnowledgeStratum
    by_norm: tuple[KnowledgeStratum, ...]

    @property
    def by_number(self) -> tuple[KnowledgeStratum, ...]:
        """By the number of norms possessed, then with fewer than all."""
        return (*self.rungs, self.unknown)


class NormKnowledge(Struct, frozen=True, kw_only=True):
    """Norms that one model knows, and the shares of norms affirmed and of negations denied."""

    name: str
    simulated: bool
    known: Estimate | None
    affirmed: Estimate | None
    denied: Estimate | None


class ModelDecomposition(Struct, frozen=True, kw_only=True):
    """First less second, over the questions that both answered: the difference and its two parts, in shares."""

    first: str
    second: str
    simulated: bool
    mode: str
    difference: Estimate
    knowledge: float | None
    reasoning: float | None


class Unpaired(NamedTuple):
    """A model in a mode in which its answers could not be held against what it knows, and why."""

    name: str
    mode: str
    missing: Missing


class KnowledgeUseTable(Struct, frozen=True, kw_only=True):
    """All models of which it is known what they know; `unpaired` says which modes could not be looked at, and why."""

    knows: tuple[NormKnowledge, ...]
    uses: tuple[KnowledgeUse, ...]
    partings: tuple[ModelDecomposition, ...]
    unpaired: tuple[Unpaired, ...]

    def of(self, mode: str) -> tuple[KnowledgeUse, ...]:
        """The models in one mode."""
        return tuple(use for use in self.uses if use.mode == mode)

    @property
    def modes(self) -> tuple[str, ...]:
        """Modes that some model was looked at in."""
        return tuple(dict.fromkeys(use.mode for use in self.uses))


def using_of(subjects: Sequence[Subject], knowledge: Mapping[str, Known]) -> KnowledgeUseTable:
    """Each model whose norms were asked about, in each mode that asks without telling them."""
    knowing = [subject for subject in subjects if subject.name in knowledge]
    uses: list[KnowledgeUse] = []
    unpaired: list[Unpaired] = []
    tables: dict[str, dict[str, QuestionNormStates]] = {}
    for subject, mode in ((subject, mode) for subject in knowing for mode in MODES if mode in subject.evaluations):
        each, norms = scored(subject, mode), knowledge[subject.name]
        made, missing = conditioned(each, norms), other_data(each.result, subject.evaluations[KNOWLEDGE])
        if missing is None and not made.some.any():
            missing = Missing(code="no_question_of_norms_asked")
        if missing is not None:
            unpaired.append(Unpaired(subject.name, mode, missing))
            continue
        tables.setdefault(mode, {})[subject.name] = made.at(made.some)
        uses.append(_marked(_use(subject, mode, made, norm_by_norm(each, norms)), _sides(subject, mode)))
    of = {subject.name: subject for subject in knowing}
    # In easy, where nearly all are right, models are set against each other only for want of medium.
    split = [mode for mode in tables if mode != "easy" or "medium" not in tables]
    return KnowledgeUseTable(
        knows=tuple(map(_knows, knowing)),
        uses=tuple(_corrected(uses)),
        partings=tuple(pair for mode in split for pair in _splits(mode, tables[mode], of)),
        unpaired=tuple(unpaired),
    )


def _sides(subject: Subject, mode: str) -> tuple[Result, ...]:
    """The evaluations of what a model knows, and of what it answers."""
    return subject.evaluations[mode], subject.evaluations[KNOWLEDGE]


def _marked(use: KnowledgeUse, sides: Sequence[Result]) -> KnowledgeUse:
    """The same with what has to be known of the answers of either evaluation."""

    def rung(each: KnowledgeStratum) -> KnowledgeStratum:
        return replace(each, share=marked(each.share, sides[1:]), right=marked(each.right, sides))

    return replace(
        use,
        coverage=marked(use.coverage, sides[1:]),
        complete=marked(use.complete, sides[1:]),
        gained=structs.replace(use.gained, caution=caution_of_several(sides, use.gained.metric, {})),
        rungs=tuple(map(rung, use.rungs)),
        unknown=rung(use.unknown),
        by_norm=tuple(map(rung, use.by_norm)),
    )


def _corrected(uses: Sequence[KnowledgeUse]) -> Iterator[KnowledgeUse]:
    """The same with the models of each mode as a family."""
    of_mode = {mode: iter(adjusted([use.gained for use in uses if use.mode == mode])) for mode in MODES}
    return (replace(use, gained=next(of_mode[use.mode])) for use in uses)


def _knows(subject: Subject) -> NormKnowledge:
    found = subject.evaluations[KNOWLEDGE]
    return NormKnowledge(
        name=subject.name,
        simulated=found.simulated,
        known=found.overall(),
        affirmed=found.overall("affirmed"),
        denied=found.overall("denied"),
    )


def _use(subject: Subject, mode: str, every: QuestionNormStates, by_norm: QuestionNormStates | None) -> KnowledgeUse:
    made, seed = every.at(every.some), SEED.child("using", subject.name, mode)
    count, size = made.state.sum(axis=1), made.state.shape[1]
    every_norm = (count == size).astype(np.float64)
    return KnowledgeUse(
        name=subject.name,
        simulated=subject.simulated,
        mode=mode,
        questions=len(made.names),
        left_out=len(every.names) - len(made.names),
        coverage=_mean("coverage", count / size, made.cluster, seed.child("coverage")),
        complete=_mean("complete", every_norm, made.cluster, seed.child("complete")),
        gained=_gained(made, count == size, seed),
        rungs=_rungs(made, seed),
        unknown=_rung(f"fewer than {size}", made, count < size, seed),
        by_norm=() if by_norm is None else _of_one_norm(by_norm.at(by_norm.some), seed.child("norm")),
    )


def _gained(made: QuestionNormStates, known: Mask, seed: Seed) -> Contrast:
    """Right answers with all norms possessed less those with fewer; of few questions neither is told."""
    found = between_groups(
        made.right, known, made.cluster, metric="right", group=Group("knowledge", "all"), seed=seed.child("gained")
    )
    fewest = int(min(known.sum(), (~known).sum()))
    if fewest >= FEW:
        return found
    few = Missing(code="too_few_questions", n=fewest, needed=FEW)
    return structs.replace(found, a=None, b=None, difference=None, low=None, high=None, p=None, test="", missing=few)


def _rungs(made: QuestionNormStates, seed: Seed) -> tuple[KnowledgeStratum, ...]:
    count = made.state.sum(axis=1)
    return tuple(_rung(str(k), made, count == k, seed) for k in range(made.state.shape[1] + 1))


def _of_one_norm(made: QuestionNormStates, seed: Seed) -> tuple[KnowledgeStratum, ...]:
    names = ("not possessed", "possessed")
    return tuple(replace(rung, known=name) for name, rung in zip(names, _rungs(made, seed), strict=True))


def _rung(known: str, made: QuestionNormStates, rows: Mask, seed: Seed) -> KnowledgeStratum:
    """Questions with such knowledge; which these are depends on the model, so that places are no strata here."""
    right = _mean("right", made.right[rows], made.cluster[rows], seed.child("right", known))
    if right.graded < FEW:
        few = Missing(code="too_few_questions", n=right.graded, needed=FEW)
        right = structs.replace(right, value=None, low=None, high=None, missing=few)
    share = _mean("share", rows.astype(np.float64), made.cluster, seed.child("share", known))
    return KnowledgeStratum(known=known, share=share, right=right)


def _mean(metric: str, values: Floats, cluster: Codes, seed: Seed) -> Estimate:
    # Of values on few levels the bootstrap draws counts, not units: many times as quick, and the mean stays.
    fine = np.unique(values).size > LEVELS
    interval = mean_interval(
        np.round(LEVELS * values) / LEVELS if fine else values, cluster, resamples=RESAMPLES, seed=seed
    )
    return Estimate(
        metric=metric,
        value=float(values.mean()) if values.size else None,
        low=interval.low,
        high=interval.high,
        asked=values.size,
        graded=values.size,
        method=interval.method,
        missing=interval.missing,
    )


def _splits(
    mode: str, tables: Mapping[str, QuestionNormStates], of: Mapping[str, Subject]
) -> Iterator[ModelDecomposition]:
    """Every two models, over the questions of which all is known for both."""
    for first, second in combinations(tables, 2):
        a, b = tables[first].aligned_with(tables[second])
        split = split_difference(a.table, b.table)
        distance = _mean("difference", a.right - b.right, a.cluster, SEED.child("parting", mode, first, second))
        both = of[first], of[second]
        yield ModelDecomposition(
            first=first,
            second=second,
            simulated=any(each.simulated for each in both),
            mode=mode,
            difference=cautioned(
                distance, gravest([caution_of_several(_sides(each, mode), distance.metric, {}) for each in both])
            ),
            knowledge=known(split.knowledge),
            reasoning=known(split.reasoning),
        )
