"""Probabilities of labels put right by what people said of other things: one exponent for all, and a weight a label.

log-probabilities and true labels ─▶ softmax(scale · log p + bias) of the greatest likelihood ─▶ the likeliest label.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mores.core.errors import InputError
from mores.stats.checks import FloatArray, IntArray

LEAST = 1e-6
"""Probabilities below count as this, as no finite sample tells them apart."""
_STEPS, _PRIOR = 50, 1.0


class Recalibration(NamedTuple):
    """The exponent and each label's bias; the last label's is 0. Without data they are 1 and 0: nothing changes."""

    scale: float
    bias: FloatArray

    def probabilities(self, given: npt.ArrayLike) -> FloatArray:
        """The probabilities of each row, put right."""
        return _softmax(self.scale * _logs(given) + self.bias)

    def likeliest(self, probabilities: npt.ArrayLike) -> IntArray:
        """The code of the likeliest label of each row, put right."""
        return np.asarray((self.scale * _logs(probabilities) + self.bias).argmax(axis=1))


def recalibrate(probabilities: npt.ArrayLike, truth: npt.ArrayLike) -> Recalibration:
    """Scale and bias by maximum likelihood, drawn towards no change as if by a few observations.

    Args:
        probabilities: A row a thing, a column a label.
        truth: The code of the true label of each row.

    Raises:
        InputError: shapes differ, or a code is out of range.

    Source:
        Guo, Pleiss, Sun and Weinberger (2017), ICML, section 4.2 (vector scaling, here with one scale for all labels).

    >>> recalibrate([[0.6, 0.4]] * 40, [1] * 40).likeliest([[0.55, 0.45]]).tolist()
    [1]
    """
    logs = _logs(probabilities)
    rows, labels = logs.shape
    # A column a parameter: the logs for the scale, then one for the bias of each label but the last.
    design = np.concatenate((logs[:, :, None], np.broadcast_to(np.eye(labels)[:, :-1], (rows, labels, labels - 1))), 2)
    found = _fitted(design, truth)
    return Recalibration(float(found[0]), np.append(found[1:], 0.0))


def rescale(probabilities: npt.ArrayLike, truth: npt.ArrayLike) -> Recalibration:
    """The scale alone, whose inverse is the temperature: it changes how sure the likeliest label is, and never which.

    A scale of 0 or less means that the probabilities tell nothing of the labels.

    Args:
        probabilities: A row a thing, a column a label.
        truth: The code of the true label of each row.

    Raises:
        InputError: shapes differ, or a code is out of range.

    Source:
        Guo, Pleiss, Sun and Weinberger (2017), ICML, section 4.2 (temperature scaling).

    >>> round(rescale([[0.9, 0.1]] * 400, [0] * 300 + [1] * 100).scale, 2)
    0.5
    """
    logs = _logs(probabilities)
    return Recalibration(float(_fitted(logs[:, :, None], truth)[0]), np.zeros(logs.shape[1]))


def _fitted(design: FloatArray, truth: npt.ArrayLike) -> FloatArray:
    """The parameters of the greatest likelihood, of a design of shape (rows, labels, parameters), by Newton's steps."""
    codes = np.asarray(truth, dtype=np.int64)
    rows, labels, parameters = design.shape
    if codes.shape != (rows,) or codes.min(initial=0) < 0 or codes.max(initial=0) >= labels:
        raise InputError(f"truth has the shape {codes.shape}; expected a code from 0 to {labels - 1} for {rows} rows.")
    start = np.eye(parameters)[0]
    given, found = np.eye(labels)[codes], start
    for _ in range(_STEPS):
        chance = _softmax(design @ found)
        slope = np.einsum("nk,nkp->p", given - chance, design) - _PRIOR * (found - start)
        mean = np.einsum("nk,nkp->np", chance, design)
        curve = np.einsum("nk,nkp,nkq->pq", chance, design, design) - mean.T @ mean + _PRIOR * np.eye(parameters)
        step = np.linalg.solve(curve, slope)
        found = found + step / max(1.0, float(np.abs(step).max()))
        if np.abs(step).max() < 1e-9:
            break
    return np.asarray(found)


def _logs(probabilities: npt.ArrayLike) -> FloatArray:
    return np.log(np.maximum(np.asarray(probabilities, dtype=np.float64), LEAST))


def _softmax(scores: FloatArray) -> FloatArray:
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))
