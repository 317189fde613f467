"""CultureForest as blocks: levels of help, gains from the norms, regions, open answers, knowing and using."""

from collections.abc import Iterator

from msgspec import Struct

from mores.analysis.contrast import Contrast
from mores.analysis.results import Results
from mores.analysis.subjects import Subject, subjects_of
from mores.benchmarks.cultureforest.hard import HARD
from mores.benchmarks.cultureforest.regimes.asked import KNOWLEDGE, MODES, mode_of, scored
from mores.benchmarks.cultureforest.regimes.knowing import Using, using_of
from mores.benchmarks.cultureforest.regimes.knowing_blocks import describe_unpaired, unexplained_blocks, using_blocks
from mores.benchmarks.cultureforest.regimes.levels import Climb, Gain, Levels, levels_of
from mores.benchmarks.cultureforest.regimes.possessed import norms_known
from mores.benchmarks.cultureforest.regimes.scaling import Scaling, scaling_of
from mores.benchmarks.cultureforest.regimes.scaling_blocks import scaling_blocks, scaling_findings, scaling_to_dict
from mores.benchmarks.cultureforest.regimes.unexplained import RightWithout, right_without_knowing
from mores.benchmarks.shapes.adherence.analysis import SCORED, adherence_part
from mores.benchmarks.shapes.adherence.standing import Standing, Step, standings_of
from mores.benchmarks.shapes.adherence.weights import Steadiness, steadiness_of
from mores.benchmarks.shapes.regions.analysis import POINTS, agreement_part, gaps_part
from mores.benchmarks.shapes.regions.consensus import Agreement, agreements_of
from mores.benchmarks.shapes.regions.gaps import RegionGap, gaps_of
from mores.blocks import Block, Cell, Details, Inline, Section, Span, Table, Text, Value
from mores.blocks import formatting as words
from mores.blocks.reasons import format_missing, plain_fields
from mores.tables import as_data

ID = "forest"
LEAD = (
    "Each question has a bundle of norms that apply in it; questions of one bundle form a cluster. Norms "
    "are what many people of a place say, never truths about persons. Shares and norm scores stand with their 95% "
    "intervals and n."
)
EASY = "Easy: the right one of four options. "
MEDIUM = "Medium: each of four options judged alone, all four rightly. "
FORM = (
    "An answer without a readable label, or a refusal, is a format error and counts as wrong. The "
    "share is averaged over samples, as published; counts are questions and samples."
)


class CultureForest(Struct, frozen=True, kw_only=True):
    """All that the runs have to say of the family; what they cannot say is empty."""

    subjects: tuple[Subject, ...]
    levels: Levels
    gaps: tuple[RegionGap, ...]
    standings: tuple[Standing, ...]
    steadiness: tuple[Steadiness, ...]
    agreements: tuple[Agreement, ...]
    using: Using
    unexplained: tuple[RightWithout, ...]
    scaling: Scaling | None

    @property
    def simulated(self) -> bool:
        """True where anything was made up."""
        return any(subject.simulated for subject in self.subjects)

    def to_dict(self) -> dict[str, object]:
        """All figures that the page shows, with the sizes of their families."""
        splits = {mode: len(self.using.splits_of(mode)) for mode in self.using.modes}
        return {
            "subjects": [subject.name for subject in self.subjects],
            "simulated": self.simulated,
            "levels": self.levels.to_dict(),
            "families": {
                "drops": len(self.levels.drops),
                "gains": len(self.levels.gained),
                "gaps": {each.mode: each.family for each in self.gaps},
                "partings": {mode: count for mode, count in splits.items() if count},
            },
            "regions": self.gaps,
            "standing": self.standings,
            "weights": as_data(adherence_part((), self.steadiness, ID))[f"{ID}_weights"],
            "agreement": self.agreements,
            "using": {
                **plain_fields(self.using),
                "unpaired": [describe_unpaired(each) for each in self.using.unpaired],
            },
            "right_without_knowing": self.unexplained,
            "by_size": scaling_to_dict(self.scaling),
        }


def cultureforest_section(results: Results) -> Section | None:
    """What the runs have to say of CultureForest; None without a result of it."""
    found = cultureforest(results)
    return None if found is None else section(found)


def cultureforest(results: Results) -> CultureForest | None:
    """The analyses that the runs have something for; None without a result of the family.

    Raises:
        InputError: verdicts cannot be read, or a norm has no strictness.
    """
    subjects = subjects_of(results, mode_of)
    if not subjects:
        return None
    asked = [scored(subject, mode) for mode in MODES for subject in subjects if mode in subject.evaluations]
    held = [each for each in asked if each.mode == HARD]
    known = {s.name: norms_known(s.evaluations[KNOWLEDGE]) for s in subjects if KNOWLEDGE in s.evaluations}
    levels, gaps, using = levels_of(subjects), gaps_of(asked), using_of(subjects, known)
    return CultureForest(
        subjects=subjects,
        levels=levels,
        gaps=gaps,
        standings=standings_of(held),
        steadiness=steadiness_of(held),
        # Of easy questions nearly all are right, so that ranks within a domain are chance.
        agreements=agreements_of(asked, whole_only=("easy",)),
        using=using,
        unexplained=right_without_knowing(subjects, known),
        scaling=scaling_of(subjects, levels, gaps, using),
    )


