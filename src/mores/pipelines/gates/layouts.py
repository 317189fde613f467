"""Questions for gates out of every layout that mores builds or runs; a table is known by its columns."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import msgspec
from msgspec.structs import replace

from mores.benchmarks.cultureforest.data import ForestQuestion, find_files, hash_files, read_forest
from mores.benchmarks.cure.data import Situation, casa_rows, culturebank_rows, normad_rows, specnorm_rows
from mores.benchmarks.data_tables import DataRow, hash_table, one_of, read_table
from mores.benchmarks.socialcc.scenarios import Scenario, read_scenarios
from mores.core.codec import digest
from mores.core.errors import InputError
from mores.norms.items import JudgeItem
from mores.norms.pack import Pack, PackNorm, load_pack, parallel
from mores.norms.places import find
from mores.pipelines.gates.gate import GateInput, GateItem

LETTERS = ("a", "b", "c", "d")
OPTIONS = tuple(f"prompt_option_{letter}" for letter in LETTERS)


def items_of(source: str) -> GateInput:
    """The questions of `pack`, a pack's folder, a folder in CultureForest's layout, or a benchmark's table.

    Raises:
        InputError: it is none of these, or cannot be read.
    """
    path = Path(source)
    if source == "pack" or (path.is_dir() and any(path.glob("*.toml"))):
        pack = load_pack(None if source == "pack" else path)
        made_from = {f"pack {pack.id} {pack.version}": pack.fingerprint}
        return GateInput(made_from=made_from, items=items_of_pack(pack), pack=pack)
    if path.is_dir():
        files = find_files(path, "cultureforest")
        return GateInput(made_from=hash_files(files), items=tuple(map(_of_forest, read_forest(files).questions)))
    if path.is_file():
        return GateInput(made_from=hash_table(path), items=tuple(_of_table(path)))
    raise InputError(
        f"{source}: no such file or folder; expected pack, a pack's folder, a folder of cultureforest, or a table of "
        "culturalbench, cure or socialcc."
    )


def items_of_pack(pack: Pack) -> tuple[GateItem, ...]:
    """The items of all rungs, as the model under test is put them."""
    norms = {entry.norm.id: entry.norm for entry in pack.norms}
    bundles = ((bundle, [norms[norm.id] for norm in bundle.norm]) for bundle in pack.bundles)
    return (
        *(item for entry in pack.norms for item in _of_norm(entry)),
        *(
            GateItem(
                id=f"apply-{bundle.id}", norm=bundle.id, place=held[0].place, stem=bundle.question,
                norms=tuple(norm.statement for norm in held),
            )
            for bundle, held in bundles
        ),
    )  # fmt: skip


def _of_norm(entry: PackNorm) -> Iterator[GateItem]:
    norm = entry.norm
    about = GateItem(id="", norm=norm.id, place=norm.place, stem="", topic=norm.domain, norms=(norm.statement,))
    for name, known in parallel("know", norm.id, entry.know):
        yield replace(
            about,
            id=name,
            stem=known.question,
            options=tuple(option.text for option in known.options),
            right=tuple(number for number, option in enumerate(known.options) if option.true),
            boundary=bool(known.boundary),
        )
    scenes = [*parallel("judge", norm.id, entry.judge), (f"explain-{norm.id}", entry.explain)]
    for name, scene in scenes:
        if scene is not None:
            at_boundary = isinstance(scene, JudgeItem) and bool(scene.boundary)
            stem = f"{scene.story} {scene.question}"
            yield replace(about, id=name, stem=stem, label=scene.label, boundary=at_boundary)
    if entry.converse is not None:
        talk = entry.converse
        yield replace(about, id=f"converse-{norm.id}", stem=f"{talk.scene} {talk.you.who} {talk.other.who} {talk.goal}")
    if entry.live is not None:
        yield replace(about, id=f"live-{norm.id}", stem=entry.live.task)


def _of_forest(question: ForestQuestion) -> GateItem:
    """The four courses of action without the scene that they all begin with, the right one where Easy has it."""
    shared = _shared(question.options)
    *others, right = (option[shared:].strip() for option in question.options)
    at = LETTERS.index(question.letter.lower())
    return GateItem(
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
    """Number of letters, in whole lines, with which all options begin."""
    same = next((n for n, signs in enumerate(zip(*options, strict=False)) if len(set(signs)) > 1), 0)
    # In whole lines: words with which two courses of action happen to begin are no scene.
    return options[0].rfind("\n", 0, same) + 1


class _Labelled(msgspec.Struct, frozen=True, kw_only=True):
    """A table of CURE: the columns that identify it, its reader, the slots of its stem, and those of its norms."""

    columns: tuple[str, ...]
    read: Callable[[Path], Iterator[Situation]]
    put: tuple[str, ...]
    norms: tuple[str, ...] = ()


_LABELLED = (
    _Labelled(columns=("Story", "Rule-of-Thumb"), read=normad_rows, put=("story",), norms=("rule",)),
    _Labelled(columns=("user_query", "symbol_desc"), read=partial(casa_rows, symbols=True), put=("query",),
              norms=("symbol",)),
    _Labelled(columns=("user_query", "agreement"), read=casa_rows, put=("query",)),
    _Labelled(columns=("persona", "situation", "statement"), read=specnorm_rows,
              put=("persona", "situation", "question"), norms=("norm",)),
    _Labelled(columns=("cultural_group",), read=culturebank_rows, put=("behaviour",)),
    _Labelled(columns=("cultural group",), read=culturebank_rows, put=("behaviour",)),
)  # fmt: skip


def _of_table(path: Path) -> Iterator[GateItem]:
    columns = next(read_table(path, ())).cells
    labelled = next((each for each in _LABELLED if all(name in columns for name in each.columns)), None)
    if OPTIONS[0] in columns:
        yield from _of_easy(path)
    elif "prompt_option" in columns:
        yield from _of_hard(path)
    elif "Cultural Knowledge_1" in columns:
        yield from map(_of_scenario, read_scenarios(path))
    elif labelled is not None:
        yield from (_of_situation(each, labelled) for each in labelled.read(path))
    else:
        raise InputError(
            f"{path}: columns are {', '.join(columns)}; expected a table of culturalbench, cure or socialcc."
        )


def _of_easy(path: Path) -> Iterator[GateItem]:
    for row in read_table(path, ("question_idx", "prompt_question", *OPTIONS, "answer", "country")):
        options = tuple(row.cells[option] for option in OPTIONS)
        yield _question([row], options, (LETTERS.index(one_of(row, "answer", LETTERS)),))


def _of_hard(path: Path) -> Iterator[GateItem]:
    """A question with its statements, of which some are true."""
    questions: dict[str, list[DataRow]] = {}
    for row in read_table(path, ("question_idx", "prompt_question", "prompt_option", "answer", "country")):
        questions.setdefault(row.cells["question_idx"], []).append(row)
    for rows in questions.values():
        true = (number for number, row in enumerate(rows) if one_of(row, "answer", ("true", "false")) == "true")
        yield _question(rows, tuple(row.cells["prompt_option"] for row in rows), tuple(true))


def _question(rows: Sequence[DataRow], options: tuple[str, ...], right: tuple[int, ...]) -> GateItem:
    cells = rows[0].cells
    name, place = cells["question_idx"], find(cells["country"], where=rows[0].where).id
    return GateItem(id=name, norm=name, place=place, stem=cells["prompt_question"], options=options, right=right)


def _of_situation(found: Situation, layout: _Labelled) -> GateItem:
    about, words = found.about, found.words
    return GateItem(
        id=about.item,
        norm=about.cluster,
        place=about.place or "",
        stem=" ".join(words[slot] for slot in layout.put),
        topic=about.groups.get("topic", ""),
        norms=tuple(words[slot] for slot in layout.norms),
        label=found.gold,
    )


def _of_scenario(scenario: Scenario) -> GateItem:
    """A scenario as the subject sees it; many rows share its scene."""
    cells = scenario.cells
    texts = (cells["Scenario"], *scenario.met, cells["Event_1"], cells["Event_2"], *scenario.goals(2).values())
    return GateItem(
        id=scenario.id,
        norm=digest(cells["Scenario"]),
        place=scenario.custom_place,
        stem=" ".join(texts),
        topic=cells["WVS—Class"].casefold(),
        norms=(cells["Cultural Knowledge_1"], cells["Cultural Value_1"]),
    )
