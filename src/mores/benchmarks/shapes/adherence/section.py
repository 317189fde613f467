"""Open answers held against norms, as blocks: what they score, where they go, and whether the weights matter.

Anchors begin with the id of the section that the blocks stand in.
"""

from collections.abc import Iterator, Mapping, Sequence

from mores.analysis.results import Results
from mores.analysis.subjects import Scored, Subject, subjects_of
from mores.benchmarks.shapes.adherence.standing import Standing, Step, standings_of, step_of
from mores.benchmarks.shapes.adherence.weights import Steadiness, steadiness_of
from mores.benchmarks.shapes.norm_scores import NORM_SCORE
from mores.benchmarks.shapes.regions.consensus import RHO, agreements_of
from mores.benchmarks.shapes.regions.gaps import gaps_of
from mores.benchmarks.shapes.regions.section import POINTS, agreement_blocks, gap_blocks, gap_findings
from mores.blocks import Block, Cell, Chart, Inline, Point, Section, Series, Span, Stack, Table, Text, Value
from mores.blocks import formatting as words
from mores.blocks.reasons import format_missing, plain_fields

ID = "open_answers"
LEAD = (
    "Open answers are checked against the norms that apply in a question, which does not name them; the norms of one "
    "question form a cluster. Norms are what many people of a place say, never truths about persons. Shares and norm "
    "scores stand with their 95% intervals and n."
)
SCORED = (
    ": an open answer, scored by the norms it keeps to (+1), leaves open (−0.5) or breaks (−1) in points of the "
    "maximum, from −100 to 100; a score in points is not a share of right answers. "
)
COUNTED = "Verdicts counted from repeated words do not compare with probabilities: compare models of one kind alone."
SAID = {"no": "never to be broken", "sometimes": "sometimes broken"}
GOES = {"good": "kept to", "rest": "left open", "poor": "broken"}


def open_answers_section(results: Results) -> Section | None:
    """What runs of open answers have to say, each benchmark being a mode; None where there are none."""
    subjects = subjects_of(results, lambda result: result.benchmark.rpartition("/")[2])
    if not subjects:
        return None
    modes = tuple(dict.fromkeys(mode for subject in subjects for mode in subject.evaluations))
    scored = [
        Scored(subject=subject, mode=mode, metric=NORM_SCORE)
        for mode in modes
        for subject in subjects
        if mode in subject.evaluations
    ]
    gaps, standings, steadiness = gaps_of(scored), standings_of(scored), steadiness_of(scored)
    agreements, simulated = agreements_of(scored), any(subject.simulated for subject in subjects)
    steps = [{each.mode: step_of(each) for each in scored if each.subject is subject} for subject in subjects]
    return Section(
        id=ID,
        title="Open answers and norms: regions, and norms kept, left open or broken",
        blocks=(
            Text(words=words.lead(LEAD, simulated=simulated), role="explanation"),
            *_scores(subjects, steps, modes),
            *gap_blocks(gaps, ID),
            *adherence_blocks(standings, steadiness, ID),
            *agreement_blocks(agreements, ID),
        ),
        findings=tuple(gap_findings(gaps)),
        data={
            "subjects": [subject.name for subject in subjects],
            "simulated": simulated,
            "levels": {
                "modes": modes,
                "climbs": [
                    {"name": subject.name, "simulated": subject.simulated, "steps": own}
                    for subject, own in zip(subjects, steps, strict=True)
                ],
            },
            "families": {"gaps": {each.mode: each.family for each in gaps}},
            "regions": gaps,
            "standing": standings,
            "weights": [dict_of_steadiness(each) for each in steadiness],
            "agreement": agreements,
        },
    )


def _scores(subjects: Sequence[Subject], steps: Sequence[Mapping[str, Step]], modes: Sequence[str]) -> Iterator[Block]:
    yield Text(words="Norm scores", role="heading", id=f"{ID}-scores")
    yield Text(words=f"{', '.join(modes).capitalize()}{SCORED}", role="explanation")
    rows = (
        (words.subject(subject.name, simulated=subject.simulated),
         *(cell for mode in modes for cell in step_cells(own.get(mode))))
        for subject, own in zip(subjects, steps, strict=True)
    )  # fmt: skip
    yield Table.of("Norm scores", ("Model", *(head for mode in modes for head in step_heads(mode))), rows)


