"""CultureForest's part of a report: a section of the page, lines for a terminal, plain values for programs.

findings ─▶ subjects ─▶ verdicts as arrays, read once a cell ─▶ eight analyses ─▶ Forest
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from mores.core.card import Metric
from mores.reports.findings import Findings
from mores.reports.forest.agreement import FEWEST_MODELS, FEWEST_REGIONS, RHO, Agreement, agreements_of
from mores.reports.forest.change import POINTS
from mores.reports.forest.levels import Levels, Read, levels_of
from mores.reports.forest.pictures import heat_map, stacked
from mores.reports.forest.reading import Answers, Held, Knowledge, read_answers, read_held, read_knowledge
from mores.reports.forest.regions import Disparity, disparities_of
from mores.reports.forest.standing import Standing, standings_of
from mores.reports.forest.subjects import FAMILY, INFORMED, KNOWLEDGE, NORMED, Subject, subjects_of
from mores.reports.forest.surprises import Surprises, surprises_of
from mores.reports.forest.telling import (
    of_agreements,
    of_disparities,
    of_levels,
    of_standings,
    of_steadiness,
    of_surprises,
    of_using,
)
from mores.reports.forest.using import Using, using_of
from mores.reports.forest.weights import Steadiness, steadiness_of

FULL = "CultureForest: from options to open answers, from knowing to using"
OPEN = "Open answers held against norms: regions, and where answers go"


@dataclass(frozen=True, slots=True, kw_only=True)
class Forest:
    """All that the runs have to say of CultureForest, or of the ladder's open rung; what they cannot say is empty."""

    title: str
    subjects: tuple[str, ...]
    simulated: bool
    levels: Levels
    disparities: tuple[Disparity, ...]
    standings: tuple[Standing, ...]
    steadiness: tuple[Steadiness, ...]
    agreements: tuple[Agreement, ...]
    using: Using
    surprises: tuple[Surprises, ...]

    @property
    def id(self) -> str:
        """Its anchor on the page."""
        return "forest"

    @property
    def template(self) -> str:
        """The file that lays it out."""
        return "forest.html.jinja"

    @property
    def points(self) -> Metric:
        """How norm scores are told."""
        return POINTS

    @property
    def rho(self) -> Metric:
        """How correlations are told."""
        return RHO

    @property
    def fewest(self) -> dict[str, int]:
        """How many models and regions an agreement and its outliers need."""
        return {"models": FEWEST_MODELS, "regions": FEWEST_REGIONS}

    def bar(self, standing: Standing) -> Markup:
        """The picture of where one model's answers go."""
        return stacked(standing.parts)

    def map(self, agreement: Agreement) -> Markup:
        """The picture of how alike each two models rank regions."""
        return heat_map(agreement.correlations)

    def lines(self) -> Iterator[str]:
        """A line for each analysis and model."""
        yield from of_levels(self.levels)
        yield from of_disparities(self.disparities)
        yield from of_standings(self.standings)
        yield from of_steadiness(self.steadiness)
        yield from of_agreements(self.agreements)
        yield from of_using(self.using)
        yield from of_surprises(self.surprises)

    def plain(self) -> dict[str, object]:
        """All figures that the page shows, with the sizes of their families."""
        return {
            "subjects": self.subjects,
            "simulated": self.simulated,
            "levels": self.levels,
            "families": {
                "drops": len(self.levels.drops),
                "gains": len(self.levels.gained),
                "gaps": {each.mode: each.family for each in self.disparities},
                "partings": {mode: len(pairs) for mode in self.using.modes if (pairs := self.using.partings_of(mode))},
            },
            "regions": self.disparities,
            "standing": self.standings,
            "weights": self.steadiness,
            "agreement": self.agreements,
            "using": self.using,
            "right_without_knowing": self.surprises,
        }


def forest(findings: Findings) -> Forest | None:
    """The analyses that the runs have something for; None without a cell of CultureForest or the ladder's open rung.

    Raises:
        InputError: verdicts cannot be read, or a norm has no strictness.
    """
    subjects = subjects_of(findings)
    if not subjects:
        return None
    read = {subject.name: _read(subject) for subject in subjects}
    knowledge = {s.name: read_knowledge(s.cells[KNOWLEDGE]) for s in subjects if KNOWLEDGE in s.cells}
    return forest_of(subjects, read, knowledge)


def forest_of(subjects: Sequence[Subject], read: Read, knowledge: Mapping[str, Knowledge]) -> Forest:
    """The analyses of what was read; knowledge is by the subject's name."""
    ours = any(cell.benchmark.startswith(FAMILY) for subject in subjects for cell in subject.cells.values())
    return Forest(
        title=FULL if ours else OPEN,
        subjects=tuple(subject.name for subject in subjects),
        simulated=any(subject.simulated for subject in subjects),
        levels=levels_of(subjects, read),
        disparities=disparities_of(subjects, read),
        standings=standings_of(subjects, read),
        steadiness=steadiness_of(subjects, read),
        agreements=agreements_of(subjects, read),
        using=using_of(subjects, read, knowledge),
        surprises=surprises_of(subjects, read, knowledge),
    )


def _read(subject: Subject) -> dict[str, Answers | Held]:
    """All that a subject was asked, but for what it knows."""
    return {
        mode: read_held(cell) if mode.removeprefix(INFORMED) in NORMED else read_answers(cell)
        for mode, cell in subject.cells.items()
        if mode != KNOWLEDGE
    }
