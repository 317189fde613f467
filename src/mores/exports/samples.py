"""Plays for other programs: what was said in turns, beside the verdict that the headline rests on."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from math import isnan
from typing import NamedTuple

from msgspec import Struct

from mores.analysis.results import Result
from mores.core.transcript import (
    ActionEvent,
    BriefingEvent,
    DayStartEvent,
    ItemMetadata,
    ReplyEvent,
    RequestEvent,
    SpeechEvent,
    Transcript,
    TranscriptEvent,
    TurnEvent,
)
from mores.core.verdict import Graded, Verdict

SUBJECT = "subject"
JsonObject = Mapping[str, object]


class ExportedTurn(NamedTuple):
    """One stretch of words: who said them, what was thought before, and how the endpoint ended it."""

    role: str
    text: str
    reasoning: str = ""
    finish: str = "stop"


class ScoredPlay(Struct, frozen=True, kw_only=True):
    """One item in one sample: its turns, the verdicts on it, and its score by the headline, None where ungraded.

    `question` is what the subject was told first: of a talk its scene. `other_verdicts` are verdicts that the headline
    does not rest on.
    """

    about: ItemMetadata
    sample: int
    score: float | None
    question: str
    turns: tuple[ExportedTurn, ...]
    verdicts: tuple[Verdict, ...]
    other_verdicts: tuple[Verdict, ...] = ()

    @property
    def gold(self) -> tuple[str, ...]:
        """Right label of each part that has a key."""
        return tuple(verdict.gold for verdict in self.verdicts if verdict.gold is not None)

    @property
    def labels(self) -> tuple[str, ...]:
        """Label read out of the answer, of each part that had one."""
        return tuple(v.label for v in self.verdicts if isinstance(v, Graded) and v.label is not None)

    @property
    def cause(self) -> str | None:
        """Cause of a part being ungraded; None where all was graded."""
        return next((verdict.cause for verdict in self.verdicts if not isinstance(verdict, Graded)), None)

    @property
    def reason(self) -> str:
        """Reasons for its grades, in the words of whoever graded."""
        return "\n".join(v.reason for v in self.verdicts if isinstance(v, Graded) and v.reason)

    @property
    def answers(self) -> tuple[ExportedTurn, ...]:
        """Turns of the subject."""
        return tuple(turn for turn in self.turns if turn.role == SUBJECT)

    @property
    def answer(self) -> str:
        """Labels read out of it, or all that was answered last."""
        return ", ".join(self.labels) or (self.answers[-1].text if self.answers else "")

    def is_right(self, full: float) -> bool:
        """True if its labels are the key's where it has one, else if it got the full score."""
        if self.gold:
            return self.labels == self.gold
        return self.score is not None and self.score >= full


def compact(value: object) -> str:
    """JSON without spaces, letters as they are; nothing in it may be infinite."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def describe_unsupported(left: Mapping[str, int]) -> Iterator[str]:
    """Counts of what was left out as a format has no place for it, a line a kind."""
    return (f"{count:,} {what}" for what, count in left.items())


def plays_of(result: Result) -> Iterator[ScoredPlay]:
    """All plays of a result in the order of the plan.

    One on which the headline has no verdict, such as of a question that people could not answer, has other ones alone.
    """
    verdicts: dict[tuple[str, int], list[Verdict]] = defaultdict(list)
    other_verdicts: dict[tuple[str, int], list[Verdict]] = defaultdict(list)
    headline = result.headline_tasks[:1]
    for verdict in result.every_verdict():
        found = verdicts if verdict.task in headline else other_verdicts
        found[verdict.about.item, verdict.sample].append(verdict)
    scores = _scores(result)
    if not verdicts.keys() <= scores.keys():  # several items make a unit, as four statements a question
        scores = {play: [v.points for v in own if isinstance(v, Graded)] for play, own in verdicts.items()}
    for transcript in result.transcripts():
        play = transcript.item, transcript.sample
        own, others = tuple(verdicts.get(play, ())), tuple(other_verdicts.get(play, ()))
        if own or others:
            got, turns = scores.get(play, []) if own else [], turns_of(transcript)
            score = sum(got) / len(got) if got else None
            yield ScoredPlay(
                about=(*own, *others)[0].about,
                sample=transcript.sample,
                score=score,
                question=_question(transcript, turns),
                turns=turns,
                verdicts=own,
                other_verdicts=others,
            )


def _scores(result: Result) -> dict[tuple[str, int], list[float]]:
    """Scores of each play by the headline, part by part."""
    found: dict[tuple[str, int], list[float]] = {}
    for rows in result.scores.every(result.headline):
        keys = rows.keys
        for item, sample, value in zip(keys.item.texts(), keys.sample.tolist(), rows.value.tolist(), strict=True):
            found.setdefault((item, sample), []).extend([] if isnan(value) else [value])
    return found


def _question(transcript: Transcript, turns: Sequence[ExportedTurn]) -> str:
    scene = (each.words for each in transcript.events if isinstance(each, BriefingEvent) and each.role == SUBJECT)
    return next(scene, "") or next((turn.text for turn in turns if turn.role != SUBJECT), "")


def turns_of(transcript: Transcript) -> tuple[ExportedTurn, ...]:
    """Turns without the judges' words; of a question that is asked anew only what is new in it."""
    turns: list[ExportedTurn] = []
    target = next((event.target for event in transcript.events if isinstance(event, DayStartEvent)), None)
    for event in transcript.events:
        turns.extend(_turns(event, turns, target))
    return tuple(turns)


def _turns(event: TranscriptEvent, before: Sequence[ExportedTurn], target: int | None) -> Iterator[ExportedTurn]:
    match event:
        case RequestEvent(role=role) if role == SUBJECT:
            for message in event.messages:
                turn = ExportedTurn(SUBJECT if message.role == "assistant" else message.role, message.content)
                if all((turn.role, turn.text) != (each.role, each.text) for each in before):
                    yield turn
        case ReplyEvent(role=role) if role == SUBJECT:
            yield ExportedTurn(
                SUBJECT, event.text, event.reasoning, "content_filter" if event.refusal else event.finish
            )
        case BriefingEvent():
            # What another was told is no word to the subject: it says whose it is.
            yield ExportedTurn("system", event.words if event.role == SUBJECT else f"{event.role}: {event.words}")
        case TurnEvent():
            yield ExportedTurn(event.role, event.text, event.reasoning)
        case DayStartEvent():
            yield ExportedTurn("system", event.brief)
        case ActionEvent():
            yield ExportedTurn(
                _resident(event.who, target), event.how or event.action or str(event.deed), event.reasoning
            )
        case SpeechEvent():
            yield ExportedTurn(_resident(event.who, target), event.text, event.reasoning)
        case _:
            return


def _resident(number: int, target: int | None) -> str:
    """A resident of the town; the target is the subject."""
    return SUBJECT if number == target else f"resident {number}"