def step_heads(mode: str) -> tuple[str, str]:
    """The heads of a mode's columns."""
    return f"{mode.capitalize()}: norm score", f"{mode.capitalize()}: norms kept to"


def step_cells(step: Step | None) -> tuple[Cell, Cell]:
    """A mode's figures; dashes where a model has none."""
    if step is None:
        return None, None
    return (Value(value=step.figure, metric=POINTS), *_tag(counted=step.counted)), step.kept


def _tag(*, counted: bool) -> tuple[Inline, ...]:
    return (" ", Span("counted from words", "tag")) if counted else ()


def adherence_blocks(standings: Sequence[Standing], steadiness: Sequence[Steadiness], section: str) -> Iterator[Block]:
    """Norms kept, left open or broken in open answers, and how far rankings hang on what each way counts."""
    if standings:
        yield from _standings(standings, section)
    for each in steadiness:
        yield from _steadiness(each, section)


def _standings(standings: Sequence[Standing], section: str) -> Iterator[Block]:
    yield Text(words="Norms kept, left open or broken in open answers", role="heading", id=f"{section}-standing")
    keys: list[Inline] = []
    for colour, told in GOES.items():
        keys += [" ", Chart.key(colour), f" {told}"]
    about = (
        "Mean probability that an answer keeps to a norm, leaves it open or breaks it, by whether people may ever act "
        "against the norm."
    )
    yield Text(words=(about, *keys), role="explanation")
    rows = []
    for each in standings:
        who = words.subject(each.name, simulated=each.simulated)
        head = Stack(((*who, *_tag(counted=each.counted)), Span(each.mode, "soft")))
        shares = (each.satisfied, each.neutral, each.violated)
        parts = tuple(
            Point(y=e, label=colour, name=told) for (colour, told), e in zip(GOES.items(), shares, strict=True)
        )
        rows.append((head, SAID[each.strictness], Chart(kind="stack", series=(Series(points=parts),)), *shares))
    heads = ("Model", "Norms", "", "Kept to", "Left open", "Broken")
    yield Table.of("Norms kept, left open or broken in open answers", heads, rows)
    if len({each.counted for each in standings}) > 1:
        yield Text(words=COUNTED)


def dict_of_steadiness(each: Steadiness) -> dict[str, object]:
    """It for programs."""
    own = plain_fields(each)
    return {**{name: value for name, value in own.items() if name != "missing"}, "why": _whys(each)}


def _whys(each: Steadiness) -> tuple[str, ...]:
    return tuple(f"{what}: {format_missing(missing)}" for what, missing in each.missing.items())


def _steadiness(each: Steadiness, section: str) -> Iterator[Block]:
    made_up: tuple[Inline, ...] = (" ", Span("simulated among them", "tag")) if each.simulated else ()
    head = ("Does the ranking depend on the weights? ", Span(each.mode, "soft"), *made_up)
    yield Text(words=head, role="heading", id=f"{section}-weights-{each.mode}")
    few = " (with so few a ranking has few values)" if len(each.names) < 5 else ""
    models, regions, adjusted = (
        words.format_number(value, RHO)
        for value in (each.models_least, each.regions_least, each.regions_least_adjusted)
    )
    stands = "No setting is named, because no rankings can be compared."
    if each.steadiest:
        stands = (
            f"The setting whose rankings are most like all others: sometimes counts {each.steadiest.alpha}, open costs "
            f"{each.steadiest.beta}; published are {each.published.alpha} and {each.published.beta}."
        )
    why = f" {'; '.join(_whys(each)).capitalize()}." if each.missing else ""
    left = f" Left out, as their verdicts are of another kind: {', '.join(each.left_out)}." if each.left_out else ""
    yield Text(
        words="The norm score has two weights: what leaving a norm open costs, and what a norm that is sometimes "
        f"broken counts. Over {each.settings} settings of both ({each.pairs:,} pairs of settings, {each.slots:,} norms "
        f"of questions that all {len(each.names)} models answered), the least Spearman correlation of two rankings is "
        f"{models} for the {len(each.names)} models{few}, and for the {each.regions} regions {regions} by the paper’s "
        f"score, {adjusted} by the adjusted. {stands}{why}{left} These are correlations between rankings of the same "
        "answers, so they have no interval."
    )
