"""CulturalBench: four options to choose from (easy), or four statements to judge one by one (hard).

Hard counts a question only if all four judgements are right. A region's accuracy is the unweighted mean of its
countries' accuracies in per cent, each rounded to two decimals first, as the paper's tables were made.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import groupby
from math import factorial
from pathlib import Path

import numpy as np
from msgspec import structs

from mores.analysis.aggregate import Slice, mean
from mores.analysis.units import means_by
from mores.benchmarks.benchmark import Setting
from mores.benchmarks.controls import WITHOUT_PLACE
from mores.benchmarks.data_tables import DataRow, filled, find_table, hash_table, one_of, read_table
from mores.benchmarks.scoring import MetricDefinition
from mores.benchmarks.shapes.closed_question import ClosedBenchmark, ClosedItem, QuestionFormat, permuted
from mores.benchmarks.shapes.human_baseline import AnnotatorVote, people_measures
from mores.benchmarks.shapes.scoring import CLOSED, VerdictSource
from mores.core.arrays import Floats, Mask
from mores.core.card import Card
from mores.core.errors import InputError
from mores.core.estimate import Estimate, Missing
from mores.core.prompt import Prompt, ReadPrompt
from mores.core.transcript import ItemMetadata
from mores.norms.places import find

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
    """People's answers, by the run's file of votes; empty where it names no file.

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
    answer = row.cells["answer"].strip().casefold()
    if answer in _NONE:
        return frozenset()
    if not _ANSWER.fullmatch(answer):
        raise InputError(
            f"{row.where}: answer is '{row.cells['answer']}'; expected letters of statements such as b, or a|c, and "
            "nothing where nothing was answered."
        )
    return frozenset(re.findall("[a-d]", answer))


def describe_columns(setting: Setting, questions: frozenset[str]) -> tuple[str, ...]:
    """Counts of questions in the files that the run names, a sentence each.

    Raises:
        InputError: nothing in a file is of any question.
    """
    sentences = []
    if (path := _named(setting, TOPICS)) is not None:
        topics = topics_of(setting)
        some, left = _matched(path, topics.keys(), questions)
        sentences.append(f"Topics of {_name(path)}: {some} of {len(questions):,} questions have one{left}.")
    if (path := _named(setting, PEOPLE)) is not None:
        votes = votes_of(setting)
        asked = {vote.question for vote in votes}
        (some, left), people = _matched(path, asked, questions), len({vote.annotator for vote in votes})
        sentences.append(
            f"People's answers of {_name(path)}: {len(votes):,} by {people:,} annotators to {some} of "
            f"{len(questions):,} questions{left}."
        )
    return tuple(sentences)


def _matched(path: Path, named: AbstractSet[str], questions: frozenset[str]) -> tuple[str, str]:
    """Number of questions that a file names, and of things that are none, in words."""
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
    file = setting.protocol.settings.get(option, "")
    if not file:
        return None
    if not Path(file).is_file():
        raise InputError(f"--set {option}={file}: no such file; expected a CSV of question_idx and more.")
    return Path(file)


HERE = Path(__file__).parent
LETTERS = ("a", "b", "c", "d")
SETUPS = "mores.benchmarks.culturalbench.analysis:CULTURALBENCH_ANALYSIS"
ID_COLUMNS = {"easy": "question_idx", "hard": "data_idx"}
OPTIONS = tuple(f"prompt_option_{letter}" for letter in LETTERS)


def benchmark(name: str, words: ReadPrompt = Prompt.read) -> ClosedBenchmark:
    """One of `easy` and `hard`."""
    prompt = words(HERE / f"{name}.prompt.md")
    if name == "easy":
        form = QuestionFormat(prompt=prompt, slots=("question", *LETTERS), label_texts={x: x.upper() for x in LETTERS})
        questions, truths = _read_easy, _truths_of_easy
    else:
        ways = {"true": "True", "false": "False"}
        form = QuestionFormat(prompt=prompt, slots=("question", "statement"), label_texts=ways, affirmative="true")
        questions, truths = _read_hard, _truths_of_hard

    def tell(setting: Setting) -> tuple[str, ...]:
        if not any(map(setting.protocol.settings.get, (TOPICS, PEOPLE))):
            return ()
        return describe_columns(setting, frozenset(question_of(each.about.unit) for each in questions(setting, form)))

    def read(setting: Setting) -> Iterator[ClosedItem]:
        tell(setting)  # columns that do not fit are refused before anything is asked
        return questions(setting, form)

    def people(setting: Setting) -> dict[str, MetricDefinition[VerdictSource]]:
        votes = () if setting.data is None else votes_of(setting)
        left = _left_out() if setting.protocol.settings.get("stop") == "wrong" else {}
        return left | people_measures(votes, truths(setting) if votes else {}, question_of=question_of)

    return ClosedBenchmark(
        card=Card.read(HERE / f"{name}.card.toml"), forms=(form,), read=read, tell=tell, measures=MEASURES,
        brought=people, orders=factorial(len(LETTERS)) if name == "easy" else 1, sections=(SETUPS,),
        controls=WITHOUT_PLACE, ids=lambda item: {ID_COLUMNS[name]: item.about.item.removeprefix(f"{name}-")},
    )  # fmt: skip


