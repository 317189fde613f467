"""A matched reply in the words of the question that it answers here: labels by the order of options shown there.

What is read by its words ("False", a text) stays as it is. What is read by position means the option that stood there;
where its order is not told, the row is left out, and never read by our order in silence.
"""

from typing import NamedTuple

from msgspec import structs

from mores.models.logs.logged_reply import Logged
from mores.models.logs.order import (
    Position,
    bare,
    even,
    in_our_labels,
    positions_in_list,
    positions_in_words,
)
from mores.models.logs.question import LabelledOption, LoggedQuestion

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
        said = text.casefold()
        if positions is None or any(choice.label.casefold() in said for choice in question.choices):
            return ReplyRow(row)
    own = _in_its_words(text, question)
    if own is not None:
        return ReplyRow(_saying(row, own.way))
    if positions is None:
        return ReplyRow(_left_out(row, NO_ORDER))
    number = bare(text).isdecimal() and bare(text) not in {place.mark for place in positions}
    if number and first is None and not (as_asked or _in_prompt(row, question)):
        return ReplyRow(_left_out(row, NO_FIRST))
    moved = [place.rank for place in positions] != list(range(len(positions)))
    said = in_our_labels(text, question.choices, positions, 1 if first is None else first)
    return ReplyRow(_saying(row, said), moved and question.by_position)


def _ours(question: LoggedQuestion) -> tuple[Position, ...]:
    """Our own order."""
    return tuple(Position(rank, choice.label.casefold()) for rank, choice in enumerate(question.choices))


def _positions(row: Logged, question: LoggedQuestion) -> tuple[Position, ...] | None:
    """Where each option was shown; None where the row does not tell."""
    texts = [choice.text for choice in question.choices]
    return _in_prompt(row, question) or positions_in_list(row.document.options, texts)


def _in_prompt(row: Logged, question: LoggedQuestion) -> tuple[Position, ...] | None:
    """Where each option stood in the words that were asked."""
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
    """What stands behind the question in words asked, so that options of examples are not looked at."""
    longest = even(max(question.stem, key=len, default=""))
    return even(words).rpartition(longest)[2] if longest else words


def _chosen(row: Logged, question: LoggedQuestion, positions: tuple[Position, ...] | None) -> ReplyRow:
    """The likeliest of the words offered, as an answer here is said."""
    said = bare(row.reply.text if row.reply else "")
    own = _in_its_words(said, question)
    if own is None and not question.by_position:
        own = next((choice for choice in question.choices if said == choice.label.casefold()), None)
    if own is not None:
        return ReplyRow(_saying(row, own.way))
    if positions is None:
        return ReplyRow(_left_out(row, NO_ORDER if question.by_position else NO_LABEL))
    marks = {place.mark: choice for choice, place in zip(question.choices, positions, strict=True)}
    if said not in marks:
        return ReplyRow(_left_out(row, NO_LABEL))
    moved = [place.rank for place in positions] != list(range(len(positions)))
    return ReplyRow(_saying(row, marks[said].way), moved and question.by_position)


def _in_its_words(text: str, question: LoggedQuestion) -> LabelledOption | None:
    """The option that an answer names by its own words, which mean the same in any order; None of two alike."""
    own = [choice for choice in question.choices if bare(choice.text) == bare(text)]
    return own[0] if len(own) == 1 else None


def _saying(row: Logged, text: str) -> Logged:
    return row if row.reply is None else structs.replace(row, reply=structs.replace(row.reply, text=text))


def _left_out(row: Logged, why: str) -> Logged:
    return structs.replace(row, left_out=why)
