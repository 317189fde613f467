"""The parts of the page on judges: one for each role and task, with what goes from it to people.

table of a task ─▶ the whole jury, then each judge alone ─▶ agreement, certificates and what they decide, corrections.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from mores.core.errors import InputError
from mores.people.tables import TaskTable
from mores.reports.trust.agreement import TOGETHER, TaskAgreement, Wish, agreement_of
from mores.reports.trust.agreement_words import Grid, counted
from mores.reports.trust.certificate import Certificate, Level
from mores.reports.trust.certificate_apply import ELSEWHERE, put_to_use
from mores.reports.trust.certificate_file import CertificateFile
from mores.reports.trust.certificate_words import levels_grid
from mores.reports.trust.correcting import TaskCorrected
from mores.reports.wording import group_name


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelUse:
    """One level of a certificate put to use on these runs: how many things are decided, how many go to people."""

    risk: float
    counts: dict[str, int]

    @property
    def decided(self) -> int:
        """Things that the judge may decide."""
        return self.counts.get("decided", 0)

    @property
    def people(self) -> int:
        """Things that go to people."""
        return sum(self.counts.values()) - self.decided

    @property
    def causes(self) -> str:
        """Why things go to people, with counts."""
        return ", ".join(f"{cause} {count:,}" for cause, count in self.counts.items() if cause != "decided")


@dataclass(frozen=True, slots=True, kw_only=True)
class Certified:
    """A certificate of a judge on a task, of which file, and what its levels decide here; else `why` they do not."""

    certificate: Certificate
    path: Path
    simulated: bool
    uses: tuple[LevelUse, ...]
    why: str = ""

    @property
    def kind(self) -> str:
        """What is certified, and of which place, for the start of a line."""
        kind = "trusted decisions" if self.certificate.promise == "selective" else "kept sets"
        place = self.certificate.place
        return kind if place is None else f"{kind}, {group_name('place', place) if place else 'no place'}"

    @property
    def short(self) -> str:
        """The kind in a word, for a cell of a table."""
        return "trust" if self.certificate.promise == "selective" else "sets"

    @property
    def heading(self) -> str:
        """The same with a capital."""
        return self.kind[0].upper() + self.kind[1:]

    @property
    def best(self) -> Level | None:
        """The strictest level that is certified."""
        return min(
            (level for level in self.certificate.levels if level.certified), key=lambda each: each.risk, default=None
        )

    @property
    def grid(self) -> Grid:
        """Its levels."""
        return levels_grid(self.certificate)

    @property
    def command(self) -> str:
        """How the work list for people is made."""
        risk = "" if self.best is None else f" --risk {self.best.risk:g}"
        return f"mores calibrate apply {self.path} RUN{risk} --out DIR"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sending:
    """What of a task goes to people where no certificate says so: what judges did not or could not decide.

    `torn` are things on which a judge's or jury's own votes differ, `ungraded` those without any word or with a tie.
    """

    judged: int
    torn: int
    ungraded: int
    repeated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One judge, or the whole jury, on one task; `refused` says why there is no agreement."""

    benchmark: str
    task: str
    role: str
    judge: str
    options: tuple[str, ...]
    certifiable: bool
    simulated: bool
    agreement: TaskAgreement | None
    refused: str
    certified: tuple[Certified, ...]
    corrected: tuple[TaskCorrected, ...]
    sending: Sending
    number: int = 0

    @property
    def id(self) -> str:
        """Its anchor on the page."""
        return f"trust-{self.number}"

    @property
    def title(self) -> str:
        """Task and role."""
        return f"{self.task}, {self.role}"


def parts_of(
    tables: Sequence[TaskTable], corrected: Sequence[TaskCorrected], files: Sequence[tuple[Path, CertificateFile]]
) -> tuple[Part, ...]:
    """A part for each judge and task; where several judge, one for all together comes first.

    Raises:
        InputError: judges or prompts are mixed.
    """
    found = [part for table in tables for part in _parts(table, corrected, files)]
    return tuple(replace(part, number=number) for number, part in enumerate(found, start=1))


def _parts(
    table: TaskTable, corrected: Sequence[TaskCorrected], files: Sequence[tuple[Path, CertificateFile]]
) -> Iterator[Part]:
    own = tuple(each for each in corrected if (each.cell.benchmark, each.task) == (table.benchmark, table.task))
    judges = table.judges
    if len(judges) > 1:
        yield _part(table, TOGETHER, own, ())
    for role in judges:
        alone = table if len(judges) == 1 else _only(table, role)
        yield _part(alone, role, own if len(judges) == 1 else (), _certified(table, role, files))


