"""A question of four options, as it is stored in an item, and the options that an answer chose."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

LETTERS = ("a", "b", "c", "d")
DONT_KNOW, UNANSWERABLE = "dont_know", "unanswerable"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckQuestion:
    """A question and its four options, in the order of a to d."""

    question: str
    options: tuple[str, ...]

    def payload(self) -> dict[str, object]:
        """As plain JSON values."""
        return {"question": self.question, "options": list(self.options)}


def read_question(payload: Mapping[str, object]) -> CheckQuestion:
    """The question in an item's words."""
    options = cast("list[str]", payload["options"])
    return CheckQuestion(question=str(payload["question"]), options=tuple(options))


def chosen(answer: Mapping[str, object]) -> frozenset[str]:
    """What one answer chose: letters, or one of the two that choose none."""
    return frozenset(cast("list[str]", answer["options"]))
