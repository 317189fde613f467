"""CURE: a situation judged by its place's or group's norms, thin (one word) and thick (a label and its reasons)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from msgspec import Struct

from mores.benchmarks.benchmark import Benchmark, Setting
from mores.benchmarks.controls import WITHOUT_PLACE
from mores.benchmarks.cure.data import (
    GUIDANCE,
    NAMING_PLACES,
    YES_NO,
    Situation,
    casa_rows,
    culturebank_rows,
    normad_rows,
    specnorm_rows,
)
from mores.benchmarks.data_tables import find_table
from mores.benchmarks.shapes.closed_question import ClosedBenchmark, ClosedItem, QuestionFormat
from mores.benchmarks.shapes.reasons import REASONS
from mores.benchmarks.shapes.reasons.benchmark import ExplainedBenchmark, ExplainedItem
from mores.core.card import Card
from mores.core.errors import InputError
from mores.core.prompt import Prompt, ReadPrompt

POOR = "That is how many people there would see it."
"""A reason that gives no norm: what simulated subjects say who explain nothing."""
_OVERHEARD = (
    "These data have no personas and questions (eval_persona, eval_question): each description is put as something a "
    "newcomer has heard, who asks how far to go by it. Figures do not compare with the released layout's, and "
    "coherence says little of the persona."
)
_HEARSAY = tuple(f"culturebank_thick_{part}" for part in ("persona", "question", "agreed", "disputed"))


class _Kind(Struct, frozen=True, kw_only=True):
    """Differences between the four.

    `dimension` is what is graded, `held` are the words that answers are held against and `reference` the one of them
    that good reasons give. `says` is how a simulated subject says each label. Where a judge decides the label it is
    `judged`; `parts` are prompts of words that stand in for missing ones, and `rows` is given them; `tell` remarks on a
    table.
    """

    dimension: str
    rows: Callable[..., Iterator[Situation]]
    held: tuple[str, ...]
    says: Mapping[str, str]
    reference: str = "norm"
    judged: bool = False
    parts: tuple[str, ...] = ()
    tell: Callable[[Path], tuple[str, ...]] = lambda _: ()


def thick(name: str, words: ReadPrompt) -> ExplainedBenchmark:
    """One of `normad_thick`, `casa_thick`, `culturebank_thick` and `specnorm_thick`."""
    kind = _THICK[name]
    card = Card.read(HERE / f"{name}.card.toml")

    def worded(file: str) -> Prompt:
        return words(HERE / f"{file}.prompt.md")

    prompt, parts = worded(name), tuple(map(worded, kind.parts))

    def table(setting: Setting) -> Path:
        return find_table(setting.data, card.files, card.name)

    return ExplainedBenchmark(
        card=card,
        prompt=prompt,
        grading=worded(kind.dimension),
        dimension=kind.dimension,
        labels=tuple(kind.says),
        read=lambda setting: [_item(row, kind, prompt) for row in kind.rows(table(setting), *parts)],
        choosing=worded(f"{name}_label") if kind.judged else None,
        parts=parts,
        tell=lambda setting: kind.tell(table(setting)),
        controls=WITHOUT_PLACE if name in NAMING_PLACES else {},
    )


def _item(row: Situation, kind: _Kind, prompt: Prompt) -> ExplainedItem:
    """A row as it is asked; a simulated subject gives the reference as its reasons, or none."""
    reference = row.words[kind.reference]
    return ExplainedItem(
        about=row.about,
        prompt=prompt,
        # Sorted, as the order of a set differs from process to process.
        words={slot: row.words[slot] for slot in sorted(prompt.slots)},
        gold=row.gold,
        held_against={slot: row.words[slot] for slot in kind.held},
        reference=reference,
        ways={label: (f"{sentence} {reference}", f"{sentence} {POOR}") for label, sentence in kind.says.items()},
        line=row.line,
    )


def _normad(path: Path) -> Iterator[Situation]:
    rows = list(normad_rows(path))
    column = "explanation" if _have(rows, "explanation") else "rule"
    kept = [row.having(norm=row.words[column]) for row in rows if row.words[column]]
    if not kept:
        raise InputError(f"{path}: no row has an Explanation; without that column the Rule-of-Thumb is used.")
    yield from kept


def _have(rows: Sequence[Situation], word: str) -> bool:
    """True if their table has a column of that word."""
    return word in rows[0].words


def _remarks_normad(path: Path) -> tuple[str, ...]:
    rows = list(normad_rows(path))
    if not _have(rows, "explanation"):
        return ("Coverage is held against the Rule-of-Thumb, as these data have no column Explanation.",)
    empty = sum(not row.words["explanation"] for row in rows)
    return (f"Coverage is held against the Explanation; rows without one are skipped, as released: {empty}.",)


def _culturebank(path: Path, *parts: Prompt) -> Iterator[Situation]:
    rows = list(culturebank_rows(path))
    asked = [row for row in rows if _guided(row)] if _have(rows, "question") else _newcomer_rows(rows, *parts)
    if not asked:
        raise InputError(f"{path}: no row has eval_persona, eval_question and eval_whole_desc all filled.")
    for row in asked:
        yield row.having(situation=row.words["question"], behaviour=row.words["reported"])


def _guided(row: Situation) -> bool:
    """True if none of a row's persona, question and explanation is empty."""
    return all(row.words[slot] for slot in GUIDANCE)


