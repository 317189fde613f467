"""Right without the knowledge: questions whose every sample was right though the model lacks norms they rest on.

units and norms possessed ─▶ such questions ─▶ a seeded few, least known first ─▶ transcripts ─▶ the model's words
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mores.analysis.results import Result
from mores.analysis.units import Subject, SubjectScores
from mores.benchmarks.cultureforest.data import norms_of_bundle
from mores.benchmarks.cultureforest.modes import CLOSED, KNOWLEDGE, other_data, scored
from mores.benchmarks.cultureforest.regimes.possessed import Known, states_of
from mores.benchmarks.shapes.question import SUBJECT
from mores.benchmarks.shapes.regions.gaps import SEED
from mores.core.transcript import ReplyEvent, RequestEvent, Transcript

MOST = 50
"""Questions of one model in one mode that a page shows."""
ROOM = 200
"""Questions that a page shows in all, so that it stays a page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptLine:
    """One stretch of words in the order they were said, and who said them."""

    speaker: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NormAsked:
    """A norm of a question: whether the model possesses it, and the words in which it was asked about."""

    id: str
    possessed: bool
    asked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemTranscript:
    """What was put to the model under one item's id, and what it thought and answered."""

    item: str
    lines: tuple[TranscriptLine, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unexplained:
    """A question that was right in every sample though so many of its norms are not possessed."""

    question: str
    place: str
    domain: str
    norms: tuple[NormAsked, ...]
    said: tuple[ItemTranscript, ...]

    @property
    def lacking(self) -> int:
        """Norms that are not possessed."""
        return sum(not norm.possessed for norm in self.norms)


@dataclass(frozen=True, slots=True, kw_only=True)
class RightWithout:
    """Of one model in one mode: the few that are shown, how many there are, and how many could have been.

    `by_chance` is how many of the `lacking` questions guessing would get right in every sample; None where unknown.
    `none_known` of the `total` have none of their norms possessed.
    """

    name: str
    simulated: bool
    mode: str
    shown: tuple[Unexplained, ...]
    total: int
    none_known: int
    lacking: int
    samples: int
    by_chance: float | None


def right_without_knowing(subjects: Sequence[Subject], knowledge: Mapping[str, Known]) -> tuple[RightWithout, ...]:
    """One for each model and closed mode of which it is known what the model knows."""
    looked = [
        scored(subject, mode)
        for mode in CLOSED[::-1]
        for subject in subjects
        if mode in subject.evaluations
        and subject.name in knowledge
        and other_data(subject.evaluations[mode], subject.evaluations[KNOWLEDGE]) is None
    ]
    most = min(MOST, max(1, ROOM // max(1, len(looked))))
    return tuple(_right_without(each, knowledge[each.subject.name], most) for each in looked)


def _right_without(each: SubjectScores, known: Known, most: int) -> RightWithout:
    units, name, chance = each.units, each.subject.name, each.result.chance
    states, samples = states_of(units.keys, known), 1 + int(each.result.scores[each.metric].keys.sample.max(initial=0))
    lacking = (states >= 0).all(axis=1) & (states == 0).any(axis=1) & (units.samples == samples)
    rows = np.flatnonzero(lacking & (units.value == 1))
    held, names, seed = states[rows].sum(axis=1), units.keys.unit.texts(), SEED.child("surprise", name, each.mode)
    lots = [seed.child(names[row]).uniform() for row in rows.tolist()]
    drawn = rows[np.lexsort((lots, held))[:most]]
    return RightWithout(
        name=name,
        simulated=each.subject.simulated,
        mode=each.mode,
        shown=_in_words(each, known, drawn.tolist()),
        total=len(rows),
        none_known=int((held == 0).sum()),
        lacking=int(lacking.sum()),
        samples=samples,
        by_chance=None if chance is None else float(lacking.sum()) * chance**samples,
    )


def _in_words(each: SubjectScores, known: Known, rows: Sequence[int]) -> tuple[Unexplained, ...]:
    if not rows:
        return ()
    keys = each.units.keys.take(np.array(rows, dtype=np.int64))
    columns = (keys.unit, keys.cluster, keys.place, keys.groups["domain"])
    where = list(zip(*(column.texts() for column in columns), strict=True))
    items = {question: dict[str, None]() for question, *_ in where}
    for about in each.result.verdict_table.abouts:
        if about.unit in items:
            items[about.unit][about.item] = None
    asked = {f"{norm}-true" for _, bundle, *_ in where for norm in norms_of_bundle(bundle)}
    said = _first_sample(each.result, {item for own in items.values() for item in own})
    of_norms = _first_sample(each.subject.evaluations[KNOWLEDGE], asked)
    return tuple(
        Unexplained(
            question=question,
            place=place,
            domain=domain,
            norms=tuple(
                NormAsked(id=norm, possessed=known[norm] == 1, asked=_put(of_norms.get(f"{norm}-true", ())))
                for norm in norms_of_bundle(bundle)
            ),
            said=tuple(ItemTranscript(item=item, lines=said.get(item, ())) for item in items[question]),
        )
        for question, bundle, place, domain in where
    )


def _put(lines: Sequence[TranscriptLine]) -> str:
    return "\n".join(line.text for line in lines if line.speaker.startswith("put to"))


def _first_sample(result: Result, items: set[str]) -> dict[str, tuple[TranscriptLine, ...]]:
    """What was put to the subject and what it said, in the first sample of each of some items."""
    plays = result.stored.transcripts_of({(item, 0) for item in items})
    return {play.item: tuple(_lines(play)) for play in plays}


def _lines(play: Transcript) -> Iterator[TranscriptLine]:
    for event in play.events:
        match event:
            case RequestEvent(role="subject", messages=messages):
                yield from (TranscriptLine(speaker=f"put to the {SUBJECT}", text=each.content) for each in messages)
            case ReplyEvent(role="subject", text=text, reasoning=reasoning):
                if reasoning:
                    yield TranscriptLine(speaker=f"the {SUBJECT} thought", text=reasoning)
                yield TranscriptLine(speaker=f"the {SUBJECT} answered", text=text)
            case _:
                pass
