"""Gates: a planted leak is found and named, clean questions pass, and figures do not hang on the order of a file."""

import random
from collections.abc import Sequence

import numpy as np
import pytest
from msgspec.structs import replace

from mores.core.seeds import Seed
from mores.pipelines.duplicates import NamedText
from mores.pipelines.gates.check import check_items
from mores.pipelines.gates.data_checks import PublicTexts
from mores.pipelines.gates.gate import Gate, GateItem
from tests.stats.drawing import draws

SEED = Seed("mores-0")
WORDS = [f"word{n}" for n in range(60)]


def questions(count: int = 120, seed: int = 1) -> list[GateItem]:
    """Questions whose options are drawn alike, in words and in length."""
    rng = np.random.default_rng(seed)
    return [
        GateItem(
            id=f"q{n}", norm=f"norm{n // 2}", place=f"P{n % 6}", topic=f"t{n % 3}",
            stem=f"What is done in case {n}, they ask?",
            options=tuple(" ".join(rng.choice(WORDS, 6)) for _ in range(4)), right=(int(rng.integers(4)),),
            norms=(f"People there hold rule number {n} of this list to be theirs.",),
        )
        for n in range(count)
    ]  # fmt: skip


def gates(items: list[GateItem], public: list[NamedText] | None = None) -> dict[str, Gate]:
    return {gate.name: gate for gate in check_items(items, PublicTexts(texts=tuple(public or ())), SEED)}


def changed(item: GateItem, text: str) -> GateItem:
    options = list(item.options)
    options[item.right[0]] = text.format(item.options[item.right[0]])
    return replace(item, options=tuple(options))


def test_clean_questions_pass_every_gate() -> None:
    found = gates(questions())
    assert [gate.name for gate in found.values() if gate.passed is False] == []
    assert found["wording alone, by norm"].chance == pytest.approx(0.25, abs=0.02)


@pytest.mark.parametrize(
    ("text", "gate"),
    [
        ("{} and a good deal more than that", "longest option"),
        ("{} because that is how it is", "words of reason"),
        ("politely {}", "wording alone, by norm"),
        ("politely {}", "wording alone, by place"),
    ],
)
def test_a_planted_leak_is_found_and_names_its_items(text: str, gate: str) -> None:
    found = gates([changed(item, text) if n % 4 else item for n, item in enumerate(questions())])[gate]
    assert found.passed is False
    assert found.value is not None
    assert found.chance is not None
    assert found.value > found.chance + 0.2
    assert set(found.items) >= {"q1", "q2", "q3"}


def test_a_place_of_the_right_option_is_found() -> None:
    found = gates([replace(item, right=(2,)) if n % 3 else item for n, item in enumerate(questions())])
    assert found["option 3"].passed is False
    assert found["option 1"].passed is True


def test_a_norm_that_is_told_is_named() -> None:
    items = questions(20)
    items[7] = replace(items[7], stem=f"They say: {items[7].norms[0]} What now?")
    assert gates(items)["norm in the question"].items == ("q7",)


def test_what_repeats_another_or_a_public_benchmark_is_named() -> None:
    items = questions(20)
    items[3] = replace(items[4], id="q3")
    public = [NamedText(name="public", words=items[9].stem.upper())]
    assert gates(items, public)["repeated"].items == ("q4", "q9")


def test_labels_that_hang_on_the_place_are_found() -> None:
    items = [GateItem(id=f"j{n}", norm=f"n{n}", place=f"P{n % 4}", stem=f"Scene {n}", topic=f"t{(n // 4) % 5}",
                  label="yes" if n % 4 < 2 else "no") for n in range(80)]  # fmt: skip
    found = gates(items)
    assert found["labels by place"].passed is False
    assert found["labels by place"].value == 1
    assert found["labels by topic"].passed is True


def test_labels_that_go_with_norms_are_not_taken_for_labels_that_go_with_places() -> None:
    """Ten questions a norm, all of one label: places differ by luck, as few norms do."""
    failed = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        labels = rng.integers(2, size=24)
        items = [
            GateItem(id=f"j{n}", norm=f"{n // 10}", place=f"P{n // 60}", stem=f"Scene {n}", label=str(labels[n // 10]))
            for n in range(240)
        ]
        failed += gates(items)["labels by place"].passed is False
    assert failed <= 3


class Lengths:
    """An embedder that knows how many words a text has."""

    identity = "lengths"

    def __call__(self, texts: Sequence[str]) -> list[list[float]]:
        return [[1.0, float(len(text.split()))] for text in texts]


def test_what_is_near_to_a_public_text_is_named_with_the_cosine_that_was_asked_for() -> None:
    items = questions(20)
    items[5] = replace(items[5], stem=f"{items[5].stem} {'more words ' * 20}")
    public = (NamedText(name="public", words="other words " * 24),)
    found = check_items(items, PublicTexts(texts=public, embedder=Lengths(), near=0.9999), SEED)
    near = next(gate for gate in found if gate.name == "near a public text")
    assert (near.items, near.passed, near.n) == (("q5",), False, 20)
    assert near.threshold == {"share_above": 0.0, "cosine_from": 0.9999}
    none = gates(items)["near a public text"]
    assert (none.passed, none.why) == (None, "no --against")


def test_every_gate_that_was_asked_says_value_interval_n_and_what_it_fails_at() -> None:
    for gate in gates(questions()).values():
        if gate.passed is not None:
            assert gate.value is not None
            assert gate.interval is not None
            assert gate.n
            assert gate.threshold


def test_the_order_of_a_file_changes_no_verdict() -> None:
    items = [changed(item, "politely {}") for item in questions(60)]
    first = {name: gate.passed for name, gate in gates(items).items()}
    random.Random(3).shuffle(items)
    assert {name: gate.passed for name, gate in gates(items).items()} == first


def test_gates_that_cannot_be_asked_say_why() -> None:
    found = gates([GateItem(id="j", norm="n", place="JP", stem="A scene", label="yes")])
    assert {gate.passed for name, gate in found.items() if "labels" in name} == {None}
    assert "fewer than two" in found["labels by place"].why


@draws(6, 12)
def test_noise_is_seldom_called_a_leak(draws: int) -> None:
    found = [gate for seed in range(draws) for gate in gates(questions(60, seed)).values()]
    assert sum(gate.passed is False for gate in found) <= draws // 12
