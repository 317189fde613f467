"""Match of a log's replies with our questions, and counts of those that answer none.

A row is about what its own document says: an id, or the question with its options. Where it has none, the words asked
say it: they are ours, or all that fills our prompt (question, options, place) stands in the question that ends them;
examples before it are never the question asked, and after it comes nothing but what is wanted. A match is of one item
here with one item there; where several could be meant none is taken, and they are counted.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import inf
from typing import NamedTuple

from mores.models.logs.logged_reply import NAMED, NAMED_ROWS, ODD, Log, Logged, LoggedQuestion, ReplyCounts
from mores.models.logs.order import count_from, even, in_our_words

MOST_WORDS, MOST_ASKING = 40, 12
"""Words after a question that may tell how to answer it, and where one of them asks, such as "Yes or no?"."""
_REACH = 24
"""Letters of a mark or a word between the question and an option, or two options."""


class PromptEnding(NamedTuple):
    """Last positions of a question's parts in a prompt, the longest part first, and the text behind all of them."""

    places: tuple[int, ...]
    rest: str


def match_ending(words: str, parts: Sequence[str]) -> PromptEnding | None:
    """Last position of a question in a prompt; None where a part of it stands nowhere.

    >>> match_ending("Q: Old? A: x Q: New? A:", ("New?",))
    PromptEnding(places=(16,), rest=' A:')
    """
    ordered = sorted({even(part) for part in parts}, key=lambda part: (-len(part), part))
    places = tuple(words.rfind(part) for part in ordered)
    if not places or min(places) < 0:
        return None
    return PromptEnding(places, _after(words[places[0] + len(ordered[0]) :], ordered[1:]))


def _after(rest: str, parts: Sequence[str]) -> str:
    """Text behind the longest part, without the other parts; those right after it go with the marks before them.

    So the same template has the same ending, whichever of the question and an option is longer.

    >>> _after(" Answer: rice True or false?", ("rice",))
    ' True or false?'
    """
    left = list(parts)
    while near := [(at, part) for part in left if (at := rest.find(part, 0, len(part) + _REACH)) >= 0]:
        at, part = min(near, key=lambda found: (found[0], -len(found[1])))
        rest = rest[at + len(part) :]
        left.remove(part)
    for part in left:  # such as the place
        rest = rest.replace(part, "", 1)
    return rest


def ends_alike(ending: PromptEnding, usual: Mapping[str, int]) -> bool:
    """True if a question is the one asked: what follows it follows most others too, or puts no further question."""
    most = sum(usual.values())
    if usual.get(ending.rest, 0) > max(1, most / 2):
        return True
    return len(ending.rest.split()) <= (MOST_ASKING if "?" in ending.rest else MOST_WORDS)


SHORT = 80
"""Words of a text that holds no examples before its question."""


class Matching(NamedTuple):
    """The row that answers each item in each sample, and the counts."""

    rows: Mapping[tuple[str, int], Logged]
    counts: ReplyCounts


class Sheet(NamedTuple):
    """All draws of one item of a log, the words asked and those of its document, evened out."""

    number: int
    rows: tuple[Logged, ...]
    asked: frozenset[str]
    texts: frozenset[str]


def match(log: Log, questions: Sequence[LoggedQuestion], samples: int) -> Matching:
    """The reply to each question in each of its samples, as far as the log has one."""
    sheets = _sheets(row for row in log.rows if not row.left_out)
    found, unsure = _paired(sheets, questions)
    asked = {question.item: question for question in questions}
    first = _first_number(log, questions)
    read = [
        (how, item, in_our_words(row, asked[item], as_asked=_as_asked(asked[item], sheet), first=first))
        for item, (how, own) in found.items()
        for sheet in own
        for row in sheet.rows
        if row.sample < samples
    ]
    used = [(how, item, reading) for how, item, reading in read if not reading.row.left_out]
    left = [row for row in log.rows if row.left_out] + [reading.row for *_, reading in read if reading.row.left_out]
    by_way = Counter(how for how, *_ in used)
    reworded = {item for item, (_, own) in found.items() if any(_differs(asked[item], sheet) for sheet in own)}
    ambiguous = sum(len(sheets[number].rows) for number in unsure)
    counts = ReplyCounts(
        layout=log.layout,
        replies=len(log.rows),
        **{f"by_{way}": by_way[way] for way in ("name", "document", "words", "contents")},
        in_other_words=sum(item in reworded for _, item, _ in used),
        ambiguous=ambiguous,
        unmatched=len(log.rows) - len(used) - len(left) - ambiguous,
        left_out=len(left),
        missing=len(questions) * samples - len(used),
        reordered=sum(reading.reordered for *_, reading in used),
        weighed=sum(reading.row.weighed for *_, reading in used),
        reasons=dict(Counter(row.left_out for row in left)),
        odd=tuple(f"{row.where}: {row.failed}" for row in left if row.left_out == ODD)[:NAMED_ROWS],
        remarks=log.remarks,
    )
    return Matching({(item, reading.row.sample): reading.row for _, item, reading in used}, counts)


