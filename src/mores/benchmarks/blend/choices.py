"""Questions with four options, each what people of one place answered: as released, or made here of the short answers.

mc_questions_file.csv ─▶ a question a row; without it annotations ─▶ for each place and question the most frequent
answer there and three of other places that nobody there gave. The released set had a model check that no two options
mean the same; ours compares their words alone.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from mores.benchmarks.benchmark import Setting
from mores.benchmarks.blend.data import SurveyPlace, SurveyQuestion, files_of, folder_of, questions_of, survey_places
from mores.benchmarks.blend.masking import MASKED
from mores.benchmarks.blend.matching import AcceptedAnswer, match_answer, normal_form
from mores.benchmarks.data_tables import DataRow, filled, hash_tables, one_of, read_table
from mores.benchmarks.shapes.closed_question import ClosedBenchmark, ClosedItem, QuestionFormat, permuted
from mores.core.card import Card
from mores.core.codec import build, parse_json
from mores.core.errors import InputError
from mores.core.languages import ENGLISH
from mores.core.prompt import ReadPrompt
from mores.core.seeds import Seed
from mores.core.transcript import ItemMetadata
from mores.stats.rng import generator

LETTERS = ("a", "b", "c", "d")
RELEASED = ("mc_questions_file.csv", "evaluation/mc_data/mc_questions_file.csv")
"""The released file, by itself and in a checkout."""
_ASK = " Without any explanation"
"""Begins what the released words add to a question."""
_LEAST_VOTES, _MOST_UNKNOWN = 2, 2
"""Votes for an answer from which it is an option, and people without an answer up to which a question is asked."""
_DRAW = Seed("blend options")


class OptionQuestion(NamedTuple):
    """A question with its options and whose each is; `right` is the number of the one that is right."""

    id: str
    name: str
    place: SurveyPlace
    topic: str | None
    question: str
    options: tuple[str, ...]
    places: tuple[str, ...]
    right: int
    line: int = 0


def option_benchmark(name: str, words: ReadPrompt) -> ClosedBenchmark:
    """The benchmark of questions with options."""
    here = Path(__file__).parent
    card = Card.read(here / f"{name}.card.toml")
    form = QuestionFormat(
        prompt=words(here / f"{name}.prompt.md"),
        slots=("question", *LETTERS),
        label_texts={letter: letter.upper() for letter in LETTERS},
    )

    def read(setting: Setting) -> Iterator[ClosedItem]:
        for question in option_questions(setting.data, card.name):
            yield _item(question, form, setting)

    return ClosedBenchmark(
        card=card,
        forms=(form,),
        read=read,
        orders=24,
        trace=lambda setting: _sources(setting.data, card.name),
        tell=lambda setting: tuple(_remarks(setting.data, card.name)),
        controls=MASKED,
        ids=lambda item: {"ID": item.about.cluster},
    )


def option_questions(data: Path | None, benchmark: str) -> Iterator[OptionQuestion]:
    """The released questions, or those made of the short answers.

    Raises:
        InputError: a file is missing or malformed.
    """
    released = _released(data)
    return _made(folder_of(data, benchmark, RELEASED[0])) if released is None else _read(released)


def _released(data: Path | None) -> Path | None:
    if data is None or data.is_file():
        return data
    return next((data / name for name in RELEASED if (data / name).is_file()), None)


def _sources(data: Path | None, benchmark: str) -> dict[str, str]:
    released = _released(data)
    if released is not None:
        return hash_tables([released])
    return hash_tables(path for _, *paths in files_of(folder_of(data, benchmark)) for path in paths if path.is_file())


def _remarks(data: Path | None, benchmark: str) -> Iterator[str]:
    if _released(data) is None:
        made = sum(1 for _ in option_questions(data, benchmark))
        yield (
            f"The {made:,} questions were put together here of the short answers, as mc_questions_file.csv is not "
            "there: no two options share a word, but nobody checked that they do not mean the same. Scores do not "
            "compare with those on the released questions."
        )
    yield "North Korea's answers are those of people who left it."


def _item(question: OptionQuestion, form: QuestionFormat, setting: Setting) -> ClosedItem:
    place = question.place
    item = f"mcq-{question.id}"
    order = permuted(len(LETTERS), item, setting)
    options = tuple(question.options[at] for at in order)
    groups = {"topic": question.topic} if question.topic else {}
    return ClosedItem(
        about=ItemMetadata(
            item=item, unit=item, cluster=question.name, place=place.place,
            groups=groups | ({"subnational": place.part} if place.part else {}),
        ),
        form=form,
        words=(question.question, *options),
        gold=LETTERS[list(order).index(question.right)],
        knowledge=f"{place.place}-{question.name}",
        line=question.line,
        options=options,
        place_name=place.english,
    )  # fmt: skip


# The released file.


def _read(path: Path) -> Iterator[OptionQuestion]:
    columns = ("MCQID", "ID", "country", "prompt", "choices", "choice_countries", "answer_idx")
    places = survey_places()
    for row in read_table(path, columns):
        name = filled(row, "country").strip().replace(" ", "_")
        if name not in places:
            raise InputError(f"{row.where}: country is '{name}'; expected one of {', '.join(places)}.")
        options, whose = _by_letter(row, "choices"), _by_letter(row, "choice_countries")
        yield OptionQuestion(
            id=f"{places[name].place}-{filled(row, 'MCQID').strip()}",
            name=filled(row, "ID").strip(),
            place=places[name],
            topic=None,
            question=filled(row, "prompt").partition(_ASK)[0].strip(),
            options=tuple(options.values()),
            places=tuple(whose.values()),
            right=LETTERS.index(one_of(row, "answer_idx", LETTERS)),
            line=row.line,
        )


def _by_letter(row: DataRow, column: str) -> dict[str, str]:
    where = f"{row.where}: {column}"
    found = build(dict[str, str], parse_json(filled(row, column), where=where), where=where)
    if [*found] != [letter.upper() for letter in LETTERS]:
        raise InputError(f"{where} has {', '.join(found)}; expected A, B, C and D.")
    return found


# The same made of short answers.


def _made(folder: Path) -> Iterator[OptionQuestion]:
    whole = list(questions_of(folder))
    of_name: dict[str, list[tuple[SurveyPlace, SurveyQuestion]]] = {}
    for place, questions in whole:
        for question in questions:
            of_name.setdefault(question.name, []).append((place, question))
    for place, questions in whole:
        for question in questions:
            made = _options(place, question, of_name[question.name]) if _is_fit(question) else None
            if made is not None:
                yield made


def _is_fit(question: SurveyQuestion) -> bool:
    """True where people of the place agree on an answer, and hardly any had none."""
    return question.is_answered and question.top >= _LEAST_VOTES and question.unknown.total() <= _MOST_UNKNOWN


def _options(
    place: SurveyPlace, question: SurveyQuestion, everywhere: Sequence[tuple[SurveyPlace, SurveyQuestion]]
) -> OptionQuestion | None:
    """The question with its options in the order of the alphabet; None where other places bring too few."""
    gold = _best(question)
    if gold is None:
        return None
    chosen = {gold: place.english}
    others = [(other, asked) for other, asked in everywhere if other is not place]
    # Which places bring the options is drawn for each question, so that no place is the wrong one everywhere.
    for at in generator(_DRAW.child(question.id)).permutation(len(others)).tolist():
        other, asked = others[at]
        option = _best(asked) if asked.top >= _LEAST_VOTES else None
        if option is not None and _differs(option, question.answers, chosen):
            chosen[option] = other.english
        if len(chosen) == len(LETTERS):
            break
    if len(chosen) < len(LETTERS):
        return None
    ordered = sorted(chosen, key=str.casefold)
    return OptionQuestion(
        id=question.id,
        name=question.name,
        place=place,
        topic=question.topic,
        question=question.english,
        options=tuple(ordered),
        places=tuple(chosen[option] for option in ordered),
        right=ordered.index(gold),
    )


def _best(question: SurveyQuestion) -> str | None:
    """The most frequent answer in English; the first of several."""
    best = max(question.answers, key=lambda answer: answer.votes, default=None)
    return None if best is None else next(iter(best.texts.get(ENGLISH, ())), None)


def _differs(option: str, answers: Sequence[AcceptedAnswer], chosen: Mapping[str, str]) -> bool:
    """True for an option that nobody in the place gave, and that shares no word with one chosen before."""
    words = set(normal_form(option, ENGLISH))
    if not words or match_answer(option, answers, (ENGLISH,)) is not None:
        return False
    given = (text for answer in answers for text in answer.texts.get(ENGLISH, ()))
    return all(words.isdisjoint(normal_form(text, ENGLISH)) for text in (*given, *chosen))
