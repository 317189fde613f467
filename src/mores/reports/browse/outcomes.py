"""Outcome of each answer, as the headline counts it: right, or in which way wrong; and that of a second run."""

from collections.abc import Iterator, Mapping, Sequence
from math import isnan, nan
from typing import Literal, cast, get_args

from mores.analysis.outcomes import BETTER, DECLINED, UNSTABLE
from mores.analysis.results import Result
from mores.benchmarks.shapes.reasons.metrics import GOOD_FROM
from mores.core.verdict import Fault, Verdict, VerdictLine, VerdictRecord

AnswerOutcome = Literal["right", "wrong", "wrong reason", "format error", "refusal", "ungraded", "points"]
"""A label that is right or wrong; a right one whose reasons are not good; an answer that cannot be used; no grade.

`points` are those of a rubric, of which none is right or wrong.
"""
Judged = Verdict | VerdictRecord
"""A verdict, or what a line of a file says of it."""
KINDS: tuple[AnswerOutcome, ...] = get_args(AnswerOutcome)

FAULTS: Mapping[Fault, str] = {"format_error": "not read", "refusal": "declined"}
"""Reading of an answer that cannot be used."""

NamedOutcome = tuple[str, str, int]
"""An answer's item, part and sample."""

CHANGES = (BETTER, DECLINED, UNSTABLE)
"""Ways that an item can have changed, as an index numbers them."""

Played = tuple[Sequence[Verdict | VerdictLine], Mapping[str, AnswerOutcome]]
"""The verdicts on one play, and how each answer of it went by its part."""


class AnswerOutcomes:
    """The kinds of one result's answers."""

    def __init__(self, result: Result) -> None:
        metric = result.metric(result.headline)
        self._full = metric.high if metric and result.headline in result.tasks else 1.0
        self._tasks = result.headline_tasks
        self._worth = _worth(result) if result.scores.by_value else None

    @property
    def by_item(self) -> bool:
        """True if alike verdicts on two items may be of two kinds."""
        return self._worth is not None

    def of(self, item: str, verdicts: Sequence[tuple[str, Judged]]) -> dict[str, AnswerOutcome]:
        """The kind of each answer of one play by its part; `verdicts` are all of that play, in their order."""
        parts: dict[str, list[Judged]] = {}
        for part, verdict in verdicts:
            if verdict.task in self._tasks:
                parts.setdefault(part, []).append(verdict)
        return {part: self._kind(item, part, found) for part, found in parts.items()}

    def _kind(self, item: str, part: str, answer: Sequence[Judged]) -> AnswerOutcome:
        first = answer[0]
        if self._worth is None or (first.verdict == "graded" and first.fault is not None):
            return kind_of(*answer[:2], full=self._full)
        value = self._worth.get((item, part, first.sample), nan)
        return "ungraded" if isnan(value) else "right" if value >= 1 else "wrong"


def kind_of(verdict: Judged, reasons: Judged | None = None, *, full: float = 1.0) -> AnswerOutcome:
    """Outcome of an answer by the verdict on it or its label, and that on its reasons.

    `full` are the points of an answer that is all right. A probability below 1 of the label that was wanted is right.
    """
    if verdict.verdict != "graded":
        return "ungraded"
    if verdict.fault is not None:
        return "refusal" if verdict.fault == "refusal" else "format error"
    shares = verdict.ballot.label_probs if verdict.ballot else None
    if shares:
        right = verdict.label == expected_label(verdict)
    elif verdict.ballot is not None and verdict.label is None:
        return "points"
    else:
        right = cast(float, verdict.points) >= full
    if not right:
        return "wrong"
    if reasons is None:
        return "right"
    if reasons.verdict != "graded":
        return "ungraded"
    return "right" if cast(float, reasons.points) >= GOOD_FROM else "wrong reason"


def expected_label(verdict: Judged) -> str | None:
    """The label that was wanted: the gold one, or the first of those that a judge could choose from."""
    shares = verdict.ballot.label_probs if verdict.verdict == "graded" and verdict.ballot else None
    return next(iter(shares), None) if shares and verdict.gold is None else verdict.gold


def _worth(result: Result) -> Mapping[NamedOutcome, float]:
    """Value of each answer by the headline, whatever its points; NaN where it says nothing."""
    found: dict[NamedOutcome, float] = {}
    for rows in result.scores.every(result.headline):
        keys = rows.keys
        answers = zip(keys.item.texts(), keys.part.texts(), keys.sample.tolist(), strict=True)
        found |= zip(answers, rows.value.tolist(), strict=True)
    return found


def found_of(verdict: Judged) -> str:
    """Reading or judgement in a word: a label, probabilities of labels, or points; the reason where there is none."""
    if verdict.verdict != "graded":
        return cast(str, verdict.cause)
    shares = verdict.ballot.label_probs if verdict.ballot else None
    if shares:
        return ", ".join(f"{label} {100 * share:.0f}%" for label, share in shares.items())
    if verdict.label is not None:
        return verdict.label
    return FAULTS[verdict.fault] if verdict.fault is not None else f"{verdict.points:.2f} points"


def mean_value(plays: Sequence[Played], task: str) -> float | None:
    """The mean of all answers in some plays: right ones, or points where none is right; None where none is graded."""
    worths = [worth for _, worth in _worths(plays, task)]
    return sum(worths) / len(worths) if worths else None


def change_of(a: float | None, b: float | None) -> str:
    """Change of an item from A to B; empty where there is none, or where one of them is not graded."""
    if a is None or b is None or a == b:
        return ""
    return BETTER if b > a else DECLINED


def changed(plays: Sequence[Played], task: str) -> bool:
    """True if an answer went one way in one sample and another way in another."""
    seen: dict[str, float] = {}
    return any(seen.setdefault(part, worth) != worth for part, worth in _worths(plays, task))


def _worths(plays: Sequence[Played], task: str) -> Iterator[tuple[str, float]]:
    """Each graded answer's part, and what it is worth."""
    for verdicts, kinds in plays:
        for verdict in verdicts:
            kind = kinds.get(verdict.about.part)
            if verdict.task == task and verdict.verdict == "graded" and kind not in {None, "ungraded"}:
                yield verdict.about.part, cast(float, verdict.points) if kind == "points" else float(kind == "right")
