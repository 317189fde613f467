"""A benchmark without Python: a folder with `card.toml`, `prompt.md` and `items.csv` is one of closed questions.

`card.toml` says what it measures and which labels there are, `prompt.md` holds the words with slots `[[name]]`, and
`items.csv` has a row a question: `id`, `place`, `gold` (the right label), and a column for each slot.
"""

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct, field

from mores.benchmarks.catalogue import CARD, folder_name
from mores.benchmarks.data_tables import DataRow, filled, hash_tables, one_of, read_table
from mores.benchmarks.shapes.closed_question import ClosedBenchmark, ClosedItem, QuestionFormat
from mores.core.card import Card, Reading
from mores.core.codec import build, read_text, read_toml
from mores.core.errors import InputError
from mores.core.languages import ENGLISH, language_of
from mores.core.prompt import Prompt, PromptHeader, ReadPrompt
from mores.core.transcript import ItemMetadata
from mores.norms.places import find

PROMPT, ITEMS = "prompt.md", "items.csv"
REQUIRED = ("title", "measures", "not_measured", "source", "licence", "labels")
COLUMNS = ("id", "place", "gold")
GROUPS = ("cluster", "domain", "topic")
"""Columns that `items.csv` may have besides: questions that were drawn together, and ways to break figures down."""
ORIGINAL, DATE = "paraphrase_of", "date"
"""Columns for signs of contamination: the question that one puts in other words, and when it was written."""
METRICS = ("accuracy", "accuracy_strict", "accuracy_lenient", "f1_macro", "format_error", "refusal")
PLACE_SLOT = "place"
"""The slot that is filled with the place's English name, however `items.csv` spells it."""
FEWEST = 2


class FolderCard(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Card of a folder; `labels` are the right answers that there may be.

    `affirmative` is the label that says yes, where one does, and `language` the BCP 47 tag of what is asked.
    """

    title: str
    measures: str
    not_measured: str
    source: str
    licence: str
    labels: tuple[str, ...]
    version: str = "1-A"
    affirmative: str | None = None
    language: str = ENGLISH
    answer_tokens: int = 24
    reading: Reading = "lenient"
    samples: int = 1
    temperature: float = 0.0
    notes: tuple[str, ...] = field(default_factory=tuple)


def read_folder(folder: Path, words: ReadPrompt = Prompt.read) -> ClosedBenchmark:
    """The benchmark of a folder.

    Raises:
        InputError: a file is missing, `card.toml` lacks fields (all are named), or a slot has no column.
    """
    missing = [name for name in (CARD, PROMPT, ITEMS) if not (folder / name).is_file()]
    if missing:
        raise InputError(f"{folder}: no {' and no '.join(missing)}; a benchmark has {CARD}, {PROMPT} and {ITEMS}.")
    own = _card(folder)
    prompt = _prompt(folder, own.language, words)
    slots, texts = tuple(sorted(prompt.slots)), {label: label for label in own.labels}
    form = QuestionFormat(prompt=prompt, slots=slots, label_texts=texts, affirmative=own.affirmative, rung="judge")
    rows = _rows(folder, slots)
    return ClosedBenchmark(
        card=_full(own, folder, rows),
        forms=(form,),
        read=lambda _: [_item(row, form, own.language) for row in _rows(folder, slots)],
        trace=lambda _: hash_tables(folder / name for name in (CARD, PROMPT, ITEMS)),
    )


def _card(folder: Path) -> FolderCard:
    table, where = read_toml(folder / CARD), str(folder / CARD)
    known = FolderCard.__struct_fields__
    missing, strange = [name for name in REQUIRED if name not in table], [name for name in table if name not in known]
    wrong = [*(f"no field '{name}'" for name in missing), *(f"unknown field '{name}'" for name in strange)]
    if wrong:
        raise InputError(f"{where}: {', '.join(wrong)}; known are {', '.join(known)}.")
    own = build(FolderCard, table, where=where)
    if len(own.labels) < FEWEST or len(set(own.labels)) < len(own.labels):
        raise InputError(f"{where}: labels are {list(own.labels)}; expected two or more different ones.")
    if own.affirmative is not None and own.affirmative not in own.labels:
        raise InputError(f"{where}: affirmative is '{own.affirmative}'; expected one of {list(own.labels)}.")
    try:
        language_of(own.language)
    except InputError as error:
        raise InputError(f"{where}: {error}") from error
    return own


def _prompt(folder: Path, language: str, words: ReadPrompt) -> Prompt:
    """The words of the file; a header is needed only for what differs from what all such prompts are."""
    path = folder / PROMPT
    text = read_text(path)
    if text.lstrip().startswith("+++"):
        return words(path)
    header = PromptHeader(
        name=f"{folder_name(folder).replace('/', '.')}.v1", role="subject", language=language, origin="own"
    )
    prompt = Prompt(header, text.strip("\n"), str(path))
    # Read for its error alone: a malformed slot is refused here, and not at the first question.
    _ = prompt.slots
    return prompt


def _rows(folder: Path, slots: Sequence[str]) -> list[DataRow]:
    return list(read_table(folder / ITEMS, tuple(dict.fromkeys((*COLUMNS, *slots)))))


def _item(row: DataRow, form: QuestionFormat, language: str) -> ClosedItem:
    place, name = find(filled(row, "place"), where=row.where), filled(row, "id")
    own = {kind: row.cells[kind].strip() for kind in GROUPS if row.cells.get(kind, "").strip()}
    own |= {kind: row.cells[kind].strip() for kind in (ORIGINAL, DATE) if row.cells.get(kind, "").strip()}
    own |= _asked_in(language)
    # A question and its paraphrases are drawn together, whatever else is.
    cluster = own.pop("cluster", own.get(ORIGINAL, name))
    about = ItemMetadata(item=name, unit=name, cluster=cluster, place=place.id, groups=own)
    words = tuple(place.name if slot == PLACE_SLOT else filled(row, slot) for slot in form.slots)
    labels = {label.casefold(): label for label in form.labels}
    return ClosedItem(about=about, form=form, words=words, gold=labels[one_of(row, "gold", tuple(labels))])


def _asked_in(language: str) -> dict[str, str]:
    """The group of a language, where it is not English."""
    return {} if language == ENGLISH else {"language": language_of(language).subtag}


def _full(own: FolderCard, folder: Path, rows: Sequence[DataRow]) -> Card:
    """The card with what every benchmark of a folder has in common, and what its questions say."""
    has = [kind for kind in GROUPS[1:] if any(row.cells.get(kind, "").strip() for row in rows)]
    own_fields = {name: getattr(own, name) for name in (*REQUIRED[:-1], "version", "notes")}
    data: dict[str, object] = {
        **own_fields,
        "name": folder_name(folder),
        "items": len(rows),
        "units": len(rows),
        "clusters": "question, or what the column cluster names",
        "headline": METRICS[0],
        "unit": "question",
        "metrics": [*METRICS],
        "chance": 1 / len(own.labels),
        "groups": ("place", "continent", "wvs_group", *_asked_in(own.language), *has),
        "files": (ITEMS,),
        "protocol": {
            "sampling": {"temperature": own.temperature},
            "answer_tokens": own.answer_tokens,
            "samples": own.samples,
            "reading": own.reading,
            "source": f"{CARD} of the folder",
        },
    }
    return Card.of(data, where=str(folder / CARD))
