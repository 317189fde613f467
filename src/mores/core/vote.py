"""What one judge said once, of one thing or of a list: the rows that agreement with people and calibration rest on.

A verdict is what all judges of a run came to; votes are what it was made of. They name what was judged as people's
labels do: item, sample, task, and a step or a norm where the task has them.
"""

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

import msgspec
from msgspec import UNSET, Struct, UnsetType

from mores.core.codec import decode_lines


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
        for norm, said in self.said.items():
            yield JudgedUnit(self.item, self.sample, self.task, self.step, norm), said


def in_order(votes: Iterable[Vote]) -> tuple[Vote, ...]:
    """The votes on one play by task, step, the names on the list, judge and draw: however they came in."""

    def place(vote: Vote) -> tuple[str, int, str, str, int]:
        return vote.task, -1 if vote.step is None else vote.step, next(iter(vote.said), ""), vote.judge, vote.draw

    return tuple(sorted(votes, key=place))


_lines = msgspec.json.Decoder(Vote)


def decode_votes(lines: Iterable[bytes], *, where: str) -> Iterator[Vote]:
    """Votes of a JSON Lines file.

    Raises:
        InputError: a line is no vote; the message names the line.
    """
    return decode_lines(_lines, lines, where=where, what="vote of a judge")
