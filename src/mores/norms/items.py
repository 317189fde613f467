"""The items of a norm, one noun for each rung of the ladder, and what is right of them in another place."""

from typing import Literal

from msgspec import Struct

from mores.core.norm import Source
from mores.norms.norm_base import LocationKind

SceneLabel = Literal["yes", "no", "neutral"]
"""Is the act acceptable by the norm? `neutral`: the norm says nothing about it."""


class Statement(Struct, frozen=True, kw_only=True):
    """One option of a question, true or false on its own; `elsewhere` is a place where a false one is true."""

    text: str
    true: bool
    elsewhere: str = ""


class KnowItem(Struct, frozen=True, kw_only=True):
    """Rung `know`: a question with statements that are judged one by one, at least one of them true.

    `boundary` is for a question about where the norm ends or what goes with it: the address of the source that says so.
    """

    question: str
    options: tuple[Statement, ...]
    boundary: str = ""


class JudgeItem(Struct, frozen=True, kw_only=True):
    """Rung `judge`: a scene, a question about the act that ends it, the label and why the norm decides so.

    `unmet` is for a neutral scene that touches the norm: which condition of the norm is not met there. `local` is false
    where who acts is from elsewhere. `boundary` is for a scene at which the norm ends, as in `KnowItem`.
    """

    story: str
    question: str
    label: SceneLabel
    why: str
    unmet: str = ""
    local: bool = True
    boundary: str = ""


class ExplainItem(Struct, frozen=True, kw_only=True):
    """Rung `explain`: another scene, the label, and a model explanation with the points that a full one makes.

    `thin` is an explanation of the same label that sounds well and says nothing of the norm. `local` is false where who
    acts is from elsewhere.
    """

    story: str
    question: str
    label: Literal["yes", "no"]
    reference: str
    elements: tuple[str, ...]
    thin: str
    local: bool = True


class Character(Struct, frozen=True, kw_only=True):
    """Somebody in a scene: a first name, who they are in a sentence, and whether they are of the place."""

    name: str
    who: str
    local: bool = False


class ConverseItem(Struct, frozen=True, kw_only=True):
    """Rung `converse`: a scene for two; the other proposes what goes against the norm, `you` has a goal of its own.

    A `harmless` proposal goes against no norm. `third` is somebody from the place whom it concerns.
    """

    scene: str
    other: Character
    you: Character
    proposal: str
    goal: str
    harmless: bool = False
    third: Character | None = None


class LiveItem(Struct, frozen=True, kw_only=True):
    """Rung `live`: a task of an ordinary day that brings the norm up and does not name it, and where it leads."""

    kind: LocationKind
    task: str


UNKNOWN = "-"
"""Nobody can tell what is right of a question or scene in the other place."""


class SwappedPlace(Struct, frozen=True, kw_only=True):
    """Another place whose norm differs, and what is right there of the questions and scenes of this one, in order.

    `know` has the letters of the true statements of each question, as `a|d`, and `none` where none is; what cannot be
    told of there is `-`, and is left out of the control, as is a rung that has no entry.
    """

    place: str
    source: Source
    know: tuple[str, ...] = ()
    judge: tuple[SceneLabel | Literal["-"], ...] = ()
