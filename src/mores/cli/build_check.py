"""`mores build check`: the gates over a pack or a data set, a row each, and the items that carry what failed."""

from collections.abc import Sequence
from pathlib import Path

import typer

from mores.cli import screen
from mores.cli.args_build import BlindArgs, CheckArgs
from mores.core.errors import InputError
from mores.core.extras import needed
from mores.core.seeds import Seed
from mores.models.similarity import NAME, embedder_of
from mores.pipelines.duplicates import public_texts
from mores.pipelines.gates.check import check
from mores.pipelines.gates.gate import Gate, failing, gates_to_dict
from mores.pipelines.gates.ladder.blind import (
    FILE,
    BlindReading,
    BlindRungResult,
    blind_to_dict,
    read_blind,
    write_sheet,
)
from mores.pipelines.gates.layouts import items_of
from mores.pipelines.gates.repeats import PublicTexts
from mores.stats.intervals import Interval
from mores.tables import formatting as words

NAMED = 20
"""Items that are named of a gate that fails; `--json` has all."""


def check_questions(typed: CheckArgs) -> None:
    """Print what every gate found.

    Raises:
        InputError: the source cannot be read.
        typer.Exit: a gate fails.
    """
    needed("sklearn")
    source, checked = typed.source, items_of(typed.source)
    embedder = None if typed.embed is None else embedder_of(f"{NAME}:{typed.embed}")
    public = PublicTexts(texts=public_texts(typed.against or ()), embedder=embedder, near=typed.near)
    pack, read = checked.pack, None
    gates = check(checked, public, Seed(f"mores-{typed.seed}"))
    if pack is not None:
        read = read_blind(pack, None if source == "pack" else Path(source))
    if typed.json:
        found = {"made_from": checked.made_from, "items": len(checked.items), "gates": gates_to_dict(gates)}
        screen.print_json({**found, **({} if pack is None else {"blind": read and blind_to_dict(read)})})
    else:
        screen.line(f"{source}: {words.plural(len(checked.items), 'item')}, {words.plural(len(gates), 'gate')}.")
        screen.table(("gate", "value", "chance", "p", "n", ""), [_row(gate) for gate in gates])
        print_failing(gates)
        if pack is not None:
            _print_blind(read)
    if failing(gates):
        raise typer.Exit(3)


def write_blind_sheet(typed: BlindArgs) -> None:
    """Write the sheet of a pack's masked items, without keys.

    Raises:
        InputError: the source is no pack, nothing in it is masked, or the file is there already.
    """
    pack = items_of(typed.source).pack
    if pack is None:
        raise InputError(f"{typed.source}: no pack; expected pack, or a pack's folder.")
    items, left = write_sheet(pack, typed.out)
    if typed.json:
        screen.print_json({"file": str(typed.out), "items": items, "without_mask": left})
    else:
        without = f" {words.plural(left, 'item')} of norms without masks left out." if left else ""
        screen.line(
            f"{typed.out}: {words.plural(items, 'item')} to be read.{without} Filled in, it is {FILE} of the pack."
        )


def print_failing(gates: Sequence[Gate]) -> None:
    """Print which gates fail, and the items that carry it."""
    for gate in failing(gates):
        carried = f" Items: {_named(gate.items)}." if gate.items else ""
        told = "; ".join(f"{label}: {', '.join(said)}" for label, said in gate.words.items())
        screen.line(f"{gate.name} fails: {gate.says}.{f' Words: {told}.' if told else ''}{carried}")


def _named(items: Sequence[str]) -> str:
    left = len(items) - NAMED
    return ", ".join(items[:NAMED]) + (f" and {left:,} more (--json)" if left > 0 else "")


def _print_blind(read: BlindReading | None) -> None:
    """What people who do not know the place answered, and the items that each of them solved."""
    if read is None or not read.rungs:
        screen.line("Nobody has read the items without knowing the place (mores build blind).")
        return
    screen.line("Read by people who do not know the place:")
    screen.table(("rung", "right", "chance", "answers", "items", "readers"), map(_blind_row, read.rungs))
    for rung in read.rungs:
        if rung.solved:
            screen.line(f"Solved on {rung.rung} by all of two readers or more: {_named(rung.solved)}.")
    if read.outdated:
        screen.line(f"{words.plural(read.outdated, 'answer')} to items that have other words now left out.")


def _blind_row(rung: BlindRungResult) -> tuple[str, ...]:
    share = f"{words.format_number(rung.right)}{_ends(rung.interval)}"
    counts = (f"{number:,}" for number in (rung.answers, rung.items, rung.readers))
    return (rung.rung, share, words.format_number(rung.chance), *counts)


def _ends(ends: Interval | None) -> str:
    if ends is None or ends.low is None or ends.high is None:
        return ""
    return f" [{100 * ends.low:.1f}, {100 * ends.high:.1f}]"


def _row(gate: Gate) -> tuple[str, ...]:
    verdict = gate.why or {True: "passes", False: "fails", None: ""}[gate.passed]
    return (gate.name, f"{words.format_number(gate.value)}{_ends(gate.interval)}", words.format_number(gate.chance),
            words.format_bare_p(gate.p), f"{gate.n:,}", verdict)  # fmt: skip
