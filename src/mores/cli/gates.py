"""`mores build check`: the gates over a pack or a data set, a row each, and the items that carry what failed."""

from collections.abc import Sequence
from pathlib import Path

import typer

from mores.blocks import formatting as words
from mores.cli import screen
from mores.core.extras import needed
from mores.core.seeds import Seed
from mores.models.similarity import NAME, embedder_of
from mores.pipelines.duplicates import public_texts
from mores.pipelines.gates.check import check_items
from mores.pipelines.gates.gate import Gate, failing, gates_to_dict
from mores.pipelines.gates.ladder.check import check_pack
from mores.pipelines.gates.layouts import items_of
from mores.pipelines.gates.repeats import Public

NAMED = 20
"""Items that are named of a gate that fails; `--json` has all."""


def check_questions(
    source: str, against: Sequence[Path], embed: str | None, near: float, *, seed: int, json: bool
) -> None:
    """Print what every gate found.

    Raises:
        InputError: the source cannot be read.
        typer.Exit: a gate fails.
    """
    needed("sklearn")
    checked = items_of(source)
    public = Public(
        texts=tuple(text for path in against for text in public_texts(path)),
        embedder=None if embed is None else embedder_of(f"{NAME}:{embed}"),
        near=near,
    )
    dice = Seed(f"mores-{seed}")
    gates = check_items(checked.items, public, dice)
    if checked.pack is not None:
        gates = (*gates, *check_pack(checked.pack, checked.items, dice.child("ladder")))
    if json:
        screen.print_json({"made_from": checked.made_from, "items": len(checked.items), "gates": gates_to_dict(gates)})
    else:
        screen.line(f"{source}: {words.plural(len(checked.items), 'item')}, {words.plural(len(gates), 'gate')}.")
        screen.table(("gate", "value", "chance", "p", "n", ""), [_row(gate) for gate in gates])
        tell_failing(gates)
    if failing(gates):
        raise typer.Exit(3)


def tell_failing(gates: Sequence[Gate]) -> None:
    """Print which gates fail, and the items that carry it."""
    for gate in failing(gates):
        left = len(gate.items) - NAMED
        more = f" and {left:,} more (--json)" if left > 0 else ""
        carried = f" Items: {', '.join(gate.items[:NAMED])}{more}." if gate.items else ""
        told = "; ".join(f"{label}: {', '.join(said)}" for label, said in gate.words.items())
        screen.line(f"{gate.name} fails: {gate.says}.{f' Words: {told}.' if told else ''}{carried}")


def _row(gate: Gate) -> tuple[str, ...]:
    ends = gate.interval
    known = ends is not None and ends.low is not None and ends.high is not None
    interval = f" [{100 * ends.low:.1f}, {100 * ends.high:.1f}]" if known else ""  # type: ignore[union-attr, operator]
    verdict = gate.why or {True: "passes", False: "fails", None: ""}[gate.passed]
    return (gate.name, f"{words.format_number(gate.value)}{interval}", words.format_number(gate.chance),
            words.format_bare_p(gate.p), f"{gate.n:,}", verdict)  # fmt: skip
