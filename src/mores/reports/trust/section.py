"""Can the judge be believed? The section on judges held against people: for the page, a terminal and programs.

How good is it, for whom, how sure is that, and what goes to people: a part for each judge and task.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from markupsafe import Markup

from mores.core.errors import InputError
from mores.people.sample import SHEET, read_sample
from mores.people.tables import read_tables
from mores.reports import wording
from mores.reports.drawing import Scale
from mores.reports.findings import Findings
from mores.reports.trust import correcting_words as told
from mores.reports.trust import pictures
from mores.reports.trust.agreement_pair import headline
from mores.reports.trust.agreement_words import Grid
from mores.reports.trust.agreement_words import told as shown
from mores.reports.trust.certificate_file import CertificateFile, read_certificates
from mores.reports.trust.correcting import Corrected, Corrections, TaskCorrected, Uncorrected, Wish
from mores.reports.trust.correcting_tasks import correct_tables
from mores.reports.trust.section_parts import (
    Certified,
    Part,
    glance_certified,
    glance_sent,
    parts_of,
    told_sending,
)

_NAMED_FIRST = {"figure", "level", "place", "cause"}
"""Heads of first columns that hold the names of rows; other tables have them in the last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What a report is given beside runs: files of labels, the folder of the sample they are of, and certificates."""

    labels: tuple[Path, ...] = ()
    sample: Path | None = None
    certificates: tuple[Path, ...] = ()

    @property
    def anything(self) -> bool:
        """True where there is something to hold judges against."""
        return bool(self.labels or self.certificates)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """All parts; `without` are models that are left uncorrected, `unused` certificates that are of no task here."""

    id: ClassVar[str] = "trust"
    title: ClassVar[str] = "Can the judge be believed?"
    template: ClassVar[str] = "trust.html.jinja"
    given: Given
    runs: tuple[Path, ...]
    parts: tuple[Part, ...]
    corrections: Corrections
    unused: tuple[str, ...]

    @property
    def simulated(self) -> bool:
        """True where any answer, judge or label was made up."""
        return any(part.simulated for part in self.parts)

    @property
    def without(self) -> tuple[Uncorrected, ...]:
        """Models that are left as they are."""
        return self.corrections.without

    @property
    def run(self) -> str:
        """The run's folder as commands name it; RUN for several."""
        return str(self.runs[0]) if len(self.runs) == 1 else "RUN"

    @property
    def work_list(self) -> str:
        """Where the work list of the labelled sample lies; empty where none was named."""
        return "" if self.given.sample is None else str(_folder(self.given.sample) / SHEET)

    @property
    def estimated(self) -> str:
        """What corrections estimate."""
        return told.ESTIMATED

    def commands(self, part: Part) -> tuple[tuple[str, str], ...]:
        """What could be done next, and by which command."""
        found = []
        if part.agreement is None:
            found.append(
                ("Draw a sample for people to label", f"mores agreement sample {self.run} --n 200 --out SAMPLE")
            )
        if not part.certified and part.certifiable:
            labels = " ".join(f"--labels {path}" for path in self.given.labels) or "--labels FILE"
            labels += f" --sample {self.given.sample}" if self.given.sample is not None else ""
            found.append((
                "Have a level certified",
                f"mores calibrate clm {self.run} {labels} --task {part.task} --out CERT.json",
            ))  # fmt: skip
        found += [("Write the work list for people", each.command.replace("RUN", self.run)) for each in part.certified]
        return tuple(found)

    def ways(self, of: Corrected) -> tuple[tuple[str, str, Markup, str], ...]:
        """Each way to a mean: its name, figure, picture, and what is to be said of it."""
        scale = self.scale(of)
        return tuple(
            (name, told.number(figure, of), pictures.whisker(figure, scale), told.aside(name, figure, of))
            for name, figure in of.ways
        )

    def scale(self, of: Corrected) -> Scale:
        """The range of a mean's picture: whole tenths round all its intervals."""
        return pictures.range_of([figure for _, figure in of.ways], Scale(of.target.low, of.target.high))

    def axis(self, of: Corrected) -> Markup:
        """The ends of that range."""
        return pictures.ends(self.scale(of), share=wording.is_share(of.metric))

    def risks(self, part: Part) -> tuple[tuple[str, Markup], ...]:
        """The pictures of held-out loss against certified levels, one of each kind that has something held out."""
        every = [each.certificate for each in part.certified]
        drawn = (
            (name, pictures.risks([each for each in every if (each.promise == "selective") is selective]))
            for name, selective in (("Kept sets", False), ("Trusted decisions", True))
        )
        return tuple((name, picture) for name, picture in drawn if picture)

    @property
    def glance_heads(self) -> tuple[str, ...]:
        """Heads of the table that has all parts."""
        return (
            "Task and judge",
            "How good",
            "People with each other",
            "Score: judge’s, corrected",
            "Certified",
            "To people",
        )

    def glance(self, part: Part) -> tuple[tuple[str, ...], ...]:
        """One part in a row, some lines a cell."""
        found = part.agreement
        good: tuple[str, ...] = (part.refused or "no labels",)
        people: tuple[str, ...] = (wording.DASH,)
        if found is not None:
            good = tuple(f"{name} {shown(figure, scale)}" for name, figure, scale in found.together.main[:2])
            ceiling = found.people.ceiling
            people = (
                shown(ceiling.people, "share" if part.options else "number")
                if ceiling.people.why is None
                else "no two label the same",
            )
        scores = [
            f"{each.label}: {wording.number(each.whole[0].judge.value, each.whole[0].metric)} → {best(each.whole[0])}"
            for each in part.corrected
        ]
        return (
            good,
            people,
            tuple(scores) or (wording.DASH,),
            tuple(glance_certified(part)) or ("no certificate",),
            tuple(glance_sent(part)) or ("not said",),
        )

    def upright(self, grid: Grid) -> Grid:
        """A table with the names of its rows first."""
        if grid.heads[0] in _NAMED_FIRST:
            return grid
        rows = tuple((row[-1], *row[:-1]) for row in grid.rows)
        return Grid(title=grid.title, heads=(grid.heads[-1], *grid.heads[:-1]), rows=rows, note=grid.note)

    def headline(self, part: Part) -> str:
        """The few figures of how good a judge is."""
        return "" if part.agreement is None else f"{headline(part.agreement.together)}."

    def good(self, part: Part) -> tuple[str, ...]:
        """What else is to be known first of how good it is."""
        found = part.agreement
        if found is None:
            return ()
        return (found.counts.line(), *found.warnings, *found.people.lines(), *(each.line() for each in found.asked))

    def first_grids(self, part: Part) -> tuple[Grid, ...]:
        """The tables of one judge beside people."""
        return () if part.agreement is None else tuple(part.agreement.together.grids())

    def more_grids(self, part: Part) -> tuple[Grid, ...]:
        """All other tables of its agreement but those of places."""
        found = part.agreement
        if found is None:
            return ()
        apart = [*self.first_grids(part), *(found.places.grids() if found.places is not None else ())]
        return tuple(grid for grid in found.grids() if grid not in apart)

    def what(self, of: Corrected) -> str:
        """What is averaged, to begin a heading."""
        told_what = told.what(of)
        return told_what[0].upper() + told_what[1:]

    def which(self, of: Corrected) -> str:
        """Which figure of the card it is."""
        return told.figure_words(of)

    def apart(self, of: Corrected, task: TaskCorrected) -> str:
        """How far people and judge are apart."""
        return f"{told.judge_against_people(of, task)}."

    def errors(self, of: Corrected) -> str:
        """Sensitivity and specificity."""
        return told.errors_words(of)

    def bounds(self, of: Corrected) -> str:
        """What ungraded things could do."""
        return told.bounds(of)

    def counts(self, task: TaskCorrected) -> str:
        """How much was judged and labelled."""
        return told.counts(task)

    def places(self, task: TaskCorrected) -> tuple[tuple[str, ...], ...]:
        """Corrected figures of places with labels enough."""
        return tuple(told.place_rows(task))

    def left_out(self, task: TaskCorrected) -> str:
        """How many places have too few."""
        return told.places_left_out(task)

    @property
    def place_heads(self) -> tuple[str, ...]:
        """Heads of the table of places."""
        return told.PLACE_HEADS

    @property
    def no_ranks(self) -> str:
        """What the table of places does not say."""
        return told.NO_RANKS

    def sending(self, part: Part) -> tuple[str, ...]:
        """What goes to people."""
        return tuple(told_sending(part))

    def promised(self, each: Certified) -> tuple[str, ...]:
        """What a certificate promises at its strictest level, or that it promises nothing."""
        if each.best is None:
            return ("No level is certified.",)
        return (f"At {each.best.risk:g}: {each.best.claim}",)

    @property
    def labelled_blind(self) -> bool:
        """True where labels are of a sample, whose work list shows nobody's word."""
        return self.given.sample is not None

    def lines(self) -> Iterator[str]:
        """Each part in a few sentences."""
        for part in self.parts:
            yield f"{part.benchmark} {part.title} ({part.judge}){', simulated' if part.simulated else ''}"
            yield from (f"  {line}" for line in self._of(part))
        yield from (f"{each.label} on {each.cell.benchmark} is left uncorrected: {each.why}." for each in self.without)
        yield from self.unused

    def _of(self, part: Part) -> Iterator[str]:
        if part.agreement is not None:
            yield f"How good: {headline(part.agreement.together)}."
        elif part.refused:
            yield f"How good: {part.refused}"
        else:
            yield "How good: no labels."
        if part.agreement is not None and part.agreement.places is not None:
            yield from (f"For whom: {line}" for line in part.agreement.places.lines())
        for each in part.certified:
            yield from (f"How sure: {line}" for line in self.promised(each))
        for task in part.corrected:
            for of in task.whole:
                ways = "; ".join(f"{name} {told.number(figure, of)}" for name, figure in of.ways)
                yield f"How sure: {task.label}, {told.what(of)} ({told.figure_words(of)}): {ways}."
            yield from (f"! {warning}" for warning in task.warnings)
        yield from (f"To people: {line}" for line in self.sending(part))

    def plain(self) -> dict[str, object]:
        """All figures of the section."""
        return {
            "simulated": self.simulated,
            "parts": [_plain(part) for part in self.parts],
            "corrections": told.plain(self.corrections),
            "unused": self.unused,
        }


