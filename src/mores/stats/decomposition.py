"""Parts of a score: knowing the norms, and using them.

statements said true or false ─▶ norms possessed ─▶ questions by share of their norms possessed ─▶ table, split.
P(right) is the sum over k of P(k) P(right | k), where k counts the question's norms that the model possesses. That is
an identity, not a model: a question whose norms are known may be easier in other ways too, so the split says where
a difference lies and not what caused it. For the gain from norms in the prompt, see `compare_paired`.

Source:
    CultureForest, section 4, equation 5; Oaxaca (1973) and Blinder (1973), with weights midway between both models.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from mores.core.arrays import Floats
from mores.core.errors import InputError
from mores.stats.checks import numbers, ratio, same_length


class Decomposition(NamedTuple):
    """Difference of two models' share of right answers, and its parts, which add up to it."""

    difference: float
    knowledge: float
    reasoning: float


class KnowledgeTable(Struct, frozen=True, kw_only=True):
    """Number of questions, and sum of right answers, by how many of a question's norms are possessed: 0, 1, ….

    Shares are NaN without questions.
    """

    questions: tuple[int, ...]
    right: tuple[float, ...]

    @property
    def accuracy(self) -> float:
        """Share of right answers over all questions."""
        return sum(self.right) / sum(self.questions) if sum(self.questions) else float("nan")


def knowledge_table(known: npt.ArrayLike, right: npt.ArrayLike) -> KnowledgeTable:
    """Questions and right answers by how many of a question's norms are possessed.

    Args:
        known: Whether each norm of each question is possessed, shape (questions, norms).
        right: Whether each question was answered right, or the share of its samples that were.

    Raises:
        InputError: lengths differ, or a share of right answers is not from 0 to 1.
    """
    norms, score = np.asarray(known, dtype=np.bool_), numbers(right, "right")
    if norms.ndim != 2 or norms.shape[1] == 0:
        raise InputError(f"known has shape {norms.shape}; expected (questions, norms).")
    if np.any((score < 0) | (score > 1)):
        raise InputError("right has a value outside 0 to 1; expected the share of a question's samples that are right.")
    count = norms.sum(1)
    same_length(count, score, "known and right")
    cells = norms.shape[1] + 1
    return KnowledgeTable(
        questions=tuple(np.bincount(count, minlength=cells).tolist()),
        right=tuple(np.bincount(count, score, cells).astype(np.float64).tolist()),
    )


def split_difference(first: KnowledgeTable, second: KnowledgeTable) -> Decomposition:
    """Difference of two models' shares of right answers, in a part from knowing more and a part from using it better.

    Knowledge: differences in how often k norms are possessed, times the mean of both accuracies there. Reasoning:
    differences in accuracy there, times the mean of both frequencies. Where only one model has questions in a cell,
    the other is taken to be as accurate, so that the cell counts as knowledge. NaN if a model has no questions.

    Raises:
        InputError: the questions have different numbers of norms.

    >>> weak = KnowledgeTable(questions=(10, 10), right=(2, 5))
    >>> strong = KnowledgeTable(questions=(5, 15), right=(1, 9))
    >>> [round(part, 4) for part in split_difference(strong, weak)]
    [0.15, 0.0875, 0.0625]
    """
    if len(first.questions) != len(second.questions):
        raise InputError(
            f"Questions have {len(first.questions) - 1} and {len(second.questions) - 1} norms; expected as many."
        )
    if not (sum(first.questions) and sum(second.questions)):
        return Decomposition(float("nan"), float("nan"), float("nan"))
    (often, right), (often_too, right_too) = _shares(first, second), _shares(second, first)
    return Decomposition(
        difference=first.accuracy - second.accuracy,
        # each part at the mean of both models, so that neither is the yardstick and the two add up
        knowledge=float((often - often_too) @ (right + right_too)) / 2,
        reasoning=float((often + often_too) @ (right - right_too)) / 2,
    )


def _shares(table: KnowledgeTable, other: KnowledgeTable) -> tuple[Floats, Floats]:
    """Share of questions with k norms known and the accuracy there, the other's where there are no questions."""
    n, right = np.array(table.questions, dtype=np.float64), np.array(table.right)
    n_too, right_too = np.array(other.questions, dtype=np.float64), np.array(other.right)
    theirs = ratio(right_too, n_too, empty=0.0)
    return n / n.sum(), np.where(n > 0, ratio(right, n), theirs)
