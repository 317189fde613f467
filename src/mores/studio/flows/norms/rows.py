"""Norms coming in: out of a pack's folder or one of its files, out of the bundled pack, or out of a table."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from mores.benchmarks.data_tables import DataRow, filled, read_table
from mores.core.errors import InputError
from mores.norms.pack import PackNorm, load_pack
from mores.norms.places import find
from mores.studio.flows.norms.stored_norm import LETTERS, NormScene, NormWords, Step
from mores.studio.models import Project
from mores.studio.work.items import NewItem

COLUMNS = ("id", "place", "statement")
BUNDLED = "pack"


def rows(path: Path, columns: Sequence[str]) -> Iterator[DataRow]:
    """The norms of a pack (`pack` is the bundled one), of one file of it, or of a table.

    Raises:
        InputError: the pack or the table cannot be read.
    """
    bundled = str(path) == BUNDLED and not path.exists()
    if bundled or path.is_dir() or path.suffix == ".toml":
        entries = load_pack(None if bundled else path).norms
        return (
            DataRow(f"{path}: {each.norm.id}", number, _cells(each)) for number, each in enumerate(entries, start=1)
        )
    return read_table(path, columns)


def _cells(entry: PackNorm) -> dict[str, str]:
    norm, know, judge, explain = entry.norm, entry.know[0], entry.judge[0], entry.explain
    return {
        "id": norm.id,
        "place": norm.place,
        "statement": norm.statement,
        "subgroup": norm.subgroup or "",
        "know_question": know.question,
        **{f"know_{letter}": option.text for letter, option in zip(LETTERS, know.options, strict=False)},
        "judge_story": judge.story,
        "judge_question": judge.question,
        "explain_story": "" if explain is None else explain.story,
        "explain_question": "" if explain is None else explain.question,
    }


def read(row: DataRow, _project: Project) -> NewItem:
    """The first step of a norm: its questions, or the norm where it has none."""
    told = {name: cell.strip() for name, cell in row.cells.items()}
    name, place, statement = (filled(row, column).strip() for column in COLUMNS)
    words = NormWords(
        id=name,
        place=find(place, where=row.where).id,
        statement=statement,
        subgroup=told.get("subgroup", ""),
        know=told.get("know_question", ""),
        options=tuple(text for letter in LETTERS if (text := told.get(f"know_{letter}", ""))),
        judge=_scene(told, "judge"),
        explain=_scene(told, "explain"),
    )
    if bool(words.know) != bool(words.options):
        raise InputError(f"{row.where}: know_question and know_a to know_d go together; expected both or neither.")
    return item_of(words, "questions" if words.asks else "norm")


def item_of(words: NormWords, step: Step) -> NewItem:
    """One step of a norm as an item."""
    return NewItem(key=f"{step} {words.id}", payload=words.payload(step), region=words.place)


def _scene(told: dict[str, str], rung: str) -> NormScene:
    return NormScene(story=told.get(f"{rung}_story", ""), question=told.get(f"{rung}_question", ""))
