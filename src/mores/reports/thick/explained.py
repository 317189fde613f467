"""Cells whose answers have a label and reasons, with the table of the two: right or wrong × good or bad."""

from dataclasses import dataclass
from math import nan

from markupsafe import Markup

from mores.benchmarks.shapes.explained_figures import GOOD_FROM
from mores.core.estimate import Estimate
from mores.core.verdict import Graded
from mores.reports import wording
from mores.reports.findings import Finding, Findings
from mores.stats.explanations import Reasons, reasons

THICK = "_thick"
QUARTERS = {
    "right_good": "right label, good reasons",
    "right_bad": "right label, bad reasons",
    "wrong_good": "wrong label, good reasons",
    "wrong_bad": "wrong label, bad reasons",
}
_WIDTH = 160


@dataclass(frozen=True, slots=True, kw_only=True)
class Quarter:
    """One of the four kinds of answers: how many there are, and the run's figure of their share."""

    name: str
    count: int
    share: float | None
    figure: Estimate | None

    @property
    def says(self) -> str:
        """What it holds, in words."""
        return QUARTERS[self.name]


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """One model on one benchmark of explained labels.

    `subject` is the model's name, with its run where it has several runs of one benchmark. `counts` are of answers
    with a graded label; `unlabelled` counts those without. `judged_labels` is true where a judge chose the labels.
    """

    cell: Finding
    subject: str
    rubric: str
    counts: Reasons
    unlabelled: int
    judged_labels: bool

    @property
    def set(self) -> str:
        """The data set: the benchmark without the name of its form."""
        return self.cell.benchmark.removesuffix(THICK)

    @property
    def points(self) -> Estimate | None:
        """The mean points of the reasons."""
        return self.cell.whole(self.rubric)

    @property
    def label(self) -> Estimate | None:
        """The share of right labels, whatever the reasons."""
        return self.cell.whole("label_accuracy") or self.cell.whole("accuracy")

    @property
    def wrong_reason(self) -> Estimate | None:
        """Of right labels, the share whose reasons are bad."""
        return self.cell.whole("wrong_reason")

    @property
    def graded(self) -> int:
        """Answers with a grade for both."""
        return sum(self.counts[:4])

    @property
    def right(self) -> int:
        """Right labels with graded reasons."""
        return self.counts.right_good + self.counts.right_bad

    @property
    def quarters(self) -> tuple[Quarter, ...]:
        """The table of label × reasons, a part each."""
        return tuple(
            Quarter(
                name=name,
                count=getattr(self.counts, name),
                share=getattr(self.counts, name) / self.graded if self.graded else None,
                figure=self.cell.whole(name),
            )
            for name in QUARTERS
        )

    @property
    def sentence(self) -> str:
        """How often a right label comes with bad reasons."""
        if not self.right:
            return "no right label has graded reasons, so how many of them have bad ones is not known."
        figure = self.wrong_reason
        told = (
            f"{wording.number(self.counts.right_bad / self.right)} (no interval: the run has no such figure)"
            if figure is None
            else f"{wording.number(figure.value)} {wording.interval(figure)}".strip()
        )
        return f"bad reasons stand behind {self.counts.right_bad:,} of {self.right:,} right labels: {told}."

    @property
    def bar(self) -> Markup:
        """The four parts as a bar; a table says the same in words."""
        left, parts = 0.0, []
        for number, quarter in enumerate(self.quarters):
            width = _WIDTH * (quarter.share or 0.0)
            rect = Markup('<rect class="q{}" x="{:.1f}" y="2" width="{:.1f}" height="12"/>')
            parts.append(rect.format(number, left, width))
            left += width
        head = Markup('<svg viewBox="0 0 {0} 16" width="{0}" height="16" aria-hidden="true">').format(_WIDTH)
        return head + Markup("").join(parts) + Markup("</svg>")


def explained_cells(findings: Findings) -> tuple[Explained, ...]:
    """All cells of explained labels, their verdicts read once."""
    names = subjects_of(findings)
    return tuple(
        _explained(cell, names[cell.label], rubric) for cell in findings.cells if (rubric := cell.rubric) is not None
    )


def subjects_of(findings: Findings) -> dict[str, str]:
    """The name of each subject by its label: one model in several runs is one, unless it ran a benchmark twice."""
    names: dict[str, str] = {}
    for model in findings.models:
        cells = [cell for cell in findings.cells if cell.model == model]
        once = len({cell.benchmark for cell in cells}) == len(cells)
        names |= {cell.label: model if once else cell.label for cell in cells}
    return names


def _explained(cell: Finding, subject: str, rubric: str) -> Explained:
    points, judged, unlabelled = [], False, 0
    for label, *rest in cell.answers():
        if not isinstance(label, Graded):
            unlabelled += 1
            continue
        judged = judged or label.ballot is not None
        points.append((label.points >= 1, *(each.points for each in rest if isinstance(each, Graded))))
    counts = reasons([each[0] for each in points], [(*each, nan)[1] for each in points], good=GOOD_FROM)
    return Explained(
        cell=cell, subject=subject, rubric=rubric, counts=counts, unlabelled=unlabelled, judged_labels=judged
    )
