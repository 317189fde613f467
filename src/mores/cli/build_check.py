"""`mores build check` and `mores build review`: gates over a pack or a data set, and people's labels of a build."""

# ruff: noqa: RUF009 - `option` makes a field
from collections.abc import Sequence
from dataclasses import MISSING, dataclass
from math import isnan
from pathlib import Path

import typer

from mores.benchmarks.label_columns import LabelColumns
from mores.cli import screen
from mores.cli.args_run import AS_JSON, LABEL_COLUMNS
from mores.core.errors import InputError
from mores.core.extras import needed
from mores.core.seeds import Seed
from mores.core.terminal_safety import print_error
from mores.models.similarity import NAME, embedder_of
from mores.norms.places import find
from mores.pipelines.duplicates import public_texts
from mores.pipelines.gates.check import check
from mores.pipelines.gates.data_checks import PublicTexts
from mores.pipelines.gates.gate import Gate, failing, gates_to_dict
from mores.pipelines.gates.layouts import items_of
from mores.pipelines.questions.review import Reviewed, review
from mores.pipelines.review_sheets import ChecklistReview, review_checklist
from mores.runs.folder import read_manifest
from mores.runs.options import argument, option
from mores.stats.cluster_sums import MeasuredFigure
from mores.stats.intervals import Interval
from mores.tables import formatting as words
from mores.tables.missing_texts import format_missing, to_plain

NAMED = 20
"""Items that are named of a gate that fails; `--json` has all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckArgs:
    """Check that questions cannot be answered without what they ask for; exit 3 where a gate fails."""

    source: str = argument(
        "pack, a pack's folder, a folder of cultureforest, or a table of culturalbench, cure, socialcc.", MISSING
    )
    place: str | None = option("One place alone, by name or code.")
    against: list[Path] | None = option("Table of a public benchmark that nothing may repeat; repeatable.")
    embed: str | None = option("sentence-transformers model, by folder or hub name: what is near to --against.")
    near: float = option("Cosine from which two texts are near.", default=0.95)
    seed: int = option("Seed of all random draws.", default=0)
    json: bool = AS_JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewArgs:
    """Summarise people's labels of questions or scenarios: shares that are as intended, and agreement."""

    build: Path = argument("Folder of a build with a sheet for people (review.csv).", MISSING)
    labels: list[Path] = option("Filled-in sheet (review.csv); repeatable.", default=MISSING)
    columns: str | None = LABEL_COLUMNS
    json: bool = AS_JSON


def check_questions(typed: CheckArgs) -> None:
    """Print what every gate found.

    Raises:
        InputError: the source cannot be read.
        typer.Exit: a gate fails.
    """
    needed("sklearn")
    checked = items_of(typed.source)
    if typed.place is not None:
        place = find(typed.place, where="--place")
        checked = checked.of_place(place.id)
        if not checked.items:
            raise InputError(f"--place {typed.place}: {typed.source} has no questions of {place.name}.")
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
        by_item = gate.words.keys() <= set(gate.items)
        named = [
            f"{item} ({', '.join(gate.words.get(item, ()))})" if by_item and gate.words else item for item in gate.items
        ]
        carried = f" Items: {_named(named)}." if named else ""
        examples = "" if by_item else "; ".join(f"{label}: {', '.join(found)}" for label, found in gate.words.items())
        screen.line(f"{gate.name} fails: {gate.says}.{f' Words: {examples}.' if examples else ''}{carried}")


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


def review_build(typed: ReviewArgs) -> None:
    """Print what people's labels say of the questions or scenarios of a build.

    Raises:
        InputError: the folder holds no build with a sheet for people, or a label cannot be used.
    """
    made = read_manifest(typed.build).get("spec", {}).get("pipeline")
    found = (review if made == "questions" else review_checklist)(
        typed.build, typed.labels, LabelColumns.read(typed.columns), print_error
    )
    if typed.json:
        screen.print_json(to_plain(found))
    elif isinstance(found, Reviewed):
        _print_questions(found)
    else:
        print_checklist(found)


def _print_questions(found: Reviewed) -> None:
    screen.line(
        f"{found.labels:,} labels by {words.plural(found.people, 'person', 'people')} on {found.pairs:,} pairs."
    )
    share = words.format_number(found.unanimous)
    rows = [
        ("hard compliance", _measured(found.hard), f"{found.questions:,} questions"),
        ("soft compliance", _measured(found.soft), f"{found.questions:,} questions"),
        ("unanimous", share, f"{found.agreement.units:,} pairs"),
        ("Fleiss' kappa", _measured(found.agreement.fleiss, share=False), f"{found.agreement.units:,} pairs"),
    ]
    screen.table(("", "value", "n"), rows)
    if found.failed:
        screen.line(f"Not as the matrix has them: {', '.join(found.failed)}.")


def print_checklist(found: ChecklistReview) -> None:
    """Print what people's labels say of each aspect."""
    screen.line(f"{found.labels:,} labels by {words.plural(found.people, 'person', 'people')} on {found.rows:,} rows.")
    heads = ("aspect", "as it should be", "rows", "unanimous", "Fleiss' kappa", "of rows")
    rows = [
        (each.aspect, _measured(each.sound), f"{each.decided:,}", words.format_number(each.unanimous),
         _measured(each.agreement.fleiss, share=False), f"{each.agreement.units:,}")
        for each in found.aspects
    ]  # fmt: skip
    screen.table(heads, rows)
    for each in found.aspects:
        if each.failed:
            screen.line(f"Not as it should be, {each.aspect}: {', '.join(each.failed)}.")


def _measured(found: MeasuredFigure, *, share: bool = True) -> str:
    """A figure with its interval, or why it has none."""
    if isnan(found.value):
        return f"– ({format_missing(found.missing)})"
    value, ends = found.value, found.interval
    number = words.format_number(value) if share else f"{value:.2f}"
    if ends.low is None or ends.high is None:
        return f"{number} ({format_missing(ends.missing)})"
    low, high = (words.format_number(end, sign=False) if share else f"{end:.2f}" for end in (ends.low, ends.high))
    return f"{number} [{low}, {high}]"
