"""How near right and other options lie to the place's name: the baseline's own figures, and who has them."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec import structs
from scipy import stats

from mores.benchmarks import catalogue
from mores.benchmarks.culturalbench.benchmark import option_texts
from mores.benchmarks.shapes.option_similarity import (
    METRICS,
    check_options,
    cosines_of,
    describe_tests,
    figures_of,
    similarity_figures,
)
from mores.core.errors import InputError
from mores.core.estimate import Estimate
from mores.core.seeds import Seed
from mores.models.similarity import SimilarityBaseline
from mores.models.simulated import Baseline
from mores.tables.missing_texts import format_missing
from tests.benchmarks.plays import figure, setting_of, tiny


class Letters:
    """A toy of embeddings: a text is how often each letter is in it."""

    identity = "letters"

    def __call__(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        return [[float(text.casefold().count(letter)) for letter in "abcdefghijklmnopqrstuvwxyz"] for text in texts]


def toy() -> SimilarityBaseline:
    return SimilarityBaseline("baseline/similarity:letters", Letters())


def found(items: Sequence[Any], seed: str = "tests") -> tuple[Estimate, ...]:
    return figures_of(asyncio.run(cosines_of(toy().cosines, items)), Seed(seed))


def test_items_of_options_carry_their_texts_and_the_place_as_the_data_name_it() -> None:
    _, _, items = tiny("culturalbench/easy")
    key = items[0].key()
    assert key.place_name == "Netherlands"
    assert key.options == {"a": "One biscuit", "b": "A bowl of rice", "c": "A boiled egg", "d": "Nothing at all"}


def test_an_option_that_names_statements_says_what_they_say() -> None:
    _, _, items = tiny("culturalbench/easy")
    assert items[2].key().options["c"] == "Nobody eats bread; Trains have no doors"
    assert items[2].words[3] == "iii, iv"  # the words asked stay as they are


@pytest.mark.parametrize("option", ["i", "v, vi", "(i), (ii)"])
def test_without_statements_an_option_is_taken_as_it_stands(option: str) -> None:
    assert option_texts("Which letter is it?", [option]) == (option,)


def test_numerals_with_and_without_brackets_are_the_same_statements() -> None:
    question = "Which?\n(i) Rice.\n(ii) Bread\n(iii) Yam;\n(iv) Maize"
    assert option_texts(question, ["i, iii", "(i), (iii)", "iv"]) == ("Rice; Yam", "Rice; Yam", "Maize")


def test_shuffled_options_keep_their_texts() -> None:
    _, _, plain = tiny("culturalbench/easy")
    _, _, mixed = tiny("culturalbench/easy", shuffle=True)
    for one, other in zip(plain, mixed, strict=True):
        assert sorted(one.key().options.values()) == sorted(other.key().options.values())
        assert one.key().options[one.gold] == other.key().options[other.gold]


def many(n: int) -> list[Any]:
    """Copies of a question with other places, each a question of its own."""
    _, _, items = tiny("culturalbench/easy")
    names = ["Peru", "Nepal", "Oman", "Ghana", "Haiti", "Kenya", "Libya", "Malta", "Niger", "Qatar", "Samoa", "Syria"]
    return [
        structs.replace(
            items[0],
            about=structs.replace(items[0].about, item=f"q{number}", unit=f"q{number}", cluster=f"q{number}"),
            place_name=names[number % len(names)],
            options=(names[(7 * number) % len(names)], "Bread", f"Rice and {names[number % len(names)]}", "Tea"),
        )
        for number in range(n)
    ]


def test_figures_are_those_of_scipy_on_the_same_cosines() -> None:
    items = many(12)
    cosines = asyncio.run(toy().cosines([item.key() for item in items]))
    right = np.array([c["a"] for c in cosines])
    others = np.array([[c[label] for label in "bcd"] for c in cosines])
    figures = found(items)
    means = others.mean(axis=1)
    assert figure(figures, "similarity_correct").value == pytest.approx(right.mean(), abs=1e-9)
    assert figure(figures, "similarity_others").value == pytest.approx(others.mean(), abs=1e-9)
    assert figure(figures, "similarity_difference").value == pytest.approx((right - means).mean(), abs=1e-9)
    every, averaged = stats.kruskal(right, others.ravel()), stats.kruskal(right, means)
    assert figure(figures, "kruskal_wallis_p").value == pytest.approx(every.pvalue, rel=1e-5)
    assert figure(figures, "kruskal_wallis_p").method.startswith(f"H = {every.statistic:.4f}; ")
    assert figure(figures, "kruskal_wallis_p_of_means").value == pytest.approx(averaged.pvalue, rel=1e-5)
    signs = stats.wilcoxon(right - means, alternative="greater")
    assert figure(figures, "wilcoxon_p").value == pytest.approx(
        min(1, 2 * min(signs.pvalue, stats.wilcoxon(right - means, alternative="less").pvalue)), rel=1e-5
    )
    assert figure(figures, "wilcoxon_p").method.startswith(f"W+ = {signs.statistic:g}; exact; 12 questions")


def test_means_have_an_interval_round_them_and_tests_say_why_they_have_none() -> None:
    for estimate in found(many(40)):
        assert estimate.asked == estimate.graded == 40
        if estimate.metric.startswith("similarity"):
            assert None not in (estimate.low, estimate.value, estimate.high)
            assert estimate.low <= estimate.value <= estimate.high  # type: ignore[operator]
        else:
            assert (estimate.low, estimate.high, format_missing(estimate.missing)) == (
                None,
                None,
                "a p-value has no interval",
            )


def test_figures_come_in_the_order_in_which_they_are_described_and_the_same_again() -> None:
    figures = found(many(9))
    assert [estimate.metric for estimate in figures] == [metric.name for metric in METRICS]
    assert figures == found(many(9))


def test_few_questions_have_means_without_an_interval() -> None:
    figures = found(many(3))
    assert figure(figures, "similarity_correct").low is None
    assert "too few" in format_missing(figure(figures, "similarity_correct").missing)
    assert "[" not in str(describe_tests(figures))


def test_the_figures_are_told_in_one_sentence() -> None:
    words = describe_tests(found(many(12)))
    assert words is not None
    assert words.startswith("cosine with the name of the place: right option 0.")
    assert "; Wilcoxon W+ = " in words
    assert describe_tests(()) is None


def test_only_this_baseline_has_the_figures() -> None:
    benchmark, setting, items = tiny("culturalbench/easy")
    assert benchmark.card.name == "culturalbench/easy"
    assert len(asyncio.run(similarity_figures(toy(), items, setting))) == len(METRICS)
    assert asyncio.run(similarity_figures(Baseline("baseline/first", Seed("t")), items, setting)) == ()
    assert asyncio.run(similarity_figures(None, items, setting)) == ()


def test_benchmarks_without_options_are_refused_and_told_which_have_them() -> None:
    for name in ("culturalbench/hard", "cure/normad_thin"):
        _, _, items = tiny(name)
        with pytest.raises(InputError, match=f"{name}: .*such as those of culturalbench/easy"):
            check_options(toy(), items, name)
        check_options(Baseline("baseline/first", Seed("t")), items, name)
    _, _, items = tiny("culturalbench/easy")
    check_options(toy(), items, "culturalbench/easy")


def test_every_question_of_the_real_data_has_options_in_words(real: Path) -> None:
    benchmark = catalogue.load("culturalbench/easy")
    items = benchmark.items(setting_of(benchmark, real))
    check_options(toy(), items, "culturalbench/easy")
    combined: list[Any] = [item for item in items if item.about.groups["mode"] == "multi"]
    assert len(combined) == 86
    numerals = {"i", "ii", "iii", "iv"}
    for item in combined:
        assert not any(numerals >= set(text.split(", ")) for text in item.options)