def _first_number(log: Log, questions: Sequence[LoggedQuestion]) -> int | None:
    """The number that the log's replies give the first option; None where they do not tell."""
    options = max((len(question.choices) for question in questions), default=0)
    return count_from((row.reply.text for row in log.rows if row.reply), options)


def _sheets(rows: Iterable[Logged]) -> list[Sheet]:
    grouped: dict[str, list[Logged]] = defaultdict(list)
    for row in rows:
        grouped[row.item].append(row)
    return [
        Sheet(
            number,
            tuple(own),
            frozenset(even(words) for row in own for words in row.asked),
            frozenset(even(words) for row in own for words in row.document.texts),
        )
        for number, own in enumerate(grouped.values())
    ]


MatchedPairs = Iterable[tuple[LoggedQuestion, Sheet]]
MatchMethod = Callable[[Sequence[LoggedQuestion], Sequence[Sheet]], MatchedPairs]


MatchIndex = dict[str, tuple[str, tuple[Sheet, ...]]]


def _paired(sheets: Sequence[Sheet], questions: Sequence[LoggedQuestion]) -> tuple[MatchIndex, set[int]]:
    """The sheets of each item and how they were found, and the numbers of those of which several could be meant."""
    found: MatchIndex = {}
    unsure: set[int] = set()
    # The surest way first: what it takes is no longer free for those behind.
    for how, pairs in WAYS:
        taken = {sheet.number for _, own in found.values() for sheet in own}
        free = [sheet for sheet in sheets if sheet.number not in taken]
        asked = [question for question in questions if question.item not in found]
        for item, own in _matched(pairs(asked, free), unsure):
            found[item] = how, own
    return found, unsure


def _by_name(questions: Sequence[LoggedQuestion], sheets: Sequence[Sheet]) -> Iterator[tuple[LoggedQuestion, Sheet]]:
    known = {question.item: question for question in questions}
    for sheet in sheets:
        names = (sheet.rows[0].item, *sheet.rows[0].aliases)
        yield from ((known[name], sheet) for name in dict.fromkeys(names) if name in known)


def _by_id(questions: Sequence[LoggedQuestion], sheets: Sequence[Sheet]) -> Iterator[tuple[LoggedQuestion, Sheet]]:
    """Pairs in which the row's document names our item, as our items are called or as the data call them."""
    known: dict[tuple[str, str], list[LoggedQuestion]] = defaultdict(list)
    for question in questions:
        for name in question.ids:
            known[name].append(question)
            known[NAMED, name[1]].append(question)
        for column in ("item", "id", NAMED):
            known[column, question.item].append(question)
    for sheet in sheets:
        found = {each.item: each for name in sheet.rows[0].document.ids for each in known.get(name, ())}
        yield from ((question, sheet) for question in found.values())


def _by_words(questions: Sequence[LoggedQuestion], sheets: Sequence[Sheet]) -> Iterator[tuple[LoggedQuestion, Sheet]]:
    known = defaultdict(list)
    for question in questions:
        known[even(question.words)].append(question)
    for sheet in sheets:
        yield from ((question, sheet) for words in sheet.asked for question in known.get(words, ()))


def _by_document(
    questions: Sequence[LoggedQuestion], sheets: Sequence[Sheet]
) -> Iterator[tuple[LoggedQuestion, Sheet]]:
    """Pairs in which each of the texts that fill our prompt is one of the row's document."""
    having: dict[str, list[Sheet]] = defaultdict(list)
    for sheet in sheets:
        for text in sheet.texts:
            having[text].append(sheet)
    for question in questions:
        parts = {even(part) for part in question.parts}
        near = having.get(max(parts, key=len), ()) if parts else ()
        yield from ((question, sheet) for sheet in near if parts <= sheet.texts)


def _by_document_words(
    questions: Sequence[LoggedQuestion], sheets: Sequence[Sheet]
) -> Iterator[tuple[LoggedQuestion, Sheet]]:
    """Pairs in which all that fills our prompt stands somewhere in the row's document, but for texts of many words.

    These may be prompts with examples, whose end says what is asked.
    """
    return _holding(questions, sheets, lambda sheet: (joined,) if (joined := _joined(sheet, SHORT)) else ())