def section(found: CultureForest) -> Section:
    """The section of what was found."""
    parts = (
        gaps_part(found.gaps, ID),
        adherence_part(found.standings, found.steadiness, ID),
        agreement_part(found.agreements, ID),
    )
    return Section(
        id=ID,
        title="CultureForest: from options to open answers, from knowing to using",
        blocks=(
            Text(words=words.lead(LEAD, simulated=found.simulated), role="explanation"),
            *_levels(found.levels),
            *_gains(found.levels),
            *(block for part in parts for block in part.blocks or ()),
            *using_blocks(found.using, ID),
            *scaling_blocks(found.scaling, ID),
            *unexplained_blocks(found.unexplained, ID),
        ),
        data=found.to_dict(),
        findings=(*parts[0].findings, *scaling_findings(found.scaling)),
    )


def _change(change: Contrast | None, *, points: bool = False) -> Cell:
    """A difference in points, with its units and bundles."""
    if change is None:
        return None
    value = Value(value=change, metric=POINTS if points else None)
    return (value, " ", Span(f"n {change.units:,} in {change.clusters:,} bundles", "soft"))


def _who(each: Climb | Gain) -> tuple[Inline, ...]:
    return words.subject(each.name, simulated=each.simulated)


def _step_heads(mode: str) -> tuple[str, str]:
    return f"{mode.capitalize()}: norm score", f"{mode.capitalize()}: norms kept to"


def _step_cells(step: Step | None) -> tuple[Cell, Cell]:
    if step is None:
        return None, None
    tag: tuple[Inline, ...] = (" ", Span("counted from words", "tag")) if step.counted else ()
    return (Value(value=step.figure, metric=POINTS), *tag), step.kept


def _levels(levels: Levels) -> Iterator[Block]:
    if not levels.climbs:
        return
    yield Text(words="Accuracy as help is removed", role="heading", id=f"{ID}-levels")
    about = {"easy": EASY, "medium": MEDIUM, HARD: f"{HARD.capitalize()}{SCORED}"}
    yield Text(words="".join(about[mode] for mode in levels.modes), role="explanation")
    tested = len(levels.drops)
    if tested:
        yield Text(
            words="The drop is medium less easy in points, paired by question; its p is corrected by Holm for the "
            f"{words.plural(tested, 'model')} tested. {levels.fell} of {tested} fell significantly at .05."
        )
    heads = ["Model"]
    for mode in levels.modes:
        heads += _step_heads(mode) if mode == HARD else (f"{mode.capitalize()}: right",)
        heads += ["Easy → medium", f"p (Holm, {tested})"] if mode == "medium" and tested else []
    yield Table.of("Modes side by side", heads, ((_who(climb), *_climb(climb, levels)) for climb in levels.climbs))
    if any(climb.errors for climb in levels.climbs):
        yield _errors(levels)


def _climb(climb: Climb, levels: Levels) -> Iterator[Cell]:
    for mode in levels.modes:
        if mode == HARD:
            yield from _step_cells(climb.open)
        else:
            yield climb.closed.get(mode)
        if mode == "medium" and levels.drops:
            yield _change(climb.drop) if climb.drop else format_missing(climb.missing)
            yield Value(value=climb.drop.p_adjusted if climb.drop else None, format="p")


def _errors(levels: Levels) -> Details:
    heads = ("Model", "Mode", "Wrong", "Content", "Unreadable", "Declined", "Share of form among errors")
    rows = (
        (_who(climb), mode, of.wrong, of.content, of.unread, of.refused, of.of_form)
        for climb in levels.climbs
        for mode, of in climb.errors.items()
    )
    table = Table.of("Errors of form and of content", heads, rows)
    blocks = (Text(words=FORM, role="note"), table)
    return Details(summary="Wrong answers: of form, or of content", blocks=blocks, id=f"{ID}-errors")


def _gains(levels: Levels) -> Iterator[Block]:
    if not levels.gains:
        return
    yield Text(words="With the norms in the prompt", role="heading", id=f"{ID}-gains")
    tested = len(levels.gained)
    hard = " (open answers by norm, in points of the norm score)"
    yield Text(
        words="The same questions with their norms in the prompt. Answers that are still wrong have these norms. "
        f"Paired by question{hard if any(gain.mode == HARD for gain in levels.gains) else ''}; p corrected by Holm "
        f"for {words.plural(tested, 'test')}, of which {levels.rose} gained significantly at .05."
    )
    heads = ("Model", "Level", "Without", "With the norms", "Gain", f"p (Holm, {tested})")
    rows = ((_who(gain), gain.mode, *_gain(gain)) for gain in levels.gains)
    yield Table.of("Gain from the norms in the prompt", heads, rows)


def _gain(gain: Gain) -> tuple[Cell, ...]:
    change, points = gain.change, gain.mode == HARD
    if change is None:
        return "", "", f"not paired: {format_missing(gain.missing)}", ""
    metric = POINTS if points else None
    before, after = (Value(value=value, format="share", metric=metric) for value in (change.a, change.b))
    return before, after, _change(change, points=points), Value(value=change.p_adjusted, format="p")