def _only(table: TaskTable, role: str) -> TaskTable:
    """The task as if one judge had judged alone."""
    rows = tuple(replace(row, votes={role: row.votes.get(role, ())}) for row in table.rows)
    return replace(table, rows=rows)


def _part(table: TaskTable, role: str, corrected: tuple[TaskCorrected, ...], certified: tuple[Certified, ...]) -> Part:
    specs = table.rows[0].cell.judges
    agreement, refused = _agreement(table)
    return Part(
        benchmark=table.benchmark,
        task=table.task,
        role=role,
        judge=specs.get(role, ", ".join(dict.fromkeys(specs.values()))),
        options=table.options,
        certifiable=bool(table.options and table.rows[0].prompt),  # what is worked out of others has no words
        simulated=table.simulated,
        agreement=agreement,
        refused=refused,
        certified=certified,
        corrected=corrected,
        sending=_sending(table),
    )


def _agreement(table: TaskTable) -> tuple[TaskAgreement | None, str]:
    if not table.labelled.any():
        return None, ""
    try:
        return agreement_of(table, Wish()), ""
    except InputError as error:
        return None, str(error)


def _sending(table: TaskTable) -> Sending:
    torn = [len({(said.label, said.points) for said in row.said() if said.given}) > 1 for row in table.rows]
    repeated = any(len(row.said()) > 1 for row in table.rows)
    return Sending(judged=len(table.rows), torn=sum(torn), ungraded=int(np.isnan(table.said).sum()), repeated=repeated)


def _certified(table: TaskTable, role: str, files: Sequence[tuple[Path, CertificateFile]]) -> tuple[Certified, ...]:
    found = []
    for path, file in files:
        for certificate in file.certificates:
            conditions = certificate.conditions
            if (conditions.benchmark, conditions.task, conditions.role) == (table.benchmark, table.task, role):
                found.append(_one(certificate, path, file, table))
    return tuple(found)


def _one(certificate: Certificate, path: Path, file: CertificateFile, table: TaskTable) -> Certified:
    own = replace(file, certificates=(certificate,))
    rows = table.at(np.array([row.cell.folder == table.rows[0].cell.folder for row in table.rows]))
    uses, why = [], ""
    for level in certificate.levels:
        if not level.certified:
            continue
        try:
            counts: Counter[str] = Counter()
            for put in put_to_use(own, (rows,), risk=level.risk, judge=certificate.conditions.role):
                counts.update(put.counts)
            del counts[ELSEWHERE]  # things of other places, which have certificates of their own or none
            uses.append(LevelUse(risk=level.risk, counts=dict(counts)))
        except InputError as error:
            why = str(error)
    return Certified(certificate=certificate, path=path, simulated=file.simulated, uses=tuple(uses), why=why)


def glance_certified(part: Part) -> Iterator[str]:
    """The strictest level of each certificate in a few words; of those by place, how many have any."""
    for each in _of_all_places(part):
        yield f"{each.short} at no level" if each.best is None else f"{each.short} at {each.best.risk:g}"
    places = [each for each in part.certified if each.certificate.place is not None]
    for short in dict.fromkeys(each.short for each in places):
        some = [each.best is not None for each in places if each.short == short]
        yield f"{short} in {sum(some)} of {counted(len(some), 'place')}"


def glance_sent(part: Part) -> Iterator[str]:
    """What goes to people at the strictest level of each certificate over all places, in a few words."""
    for each in _of_all_places(part):
        for use in each.uses[:1]:
            yield f"{use.people:,} of {use.people + use.decided:,} by {each.short}"


def _of_all_places(part: Part) -> Sequence[Certified]:
    return [each for each in part.certified if each.certificate.place is None]


def told_sending(part: Part) -> Iterator[str]:
    """What goes to people, in sentences."""
    for each in part.certified:
        for use in each.uses:
            causes = f" ({use.causes})" if use.causes else ""
            sent = f"{counted(use.decided, 'thing')} decided, {use.people:,} to people{causes}"
            yield f"{each.heading} at {use.risk:g}: {sent}."
        if each.why:
            yield f"The certificate says nothing of this judging: {each.why}"
        if each.best is None:
            yield f"{each.heading}: no level is certified, and everything goes to people."
    sending = part.sending
    if not part.certified:
        points = "" if part.options else ": certificates are for words, and these are points"
        yield f"No certificate says which of {counted(sending.judged, 'thing')} the judge may decide{points}."
        if sending.repeated:
            yield f"Its votes differ on {sending.torn:,} of them: the first to send."
    if sending.ungraded:
        yield f"{sending.ungraded:,} have no grade, as nothing could be read or votes tie: send them."
