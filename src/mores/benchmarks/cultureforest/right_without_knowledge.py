"""Right without the knowledge: questions whose every sample was right though the model lacks norms they rest on.

units and norms possessed ─▶ such questions ─▶ a seeded few, least known first ─▶ transcripts ─▶ the model's words
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from msgspec import Struct

from mores.analysis.groups import PLACE
from mores.analysis.results import Result
from mores.analysis.units import Subject, SubjectScores
from mores.benchmarks.cultureforest.knowledge import Known, bundles_of, states_of
from mores.benchmarks.cultureforest.levels import CLOSED, KNOWLEDGE, WHO, other_data, scored
from mores.benchmarks.shapes.question import SUBJECT
from mores.benchmarks.shapes.regions.region_scores import SEED
from mores.core.transcript import ReplyEvent, RequestEvent, Transcript
from mores.tables import AnalysisResult, Column, FilledTable, Row, Table
from mores.tables import formatting as words
from mores.tables.blocks import (
    Block,
    BulletList,
    Details,
    Inline,
    Paragraph,
    Round,
    Span,
    SpokenBlock,
    TranscriptBlock,
    TurnBlock,
)

MOST = 50
"""Questions of one model in one mode that a page shows."""
ROOM = 200
"""Questions that a page shows in all, so that it stays a page."""


class TranscriptLine(Struct, frozen=True, kw_only=True):
    """One stretch of words in the order they were said, and who said them."""

    speaker: str
    text: str


class NormAsked(Struct, frozen=True, kw_only=True):
    """A norm of a question: whether the model possesses it, and the words in which it was asked about."""

    id: str
    known: bool
    asked: str


class ItemTranscript(Struct, frozen=True, kw_only=True):
    """Words put to the model under one item's id, its thinking and its answer."""

    item: str
    lines: tuple[TranscriptLine, ...]


class Unexplained(Struct, frozen=True, kw_only=True):
    """A question that was right in every sample though so many of its norms are not possessed."""

    question: str
    place: str
    domain: str
    norms: tuple[NormAsked, ...]
    answers: tuple[ItemTranscript, ...]

    @property
    def unknown(self) -> int:
        """Norms that are not possessed."""
        return sum(not norm.known for norm in self.norms)


class RightWithout(Struct, frozen=True, kw_only=True):
    """Of one model in one mode: the few that are shown, how many there are, and how many could have been.

    `by_chance` is the number of the `with_unknown` questions that guessing would get right in every sample; None where
    that is unknown.
    `none_known` of the `total` have none of their norms possessed.
    """

    name: str
    simulated: bool
    mode: str
    shown: tuple[Unexplained, ...]
    total: int
    none_known: int
    with_unknown: int
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
    states = states_of(units.keys, bundles_of(each.result), known)
    samples = 1 + int(each.result.scores[each.metric].keys.sample.max(initial=0))
    with_unknown = (states >= 0).all(axis=1) & (states == 0).any(axis=1) & (units.samples == samples)
    rows = np.flatnonzero(with_unknown & (units.value == 1))
    held, names, seed = states[rows].sum(axis=1), units.keys.unit.texts(), SEED.child("surprise", name, each.mode)
    # Each question draws by its own name, so that the choice does not hang on what else was asked.
    draws = [seed.child(names[row]).uniform() for row in rows.tolist()]
    # The fewest norms possessed come first, as lexsort goes by its last key; the draw breaks ties.
    drawn = rows[np.lexsort((draws, held))[:most]]
    return RightWithout(
        name=name,
        simulated=each.subject.simulated,
        mode=each.mode,
        shown=_in_words(each, known, drawn.tolist()),
        total=len(rows),
        none_known=int((held == 0).sum()),
        with_unknown=int(with_unknown.sum()),
        samples=samples,
        by_chance=None if chance is None else float(with_unknown.sum()) * chance**samples,
    )


def _in_words(each: SubjectScores, known: Known, rows: Sequence[int]) -> tuple[Unexplained, ...]:
    if not rows:
        return ()
    keys = each.units.keys.take(np.array(rows, dtype=np.int64))
    columns = (keys.unit, keys.place, keys.groups["domain"])
    where = list(zip(*(column.texts() for column in columns), strict=True))
    items = {question: dict[str, None]() for question, *_ in where}
    for about in each.result.verdict_table.item_metadata:
        if about.unit in items:
            items[about.unit][about.item] = None
    of_item = bundles_of(each.result)
    bundles = {question: of_item[next(iter(own))] for question, own in items.items()}
    asked = {f"{norm}-true" for bundle in bundles.values() for norm in bundle}
    answers = _first_sample(each.result, {item for own in items.values() for item in own})
    of_norms = _first_sample(each.subject.evaluations[KNOWLEDGE], asked)
    return tuple(
        Unexplained(
            question=question,
            place=place,
            domain=domain,
            norms=tuple(
                NormAsked(id=norm, known=known[norm] == 1, asked=_put(of_norms.get(f"{norm}-true", ())))
                for norm in bundles[question]
            ),
            answers=tuple(ItemTranscript(item=item, lines=answers.get(item, ())) for item in items[question]),
        )
        for question, place, domain in where
    )


def _put(lines: Sequence[TranscriptLine]) -> str:
    return "\n".join(line.text for line in lines if line.speaker.startswith("put to"))


def _first_sample(result: Result, items: set[str]) -> dict[str, tuple[TranscriptLine, ...]]:
    """Words put to the subject and its answers, in the first sample of each of some items."""
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


