"""All that `mores calibrate clm` finds of one judge on one task: the certificates, and what they come to.

labelled table and judge ─▶ draws ─▶ certificates, held-out figures, the judge's single words ─▶ lines, grids, values.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.people.tables import TaskTable
from mores.reports.trust import certificate_words as words
from mores.reports.trust.agreement_words import Grid
from mores.reports.trust.certificate import Asked, Certificate, certify, one_each_allows
from mores.reports.trust.certificate_conditions import Measure
from mores.reports.trust.draws import JudgeDraws, judge_draws
from mores.reports.trust.draws_labels import Splitting, Truths, split_truths
from mores.reports.trust.heldout import Applied, SingleWord, applied, single_word
from mores.reports.trust.risk_picture import Panel, Spot


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """One judge on one task: certificates (one, or one a place) and what each comes to on things, in the same order."""

    draws: JudgeDraws
    truths: Truths
    asked: Asked
    certificates: tuple[Certificate, ...]
    applied: tuple[Applied | None, ...]
    single: SingleWord

    @cached_property
    def one_each(self) -> dict[float, int]:
        """Where things share clusters: how many losses would pass each level, were one of each cluster tested."""
        population = self.truths.population(self.truths.calibration)
        delta = self.asked.plan.level
        return one_each_allows(population.clusters, self.asked.risks, delta) if population.clustered else {}

    def lines(self) -> Iterator[str]:
        """What to know before the tables, in sentences."""
        yield from words.standing(self.draws, self.truths, self.certificates[0])
        yield from words.warned(self.draws, self.truths, self.one_each)
        yield from words.single(self.single)

    def grids(self) -> Iterator[Grid]:
        """The levels, what they come to on things, and places; by certificate."""
        for certificate, on in zip(self.certificates, self.applied, strict=True):
            yield words.levels_grid(certificate)
            if on is not None:
                yield words.applied_grid(certificate, on)
        if self.certificates[0].place is None and (on := self.applied[0]) is not None:
            yield from words.places_grid(on)

    def claims(self) -> Iterator[str]:
        """What is promised, and how the figures on things are to be read."""
        yield from words.promised(self.certificates, self.asked)
        yield from words.read_so(self.applied, expectation=self.asked.expectation)

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
            "all_equal": self.draws.equal,
            "unreadable": self.draws.unreadable,
            "one_per_cluster_passes": {f"{risk:g}": losses for risk, losses in self.one_each.items()},
            "single": words.plain_single(self.single),
            "certificates": [
                {"certificate": certificate, "on": None if on is None else words.plain_applied(on)}
                for certificate, on in zip(self.certificates, self.applied, strict=True)
            ],
        }


def calibrations(
    tables: Sequence[TaskTable], roles: Sequence[str], measure: Measure, how: tuple[Asked, Splitting], *, seed: Seed
) -> tuple[Calibration, ...]:
    """Every judge on every task; judges of the named roles or specs only, where any are named.

    Raises:
        InputError: a table, a judge or a label cannot be calibrated on.
    """
    return tuple(calibration(table, role, measure, how, seed=seed) for table, role in judges_of(tables, roles))


def judges_of(tables: Sequence[TaskTable], named: Sequence[str]) -> tuple[tuple[TaskTable, str], ...]:
    """Each table with each role that judged in it, by role or spec where any are named.

    Raises:
        InputError: a name is no judge's.
    """
    every = [(table, role, {row.cell.judges.get(role, role) for row in table.rows}) for table in tables
             for role in table.judges]  # fmt: skip
    for name in named:
        if not any(name == role or name in specs for _, role, specs in every):
            known = dict.fromkeys(f"{role} ({', '.join(sorted(specs))})" for _, role, specs in every)
            raise InputError(f"--judge {name}: nobody of that name judges; expected {', '.join(known)}.")
    return tuple((table, role) for table, role, specs in every if not named or role in named or specs & set(named))


def calibration(
    table: TaskTable, role: str, measure: Measure, how: tuple[Asked, Splitting], *, seed: Seed
) -> Calibration:
    """The judge of one role on one task.

    Raises:
        InputError: the table, the judge or the labels cannot be calibrated on.
    """
    asked, splitting = how
    draws = judge_draws(table, role, measure)
    truths = split_truths(table, splitting, seed=seed)
    dice = seed.child(table.name, role)
    made = certify(draws, truths, asked, seed=dice.child("split"))
    on = tuple(applied(each, draws, truths, seed=dice.child("held", each.place or "")) for each in made)
    return Calibration(
        draws=draws,
        truths=truths,
        asked=asked,
        certificates=tuple(replace(c, held=() if o is None else o.held) for c, o in zip(made, on, strict=True)),
        applied=on,
        single=single_word(draws, truths, seed=dice.child("single")),
    )


_Found = TypeVar("_Found")


def those_that_carry(
    pairs: Sequence[tuple[TaskTable, str]], make: Callable[[TaskTable, str], _Found]
) -> tuple[tuple[_Found, ...], tuple[str, ...]]:
    """What is made of each judge on each task, and why nothing is of the others.

    Raises:
        InputError: nothing is of any; the first reason.
    """
    found, refused = list[_Found](), list[InputError]()
    for table, role in pairs:
        try:
            found.append(make(table, role))
        except InputError as error:
            refused.append(error)
    if not found:
        raise refused[0] if refused else InputError("No label is about a task that judges are asked.")
    return tuple(found), tuple(map(str, refused))


def panels_of(certificates: Sequence[Certificate], *, simulated: bool) -> tuple[Panel, ...]:
    """The panels of the picture of risk: a task each, with every judge that has held-out figures."""
    tasks = dict.fromkeys(_task(each) for each in certificates if each.held)
    return tuple(_panel(task, [c for c in certificates if _task(c) == task], simulated=simulated) for task in tasks)


def _task(certificate: Certificate) -> tuple[str, str]:
    return certificate.conditions.benchmark, certificate.conditions.task


def _panel(task: tuple[str, str], certificates: Sequence[Certificate], *, simulated: bool) -> Panel:
    items = " or ".join(f"{n:,}" for n in sorted({held.items for each in certificates for held in each.held}))
    return Panel(
        title=task[1],
        note=f"{task[0]}, n {items}{', simulated' if simulated else ''}",
        judges={_judge(each, certificates): _spots(each) for each in certificates},
    )


def _judge(certificate: Certificate, others: Sequence[Certificate]) -> str:
    """The judge's name, with what tells it from others of the same name."""
    place = f", {certificate.place}" if certificate.place else ""
    conditions = certificate.conditions
    alike = [c for c in others if c.conditions.judge == conditions.judge and c.place == certificate.place]
    heat = conditions.sampling.get("temperature")
    return f"{conditions.judge}{place}" + (f" ({conditions.role}, temperature {heat})" if len(alike) > 1 else "")


def _spots(certificate: Certificate) -> tuple[Spot, ...]:
    held = {each.risk: each for each in certificate.held}
    return tuple(
        Spot(risk=level.risk, loss=held[level.risk].loss, low=held[level.risk].low, high=held[level.risk].high)
        if level.risk in held
        else Spot(risk=level.risk)
        for level in certificate.levels
    )
