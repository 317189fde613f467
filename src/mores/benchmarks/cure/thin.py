"""CURE, thin: one word on a situation, over NormAd, CASA, CultureBank and SpecNorm; exact match on the word."""

from collections.abc import Callable, Iterator
from pathlib import Path

from mores.benchmarks.benchmark import Setting
from mores.benchmarks.controls import WITHOUT_PLACE
from mores.benchmarks.cure.data import (
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
from mores.core.card import Card
from mores.core.prompt import ReadPrompt

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
