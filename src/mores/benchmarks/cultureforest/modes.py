"""How each evaluation of CultureForest asks its questions, and whether two of one model may be paired by question.

Easy shows four options, medium has each judged alone, hard has none; `informed` asks one of these with the norms told.
"""

from mores.analysis.results import Result
from mores.analysis.units import Subject, SubjectScores
from mores.benchmarks.cultureforest.hard import HARD, LEVEL
from mores.benchmarks.shapes.norm_scores import NORM_SCORE
from mores.core.estimate import Missing

FAMILY = "cultureforest/"
CLOSED = ("easy", "medium")
MODES = (*CLOSED, HARD)
KNOWLEDGE = "knowledge"
INFORMED = "informed "
"""Before the level at which questions were asked with their norms in the prompt."""


def mode_of(result: Result) -> str | None:
    """How an evaluation asks, such as `easy`, `knowledge`, `informed medium`; None where it is of another family."""
    name = result.benchmark.removeprefix(FAMILY)
    if name == result.benchmark:
        return None
    if name == INFORMED.strip():
        return INFORMED + result.provenance.protocol.settings.get(LEVEL, "medium")
    return name


def scored(subject: Subject, mode: str) -> SubjectScores:
    """What a subject got in one mode: norm scores of open answers, else the headline."""
    is_open = mode.removeprefix(INFORMED) == HARD
    return SubjectScores(
        subject=subject, mode=mode, metric=NORM_SCORE if is_open else subject.evaluations[mode].headline
    )


def unlike(a: Result, b: Result) -> Missing | None:
    """Why two evaluations of one model must not be paired by question; None where they may."""
    if _judges(a) != _judges(b):
        told = (", ".join(sorted(_judges(each).values())) or "none" for each in (a, b))
        return Missing(code="other_judges", told=" and ".join(told))
    readings = a.provenance.protocol.reading, b.provenance.protocol.reading
    if readings[0] != readings[1]:
        return Missing(code="read_in_two_ways", told=" and ".join(map(str, readings)))
    return other_data(a, b)


def other_data(a: Result, b: Result) -> Missing | None:
    """Says so where two results have no file in common, by hash; None where they have, or one names none."""
    data = set(a.provenance.data.values()), set(b.provenance.data.values())
    return Missing(code="other_data") if data[0] and data[1] and not data[0] & data[1] else None


def _judges(result: Result) -> dict[str, str]:
    return {role: spec for role, spec in result.provenance.roles.items() if role != "subject"}
