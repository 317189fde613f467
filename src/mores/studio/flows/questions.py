"""Questions that a project defines: each is put to people about every item that has no question of its own."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from mores.core.errors import InputError
from mores.studio.models import Project

MOST = 8
FIELDS = {"aspect", "words"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One question: the aspect that figures and files call it by, and its words."""

    aspect: str
    words: str

    @property
    def field(self) -> str:
        """Name of its field: the aspect in letters and digits."""
        return "-".join(("about", *re.findall(r"\w+", self.aspect.casefold())))


def questions_of(project: Project) -> tuple[Asked, ...]:
    """The questions of a project."""
    return tuple(Asked(aspect=str(each["aspect"]), words=str(each["words"])) for each in project.questions)


def check_questions(questions: Sequence[object]) -> None:
    """Nothing, if these are questions.

    Raises:
        InputError: one is none, there are too many, or two aspects are called alike.
    """
    for each in questions:
        if not isinstance(each, dict) or set(each) != FIELDS or not all(str(text).strip() for text in each.values()):
            raise InputError(f'a question is {each}; expected {{"aspect": NAME, "words": QUESTION}}.')
    fields = {Asked(aspect=str(each["aspect"]), words="").field for each in questions if isinstance(each, dict)}
    if len(questions) > MOST or len(fields) < len(questions):
        raise InputError(
            f"{len(questions)} questions of {len(fields)} names; expected at most {MOST}, each of its own."
        )
