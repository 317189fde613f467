"""A norm of a pack as it is stored in an item, and the two steps in which people see it.

First its questions, without the norm; the norm itself is an item of its own, which opens once the questions have all
their answers. So nobody who answers them has read what is held to be true there.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Literal

from mores.core.codec import build

Step = Literal["questions", "norm"]
LETTERS = ("a", "b", "c", "d")


@dataclass(frozen=True, slots=True, kw_only=True)
class NormScene:
    """A scene and the question about the act that ends it; without words where the norm has none."""

    story: str = ""
    question: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NormWords:
    """The words of a norm that people are shown; what is right is none of them, and stays in the pack."""

    id: str
    place: str
    statement: str
    subgroup: str = ""
    know: str = ""
    options: tuple[str, ...] = ()
    judge: NormScene = NormScene()
    explain: NormScene = NormScene()

    @property
    def asks(self) -> bool:
        """Whether there are questions to answer before the norm is shown."""
        return bool(self.know or self.judge.question or self.explain.question)

    def payload(self, step: Step) -> dict[str, object]:
        """As plain JSON values."""
        return {**asdict(self), "options": list(self.options), "step": step}


def step_of(payload: Mapping[str, object]) -> str:
    """Which step an item is."""
    return str(payload["step"])


def read_words(payload: Mapping[str, object]) -> NormWords:
    """The norm in an item's words."""
    words = {name: told for name, told in payload.items() if name != "step"}
    return build(NormWords, words, where=str(words["id"]))
