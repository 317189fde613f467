"""Right answers without the knowledge as tables and blocks; the words stand on the page alone."""

from collections.abc import Iterator, Sequence

from mores.analysis.groups import PLACE
from mores.benchmarks.cultureforest.regimes.levels_views import WHO
from mores.benchmarks.cultureforest.right_without_knowledge import RightWithout, TranscriptLine, Unexplained
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
LUCK = (
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
    return *who, (each.total, each.lacking), each.none_known, each.by_chance, each.samples


def _shown(each: RightWithout) -> Iterator[Row]:
    for one in each.shown:
        possessed, lacking = (tuple(norm.id for norm in one.norms if norm.possessed == is_) for is_ in (True, False))
        own = (one.question, one.place, one.domain, possessed, lacking, tuple(said.item for said in one.said))
        yield (each.name, each.simulated, each.mode, *own)


def _blocks(found: Sequence[RightWithout], section: str) -> Iterator[Block]:
    if not found:
        return
    yield Paragraph(words="Right answers without the knowledge", role="heading", id=f"{section}-without")
    yield Paragraph(words=LUCK, role="explanation")
    yield BulletList(tuple((*_found(each), ".") for each in found), on="terminal")
    for number, each in enumerate(found, start=1):
        anchor = f"{section}-without-{number}"
        transcript = TranscriptBlock(id=f"{anchor}-list", entries=tuple(map(_entry, each.shown)))
        summary = (*_found(each), Span(f" {len(each.shown)} shown", "soft"))
        yield Details(summary=summary, blocks=(Paragraph(words=_about(each), role="note"), transcript), id=anchor)


def _found(each: RightWithout) -> tuple[Inline, ...]:
    chance = "" if each.by_chance is None else f" ({each.by_chance:,.1f} by guessing)"
    who = words.subject(each.name, simulated=each.simulated)
    return (*who, f", {each.mode}: {each.total:,} of {each.lacking:,}{chance}")


def _about(each: RightWithout) -> str:
    fewest = " Shown are those with the fewest norms possessed, drawn with a fixed seed."
    chance = f" Guessing alone would get {each.by_chance or 0:,.1f} of them right in every sample."
    return (
        f"{each.lacking:,} questions have a norm that is not possessed; {each.total:,} of them were right in all "
        f"{words.plural(each.samples, 'sample')}, {each.none_known:,} with none of their norms possessed."
        f"{'' if each.by_chance is None else chance}{fewest if len(each.shown) < each.total else ''} The words are of "
        f"the first sample.{' They were made up.' if each.simulated else ''}"
    )


def _entry(found: Unexplained) -> SpokenBlock:
    lacking = Span(f"{found.lacking} of {len(found.norms)} norms not possessed", "soft")
    place = words.group_name("place", found.place)
    norms = tuple(
        (Span("possessed", "tag") if norm.possessed else Span("not possessed", "warning"), " ", Span(norm.id, "code"))
        for norm in found.norms
    )
    asked = tuple(TranscriptLine(speaker=norm.id, text=norm.asked) for norm in found.norms if norm.asked)
    norms_asked = (Details(summary="The norms, as they were asked about", blocks=_words(asked)),) if asked else ()
    said = (Details(summary=Span(each.item, "code"), blocks=_words(each.lines)) for each in found.said)
    return SpokenBlock(
        heading=(f"{place} ", Span(found.domain, "tag"), " ", Span(found.question, "code"), " ", lacking),
        rounds=(),
        blocks=(BulletList(norms), *norms_asked, *said),
    )


def _words(lines: Sequence[TranscriptLine]) -> tuple[Block, ...]:
    if not lines:
        return (Paragraph(words="No words were kept.", role="note"),)
    turns = tuple(TurnBlock(speaker=line.speaker, text=line.text) for line in lines)
    return (SpokenBlock(heading="", rounds=(Round(turns=turns),)),)