def _by_contents(
    questions: Sequence[LoggedQuestion], sheets: Sequence[Sheet]
) -> Iterator[tuple[LoggedQuestion, Sheet]]:
    """Pairs in which all that fills our prompt stands in the question that ends what was asked there."""
    found: dict[int, list[tuple[LoggedQuestion, Sheet, PromptEnding]]] = defaultdict(list)
    for question, sheet in _holding(questions, sheets, lambda sheet: sheet.asked | sheet.texts):
        endings = (match_ending(words, question.parts) for words in sheet.asked | sheet.texts)
        best = max((ending for ending in endings if ending), default=None)
        if best is not None:
            found[sheet.number].append((question, sheet, best))
    last = [_last(pairs) for pairs in found.values()]
    usual = Counter(ending.rest for pairs in last for *_, ending in pairs[:1])
    for pairs in last:
        yield from ((question, sheet) for question, sheet, ending in pairs if ends_alike(ending, usual))


def _last(
    pairs: Sequence[tuple[LoggedQuestion, Sheet, PromptEnding]],
) -> list[tuple[LoggedQuestion, Sheet, PromptEnding]]:
    """Those whose question stands last in the words asked; several where nobody can tell which."""
    latest = max(ending.places for *_, ending in pairs)
    return [pair for pair in pairs if pair[2].places == latest]


def _holding(
    questions: Sequence[LoggedQuestion], sheets: Sequence[Sheet], words_of: Callable[[Sheet], Iterable[str]]
) -> Iterator[tuple[LoggedQuestion, Sheet]]:
    """Pairs in which all that fills our prompt stands in words there; sheets are looked up by single words."""
    words = [tuple(words_of(sheet)) for sheet in sheets]
    holding: dict[str, set[int]] = defaultdict(set)
    for number, own in enumerate(words):
        for word in {word for text in own for word in text.split()}:
            holding[word].add(number)
    for question in questions:
        # the first and the last word of a part may touch a bracket there, those between stand as they are
        inner = {word for part in question.parts for word in part.split()[1:-1]}
        near = sorted((holding.get(word, set()) for word in inner), key=len)
        for number in sorted(set.intersection(*near)) if near else ():
            if _holds(words[number], question):
                yield question, sheets[number]


def _by_question(way: MatchMethod) -> MatchMethod:
    """The same for questions with options, without these: what they mean there is for the reader to say."""

    def pairs(questions: Sequence[LoggedQuestion], sheets: Sequence[Sheet]) -> Iterator[tuple[LoggedQuestion, Sheet]]:
        asked = (question for question in questions if question.by_position)
        short = [question._replace(parts=question.stem) for question in asked]
        own = {question.item: question for question in questions}
        yield from ((own[question.item], sheet) for question, sheet in way(short, sheets))

    return pairs


WAYS: tuple[tuple[str, MatchMethod], ...] = (
    ("name", _by_name),
    ("name", _by_id),
    ("words", _by_words),
    ("document", _by_document),
    ("document", _by_document_words),
    ("contents", _by_contents),
    ("document", _by_question(_by_document)),
    ("document", _by_question(_by_document_words)),
    ("contents", _by_question(_by_contents)),
)


def _holds(asked: Iterable[str], question: LoggedQuestion) -> bool:
    """True if all that fills our prompt stands in what was asked there."""
    parts = [even(part) for part in question.parts]
    return any(all(part in words for part in parts) for words in asked)


def _joined(sheet: Sheet, most: float = inf) -> str:
    """The texts of a document as one, but for those of more words than so many."""
    return " ¶ ".join(sorted(text for text in sheet.texts if len(text.split()) <= most))


def _as_asked(question: LoggedQuestion, sheet: Sheet) -> bool:
    """True if our own words were asked there, or the log says nothing of the words and the item is ours by name."""
    known = sheet.asked or any(row.document.options for row in sheet.rows)
    longest = [even(max(parts, key=len, default="")) for parts in (question.stem, question.parts)]
    known = known or any(part in text for part in longest if part for text in sheet.texts)
    return even(question.words) in sheet.asked or not known


def _differs(question: LoggedQuestion, sheet: Sheet) -> bool:
    """True if something else was asked there, as far as the log says what was."""
    known = sheet.asked or sheet.texts
    return bool(known) and even(question.words) not in sheet.asked and not (
        _holds(sheet.asked, question) or _holds((_joined(sheet),), question)
    )  # fmt: skip


def _matched(pairs: MatchedPairs, unsure: set[int]) -> Iterator[tuple[str, tuple[Sheet, ...]]]:
    """The one sheet of an item that is of no other, or several with a sample each; all others are noted as unsure."""
    both = {(question.item, sheet.number): sheet for question, sheet in pairs}
    times = Counter(number for _, number in both)
    of_item: dict[str, list[Sheet]] = defaultdict(list)
    for (item, _), sheet in both.items():
        of_item[item].append(sheet)
    for item, own in of_item.items():
        samples = [row.sample for sheet in own for row in sheet.rows]
        numbers = {sheet.number for sheet in own}
        if all(times[number] == 1 for number in numbers) and len(set(samples)) == len(samples):
            unsure -= numbers
            yield item, tuple(own)
        else:
            unsure |= numbers
