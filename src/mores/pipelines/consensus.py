"""Pairs of a question and a country on which asked people agree, out of responses as the World Values Survey has them.

A row a respondent: a column of the country (three letters), one of the weight, a column a question with the code of
the answer; codes below zero are no answers. For each question and country ─▶ the weighted share of the answer that most
gave, or of answers that count as one ─▶ kept where it is above the threshold. Nobody is asked anything.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np
import numpy.typing as npt

from mores.benchmarks.data_tables import hash_table, read_table
from mores.core.errors import InputError, UnknownName
from mores.core.table import sheet
from mores.norms.places import find
from mores.stats.intervals import wilson

COUNTRY, WEIGHT = "B_COUNTRY_ALPHA", "W_WEIGHT"
THRESHOLD, LEAST = 0.8, 100
"""Share above which SocialCC takes a value for a country's (its section 3.2), and respondents that a country needs."""

_LARGEST = 1_000_000_000
"""Codes and weights are below: sums of their squares are numbers."""


class ValuesOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of a search for values: the share that an answer must exceed, and the respondents that a country needs.

    Without `questions` all are looked at whose column is called Q and a number. `together` are codes of a question that
    count as one answer.
    """

    source: Path
    questions: tuple[str, ...] = ()
    together: Mapping[str, tuple[tuple[int, ...], ...]] | None = None
    threshold: float = THRESHOLD
    least: int = LEAST
    country: str = COUNTRY
    weight: str = WEIGHT


class MajorityAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Majority answer of a country to a question: codes, weighted share with interval, and the number of respondents.

    The interval is Wilson's with the number of respondents that the weights are worth.
    """

    question: str
    place: str
    codes: tuple[int, ...]
    share: float
    low: float
    high: float
    answered: int


class Values(msgspec.Struct, frozen=True, kw_only=True):
    """Result of a search for values: all pairs above the threshold, and the number of pairs examined.

    `few` pairs had too few respondents, and those of `unknown` countries were left out, by their names.
    """

    made_from: dict[str, str]
    respondents: int
    pairs: int
    kept: tuple[MajorityAnswer, ...]
    few: int
    unknown: dict[str, int]

    @property
    def table(self) -> bytes:
        """The pairs as CSV."""
        heads = ("question", "place", "codes", "share", "low", "high", "answered")
        return sheet(heads, map(_cells, self.kept), encoding="utf-8")


def _cells(value: MajorityAnswer) -> tuple[object, ...]:
    shares = (f"{number:.4f}" for number in (value.share, value.low, value.high))
    return (value.question, value.place, " ".join(map(str, value.codes)), *shares, value.answered)


def values_of(options: ValuesOptions) -> Values:
    """The pairs of a question and a country on which people agree, by question and place.

    Raises:
        InputError: a column is not there, a code is no number, or the threshold is no share above a half.
    """
    if not 0.5 < options.threshold < 1:
        raise InputError(f"--threshold {options.threshold}: expected a share above .5 and below 1.")
    columns = next(read_table(options.source, (options.country,))).cells
    questions = options.questions or tuple(name for name in columns if name[:1] == "Q" and name[1:].isdigit())
    if not questions:
        raise InputError(f"{options.source}: no column is a question (Q1, Q2 …); name them with --question.")
    answers, weights, unknown, respondents = _read(options, questions, weighted=options.weight in columns)
    kept, few = [], 0
    for (question, place), codes in sorted(answers.items()):
        if len(codes) < options.least or sum(weights[question, place]) == 0:
            few += 1
            continue
        value = _value(question, place, np.array(codes), np.array(weights[question, place]), options)
        if value.share > options.threshold:
            kept.append(value)
    return Values(
        made_from=hash_table(options.source), respondents=respondents, pairs=len(answers), kept=tuple(kept), few=few,
        unknown=dict(sorted(unknown.items())),
    )  # fmt: skip


_Key = tuple[str, str]


def _read(
    options: ValuesOptions, questions: Sequence[str], *, weighted: bool
) -> tuple[dict[_Key, list[int]], dict[_Key, list[float]], dict[str, int], int]:
    """Codes and weights by question and place, respondents of countries that are not known, and all respondents."""
    answers: dict[_Key, list[int]] = {}
    weights: dict[_Key, list[float]] = {}
    unknown: dict[str, int] = {}
    respondents = 0
    for row in read_table(options.source, (options.country, *questions)):
        respondents += 1
        name = row.cells[options.country].strip()
        try:
            place = find(name, where=row.where).id
        except UnknownName:
            unknown[name or "no country"] = unknown.get(name or "no country", 0) + 1
            continue
        weight = _number(row.cells[options.weight], options.weight, row.where) if weighted else 1.0
        if weight < 0:
            raise InputError(f"{row.where}: {options.weight} is {weight}; expected a weight from 0 up.")
        for question in questions:
            text = row.cells[question].strip()
            code = int(_number(text, question, row.where)) if text else -1
            if code >= 0:
                answers.setdefault((question, place), []).append(code)
                weights.setdefault((question, place), []).append(weight)
    return answers, weights, unknown, respondents


def _number(text: str, column: str, where: str) -> float:
    try:
        number = float(text)
    except ValueError:
        raise InputError(f"{where}: {column} is '{text[:60]}'; expected a number.") from None
    if not abs(number) <= _LARGEST:
        raise InputError(f"{where}: {column} is '{text[:60]}'; expected a number up to {_LARGEST:,}.")
    return number


def _value(
    question: str, place: str, codes: npt.NDArray[np.int64], weights: npt.NDArray[np.float64], options: ValuesOptions
) -> MajorityAnswer:
    """The answer of most, with its weighted share."""
    groups = (options.together or {}).get(question, ())
    single = [(int(code),) for code in np.unique(codes) if not any(code in group for group in groups)]
    shares = {group: float(weights[np.isin(codes, group)].sum() / weights.sum()) for group in (*groups, *single)}
    # Of equal shares the one with the smallest code, in whatever order the file has them.
    best = max(shares, key=lambda group: (shares[group], [-code for code in group]))
    # Kish's effective sample size: weights that differ tell less than as many equal respondents.
    effective_n = float(weights.sum() ** 2 / np.square(weights).sum())
    interval = wilson(shares[best] * effective_n, effective_n)
    return MajorityAnswer(question=question, place=place, codes=best, share=shares[best], low=interval.low or 0.0,
                 high=interval.high or 1.0, answered=len(codes))  # fmt: skip
