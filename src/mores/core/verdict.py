"""A verdict is Graded or Ungraded: a judge that failed has not given a zero.

The subject's unusable answer is Graded, zero, with its fault; a failure of the judge, the network or our
parser is Ungraded with its cause, never averaged and never dropped in silence.
"""

from collections.abc import Container, Iterable, Iterator
from itertools import tee
from typing import Literal, NamedTuple, cast

import msgspec
from msgspec import UNSET, Struct, UnsetType

from mores.core.codec import decode_line, decode_lines
from mores.core.errors import InputError
from mores.core.transcript import ItemMetadata

Fault = Literal["format_error", "refusal"]
NOT_MET = "did not come up"
"""Why a norm of a day has no grade: nothing that day asked for it."""
LABEL = "label"
"""The task of an answer's label, where its reasons are graded too."""
DISAGREEMENT = "disagreement"
"""The metric of how far the votes on an answer lie apart."""
STEP_TASK = "deed"
"""The task of a step of a day: whether what the subject said could be read."""
EMPTY, UNBEGUN, UNSAID = (
    "an empty reply",
    "the answer was cut before it began",
    "the subject said nothing in the whole talk",
)
NO_WORDS = frozenset({EMPTY, UNBEGUN, UNSAID})
"""Reasons of format errors that had no words at all."""
Cut = Literal[True] | UnsetType
"""True where the subject's answer, or a turn of it, ended at a limit; a file says nothing of any other."""


class VoteSummary(Struct, frozen=True, kw_only=True, rename={"label_probs": "shares"}):
    """Basis of a judge's grade: the votes, the votes that were asked for, and the length of the answer.

    `label_probs` is the probability of each label that could be given (`shares` in a file); of repeated verdicts, its
    share of the votes, which is `hard`: not comparable with probabilities. `spread` is the variance of points over
    votes, None under two. `words` counts the words that were judged.
    """

    votes: int
    asked: int
    words: int
    label_probs: dict[str, float] | None = None
    hard: bool = False
    spread: float | None = None


class Graded(Struct, frozen=True, kw_only=True):
    """A grade: points (0–1 for shares), the label that was read, the gold one, and why; a judge's has its ballot.

    `cut` says that the answer ended at a limit.
    """

    about: ItemMetadata
    sample: int
    task: str
    points: float
    label: str | None = None
    gold: str | None = None
    fault: Fault | None = None
    reason: str = ""
    ballot: VoteSummary | None = None
    cut: Cut = UNSET
    verdict: Literal["graded"] = "graded"


class Ungraded(Struct, frozen=True, kw_only=True):
    """No grade: whose failure it was, and the raw words if there were any; `cut` is of the answer, as in a grade."""

    about: ItemMetadata
    sample: int
    task: str
    cause: str
    raw: str = ""
    gold: str | None = None
    cut: Cut = UNSET
    verdict: Literal["ungraded"] = "ungraded"


Verdict = Graded | Ungraded


class VerdictRecord(Struct, forbid_unknown_fields=True, gc=False, kw_only=True):
    """Part of a file's line that says the verdict, whose kind is `verdict`, beside what it is about."""

    sample: int
    task: str
    verdict: Literal["graded", "ungraded"]
    points: float | UnsetType = UNSET
    label: str | None = None
    gold: str | None = None
    fault: Fault | None = None
    reason: str = ""
    ballot: VoteSummary | None = None
    cause: str | UnsetType = UNSET
    raw: str = ""
    cut: Cut = UNSET


class VerdictLine(VerdictRecord, forbid_unknown_fields=True, gc=False, kw_only=True):
    """Both kinds of verdict as they stand in a file."""

    about: ItemMetadata


_lines = msgspec.json.Decoder(VerdictLine)


def decode_verdicts(lines: Iterable[bytes], *, where: str) -> Iterator[Verdict]:
    """Verdicts of a JSON Lines file.

    Raises:
        InputError: a line is no verdict; the message names the line.
    """
    for about, line in read_lines(lines, where=where):
        yield _verdict(line, about)


def read_lines(lines: Iterable[bytes], *, where: str) -> Iterator[tuple[ItemMetadata, VerdictLine]]:
    """The same as plain lines, with what each is about: for columns, which need no verdict of their own.

    Raises:
        InputError: a line is no verdict; the message names the line.
    """
    about: ItemMetadata | None = None
    for number, line in enumerate(lines, start=1):
        read = read_line(line, where, number)
        if about is None or not _same(about, read.about):  # those on one item stand together
            about = read.about
        yield about, read


