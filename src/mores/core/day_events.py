"""What happens in a day of the town, as typed events: all that verifiers, figures and the replay read of it.

People and places are the numbers that the population and the town give them; minutes count from midnight.
"""

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

Deed = Literal["go", "talk", "do", "call", "text", "wait"]
"""The families of actions: walk to a neighbouring place, talk to people here, do what the place offers, phone, wait."""


class Subtask(Struct, frozen=True, kw_only=True):
    """One thing to get done on a day: in words, the kind of place it needs, and the window in which it is preferred.

    `action` is what of a place's menu does it, where the plan knows one.
    """

    id: int
    words: str
    kind: str
    start: int
    end: int
    action: str = ""


class DayStartEvent(Struct, frozen=True, kw_only=True):
    """A target wakes up with a goal; `brief` is what its model was told, from the prompt with this hash."""

    target: int
    name: str
    nationality: str
    goal: str
    subtasks: tuple[Subtask, ...]
    where: int
    minute: int
    brief: str
    prompt: str
    event: Literal["day began"] = "day began"


class StepStartEvent(Struct, frozen=True, kw_only=True):
    """A step of the day as the target finds it: the time, its place, who is here that it can perceive, and its task.

    `active` is the subtask that is pursued, None once all are done. `seen` is what its model was told of the step.
    """

    step: int
    minute: int
    where: int
    present: tuple[int, ...]
    active: int | None
    seen: str
    event: Literal["step"] = "step"


class ActionEvent(Struct, frozen=True, kw_only=True):
    """Somebody did something: which action, with what, to whom, and how in their own words.

    `where` is where they were when they did it, `to` the people concerned, or the place walked to where the deed is
    `go`. `refused` says why an impossible or unreadable action became a wait; `raw` is then what was said.
    `cut` says that the words of the target ended at a limit.
    """

    step: int
    minute: int
    who: int
    deed: Deed
    where: int
    action: str = ""
    argument: str = ""
    to: tuple[int, ...] = ()
    how: str = ""
    refused: str = ""
    raw: str = ""
    reasoning: str = ""
    planted: str | None = None
    cut: Literal[True] | UnsetType = UNSET
    event: Literal["did"] = "did"


class SpeechEvent(Struct, frozen=True, kw_only=True):
    """Somebody said something in a conversation of the target, here or on the phone; `flags` name what was wrong.

    `text` is empty where nothing was said: flags then tell an empty reply, a refusal, or why nobody could be asked.
    """

    step: int
    minute: int
    who: int
    to: tuple[int, ...]
    where: int
    text: str
    phone: bool = False
    flags: tuple[str, ...] = ()
    reasoning: str = ""
    planted: str | None = None
    event: Literal["said"] = "said"


class SubtaskCheckEvent(Struct, frozen=True, kw_only=True):
    """The verifier's word, in the course of the day, on whether a subtask is done; None where it gave none."""

    step: int
    minute: int
    subtask: int
    done: bool | None
    reason: str = ""
    cause: str = ""
    event: Literal["checked"] = "checked"


class DayEndEvent(Struct, frozen=True, kw_only=True):
    """The day ended: all was done, it was night, the steps were used up, or the target could not be asked."""

    step: int
    minute: int
    why: Literal["all done", "night", "steps"]
    event: Literal["day ended"] = "day ended"


DayEvent = DayStartEvent | StepStartEvent | ActionEvent | SpeechEvent | SubtaskCheckEvent | DayEndEvent
