"""Reading a label out of a reply: the papers' strict rule, and the lenient one beside it."""

from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mores.benchmarks.shapes.closed_question import ClosedItem, QuestionFormat, grade
from mores.benchmarks.shapes.labels import read_label
from mores.core.card import READINGS
from mores.core.prompt import Prompt, PromptHeader
from mores.core.transcript import ItemMetadata, ReplyEvent, Transcript
from mores.core.verdict import Graded

TRUTH = ("true", "false")
ANSWERS = ("yes", "no", "neutral")
LETTERS = ("a", "b", "c", "d")
SETS = (TRUTH, ANSWERS, LETTERS)

sets = st.sampled_from(SETS)
pieces = st.sampled_from(
    ["True", "false", "YES", "no", "neutral", "A", "b", "C", "a", "I'm sorry", "not", " ", "\n", ".", "**", "“", "”",
     "'", "’", "(", ")", "-", "!", "。", "Answer:", "🙂", "真", "的", "ja", "\u200b", "\ufeff", "```"]
)  # fmt: skip
replies = st.one_of(st.text(max_size=80), st.lists(pieces, max_size=8).map("".join))


def strict(text: str, labels: tuple[str, ...]) -> str | None:
    return read_label(text, labels, "strict").label


def lenient(text: str, labels: tuple[str, ...]) -> str | None:
    return read_label(text, labels, "lenient").label


BARE = [
    ("True", "true"), ("true.", "true"), (" False\n", "false"), ("**True**", "true"), ("“false”", "false"),
    ("True!", "true"), ("TRUE", "true"), ("tRuE", "true"), ("`False`", "false"), ("'True.'", "true"),
    ("_False_.", "false"), ("**True.**", "true"), ("# True", "true"), ("> False", "false"), ("«True»", "true"),
    ("\ufeffTrue", "true"), ("True\u00a0", "true"), ("False。", "false"), ("True？！", "true"), ("False ...", "false"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "label"), BARE)
def test_the_bare_label_counts_in_both_readings_whatever_is_wrapped_around_it(text: str, label: str) -> None:
    assert strict(text, TRUTH) == lenient(text, TRUTH) == label


@pytest.mark.parametrize(("text", "label"), [("A", "a"), ("a", "a"), (" b.", "b"), ("C)", "c"), ("**D**", "d")])
def test_a_bare_letter_counts_in_either_case(text: str, label: str) -> None:
    assert strict(text, LETTERS) == lenient(text, LETTERS) == label


@pytest.mark.parametrize(
    ("text", "labels", "label"),
    [
        ("The answer is true", TRUTH, "true"),
        ("It is True, I believe.", TRUTH, "true"),
        ("Answer: C", LETTERS, "c"),
        ("(B)", LETTERS, "b"),
        ("B. Cycle everywhere", LETTERS, "b"),
        ("I'd say 'False' here", TRUTH, "false"),
        ("I’d say ‘False’ here", TRUTH, "false"),
        ("- True", TRUTH, "true"),
        ("True 🙂", TRUTH, "true"),
        ("答案是 True 。", TRUTH, "true"),
        ("true true true", TRUTH, "true"),
        ("Yes, people there would agree.", ANSWERS, "yes"),
    ],
)
def test_lenient_alone_takes_a_label_that_stands_alone(text: str, labels: tuple[str, ...], label: str) -> None:
    assert strict(text, labels) is None
    assert lenient(text, labels) == label


def test_lenient_does_not_understand_a_negation() -> None:
    """The price of the lenient reading, and a reason why it is not the default: the word stands alone."""
    assert strict("Not true", TRUTH) is None
    assert lenient("Not true", TRUTH) == lenient("It is not true", TRUTH) == "true"


def test_a_capital_article_at_the_head_of_a_sentence_is_taken_for_the_letter() -> None:
    """The other price: who writes "A" as a word has written the letter A."""
    assert strict("A good guest cycles", LETTERS) is None
    assert lenient("A good guest cycles", LETTERS) == "a"


UNREADABLE = [
    ("I", LETTERS), ("The", LETTERS), ("option b", LETTERS), ("give a reason", LETTERS), ("A's", LETTERS),
    ("D'accord", LETTERS), ("B-side", LETTERS), ("A or B", LETTERS), ("E", LETTERS), ("AB", LETTERS),
    ("False. True", TRUTH), ("true/false", TRUTH), ("truely", TRUTH), ("untrue", TRUTH), ("true-ish", TRUTH),
    ("half-true", TRUTH), ("Tru", TRUTH), ("T", TRUTH), ("1", TRUTH), ("vrai", TRUTH), ("真", TRUTH), ("правда", TRUTH),
    ("صحيح", TRUTH), ("🙂", TRUTH), ("Ｔｒｕｅ", TRUTH), ("t r u e", TRUTH), ("True_", ("tru",)),
    ("yes and no", ANSWERS), ("Nope", ANSWERS), ("It depends on the family.", ANSWERS),
    ("I would rather not put it in one word.", ANSWERS),
]  # fmt: skip


