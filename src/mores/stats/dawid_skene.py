"""Dawid and Skene's model: what several judges' verdicts say about the truth and about each judge, by EM.

Each judge has its own probabilities of saying each class given the true one, and judges err independently given the
truth. That assumption is what it rests on, and what it cannot check: a bias that judges share looks to it like truth,
and it then reports high accuracies for judges that are wrong together. So it takes people's labels as anchors, and
without them says that its accuracies are agreement, not accuracy.

Source:
    Dawid and Skene (1979), Journal of the Royal Statistical Society C 28.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mores.core.errors import InputError
from mores.stats.arrays import FloatArray, IntArray
from mores.stats.krippendorff import rating_table

_JUDGES = 3  # below which many different truths fit the same verdicts equally well
_PRIOR = 0.01  # units that each judge is taken to have said of each class beforehand, so that no probability is 0
UNANCHORED = (
    "no person's label anchors it: accuracies here are agreement with the other judges, and a bias that they share "
    "counts as truth"
)
ANCHORED = "it takes judges to err independently given the truth; what they get wrong together it still calls truth"


@dataclass(frozen=True, slots=True, kw_only=True)
class DawidSkene:
    """Probabilities of classes (items, classes) and of what each judge says (judges, true, said).

    `accuracies` are each judge's expected share of right verdicts, `anchors` the items whose truth was given, and
    `caveat` what the figures cannot tell; a report shows it beside them.
    """

    posterior: FloatArray
    classes: FloatArray
    confusion: FloatArray
    accuracies: FloatArray
    log_likelihood: float
    steps: int
    settled: bool
    anchors: int
    caveat: str


def dawid_skene(
    verdicts: npt.ArrayLike,
    classes: int,
    *,
    anchors: npt.ArrayLike | None = None,
    steps: int = 500,
    tolerance: float = 1e-9,
) -> DawidSkene:
    """Truth and judges' errors that make the verdicts most likely, from the majority's vote on.

    Args:
        verdicts: Codes from 0, a row an item, a column a judge, NaN for none; each item has one verdict at least.
        classes: Number of classes.
        anchors: People's label of each item, NaN where there is none; these stay as they are.
        steps: Most rounds of EM.
        tolerance: Change of the log-likelihood, as a part of itself, at which it has settled.

    Raises:
        InputError: fewer than three judges, an item without a verdict, or a label that is no code.
    """
    table = rating_table(verdicts)
    judges = int((~np.isnan(table)).any(0).sum())
    if judges < _JUDGES:
        raise InputError(
            f"verdicts are of {judges} judges; expected at least {_JUDGES}, as with fewer very different truths fit "
            "equally well. Compare the judges with people's labels instead."
        )
    said = _said(table, classes)
    known = _known(anchors, len(table), classes)
    votes = said.sum(1)
    posterior = _fixed(votes / votes.sum(1, keepdims=True), known)
    past, settled, step, likelihood = -np.inf, False, 0, -np.inf
    while step < steps and not settled:
        shares, confusion = _maximise(said, posterior)
        posterior, likelihood = _expect(said, shares, confusion, known)
        settled = abs(likelihood - past) <= tolerance * abs(likelihood)
        past, step = likelihood, step + 1
    given = said.sum((0, 2)) > 0
    accuracies = np.where(given, np.einsum("c,jcc->j", shares, confusion), np.nan)
    anchored = int((known >= 0).sum())
    return DawidSkene(
        posterior=posterior,
        classes=shares,
        confusion=confusion,
        accuracies=accuracies,
        log_likelihood=likelihood,
        steps=step,
        settled=settled,
        anchors=anchored,
        caveat=ANCHORED if anchored else UNANCHORED,
    )


def _maximise(said: FloatArray, posterior: FloatArray) -> tuple[FloatArray, FloatArray]:
    shares = posterior.mean(0)
    counts = np.einsum("ic,ijk->jck", posterior, said) + _PRIOR
    return shares, np.asarray(counts / counts.sum(-1, keepdims=True))


def _expect(said: FloatArray, shares: FloatArray, confusion: FloatArray, known: IntArray) -> tuple[FloatArray, float]:
    with np.errstate(divide="ignore"):
        joint = np.log(shares) + np.einsum("ijk,jck->ic", said, np.log(confusion))
    anchored = np.flatnonzero(known >= 0)
    joint[anchored] = np.where(np.arange(joint.shape[1]) == known[anchored, None], joint[anchored], -np.inf)
    top = joint.max(1, keepdims=True)
    weight = np.exp(joint - top)
    total = weight.sum(1, keepdims=True)
    return weight / total, float((top + np.log(total)).sum())


def _fixed(posterior: FloatArray, known: IntArray) -> FloatArray:
    anchored = known >= 0
    posterior[anchored] = np.eye(posterior.shape[1])[known[anchored]]
    return posterior


def _said(table: FloatArray, classes: int) -> FloatArray:
    """1 where a judge said a class of an item; shape (items, judges, classes)."""
    present = ~np.isnan(table)
    given = table[present]
    if np.any((given < 0) | (given >= classes) | (given != np.floor(given))) or not present.any(1).all():
        raise InputError(
            f"an item has no verdict, or a verdict that is no code 0 to {classes - 1}; leave out items nobody judged."
        )
    return np.asarray(table[:, :, None] == np.arange(classes), dtype=np.float64)


def _known(anchors: npt.ArrayLike | None, items: int, classes: int) -> IntArray:
    if anchors is None:
        return np.full(items, -1)
    given = np.asarray(anchors, dtype=np.float64)
    labelled = given[~np.isnan(given)] if given.shape == (items,) else np.array([-1.0])
    if np.any((labelled < 0) | (labelled >= classes) | (labelled != np.floor(labelled))):
        raise InputError(f"anchors have shape {given.shape}; expected {items} codes 0 to {classes - 1}, NaN for none.")
    return np.where(np.isnan(given), -1, given).astype(np.int64)
