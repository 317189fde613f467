"""Answers that a rubric may ask for, a score or a choice: as a JSON schema, in words, and as a noun once read."""

from functools import lru_cache
from typing import Literal

from msgspec import Struct

from mores.core.codec import encode
from mores.core.errors import InputError
from mores.judges.fence import form_words

Ids = tuple[str, ...]
YES_NO = ("yes", "no")
LONGEST_REASON = 2_000
"""Characters that a reason of one or two sentences may have; what is longer is no reason but a talk."""


class Score(Struct, frozen=True, kw_only=True):
    """Points from 0 to 1: any number between (continuous), or yes for 1 and no for 0 (binary)."""

    scale: Literal["continuous", "binary"] = "continuous"

    @property
    def options(self) -> tuple[str, ...]:
        """Yes and no where the scale is binary, else none."""
        return YES_NO if self.scale == "binary" else ()

    @property
    def affirmative(self) -> str | None:
        """The verdict that says the answer is good, where verdicts are words."""
        return "yes" if self.scale == "binary" else None


class ChoiceAnswer(Struct, frozen=True, kw_only=True):
    """One of several words; `affirmative` is the one that says the answer is good, where there is such a one.

    Where a reply may say more, `after` is the word behind which its last option stands, as in `Rating: [[7]]`.
    """

    options: tuple[str, ...]
    affirmative: str | None = None
    after: str = ""

    def __post_init__(self) -> None:
        """A choice has two options at least, each once, and the affirmative is one of them.

        Raises:
            InputError: it is not so.
        """
        if len(self.options) < 2 or len(set(self.options)) < len(self.options):
            raise InputError(f"A choice has the options {list(self.options)}; expected two or more, each once.")
        if self.affirmative is not None and self.affirmative not in self.options:
            raise InputError(f"A choice has no option '{self.affirmative}'; its options are {list(self.options)}.")


AnswerFormat = Score | ChoiceAnswer


class Opinion(Struct, frozen=True, kw_only=True, gc=False, eq=False):
    """One verdict of a judge with its reason; `id` is empty where one thing was judged.

    `points` is None for a choice out of an enum, `choice` for a continuous score; a binary score has both. A struct, as
    days in town make hundreds of them at each step.
    """

    id: str = ""
    reason: str
    points: float | None = None
    choice: str | None = None

    def __eq__(self, other: object) -> bool:
        """Equal where all is equal, also for those that were read by a stricter form of this."""
        return isinstance(other, Opinion) and self._all == other._all

    def __hash__(self) -> int:
        """As equality has it."""
        return hash(self._all)

    @property
    def _all(self) -> tuple[str, str, float | None, str | None]:
        return self.id, self.reason, self.points, self.choice


def value_field(answer: AnswerFormat) -> str:
    """Name of the field that holds the verdict."""
    return "choice" if answer.options else "score"


@lru_cache(maxsize=1024)
def json_schema(answer: AnswerFormat, ids: Ids = ()) -> str:
    """JSON schema of the reply as a JSON text; with ids, a list with an object for each."""
    verdict: dict[str, object] = {"type": "number", "minimum": 0, "maximum": 1}
    if answer.options:
        verdict = {"type": "string", "enum": list(answer.options)}
    fields: dict[str, object] = {
        "reason": {"type": "string", "maxLength": LONGEST_REASON},
        value_field(answer): verdict,
    }
    if not ids:
        return encode(_object(fields)).decode()
    each = _object({"id": {"type": "string", "enum": list(ids)}, **fields})
    return encode(_object({"answers": {"type": "array", "items": each}})).decode()


@lru_cache(maxsize=1024)
def text_form(answer: AnswerFormat, ids: Ids = ()) -> str:
    """The same asked for in words, for endpoints that take no schema."""
    values = {"options": _listed(answer.options)} if answer.options else {}
    if ids:
        values["ids"] = _listed(ids)
    name = value_field(answer) + ("s" if ids else "")
    return form_words(name).render(**values)


def _object(fields: dict[str, object]) -> dict[str, object]:
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}


def _listed(words: tuple[str, ...]) -> str:
    return ", ".join(encode(word).decode() for word in words)
