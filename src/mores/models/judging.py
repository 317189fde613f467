"""Simulated judges: how far a planted verdict is said as it is, in words that the rubric prepared.

A judge that is simulated reads no text. It is given what is planted in the answer and errs as often as set.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import log, sqrt
from typing import NamedTuple

from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.models.labels import Sums
from mores.models.request import CallFailed, Request, SealedKey

LEAST = 1e-9
"""The least probability of a label, as the logarithm of none at all is not finite."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeKey(SealedKey):
    """What a simulated judge may read: what is true of each thing judged, and how each verdict is said.

    A reply is the frame with the way of a verdict in each of its gaps, one for each of `truths`; `truth` is the
    first of them. Where `continuous`, outcomes are numbers and the verdict is the nearest of `ways`. `lure` is
    the verdict that the subject's text tries to talk its judge into, where it does.
    """

    truths: tuple[str, ...]
    frame: tuple[str, ...] = ("", "")
    continuous: bool = False
    lure: str | None = None


class Said(NamedTuple):
    """A simulated judge's words, and the verdicts that it meant."""

    words: str
    outcomes: tuple[str, ...]


Chance = Callable[[str], float]
"""Planted probability of one kind, at the place in question."""


def unjudgeable(request: Request) -> InputError:
    """What a simulated judge says of an answer in which nothing is planted."""
    spot = f"item '{request.tag.item}'"
    return InputError(
        f"{spot}: a simulated judge has no planted outcome to go by, as the subject is real; "
        "name a real judge: --judge PROVIDER/MODEL."
    )


def say_verdicts(key: JudgeKey, chance: Chance, dice: Seed) -> Said:
    """The verdicts of a judge with these chances, in the words of the key.

    A word: with chance `sensitivity` yes to what is good, with chance `specificity` the truth about what is not;
    else one of the other words, alike. Where no word says good, `sensitivity` holds for all. A number: the planted
    level with noise that is even on both sides of it and never leaves 0–1, so that means stay true; its standard
    deviation is `noise` at most, and 0 at the ends. With chance `gullible` the text's lure is said instead.
    """
    lured = key.lure is not None and dice.child("lured").uniform() < chance("gullible")
    outcomes = tuple(
        str(key.lure) if lured else _verdict(key, truth, chance, dice.child(number))
        for number, truth in enumerate(key.truths)
    )
    words = key.frame[0] + "".join(
        key.ways[outcome] + after for outcome, after in zip(outcomes, key.frame[1:], strict=True)
    )
    return Said(words, outcomes)


def weigh_verdict(key: SealedKey, verdict: str, labels: tuple[str, ...], noise: float) -> Sums:
    """Log-probabilities of labels that stand for the key's outcomes, in the same order.

    The verdict has 1 - noise, and the others share the noise alike.

    Raises:
        CallFailed: there are not as many labels as outcomes, or fewer than two, or several things are judged.
    """
    many = isinstance(key, JudgeKey) and len(key.truths) > 1
    if many or len(labels) != len(key.ways) or len(labels) < 2:
        detail = f"{len(labels)} labels for {'several answers of ' if many else ''}{len(key.ways)} outcomes"
        raise CallFailed("labels do not fit", detail)
    shares = (1.0 - noise if way == verdict else noise / (len(labels) - 1) for way in key.ways)
    return Sums(tuple(log(max(share, LEAST)) for share in shares), "exact")


def _verdict(key: JudgeKey, truth: str, chance: Chance, dice: Seed) -> str:
    if key.continuous:
        return _nearest(key, _noisy(float(truth), chance("noise"), dice))
    good = key.affirmative is None or truth == key.affirmative
    if dice.child("right").uniform() < chance("sensitivity" if good else "specificity"):
        return truth
    others = [way for way in key.ways if way != truth]
    return others[dice.child("wrong").below(len(others))]


def _noisy(level: float, noise: float, dice: Seed) -> float:
    reach = min(sqrt(3.0) * noise, level, 1.0 - level)
    return level + reach * (2.0 * dice.child("noise").uniform() - 1.0)


def _nearest(key: JudgeKey, level: float) -> str:
    """The way for a number: ways lie evenly from 0 to 1."""
    ways = tuple(key.ways)
    return ways[round(level * (len(ways) - 1))]