def trust(findings: Findings, given: Given) -> Trust | None:
    """Judges of some runs held against what was given; None where nothing was.

    Raises:
        InputError: a file cannot be used, or nobody judges in the runs.
    """
    if not given.anything:
        if given.sample is not None:
            raise InputError(f"--sample {given.sample}: a sample without labels says nothing; expected --labels FILE.")
        return None
    sample = None if given.sample is None else read_sample(given.sample)
    files = [(path, read_certificates(path)) for path in given.certificates]
    tables = read_tables(findings.runs, given.labels, sample)
    if not given.labels:
        wanted = {(c.conditions.benchmark, c.conditions.task) for _, file in files for c in file.certificates}
        tables = tuple(table for table in tables if (table.benchmark, table.task) in wanted)
    corrections = Corrections(tasks=(), without=(), wish=Wish(by_place=True))
    if given.labels:
        corrections = correct_tables(tables, findings.cells, corrections.wish, sample)
    parts = parts_of(tables, corrections.tasks, files)
    return Trust(given=given, runs=findings.runs, parts=parts, corrections=corrections, unused=_unused(parts, files))


def _unused(parts: Sequence[Part], files: Sequence[tuple[Path, CertificateFile]]) -> tuple[str, ...]:
    used = {(each.path, each.certificate.name) for part in parts for each in part.certified}
    return tuple(
        f"{path}: the certificate of {certificate.name} is of nothing that was judged and labelled here."
        for path, file in files
        for certificate in file.certificates
        if (path, certificate.name) not in used
    )


def best(of: Corrected) -> str:
    """The corrected figure, or that all methods refuse."""
    return "refused" if of.best is None else told.number(of.best, of)


def _folder(sample: Path) -> Path:
    return sample if sample.is_dir() else sample.parent


def _plain(part: Part) -> dict[str, object]:
    return {
        "benchmark": part.benchmark,
        "task": part.task,
        "role": part.role,
        "judge": part.judge,
        "simulated": part.simulated,
        "agreement": None if part.agreement is None else part.agreement.plain(),
        "why": part.refused or None,
        "certificates": [
            {"file": str(each.path), "hash": each.certificate.hash, "promise": each.certificate.promise,
             "levels": each.certificate.levels, "held_out": each.certificate.held,
             "put_to_use": [{"risk": use.risk, "counts": use.counts} for use in each.uses], "why": each.why or None}
            for each in part.certified
        ],
        "to_people": {"judged": part.sending.judged, "votes_differ": part.sending.torn,
                      "ungraded": part.sending.ungraded},
    }  # fmt: skip
