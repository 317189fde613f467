"""Dialogues and their scores in the formats of SocialCC's released files, as replies by role and step.

A dialogue is a text of "Round n:", and in each round "Agent 1:" (the antagonist) and "Agent 2:" (the subject), each
with its words; the last round may lack Agent 2. A table has a dialogue a row, by `Data_ID`; a folder has a dialogue a
file, named by it. Scores stand in four columns, for the judge's first to fourth judgement.
"""

import re
from collections.abc import Iterator, Mapping

from mores.core.errors import InputError
from mores.models.recorded import FAILED, DialogueFormat, DialogueTurn

ID = "Data_ID"
TALKS = ("Dialogue_raw", "Dialogue", "dialogue")
SCORES = ("Awareness_Score", "Knowledge_Score", "Value_Score", "Behavior_Score")
JUDGEMENT_STEPS = 4
"""Steps between two judgements of one talk."""
FAMILY = "socialcc-"
ANTAGONIST, SUBJECT, JUDGE = "antagonist", "subject", "judge"
_ROUND = re.compile(r"\s*Round\s+(\d+)\s*:?\s*")
_AGENT = re.compile(r"\s*Agent\s*([12])\s*:(.*)", re.DOTALL)
_NUMBER = re.compile(r"(?:.*_)?(\d+)", re.DOTALL)


def is_released(columns: Mapping[str, object]) -> bool:
    """True for a row of a released table: an id beside a dialogue or all four scores."""
    return ID in columns and (_talk_column(columns) is not None or set(SCORES) <= set(columns))


def item_of(name: str) -> str:
    """The id of an item as mores has it: a bare number, or one behind the last `_` of a file's name, is a `Data_ID`.

    >>> item_of("17"), item_of("dialogue_17"), item_of("socialcc-17@strong")
    ('socialcc-17', 'socialcc-17', 'socialcc-17@strong')
    """
    number = _NUMBER.fullmatch(name.strip())
    return name.strip() if number is None else f"{FAMILY}{number[1]}"


def read_row(row: Mapping[str, object], where: str) -> tuple[str, list[DialogueTurn]]:
    """The item of a released row and all that was said of it: the turns of its talk, and the judge's scores.

    Raises:
        InputError: the id is empty, or the talk is none.
    """
    name = str(row[ID] or "").strip()
    if not name:
        raise InputError(f"{where}: {ID} is empty; expected the id of a scenario.")
    column = _talk_column(row)
    turns = [] if column is None else list(read_talk(str(row[column] or ""), where))
    scores = [
        DialogueTurn(JUDGE, JUDGEMENT_STEPS * n, str(row[name] or "")) for n, name in enumerate(SCORES) if name in row
    ]
    return item_of(name), turns + scores


def _talk_column(columns: Mapping[str, object]) -> str | None:
    return next((name for name in TALKS if name in columns), None)


def read_named(name: str, text: str, where: str) -> tuple[str, list[DialogueTurn]]:
    """The item of a dialogue that has a name, and its turns.

    Raises:
        InputError: the name is empty, or the text is no dialogue.
    """
    return read_row({ID: name, TALKS[0]: text}, where)


def read_talk(text: str, where: str) -> Iterator[DialogueTurn]:
    """The turns of a talk in their order; what the released code left of a failed call is its only turn.

    A line opens a round only with the next number, and Agent 2's turn only the first time in a round, so that words of
    either that look alike stay its words.

    Raises:
        InputError: it has no rounds, or a round lacks an agent that it cannot lack.
    """
    if text.lstrip().startswith(FAILED):
        yield DialogueTurn(ANTAGONIST, 0, text.strip())
        return
    number, turns = 0, _Turns(where)
    for line in text.split("\n"):
        opened = _ROUND.fullmatch(line)
        if opened and int(opened[1]) == number + 1:
            yield from turns.close(last=False)
            number, turns = number + 1, _Turns(where, number)
        else:
            turns.take(line)
    yield from turns.close(last=True)


class _Turns:
    """Lines of one round by agent, the first agent first; before the first round, number -1, nothing."""

    def __init__(self, where: str, step: int = -1) -> None:
        self._where, self._step = where, step
        self._lines: list[list[str]] = []

    def take(self, line: str) -> None:
        """One more line."""
        agent = _AGENT.fullmatch(line)
        if agent and self._step >= 0 and int(agent[1]) == len(self._lines) + 1:
            self._lines.append([agent[2].strip()])
        elif self._lines:
            self._lines[-1].append(line)
        elif line.strip():
            expected = "'Agent 1:'" if self._step >= 0 else "'Round 1:'"
            raise InputError(f"{self._where}: no dialogue; expected {expected}, got {line.strip()[:60]!r}.")

    def close(self, *, last: bool) -> Iterator[DialogueTurn]:
        """The turns of the round."""
        if self._step < 0:
            return
        if not self._lines or (len(self._lines) < 2 and not last):
            missing = f"'Agent {len(self._lines) + 1}:'"
            raise InputError(f"{self._where}: no dialogue; round {self._step + 1} has no {missing}.")
        for role, lines in zip((ANTAGONIST, SUBJECT), self._lines, strict=False):
            yield DialogueTurn(role, self._step, "\n".join(lines).strip())


RELEASED_TALKS = DialogueFormat(fits=is_released, read_row=read_row, read_named=read_named)
