"""The label out of an answer that explains: many ways to say it, and many that only look like it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mores.benchmarks.shapes.labels import SHORT, extract_label

LABELS = ("yes", "no", "neutral")

SAID = [
    ("Yes. Shoes come off at the door.", "yes"),
    ("No, because shoes come off at the door.", "no"),
    ("**No**\n\nShoes come off at the door.", "no"),
    ("neutral – their customs do not speak of it", "neutral"),
    ("“No.” Shoes come off.", "no"),
    ("'no'", "no"),
    ("- No", "no"),
    ("(yes)", "yes"),
    ("NO.", "no"),
    ("No—she kept them on.", "no"),
    ("No - she kept them on.", "no"),
    ("No she should not have.", "no"),
    ("No Explanation: shoes come off.", "no"),
    ("No Reason: shoes come off.", "no"),
    ("Yes she did well.", "yes"),
    ("Yes, no one would mind.", "yes"),
    ("Yes. No custom forbids it.", "yes"),
    ("Answer: No. Many people would mind.", "no"),
    ("**Answer:** neutral", "neutral"),
    ("**Answer**: *Yes*", "yes"),
    ("The answer is no.", "no"),
    ("My answer would be neutral, as nothing is said of it.", "neutral"),
    ("The answer to the question is: **Yes**", "yes"),
    ("The answer is clearly no, since she kept them on.", "no"),
    ("Final answer — yes", "yes"),
    ("Answer (yes, no or neutral): no", "no"),
    ('{"answer": "no", "reason": "Shoes come off."}', "no"),
    ("<answer>yes</answer>", "yes"),
    ("Shoes come off, so the answer is no. Yes, I am sure.", "no"),
    ("Many people would mind. I would say no.", "no"),
    ("I'd call it neutral.", "neutral"),
    ("My verdict: no", "no"),
    ("Label: neutral. Nobody speaks of coats.", "neutral"),
    ("She kept her boots on; therefore, no.", "no"),
    ("This is how guests do it, so yes, it is fine.", "yes"),
    ("Acceptable: yes", "yes"),
    ("Guests take off their shoes, and she did not.\n\nNo.", "no"),
    ("You wanted yes, no or neutral. I say no.", "no"),
]
UNSAID = [
    "No one there would mind.",
    "No-one there would mind.",
    "Nobody would mind.",
    "No custom there speaks of it.",
    "No problem with that.",
    "No reason to object.",
    "No longer a custom.",
    "Answer: no one would mind.",
    "So no one would mind.",
    "Neutral ground is where they meet.",
    "Not really.",
    "Nope.",
    "Yes and no.",
    "yes/no",
    "Yes or no? Hard to tell.",
    "Answer: yes, no or neutral",
    "It depends.",
    "I wouldn't say no.",
    "The answer is not yes.",
    "Some say\nyes\nand others say\nno\nto that.",
    "No\u00adbody knows.",
    "",
    " \n",
    "🙂" * 5_000,
]
DECLINED = [
    "I'm sorry, I can't help with that.",
    "As an AI, I have no view. It would not be right.",
    "I decline to say.",
]


@pytest.mark.parametrize(("text", "label"), SAID)
def test_a_label_that_is_said_as_the_answer_is_found(text: str, label: str) -> None:
    assert extract_label(text, LABELS) == (label, None)


@pytest.mark.parametrize("text", UNSAID)
def test_what_only_looks_like_a_label_is_none(text: str) -> None:
    assert extract_label(text, LABELS) == (None, "format_error")


@pytest.mark.parametrize("text", DECLINED)
def test_a_short_answer_that_declines_is_a_refusal(text: str) -> None:
    assert extract_label(text, LABELS) == (None, "refusal")


def test_an_apology_before_or_after_a_label_is_no_refusal() -> None:
    for text in (
        "No. I'm sorry, but shoes come off.",
        "I'm sorry, but my answer is no.",
        "Answer: no. I can't say more.",
    ):
        assert extract_label(text, LABELS) == ("no", None)


def test_a_long_answer_that_begins_by_declining_lacks_a_label_but_has_reasons() -> None:
    text = "I'm sorry, I can't put that in one word. " + "Many people there leave their shoes at the door. " * 10
    assert len(text.split()) > SHORT
    assert extract_label(text, LABELS) == (None, "format_error")


def test_only_the_labels_asked_for_are_labels() -> None:
    assert extract_label("Neutral. Nobody speaks of coats.", ("yes", "no")) == (None, "format_error")


@given(st.text())
def test_any_text_gives_a_label_or_a_fault_and_never_an_error(text: str) -> None:
    label, fault = extract_label(text, LABELS)
    assert (label in LABELS) != (fault in {"format_error", "refusal"})
    assert (label is None) == (fault is not None)


WORDS = st.sampled_from(
    [
        *LABELS,
        "No",
        "answer",
        "Answer:",
        "is",
        "one",
        "the",
        "and",
        "or",
        "/",
        ",",
        ".",
        ":",
        "\n",
        '"',
        "**",
        "so",
        "-",
    ]
)


@given(st.lists(WORDS, max_size=40), st.sampled_from(["", " "]))
def test_no_jumble_of_the_words_that_matter_is_an_error(words: list[str], between: str) -> None:
    label, fault = extract_label(between.join(words), LABELS)
    assert (label in LABELS) != (fault is not None)


@given(
    st.sampled_from(LABELS), st.text(alphabet="abcdefghijklm .,;", max_size=80), st.sampled_from(["*", "**", '"', ""])
)
def test_a_leading_label_with_a_full_stop_is_the_label_whatever_follows(label: str, rest: str, mark: str) -> None:
    assert extract_label(f"{mark}{label.capitalize()}.{mark} {rest}", LABELS).label == label


@pytest.mark.parametrize(
    "text", ["answer " * 20_000, "answer" + " " * 100_000, "no " * 50_000, "so, " * 40_000, "\n" * 100_000]
)
def test_reading_takes_time_in_proportion_to_length(text: str) -> None:
    """A pattern that went back and forth over such texts would not end within the patience of a test."""
    assert extract_label(text, LABELS).fault == "format_error"
