"""Controls as blocks: each headline with its place and without, what the place adds, and what courtesy alone keeps."""

from collections.abc import Iterator, Sequence

from mores.analysis.controls import Gain, gains
from mores.analysis.groups import PLACE
from mores.analysis.results import Results
from mores.blocks import Block, Cell, Column, Details, Finding, Heads, Section, Span, Stack, Table, Text, Value, Words
from mores.blocks import formatting as words
from mores.blocks.reasons import format_missing, plain_fields
from mores.core.card import CONTROLS, Control
from mores.stats.intervals import MIN_CLUSTERS

TITLES: dict[Control, str] = {
    "masked": "With the place and without it",
    "swapped": "Of the place and of another whose norm differs",
}
ABOUT = (
    "The same items were also asked with their place masked (names of places and people, foods, languages), or "
    "swapped for another place whose norm differs, with the answer that is right there. Gain of the place: the "
    "headline less the score under the control, paired by unit; brackets hold its 95% interval. p-values are corrected "
    "(Holm) for the rows of a table. Scores here are of the items that both asked, so the first may differ from the "
    "headline; no other figure of this report counts a control."
)
COURTESY = (
    "Courtesy: units kept with their place that are kept as well without it. They say nothing about this culture, but "
    "one answer is no evidence about one norm: some are lucky guesses, and a list is of examples."
)

KEYS = {
    "with_place": "b", "under_control": "a", "gain": "difference", "low": "low", "high": "high", "p": "p",
    "p_adjusted": "p_adjusted", "minimum_detectable": "minimum_detectable", "units": "units", "clusters": "clusters",
    "why": "missing", "caution": "caution",
}  # fmt: skip
"""The keys of a gain for programs, with what they are of its contrast."""


def controls_section(results: Results) -> Section | None:
    """What places add to headlines; None where no control was run."""
    found = gains(results)
    if not found:
        return None
    return Section(
        id="controls",
        title="What the place adds",
        order=-5,
        blocks=(Text(words=ABOUT, role="explanation"), *_blocks(found)),
        data={"gains": [to_dict(gain) for gain in found]},
        findings=tuple(_findings(found)),
    )


def _blocks(found: Sequence[Gain]) -> Iterator[Block]:
    for control in CONTROLS:
        rows = [gain for gain in found if gain.control == control]
        if rows:
            yield Table.of(TITLES[control], _columns(control, rows), map(_row, rows))
            left = dict.fromkeys(f"{g.plain.benchmark}: {told}" for g in rows for told in _left_out(g))
            yield from (Text(words=told, role="explanation") for told in left)
            yield from (_details(gain) for gain in rows if PLACE in gain.families or gain.as_well)
    if any(gain.control == "masked" for gain in found):
        yield Text(words=COURTESY, role="explanation")


def _columns(control: Control, rows: Sequence[Gain]) -> Heads:
    family = max(gain.whole.family for gain in rows)
    return (
        "Benchmark",
        "With the place",
        "Masked" if control == "masked" else "Swapped",
        "Gain of the place, points" if control == "masked" else "Plain less swapped, points",
        Column(title=f"p (Holm, {family})", format="p", sort="ascending"),
        Column(title="n", format="count"),
        *(("Courtesy",) if control == "masked" else ()),
    )


def _row(gain: Gain) -> tuple[Cell, ...]:
    plain, whole = gain.plain, gain.whole
    who = words.subject(plain.label, simulated=plain.simulated)
    courtesy: Cell = f"{gain.as_well:,} of {gain.kept:,}"
    return (
        Stack((Span(plain.benchmark, "code"), who)),
        words.format_number(whole.b, gain.metric),
        words.format_number(whole.a, gain.metric),
        Value(value=whole, metric=gain.metric),
        whole.p_adjusted,
        whole.units,
        *((courtesy,) if gain.control == "masked" else ()),
    )


def _left_out(gain: Gain) -> tuple[str, ...]:
    """What was said of the items that the control could not ask."""
    begins = f"Control {gain.control}:"
    return tuple(told for told in gain.other.provenance.remarks if told.startswith(begins))


