"""`mores calibrate clm`, `selective` and `apply`: certificates of judges, and what they make of another run."""

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol, TypeVar

from mores.cli import screen
from mores.cli.agreement import show_grid
from mores.core.codec import encode
from mores.core.errors import InputError
from mores.core.files import refuse_taken, write_new
from mores.core.seeds import Seed
from mores.core.visible import tell
from mores.people.sample import RECORD, ROWS, SHEET, Sample, list_things, read_sample, write_sample
from mores.people.tables import TaskTable, read_tables
from mores.reports import wording
from mores.reports.trust.agreement_words import Grid
from mores.reports.trust.certificate import Asked, Certificate
from mores.reports.trust.certificate_apply import Put, chosen_risk, put_to_use
from mores.reports.trust.certificate_clm import calibration, judges_of, panels_of, those_that_carry
from mores.reports.trust.certificate_conditions import Confidence, Likeness, Measure, Promised, Quality
from mores.reports.trust.certificate_file import (
    CertificateFile,
    read_certificates,
    sealed,
    write_certificates,
)
from mores.reports.trust.draws import JudgeDraws
from mores.reports.trust.draws_labels import Splitting
from mores.reports.trust.draws_tables import tables_by_judge
from mores.reports.trust.risk_picture import risk_picture
from mores.reports.trust.selecting_report import Choosing, selection
from mores.stats import CalibrationPlan, SetScore
from mores.stats.conformal.certificates import Mode
from mores.stats.conformal.risk_tests import Family

