"""Questions beside what a model knows of their norms: what tables by norms possessed are made from.

A norm is possessed where the model calls it true and its negation false.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import repeat

import numpy as np

from mores.analysis.results import Result
from mores.analysis.subjects import SubjectScores
from mores.analysis.units import headline_units, units_of
from mores.benchmarks.cultureforest.data import norms_of_bundle
from mores.benchmarks.shapes.norm_scores import KEPT
from mores.core.arrays import Codes, Floats, Mask, Strings
from mores.core.estimate import RowKeys
from mores.stats.decomposition import KnowledgeTable, knowledge_table

Known = Mapping[str, int]
"""By norm: 1 possessed, 0 not, -1 not known, as what could not be graded decides."""


def norms_known(result: Result) -> Known:
    """The norms of an evaluation that asks whether each, and its negation, is true."""
    units = headline_units(result)
    states = np.where(units.graded, units.value, -1).astype(np.int64)
    return dict(zip(units.keys.unit.texts(), states.tolist(), strict=True))


def states_of(keys: RowKeys, known: Known) -> Codes:
    """The state of each norm of each row's bundle, shape (rows, norms).

    Rows of which a bundle has another number of norms than the first are not known at all.
    """
    bundles = [norms_of_bundle(bundle) for bundle in keys.cluster.names]
    size = len(bundles[0]) if bundles else 0
    norms = [norm for each in bundles for norm in (each if len(each) == size else [""] * size)]
    states = np.fromiter(map(known.get, norms, repeat(-1)), np.int64, len(norms))
    return states.reshape(len(bundles), size)[keys.cluster.codes]


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionNormStates:
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

    def beside(self, other: "QuestionNormStates") -> tuple["QuestionNormStates", "QuestionNormStates"]:
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
        state=states_of(keys, known),
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
