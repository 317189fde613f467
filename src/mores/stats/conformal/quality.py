"""How good a draw is held to be, with log-probabilities and without; any rule is valid, a poor one costs draws.

The same rule must be used at calibration and at use, and may look at the draw and those before it alone.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from mores.core.errors import InputError
from mores.stats.checks import FloatArray, IntArray
from mores.stats.conformal.draws import UNREADABLE


def prefix_consistency(decisions: npt.ArrayLike) -> FloatArray:
    """Share of the draws so far that decide as this one does, drawn towards a half: (c + 1) / (k + 2) for draw k.

    Uses the past alone, so that sampling can stop early. Without the one and the two it would be 1 at the first draw
    of every item and tell them apart no more. A draw that did not parse agrees with none: 1 / (k + 2).

    Args:
        decisions: Codes as in `Draws.decisions`, shape (items, draws), -1 where a draw did not parse.

    >>> prefix_consistency([[0, 0, 1]]).round(3).tolist()
    [[0.667, 0.75, 0.4]]
    """
    codes: IntArray = np.asarray(decisions, dtype=np.int64)
    same = np.tril(codes[:, :, None] == codes[:, None, :])
    agree = np.where(codes == UNREADABLE, 0, same.sum(axis=2))
    share: FloatArray = (agree + 1) / np.arange(3, codes.shape[1] + 3)
    return share


def verbalised(stated: Sequence[Sequence[float | None]]) -> FloatArray:
    """Confidences that the judge stated, from 0 to 1; 0 where it stated none.

    Raises:
        InputError: a confidence is outside 0 to 1, as percentages are.
    """
    given = np.array([[0.0 if one is None else one for one in row] for row in stated], dtype=np.float64)
    if not np.all((given >= 0) & (given <= 1)):
        raise InputError("A stated confidence lies outside 0 to 1; divide percentages by 100, and give None for none.")
    return given


def constant_quality(items: int, draws: int) -> FloatArray:
    """One for every draw: the set score then counts or knows nothing; always valid, the safe default."""
    return np.ones((items, draws))
