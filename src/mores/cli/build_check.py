"""`mores build check`: the gates over a pack or a data set, a row each, and the items that carry what failed."""

from collections.abc import Sequence

import typer

from mores.cli import screen
from mores.cli.args_build import CheckArgs
from mores.core.extras import needed
from mores.core.seeds import Seed
from mores.models.similarity import NAME, embedder_of
from mores.pipelines.duplicates import public_texts
from mores.pipelines.gates.check import check
from mores.pipelines.gates.data_checks import PublicTexts
from mores.pipelines.gates.gate import Gate, failing, gates_to_dict
from mores.pipelines.gates.layouts import items_of
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
    checked = items_of(typed.source)
    embedder = None if typed.embed is None else embedder_of(f"{NAME}:{typed.embed}")
    public = PublicTexts(texts=public_texts(typed.against or ()), embedder=embedder, near=typed.near)
    gates = check(checked, public, Seed(f"mores-{typed.seed}"))
    if typed.json:
        screen.print_json({"made_from": checked.made_from, "items": len(checked.items), "gates": gates_to_dict(gates)})
    else:
        screen.line(f"{typed.source}: {words.plural(len(checked.items), 'item')}, {words.plural(len(gates), 'gate')}.")
        screen.table(("gate", "value", "chance", "p", "n", ""), [_row(gate) for gate in gates])
        print_failing(gates)
    if failing(gates):
        raise typer.Exit(3)


def print_failing(gates: Sequence[Gate]) -> None:
    """Print which gates fail, and the items that carry it."""
    for gate in failing(gates):
        carried = f" Items: {_named(gate.items)}." if gate.items else ""
        told = "; ".join(f"{label}: {', '.join(said)}" for label, said in gate.words.items())
        screen.line(f"{gate.name} fails: {gate.says}.{f' Words: {told}.' if told else ''}{carried}")


def _named(items: Sequence[str]) -> str:
    left = len(items) - NAMED
    return ", ".join(items[:NAMED]) + (f" and {left:,} more (--json)" if left > 0 else "")


def _ends(ends: Interval | None) -> str:
    if ends is None or ends.low is None or ends.high is None:
        return ""
    return f" [{100 * ends.low:.1f}, {100 * ends.high:.1f}]"


def _row(gate: Gate) -> tuple[str, ...]:
    verdict = gate.why or {True: "passes", False: "fails", None: ""}[gate.passed]
    return (gate.name, f"{words.format_number(gate.value)}{_ends(gate.interval)}", words.format_number(gate.chance),
            words.format_bare_p(gate.p), f"{gate.n:,}", verdict)  # fmt: skip
