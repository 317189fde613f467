"""Draws of one judge on each thing of a task, ready to be calibrated on; what cannot be is refused in one line.

votes of a table ─▶ K draws of each thing, none left out ─▶ decisions, quality and similarity ─▶ `Draws`.

The promise of a certificate rests on the same procedure at calibration and at use, so draws of several procedures,
judges or samplings never go into one, and a thing with fewer draws than the others is refused. A procedure may have
several prompts, as talks of two kinds are judged by two. The quality of a draw is its likelihood, its agreement with
the draws before it, or what it says itself.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cached_property
from math import exp
from pathlib import Path
from typing import assert_never

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from mores.annotation.label_tables import TaskTable
from mores.calibration.certificate import (
    CertificateConditions,
    Confidence,
    ConformalSettings,
    Quality,
    conditions_of,
    differences,
)
from mores.core.arrays import Floats
from mores.core.errors import InputError
from mores.core.verdict import JudgeAnswer, Vote
from mores.stats.conformal.draws import Draws, constant_quality, prefix_consistency, similarities, verbalised
from mores.stats.selective import Majority, majority

_STATED = re.compile(
    r"(?:confiden(?:t|ce)|certain(?:ty)?|sure)\W{1,3}(?:is|of|level|score|at)?\W{0,3}"
    r"(?P<number>\d+(?:\.\d+)?|\.\d+)\s*(?P<percent>%|per ?cent)?",
    re.IGNORECASE,
)


def qualities(
    rule: Quality, votes: Sequence[Sequence[Vote]], answers: Sequence[Sequence[JudgeAnswer]],
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
            return _each(votes, answers, lambda vote, one: _likelihood(rule, vote, one, name))
        case "decision":
            return _each(votes, answers, lambda vote, one: _share(vote, one, name))
        case "verbalised":
            return _verbalised(answers, name)
        case _:  # pragma: no cover - a new rule is a type error
            assert_never(rule)


def _each(
    votes: Sequence[Sequence[Vote]],
    answers: Sequence[Sequence[JudgeAnswer]],
    rule: Callable[[Vote, JudgeAnswer], float],
) -> Floats:
    rows = zip(votes, answers, strict=True)
    return np.array([[rule(vote, one) for vote, one in zip(*row, strict=True)] for row in rows], dtype=np.float64)


def likelihood(vote: Vote, *, gnmt: bool) -> float | None:
    """Likelihood of a reply, normalised for its length: the geometric mean of its tokens', or by the GNMT penalty.

    Over `n` tokens of a log-likelihood `L` in all: exp(L / n), or exp(L / ((5 + n) / 6)^0.6). None where either is not
    known.
    """
    if vote.logprob is None or not vote.tokens:
        return None
    # a log-likelihood above 0 is rounding, and would be more than certain
    total = min(vote.logprob, 0.0)
    # length penalty of GNMT (Wu et al., 2016, equation 14) with alpha .6
    return exp(total / ((5 + vote.tokens) / 6) ** 0.6) if gnmt else exp(total / vote.tokens)


def _likelihood(rule: Quality, vote: Vote, answer: JudgeAnswer, name: str) -> float:
    found = likelihood(vote, gnmt=rule == "gnmt")
    if found is None and answer.given:
        raise InputError(
            f"{name}: a draw has no log-probabilities, which --quality {rule} reads; "
            "judge again with --logprobs, or take --quality prefix."
        )
    return found or 0.0


def _share(vote: Vote, answer: JudgeAnswer, name: str) -> float:
    if vote.shares is None and answer.given:
        raise InputError(
            f"{name}: labels were not weighed, which --quality decision reads; take --quality prefix, gnmt or mean."
        )
    return (vote.shares or {}).get(answer.label or "", 0.0)


def _verbalised(answers: Sequence[Sequence[JudgeAnswer]], name: str) -> Floats:
    stated = [[stated_confidence(one.reason) for one in row] for row in answers]
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
        # a bare 85 means per cent; a bare 1 is certainty, not a hundredth
        value = value / 100 if match["percent"] or 1 < value <= 100 else value
        found = value if value <= 1 else found
    return found


Rows = npt.NDArray[np.int64]


class JudgeDraws(Struct, frozen=True, kw_only=True, dict=True):
    """All draws of one judge on the things of one task, in the order drawn: a row a thing, as in the table."""

    table: TaskTable
    role: str
    measure: ConformalSettings
    conditions: CertificateConditions
    votes: tuple[tuple[Vote, ...], ...]

    @property
    def each(self) -> int:
        """Draws of each thing."""
        return self.conditions.draws

    @cached_property
    def answers(self) -> tuple[tuple[JudgeAnswer, ...], ...]:
        """Answer of each draw."""
        rows = zip(self.votes, self.table.rows, strict=True)
        return tuple(tuple(vote.said[row.thing.norm] for vote in votes) for votes, row in rows)

    @cached_property
    def decisions(self) -> tuple[tuple[str | None, ...], ...]:
        """The word of each draw; None where it could not be read, which agrees with no label."""
        known = frozenset(self.table.options)
        return tuple(tuple(judged.label if judged.label in known else None for judged in row) for row in self.answers)

    @cached_property
    def codes(self) -> Rows:
        """The same as codes into the table's options, -1 for what could not be read."""
        places = {option: code for code, option in enumerate(self.table.options)}
        return np.array([[places.get(word or "", -1) for word in row] for row in self.decisions], dtype=np.int64)

    @cached_property
    def quality(self) -> npt.NDArray[np.float64]:
        """Quality of each draw."""
        return qualities(self.measure.quality, self.votes, self.answers, self.codes, name=self.name)

    @cached_property
    def decided(self) -> Majority:
        """One decision of each thing and the confidence in it; -1 with none where nothing could be read.

        Raises:
            InputError: the draws lack what the confidence is read from.
        """
        rule: Confidence = self.measure.confidence or "consistency"
        match rule:
            case "consistency":
                if self.each == 1:
                    raise InputError(
                        f"{self.name}: one draw of each thing cannot agree with itself; judge K times "
                        "(mores judge RUN --samples K), or take --confidence likelihood or shares."
                    )
                return majority(self.codes)
            case "shares":
                return _by_shares(self)
            case "likelihood":
                return _by_likelihood(self)
            case _:  # pragma: no cover - a new rule is a type error
                assert_never(rule)

    @property
    def name(self) -> str:
        """Task and judge, for messages."""
        return f"{self.table.name} by {self.conditions.judge}"

    @property
    def equal(self) -> bool:
        """True where several draws were made and all of each thing decide alike, as at temperature 0."""
        return self.each > 1 and bool((self.codes == self.codes[:, :1]).all())

    @property
    def unreadable(self) -> dict[str, int]:
        """Number of draws that could not be read, by their cause, the most frequent first."""
        rows = zip(self.answers, self.decisions, strict=True)
        each = (pair for judged, words in rows for pair in zip(judged, words, strict=True))
        return dict(Counter(judged.cause or "no such word" for judged, word in each if word is None).most_common())

    def draws(self, rows: Rows, *, similarity: bool) -> Draws:
        """The draws on some of the things, with their similarity where it is wanted."""
        words = [self.decisions[row] for row in rows]
        alike = None
        if similarity and self.measure.similarity != "none":
            texts = [[judged.reason for judged in self.answers[row]] for row in rows]
            rule = self.measure.similarity
            alike = similarities(texts, words, decision_aware=rule == "decision", stemmed=rule == "stemmed")
        return Draws.of(words, self.quality[rows], alike)


