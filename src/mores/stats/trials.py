"""Right answers over questions asked several times: Mean@K, Pass@K, and how often an error is one of form.

outcomes (samples, questions) ─▶ shares. An outcome is 1 for right, 0 for wrong and -1 for an answer that could not be
read, which is the model's fault and counts as wrong. For intervals give `mean_interval` each question's mean, with
its norm bundle as the cluster.

Source:
    CultureForest, sections 2 and 3.1, appendix I.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from mores.core.errors import InputError
from mores.stats.arrays import FloatArray, IntArray
from mores.stats.norm_scores import RegionScores, region_points

_KEY = (0, 0, 0, 1)  # what a right answer says of the options A to D in the medium form


class TrialScores(NamedTuple):
    """Share of samples that are right, share of questions with any right, and share of errors that are of form.

    NaN without questions; `format_errors` also without errors.
    """

    mean: float
    passed: float
    format_errors: float


def trial_scores(outcomes: npt.ArrayLike) -> TrialScores:
    """Mean@K, Pass@K and the share of errors of form, which is averaged over samples that have errors.

    Args:
        outcomes: 1 right, 0 wrong, -1 unread; shape (samples, questions).

    Raises:
        InputError: another code, or another shape.

    >>> trial_scores([[1, 0], [1, -1]])
    TrialScores(mean=0.5, passed=0.5, format_errors=0.5)
    """
    codes = _codes(outcomes, 2, "outcomes")
    if codes.size == 0:
        return TrialScores(float("nan"), float("nan"), float("nan"))
    right, unread, errors = codes == 1, (codes == -1).sum(1), (codes != 1).sum(1)
    shares = unread[errors > 0] / errors[errors > 0]
    of_form = float(shares.mean()) if shares.size else float("nan")
    return TrialScores(float(right.mean()), float(right.any(0).mean()), of_form)


def region_trials(
    outcomes: npt.ArrayLike, regions: Sequence[str], *, statistic: Literal["mean", "passed"] = "mean"
) -> RegionScores:
    """Points of each region, 0 to 100, and how far regions are apart.

    Args:
        outcomes: As in `trial_scores`.
        regions: The region of each question.
        statistic: Mean@K or Pass@K.

    Raises:
        InputError: as in `trial_scores`, or lengths differ.
    """
    right = _codes(outcomes, 2, "outcomes") == 1
    values: FloatArray = (right.mean(0) if statistic == "mean" else right.any(0)).astype(np.float64)
    return region_points(values, np.ones(values.size), regions)


def medium_outcomes(said: npt.ArrayLike) -> IntArray:
    """Outcomes of questions whose four options are judged apart: right iff A, B, C are called false and D true.

    The k-th samples of the four make one answer. An option that could not be read makes it -1, whatever the others say.

    Args:
        said: 1 true, 0 false, -1 unread; shape (samples, questions, 4), the options in the order A to D.

    Returns:
        Shape (samples, questions).

    Raises:
        InputError: another code, or another shape.
    """
    codes = _codes(said, 3, "said")
    if codes.shape[2] != len(_KEY):
        raise InputError(f"said has {codes.shape[2]} options a question; expected four, A to D.")
    return np.where((codes == -1).any(2), -1, (codes == _KEY).all(2).astype(np.int64))


def _codes(values: npt.ArrayLike, dimensions: int, name: str) -> IntArray:
    codes = np.asarray(values)
    if codes.ndim != dimensions or codes.shape[0] == 0 or not np.isin(codes, (-1, 0, 1)).all():
        raise InputError(
            f"{name} has shape {codes.shape}; expected {dimensions} dimensions, samples first, of 1, 0 and -1 (unread)."
        )
    return codes.astype(np.int64)