@pytest.mark.parametrize(("text", "labels"), UNREADABLE)
def test_what_holds_no_label_or_two_is_a_format_error(text: str, labels: tuple[str, ...]) -> None:
    assert read_label(text, labels, "strict") == (None, "format_error")
    assert read_label(text, labels, "lenient") == (None, "format_error")


@pytest.mark.parametrize("text", ["", " ", "\n\t ", "\u00a0\ufeff", "...", "**", '""'])
def test_nothing_said_is_a_format_error_and_no_refusal(text: str) -> None:
    assert read_label(text, TRUTH, "strict") == read_label(text, TRUTH, "lenient") == (None, "format_error")


REFUSALS = [
    "I'm sorry, but I can't help with that.", "I’m sorry, but I can’t help with that.", "I am sorry.", "Im sorry",
    "Sorry, I cannot answer this.", "I can not answer this.", "As an AI, I live nowhere.", "I won't generalise.",
    "I won’t generalise.", "I am unable to answer.", "I'm unable to answer.", "I’m not able to say.",
    "I am not able to say.", "I'm not comfortable with such questions.", "I must decline.", "I decline to answer.",
    "I will not answer this.", "i'M SORRY",
]  # fmt: skip


@pytest.mark.parametrize("text", REFUSALS)
def test_a_refusal_is_told_from_a_format_error_in_many_wordings(text: str) -> None:
    for labels in (TRUTH, ANSWERS):
        assert read_label(text, labels, "strict") == read_label(text, labels, "lenient") == (None, "refusal")


def test_who_says_sorry_and_answers_has_answered_leniently_and_refused_strictly() -> None:
    text = "I'm sorry to say that it is false."
    assert read_label(text, TRUTH, "strict") == (None, "refusal")
    assert read_label(text, TRUTH, "lenient") == ("false", None)


@pytest.mark.parametrize(("reply", "text"), [("word", "True"), ("json", '{"Answer": "True"}')])
def test_an_endpoint_that_says_refused_has_refused_whatever_the_words(
    reply: Literal["word", "json"], text: str
) -> None:
    header = PromptHeader(name="ask", role="subject", language="en", origin="own")
    form = QuestionFormat(
        prompt=Prompt(header, "True?"), slots=(), label_texts={"true": "True", "false": "False"}, reply=reply
    )
    item = ClosedItem(about=ItemMetadata(item="q", unit="q", cluster="q"), form=form, words=(), gold="true")
    heard = ReplyEvent(role="subject", text=text, refusal=True)
    strict, lenient = grade(item, Transcript(item="q", sample=0, events=(heard,)))
    for verdict, reading in ((strict, "strict"), (lenient, "lenient")):
        assert isinstance(verdict, Graded)
        assert (verdict.task, verdict.label, verdict.fault, verdict.points) == (reading, None, "refusal", 0)


@pytest.mark.parametrize("length", [10_000, 1_000_000])
def test_a_very_long_reply_is_read_to_its_end(length: int) -> None:
    assert strict("x " * length + "true", TRUTH) is None
    assert lenient("x " * length + "true", TRUTH) == "true"
    assert strict("." * length, TRUTH) is None
    assert strict("True" + "." * length, TRUTH) == "true"


@given(replies, sets)
def test_a_reply_has_a_label_of_the_set_or_a_fault_and_never_both(text: str, labels: tuple[str, ...]) -> None:
    for reading in READINGS:
        found = read_label(text, labels, reading)
        assert (found.label in labels) != (found.fault in ("format_error", "refusal"))


@given(replies, sets)
def test_every_strict_label_is_the_lenient_one(text: str, labels: tuple[str, ...]) -> None:
    if (label := strict(text, labels)) is not None:
        assert lenient(text, labels) == label


@given(replies, sets)
def test_reading_what_was_read_gives_it_again(text: str, labels: tuple[str, ...]) -> None:
    for reading in READINGS:
        label = read_label(text, labels, reading).label
        if label is not None:
            assert strict(label, labels) == lenient(label, labels) == label


@given(
    replies, sets, st.sampled_from(["", " ", "\n", "**", '"', "“", "`"]), st.sampled_from(["", ".", "!", " \n", "?"])
)
def test_strict_ignores_wrapping_and_final_stops(text: str, labels: tuple[str, ...], wrap: str, end: str) -> None:
    label = strict(text, labels)
    if label is not None:
        assert strict(f"{wrap}{text}{end}{wrap}", labels) == label


@given(st.sampled_from(SETS[:2]), st.data())
def test_words_are_read_in_any_case(labels: tuple[str, ...], data: st.DataObject) -> None:
    label = data.draw(st.sampled_from(labels))
    upper = data.draw(st.lists(st.booleans(), min_size=len(label), max_size=len(label)))
    text = "".join(c.upper() if up else c for c, up in zip(label, upper, strict=True))
    assert strict(text, labels) == label
    assert lenient(f"I say: {text} indeed", labels) == label
