"""Where judge and people part: the single cases, and the causes that people find for them.

labelled things ─▶ those on which judge and people are apart ─▶ a list for people to code causes ─▶ shares of causes.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mores.core.codec import digest
from mores.core.vote import Thing
from mores.people.judged import Judged
from mores.people.tables import TaskTable
from mores.reports import wording
from mores.reports.trust.agreement_words import Grid, counted, number, plain, told
from mores.stats import Design, Measured
from mores.stats.cluster_sums import share

SHOWN = 10
"""Cases that a terminal shows."""
_LONG = 160


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One thing on which judge and people are apart; `id` names it in files, whichever labels come in later.

    `people` and `judges` are what each said, judges with their reasons, in order; `apart` is judge less people for
    points.
    """

    id: str
    judged: Judged
    people: tuple[tuple[str, str], ...]
    judges: tuple[tuple[str, str, str], ...]
    people_said: str
    judge_said: str
    apart: float | None = None

    @property
    def thing(self) -> Thing:
        """What was judged."""
        return self.judged.thing

    def line(self) -> str:
        """The case in a few words, with the judge's reason cut where it is long."""
        place = f" ({wording.group_name('place', self.judged.place)})" if self.judged.place else ""
        alike = sum(said == self.people_said for _, said in self.people)
        of = f" ({alike} of {len(self.people)})" if self.apart is None else ""
        reason = next((reason for _, said, reason in self.judges if said == self.judge_said and reason), "")
        reason = reason or next((reason for *_, reason in self.judges if reason), "")
        short = reason if len(reason) <= _LONG else reason[: _LONG - 1].rstrip() + "…"
        return (
            f"{self.thing.told}{place}: people {self.people_said}{of}, judge {self.judge_said}"
            f"{f': {short}' if short else ''}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """One cause that people gave, and its share of the cases that were coded."""

    name: str
    cases: int
    share: Measured


@dataclass(frozen=True, slots=True, kw_only=True)
class Causes:
    """All causes of the cases that were coded, the most frequent first; `open` counts those without one."""

    coded: int
    open: int
    causes: tuple[Cause, ...]

    def grid(self) -> Grid:
        """A row a cause."""
        rows = tuple((f"{c.cases:,}", told(c.share, "share"), c.name) for c in self.causes)
        left = f"{counted(self.open, 'case')} without a cause." if self.open else ""
        return Grid(title=f"Causes of {self.coded:,} cases", heads=("n", "share", "cause"), rows=rows, note=left)

    def plain(self) -> dict[str, object]:
        """All of it for programs."""
        return {
            "coded": self.coded, "open": self.open,
            "causes": [{"cause": c.name, "n": c.cases, "share": plain(c.share)} for c in self.causes],
        }  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Cases:
    """All cases of a task, the furthest apart and the clearest to people first; `share` is theirs of what was compared.

    `threshold` is how far apart points are at least; None for words.
    """

    cases: tuple[Case, ...]
    share: Measured
    threshold: float | None

    def lines(self) -> Iterator[str]:
        """How many there are."""
        how = "say another word" if self.threshold is None else f"are {self.threshold:g} points apart or more"
        yield f"Judge and people {how} in {counted(len(self.cases), 'case')}, {told(self.share, 'share')}."

    def shown(self) -> Iterator[str]:
        """The first cases in words."""
        yield from (case.line() for case in self.cases[:SHOWN])
        if len(self.cases) > SHOWN:
            yield f"… and {len(self.cases) - SHOWN:,} more: --cases FILE writes all, to code causes."

    def plain(self) -> dict[str, object]:
        """All of it for programs; the words that were judged are in the file of cases."""
        return {
            "n": len(self.cases), "share": plain(self.share), "threshold": self.threshold,
            "cases": [
                {"case": c.id, "model": c.judged.cell.model, "item": c.thing.item, "sample": c.thing.sample,
                 "task": c.thing.task, "step": c.thing.step, "norm": c.thing.norm, "place": c.judged.place or None,
                 "people": c.people_said, "judge": c.judge_said, "apart": c.apart}
                for c in self.cases
            ],
        }  # fmt: skip


def cases_of(table: TaskTable, design: Design, threshold: float) -> Cases | None:
    """The cases of one task: another word than people's, or points so far from theirs; None where nothing compares."""
    both = np.isfinite(table.said) & np.isfinite(table.truth)
    if not both.any():
        return None
    apart = np.where(both, table.said - table.truth, 0.0)
    far = both & ((apart != 0) if table.options else (np.abs(apart) >= threshold - 1e-9))
    chosen = sorted(np.flatnonzero(far).tolist(), key=lambda row: _order(table, row, float(apart[row])))
    of = share(far[both], design.part(both, "cases"), "cases")
    limit = None if table.options else threshold
    return Cases(cases=tuple(_case(table, row, float(apart[row])) for row in chosen), share=of, threshold=limit)


def _order(table: TaskTable, row: int, apart: float) -> tuple[float, float, str]:
    """Furthest apart first, then those on which people are most of one mind."""
    given = table.labels[row][np.isfinite(table.labels[row])]
    alike = float((given == table.truth[row]).sum())
    return (-abs(apart) if not table.options or table.ordered else 0.0, -alike, table.rows[row].thing.told)


def _case(table: TaskTable, row: int, apart: float) -> Case:
    judged = table.rows[row]
    people = tuple(
        (name, _told(table, label))
        for name, label in zip(table.people, table.labels[row].tolist(), strict=True)
        if np.isfinite(label)
    )
    judges = tuple(
        (judge, said.label or ("" if said.points is None else number(said.points)) or said.cause, said.reason)
        for judge in judged.votes
        for said in judged.said(judge)
    )
    return Case(
        id=case_id(judged),
        judged=judged,
        people=people,
        judges=judges,
        people_said=_told(table, float(table.truth[row])),
        judge_said=_told(table, float(table.said[row])),
        apart=None if table.options else apart,
    )


def case_id(judged: Judged) -> str:
    """The name of a case in files: of whose answer, to what, and which task."""
    return digest([judged.cell.model, judged.cell.benchmark, list(judged.thing)], length=12)


def _told(table: TaskTable, value: float) -> str:
    return table.options[round(value)] if table.options else number(value)


def causes_of(cases: Sequence[Case], causes: Mapping[str, str], design: Design) -> Causes | None:
    """Shares of causes among the cases that have one; None where no case has.

    Args:
        cases: Of a task, or of all.
        causes: By the case's id.
        design: Whose clusters, confidence and dice are taken; it is of other units.
    """
    coded = [case for case in cases if case.id in causes]
    if not coded:
        return None
    names = Counter(causes[case.id].casefold() for case in coded)
    first = {causes[case.id].casefold(): causes[case.id] for case in reversed(coded)}
    own = Design(
        clusters=[f"{case.judged.cell.benchmark} {case.judged.cluster}" for case in coded],
        confidence=design.confidence, resamples=design.resamples, seed=design.seed.child("causes"),
    )  # fmt: skip
    found = tuple(
        Cause(name=first[name], cases=count, share=share(_is(coded, causes, name), own, name))
        for name, count in sorted(names.items(), key=lambda pair: (-pair[1], pair[0]))
    )
    return Causes(coded=len(coded), open=len(cases) - len(coded), causes=found)


def _is(coded: Sequence[Case], causes: Mapping[str, str], name: str) -> list[bool]:
    return [causes[case.id].casefold() == name for case in coded]