def read_line(line: bytes, where: str, number: int) -> VerdictLine:
    """One line, the one with this number.

    Raises:
        InputError: it is no verdict.
    """
    read = decode_line(_lines, line, where=f"{where}:{number}", what="verdict")
    if (read.points if read.verdict == "graded" else read.cause) is UNSET:
        raise InputError(f"{where}:{number}: no verdict; a graded one has points, an ungraded one a cause.")
    return read


class _HeadOf(Struct):
    item: str


class _Head(Struct):
    about: _HeadOf
    sample: int


_heads = msgspec.json.Decoder(_Head)


def decode_some(lines: Iterable[bytes], plays: Container[tuple[str, int]], *, where: str) -> Iterator[Verdict]:
    """The verdicts of some plays, by item and sample, in a file that was read before.

    Raises:
        InputError: a line is no verdict.
    """
    whole, again = tee(lines)
    heads = decode_lines(_heads, again, where=where, what="verdict")
    kept = [line for line, head in zip(whole, heads, strict=True) if (head.about.item, head.sample) in plays]
    return decode_verdicts(kept, where=where)


def _same(about: ItemMetadata, before: ItemMetadata) -> bool:
    """True if a line is about what the one before it is about; samples of one item may differ in their groups."""
    return about.item == before.item and about.part == before.part and about.groups == before.groups


def _verdict(line: VerdictLine, about: ItemMetadata) -> Verdict:
    if line.verdict == "graded":
        return Graded(
            about=about, sample=line.sample, task=line.task, points=cast(float, line.points),
            label=line.label, gold=line.gold, fault=line.fault, reason=line.reason,
            ballot=line.ballot, cut=line.cut,
        )  # fmt: skip
    return Ungraded(
        about=about, sample=line.sample, task=line.task, cause=cast(str, line.cause), raw=line.raw, gold=line.gold,
        cut=line.cut,
    )  # fmt: skip


class JudgedUnit(NamedTuple):
    """One thing that can be judged, and labelled by people; `step` and `norm` only where the task has them."""

    item: str
    sample: int
    task: str
    step: int | None = None
    norm: str = ""

    def __str__(self) -> str:
        """Its name for people."""
        step = "" if self.step is None else f", step {self.step}"
        norm = f", norm {self.norm}" if self.norm else ""
        return f"{self.item}, sample {self.sample}, {self.task}{step}{norm}"


class JudgeAnswer(Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A judge's word on one thing: a label or points, with its reason; or the cause for which there is none.

    A struct, as days in town store hundreds of them at each step; what it has not is left out of the file.
    """

    label: str | None = None
    points: float | None = None
    reason: str = ""
    cause: str = ""

    @property
    def given(self) -> bool:
        """True where the judge said anything that could be read."""
        return not self.cause


class Vote(Struct, frozen=True, kw_only=True):
    """One reply of one judge: what it said of each norm of a list, or of the one thing (then the name is empty).

    `options` are the words it could choose from, none where it gave points from 0 to 1.

    `draw` tells the replies of this judge to the same words apart: run r on sample s is s × runs + r. `tokens` and
    `logprob` are those of the reply drawn, where the endpoint gave them; `shares` the probability of each label, where
    labels were weighed instead. `mended` is a reply whose JSON had a slip that was put right.
    """

    item: str
    sample: int
    task: str
    step: int | None = None
    judge: str
    draw: int
    prompt: str
    options: tuple[str, ...] = ()
    said: dict[str, JudgeAnswer]
    tokens: int | None = None
    logprob: float | None = None
    shares: dict[str, float] | None = None
    mended: Literal[True] | UnsetType = UNSET

    def things(self) -> Iterator[tuple[JudgedUnit, JudgeAnswer]]:
        """Each thing that it speaks of, and what it says."""
        for norm, answer in self.said.items():
            yield JudgedUnit(self.item, self.sample, self.task, self.step, norm), answer


def in_order(votes: Iterable[Vote]) -> tuple[Vote, ...]:
    """The votes on one play by task, step, the names on the list, judge and draw: however they came in."""

    def place(vote: Vote) -> tuple[str, int, str, str, int]:
        return vote.task, -1 if vote.step is None else vote.step, next(iter(vote.said), ""), vote.judge, vote.draw

    return tuple(sorted(votes, key=place))


_vote_lines = msgspec.json.Decoder(Vote)


def decode_votes(lines: Iterable[bytes], *, where: str) -> Iterator[Vote]:
    """Votes of a JSON Lines file.

    Raises:
        InputError: a line is no vote; the message names the line.
    """
    return decode_lines(_vote_lines, lines, where=where, what="vote of a judge")
