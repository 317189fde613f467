"""BLEnD's files as it released them: questions of 16 places in two languages, and what five people answered to each.

annotations/PLACE_data.json, questions/PLACE_questions.csv ─▶ `SurveyQuestion`. In the second `Question` is in the local
language and `Translation` in English, contrary to what is written beside them; both have the same questions.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct, field

from mores.benchmarks.blend.matching import AcceptedAnswer
from mores.benchmarks.data_tables import filled, read_table
from mores.core.codec import build, parse_json, read_text, read_toml
from mores.core.errors import InputError, MissingData
from mores.core.languages import ENGLISH, language_of
from mores.data.sources import source_of

PLACES = Path(__file__).with_name("places.toml")
ANNOTATORS = 5
"""People who were asked each question, by the paper; a few answers have a vote more."""
_LAYOUT = (
    "the two files of each place, such as annotations/Algeria_data.json and questions/Algeria_questions.csv (in a "
    "checkout data/annotations/Algeria_data.json)"
)
_NOT_ASKED = 3
"""Votes for no answer, or for a question that does not apply, from which a question is left out of accuracy."""
_NOBODY = 5
"""Votes for not knowing from which it is."""


class SurveyPlace(Struct, frozen=True, kw_only=True):
    """A place of BLEnD; `part` names the part of a country whose people were asked, where that has no code.

    `mask` has what stands for the place's names in its language, and `names` what must not be left of them.
    """

    place: str
    language: str
    english: str
    locale: str = ""
    part: str = ""
    names: tuple[str, ...] = ()
    mask: dict[str, str] = field(default_factory=dict)

    @property
    def code(self) -> str:
        """Code of its locale at SemEval."""
        return self.locale or self.language


class SurveyQuestion(NamedTuple):
    """A question of a place, in its language and in English, with what people there answered.

    `unknown` counts those who gave no answer, by what they said instead. As released, one question of China has no
    words in Chinese.
    """

    id: str
    name: str
    topic: str
    local: str
    english: str
    answers: tuple[AcceptedAnswer, ...]
    unknown: Counter[str]
    where: str

    @property
    def is_answered(self) -> bool:
        """True where people could answer it, by the rule of the released evaluation."""
        none = self.unknown.get("no-answer", 0) + self.unknown.get("not-applicable", 0)
        return bool(self.answers) and none < _NOT_ASKED and self.unknown.get("idk", 0) < _NOBODY

    @property
    def top(self) -> int:
        """Votes for the most frequent answer."""
        return max((answer.votes for answer in self.answers), default=0)

    @property
    def annotators(self) -> int:
        """People who were asked; more than usual where an answer has more votes."""
        return max(ANNOTATORS, self.top)


class _Annotation(Struct, frozen=True):
    answers: tuple[str, ...]
    en_answers: tuple[str, ...]
    count: int


class _Annotated(Struct, frozen=True):
    question: str
    en_question: str
    annotations: tuple[_Annotation, ...]
    idks: dict[str, int]


@cache
def survey_places() -> Mapping[str, SurveyPlace]:
    """The places by the name of their files."""
    return build(dict[str, SurveyPlace], read_toml(PLACES), where=PLACES.name)


def folder_of(data: Path | None, benchmark: str, other: str = "") -> Path:
    """The folder that has `annotations` and `questions`: the given one, or `data` in a checkout.

    Args:
        data: What the run names.
        benchmark: Its name, for the message.
        other: What else would do, for the message.

    Raises:
        MissingData: no data was named, or neither has them.
    """
    wanted = f"{other}, or {_LAYOUT}" if other else _LAYOUT
    if data is None:
        name = source_of(benchmark)
        raise MissingData(
            f"{benchmark} needs its data: --data DIR with {wanted}, or --data {name} after mores data fetch {name}; "
            f"see mores show {benchmark}."
        )
    for folder in (data, data / "data"):
        if any(_annotations(folder, name).is_file() for name in survey_places()):
            return folder
    raise MissingData(f"--data {data}: no data of {benchmark} there; expected {wanted}.")


def files_of(folder: Path) -> Iterator[tuple[str, Path, Path]]:
    """Name, annotations and questions of each place whose annotations are there."""
    for name in survey_places():
        path = _annotations(folder, name)
        if path.is_file():
            yield name, path, folder / "questions" / f"{name}_questions.csv"


def _annotations(folder: Path, name: str) -> Path:
    return folder / "annotations" / f"{name}_data.json"


def questions_of(folder: Path) -> Iterator[tuple[SurveyPlace, tuple[SurveyQuestion, ...]]]:
    """The questions of each place whose files are there, in their order.

    Raises:
        InputError: a file is missing or malformed, or both files of a place do not have the same questions.
    """
    for name, annotations, questions in files_of(folder):
        place = survey_places()[name]
        yield place, tuple(_questions(place, annotations, questions))


def _questions(place: SurveyPlace, annotations: Path, questions: Path) -> Iterator[SurveyQuestion]:
    topics = {filled(row, "ID"): filled(row, "Topic") for row in read_table(questions, ("ID", "Topic"))}
    found = _read(annotations)
    for number, (name, annotated) in enumerate(found.items(), start=1):
        where = f"{annotations}: '{name}'"
        if name not in topics:
            raise InputError(f"{where}: no such ID in {questions}; expected the same questions in both files.")
        if not annotated.en_question.strip():
            raise InputError(f"{where}: en_question is empty; expected text.")
        unknown = Counter({key.strip().casefold(): count for key, count in annotated.idks.items() if count})
        yield SurveyQuestion(
            id=f"{place.place}-{name}", name=name, topic=topics[name], local=annotated.question.strip(),
            english=annotated.en_question.strip(), answers=tuple(_answers(annotated, place, where)), unknown=unknown,
            where=f"{annotations}:{number}",
        )  # fmt: skip


def _answers(annotated: _Annotated, place: SurveyPlace, where: str) -> Iterator[AcceptedAnswer]:
    language = language_of(place.language).subtag
    for each in annotated.annotations:
        if each.count < 1:
            raise InputError(f"{where}: count is {each.count}; expected 1 or more.")
        texts = {language: _spellings(each.answers), ENGLISH: _spellings(each.en_answers)}
        if any(texts.values()):
            yield AcceptedAnswer(texts={key: some for key, some in texts.items() if some}, votes=each.count)


def _spellings(texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text.strip() for text in texts if text.strip()))


def _read(path: Path) -> dict[str, _Annotated]:
    return build(dict[str, _Annotated], parse_json(read_text(path), where=str(path)), where=str(path))
