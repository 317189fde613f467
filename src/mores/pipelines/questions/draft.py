"""A question in the making: which norm each option goes against, and what must hold of its words whoever wrote them."""

from typing import Literal

import msgspec
from msgspec.structs import replace

from mores.norms.places import place
from mores.pipelines.duplicates import normalised
from mores.pipelines.norms.norm_base_file import BuiltNorm
from mores.pipelines.text_checks import revealing_words, wrong_with_choices

OptionStand = Literal["satisfy", "violate"]
UpperLetter = Literal["A", "B", "C", "D"]
LETTERS: tuple[UpperLetter, ...] = ("A", "B", "C", "D")
MATRIX: dict[UpperLetter, tuple[OptionStand, OptionStand, OptionStand]] = {
    "A": ("violate", "satisfy", "satisfy"),
    "B": ("satisfy", "violate", "satisfy"),
    "C": ("satisfy", "satisfy", "violate"),
    "D": ("satisfy", "satisfy", "satisfy"),
}


def describe_letter(letter: UpperLetter) -> str:
    """Required stances of one course of action, in words.

    >>> describe_letter("B")
    'B satisfies norm 1, violates norm 2 and satisfies norm 3'
    """
    first, second, third = (f"{stand.removesuffix('y')}ies" if stand == "satisfy" else "violates"
                            for stand in MATRIX[letter])  # fmt: skip
    return f"{letter} {first} norm 1, {second} norm 2 and {third} norm 3"


class Grounds(msgspec.Struct, frozen=True, kw_only=True):
    """Basis of a question: three norms of one place, domain and topic."""

    id: str
    norms: tuple[BuiltNorm, BuiltNorm, BuiltNorm]

    @property
    def place(self) -> str:
        """The place of all three."""
        return self.norms[0].place

    @property
    def text(self) -> str:
        """The norms, numbered, a line each."""
        return "\n".join(f"{number}. {norm.statement}" for number, norm in enumerate(self.norms, start=1))


class QuestionDraft(msgspec.Struct, frozen=True, kw_only=True):
    """A question as it stands: the scene, what is asked, and four courses of action of which D keeps to all norms."""

    context: str
    question: str
    options: dict[UpperLetter, str]

    @property
    def text(self) -> str:
        """The whole question, its courses of action a line each."""
        listed = "\n".join(f"{letter}. {self.options[letter]}" for letter in LETTERS)
        return f"{self.context}\n\n{self.question}\n\n{listed}"

    def with_option(self, letter: UpperLetter, text: str) -> "QuestionDraft":
        """The draft with one course of action in other words."""
        return replace(self, options={**self.options, letter: text})


def wrong_with(draft: QuestionDraft, grounds: Grounds) -> str:
    """Fault of a question, in words for its writer; empty where there is none."""
    return wrong_with_options(draft.options) or wrong_with_stem(f"{draft.context} {draft.question}", grounds)


def wrong_with_options(options: dict[UpperLetter, str]) -> str:
    """Fault of the courses of action by themselves; empty where there is none."""
    return wrong_with_choices(
        list(options.values()), one="a course of action", many="courses of action", size=lambda text: len(text.split())
    )


def wrong_with_stem(words: str, grounds: Grounds) -> str:
    """Words of a norm that scene or question give away; options act on norms, and may come near to their words."""
    return revealing_words(
        [words], {f"norm {number}": norm.statement for number, norm in enumerate(grounds.norms, start=1)}
    )


def wrong_with_rationale(rationale: str, grounds: Grounds) -> str:
    """A reason that names the country argues from it and not from the norms; empty where it does not."""
    name = place(grounds.place).name
    if normalised(name) in normalised(rationale):
        return f"the rationale names {name}; it may rest on the three norms alone."
    return ""
