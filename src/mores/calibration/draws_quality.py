"""How good each draw of a judge is held to be: by its likelihood, by the draws before it, or by what it says itself.

The rule is part of the procedure: the same one at calibration and at use. A poor one costs draws, never the promise.
"""

import re
from collections.abc import Callable, Sequence
from math import exp
from typing import assert_never

import numpy as np
import numpy.typing as npt

from mores.calibration.certificate_conditions import Quality
from mores.core.arrays import Floats
from mores.core.errors import InputError
from mores.core.verdict import JudgeAnswer, Vote
from mores.stats.conformal.draws import constant_quality, prefix_consistency, verbalised

_STATED = re.compile(
    r"(?:confiden(?:t|ce)|certain(?:ty)?|sure)\W{1,3}(?:is|of|level|score|at)?\W{0,3}"
    r"(?P<number>\d+(?:\.\d+)?|\.\d+)\s*(?P<percent>%|per ?cent)?",
    re.IGNORECASE,
)


def qualities(
    rule: Quality, votes: Sequence[Sequence[Vote]], said: Sequence[Sequence[JudgeAnswer]],
        codes: npt.NDArray[np.int64], *,
    name: str,
) -> Floats:  # fmt: skip
    """The quality of each draw, from 0 to 1; of one that cannot be read the least there is.

    Raises:
        InputError: draws lack what the rule reads: log-probabilities, weighed labels or a stated confidence.
    """
    match rule:
        case "constant":
            return constant_quality(*codes.shape)
        case "prefix":
            return prefix_consistency(codes)
        case "gnmt" | "mean":
            return _each(votes, said, lambda vote, one: _likelihood(rule, vote, one, name))
        case "decision":
            return _each(votes, said, lambda vote, one: _share(vote, one, name))
        case "verbalised":
            return _verbalised(said, name)
        case _:  # pragma: no cover - a new rule is a type error
            assert_never(rule)


def _each(
    votes: Sequence[Sequence[Vote]], said: Sequence[Sequence[JudgeAnswer]], rule: Callable[[Vote, JudgeAnswer], float]
) -> Floats:
    rows = zip(votes, said, strict=True)
    return np.array([[rule(vote, one) for vote, one in zip(*row, strict=True)] for row in rows], dtype=np.float64)


def likelihood(vote: Vote, *, gnmt: bool) -> float | None:
    """Likelihood of a reply, normalised for its length: the geometric mean of its tokens', or by the GNMT penalty.

    Over `n` tokens of a log-likelihood `L` in all: exp(L / n), or exp(L / ((5 + n) / 6)^0.6). None where either is not
    known.
    """
    if vote.logprob is None or not vote.tokens:
        return None
    total = min(vote.logprob, 0.0)
    return exp(total / ((5 + vote.tokens) / 6) ** 0.6) if gnmt else exp(total / vote.tokens)


def _likelihood(rule: Quality, vote: Vote, said: JudgeAnswer, name: str) -> float:
    found = likelihood(vote, gnmt=rule == "gnmt")
    if found is None and said.given:
        raise InputError(
            f"{name}: a draw has no log-probabilities, which --quality {rule} reads; "
            "judge again with --logprobs, or take --quality prefix."
        )
    return found or 0.0


def _share(vote: Vote, said: JudgeAnswer, name: str) -> float:
    if vote.shares is None and said.given:
        raise InputError(
            f"{name}: labels were not weighed, which --quality decision reads; take --quality prefix, gnmt or mean."
        )
    return (vote.shares or {}).get(said.label or "", 0.0)


def _verbalised(said: Sequence[Sequence[JudgeAnswer]], name: str) -> Floats:
    stated = [[stated_confidence(one.reason) for one in row] for row in said]
    if all(one is None for row in stated for one in row):
        raise InputError(
            f"{name}: no reason states a confidence, such as 'confidence: 0.8', which --quality verbalised reads; "
            "take --quality prefix."
        )
    return verbalised(stated)


def stated_confidence(reason: str) -> float | None:
    """The last confidence that a reason states, from 0 to 1; None where it states none that could be meant.

    >>> stated_confidence("It greets first. Confidence: 85%"), stated_confidence("I am sure."), stated_confidence("")
    (0.85, None, None)
    """
    found = None
    for match in _STATED.finditer(reason):
        value = float(match["number"])
        value = value / 100 if match["percent"] or 1 < value <= 100 else value
        found = value if value <= 1 else found
    return found