def judge_draws(table: TaskTable, role: str, measure: ConformalSettings) -> JudgeDraws:
    """The draws of the judge in a role, all made in the same way.

    Raises:
        InputError: the task is judged in points or worked out of others, nobody judges in the role, draws were made
            in several ways, or are not as many for each thing.
    """
    _refuse_unfit(table, role)
    votes = tuple(row.votes.get(role, ()) for row in table.rows)
    counts = Counter(len(each) for each in votes)
    # the fullest stands for what was meant: who has fewer was judged in part
    most = max(counts)
    if len(counts) > 1:
        place = next(number for number, each in enumerate(votes) if len(each) < most)
        raise InputError(
            f"{table.name}: {table.rows[place].thing} has {len(votes[place])} draws of {role}, others {most}; "
            f"expected as many of each. Judge again: mores judge {table.rows[place].evaluation.run} --samples {most}."
        )
    return JudgeDraws(
        table=table, role=role, measure=measure, conditions=_one_way(table, role, votes, measure), votes=votes
    )


def _refuse_unfit(table: TaskTable, role: str) -> None:
    if table.rows and not table.rows[0].prompt:
        raise InputError(f"{table.name}: it is worked out of other judgements; expected a task that judges are asked.")
    if not table.options:
        raise InputError(
            f"{table.name}: judges give points in it; expected words, as a draw of points is neither right nor wrong."
        )
    if role not in table.judges:
        raise InputError(f"--judge {role}: nobody judges {table.name} in it; expected {' or '.join(table.judges)}.")