def _details(gain: Gain) -> Details:
    """Place by place, the gain and what is kept as well without the place."""
    by_place = {each.group.value: each for each in gain.families.get(PLACE, ())}
    as_well = {each.place: each for each in gain.courtesy}
    rows = []
    for place in sorted({*by_place, *as_well}):
        found, kept = by_place.get(place), as_well.get(place)
        told = "" if kept is None else f"{len(kept.as_well):,} of {kept.kept:,}"
        # A unit by its last part: that of a norm in an answer is the norm.
        names = "" if kept is None else ", ".join(unit.rpartition("\x1f")[2] for unit in kept.as_well)
        own = (told, names) if gain.control == "masked" else ()
        gained: tuple[Cell, ...] = (words.DASH, None, None)
        if found is not None:
            gained = (Value(value=found, metric=gain.metric), found.p_adjusted, found.units)
        rows.append((words.group_name(PLACE, place), *gained, *own))
    columns = (
        Column(title="Place", sort="ascending"),
        "Gain, points",
        Column(title="p (Holm)", format="p", sort="ascending"),
        Column(title="n", format="count"),
        *(("Courtesy", "Kept as well without the place") if own else ()),
    )
    caption = f"{gain.plain.benchmark}, {gain.control}, by place: {gain.plain.label}"
    few = f"Places with fewer than {MIN_CLUSTERS} independent units have figures without a test."
    return Details(summary=caption, blocks=(Table.of(caption, columns, rows), Text(words=few)))


def _findings(found: Sequence[Gain]) -> Iterator[Finding]:
    """Model by model, where the place adds something, where it takes, and where neither is found."""
    masked = [gain for gain in found if gain.control == "masked"]
    for label in dict.fromkeys(gain.plain.label for gain in masked):
        own = [gain for gain in masked if gain.plain.label == label]
        sure = [gain for gain in own if gain.whole.found and gain.whole.difference is not None]
        for verb, some in (("adds", [g for g in sure if _size(g) > 0]), ("takes", [g for g in sure if _size(g) < 0])):
            if some:
                yield _moved(verb, label, some)
        if rest := [gain for gain in own if gain not in sure]:
            yield _unmoved(label, rest)


def _size(gain: Gain) -> float:
    return gain.whole.difference or 0.0


def _moved(verb: str, label: str, some: Sequence[Gain]) -> Finding:
    """`The place adds 42.2 points to ladder/know and 20.3 to ladder/judge of …`."""
    sizes = [words.format_size(abs(_size(gain)), gain.metric) for gain in some]
    way = "to" if verb == "adds" else "from"
    parts: list[Words] = []
    for number, (size, gain) in enumerate(zip(sizes, some, strict=True)):
        points = " points" if number == 0 else ""
        parts.append((f"{size}{points} {way} ", Span(gain.plain.benchmark, "code")))
    told: Words = (f"The place {verb} ", *words.joined(parts), " of ", Span(label, "model"), ".")
    ends = ", ".join(map(_interval, some))
    p = words.format_p(max(gain.whole.p_adjusted or 0.0 for gain in some))
    several = " or less" if len(some) > 1 else ""
    return Finding(words=told, sure=f"95% intervals {ends}; {p}{several} after Holm's correction.", weight="main")


def _interval(gain: Gain) -> str:
    """A gain's interval with its mark."""
    return " ".join((words.parts_of_difference(gain.whole, gain.metric)[1], *words.bracketed_mark(gain.whole)))


def _unmoved(label: str, rest: Sequence[Gain]) -> Finding:
    names = words.joined(Span(gain.plain.benchmark, "code") for gain in rest)
    told: Words = ("The place is not found to add anything to ", *names, " of ", Span(label, "model"), ".")
    seen = [gain.whole.minimum_detectable for gain in rest if gain.whole.minimum_detectable is not None]
    whys = dict.fromkeys(format_missing(gain.whole.missing) for gain in rest if gain.whole.missing is not None)
    least = (f"minimum detectable effect {words.format_size(max(seen), rest[0].metric)} points",) if seen else ()
    sure = "; ".join((*least, *whys))
    return Finding(words=told, sure=f"{sure[:1].upper()}{sure[1:]}." if sure else "", weight="caveat", found=False)


def to_dict(gain: Gain) -> dict[str, object]:
    """The values, for programs."""
    return {
        **plain_fields(gain.plain, "benchmark", model="label"),
        "control": gain.control,
        **plain_fields(gain.plain, metric="headline", simulated="simulated"),
        **plain_fields(gain.whole, **KEYS),
        "left_out": list(_left_out(gain)),
        "courtesy": [plain_fields(each, "place", "kept", "as_well") for each in gain.courtesy],
        "places": [{"place": each.group.value, **plain_fields(each, **KEYS)} for each in gain.families.get(PLACE, ())],
    }
