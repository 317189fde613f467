"""The same questions in other wordings and orders: same slots, same form of the answer, other words."""

import re
from pathlib import Path

import pytest

from mores.benchmarks import catalogue
from mores.benchmarks.variants import in_variant, orders_of, variants_of, wordings_of
from mores.core.card import Variant
from mores.core.errors import InputError
from mores.core.prompt import Prompt, Wording

CLOSED = (
    "culturalbench/easy", "culturalbench/hard", "cure/casa_thin", "cure/culturebank_thin", "cure/normad_thin",
    "cure/specnorm_thin", "cultureforest/easy", "cultureforest/medium", "cultureforest/knowledge",
    "cultureforest/informed", "ladder/know", "ladder/judge",
)  # fmt: skip
RUNGS = ("ladder/explain", "ladder/apply", "ladder/converse", "ladder/live")
ANSWERS = {
    "True": r"\bTrue\b", "False": r"\bFalse\b", "yes": r"\byes\b", "no": r"\bno\b", "neutral": r"\bneutral\b",
    "JSON": r"\bJSON\b", "object": r'\{"Answer": "…"\}', "letters": r"A, B, C or D", "250": r"\b250 words\b",
    "100": r"\b100 words\b", "sentences": r"\btwo to four sentences\b", "bye": r'"GOOD BYE!"',
}  # fmt: skip
"""What tells a subject how to answer; a wording has each that the first has."""


def of_subject(name: str, variant: Variant) -> dict[str, Prompt]:
    prompts = in_variant(name, variant, {}).prompts
    return {
        prompt.header.name: prompt
        for prompt in prompts
        if prompt.header.role == "subject" and prompt.header.language == "en"
    }


@pytest.mark.parametrize("name", [*CLOSED, *RUNGS])
def test_every_closed_benchmark_and_rung_has_three_more_wordings(name: str) -> None:
    assert wordings_of(catalogue.load(name)) == 4


@pytest.mark.parametrize("name", list(CLOSED))
def test_every_closed_benchmark_whose_options_do_not_stand_in_its_data_has_orders(name: str) -> None:
    orders = orders_of(catalogue.load(name))
    assert orders == {"culturalbench/easy": 24, "cultureforest/easy": 1, "cure/normad_thin": 3, "ladder/judge": 3}.get(
        name, 2
    )


@pytest.mark.parametrize("name", [*CLOSED, *RUNGS])
def test_wordings_ask_for_the_same_answer_with_the_same_slots_in_other_words(name: str) -> None:
    first = of_subject(name, Variant())
    for number in (2, 3, 4):
        other = of_subject(name, Variant(wording=number))
        changed = [key for key in first if other[key].sha != first[key].sha]
        assert changed, number
        for key in changed:
            assert other[key].slots == first[key].slots
            for what, pattern in ANSWERS.items():
                said = [bool(re.search(pattern, prompt.body)) for prompt in (first[key], other[key])]
                assert said[0] == said[1] or what == "no", (key, number, what)
            assert not _shared(first[key].body, other[key].body), (key, number)


def _shared(one: str, other: str) -> set[str]:
    """Sentences of the first that the other has too, but for what is none: slots and forms of JSON."""
    parts = (re.split(r"(?<=[.?!:])\s+|\n+", re.sub(r"\{\".*\}", "", text)) for text in (one, other))
    plain = [{p.strip() for p in each if not re.search(r"\[\[|\{", p) and len(p.split()) > 4} for each in parts]
    return plain[0] & plain[1]


@pytest.mark.parametrize("name", [*CLOSED, "ladder/explain"])
def test_an_order_of_labels_names_the_same_labels_in_another_order(name: str) -> None:
    first = of_subject(name, Variant())
    if name.endswith("/easy"):
        return
    for number in range(2, orders_of(catalogue.load(name)) + 1):
        other = of_subject(name, Variant(order=number))
        changed = [key for key in first if other[key].sha != first[key].sha]
        assert changed
        for key in changed:
            labels = r"\b(True|False|yes|no|neutral)\b"
            told = [re.findall(labels, prompt.body) for prompt in (first[key], other[key])]
            assert told[0] != told[1]
            assert set(told[0]) == set(told[1])
            assert other[key].slots == first[key].slots


def test_fewer_wordings_than_are_asked_for_are_those_that_there_are() -> None:
    assert variants_of("ladder/know", 2, 1) == (Variant(), Variant(wording=2))
    assert len(variants_of("ladder/know", 9, 9)) == 1 + 3 + 1
    assert variants_of("socialcc/dialogue", 3, 3) == (Variant(),)


def test_words_of_ones_own_have_no_other_wordings(tmp_path: Path) -> None:
    text = catalogue.prompts("ladder/know")["subject/know"].body
    with pytest.raises(InputError, match="leave out --prompt-variants"):
        in_variant("ladder/know", Variant(wording=2), {"subject/know": Wording(text=text, file="mine.md")})
