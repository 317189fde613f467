"""Columns that a user brings: a topic for each question, and what people answered.

The published data have neither. Both are keyed by question_idx; what matches no question is counted, and a file that
matches none is refused.
"""

import re
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from pathlib import Path

from mores.benchmarks.benchmark import Setting
from mores.benchmarks.data_tables import DataRow, filled, hash_table, read_table
from mores.benchmarks.shapes.human_baseline import AnnotatorVote
from mores.core.errors import InputError

TOPICS, PEOPLE = "topics", "people"
"""Names of the options."""
_ANSWER = re.compile(r"[a-d](?:[\s,;|/+]*[a-d])*")
_NONE = frozenset({"", "-", "none", "i don't know"})


def question_of(unit: str) -> str:
    """The question_idx of a unit of either setup, which both share."""
    return unit.partition("-")[2]


def topics_of(setting: Setting) -> Mapping[str, str]:
    """The topic of each question that the run's file of topics has one for; empty where it names no file.

    Raises:
        InputError: the file cannot be read, or gives a question two topics.
    """
    path, found = _named(setting, TOPICS), dict[str, str]()
    for row in () if path is None else read_table(path, ("question_idx", "topic")):
        index, topic = filled(row, "question_idx").strip(), row.cells["topic"].strip()
        if topic and found.setdefault(index, topic) != topic:
            raise InputError(
                f"{row.where}: question_idx '{index}' has the topic '{topic}', and '{found[index]}' before."
            )
    return found


def votes_of(setting: Setting) -> tuple[AnnotatorVote, ...]:
    """What people answered, by the run's file of votes; empty where it names no file.

    Raises:
        InputError: the file cannot be read, an answer is malformed, or an annotator answers a question twice.
    """
    path = _named(setting, PEOPLE)
    rows = () if path is None else read_table(path, ("question_idx", "annotator", "answer"))
    found: dict[tuple[str, str], AnnotatorVote] = {}
    for row in rows:
        vote = AnnotatorVote(filled(row, "question_idx").strip(), filled(row, "annotator").strip(), _letters(row))
        if found.setdefault(vote[:2], vote) is not vote:
            raise InputError(f"{row.where}: annotator '{vote.annotator}' answers question_idx '{vote.question}' twice.")
    return tuple(found.values())


def _letters(row: DataRow) -> frozenset[str]:
    told = row.cells["answer"].strip().casefold()
    if told in _NONE:
        return frozenset()
    if not _ANSWER.fullmatch(told):
        raise InputError(
            f"{row.where}: answer is '{row.cells['answer']}'; expected letters of statements such as b, or a|c, and "
            "nothing where nothing was answered."
        )
    return frozenset(re.findall("[a-d]", told))


def describe_columns(setting: Setting, questions: frozenset[str]) -> tuple[str, ...]:
    """What the files that the run names have of its questions, a sentence each.

    Raises:
        InputError: nothing in a file is of any question.
    """
    told = []
    if (path := _named(setting, TOPICS)) is not None:
        topics = topics_of(setting)
        some, left = _matched(path, topics.keys(), questions)
        told.append(f"Topics of {_name(path)}: {some} of {len(questions):,} questions have one{left}.")
    if (path := _named(setting, PEOPLE)) is not None:
        votes = votes_of(setting)
        asked = {vote.question for vote in votes}
        (some, left), people = _matched(path, asked, questions), len({vote.annotator for vote in votes})
        told.append(
            f"People's answers of {_name(path)}: {len(votes):,} by {people:,} annotators to {some} of "
            f"{len(questions):,} questions{left}."
        )
    return tuple(told)


def _matched(path: Path, named: AbstractSet[str], questions: frozenset[str]) -> tuple[str, str]:
    """How many questions a file names, and how many things that are none, in words."""
    some, unknown = len(named & questions), len(named - questions)
    if not some:
        example = min(questions, default="0")
        raise InputError(f"{path}: no question_idx of it is one of the data's; expected such as '{example}'.")
    return f"{some:,}", f"; {unknown:,} that it names are no questions of the data" if unknown else ""


def _name(path: Path) -> str:
    """The file's name with the beginning of its hash."""
    ((name, sha),) = hash_table(path).items()
    return f"{name} ({sha[:12]})"


def _named(setting: Setting, option: str) -> Path | None:
    told = setting.protocol.settings.get(option, "")
    if not told:
        return None
    if not Path(told).is_file():
        raise InputError(f"--set {option}={told}: no such file; expected a CSV of question_idx and more.")
    return Path(told)