def _one_way(
    table: TaskTable, role: str, votes: Sequence[tuple[Vote, ...]], measure: ConformalSettings
) -> CertificateConditions:
    """The one way in which all draws were made."""
    asked: dict[Path, set[str]] = {}
    for row, each in zip(table.rows, votes, strict=True):
        asked.setdefault(row.evaluation.folder, set()).update(vote.prompt for vote in each)
    every: set[str] = set().union(*asked.values())
    if every not in asked.values() or any(len({vote.prompt for vote in each}) > 1 for each in votes):
        raise InputError(
            f"{table.name}: {role} was asked by {len(every)} prompts ({', '.join(sorted(every))}); "
            "expected the same in all runs."
        )
    evaluations = table.evaluations
    found = [
        conditions_of(evaluation, table, role, asked[evaluation.folder], len(votes[0]), measure)
        for evaluation in evaluations
    ]
    for evaluation, other in zip(evaluations[1:], found[1:], strict=True):
        if other.hash != found[0].hash:
            text = "; ".join(differences(found[0], other))
            raise InputError(f"{table.name}: {evaluation.run} was judged otherwise than {evaluations[0].run}: {text}.")
    return found[0]


def _by_shares(draws: JudgeDraws) -> Majority:
    options = draws.table.options
    if not any(vote.shares for votes in draws.votes for vote in votes):
        raise InputError(
            f"{draws.name}: labels were not weighed, which --confidence shares reads; "
            "take --confidence consistency or likelihood."
        )
    weighed = np.array(
        [[[(vote.shares or {}).get(option, 0.0) for option in options] for vote in votes] for votes in draws.votes]
    )
    mean = weighed.mean(axis=1)
    # nothing weighed at all is no decision, and not the first of the words
    return Majority(np.where(mean.max(axis=1) > 0, mean.argmax(axis=1), -1), mean.max(axis=1))


def _by_likelihood(draws: JudgeDraws) -> Majority:
    first = [votes[0] for votes in draws.votes]
    found = [likelihood(vote, gnmt=False) for vote in first]
    bare = sum(one is None and code >= 0 for one, code in zip(found, draws.codes[:, 0], strict=True))
    if bare:
        raise InputError(
            f"{draws.name}: {bare} first draws have no log-probabilities, which --confidence likelihood reads; "
            "judge again with --logprobs, or take --confidence consistency."
        )
    codes = draws.codes[:, 0]
    return Majority(codes, np.where(codes < 0, 0.0, [one or 0.0 for one in found]))
