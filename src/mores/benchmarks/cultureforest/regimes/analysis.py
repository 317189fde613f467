"""CultureForest whole: levels of help, gains from the norms, regions, open answers, knowing and using, and size."""

from msgspec import Struct

from mores.analysis.results import Results
from mores.analysis.units import Subject, subjects_of
from mores.benchmarks.cultureforest.hard import HARD
from mores.benchmarks.cultureforest.knowledge import KnowledgeUseTable, using_of
from mores.benchmarks.cultureforest.modes import KNOWLEDGE, MODES, mode_of, scored
from mores.benchmarks.cultureforest.regimes.knowing_views import KNOWING_TABLES, knowing_part
from mores.benchmarks.cultureforest.regimes.levels import Levels, levels_of
from mores.benchmarks.cultureforest.regimes.levels_views import FOREST, LEVEL_TABLES, levels_part
from mores.benchmarks.cultureforest.regimes.possessed import norms_known
from mores.benchmarks.cultureforest.regimes.scaling import Scaling, scaling_of
from mores.benchmarks.cultureforest.regimes.scaling_views import SCALING_TABLES, scaling_part
from mores.benchmarks.cultureforest.regimes.unexplained_views import UNEXPLAINED_TABLES, unexplained_part
from mores.benchmarks.cultureforest.right_without_knowledge import RightWithout, right_without_knowing
from mores.benchmarks.shapes.adherence.analysis import adherence_part, adherence_tables
from mores.benchmarks.shapes.adherence.shares import StrictnessShares, standings_of
from mores.benchmarks.shapes.adherence.weights import Steadiness, steadiness_of
from mores.benchmarks.shapes.regions.analysis import agreement_part, gaps_part, region_tables
from mores.benchmarks.shapes.regions.consensus import ModelAgreement, agreements_of
from mores.benchmarks.shapes.regions.gaps import RegionGap, gaps_of
from mores.tables import Analysis, AnalysisResult
from mores.tables import formatting as words
from mores.tables.blocks import Paragraph

ID = FOREST.id
LEAD = (
    "Each question has a bundle of norms that apply in it; questions of one bundle form a cluster. Norms "
    "are what many people of a place say, never truths about persons. Shares and norm scores stand with their 95% "
    "intervals and n."
)


class CultureForest(Struct, frozen=True, kw_only=True):
    """All that the runs have to say of the family; what they cannot say is empty."""

    subjects: tuple[Subject, ...]
    levels: Levels
    gaps: tuple[RegionGap, ...]
    standings: tuple[StrictnessShares, ...]
    steadiness: tuple[Steadiness, ...]
    agreements: tuple[ModelAgreement, ...]
    using: KnowledgeUseTable
    unexplained: tuple[RightWithout, ...]
    scaling: Scaling | None

    @property
    def simulated(self) -> bool:
        """True where anything was made up."""
        return any(subject.simulated for subject in self.subjects)


def analyse(results: Results) -> AnalysisResult | None:
    """What the runs have to say of CultureForest; None without a result of it."""
    found = cultureforest(results)
    return None if found is None else result_of(found)


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


def result_of(found: CultureForest) -> AnalysisResult:
    """What was found, as tables, blocks and findings."""
    parts = (
        levels_part(found.levels, ID),
        gaps_part(found.gaps, ID),
        adherence_part(found.standings, found.steadiness, ID),
        agreement_part(found.agreements, ID),
        knowing_part(found.using, ID),
        scaling_part(found.scaling, found.subjects, ID),
        unexplained_part(found.unexplained, ID),
    )
    lead = Paragraph(words=words.lead(LEAD, simulated=found.simulated), role="explanation")
    return AnalysisResult(
        tables=tuple(table for part in parts for table in part.tables),
        blocks=(lead, *(block for part in parts for block in part.blocks or ())),
        findings=tuple(finding for part in parts for finding in part.findings),
    )


FOREST_ANALYSIS = Analysis(
    id=ID,
    title="CultureForest: from options to open answers, from knowing to using",
    tables=(
        *LEVEL_TABLES,
        *region_tables(ID),
        *adherence_tables(ID),
        *KNOWING_TABLES,
        *SCALING_TABLES,
        *UNEXPLAINED_TABLES,
    ),
    analyse=analyse,
)
