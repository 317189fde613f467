"""All that `mores calibrate selective` finds of one judge on one task: the certificate, and what it comes to.

labelled table and judge ─▶ one decision of each thing with a confidence ─▶ certificate, held-out errors ─▶ words.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from mores.core.seeds import Seed
from mores.people.tables import TaskTable
from mores.reports.trust import certificate_words as words
from mores.reports.trust.agreement_words import Grid, number
from mores.reports.trust.certificate import Certificate
from mores.reports.trust.certificate_conditions import Confidence, Measure
from mores.reports.trust.draws import JudgeDraws, judge_draws
from mores.reports.trust.draws_labels import Splitting, Truths, split_truths
from mores.reports.trust.heldout import SingleWord, single_word
from mores.reports.trust.selecting import Accepted, accepted, certify_decisions, decided, wrong
from mores.reports.wording import DASH


@dataclass(frozen=True, slots=True, kw_only=True)
class Choosing:
    """What is asked of a selective calibration."""

    risks: tuple[float, ...]
    confidence: Confidence
    delta: float
    claims: int
    splitting: Splitting


@dataclass(frozen=True, kw_only=True)
class Selection:
    """One judge on one task: the certificate of trusting it, what it comes to, and the error if all stood."""

    draws: JudgeDraws
    truths: Truths
    certificate: Certificate
    accepted: tuple[Accepted, ...]
    error: float
    single: SingleWord

    def lines(self) -> Iterator[str]:
        """What to know before the tables, in sentences."""
        yield from words.standing(self.draws, self.truths, self.certificate)
        if self.draws.equal:
            yield "All draws of every thing decide alike, so consistency is 1 throughout and tells nothing apart."
        yield (
            f"Were every decision trusted, {number(self.error, 'share')} would be wrong on the things that calibrate."
        )
        yield from words.single(self.single)

    def grids(self) -> Iterator[Grid]:
        """The levels, and what they come to on held-out things."""
        yield words.levels_grid(self.certificate)
        if self.accepted:
            yield Grid(
                title="Held out",
                heads=("level", "trusted", "to people", "wrong among trusted"),
                rows=tuple(_row(each) for each in self.accepted),
            )

    def claims(self) -> Iterator[str]:
        """What is promised."""
        certified = [level for level in self.certificate.levels if level.certified]
        yield certified[0].claim if certified else "No level is certified: every decision goes to people."
        if self.accepted:
            yield "A held-out share of wrong ones above its level now and then is no breach: it swings round the true."

    def plain(self) -> dict[str, object]:
        """All of it for programs."""
        return {
            "task": self.draws.table.task,
            "benchmark": self.draws.table.benchmark,
            "judge": self.draws.conditions.judge,
            "role": self.draws.role,
            "simulated": self.draws.table.simulated,
            "split": self.truths.split,
            "draws": self.draws.each,
            "unreadable": self.draws.unreadable,
            "error_of_all": self.error,
            "single": words.plain_single(self.single),
            "certificate": self.certificate,
        }


def _row(each: Accepted) -> tuple[str, ...]:
    error = DASH if each.error is None else number(each.error, "share")
    interval = f" {words.bracket(each.interval)}" if each.interval is not None and each.error is not None else ""
    return (
        f"{each.level.risk:g}",
        f"{number(each.share, 'share')} ({each.accepted} of {each.items})",
        f"{each.items - each.accepted}",
        f"{error}{interval}",
    )


def selection(table: TaskTable, role: str, how: Choosing, *, seed: Seed) -> Selection:
    """The judge of one role on one task.

    Raises:
        InputError: the table, the judge or the labels cannot be calibrated on.
    """
    draws = judge_draws(table, role, Measure(confidence=how.confidence, promise=how.splitting.promise))
    truths = split_truths(table, how.splitting, seed=seed)
    made = certify_decisions(draws, truths, how.risks, delta=how.delta, claims=how.claims)
    dice = seed.child(table.name, role)
    on = accepted(made, draws, truths, seed=dice.child("held"))
    return Selection(
        draws=draws,
        truths=truths,
        certificate=replace(made, held=tuple(each.held for each in on)),
        accepted=on,
        error=float(np.mean(wrong(decided(draws), truths, truths.calibration))),
        single=single_word(draws, truths, seed=dice.child("single")),
    )
