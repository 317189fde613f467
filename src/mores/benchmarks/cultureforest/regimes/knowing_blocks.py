"""Knowing and using, and right answers without the knowledge, as blocks."""

from collections.abc import Iterator, Sequence

from mores.benchmarks.cultureforest.hard import HARD
from mores.benchmarks.cultureforest.regimes.knowing import Split, Unpaired, Use, Using
from mores.benchmarks.cultureforest.regimes.unexplained import Line, RightWithout, Unexplained
from mores.blocks import (
    Apart,
    Block,
    Cell,
    Details,
    Inline,
    Listing,
    Round,
    Span,
    Spoken,
    Stack,
    Table,
    Text,
    Transcript,
    Turn,
    Value,
)
from mores.blocks import formatting as words
from mores.blocks.reasons import format_missing
from mores.core.estimate import caution_of

POSSESSED = (
    "A norm is possessed where most samples call it true and most call its negation false; tossing a coin possesses a "
    "quarter. Affirmed and denied apart show a model that says yes, or no, to everything."
)
UNDER_TEN = (
    "Under ten questions no share is given. Questions whose norms are known may be easier in other ways too: this says "
    "where right answers lie, not what causes them."
)
LEFT_OUT = " Left out are questions with a norm that was not asked about, or whose verdicts could not be graded."
LUCK = (
    "Questions that were right in every sample though the model does not possess all of their norms: by common sense, "
    "by norms that many places share, by the words of the options, or by luck. Read the words."
)


def using_blocks(using: Using, section: str) -> Iterator[Block]:
    """How answers fare by how many of a question's norms are possessed."""
    if not using.knows:
        return
    yield Text(words="Knowing and using", role="heading", id=f"{section}-using")
    yield Text(words=POSSESSED, role="explanation")
    heads = ("Model", "Norms possessed", "Norms affirmed", "Negations denied")
    rows = ((words.subject(k.name, simulated=k.simulated), k.possessed, k.affirmed, k.denied) for k in using.knows)
    yield Table.of("Norms possessed", heads, rows)
    for mode in using.modes:
        yield from _uses(using.of(mode), mode, section)
        pairs = using.splits_of(mode)
        if pairs:
            yield _splits(pairs, f"{section}-split-{mode}")
    if using.unpaired:
        yield Text(words=f"Not looked at: {'; '.join(map(describe_unpaired, using.unpaired))}.")


def describe_unpaired(each: Unpaired) -> str:
    """Which model was not looked at in which mode, and why."""
    return f"{each.name}, {each.mode}: {format_missing(each.missing)}"


def _uses(uses: Sequence[Use], mode: str, section: str) -> Iterator[Block]:
    what = "share of norms kept to" if mode == HARD else "share right"
    title = f"{mode.capitalize()}: {what}, by how many of a question’s norms are possessed"
    yield Text(words=title, role="subheading", id=f"{section}-using-{mode}")
    first, size = uses[0], len(uses[0].rungs) - 1
    heads: list[str] = ["Model", *(f"{rung.possessed} possessed" for rung in first.rungs), f"Fewer than {size}"]
    family = first.gained.family
    heads += [f"All {size} − fewer, points", f"p (Holm, {family})"]
    heads += ["Norm by norm: not possessed", "possessed"] if first.by_norm else []
    heads += ["Possessed, over questions", f"Questions with all {size}"]
    rows: list[tuple[Cell, ...]] = []
    for use in uses:
        left = f", {use.left_out:,} left out" if use.left_out else ""
        who = words.subject(use.name, simulated=use.simulated)
        head = Stack((who, Span(f"{use.questions:,} questions{left}", "soft")))
        tested = (use.gained, Value(value=use.gained.p_adjusted, format="p"))
        by_number, by_norm = ([rung.right for rung in rungs] for rungs in (use.by_number, use.by_norm))
        rows.append((head, *by_number, *tested, *by_norm, use.coverage, use.complete))
    yield Table.of(f"By norms possessed, {mode}", heads, rows)
    yield Text(words=f"{UNDER_TEN}{LEFT_OUT if any(use.left_out for use in uses) else ''}", role="note")


def _splits(pairs: Sequence[Split], anchor: str) -> Details:
    many, mode = words.plural(len(pairs), "pair"), pairs[0].mode
    about = (
        "First less second in points, over the questions both answered; the two parts add up to it (Oaxaca’s split, "
        "weights midway). An identity over these questions, so the parts have no interval; that of the difference is "
        f"not corrected for the {many}: to test one pair, use "
    )
    rows = []
    for pair in pairs:
        found = pair.difference
        knowing, using = (Value(value=part, format="signed") for part in (pair.knowledge, pair.reasoning))
        who = words.subject(pair.first, simulated=pair.simulated)
        apart = Apart(
            difference=found.value, low=found.low, high=found.high, missing=found.missing, caution=caution_of(found)
        )  # fmt: skip
        rows.append((who, Span(pair.second, "model"), apart, knowing, using, found.graded))
    heads = ("First", "Second", "Difference", "From knowing", "From using", "n")
    table = Table.of(f"Splits of differences, {mode}", heads, rows)
    summary = ("Differences between two models: knowing norms or using them ", Span(many, "soft"))
    note = Text(words=(about, Span("mores compare", "code"), "."), role="note")
    return Details(summary=summary, blocks=(note, table), id=anchor)


def unexplained_blocks(found: Sequence[RightWithout], section: str) -> Iterator[Block]:
    """Questions that were right though their norms are not possessed, with the words."""
    if not found:
        return
    yield Text(words="Right answers without the knowledge", role="heading", id=f"{section}-without")
    yield Text(words=LUCK, role="explanation")
    yield Listing(tuple((*_found(each), ".") for each in found), on="terminal")
    for number, each in enumerate(found, start=1):
        anchor = f"{section}-without-{number}"
        transcript = Transcript(id=f"{anchor}-list", entries=tuple(map(_entry, each.shown)))
        summary = (*_found(each), Span(f" {len(each.shown)} shown", "soft"))
        yield Details(summary=summary, blocks=(Text(words=_about(each), role="note"), transcript), id=anchor)


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


def _entry(found: Unexplained) -> Spoken:
    lacking = Span(f"{found.lacking} of {len(found.norms)} norms not possessed", "soft")
    place = words.group_name("place", found.place)
    norms = tuple(
        (Span("possessed", "tag") if norm.possessed else Span("not possessed", "warning"), " ", Span(norm.id, "code"))
        for norm in found.norms
    )
    asked = tuple(Line(speaker=norm.id, text=norm.asked) for norm in found.norms if norm.asked)
    norms_asked = (Details(summary="The norms, as they were asked about", blocks=_words(asked)),) if asked else ()
    said = (Details(summary=Span(each.item, "code"), blocks=_words(each.lines)) for each in found.said)
    return Spoken(
        heading=(f"{place} ", Span(found.domain, "tag"), " ", Span(found.question, "code"), " ", lacking),
        rounds=(),
        blocks=(Listing(norms), *norms_asked, *said),
    )


def _words(lines: Sequence[Line]) -> tuple[Block, ...]:
    if not lines:
        return (Text(words="No words were kept.", role="note"),)
    turns = tuple(Turn(speaker=line.speaker, text=line.text) for line in lines)
    return (Spoken(heading="", rounds=(Round(turns=turns),)),)
