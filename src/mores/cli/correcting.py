"""`mores correct`: judges' means beside what they would be if people had judged."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from mores.cli import screen
from mores.core.errors import InputError
from mores.people.sample import read_sample
from mores.people.tables import read_tables
from mores.reports.findings import read_findings
from mores.reports.trust import correcting_words as words
from mores.reports.trust.correcting import Corrections, Method, TaskCorrected, Uncorrected, Wish
from mores.reports.trust.correcting_tasks import correct_tables


@dataclass(frozen=True, slots=True, kw_only=True)
class Correcting:
    """What was typed."""

    runs: tuple[Path, ...]
    labels: tuple[Path, ...]
    sample: Path | None
    tasks: tuple[str, ...]
    by_place: bool
    method: str
    confidence: float
    seed: int
    json: bool


def correct(typed: Correcting) -> None:
    """Print judges' means corrected with people's labels.

    Raises:
        InputError: a run, a file or a number cannot be used.
    """
    if not 0.5 <= typed.confidence < 1:
        raise InputError(f"--confidence {typed.confidence}: expected a share from 0.5 to below 1, such as .95.")
    sample = None if typed.sample is None else read_sample(typed.sample)
    tables = read_tables(typed.runs, typed.labels, sample, tasks=typed.tasks)
    wish = Wish(
        method=cast(Method, typed.method), confidence=typed.confidence, by_place=typed.by_place, seed=typed.seed
    )
    found = correct_tables(tables, read_findings(typed.runs).cells, wish, sample)
    if not found.tasks:
        named = ", ".join(typed.tasks) or "anything that was judged"
        raise InputError(f"No label is about {named}; expected labels of it: mores agreement sample RUN draws some.")
    if typed.json:
        screen.print_json(words.plain(found))
    else:
        _print(found)


def _print(found: Corrections) -> None:
    if found.simulated:
        screen.line("Simulated: what was judged, judges or people were made up; this says nothing about any real one.")
    for task in found.tasks:
        _print_task(task)
    for each in _once(found.without):
        screen.line(f"{each.label} on {each.cell.benchmark} is left uncorrected: {each.why}.")
    sys.stdout.write("\n")
    brackets = f"Brackets hold {100 * found.wish.confidence:g}% intervals that respect clusters."
    screen.line(f"{brackets} {words.ESTIMATED}")


def _once(without: Sequence[Uncorrected]) -> Sequence[Uncorrected]:
    return list({(each.label, each.cell.folder, each.why): each for each in without}.values())


def _print_task(task: TaskCorrected) -> None:
    screen.heading(words.heading(task))
    screen.line(words.counts(task))
    for warning in task.warnings:
        screen.line(f"! {warning}")
    for remark in task.remarks:
        screen.line(remark)
    for each in task.whole:
        sys.stdout.write(f"{words.what(each).capitalize()}; {words.figure_words(each)}.\n")
        screen.table(
            ("", "mean", ""),
            [(name, words.number(figure, each), words.aside(name, figure, each)) for name, figure in each.ways],
        )
        if words.errors_words(each):
            screen.line(f"The judge: {words.errors_words(each)}.")
        screen.line(f"{words.judge_against_people(each, task)}.")
        if words.bounds(each):
            screen.line(f"{words.bounds(each)}.")
    if task.places:
        _print_places(task)


def _print_places(task: TaskCorrected) -> None:
    rows = list(words.place_rows_short(task))
    if rows:
        sys.stdout.write(f"By place; {task.family} claims that people and judge differ, corrected together (Holm).\n")
        screen.table(words.SHORT_HEADS, rows)
        screen.line(words.NO_RANKS)
    if words.places_left_out(task):
        screen.line(words.places_left_out(task))
