"""SemEval-2026 Task 7: short answers of 61 locales and questions with four options of 30, in the layout of its gold.

reference file (id, answer) + questions (id, question) ─▶ items. The gold may be used for research alone and is not
passed on; the questions stand on CodaBench, those of BLEnD's places in BLEnD's own files, in the same order. A cell may
hold line breaks within quotes, so that rows are read as CSV and never by lines.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple
from zipfile import BadZipFile, ZipFile

from mores.benchmarks.benchmark import Benchmark, Setting
from mores.benchmarks.blend.data import files_of, questions_of
from mores.benchmarks.blend.matching import AcceptedAnswer
from mores.benchmarks.blend.short_answer import ShortAnswerBenchmark, ShortAnswerItem
from mores.benchmarks.controls import WITHOUT_PLACE
from mores.benchmarks.data_tables import DataRow, filled, find_table, hash_tables, one_of, read_table, rows_of
from mores.benchmarks.shapes.closed_question import ClosedBenchmark, ClosedItem, QuestionFormat, permuted
from mores.core.card import Card
from mores.core.errors import InputError
from mores.core.languages import ENGLISH, language_of
from mores.core.prompt import Prompt, ReadPrompt
from mores.core.table import scan_table
from mores.core.transcript import ItemMetadata
from mores.norms.places import place

HERE = Path(__file__).parent
NO_ANSWER = "no_answer"
"""The option that says what is done where people's answer is that there is none."""
LETTERS = ("a", "b", "c", "d")
_ID = re.compile(r"([a-z]{2})-([A-Z]{2})_(\d+)")
_PARTS = {"AS": "IN-AS", "JB": "ID-JB", "PV": "ES-PV"}
"""Codes of regions that are none of ISO 3166-1: Assam, West Java, the Basque Country."""
_NONE = "no answer"
_QUESTIONS = {"blend/semeval_saq": "saq_questions.tsv", "blend/semeval_mcq": "mcq_questions.tsv"}
"""Names of the files of questions beside the gold."""
_NORTH = {"NG": "northern Nigeria"}
"""Parts of a country whose people were asked, where they have no code."""


class Locale(NamedTuple):
    """A locale of the task: the tag of its language, and its place."""

    language: str
    place: str


def locale_of(code: str) -> Locale:
    """The locale of a code such as `as-AS`, whose region need not be one of ISO's.

    >>> locale_of("as-AS"), locale_of("en-JB")
    (Locale(language='as-IN', place='IN-AS'), Locale(language='en', place='ID-JB'))
    """
    language, _, region = code.partition("-")
    where = _PARTS.get(region, region)
    country = where.partition("-")[0]
    # English is asked about most places, and is hardly anywhere an English of their own.
    own = ENGLISH if language == ENGLISH else f"{language}-{country}"
    return Locale(language_of(own).tag, place(where).id)


class _Reference(NamedTuple):
    """A row of the gold: its id in parts, and its answer as it stands."""

    id: str
    locale: Locale
    number: str
    answer: str
    row: DataRow


def _references(setting: Setting, card: Card) -> Iterator[_Reference]:
    """The rows of the gold, out of the archive that is published or of the file in it."""
    path = find_table(setting.data, card.files, card.name)
    rows = rows_of(path, ("id", "answer"), scan_table(*_unpacked(path)))
    for row in rows:
        name = filled(row, "id").strip()
        parts = _ID.fullmatch(name)
        if parts is None:
            raise InputError(f"{row.where}: id is '{name}'; expected such as am-ET_001.")
        yield _Reference(name, locale_of(f"{parts[1]}-{parts[2]}"), parts[3], filled(row, "answer").strip(), row)


