"""Order of the options that a log's prompt showed, and its replies in the labels of our questions.

"B" means what stood at B there. The order is read from the prompt, which is what the model saw, else from the row's own
options. What is read by its words ("False", a text) stays as it is. What is read by position means the option that
stood there; where its order is not told, the row is left out, and never read by our order in silence.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from msgspec import structs

from mores.models.logs.logged_reply import LabelledOption, Logged, LoggedQuestion, Shown

ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x")
LETTERS = tuple("abcdefghij")
NUMBERS = tuple(str(number) for number in range(1, 11))
FROM_ZERO = tuple(str(number) for number in range(10))
_BEFORE = re.compile(r"""(?:^|[\s"'*(\[{|,;/>])([a-j]|\d{1,2}|[ivx]{1,4})["'*\s]{0,2}[)\].:=–-]+[\s"'*]*$""")
_REACH = 16
"""Letters before an option in which its mark stands."""
_WRAPPING = " \t\r\n\"'`“”‘’«»*_~#>()[]"
_FINAL = ".,;:!?"
_PLACED = re.compile(
    r"(?:(?:it is|it['’]s|i choose|my answer is|answer:?)\s+)?(?:the\s+)?(?:option|number|choice|answer)?\s*"
    r"(?:(?P<number>\d{1,2})(?P<nth>st|nd|rd|th)?|(?P<word>[a-z]+))(?:\s+(?:one|option|choice|answer|statement))?"
)


class Position(NamedTuple):
    """Position of an option: its number from 0, and the mark before it, if any."""

    rank: int
    mark: str


def even(words: str) -> str:
    """Words with one space between them, whatever white space there was."""
    return " ".join(words.split())


def bare(words: str) -> str:
    """Words without case, wrapping and final punctuation."""
    return even(words).casefold().strip(_WRAPPING).rstrip(_FINAL + _WRAPPING)


def positions_in_list(shown: Sequence[Shown], texts: Sequence[str]) -> tuple[Position, ...] | None:
    """Positions of our options in a list that was shown; None where the list does not tell."""
    there = [bare(option.text) for option in shown]
    ours = [bare(text) for text in texts]
    if sorted(there) != sorted(ours) or (len(set(ours)) < len(ours) and there != ours):
        return None
    ranks = list(range(len(ours))) if there == ours else [there.index(text) for text in ours]
    return tuple(Position(rank, shown[rank].mark.casefold()) for rank in ranks)


def positions_in_words(words: str, texts: Sequence[str], *, marked: bool = False) -> tuple[Position, ...] | None:
    """Positions of our options in a prompt, each once; None where not all are there. The last that fits counts.

    `marked` asks for a mark before each.

    >>> positions_in_words("Which? (A) Rice (B) Bread", ("Bread", "Rice"))
    (Position(rank=1, mark='b'), Position(rank=0, mark='a'))
    """
    whole = even(words).casefold()
    spots: dict[int, tuple[int, str]] = {}
    taken: list[tuple[int, int]] = []
    for number in sorted(range(len(texts)), key=lambda one: -len(texts[one])):  # "i, ii" before "i", which is in it
        text = even(texts[number]).casefold()
        found = _last(whole, text, taken)
        if found is None:
            return None
        spots[number] = found
        taken.append((found[0], found[0] + len(text)))
    ordered = sorted(spots, key=lambda number: spots[number][0])
    if len(set(texts)) < len(texts):  # of two alike nobody can say which is which, unless nothing moved
        if [texts[number] for number in ordered] != list(texts):
            return None
        spots = {number: spots[at] for number, at in enumerate(ordered)}
        ordered = list(range(len(texts)))
    marks = [spots[number][1] for number in ordered]
    if not _in_sequence(marks):  # none, or words that only look like some
        if marked:
            return None
        marks = [""] * len(marks)
    ranks = {number: rank for rank, number in enumerate(ordered)}
    return tuple(Position(ranks[number], marks[ranks[number]]) for number in range(len(texts)))


def _last(whole: str, text: str, taken: Sequence[tuple[int, int]]) -> tuple[int, str] | None:
    """Last position of a text with a mark before it, else its last position at all, in no other option's words."""
    plain, spot = None, len(whole)
    while text and (spot := whole.rfind(text, 0, spot + len(text) - 1 if spot < len(whole) else spot)) >= 0:
        end = spot + len(text)
        separate = not (whole[spot - 1 : spot].isalnum() and text[0].isalnum()) and not (
            whole[end : end + 1].isalnum() and text[-1].isalnum()
        )
        if separate and not any(begin < end and spot < stop for begin, stop in taken):
            mark = _BEFORE.search(whole[max(0, spot - _REACH) : spot])
            if mark:
                return spot, mark[1]
            plain = plain or (spot, "")
    return plain


def _in_sequence(marks: Sequence[str]) -> bool:
    return any(list(marks) == list(names[: len(marks)]) for names in (LETTERS, NUMBERS, FROM_ZERO, ROMAN))


def in_our_labels(text: str, choices: Sequence[LabelledOption], positions: Sequence[Position], first: int = 1) -> str:
    """A reply with the marks of the order shown there put into our labels, the rest as it was.

    What is nothing but a position ("the first one", "2", of options counted from the `first`) or an option's own words
    becomes our label too.

    >>> options = LabelledOption("a", "A", "Rice"), LabelledOption("b", "B", "Bread")
    >>> rice = options, (Position(1, "b"), Position(0, "a"))
    >>> [in_our_labels(said, *rice) for said in ("B", "Answer: B.", "the first one", "bread")]
    ['A', 'Answer: A.', 'B', 'B']
    """
    answer = bare(text)
    by_mark = {place.mark: choice for choice, place in zip(choices, positions, strict=True) if place.mark}
    by_rank = {place.rank: choice for choice, place in zip(choices, positions, strict=True)}
    if not by_mark:
        by_mark = {LETTERS[rank]: choice for rank, choice in by_rank.items() if rank < len(LETTERS)}
    if answer in by_mark:
        own = by_mark[answer]
        return own.way if even(text).casefold() == answer else _with_labels(text, {answer: own, answer.upper(): own})
    rank = _rank(answer, by_rank, first)
    whole = next((choice for choice in choices if bare(choice.text) == answer), by_rank.get(rank))
    if whole is not None:
        return whole.way
    return _with_labels(text, {mark.upper(): choice for mark, choice in by_mark.items()})


def count_from(answers: Iterable[str], options: int) -> int | None:
    """The number of the first of some options, by all that is said of them: 0 and the last tell; None if neither.

    >>> count_from(["2", "0"], 4), count_from(["0", "4"], 4), count_from(["2"], 4)
    (0, 1, None)
    """
    numbers = {bare(text) for text in answers}
    return 1 if str(options) in numbers else 0 if "0" in numbers else None


def _rank(answer: str, by_rank: dict[int, LabelledOption], first: int) -> int:
    """The number of the option, from 0, that words name by its place; -1 where they name none."""
    placed = _PLACED.fullmatch(answer)
    if placed is None:
        return -1
    if placed["number"]:
        return int(placed["number"]) - (1 if placed["nth"] else first)
    word = str(placed["word"])
    return len(by_rank) - 1 if word == "last" else ORDINALS.index(word) if word in ORDINALS else -1


def _with_labels(text: str, by_mark: dict[str, LabelledOption]) -> str:
    """Each mark that stands alone in a text, in our labels; as a capital, since "a" is also an article."""
    marks = "|".join(re.escape(mark) for mark in sorted(by_mark, key=len, reverse=True))
    alone = re.compile(rf"(?<!\w)(?<!\w['’-])(?:{marks})(?!\w|['’-]\w)")
    return alone.sub(lambda found: by_mark[found[0]].label.upper() if found[0].isupper() or found[0].isdigit()
                     else by_mark[found[0]].label, text)  # fmt: skip


NO_ORDER = "options stood in an order that is not told"
NO_FIRST = "numbers of options that may count from 0 or from 1"
NO_LABEL = "the words that were offered are no answer here"


class ReplyRow(NamedTuple):
    """A row as it answers our question, and whether its options were shown in another order."""

    row: Logged
    reordered: bool = False


def in_our_words(row: Logged, question: LoggedQuestion, *, as_asked: bool, first: int | None = 1) -> ReplyRow:
    """The row with its reply in our labels; left out where nobody can say what the reply means.

    A bare number is of options that are counted from the `first`; None where nobody knows from which.
    """
    if row.reply is None or not question.choices or (as_asked and not row.weighed):
        return ReplyRow(row)
    positions = _ours(question) if as_asked else _positions(row, question)
    if row.weighed:
        return _chosen(row, question, positions)
    text = row.reply.text
    if not question.by_position:
        text_in_labels = text.casefold()
        if positions is None or any(choice.label.casefold() in text_in_labels for choice in question.choices):
            return ReplyRow(row)
    own = _in_its_words(text, question)
    if own is not None:
        return ReplyRow(_with_text(row, own.way))
    if positions is None:
        return ReplyRow(_left_out(row, NO_ORDER))
    number = bare(text).isdecimal() and bare(text) not in {place.mark for place in positions}
    if number and first is None and not (as_asked or _in_prompt(row, question)):
        return ReplyRow(_left_out(row, NO_FIRST))
    moved = [place.rank for place in positions] != list(range(len(positions)))
    text_in_labels = in_our_labels(text, question.choices, positions, 1 if first is None else first)
    return ReplyRow(_with_text(row, text_in_labels), moved and question.by_position)


def _ours(question: LoggedQuestion) -> tuple[Position, ...]:
    """Our own order."""
    return tuple(Position(rank, choice.label.casefold()) for rank, choice in enumerate(question.choices))


def _positions(row: Logged, question: LoggedQuestion) -> tuple[Position, ...] | None:
    """Position of each option; None where the row does not tell."""
    texts = [choice.text for choice in question.choices]
    return _in_prompt(row, question) or positions_in_list(row.document.options, texts)


def _in_prompt(row: Logged, question: LoggedQuestion) -> tuple[Position, ...] | None:
    """Position of each option in the words that were asked."""
    texts = [choice.text for choice in question.choices]
    stem = even(max(question.stem, key=len, default=""))
    prompts = (text for text in row.document.texts if stem and stem in even(text))
    for words in (*row.asked, *prompts):
        for tail in (_after_question(words, question), words):
            found = positions_in_words(tail, texts, marked=not question.by_position)
            if found is not None:
                return found
    return None


def _after_question(words: str, question: LoggedQuestion) -> str:
    """Text behind the question in a prompt, so that options of examples are not looked at."""
    longest = even(max(question.stem, key=len, default=""))
    return even(words).rpartition(longest)[2] if longest else words


def _chosen(row: Logged, question: LoggedQuestion, positions: tuple[Position, ...] | None) -> ReplyRow:
    """The likeliest of the words offered, as an answer here is said."""
    answer = bare(row.reply.text if row.reply else "")
    own = _in_its_words(answer, question)
    if own is None and not question.by_position:
        own = next((choice for choice in question.choices if answer == choice.label.casefold()), None)
    if own is not None:
        return ReplyRow(_with_text(row, own.way))
    if positions is None:
        return ReplyRow(_left_out(row, NO_ORDER if question.by_position else NO_LABEL))
    marks = {place.mark: choice for choice, place in zip(question.choices, positions, strict=True)}
    if answer not in marks:
        return ReplyRow(_left_out(row, NO_LABEL))
    moved = [place.rank for place in positions] != list(range(len(positions)))
    return ReplyRow(_with_text(row, marks[answer].way), moved and question.by_position)


def _in_its_words(text: str, question: LoggedQuestion) -> LabelledOption | None:
    """The option that an answer names by its own words, which mean the same in any order; None of two alike."""
    own = [choice for choice in question.choices if bare(choice.text) == bare(text)]
    return own[0] if len(own) == 1 else None


def _with_text(row: Logged, text: str) -> Logged:
    return row if row.reply is None else structs.replace(row, reply=structs.replace(row.reply, text=text))


def _left_out(row: Logged, why: str) -> Logged:
    return structs.replace(row, left_out=why)
