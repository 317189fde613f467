"""How good a draw is held to be, with log-probabilities and without; any rule is valid, a poor one costs draws.

The same rule must be used at calibration and at use, and may look at the draw and those before it alone.
"""

from collections.abc import Mapping, Sequence
from math import exp

import numpy as np
import numpy.typing as npt
from scipy.special import logsumexp

from mores.core.errors import InputError
from mores.stats.arrays import FloatArray, IntArray
from mores.stats.conformal.draws import UNREADABLE

_LEAST = -1e5  # of a log-probability


def log_gnmt(logprobs: Sequence[float]) -> float:
    """Logarithm of `gnmt`: for long texts, whose likelihoods are near 0, with the set score "max" and `stop_levels`."""
    clipped = _clipped(logprobs)
    if clipped.size == 0:
        return _LEAST
    return float(clipped.sum() / ((5 + clipped.size) / 6) ** 0.6)


def gnmt(logprobs: Sequence[float]) -> float:
    """Likelihood of a completion, its logarithm over a penalty that grows as length to the power of .6; 0 if empty.

    What the released code of conformal language modelling calls length-normalised; not the mean log-probability,
    which is `mean_likelihood`. Of long rationales it is near 0: use `log_gnmt` there.

    Source:
        Wu et al. (2016), arXiv:1609.08144, eq. 14.

    >>> round(gnmt([-0.1] * 10), 5)
    0.56154
    """
    return exp(log_gnmt(logprobs))


def mean_likelihood(logprobs: Sequence[float]) -> float:
    """Geometric mean of the tokens' probabilities; 0 without tokens.

    >>> round(mean_likelihood([-0.1] * 10), 5)
    0.90484
    """
    clipped = _clipped(logprobs)
    return exp(float(clipped.mean())) if clipped.size else 0.0


def _clipped(logprobs: Sequence[float]) -> FloatArray:
    given = np.asarray(logprobs, dtype=np.float64)
    if np.isnan(given).any() or np.any(given > 1e-6):
        raise InputError("A log-probability is NaN or above 0; expected natural logarithms of probabilities.")
    return np.clip(given, _LEAST, 0.0)


def decision_token(logprobs: Mapping[str, float], decision: str | None) -> float:
    """Probability of the decision's token among the tokens of all labels; 0 where it is not known.

    Usually tells more of a binary judge than the likelihood of its whole rationale.

    Args:
        logprobs: Log-probability of each label's token where the decision stands; a label not listed counts as 0.
        decision: What the draw decided; None where it did not parse.

    >>> round(decision_token({"yes": -0.2, "no": -2.0}, "yes"), 3)
    0.858
    """
    if decision is None or decision not in logprobs:
        return 0.0
    listed = _clipped(list(logprobs.values()))
    return exp(max(logprobs[decision], _LEAST) - float(logsumexp(listed)))


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
