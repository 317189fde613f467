"""A certificate put to use on another run's draws: what each set says, what is decided, and what goes to people.

draws of a run judged in just the certified way ─▶ thresholds replayed ─▶ decisions, and a work list of the rest.
Where a level has no certificate everything goes to people; no set is handed out under a promise that was not made.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from math import isclose, isfinite

import numpy as np
from msgspec import Struct

from mores.annotation.judged_items import JudgedItem
from mores.annotation.label_tables import TaskTable
from mores.calibration.certificate import (
    Certificate,
    CertificateFile,
    CertifiedLevel,
    ConformalSettings,
    Promised,
    refuse_other,
)
from mores.calibration.draws import JudgeDraws, Rows, judge_draws
from mores.core.codec import build
from mores.core.errors import InputError
from mores.stats.conformal.replay import judge_sets

SPLIT, EMPTY, UNCERTIFIED, UNSURE, ELSEWHERE = "split", "empty", "no certificate", "unsure", "no certificate there"


class SelectiveDecision(Struct, frozen=True, kw_only=True):
    """One thing: the words kept and how often, the draws made, what is decided, or why it goes to people.

    `confidence` is that of a selective certificate; then `kept` counts all draws.
    """

    item: str
    sample: int
    task: str
    step: int | None
    norm: str
    place: str
    model: str
    judge: str
    kept: dict[str, int]
    made: int
    decided: str | None
    people: str = ""
    confidence: float | None = None


class AppliedCertificates(Struct, frozen=True, kw_only=True):
    """Certificates of one judge on one task put to use on a run at one level."""

    certificates: tuple[Certificate, ...]
    risk: float
    rows: tuple[JudgedItem, ...]
    decisions: tuple[SelectiveDecision, ...]

    @property
    def name(self) -> str:
        """Task and judge."""
        conditions = self.certificates[0].conditions
        return f"{conditions.benchmark} {conditions.task}, {conditions.judge}"

    @property
    def claims(self) -> tuple[str, ...]:
        """Promises, place by place where it is so."""
        levels = [(each.place, level_at(each, self.risk)) for each in self.certificates]
        return tuple(f"{place}: {level.claim}" if place else level.claim for place, level in levels if level.certified)

    @property
    def words(self) -> dict[str, int]:
        """Number of decisions for each word."""
        return dict(sorted(Counter(each.decided for each in self.decisions if each.decided is not None).items()))

    @property
    def counts(self) -> dict[str, int]:
        """Number of things decided, and of those sent to human review for each cause."""
        found = Counter(each.people or "decided" for each in self.decisions)
        return dict(sorted(found.items(), key=lambda pair: (pair[0] != "decided", pair[0])))

    @property
    def for_people(self) -> tuple[JudgedItem, ...]:
        """The things that go to people."""
        return tuple(row for row, each in zip(self.rows, self.decisions, strict=True) if each.people)

    @property
    def promise(self) -> Promised:
        """Unit of the promise made of these things."""
        return "episode" if self.certificates[0].conditions.measure.get("promise") == "episode" else "thing"

    @property
    def shared(self) -> int:
        """Things that share an episode with others, of which together nothing is promised: else none."""
        return _longer(self.rows, 1) if self.promise == "episode" else 0

    @property
    def longest(self) -> int:
        """The most things of an episode that was calibrated on."""
        return max(each.population.longest for each in self.certificates)

    @property
    def longer(self) -> int:
        """Things of longer episodes, of which nothing is promised."""
        return _longer(self.rows, self.longest)

    @property
    def strangers(self) -> tuple[str, ...]:
        """Models whose answers the certificate does not speak of."""
        known = {model for each in self.certificates for model in each.population.models}
        return tuple(sorted({row.evaluation.model for row in self.rows} - known))


def _longer(table_rows: Sequence[JudgedItem], longest: int) -> int:
    """Things of episodes in which one model has more things than any that was calibrated on."""
    # by model, as several may have lived one episode
    lengths = Counter((row.evaluation.model, row.cluster) for row in table_rows)
    return sum(length for length in lengths.values() if length > longest)


def level_at(certificate: Certificate, risk: float) -> CertifiedLevel:
    """The level of a certificate.

    Raises:
        InputError: it has none such.
    """
    for level in certificate.levels:
        # a level that was typed and one that was stored may differ in their last digit
        if isclose(level.risk, risk, abs_tol=1e-9):
            return level
    listed = ", ".join(f"{level.risk:g}" for level in certificate.levels)
    raise InputError(f"--risk {risk:g}: the certificate of {certificate.name} has the levels {listed}.")


def chosen_risk(file: CertificateFile, risk: float | None) -> float:
    """The level to use: the one asked for, or the only one.

    Raises:
        InputError: there are several and none was named, as it is not to be picked by what it would bring.
    """
    levels = sorted({level.risk for each in file.certificates for level in each.levels})
    # a level that is picked after its outcome is known is not the one that was promised
    if risk is None and len(levels) > 1:
        raise InputError(f"--risk: name the level to use; the certificate has {', '.join(f'{r:g}' for r in levels)}.")
    return levels[0] if risk is None else risk


def apply_certificates(
    file: CertificateFile, tables: Sequence[TaskTable], *, risk: float, judge: str | None = None
) -> tuple[AppliedCertificates, ...]:
    """Outcome of the certificates of a file on a run's tables.

    Raises:
        InputError: nothing of the file is about the run, several judges are certified for one task, or the run was
            judged otherwise than certified; the message names what differs.
    """
    found = []
    for table in tables:
        own = [c for c in file.certificates if (c.conditions.benchmark, c.conditions.task) == (
            table.benchmark, table.task) and judge in {None, c.conditions.role, c.conditions.judge}]  # fmt: skip
        judges = dict.fromkeys((c.conditions.role, c.conditions.judge, c.hash) for c in own)
        if len(judges) > 1:
            listed = ", ".join(f"{spec} ({role})" for role, spec, _ in judges)
            raise InputError(f"{table.name}: the file certifies {listed}; name one: --judge ROLE or --judge SPEC.")
        if own:
            found.append(_put(tuple(own), table, risk))
    if not found:
        known = dict.fromkeys(f"{c.conditions.role} ({c.conditions.judge})" for c in file.certificates)
        if judge is not None and not any(judge in {c.conditions.role, c.conditions.judge} for c in file.certificates):
            raise InputError(f"--judge {judge}: the file certifies nobody of that name; expected {', '.join(known)}.")
        text = "; ".join(dict.fromkeys(c.name for c in file.certificates))
        here = ", ".join(table.name for table in tables)
        raise InputError(f"The file certifies {text}; expected a run of that, this one has {here}.")
    return tuple(found)


def _put(certificates: tuple[Certificate, ...], table: TaskTable, risk: float) -> AppliedCertificates:
    first = certificates[0]
    draws = judge_draws(table, first.conditions.role, _measure(first))
    refuse_other(first, draws.conditions, where=str(table.rows[0].evaluation.run))
    by_row: dict[int, SelectiveDecision] = {}
    for certificate in certificates:
        rows = np.arange(len(table.rows))
        rows = rows if certificate.place is None else rows[table.places == certificate.place]
        level = level_at(certificate, risk)
        by_row.update(zip(rows.tolist(), _decisions(draws, rows, level, certificate), strict=True))
    decisions = [by_row.get(row) or _decision(draws, row, people=ELSEWHERE) for row in range(len(table.rows))]
    return AppliedCertificates(certificates=certificates, risk=risk, rows=table.rows, decisions=tuple(decisions))


def _measure(certificate: Certificate) -> ConformalSettings:
    """Settings of the certificate, as they were stored.

    Raises:
        InputError: it knows a word that this mores does not.
    """
    stored = dict(certificate.conditions.measure)
    # certificates store these two under other names than the code has
    for key, name in (("set", "score"), ("likeness", "similarity")):
        if key in stored:
            stored[name] = stored.pop(key)
    return build(ConformalSettings, stored, where=f"The certificate of {certificate.name}")


def _decisions(
    draws: JudgeDraws, rows: Rows, level: CertifiedLevel, certificate: Certificate
) -> Iterator[SelectiveDecision]:
    if not rows.size:
        return
    if not level.certified:
        yield from (_decision(draws, row, people=UNCERTIFIED) for row in rows.tolist())
    elif certificate.promise == "selective":
        yield from _selected(draws, rows, float(level.thresholds["confidence"]))
    else:
        yield from _kept(draws, rows, level)


def _kept(draws: JudgeDraws, rows: Rows, level: CertifiedLevel) -> Iterator[SelectiveDecision]:
    own = draws.draws(rows, similarity=isfinite(level.settings.similarity))
    sets = judge_sets(own, level.settings, draws.measure.score)
    for number, row in enumerate(rows.tolist()):
        words = [word for word, kept in zip(draws.decisions[row], sets.kept[number], strict=True) if kept]
        decision = int(sets.decision[number])
        yield _decision(
            draws,
            row,
            kept=dict(Counter(word or "" for word in words)),
            made=int(sets.draws[number]),
            decided=str(own.options[decision]) if decision >= 0 else None,
            people="" if decision >= 0 else SPLIT if words else EMPTY,
        )


def _selected(draws: JudgeDraws, rows: Rows, least: float) -> Iterator[SelectiveDecision]:
    found = draws.decided
    for row in rows.tolist():
        code, sure = int(found.decision[row]), float(found.confidence[row])
        stands = sure >= least and code >= 0
        yield _decision(
            draws,
            row,
            kept=dict(Counter(word or "" for word in draws.decisions[row])),
            made=draws.each,
            decided=draws.table.options[code] if stands else None,
            people="" if stands else UNSURE,
            confidence=sure,
        )


def _decision(  # noqa: PLR0913 - the parts of one noun
    draws: JudgeDraws, row: int, *, people: str, kept: dict[str, int] | None = None, made: int = 0,
    decided: str | None = None, confidence: float | None = None,
) -> SelectiveDecision:  # fmt: skip
    judged = draws.table.rows[row]
    return SelectiveDecision(
        **judged.thing._asdict(), place=judged.place, model=judged.evaluation.model, judge=draws.conditions.judge,
        kept=kept or {}, made=made, decided=decided, people=people, confidence=confidence,
    )  # fmt: skip
