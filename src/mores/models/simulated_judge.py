"""Simulated judges: how far a planted verdict is said as it is, in words that the rubric prepared.

A judge that is simulated reads no text. It is given what is planted in the answer and errs as often as set.

Asked again of the same thing it errs as a real judge does: at temperature 0 it says the same each time; else every
draw has a seed of its own, but things that are hard stay hard. The chance to be right on one thing is drawn once,
from a beta distribution whose mean is the planted chance, so that two draws on a thing are as alike as planted.
"""

import re
from collections.abc import Callable
from math import log, sqrt
from typing import NamedTuple

from scipy import special

from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.models.label_logprobs import LabelLogprobs
from mores.models.request import AnswerKey, CallFailed, Request

LEAST = 1e-9
"""The least probability of a label, as the logarithm of none at all is not finite."""
REASON = "A simulated judge says so."
"""Stands for the reason in every way to say a verdict; draws that differ have others in its place."""
_OPENINGS = ("A simulated judge says so", "So a simulated judge finds", "This is how a simulated judge sees it")
_GROUNDS = ("the answer reads that way", "what was asked points there", "the words leave little else",
            "the rest of the answer fits it", "nothing in it speaks against this")  # fmt: skip
_ENDINGS = (".", ", on the whole.", ", as far as it goes.", ", all things weighed.")
_TOKENS = re.compile(r"\w+|\W")
_HARDLY = 1e-6
_MURMUR = 0.04
"""The most that a token which decides nothing takes off the log-probability."""


class JudgeKey(AnswerKey, frozen=True, kw_only=True):
    """Answer key for a simulated judge: the truth on each thing judged, and the words of each verdict.

    A reply is the frame with the way of a verdict in each of its gaps, one for each of `truths`; `truth` is the
    first of them. Where `continuous`, outcomes are numbers and the verdict is the nearest of `ways`. `lure` is
    the verdict that the subject's text tries to talk its judge into, where it does.
    """

    truths: tuple[str, ...]
    frame: tuple[str, ...] = ("", "")
    continuous: bool = False
    lure: str | None = None


class SimulatedJudgement(NamedTuple):
    """A simulated judge's words, the verdicts that it meant, and how likely it was to mean each."""

    words: str
    outcomes: tuple[str, ...]
    chances: tuple[float, ...]


class VerdictNoise(NamedTuple):
    """Dice of one verdict: those of the thing, and of the draw on it; at temperature 0 there are none of the draw."""

    thing: Seed
    draw: Seed | None

    def child(self, name: str | int) -> "VerdictNoise":
        """Dice of one use."""
        return VerdictNoise(self.thing.child(name), None if self.draw is None else self.draw.child(name))


Chance = Callable[[str], float]
"""Planted probability of one kind, at the place in question."""


def unjudgeable(request: Request) -> InputError:
    """Error of a simulated judge on an answer in which nothing is planted."""
    spot = f"item '{request.tag.item}'"
    return InputError(
        f"{spot}: a simulated judge has no planted outcome to go by, as the subject is real; "
        "name a real judge: --judge PROVIDER/MODEL."
    )


def simulated_judgement(key: JudgeKey, chance: Chance, noise: VerdictNoise) -> SimulatedJudgement:
    """The verdicts of a judge with these chances, in the words of the key.

    A word: with chance `sensitivity` yes to what is good, with chance `specificity` the truth about what is not;
    else one of the other words, alike. Where no word says good, `sensitivity` holds for all. A number: the planted
    level with noise that is even on both sides of it and never leaves 0–1, so that means stay true; its standard
    deviation is `noise` at most, and 0 at the ends. With chance `gullible` the text's lure is said instead.
    `steady` is how far two draws on one thing are correlated.
    """
    lured = key.lure is not None and _strikes("gullible", chance, noise.child("lured"))[0]
    found = [
        (str(key.lure), 1.0) if lured else _verdict(key, truth, chance, noise.child(number))
        for number, truth in enumerate(key.truths)
    ]
    outcomes, chances = tuple(outcome for outcome, _ in found), tuple(likely for _, likely in found)
    words = key.frame[0] + "".join(
        _way(key, outcome, noise.child(number)) + after
        for number, (outcome, after) in enumerate(zip(outcomes, key.frame[1:], strict=True))
    )
    return SimulatedJudgement(words, outcomes, chances)


