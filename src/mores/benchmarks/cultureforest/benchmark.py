"""CultureForest: questions that rest on three norms each, in three forms, with the norms told or not; and the norms.

Easy has four options to choose from; medium judges each of four courses of action alone, and a question counts only if
all four are judged rightly in one sample. `informed` asks either with the three norms in the prompt, so that what is
left is their use. `knowledge` asks whether each norm and its negation are true.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from msgspec import structs

from mores.benchmarks.benchmark import Benchmark, Setting
from mores.benchmarks.controls import WITHOUT_PLACE
from mores.benchmarks.cultureforest.data import ForestQuestion, KnownNorm, find_files, hash_files, read_forest
from mores.benchmarks.cultureforest.hard import HARD, LEVEL, Informed, hard
from mores.benchmarks.cultureforest.metrics import FALSE, NORMS, QUESTIONS, TRUE
from mores.benchmarks.shapes.closed_question import ClosedBenchmark, ClosedItem, QuestionFormat
from mores.core.card import Card
from mores.core.errors import InputError
from mores.core.prompt import Prompt, ReadPrompt
from mores.core.transcript import ItemMetadata

HERE = Path(__file__).parent
LETTERS = {letter: f'{{"Answer": "{letter.upper()}"}}' for letter in "abcd"}
TRUTH = {TRUE: '{"Answer": "True"}', FALSE: '{"Answer": "False"}'}
KEY = (FALSE, FALSE, FALSE, TRUE)
"""Whether each of the four courses of action keeps to all norms: the last alone does."""
SECTIONS = ("mores.benchmarks.cultureforest.regimes:FOREST_ANALYSIS",)
NORM_SLOTS = ("norm_1", "norm_2", "norm_3")


def benchmark(name: str, words: ReadPrompt = Prompt.read) -> Benchmark:
    """One of `easy`, `medium`, `hard`, `knowledge` and `informed`."""
    card = Card.read(HERE / f"{name}.card.toml")
    if name == HARD:
        return replace(hard(card, f"{HARD}.prompt.md", words), sections=SECTIONS)
    if name == "informed":
        return _informed(card, words)
    if name == "knowledge":
        prompt = words(HERE / "knowledge.prompt.md")
        form = QuestionFormat(
            prompt=prompt, slots=("place", "statement"), label_texts=TRUTH, affirmative=TRUE, reply="json"
        )
        return ClosedBenchmark(
            card=card,
            forms=(form,),
            read=lambda setting: _read_norms(setting, form),
            trace=_trace,
            measures=NORMS,
            sections=SECTIONS,
            controls=WITHOUT_PLACE,
        )
    return _benchmark(card, {name: _form(words(HERE / f"{name}.prompt.md"), name, ())}, lambda _: name)


def _informed(card: Card, words: ReadPrompt) -> Informed:
    """All forms with the norms in the prompt; at the hard level shares of norms are the headline, as at the others."""
    levels = {
        level: _form(words(HERE / f"informed_{level}.prompt.md"), level, NORM_SLOTS) for level in ("easy", "medium")
    }
    open_card = Card.read(HERE / f"{HARD}.card.toml")
    metrics = sorted(open_card.metrics, key=lambda metric: metric.name != card.headline)
    own = structs.replace(open_card, name=card.name, headline=card.headline, metrics=tuple(metrics))
    return Informed(
        closed=_benchmark(card, levels, lambda setting: setting.protocol.settings[LEVEL]),
        open=hard(own, f"informed_{HARD}.prompt.md", words),
    )


def _form(prompt: Prompt, level: str, norms: tuple[str, ...]) -> QuestionFormat:
    """How a question is put at one level, with or without its norms."""
    return QuestionFormat(
        prompt=prompt,
        slots=("question", *norms),
        label_texts=LETTERS if level == "easy" else TRUTH,
        affirmative=None if level == "easy" else TRUE,
        rung="judge",
        reply="json",
    )


def _benchmark(card: Card, forms: dict[str, QuestionFormat], level_of: Callable[[Setting], str]) -> ClosedBenchmark:
    """A benchmark of questions at the level that its setting has."""

    def read(setting: Setting) -> Sequence[ClosedItem]:
        level = level_of(setting)
        if level == "easy" and setting.protocol.shuffle:
            raise InputError(
                f"--shuffle: the options of {card.name} stand in the text of each question, shuffled when it was made; "
                "leave it out."
            )
        questions = read_forest(find_files(setting.data, card.name)).questions
        return [item for question in questions for item in _items(question, forms[level], level)]

    def tell(setting: Setting) -> tuple[str, ...]:
        told = len(forms) > 1 and level_of(setting) == "easy"
        return ("Asked at the easy level, where a guess gets a quarter, not the card's sixteenth.",) if told else ()

    return ClosedBenchmark(
        card=card,
        forms=tuple(forms.values()),
        read=read,
        trace=_trace,
        measures=QUESTIONS,
        tell=tell,
        sections=SECTIONS,
        controls=WITHOUT_PLACE,
        ids=lambda item: {"uuid": item.about.unit},
    )


def _items(question: ForestQuestion, form: QuestionFormat, level: str) -> Iterator[ClosedItem]:
    """What is asked of a question in a closed form, each with its text and right label."""
    asked = {"-easy": (question.choice, question.letter.lower())}
    if level != "easy":
        pairs = zip(question.options, KEY, strict=True)
        asked = {f"-medium-{number}": pair for number, pair in enumerate(pairs, start=1)}
    told = [norm.statement for norm in question.norms] if set(NORM_SLOTS) <= set(form.slots) else []
    for name, (text, gold) in asked.items():
        yield ClosedItem(
            about=question.about(f"{question.id}{name}"),
            form=form,
            words=(text, *told),
            gold=gold,
            knowledge=question.bundle,
            norms=() if told else tuple(norm.id for norm in question.norms),
            line=question.line,
            place_name=question.country,
        )


def _read_norms(setting: Setting, form: QuestionFormat) -> Sequence[ClosedItem]:
    forest = read_forest(find_files(setting.data, "cultureforest/knowledge"))
    return [item for norm in forest.norms.values() for item in _statements(norm, form)]


def _statements(norm: KnownNorm, form: QuestionFormat) -> Iterator[ClosedItem]:
    """A norm and what contradicts it."""
    groups: dict[str, str] = {"domain": norm.domain, "strictness": norm.strictness}
    for gold, statement in ((TRUE, norm.statement), (FALSE, norm.negation)):
        yield ClosedItem(
            about=ItemMetadata(
                item=f"{norm.id}-{gold}", unit=norm.id, cluster=norm.id, place=norm.place, groups=groups
            ),
            form=form,
            words=(norm.country, statement),
            gold=gold,
            knowledge=norm.id,
            place_name=norm.country,
        )


def _trace(setting: Setting) -> dict[str, str]:
    return hash_files(find_files(setting.data, "cultureforest"))