def _left_out() -> dict[str, MetricDefinition[VerdictSource]]:
    """Metrics that need all statements: those that were asked until one was wrong are no sample of them."""
    return {name: MetricDefinition(lambda _: STOPPED) for name in OF_STATEMENTS}


def _truths_of_easy(setting: Setting) -> dict[str, frozenset[str]]:
    """The letters of the statements that are true, by question_idx, as the published order has them."""
    return {row.cells["question_idx"].strip(): _true_of_easy(row) for row in _easy_rows(setting)}


def _truths_of_hard(setting: Setting) -> dict[str, frozenset[str]]:
    found: dict[str, list[str]] = {}
    for row in _hard_rows(setting):
        found.setdefault(row.cells["question_idx"].strip(), []).append(one_of(row, "answer", ("true", "false")))
    return {
        index: frozenset(letter for letter, gold in zip(LETTERS, golds, strict=True) if gold == "true")
        for index, golds in found.items()
    }


def _true_of_easy(row: DataRow) -> frozenset[str]:
    """The gold letter; where options name statements of the question, those that the gold one names."""
    gold = one_of(row, "answer", LETTERS)
    if not _several(row.cells["prompt_question"]):
        return frozenset(gold)
    named = (name.strip(" ()") for name in row.cells[f"prompt_option_{gold}"].split(","))
    return frozenset(LETTERS[NUMERALS.index(name)] for name in named if name in NUMERALS)


def _several(question: str) -> bool:
    """True if a question lists statements for its options to name."""
    return "(i)" in question and "(iv)" in question


def _easy_rows(setting: Setting) -> Iterator[DataRow]:
    path = find_table(setting.data, ("culturalbench-easy.csv", "CulturalBench-Easy.csv"), "culturalbench/easy")
    return read_table(path, ("question_idx", "prompt_question", *OPTIONS, "answer", "country"))


def _read_easy(setting: Setting, form: QuestionFormat) -> Iterator[ClosedItem]:
    topics = topics_of(setting)
    return (_easy(row, setting, form, topics) for row in _easy_rows(setting))


def _groups(index: str, topics: Mapping[str, str], *, several: bool) -> dict[str, str]:
    topic = topics.get(index.strip())
    return {"mode": "multi" if several else "single"} | ({} if topic is None else {"topic": topic})


def _easy(row: DataRow, setting: Setting, form: QuestionFormat, topics: Mapping[str, str]) -> ClosedItem:
    gold = one_of(row, "answer", LETTERS)
    index, question = filled(row, "question_idx"), filled(row, "prompt_question")
    options = [row.cells[option] for option in OPTIONS]
    item = f"easy-{index}"
    order = permuted(len(LETTERS), item, setting)
    options, gold = [options[i] for i in order], LETTERS[list(order).index(LETTERS.index(gold))]
    country = filled(row, "country")
    about = ItemMetadata(
        item=item, unit=item, cluster=item, place=find(country, where=row.where).id,
        groups=_groups(index, topics, several=_several(question)),
    )  # fmt: skip
    return ClosedItem(
        about=about,
        form=form,
        words=(question, *options),
        gold=gold,
        knowledge=f"culturalbench-{index}",
        line=row.line,
        options=option_texts(question, options),
        place_name=country,
        drawn=f"question-{index}",
    )


