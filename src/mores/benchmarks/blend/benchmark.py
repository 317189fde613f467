"""BLEnD: short answers in people's own languages and in English, and its questions with four options."""

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from mores.benchmarks.benchmark import Benchmark, Setting
from mores.benchmarks.blend import semeval
from mores.benchmarks.blend.choices import option_benchmark
from mores.benchmarks.blend.data import SurveyPlace, SurveyQuestion, files_of, folder_of, questions_of, survey_places
from mores.benchmarks.blend.masking import MASKED
from mores.benchmarks.blend.short_answer import ShortAnswerBenchmark, ShortAnswerItem
from mores.benchmarks.data_tables import hash_tables
from mores.core.card import Card
from mores.core.languages import ENGLISH, language_of
from mores.core.prompt import Prompt, ReadPrompt
from mores.core.transcript import ItemMetadata

HERE = Path(__file__).parent
PROMPT, PERSON = "prompt", "person"
"""The option that says which of two prompts is put, and the one that speaks to a person of the place."""
OTHERS = 9
"""Wrong answers that a simulated subject can give: what people answered to other questions, of the topic if it can."""


def benchmark(name: str, words: ReadPrompt = Prompt.read) -> Benchmark:
    """One of `saq_local`, `saq_english`, `mcq`, `semeval_saq` and `semeval_mcq`."""
    if name.startswith("semeval_"):
        return semeval.benchmark(name, words)
    return option_benchmark(name, words) if name == "mcq" else _short_answers(name, words)


def _short_answers(name: str, words: ReadPrompt) -> ShortAnswerBenchmark:
    card = Card.read(HERE / f"{name}.card.toml")
    english = name == "saq_english"
    plain, person = ("saq_english", "saq_english_person") if english else ("saq_local", "saq_person")
    tags = ("",) if english else tuple(f".{place.language}" for place in survey_places().values())
    asking = {
        (kind, tag.removeprefix(".")): words(HERE / f"{file}{tag}.prompt.md")
        for kind, file in (("instruction", plain), (PERSON, person))
        for tag in tags
    }

    def read(setting: Setting) -> Iterator[ShortAnswerItem]:
        kind = setting.protocol.settings[PROMPT]
        for place, questions in questions_of(folder_of(setting.data, card.name)):
            prompt = asking[kind, "" if english else place.language]
            yield from _items(place, questions, prompt, english=english)

    return ShortAnswerBenchmark(
        card=card,
        read=read,
        asking=tuple(asking.values()),
        grading=words(HERE / "judge.prompt.md"),
        trace=lambda setting: _sources(folder_of(setting.data, card.name)),
        tell=lambda setting: tuple(_remarks(setting, card.name)),
        sections=("mores.benchmarks.blend.analysis:BLEND_ANALYSIS",),
        controls=MASKED,
        ids=lambda item: {"ID": item.about.cluster},
    )


def _sources(folder: Path) -> dict[str, str]:
    return hash_tables(path for _, *paths in files_of(folder) for path in paths if path.is_file())


def _remarks(setting: Setting, name: str) -> Iterator[str]:
    """Questions that nobody could answer, whose answers come from people who left, and prompts that nobody has read."""
    found = list(questions_of(folder_of(setting.data, name)))
    asked = sum(len(questions) for _, questions in found)
    none = sum(not question.is_answered for _, questions in found for question in questions)
    yield (
        f"{none:,} of {asked:,} questions are no part of the accuracy: people could not answer them, by the rule of "
        "the released evaluation (three of five gave no answer or said that it does not apply, five did not know, or "
        "there is no answer at all). They are asked, and stand beside (says_unknown)."
    )
    empty = [question.id for _, questions in found for question in questions if not question.local]
    if empty and name == "blend/saq_local":
        yield f"The data have no words in the local language for {', '.join(empty)}; it is not asked."
    if any(place.place == "KP" for place, _ in found):
        yield "North Korea's answers are those of people who left it."
    if name == "blend/saq_local" and not setting.protocol.words:
        yield (
            "The words around the questions are mores' own and, but for English, were read by no speaker of the "
            "language yet; no claim between languages rests on them alone."
        )


def _items(
    place: SurveyPlace, questions: Sequence[SurveyQuestion], prompt: Prompt, *, english: bool
) -> Iterator[ShortAnswerItem]:
    tag = ENGLISH if english else place.language
    own = language_of(tag).subtag
    tops = _tops(questions, own)
    for number, question in enumerate(questions):
        words = {"question": question.english if english else question.local, "place": place.english}
        if not words["question"]:
            continue
        yield ShortAnswerItem(
            about=ItemMetadata(
                item=f"{question.id}-{own}", unit=question.id, cluster=question.name, place=place.place,
                groups=_groups(place, question, own),
            ),
            prompt=prompt,
            words={slot: words[slot] for slot in sorted(prompt.slots)},
            language=tag,
            read_in=tuple(dict.fromkeys((own, ENGLISH))),
            question=words["question"],
            accepted=question.answers,
            annotators=question.annotators,
            answered=question.is_answered,
            others=tuple(_others(tops, number, question.topic)),
            line=number + 1,
        )  # fmt: skip


def _groups(place: SurveyPlace, question: SurveyQuestion, language: str) -> dict[str, str]:
    votes = {"votes": f"{min(question.top, 5)}"} if question.is_answered else {}
    part = {"subnational": place.part} if place.part else {}
    return {"language": language, "topic": question.topic, **votes, **part}


def _tops(questions: Sequence[SurveyQuestion], language: str) -> list[tuple[str, str]]:
    """The topic and the most frequent answer of each question; empty where it has none in the language."""
    best = (max(question.answers, key=lambda answer: answer.votes, default=None) for question in questions)
    texts = ("" if answer is None else answer.texts.get(language, ("",))[0] for answer in best)
    return [(question.topic, text) for question, text in zip(questions, texts, strict=True)]


def _others(tops: Sequence[tuple[str, str]], at: int, topic: str) -> Iterator[str]:
    """Answers to the next questions, those on the same topic first, from the first again after the last."""
    around = (*tops[at + 1 :], *tops[:at])
    first = [text for on, text in around if text and on == topic]
    then = [text for on, text in around if text and on != topic]
    yield from islice(dict.fromkeys((*first, *then)), OTHERS)