def _newcomer_rows(
    rows: Sequence[Situation], persona: Prompt, question: Prompt, agreed: Prompt, disputed: Prompt
) -> list[Situation]:
    """Rows of descriptions alone: a newcomer was told one, and asks how far to go by it."""
    found = []
    for row in rows:
        behaviour, stance = row.words["behaviour"], agreed if row.gold == "yes" else disputed
        asks = {"persona": persona.render(group=row.words["group"]), "question": question.render(behaviour=behaviour)}
        found.append(row.having(**asks, norm=stance.render(behaviour=behaviour)))
    return found


def _remarks_culturebank(path: Path) -> tuple[str, ...]:
    rows = list(culturebank_rows(path))
    if not _have(rows, "question"):
        return (_OVERHEARD,)
    empty = sum(not _guided(row) for row in rows)
    return (f"Rows without a persona, a question or an explanation are skipped: {empty}.",)


_THICK = {
    "normad_thick": _Kind(
        dimension="coverage",
        rows=_normad,
        held=("place", "norm"),
        says={"yes": "Yes.", "no": "No.", "neutral": "Neutral."},
        tell=_remarks_normad,
    ),
    "casa_thick": _Kind(
        dimension="connotation",
        rows=partial(casa_rows, symbols=True),
        held=("place", "request", "symbol"),
        says={"yes": "I will gladly see to that.", "no": "I would advise against that."},
        reference="symbol",
        judged=True,
    ),
    "culturebank_thick": _Kind(
        dimension="coherence",
        rows=_culturebank,
        held=("group", "persona", "situation", "norm", "behaviour"),
        says={"yes": "You can go by that.", "no": "I would not go by that."},
        judged=True,
        parts=_HEARSAY,
        tell=_remarks_culturebank,
    ),
    "specnorm_thick": _Kind(
        dimension="specificity",
        rows=specnorm_rows,
        held=("norm",),
        says={"yes": "Yes.", "no": "No."},
    ),
}


HERE = Path(__file__).parent

_THIN: dict[str, tuple[Callable[[Path], Iterator[Situation]], tuple[str, ...], tuple[str, ...]]] = {
    "normad_thin": (normad_rows, ("place", "story"), (*YES_NO, "neutral")),
    "casa_thin": (casa_rows, ("place", "query"), YES_NO),
    "culturebank_thin": (culturebank_rows, ("group", "behaviour"), YES_NO),
    "specnorm_thin": (specnorm_rows, ("place", "persona", "situation", "question"), YES_NO),
}
"""Of each its rows, the slots of its prompt, and its labels."""


def thin(name: str, words: ReadPrompt) -> ClosedBenchmark:
    """One of `normad_thin`, `casa_thin`, `culturebank_thin` and `specnorm_thin`."""
    rows, slots, labels = _THIN[name]
    card, prompt = Card.read(HERE / f"{name}.card.toml"), words(HERE / f"{name}.prompt.md")
    texts = {label: label for label in labels}
    form = QuestionFormat(prompt=prompt, slots=slots, label_texts=texts, affirmative="yes", rung="judge")

    def read(setting: Setting) -> list[ClosedItem]:
        return [
            ClosedItem(
                about=row.about,
                form=form,
                words=tuple(row.words[slot] for slot in slots),
                gold=row.gold,
                line=row.line,
            )
            for row in rows(find_table(setting.data, card.files, card.name))
        ]

    return ClosedBenchmark(
        card=card,
        forms=(form,),
        read=read,
        sections=(REASONS,),
        controls=WITHOUT_PLACE if name in NAMING_PLACES else {},
    )


def benchmark(name: str, words: ReadPrompt = Prompt.read) -> Benchmark:
    """One of `normad`, `casa`, `culturebank` and `specnorm`, each `_thin` or `_thick`."""
    return thick(name, words) if name.endswith("_thick") else thin(name, words)
