"""Talks to read: who said what, where the conflict was raised, and what judges found beside the round they name.

sampled verdicts ─▶ transcripts of these talks ─▶ rounds with their turns and notes; models stand side by side by scene.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from mores.benchmarks.shapes.asking import SUBJECT
from mores.benchmarks.shapes.figures import SEVERAL
from mores.core.transcript import Ended, Failed, Spoke, Transcript
from mores.core.verdict import Graded, Ungraded, Verdict
from mores.reports.findings import Finding
from mores.reports.social.reading import AWARENESS, CONDUCT, KNOWLEDGE, Scores
from mores.runs.stored import StoredPlays

MOST = 40
"""Talks of one model that a page shows."""
ROOM = 160
"""Talks that a page shows in all, so that it stays a page."""
FEWEST = 4
RAISED = 2
"""The round in which the antagonist raises the conflict, where no judge says; it greets in the first."""
ASKS = {
    AWARENESS: "noticed unprompted",
    KNOWLEDGE: "knew the custom",
    "value": "knew the value",
    "goal": "reached its goal",
    "respected": "kept to the norms",
}
CONDUCTS = {"3": "3, both", "2": "2, norms only", "1": "1, goal only", "0": "0, neither"}
UNGRADED = "ungraded"
KINDS = ("domain", "topic", "dimension")
"""Groups that a scene's heading names, besides the place of its custom."""
_ROUND = re.compile(r"\brounds?\s+(\d+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """What judges found on one question; `round` is the one that they name as what decides it."""

    asked: str
    found: str
    reason: str
    good: bool | None
    round: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What one of the two said, and what was wrong with it; `unheard` is all that its model said where that is more."""

    subject: bool
    name: str
    text: str
    flags: tuple[str, ...]
    unheard: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """Both turns, and the notes that name this round; `conflict` where the conflict shows."""

    number: int
    turns: tuple[Turn, ...]
    notes: tuple[Note, ...]
    conflict: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One talk of one model; `loose` are notes that name no round, `end` says how it ended."""

    cell: Finding
    conduct: str
    rounds: tuple[Round, ...]
    loose: tuple[Note, ...]
    end: str
    found: Mapping[str, str]

    @property
    def flagged(self) -> str:
        """Which side was flagged, if any."""
        sides = {turn.subject for each in self.rounds for turn in each.turns if turn.flags}
        return {(): "none", (True,): "subject", (False,): "antagonist"}.get(tuple(sides), "both")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """One scenario and the talks in it, a model each."""

    item: str
    place: str | None
    kinds: tuple[str, ...]
    talks: tuple[Told, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """The talks of one benchmark that can be read, by scene; `played` counts all that there are, by label."""

    benchmark: str
    scenes: tuple[Scene, ...]
    played: dict[str, int]

    @property
    def shown(self) -> dict[str, int]:
        """How many talks of each model are shown."""
        labels = [talk.cell.label for scene in self.scenes for talk in scene.talks]
        return {label: labels.count(label) for label in self.played}

    @property
    def kinds(self) -> tuple[str, ...]:
        """Kinds of conduct among the talks that are shown."""
        found = {talk.conduct for scene in self.scenes for talk in scene.talks}
        return tuple(kind for kind in (*CONDUCTS.values(), UNGRADED) if kind in found)


def most_of(cells: int) -> int:
    """How many talks of each of so many cells a page has room for."""
    return max(FEWEST, min(MOST, ROOM // max(1, cells)))


def reader_of(benchmark: str, scores: Sequence[Scores]) -> Reader:
    """The sampled talks of a benchmark; a scene that several models played stands once, with all of them."""
    items = dict.fromkeys(item for each in scores for item in each.talks)
    told = [dict(_told(each)) for each in scores]
    scenes = tuple(_scene(item, scores, [of[item] for of in told if item in of]) for item in items)
    played = {each.cell.label: each.cell.provenance.plays.done for each in scores}
    return Reader(benchmark=benchmark, scenes=scenes, played=played)


def _scene(item: str, scores: Sequence[Scores], talks: Sequence[Told]) -> Scene:
    about = next(each.talks[item] for each in scores if item in each.talks)[0].about
    kinds = [part for name in KINDS for part in about.groups.get(name, "").split(SEVERAL) if part]
    return Scene(item=item, place=about.place, kinds=tuple(kinds), talks=tuple(talks))


def _told(scores: Scores) -> Iterator[tuple[str, Told]]:
    plays = StoredPlays(scores.cell.folder)
    try:
        for item, verdicts in scores.talks.items():
            yield item, told_talk(scores.cell, plays[item, 0], verdicts)
    finally:
        plays.close()


def told_talk(cell: Finding, transcript: Transcript, verdicts: Sequence[Verdict]) -> Told:
    """A talk with what judges found, each note in the round that its reason names."""
    notes = [_note(verdict) for verdict in verdicts if verdict.task in ASKS]
    spoken = [event for event in transcript.events if isinstance(event, Spoke)]
    numbers = dict.fromkeys(spoke.round for spoke in spoken)
    conflict = _conflict(notes, verdicts, tuple(numbers))
    rounds = tuple(
        Round(
            number=number,
            turns=tuple(_turn(spoke) for spoke in spoken if spoke.round == number),
            notes=tuple(note for note in notes if note.round == number),
            conflict=number == conflict,
        )
        for number in numbers
    )
    found = {verdict.task: _found(verdict) for verdict in verdicts}
    conduct = CONDUCTS.get(found.get(CONDUCT, ""), UNGRADED)
    loose = tuple(note for note in notes if note.round not in numbers)
    return Told(cell=cell, conduct=conduct, rounds=rounds, loose=loose, end=_end(transcript), found=found)


def _conflict(notes: Sequence[Note], verdicts: Sequence[Verdict], rounds: Sequence[int]) -> int | None:
    """The round that the judge of awareness names, else that of the antagonist's second turn."""
    asked = [verdict.task for verdict in verdicts if verdict.task in ASKS]
    named = next((note.round for task, note in zip(asked, notes, strict=True) if task == AWARENESS), None)
    wanted = named if named in rounds else RAISED
    return wanted if wanted in rounds else None


def _note(verdict: Verdict) -> Note:
    reason = verdict.reason if isinstance(verdict, Graded) else verdict.raw
    named = _ROUND.search(reason) if isinstance(verdict, Graded) else None
    return Note(
        asked=ASKS[verdict.task],
        found=_found(verdict),
        reason=reason,
        good=verdict.points >= 1 if isinstance(verdict, Graded) else None,
        round=int(named[1]) if named else None,
    )


def _found(verdict: Verdict) -> str:
    if isinstance(verdict, Ungraded):
        return f"no grade ({verdict.cause})"
    return verdict.label if verdict.label is not None else f"{verdict.points:g}"


def _turn(spoke: Spoke) -> Turn:
    return Turn(
        subject=spoke.role == SUBJECT, name=spoke.name, text=spoke.text, flags=spoke.flags, unheard=spoke.raw
    )  # fmt: skip


def _end(transcript: Transcript) -> str:
    for event in reversed(transcript.events):
        match event:
            case Ended(why="closing words", by=by, rounds=rounds):
                return f"ended by closing words of the {by} in round {rounds}"
            case Ended(why="silence", by=by, rounds=rounds):
                return f"ended by the silence of the {by} in round {rounds}"
            case Ended(why="limit", rounds=rounds):
                return f"ended by the limit of {rounds} rounds"
            case Ended(rounds=rounds):
                return f"the recording ends in round {rounds}"
            case Failed(role=role, cause=cause):
                return f"broke off: {role}, {cause}"
            case _:
                continue
    return "was not held"
