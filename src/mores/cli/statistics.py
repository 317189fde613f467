"""`mores doctor statistics`: planted truths, and every statistical promise beside what was found."""

# ruff: noqa: RUF009 - `option` makes a field
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import monotonic

import typer

from mores.cli import screen
from mores.cli.args_run import AS_JSON
from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.core.terminal_safety import unfiltered
from mores.runs.options import option
from mores.validity.promises import FALSE, WELL
from mores.validity.runner import (
    USUAL,
    ExperimentProgress,
    PromiseResult,
    chosen,
    families,
    long,
    run_experiments,
    short,
)

MIN_CLUSTERS, EVERY = 100, 10.0
HEADS = ("", "found", "nominal", "± s.e.", "draws", "given", "power", "promise")


@dataclass(frozen=True, slots=True, kw_only=True)
class StatisticsArgs:
    """Check every statistical method on simulated data with a known truth; exit 1 where one fails."""

    draws: int = option("Number of simulated data sets; slow rows make fewer.", default=1000)
    long: bool = option("Simulate until every row can detect an error of two points.", "--long", default=False)
    seed: int = option("Seed of all random draws.", default=0)
    only: list[str] | None = option("Only families or rows whose name starts with this; repeatable.")
    json: bool = AS_JSON


def examine_statistics(typed: StatisticsArgs) -> None:
    """Carry the experiments out and print what they found; without a number of draws in the long form.

    Raises:
        InputError: too few draws, or a name that no family or row begins with.
        typer.Exit: 1, as a promise departs or a naive rule passes.
    """
    draws = None if typed.long else typed.draws
    if draws is not None and draws < MIN_CLUSTERS:
        raise InputError(f"--draws is {draws}; expected at least {MIN_CLUSTERS}: with fewer, luck hides everything.")
    experiments = chosen(typed.only or ())
    forms = long if draws is None else short(draws / USUAL)
    found = tuple(run_experiments(experiments, forms=forms, seed=Seed(f"doctor-{typed.seed}"), on_progress=progress()))
    if typed.json:
        screen.print_json(
            {"seed": typed.seed, "draws": draws, "sound": all(one.sound for one in found), "rows": _rows(found)}
        )
    else:
        for family in families(experiments):
            screen.heading(family)
            screen.table(HEADS, [evaluations(one) for one in found if one.family == family])
        screen.line(_summary(found))
    if not all(one.sound for one in found):
        raise typer.Exit(1)


def progress() -> Callable[[ExperimentProgress], None]:
    """Tells standard error how far it is, again and again on a screen and now and then elsewhere."""
    started = last = monotonic()
    on_screen = sys.stderr.isatty()

    def show(so_far: ExperimentProgress) -> None:
        nonlocal last
        now, over = monotonic(), so_far.ended == so_far.of
        if not over and now - last < (0.2 if on_screen else EVERY):
            return
        last = now
        left = "" if over else f", about {so_far.left:.0f} s left"
        text = f"mores: {so_far.ended} of {so_far.of} experiments, {now - started:.0f} s{left}"
        # Below the filter, which would show the carriage return; padded, so that nothing of a longer line stays.
        unfiltered(sys.stderr).write(f"\r{text:<70}{chr(10) if over else ''}" if on_screen else f"{text}\n")
        sys.stderr.flush()

    return show


def evaluations(found: PromiseResult) -> tuple[str, ...]:
    """One row of the table in words."""
    promise = found.promise
    return (
        found.verdict,
        f"{100 * found.shown:.1f} %",
        f"{'≥' if promise.kind == 'interval' else '≤'} {100 * promise.shown:.3g} %",
        f"{100 * found.error:.1f}",
        f"{found.draws:,}",
        f"{100 * found.claimed:.0f} %",
        f"{found.power:.2f}",
        promise.name,
    )


def _rows(found: Sequence[PromiseResult]) -> list[dict[str, object]]:
    return [
        {
            "family": one.family,
            "name": one.promise.name,
            "kind": one.promise.kind,
            "naive": one.promise.naive,
            "nominal": one.promise.shown,
            "found": one.shown,
            "error": one.error,
            "draws": one.draws,
            "given": one.claimed,
            "power": one.power,
            "may_refuse": one.promise.may_refuse,
            "conservative": one.conservative,
            "verdict": one.verdict,
            "sound": one.sound,
        }
        for one in found
    ]


def _summary(found: Sequence[PromiseResult]) -> str:
    """Counts of promises that hold and of naive rules that fail, as both have to."""
    kept = [one.sound for one in found if not one.promise.naive]
    caught = [one.sound for one in found if one.promise.naive]
    seen = sum(one.power >= WELL for one in found)
    wide = sum(one.conservative and one.sound for one in found)
    return (
        f"{sum(kept)} of {len(kept)} promises hold ({wide} of them are conservative intervals, which cover over 97 %); "
        f"{sum(caught)} of {len(caught)} naive rules that must fail do. A promise departs where the draws tell a "
        "departure of two points (93 of 100 for 95) from chance; a row that keeps its promise does so by luck once in "
        f"{round(1 / FALSE):,} times. Power is how often a row would notice two points: {seen} of {len(found)} do with "
        f"{100 * WELL:.0f} % or more. --long gives every row so much."
    )
