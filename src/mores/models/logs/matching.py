"""Which reply of a log answers which question: by the item's name, by the words asked, or by the question itself.

Another program puts a question into words of its own. Its reply still answers ours if all that an item puts into our
prompt (question, options, place) stands in what was asked there. A match is of one item here with one item there;
where several could be meant none is taken, and they are counted.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct

from mores.models.logs.row import Log, Logged


class Question(NamedTuple):
    """A question that is put here: its item, all its words, and what fills its prompt."""

    item: str
    words: str
    parts: tuple[str, ...]


class Counts(Struct, frozen=True, kw_only=True):
    """What became of a log's replies for one benchmark; with the unmatched and those left out they add up.

    `layout` is which program's log it is. `in_other_words` of those matched by name are of items to which other words
    were put there, as far as the log tells; `missing` answers are wanted, and the log has none.
    """

    layout: str
    replies: int
    by_name: int
    by_words: int
    by_contents: int
    in_other_words: int
    ambiguous: int
    unmatched: int
    left_out: int
    missing: int

    @property
    def matched(self) -> int:
        """Replies that answer a question."""
        return self.by_name + self.by_words + self.by_contents


class Matching(NamedTuple):
    """The row that answers each item in each sample, and the counts."""

    rows: Mapping[tuple[str, int], Logged]
    counts: Counts


class _Sheet(NamedTuple):
    """All draws of one item of a log, and the words asked, evened out."""

    number: int
    rows: tuple[Logged, ...]
    asked: frozenset[str]


def match(log: Log, questions: Sequence[Question], samples: int) -> Matching:
    """The reply to each question in each of its samples, as far as the log has one."""
    rows = log.rows
    usable = [row for row in rows if not row.left_out]
    sheets = _sheets(usable)
    found: dict[str, tuple[str, _Sheet]] = {}
    unsure: set[int] = set()
    for how, pairs in WAYS.items():
        taken = {sheet.number for _, sheet in found.values()}
        free = [sheet for sheet in sheets if sheet.number not in taken]
        asked = [question for question in questions if question.item not in found]
        for item, sheet in _one_to_one(pairs(asked, free), unsure):
            found[item] = how, sheet
    given = {
        (item, row.sample): row for item, (_, sheet) in found.items() for row in sheet.rows if row.sample < samples
    }
    by_way = Counter(found[item][0] for item, _ in given)
    ambiguous = sum(len(sheets[number].rows) for number in unsure)
    reworded = {q.item for q in questions if q.item in found and _differs(q, found[q.item][1])}
    counts = Counts(
        layout=log.layout,
        replies=len(rows),
        by_name=by_way["name"],
        by_words=by_way["words"],
        by_contents=by_way["contents"],
        in_other_words=sum(item in reworded for item, _ in given),
        ambiguous=ambiguous,
        unmatched=len(usable) - len(given) - ambiguous,
        left_out=len(rows) - len(usable),
        missing=len(questions) * samples - len(given),
    )
    return Matching(given, counts)


def _sheets(rows: Iterable[Logged]) -> list[_Sheet]:
    grouped: dict[str, list[Logged]] = defaultdict(list)
    for row in rows:
        grouped[row.item].append(row)
    return [
        _Sheet(number, tuple(own), frozenset(_even(words) for row in own for words in row.asked))
        for number, own in enumerate(grouped.values())
    ]


Pairs = Iterable[tuple[Question, _Sheet]]
Way = Callable[[Sequence[Question], Sequence[_Sheet]], Pairs]


def _by_name(questions: Sequence[Question], sheets: Sequence[_Sheet]) -> Iterator[tuple[Question, _Sheet]]:
    known = {question.item: question for question in questions}
    for sheet in sheets:
        names = (sheet.rows[0].item, *sheet.rows[0].aliases)
        yield from ((known[name], sheet) for name in dict.fromkeys(names) if name in known)


def _by_words(questions: Sequence[Question], sheets: Sequence[_Sheet]) -> Iterator[tuple[Question, _Sheet]]:
    known = defaultdict(list)
    for question in questions:
        known[_even(question.words)].append(question)
    for sheet in sheets:
        yield from ((question, sheet) for words in sheet.asked for question in known.get(words, ()))


def _by_contents(questions: Sequence[Question], sheets: Sequence[_Sheet]) -> Iterator[tuple[Question, _Sheet]]:
    """Pairs in which all that fills our prompt stands in what was asked there; sheets are looked up by their words."""
    holding: dict[str, set[int]] = defaultdict(set)
    for number, sheet in enumerate(sheets):
        for word in {word for words in sheet.asked for word in words.split()}:
            holding[word].add(number)
    for question in questions:
        # the first and the last word of a part may touch a bracket there, those between stand as they are
        inner = {word for part in question.parts for word in part.split()[1:-1]}
        near = sorted((holding.get(word, set()) for word in inner), key=len)
        for number in sorted(set.intersection(*near)) if near else ():
            if _holds(sheets[number], question):
                yield question, sheets[number]


WAYS: Mapping[str, Way] = {"name": _by_name, "words": _by_words, "contents": _by_contents}


def _holds(sheet: _Sheet, question: Question) -> bool:
    """Whether all that fills our prompt stands in what was asked there."""
    parts = [_even(part) for part in question.parts]
    return any(all(part in words for part in parts) for words in sheet.asked)


def _differs(question: Question, sheet: _Sheet) -> bool:
    """Whether something else was asked there, as far as the log says what was."""
    return bool(sheet.asked) and _even(question.words) not in sheet.asked and not _holds(sheet, question)


def _one_to_one(pairs: Pairs, unsure: set[int]) -> Iterator[tuple[str, _Sheet]]:
    """Pairs of which neither side is in another; the sheets of all others are noted as unsure."""
    both = {(question.item, sheet.number): sheet for question, sheet in pairs}
    times = Counter(side for pair in both for side in pair)
    for (item, number), sheet in both.items():
        if times[item] == times[number] == 1:
            unsure.discard(number)
            yield item, sheet
        else:
            unsure.add(number)


def _even(words: str) -> str:
    """Words with one space between them, whatever white space there was."""
    return " ".join(words.split())
