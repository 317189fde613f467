"""Questions of any benchmark as gates see them: a stem, options of which some are right, and the norms behind them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mores.benchmarks.cultureforest.layout import Question, find_files, hash_files, read_forest
from mores.benchmarks.tabular import hash_table, one_of, read_table
from mores.core.errors import InputError
from mores.norms.pack import load_pack
from mores.norms.places import find

LETTERS = ("a", "b", "c", "d")
OPTIONS = tuple(f"prompt_option_{letter}" for letter in LETTERS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One question: `right` are the places of its right options, `norm` is what it rests on and `norms` what that says.

    `label` is what a question with a fixed list of answers has for one, empty where options differ by question.
    """

    id: str
    norm: str
    place: str
    stem: str
    options: tuple[str, ...] = ()
    right: tuple[int, ...] = ()
    topic: str = ""
    norms: tuple[str, ...] = ()
    label: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What is checked: where it is from, each with a hash, and its questions."""

    made_from: dict[str, str]
    items: tuple[Item, ...]


def items_of(source: str) -> Checked:
    """The questions of `pack`, a pack's folder, a folder in CultureForest's layout, or CulturalBench's easy table.

    Raises:
        InputError: it is none of these, or cannot be read.
    """
    path = Path(source)
    if source == "pack" or (path.is_dir() and any(path.glob("*.toml"))):
        pack = load_pack(None if source == "pack" else path)
        return Checked(
            made_from={f"pack {pack.id} {pack.version}": pack.fingerprint}, items=tuple(_of_pack(path, source))
        )
    if path.is_dir():
        files = find_files(path, "cultureforest")
        return Checked(made_from=hash_files(files), items=tuple(map(_of_forest, read_forest(files).questions)))
    if path.is_file():
        return Checked(made_from=hash_table(path), items=tuple(_of_table(path)))
    raise InputError(
        f"{source}: no such file or folder; expected pack, a pack's folder, a folder of cultureforest, or a table of "
        "culturalbench/easy."
    )


def _of_pack(path: Path, source: str) -> Iterator[Item]:
    for entry in load_pack(None if source == "pack" else path).norms:
        norm, known = entry.norm, entry.know
        about = Item(id="", norm=norm.id, place=norm.place, stem="", topic=norm.domain, norms=(norm.statement,))
        yield replace(
            about,
            id=f"know-{norm.id}",
            stem=known.question,
            options=tuple(option.text for option in known.options),
            right=tuple(number for number, option in enumerate(known.options) if option.true),
        )
        for rung, told in (("judge", entry.judge), ("explain", entry.explain)):
            if told is not None:
                yield replace(about, id=f"{rung}-{norm.id}", stem=f"{told.story} {told.question}", label=told.label)


def _of_forest(question: Question) -> Item:
    """The four courses of action without the scene that they all begin with, the right one where Easy has it."""
    shared = _shared(question.options)
    *others, right = (option[shared:].strip() for option in question.options)
    at = LETTERS.index(question.letter.lower())
    return Item(
        id=question.id,
        norm=question.bundle,
        place=question.place,
        stem=question.open,
        options=(*others[:at], right, *others[at:]),
        right=(at,),
        topic=question.domain,
        norms=tuple(norm.statement for norm in question.norms),
    )


def _shared(options: Sequence[str]) -> int:
    """How many letters of whole lines the options begin with alike."""
    alike = next((n for n, signs in enumerate(zip(*options, strict=False)) if len(set(signs)) > 1), 0)
    return options[0].rfind("\n", 0, alike) + 1


def _of_table(path: Path) -> Iterator[Item]:
    columns = ("question_idx", "prompt_question", *OPTIONS, "answer", "country")
    for row in read_table(path, columns):
        place = find(row.cells["country"], where=row.where).id
        yield Item(
            id=row.cells["question_idx"],
            norm=row.cells["question_idx"],
            place=place,
            stem=row.cells["prompt_question"],
            options=tuple(row.cells[option] for option in OPTIONS),
            right=(LETTERS.index(one_of(row, "answer", LETTERS)),),
        )