def _way(key: JudgeKey, outcome: str, noise: VerdictNoise) -> str:
    """A verdict in words; each draw has a reason of its own."""
    way = key.ways[outcome]
    if noise.draw is None:
        return way
    rng_seed = noise.draw.child("reason")
    opening, argument, ending = (
        words[rng_seed.child(number).below(len(words))] for number, words in enumerate((_OPENINGS, _GROUNDS, _ENDINGS))
    )
    return way.replace(REASON, f"{opening}, since {argument}{ending}")


def verdict_tokens(key: JudgeKey, judgement: SimulatedJudgement, rng_seed: Seed) -> tuple[tuple[str, float], ...]:
    """The reply's tokens with log-probabilities: a verdict's is that of its chance, those of other words are near 0."""
    left, tokens = judgement.words, list[tuple[str, float | None]]()
    for outcome, likely in zip(judgement.outcomes, judgement.chances, strict=True):
        way = key.ways[outcome]  # from behind its reason on: where the verdict itself stands
        before, spot, left = left.partition(way.partition(REASON)[2] or way)
        parts = _TOKENS.findall(spot)
        decides = max((place for place, token in enumerate(parts) if token.isalnum()), default=0)
        tokens += [(token, None) for token in _TOKENS.findall(before)]
        tokens += [(t, log(max(likely, LEAST)) if place == decides else None) for place, t in enumerate(parts)]
    tokens += [(token, None) for token in _TOKENS.findall(left)]
    return tuple(
        (token, -_MURMUR * rng_seed.child(number).uniform() if mass is None else mass)
        for number, (token, mass) in enumerate(tokens)
    )


def weigh_verdict(key: AnswerKey, verdict: str, labels: tuple[str, ...], noise: float) -> LabelLogprobs:
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
    return LabelLogprobs(tuple(log(max(share, LEAST)) for share in shares), "exact")


def _verdict(key: JudgeKey, truth: str, chance: Chance, noise: VerdictNoise) -> tuple[str, float]:
    """Verdict on one thing, and its probability."""
    if key.continuous:
        return _nearest(key, _noisy(float(truth), chance, noise.child("noise"))), 1.0
    good = key.affirmative is None or truth == key.affirmative
    right, likely = _strikes("sensitivity" if good else "specificity", chance, noise.child("right"))
    if right:
        return truth, likely
    others = [way for way in key.ways if way != truth]
    rng_seed = noise.draw or noise.thing
    return others[rng_seed.child("wrong").below(len(others))], (1.0 - likely) / len(others)


def _strikes(kind: str, chance: Chance, noise: VerdictNoise) -> tuple[bool, float]:
    """True if something of a planted chance happens, and its chance on this very thing."""
    position, mean = noise.thing.uniform(), chance(kind)
    own = _own_chance(mean, chance("steady"), position)
    return (position < mean if noise.draw is None else noise.draw.uniform() < own), own


def _own_chance(mean: float, steady: float, position: float) -> float:
    """The chance on one thing: the lot's place in the beta distribution of this mean, the luckiest lots highest.

    Two draws on a thing are then correlated by `steady`; at 1 the lot alone decides, at 0 every thing is alike.
    """
    if steady < _HARDLY or min(mean, 1.0 - mean) < _HARDLY:
        return mean
    if steady > 1.0 - _HARDLY:
        return float(position < mean)
    worth = 1.0 / steady - 1.0
    return float(special.betaincinv(mean * worth, (1.0 - mean) * worth, 1.0 - position))


def _noisy(level: float, chance: Chance, noise: VerdictNoise) -> float:
    """A level with noise; a draw takes the thing's own with such a chance that two draws are correlated by `steady`."""
    own = noise.draw is None or noise.draw.child("own").uniform() < sqrt(chance("steady"))
    position = noise.thing.uniform() if own or noise.draw is None else noise.draw.uniform()
    reach = min(sqrt(3.0) * chance("noise"), level, 1.0 - level)
    return level + reach * (2.0 * position - 1.0)


def _nearest(key: JudgeKey, level: float) -> str:
    """The way for a number: ways lie evenly from 0 to 1."""
    ways = tuple(key.ways)
    return ways[round(level * (len(ways) - 1))]
