"""Which cells of the runs speak of one model, and whether two of them may be held against each other."""

from collections.abc import Sequence
from dataclasses import dataclass

from mores.reports.findings import Finding, Findings

FAMILY = "cultureforest/"
CLOSED = ("easy", "medium")
NORMED = ("hard", "apply")
MODES = (*CLOSED, *NORMED)
KNOWLEDGE = "knowledge"
INFORMED = "informed "
"""Before the level at which questions were asked with their norms in the prompt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """One model with its cells by mode: `easy`, `medium`, `hard`, `apply`, `knowledge`, `informed medium` …."""

    name: str
    simulated: bool
    cells: dict[str, Finding]


def subjects_of(findings: Findings) -> tuple[Subject, ...]:
    """The models that have a cell of the family, or of the ladder's open rung.

    Runs of one model are taken together where each brings other modes; where two have the same, each run stands alone.
    """
    ours = [(mode, cell) for cell in findings.cells if (mode := mode_of(cell)) is not None]
    found: list[Subject] = []
    for model in dict.fromkeys(cell.model for _, cell in ours):
        mine = [(mode, cell) for mode, cell in ours if cell.model == model]
        if len({mode for mode, _ in mine}) == len(mine):
            found.append(_subject(model, mine))
            continue
        labels = dict.fromkeys(cell.label for _, cell in mine)
        found += [_subject(label, [pair for pair in mine if pair[1].label == label]) for label in labels]
    return tuple(found)


def _subject(name: str, cells: Sequence[tuple[str, Finding]]) -> Subject:
    return Subject(name=name, simulated=any(cell.simulated for _, cell in cells), cells=dict(cells))


def mode_of(cell: Finding) -> str | None:
    """How a cell asks its questions; None where it is of another family."""
    if cell.benchmark == "ladder/apply":
        return "apply"
    name = cell.benchmark.removeprefix(FAMILY)
    if name == cell.benchmark:
        return None
    if name == "informed":
        return INFORMED + cell.provenance.protocol.settings.get("level", "medium")
    return name if name in {*CLOSED, "hard", KNOWLEDGE} else None


def unlike(a: Finding, b: Finding) -> str | None:
    """Why two cells of one model must not be paired by question; None where they may."""
    if _others(a) != _others(b):
        return f"other judges: {_told(a)} and {_told(b)}"
    readings = a.provenance.protocol.reading, b.provenance.protocol.reading
    if readings[0] != readings[1]:
        return f"labels read in two ways: {readings[0]} and {readings[1]}"
    return other_data(a, b)


def other_data(a: Finding, b: Finding) -> str | None:
    """`other data` where two cells have no file in common, by their hashes; None where they have, or one names none."""
    data = set(a.provenance.data.values()), set(b.provenance.data.values())
    return "other data" if data[0] and data[1] and not data[0] & data[1] else None


def _others(cell: Finding) -> dict[str, str]:
    return {role: spec for role, spec in cell.provenance.roles.items() if role != "subject"}


def _told(cell: Finding) -> str:
    return ", ".join(sorted(_others(cell).values())) or "none"
