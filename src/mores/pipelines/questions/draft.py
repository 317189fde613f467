"""A question in the making, and what must hold of its words whoever wrote them."""

from dataclasses import dataclass, replace

from mores.norms.places import place
from mores.pipelines.duplicates import normalised, shared_run
from mores.pipelines.norms.entry import BuiltNorm
from mores.pipelines.questions.matrix import LETTERS, Letter

LONGER = 1.5
"""How many times as long as the shortest the longest course of action may be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounds:
    """What a question rests on: three norms of one place, domain and topic."""

    id: str
    norms: tuple[BuiltNorm, BuiltNorm, BuiltNorm]

    @property
    def place(self) -> str:
        """The place of all three."""
        return self.norms[0].place

    @property
    def told(self) -> str:
        """The norms, numbered, a line each."""
        return "\n".join(f"{number}. {norm.statement}" for number, norm in enumerate(self.norms, start=1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A question as it stands: the scene, what is asked, and four courses of action of which D keeps to all norms."""

    context: str
    question: str
    options: dict[Letter, str]

    @property
    def told(self) -> str:
        """The whole question, its courses of action a line each."""
        listed = "\n".join(f"{letter}. {self.options[letter]}" for letter in LETTERS)
        return f"{self.context}\n\n{self.question}\n\n{listed}"

    def with_option(self, letter: Letter, text: str) -> "Draft":
        """The draft with one course of action in other words."""
        return replace(self, options={**self.options, letter: text})


def wrong_with(draft: Draft, grounds: Grounds) -> str:
    """What no question may have, in words for who wrote it; empty where it has none of it."""
    return wrong_with_options(draft.options) or wrong_with_stem(f"{draft.context} {draft.question}", grounds)


def wrong_with_options(options: dict[Letter, str]) -> str:
    """What is wrong with the courses of action by themselves; empty where nothing is."""
    said = {letter: normalised(text) for letter, text in options.items()}
    if not all(said.values()):
        return "a course of action has no words."
    if len(set(said.values())) < len(said):
        return "two courses of action say the same."
    sizes = {letter: len(text.split()) for letter, text in options.items()}
    if max(sizes.values()) > LONGER * min(sizes.values()):
        counts = ", ".join(f"{letter} {size}" for letter, size in sizes.items())
        return (
            f"the courses of action are too unlike in length (words: {counts}); make them about as long as each other."
        )
    return ""


def wrong_with_stem(words: str, grounds: Grounds) -> str:
    """Words of a norm that scene or question give away; options act on norms, and may come near to their words."""
    for number, norm in enumerate(grounds.norms, start=1):
        shared = shared_run(words, norm.statement)
        if shared:
            return f'scene or question give norm {number} away with the words "{shared}"; do not tell the norm.'
    return ""


def wrong_with_rationale(rationale: str, grounds: Grounds) -> str:
    """A reason that names the country argues from it and not from the norms; empty where it does not."""
    name = place(grounds.place).name
    if normalised(name) in normalised(rationale):
        return f"the rationale names {name}; it may rest on the three norms alone."
    return ""