_Any = TypeVar("_Any")
DECISIONS, SUMMARY = "decisions.jsonl", "applied.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """What both kinds of calibration are given: runs, labels, who and what of them, and how they are split."""

    runs: tuple[Path, ...]
    labels: tuple[Path, ...]
    sample: Path | None
    tasks: tuple[str, ...]
    judges: tuple[str, ...]
    risk: str
    delta: float
    claims: int
    held_out: float | None
    one_each: bool
    promise: Promised
    seed: int
    out: Path | None
    json: bool

    @property
    def splitting(self) -> Splitting:
        """How labelled things are split."""
        return Splitting(held_out=self.held_out, one_each=self.one_each, promise=self.promise)

    @property
    def dice(self) -> Seed:
        """The root of all dice."""
        return Seed(f"mores-calibrate-{self.seed}")

    def carried(
        self, sample: Sample | None, make: Callable[[TaskTable, str], _Any]
    ) -> tuple[tuple[_Any, ...], tuple[str, ...]]:
        """What is made of every judge on every labelled task, and why nothing is of the others.

        Raises:
            InputError: a run or a label cannot be used, or nothing is made of a task that was named, or of any.
        """
        tables = tables_by_judge(self.runs, self.labels, sample, self.tasks)
        pairs = judges_of(tables, self.judges)
        if self.tasks:
            return tuple(make(table, role) for table, role in pairs), ()
        return those_that_carry(pairs, make)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sets:
    """What `clm` is given besides: what is made of draws, and how settings are tested."""

    quality: Quality
    likeness: Likeness
    score: SetScore | None
    mode: Mode
    family: Family
    by_place: bool
    expectation: bool
    figure: Path | None

    @property
    def measure(self) -> Measure:
        """What is made of draws; a constant quality can only be counted."""
        score = self.score or ("first_k" if self.quality == "constant" else "max")
        return Measure(quality=self.quality, likeness=self.likeness, score=score)


class _Found(Protocol):
    """What was found of one judge on one task."""

    @property
    def draws(self) -> JudgeDraws: ...
    def lines(self) -> Iterable[str]: ...
    def grids(self) -> Iterable[Grid]: ...
    def claims(self) -> Iterable[str]: ...
    def plain(self) -> dict[str, object]: ...


def calibrate_sets(given: Labels, sets: Sets) -> None:
    """Certify kept sets of draws, say what they come to, and store certificates and picture where wished.

    Raises:
        InputError: something typed, a run or a label cannot be used.
    """
    for path, flag in ((given.out, "--out"), (sets.figure, "--figure")):
        if path is not None:
            refuse_taken(path, flag)
    if sets.expectation and sets.mode == "pareto":
        raise InputError("--expectation moves the stop alone; leave --mode pareto out.")
    measure = replace(sets.measure, promise=given.promise)
    plan = CalibrationPlan(
        score=measure.score, mode=sets.mode, family=sets.family, delta=given.delta, claims=given.claims
    )
    asked = Asked(risks=levels(given.risk), plan=plan, expectation=sets.expectation, by_place=sets.by_place)
    sample = None if given.sample is None else read_sample(given.sample)
    found, refused = given.carried(
        sample, lambda table, role: calibration(table, role, measure, (asked, given.splitting), seed=given.dice)
    )
    certificates = [each for one in found for each in one.certificates]
    simulated = any(each.draws.table.simulated for each in found)
    drawn = sets.figure if sets.figure is not None and _draw(sets.figure, certificates, simulated=simulated) else None
    _store(given, "clm", certificates, sample, found[0].truths.split, simulated=simulated)
    _tell(given, found, refused, drawn)
    if sets.figure is not None and drawn is None:
        tell(
            f"--figure {sets.figure}: no picture was drawn, as nothing was held out, or no level is certified; "
            "a sample with a split 'test' holds out, or --held-out .5."
        )


def calibrate_trust(given: Labels, confidence: Confidence) -> None:
    """Certify from which confidence decisions may stand, say what it comes to, and store the certificate where wished.

    Raises:
        InputError: something typed, a run or a label cannot be used.
    """
    if given.out is not None:
        refuse_taken(given.out)
    how = Choosing(
        risks=levels(given.risk), confidence=confidence, delta=given.delta, claims=given.claims,
        splitting=given.splitting,
    )  # fmt: skip
    sample = None if given.sample is None else read_sample(given.sample)
    found, refused = given.carried(sample, lambda table, role: selection(table, role, how, seed=given.dice))
    certificates = [each.certificate for each in found]
    _store(
        given,
        "selective",
        certificates,
        sample,
        found[0].truths.split,
        simulated=any(f.draws.table.simulated for f in found),
    )
    _tell(given, found, refused, None)


def levels(typed: str) -> tuple[float, ...]:
    """Levels as they were typed, rising, each once.

    Raises:
        InputError: one is no number between 0 and 1.
    """
    try:
        found = sorted({float(part) for part in typed.split(",") if part.strip()})
    except ValueError:
        found = []
    if not found or not all(0 < level < 1 for level in found):
        raise InputError(f"--risk {typed}: expected levels between 0 and 1, such as .05,.11,.17.")
    return tuple(found)


def _draw(path: Path, certificates: Sequence[Certificate], *, simulated: bool) -> bool:
    """Draw held-out losses; False where there is nothing to draw."""
    panels = panels_of(certificates, simulated=simulated)
    if not panels:
        return False
    write_new(path, risk_picture(panels).encode())
    return True


def _store(
    given: Labels, kind: str, certificates: Sequence[Certificate], sample: Sample | None, split: str, *, simulated: bool
) -> None:
    if given.out is not None:
        file = sealed(
            "selective" if kind == "selective" else "clm", certificates, labels=given.labels, sample=sample,
            split=split, simulated=simulated, seed=given.seed,
        )  # fmt: skip
        write_certificates(given.out, file)


def _tell(given: Labels, found: Sequence[_Found], refused: Sequence[str], figure: Path | None) -> None:
    if given.json:
        plain = [each.plain() for each in found]
        screen.print_json({"runs": [str(run) for run in given.runs], "calibrations": plain, "refused": refused})
    else:
        if any(each.draws.table.simulated for each in found):
            screen.line(wording.SIMULATED)
        screen.line("Brackets hold 95% intervals over clusters.")
        for why in refused:
            screen.line(f"Left out: {why}")
        for each in found:
            _show(each)
    written = {"certificates": given.out, "picture": figure}
    told = "; ".join(f"{what}: {path}" for what, path in written.items() if path is not None)
    if told:
        (sys.stderr if given.json else sys.stdout).write(f"\n{told[0].upper()}{told[1:]}\n")


def _show(found: _Found) -> None:
    screen.heading(found.draws.name)
    for line in found.lines():
        screen.line(line)
    for grid in found.grids():
        show_grid(grid)
    screen.line("")
    for line in found.claims():
        screen.line(line)


@dataclass(frozen=True, slots=True, kw_only=True)
class Using:
    """What was typed after `mores calibrate apply`."""

    certificate: Path
    run: Path
    out: Path
    risk: float | None
    tasks: tuple[str, ...]
    judge: str | None
    json: bool


def apply_certificates(given: Using) -> None:
    """Replay certified thresholds on another run: decisions, and a work list of what goes to people.

    Raises:
        InputError: the certificate does not fit the run, or something typed cannot be used.
    """
    for name in (DECISIONS, SUMMARY, RECORD, ROWS, SHEET):
        refuse_taken(given.out / name)
    file = read_certificates(given.certificate)
    risk = chosen_risk(file, given.risk)
    known = {each.conditions.task for each in file.certificates}
    tables = [table for table in read_tables([given.run], tasks=given.tasks) if given.tasks or table.task in known]
    put = put_to_use(file, tables or read_tables([given.run]), risk=risk, judge=given.judge)
    _write(given, file, put, risk)
    if file.simulated and not given.json:
        screen.line(wording.SIMULATED)
    for each in put if not given.json else ():
        _show_put(each, file)
    people = sum(len(each.for_people) for each in put)
    if given.json:
        screen.print_json(_summary(given, file, put, risk))
    else:
        screen.line(f"Every thing with its set: {given.out / DECISIONS}.")
        if people:
            screen.line(f"For people, {people:,} things: {given.out / SHEET} or {given.out / ROWS}.")
            screen.line(f"Sealed, not for them: {given.out / RECORD}.")


def _write(given: Using, file: CertificateFile, put: Sequence[Put], risk: float) -> None:
    rows = [row for each in put for row in each.for_people]
    if rows:
        write_sample(given.out, *list_things(rows))
    write_new(given.out / DECISIONS, b"".join(encode(d) + b"\n" for each in put for d in each.decisions))
    write_new(given.out / SUMMARY, encode(_summary(given, file, put, risk)) + b"\n")


def _summary(given: Using, file: CertificateFile, put: Sequence[Put], risk: float) -> dict[str, object]:
    return {
        "certificate": file.sha,
        "kind": file.kind,
        "run": str(given.run),
        "risk": risk,
        "simulated": file.simulated,
        "tasks": [
            {"name": each.name, "things": len(each.rows), "counts": each.counts, "claims": each.claims,
             "words": _words(each), "other_models": each.strangers, "promise": each.promise,
             "not_promised": each.elsewhere}
            for each in put
        ],
    }  # fmt: skip


def _words(put: Put) -> dict[str, int]:
    return dict(sorted(Counter(each.decided for each in put.decisions if each.decided is not None).items()))


def _show_put(put: Put, file: CertificateFile) -> None:
    screen.heading(put.name)
    decided = put.counts.get("decided", 0)
    words = ", ".join(f"{word} {count:,}" for word, count in _words(put).items())
    screen.line(f"{decided:,} of {len(put.rows):,} things decided at {put.risk:g}{f' ({words})' if words else ''}.")
    rest = {cause: count for cause, count in put.counts.items() if cause != "decided"}
    if rest:
        screen.line(f"To people: {wording.told_causes(rest)}.")
    for claim in put.claims or ("No thresholds are certified at this level, so everything goes to people.",):
        screen.line(claim)
    if file.kind == "clm" and put.claims:
        screen.line(
            "That is about sets, over all things together: where a set has one word, it may be wrong more often. "
            "mores calibrate selective bounds the error of single decisions."
        )
    for told in put.elsewhere if put.claims else ():
        screen.line(told)
    if put.strangers:
        screen.line(
            f"Nothing is promised of answers by {', '.join(put.strangers)}: "
            "the certificate was made on answers of other models."
        )
