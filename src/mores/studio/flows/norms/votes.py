"""Opinions of people on norms, counted, and as rows of files.

Who does not know stays among the asked, as in a check of questions: a norm that nobody there has heard of is none that
people agree with.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from mores.norms.pack import NormSurvey
from mores.stats.intervals import wilson
from mores.studio.flows.norms.answers import HOLDS, LETTERS, STRENGTHS, WHOM, read_words, step_of
from mores.studio.work.records import ItemRecord

CsvRow = dict[str, object]
RUNGS = ("know", "judge", "explain")


def counted(item: ItemRecord) -> NormSurvey:
    """Number of people who were asked about a norm, and of each opinion."""
    opinions = Counter(str(each.answer["holds"]) for each in item.counted)
    norm = read_words(item.payload).id
    return NormSurvey(norm=norm, asked=len(item.counted), **{word: opinions[word] for word in HOLDS})


def surveys_of(items: Sequence[ItemRecord]) -> list[NormSurvey]:
    """The norms that somebody said something of, in the order of their items."""
    return [counted(item) for item in _norms(items)]


def norm_rows(items: Sequence[ItemRecord]) -> list[CsvRow]:
    """By norm the share that agrees with its interval, for whom and how strongly it holds by those who say so."""
    return [_norm_row(item) for item in _norms(items)]


def _norm_row(item: ItemRecord) -> CsvRow:
    asked, answers = counted(item), [answer.answer for answer in item.counted]
    ends = wilson(asked.agree, asked.asked)
    whom, strength = (Counter(str(answer[name]) for answer in answers) for name in ("whom", "strength"))
    return {
        **msgspec.structs.asdict(asked),
        "place": item.region,
        "complete": item.state == "complete",
        "agreement": asked.agreement,
        "agreement_low": ends.low,
        "agreement_high": ends.high,
        **{f"for_{word}": whom[word] for word in WHOM},
        **{f"against_{word}": strength[word] for word in STRENGTHS},
    }


def opinion_rows(items: Sequence[ItemRecord]) -> list[CsvRow]:
    """Opinion of each person on each norm, with the reason."""
    return [
        {"norm": read_words(item.payload).id, "place": item.region, "annotator": answer.person, **answer.answer}
        for item in _norms(items)
        for answer in item.counted
    ]


def ladder_rows(items: Sequence[ItemRecord]) -> list[CsvRow]:
    """Answer of each person on each rung, as `mores run ladder/know --set people=FILE` reads it."""
    return [row for item in items if step_of(item.payload) == "questions" for row in _ladder(item)]


def _ladder(item: ItemRecord) -> Iterator[CsvRow]:
    norm = read_words(item.payload).id
    for answer in item.counted:
        for rung in RUNGS:
            if rung in answer.answer:
                yield {
                    "norm": norm, "rung": rung, "annotator": answer.person,
                        "answer": _format_answer(answer.answer[rung]),
                }  # fmt: skip


def _format_answer(value: object) -> str:
    """Letters of statements, or one word; nothing where somebody does not know, or holds none for true."""
    words = value if isinstance(value, list) else [value]
    kept = [str(word) for word in words if word in LETTERS or word in {"yes", "no", "neutral"}]
    return "|".join(kept) or ("none" if "none" in words else "")


def _norms(items: Sequence[ItemRecord]) -> list[ItemRecord]:
    return [item for item in items if step_of(item.payload) == "norm" and item.counted]