RIGHT = Table(
    id="forest_right_without_knowing",
    title="Right answers without the knowledge",
    columns=(
        *WHO,
        Column(key="right", title="Right", kind="ratio", says="questions right in every sample though norms lack"),
        Column(key="none_known", title="No norm known", kind="count", says="those with none of their norms possessed"),
        Column(key="by_chance", title="By guessing", kind="number", says="how many guessing would get right"),
        Column(key="samples", title="Samples", kind="count", says="samples that all have to be right"),
    ),
)
SHOWN = Table(
    id="forest_right_without_knowing_shown",
    title="Questions that the page shows in words",
    columns=(
        *WHO,
        Column(key="question", title="Question", kind="text", says="its id"),
        Column(key="place", title="Place", kind="group", of=PLACE, says="its code"),
        Column(key="domain", title="Domain", kind="text", says="what it is about"),
        Column(key="possessed", title="Norms possessed", kind="names", says="ids of its norms that are"),
        Column(key="lacking", title="Norms not possessed", kind="names", says="ids of those that are not"),
        Column(key="items", title="Items", kind="names", says="ids of what was asked, as in transcripts"),
    ),
)
UNEXPLAINED_TABLES = (RIGHT, SHOWN)
CHANCE = (
    "Questions that were right in every sample though the model does not possess all of their norms: by common sense, "
    "by norms that many places share, by the words of the options, or by luck. Read the words."
)


def unexplained_part(found: Sequence[RightWithout], section: str) -> AnalysisResult:
    """Questions that were right though their norms are not possessed, with the words."""
    right = FilledTable(table=RIGHT, rows=tuple(map(_right, found)))
    shown = FilledTable(table=SHOWN, rows=tuple(row for each in found for row in _shown(each)))
    return AnalysisResult(tables=(right, shown), blocks=tuple(_blocks(found, section)))


def _right(each: RightWithout) -> Row:
    who = (each.name, each.simulated, each.mode)
    return *who, (each.total, each.with_unknown), each.none_known, each.by_chance, each.samples


def _shown(each: RightWithout) -> Iterator[Row]:
    for one in each.shown:
        known, unknown = (tuple(norm.id for norm in one.norms if norm.known == is_) for is_ in (True, False))
        own = (one.question, one.place, one.domain, known, unknown, tuple(answer.item for answer in one.answers))
        yield (each.name, each.simulated, each.mode, *own)


def _blocks(found: Sequence[RightWithout], section: str) -> Iterator[Block]:
    if not found:
        return
    yield Paragraph(words="Right answers without the knowledge", role="heading", id=f"{section}-without")
    yield Paragraph(words=CHANCE, role="explanation")
    yield BulletList(tuple((*_found(each), ".") for each in found), on="terminal")
    for number, each in enumerate(found, start=1):
        anchor = f"{section}-without-{number}"
        transcript = TranscriptBlock(id=f"{anchor}-list", entries=tuple(map(_entry, each.shown)))
        summary = (*_found(each), Span(f" {len(each.shown)} shown", "soft"))
        yield Details(summary=summary, blocks=(Paragraph(words=_about(each), role="note"), transcript), id=anchor)


def _found(each: RightWithout) -> tuple[Inline, ...]:
    chance = "" if each.by_chance is None else f" ({each.by_chance:,.1f} by guessing)"
    who = words.subject(each.name, simulated=each.simulated)
    return (*who, f", {each.mode}: {each.total:,} of {each.with_unknown:,}{chance}")


def _about(each: RightWithout) -> str:
    fewest = " Shown are those with the fewest norms possessed, drawn with a fixed seed."
    chance = f" Guessing alone would get {each.by_chance or 0:,.1f} of them right in every sample."
    return (
        f"{each.with_unknown:,} questions have a norm that is not possessed; {each.total:,} of them were right in all "
        f"{words.plural(each.samples, 'sample')}, {each.none_known:,} with none of their norms possessed."
        f"{'' if each.by_chance is None else chance}{fewest if len(each.shown) < each.total else ''} The words are of "
        f"the first sample.{' They were made up.' if each.simulated else ''}"
    )


def _entry(found: Unexplained) -> SpokenBlock:
    unknown = Span(f"{found.unknown} of {len(found.norms)} norms not possessed", "soft")
    place = words.group_name("place", found.place)
    norms = tuple(
        (Span("possessed", "tag") if norm.known else Span("not possessed", "warning"), " ", Span(norm.id, "code"))
        for norm in found.norms
    )
    asked = tuple(TranscriptLine(speaker=norm.id, text=norm.asked) for norm in found.norms if norm.asked)
    norms_asked = (Details(summary="The norms, as they were asked about", blocks=_words(asked)),) if asked else ()
    answers = (Details(summary=Span(each.item, "code"), blocks=_words(each.lines)) for each in found.answers)
    return SpokenBlock(
        heading=(f"{place} ", Span(found.domain, "tag"), " ", Span(found.question, "code"), " ", unknown),
        rounds=(),
        blocks=(BulletList(norms), *norms_asked, *answers),
    )


def _words(lines: Sequence[TranscriptLine]) -> tuple[Block, ...]:
    if not lines:
        return (Paragraph(words="No words were kept.", role="note"),)
    turns = tuple(TurnBlock(speaker=line.speaker, text=line.text) for line in lines)
    return (SpokenBlock(heading="", rounds=(Round(turns=turns),)),)