def _unpacked(path: Path) -> tuple[Path, str | None]:
    """The path and text of the table in an archive; those of a file are itself and nothing."""
    if path.suffix != ".zip":
        return path, None
    try:
        with ZipFile(path) as archive:
            names = [name for name in archive.namelist() if name.endswith("_reference.tsv") and "/" not in name]
            if len(names) != 1:
                raise InputError(f"{path}: {len(names)} files end in _reference.tsv; expected one.")
            return path / names[0], archive.read(names[0]).decode("utf-8-sig")
    except (BadZipFile, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read ({error}).") from error


# Questions, which are not with the gold.


def _folder(setting: Setting) -> Path:
    """The folder that the gold is in."""
    if setting.data is None:  # as the gold was found, there is one
        return Path()
    return setting.data if setting.data.is_dir() else setting.data.parent


def _questions(setting: Setting, card: Card) -> Mapping[str, DataRow]:
    """The rows of the file of questions, by id.

    Raises:
        InputError: there is no such file, or an id stands twice.
    """
    path = _folder(setting) / _QUESTIONS[card.name]
    if not path.is_file():
        raise InputError(
            f"{path}: no such file; expected the questions beside the gold, a table with id and question, as given out "
            f"on CodaBench; see mores show {card.name}."
        )
    found: dict[str, DataRow] = {}
    for row in read_table(path, ("id", "question")):
        if found.setdefault(filled(row, "id").strip(), row) is not row:
            raise InputError(f"{row.where}: id '{row.cells['id']}' stands twice; expected once.")
    return found


def _texts(setting: Setting, card: Card) -> Mapping[str, str]:
    """The question of each id: out of a file, or of BLEnD's own files for its places, which have the same order."""
    folder = _folder(setting)
    if not (folder / _QUESTIONS[card.name]).is_file() and any(True for _ in files_of(folder)):
        return dict(_of_blend(folder))
    return {name: filled(row, "question").strip() for name, row in _questions(setting, card).items()}


def _of_blend(folder: Path) -> Iterator[tuple[str, str]]:
    for place_, questions in questions_of(folder):
        region = place_.code.partition("-")[2]
        for number, question in enumerate(questions, start=1):
            if language_of(place_.language).subtag != ENGLISH:
                yield f"en-{region}_{number:03}", question.english
            yield f"{place_.code}_{number:03}", question.local


# Short answers.


def short_answers(words: ReadPrompt) -> ShortAnswerBenchmark:
    """Short answers in the languages of 34 locales, and in English about 27."""
    card = Card.read(HERE / "semeval_saq.card.toml")
    paths = sorted(HERE.glob("semeval_saq.*.prompt.md"))
    asking = {path.name.split(".")[1]: words(path) for path in paths}
    return ShortAnswerBenchmark(
        card=card,
        read=lambda setting: _short_items(setting, card, asking),
        asking=tuple(asking.values()),
        grading=words(HERE / "judge.prompt.md"),
        voted=False,
        trace=lambda setting: _sources(setting, card),
        tell=lambda setting: tuple(_remarks(setting, card)),
        sections=("mores.benchmarks.blend.analysis:BLEND_ANALYSIS",),
        ids=lambda item: {"id": item.about.item},
    )


def _short_items(setting: Setting, card: Card, asking: Mapping[str, Prompt]) -> Iterator[ShortAnswerItem]:
    out = setting.protocol.settings.get(NO_ANSWER, "out") == "out"
    of_locale: dict[Locale, list[tuple[_Reference, tuple[str, ...]]]] = {}
    for reference in _references(setting, card):
        answers = tuple(dict.fromkeys(text for each in reference.answer.split(";") if (text := each.strip())))
        of_locale.setdefault(reference.locale, []).append((reference, answers))
    texts = _texts(setting, card)
    for locale, some in of_locale.items():
        language = language_of(locale.language).subtag
        if language not in asking:
            raise InputError(f"{some[0][0].row.where}: no prompt in '{language}'; known are {', '.join(asking)}.")
        firsts = [next((text for text in answers if text != _NONE), "") for _, answers in some]
        for at, (reference, answers) in enumerate(some):
            question = texts.get(reference.id, "")
            if question:
                left = out and _NONE in answers
                yield ShortAnswerItem(
                    about=_about(reference, language=language),
                    prompt=asking[language],
                    words={"question": question},
                    language=locale.language,
                    read_in=(language,),
                    question=question,
                    accepted=tuple(AcceptedAnswer(texts={language: (text,)}) for text in answers),
                    annotators=1,
                    answered=not left,
                    others=tuple(filter(None, (*firsts[at + 1 :], *firsts[:at])))[:9],
                    knowledge=reference.id.partition("-")[2],
                    line=reference.row.line,
                )


def _about(reference: _Reference, *, language: str = "") -> ItemMetadata:
    part = {"subnational": _NORTH[reference.locale.place]} if reference.locale.place in _NORTH else {}
    asked = {"language": language} if language else {}
    return ItemMetadata(
        item=reference.id, unit=reference.id, cluster=reference.number, place=reference.locale.place,
        groups={**asked, **part},
    )  # fmt: skip


def _sources(setting: Setting, card: Card) -> dict[str, str]:
    """The gold and the questions, each with its hash."""
    gold, questions = find_table(setting.data, card.files, card.name), _folder(setting) / _QUESTIONS[card.name]
    of_blend = (file for _, *files in files_of(_folder(setting)) for file in files if file.is_file())
    return hash_tables([gold, *([questions] if questions.is_file() else of_blend)])


def _remarks(setting: Setting, card: Card) -> Iterator[str]:
    every, texts = list(_references(setting, card)), _texts(setting, card)
    asked = [each for each in every if texts.get(each.id)]
    none = sum(_NONE in each.answer.split(";") for each in asked)
    yield f"{len(asked):,} of {len(every):,} references have a question here; the others are not asked."
    if setting.protocol.settings.get(NO_ANSWER, "out") == "out":
        yield (
            f"In {none:,} of them that there is no answer is accepted too: they are no part of the accuracy, and stand "
            f"beside (says_unknown). --set {NO_ANSWER}=accepted counts them as the task did."
        )
    if not setting.protocol.words:
        yield (
            "The words around the questions are mores' own and, but for English, were read by no speaker of the "
            "language yet; no claim between languages rests on them alone."
        )
    yield "The gold is for research alone: no training, no few-shot examples, no redistribution."
    yield "North Korea's answers are those of people who left it."


# Questions with options.


def four_options(words: ReadPrompt) -> ClosedBenchmark:
    """Questions with four options about 30 regions, in English."""
    card = Card.read(HERE / "semeval_mcq.card.toml")
    form = QuestionFormat(
        prompt=words(HERE / "semeval_mcq.prompt.md"),
        slots=("question", *LETTERS),
        label_texts={letter: letter.upper() for letter in LETTERS},
    )
    return ClosedBenchmark(
        card=card,
        forms=(form,),
        read=lambda setting: _closed_items(setting, card, form),
        orders=24,
        trace=lambda setting: _sources(setting, card),
        controls=WITHOUT_PLACE,
        ids=lambda item: {"id": item.about.item},
    )


def _closed_items(setting: Setting, card: Card, form: QuestionFormat) -> Iterator[ClosedItem]:
    references = list(_references(setting, card))
    asked = _questions(setting, card)
    for reference in references:
        if reference.id not in asked:
            continue
        row = asked[reference.id]
        options = _options(row)
        gold = LETTERS.index(one_of(reference.row, "answer", LETTERS))
        order = permuted(len(LETTERS), reference.id, setting)
        yield ClosedItem(
            about=_about(reference),
            form=form,
            words=(filled(row, "question").strip(), *(options[at] for at in order)),
            gold=LETTERS[list(order).index(gold)],
            line=reference.row.line,
            options=tuple(options[at] for at in order),
            place_name=place(reference.locale.place).name,
        )


def _options(row: DataRow) -> tuple[str, ...]:
    """The options of a row: in columns A to D, or in one with a line each.

    Raises:
        InputError: there are not four.
    """
    by_letter = {name.casefold().removeprefix("option_"): text.strip() for name, text in row.cells.items()}
    found = tuple(by_letter.get(letter, "") for letter in LETTERS)
    if not any(found):
        found = tuple(filter(None, map(str.strip, row.cells.get("multiple_choice_options", "").split("\n"))))
    if len(found) != len(LETTERS) or not all(found):
        raise InputError(
            f"{row.where}: {len([*filter(None, found)])} options; expected four, in columns A, B, C and D."
        )
    return found


def benchmark(name: str, words: ReadPrompt = Prompt.read) -> Benchmark:
    """One of `semeval_saq` and `semeval_mcq`."""
    return short_answers(words) if name == "semeval_saq" else four_options(words)
