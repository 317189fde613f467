"""Shares of questions that fooled the model that answers: by place, writer, help, model, and what an answer followed.

questions ─▶ one row a group ─▶ the share that fooled it, with its 95% interval over writers. A writer's own row has
Wilson's interval over their questions. By what an answer followed, the share is of answers: all that were asked for, of
questions that were never sent too, since a writer who gives up is no success of the way that they tried.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

import msgspec
import numpy as np

from mores.core.seeds import Seed
from mores.stats.cluster_sums import Design, MeasuredFigure, share
from mores.stats.intervals import wilson
from mores.studio.flows.write.attempts import Attempt, QuestionResult

_SEED = Seed("studio/fooled")
ALL, PLACE, OFFERED, HELP, MODEL, FOLLOWS, WRITER = "all", "place", "offered", "help", "model", "follows", "writer"


class FooledShare(msgspec.Struct, frozen=True, kw_only=True):
    """Share of one group that fooled the model: `fooled` of `n` questions (of answers, by what they follow)."""

    by: str
    group: str
    n: int
    writers: int
    fooled: int
    measured: MeasuredFigure

    def row(self) -> dict[str, object]:
        """As a row of a table; None where there is nothing to tell, and then why."""
        value, interval, missing = self.measured
        why = missing or interval.missing
        return {
            "by": self.by, "group": self.group, "of": "answers" if self.by == FOLLOWS else "questions", "n": self.n,
            "writers": self.writers, "fooled": self.fooled, "share": value, "low": interval.low, "high": interval.high,
            "method": interval.method, "why": None if why is None else why.code,
        }  # fmt: skip


class _Case(msgspec.Struct, frozen=True):
    writer: str
    fooled: bool
    groups: dict[str, str]


def fooled_shares(questions: Sequence[QuestionResult], attempts: Sequence[Attempt]) -> list[FooledShare]:
    """Every row; questions that were never put to a model in the words that were sent are in none."""
    sent = [_of_question(each) for each in questions if each.fooled is not None]
    answers = [
        _Case(each.writer, not each.right, {FOLLOWS: each.strategy}) for each in attempts if each.right is not None
    ]
    ways: tuple[tuple[str, Sequence[_Case]], ...] = (
        *((by, sent) for by in (ALL, PLACE, OFFERED, HELP, MODEL)),
        (FOLLOWS, answers),
        (WRITER, sent),
    )
    return [row for by, cases in ways for row in _rows(by, cases)]


def fooled_models(questions: Sequence[QuestionResult]) -> list[FooledShare]:
    """The models that were asked, those first that were fooled by the most questions."""
    rows = _rows(MODEL, [_of_question(each) for each in questions if each.fooled is not None])
    return sorted(rows, key=lambda row: (-row.fooled, row.group))


def _of_question(each: QuestionResult) -> _Case:
    groups = {ALL: ALL, PLACE: each.place, OFFERED: each.offered, HELP: each.help, MODEL: each.model}
    return _Case(each.writer, bool(each.fooled), {**groups, WRITER: each.writer})


def _rows(by: str, cases: Iterable[_Case]) -> list[FooledShare]:
    groups: dict[str, list[_Case]] = defaultdict(list)
    for case in cases:
        groups[case.groups[by]].append(case)
    return [_row(by, group, own) for group, own in sorted(groups.items(), key=_in_order(by))]


def _in_order(by: str) -> Callable[[tuple[str, object]], tuple[int, str]]:
    """Writers by their numbers, all else by name."""
    return lambda each: (int(each[0].removeprefix("a")) if by == WRITER else 0, each[0])


def _row(by: str, group: str, cases: Sequence[_Case]) -> FooledShare:
    fooled, writers = sum(case.fooled for case in cases), {case.writer for case in cases}
    if by == WRITER:
        measured = MeasuredFigure(fooled / len(cases), wilson(fooled, len(cases)))
    else:
        design = Design(clusters=[case.writer for case in cases], seed=_SEED.child(by, group))
        measured = share(np.array([case.fooled for case in cases], dtype=np.float64), design, "fooled")
    return FooledShare(by=by, group=group, n=len(cases), writers=len(writers), fooled=fooled, measured=measured)
