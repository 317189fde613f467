"""Texts that repeat others are found by their words and by their vectors, and which is kept is stable."""

import random
from collections.abc import Sequence

import numpy as np
import pytest

from mores.core.errors import InputError
from mores.pipelines.duplicates import Duplicate, NamedText, duplicates, vectors_of
from mores.pipelines.text_checks import normalised


def texts(*words: str, within: str = "JP") -> list[NamedText]:
    return [NamedText(name=f"n{number}", words=each, within=within) for number, each in enumerate(words)]


def test_case_accents_and_punctuation_make_no_other_text() -> None:
    found = duplicates(texts("Take your shoes off.", "take YOUR shoes off", "Keep them on."))
    assert found == {"n1": Duplicate(of="n0", cosine=1.0)}
    assert normalised("Ａ—b  c") == "a b c"


def test_the_same_words_at_another_place_are_another_norm() -> None:
    assert duplicates([*texts("a b"), NamedText(name="x", words="a b", within="DE")]) == {}


def test_texts_of_others_are_held_against_at_any_place() -> None:
    public = [NamedText(name="public-1", words="Bow when you meet.")]
    assert duplicates(texts("Bow when you meet", "Bow"), against=public) == {
        "n0": Duplicate(of="public-1", cosine=1.0, public=True)
    }


def test_near_texts_are_twins_from_the_cosine_on() -> None:
    vectors = {"n0": np.array([1.0, 0.0]), "n1": np.array([0.96, 0.28]), "n2": np.array([0.0, 1.0])}
    assert duplicates(texts("a", "b", "c"), vectors=vectors, near=0.95) == {"n1": Duplicate(of="n0", cosine=0.96)}
    assert duplicates(texts("a", "b", "c"), vectors=vectors, near=0.97) == {}


def test_a_dropped_text_drops_no_other() -> None:
    """n2 is near n1 alone, which was dropped for n0: so it stays."""
    angles = {"n0": 0.0, "n1": 0.3, "n2": 0.6}
    vectors = {name: np.array([np.cos(angle), np.sin(angle)]) for name, angle in angles.items()}
    assert set(duplicates(texts("a", "b", "c"), vectors=vectors, near=0.95)) == {"n1"}


def test_the_order_of_a_file_changes_nothing() -> None:
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(900, 4))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    every = [NamedText(name=f"n{i:03}", words=f"w{i % 700}", within="JP") for i in range(900)]
    vectors = {text.name: row for text, row in zip(every, rows, strict=True)}
    first = duplicates(every, vectors=vectors, near=0.99)
    random.Random(2).shuffle(every)
    assert duplicates(every, vectors=vectors, near=0.99) == first
    assert len(first) >= 200


class Counting:
    """Embeds by length, and counts what it is asked."""

    identity = "length"

    def __init__(self) -> None:
        self.batches: list[int] = []

    def __call__(self, texts: Sequence[str]) -> list[list[float]]:
        self.batches.append(len(texts))
        return [[3.0, 4.0 * len(text)] for text in texts]


def test_each_text_is_embedded_once_and_a_few_at_a_time() -> None:
    embedder = Counting()
    rows = vectors_of([f"{'w' * (number % 1200)}" for number in range(5000)], embedder)
    assert sum(embedder.batches) == 1200
    assert max(embedder.batches) < 1000
    assert rows.shape == (5000, 2)
    assert rows[1].tolist() == pytest.approx([0.6, 0.8])
    assert (rows[1] == rows[1201]).all()


def test_a_cosine_out_of_range_is_refused() -> None:
    with pytest.raises(InputError, match="above 0"):
        duplicates(texts("a"), near=0.0)