def option_texts(question: str, options: Sequence[str]) -> tuple[str, ...]:
    """Texts of options: one that only names statements of its question ("ii, iii") has the texts of these.

    >>> option_texts("Which do people eat? (i) Rice. (ii) Bread.", ("i", "i, ii", "Fish"))
    ('Rice', 'Rice; Bread', 'Fish')
    """
    _, *parts = NUMERAL.split(question)
    statements = dict(zip(parts[::2], (text.strip(" \n.;,") for text in parts[1::2]), strict=True))
    named = [[name.strip(" ()") for name in option.split(",")] for option in options]
    return tuple(
        "; ".join(statements[name] for name in names) if statements.keys() >= set(names) else option
        for names, option in zip(named, options, strict=True)
    )


NUMERALS = ("i", "ii", "iii", "iv")
NUMERAL = re.compile(r"\((i{1,3}|iv)\)")


def _hard_rows(setting: Setting) -> Iterator[DataRow]:
    path = find_table(setting.data, ("culturalbench-hard.csv", "CulturalBench-Hard.csv"), "culturalbench/hard")
    return read_table(path, ("data_idx", "question_idx", "prompt_question", "prompt_option", "answer", "country"))


def _read_hard(setting: Setting, form: QuestionFormat) -> Iterator[ClosedItem]:
    rows, topics = _hard_rows(setting), topics_of(setting)
    seen: set[str] = set()
    # `groupby` joins neighbours alone, so a question that comes up again later is found and refused.
    for index, group in groupby(rows, key=lambda row: row.cells["question_idx"]):
        statements = list(group)
        if index in seen:
            raise InputError(
                f"{statements[0].where}: question_idx '{index}' stands twice; expected four rows together."
            )
        seen.add(index)
        yield from _hard(index, statements, form, topics)


def _hard(index: str, rows: list[DataRow], form: QuestionFormat, topics: Mapping[str, str]) -> list[ClosedItem]:
    """The four statements of one question."""
    golds = [one_of(row, "answer", ("true", "false")) for row in rows]
    if len(rows) != 4 or "true" not in golds:
        raise InputError(
            f"{rows[0].where}: question_idx '{index}' has {len(rows)} rows, {golds.count('true')} of them TRUE; "
            "expected four rows together, at least one TRUE."
        )
    stray = [row for row in rows if row.cells["country"] != rows[0].cells["country"]]
    if stray:
        raise InputError(
            f"{stray[0].where}: country is '{stray[0].cells['country']}'; expected '{rows[0].cells['country']}', "
            f"as in the first row of question_idx '{index}'."
        )
    place = find(filled(rows[0], "country"), where=rows[0].where).id
    unit, known = f"question-{index}", f"culturalbench-{index}"
    question = filled(rows[0], "prompt_question")
    groups = _groups(index, topics, several=golds.count("true") > 1)
    return [
        ClosedItem(
            about=ItemMetadata(
                item=f"hard-{filled(row, 'data_idx')}", unit=unit, cluster=unit, place=place, groups=groups
            ),
            form=form,
            words=(question, filled(row, "prompt_option")),
            gold=gold,
            knowledge=known,
            line=row.line,
        )
        for row, gold in zip(rows, golds, strict=True)
    ]


STOPPED = Missing(code="rest_not_asked")
OF_STATEMENTS = (
    "item_accuracy",
    "accuracy_strict",
    "accuracy_lenient",
    "f1_micro",
    "f1_macro",
    "format_error",
    "refusal",
)


def paper_regions(piece: Slice) -> Estimate:
    """The mean of units; a region's, and its bounds, are made from its places' rounded ones, as in the paper."""
    found, units = mean(piece), piece.units
    if piece.group.kind != "region" or found.value is None:
        return found
    place = units.keys.place.codes

    def of_places(values: Floats, kept: Mask) -> float:
        means = means_by(place[kept], values[kept], int(place.max()) + 1)
        shares: list[float] = means[np.isfinite(means)].tolist()
        # The paper rounds places to two digits of a percentage; the inner rounding takes off bits that would tip that.
        return round(sum(round(100 * round(share, 10), 2) for share in shares) / len(shares) / 100, 10)

    return structs.replace(
        found,
        value=of_places(units.value, piece.inside & units.graded),
        worst=of_places(units.least, piece.inside),
        best=of_places(units.most, piece.inside),
    )


MEASURES = {
    name: structs.replace(CLOSED[name], aggregate=paper_regions)
    for name in ("accuracy", "item_accuracy", "accuracy_strict", "accuracy_lenient")
}
"""Accuracies as the paper's tables count them."""
