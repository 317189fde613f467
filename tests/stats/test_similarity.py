"""How alike texts are, in any script."""

import unicodedata

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mores.core.errors import InputError
from mores.stats.conformal.draws import similarities, tokens

WORDS = st.lists(st.sampled_from(["guest", "shoes", "the", "door", "at", "takes", "off", "靴", "кинжал"]), max_size=12)


def longest_common(a: list[str], b: list[str]) -> int:
    """The textbook's table, as a second implementation."""
    row = [0] * (len(b) + 1)
    for one in a:
        last, row = row, [0]
        for place, other in enumerate(b):
            row.append(last[place] + 1 if one == other else max(last[place + 1], row[place]))
    return row[-1]


def rouge_l(first: str, second: str) -> float:
    return float(similarities([[first, second]], None, decision_aware=False)[0, 0, 1])


@given(WORDS, WORDS)
def test_the_score_is_the_f_measure_of_the_longest_common_subsequence(a: list[str], b: list[str]) -> None:
    common, found = longest_common(a, b), rouge_l(" ".join(a), " ".join(b))
    if common == 0:
        assert found == 0
    else:
        precision, recall = common / len(b), common / len(a)
        assert found == pytest.approx(2 * precision * recall / (precision + recall))


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        # F-measures of rouge-score 0.1.2 without its stemmer
        ("The guest takes off his shoes at the door.", "Guests take shoes off at the door", 0.5),
        ("He refuses the gift twice, politely", "she refused the gifts politely; twice", 0.3333333333333333),
        (
            "It's well-known: elders eat first",
            "it is well known that elders are eating first",
            0.625,
        ),
        ("a_b c3po 12 12", "a b C3PO, 12", 0.8888888888888888),
        ("", "nothing", 0.0),
    ],
)
def test_ascii_text_scores_as_with_the_reference_package(first: str, second: str, expected: float) -> None:
    assert rouge_l(first, second) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        # F-measures of rouge-score 0.1.2 with its stemmer
        ("Guests are greeting the hosts kindly", "A guest greets his host, and is kind", 0.4286),
        ("They walked quietly into the hospital", "She walks quiet in hospitals", 0.3636),
        ("The agents negotiated conditions", "An agent negotiates a condition", 0.6667),
        ("He was sitting as others sat", "They sit as the other sits", 0.5),
    ],
)
def test_stems_are_those_of_the_reference_package(first: str, second: str, expected: float) -> None:
    found = similarities([[first, second]], None, decision_aware=False, stemmed=True)
    assert found[0, 0, 1] == pytest.approx(expected, abs=1e-4)
    assert rouge_l(first, second) < expected


def test_words_of_other_scripts_are_their_own_stems() -> None:
    texts = [["客人在门口脱鞋", "客人在门外脱鞋"]]
    plain, stemmed = (similarities(texts, None, decision_aware=False, stemmed=s) for s in (False, True))
    assert (plain == stemmed).all()


@pytest.mark.parametrize(
    "text",
    [
        "სტუმარი ფეხსაცმელს კართან იხდის",
        "客人在门口脱鞋",
        "お客様は玄関で靴を脱ぎます",
        "الضيف يخلع حذاءه عند الباب",
        "ผู้มาเยือนถอดรองเท้าที่ประตู",
        "मेहमान दरवाज़े पर जूते उतारता है",
        "손님은 문에서 신발을 벗는다",
        "ភ្ញៀវដោះស្បែកជើងនៅមាត់ទ្វារ",
    ],
)
def test_equal_texts_are_wholly_alike_in_every_script(text: str) -> None:
    assert rouge_l(text, text) == 1
    assert len(tokens(text)) > 1


def test_a_word_with_marks_is_one_token() -> None:
    assert tokens("हिन्दी में") == ["हिन्दी", "में"]
    assert tokens("می‌خواهم") == ["میخواهم"]  # a joiner within a word is no break


def test_scripts_without_spaces_go_by_character_and_numbers_stay_whole() -> None:
    assert tokens("靴を12足") == ["靴", "を", "12", "足"]
    assert rouge_l("客人在门口脱鞋", "客人在门外脱鞋") == pytest.approx(6 / 7)


@given(st.text(max_size=40))
def test_case_and_form_of_writing_do_not_matter(text: str) -> None:
    assert tokens(unicodedata.normalize("NFKD", text)) == tokens(unicodedata.normalize("NFKC", text))
    assert all(token and not token.isspace() for token in tokens(text))


@settings(max_examples=50)
@given(st.lists(st.lists(st.text("ab ñ靴", max_size=12), min_size=3, max_size=3), min_size=1, max_size=3))
def test_likeness_is_symmetric_between_0_and_1_and_that_of_each_pair(texts: list[list[str]]) -> None:
    found = similarities(texts, None, decision_aware=False)
    assert found.shape == (len(texts), 3, 3)
    assert np.array_equal(found, found.transpose(0, 2, 1))
    assert np.all((found >= 0) & (found <= 1))
    assert found[0, 1, 2] == rouge_l(texts[0][1], texts[0][2])


def test_the_same_words_with_opposite_decisions_are_not_alike() -> None:
    words = "the guest broke a rule of the house, as the hosts keep it, and so the answer is"
    texts, decisions = [[f"{words} yes", f"{words} no", f"{words} yes"]], [["yes", "no", "yes"]]
    assert similarities(texts, decisions)[0].tolist() == [[1, 0, 1], [0, 1, 0], [1, 0, 1]]
    assert similarities(texts, decisions, decision_aware=False)[0, 0, 1] == pytest.approx(18 / 19)


def test_draws_that_did_not_parse_may_be_alike() -> None:
    assert similarities([["no idea", "no idea"]], [[None, None]])[0, 0, 1] == 1


@pytest.mark.parametrize(
    ("texts", "decisions", "says"),
    [
        ([["a", "b"], ["a"]], [["x", "x"], ["x"]], "as many draws for each"),
        ([["a", "b"]], [["x"]], "decisions do not go with texts"),
        ([["a", "b"]], None, "decisions do not go with texts"),
    ],
)
def test_what_does_not_go_together_is_refused(
    texts: list[list[str]], decisions: list[list[str]] | None, says: str
) -> None:
    with pytest.raises(InputError, match=says):
        similarities(texts, decisions)


def test_no_items_have_no_likeness() -> None:
    assert similarities([], []).shape == (0, 0, 0)


def test_more_distinct_words_than_there_are_characters_before_the_gap_in_unicode() -> None:
    many = [f"w{number}" for number in range(60_000)]
    assert rouge_l(" ".join(many), " ".join(many[-10:])) == pytest.approx(20 / 60_010)
