"""Trained verifiers as blocks: how sure they say they are beside how often they are right, and how often they err."""

from collections.abc import Iterator

from mores.analysis.results import Results
from mores.blocks import Axis, Beside, Block, Chart, Point, Section, Series, Span, Table, Text, Value, Words
from mores.blocks.formatting import plural
from mores.core.estimate import Estimate
from mores.models.trained import Calibration, LabelledBy, Reliability, Trained
from mores.reports.risk_file import Legend

ABOUT = (
    "Pairs of a response and a norm, in bins by the probability of the likeliest label; on the diagonal a verifier is "
    "right as often as it says. The calibration error is the distance from there, on average. Sensitivity is "
    "the share of satisfied norms that it calls so, specificity the share of the others that it does not."
)
WHOSE: dict[LabelledBy, str] = {
    "people": "people’s labels",
    "synthetic": "synthetic labels, which were made with the pairs: no person has confirmed them",
    "file": "labels of a file that does not say who labelled",
}
BEFORE, AFTER = "as trained", "calibrated"
RELIABILITY = Legend(
    title="How often a verifier is right, by the probability it states", diagonal="right as often as stated"
)


def verifiers_section(results: Results) -> Section | None:
    """The verifiers that judged, of those that mores trained; None where there was none."""
    found: dict[str, Trained] = {}
    prompts: dict[str, set[str]] = {}
    for evaluation in results.evaluations:
        for spec in evaluation.judges.values():
            usage = evaluation.provenance.models.get(spec)
            if usage is not None and usage.trained is not None:
                found[spec] = usage.trained
                prompts.setdefault(spec, set()).update(evaluation.provenance.prompts.values())
    if not found:
        return None
    return Section(
        id="verifiers",
        title="Trained verifiers",
        order=16,
        blocks=tuple(block for spec, trained in found.items() for block in _blocks(spec, trained, prompts[spec])),
        data=found,
    )


def _blocks(spec: str, trained: Trained, prompts: set[str]) -> Iterator[Block]:
    yield Text(words=Span(spec, "model"), role="subheading")
    if trained.prompt_sha is not None and trained.prompt_sha not in prompts:
        yield Text(words="It was trained on other words than it was asked in here.", role="warning")
    if trained.calibration is None:
        yield Text(words="Its probabilities are not calibrated; mores calibrate verifier FOLDER does so.")
    else:
        yield from calibration_blocks(trained.calibration)


def calibration_blocks(found: Calibration) -> tuple[Block, ...]:
    """All that calibrating a verifier found."""
    parts = enumerate(((BEFORE, found.before), (AFTER, found.after)))
    rows = (
        ((Chart.key(f"r{colour}"), f" {name}"), f"{100 * stated:.1f}%", right)
        for colour, (name, part) in parts
        for stated, right in zip(part.stated, part.right, strict=True)
    )
    table = Table.of("Stated and true shares", ("Probabilities", "Stated", "Right"), rows)
    return (
        Text(words=ABOUT, role="explanation"),
        *(Text(words=line) for line in _sentences(found)),
        Beside(blocks=(reliability_chart(found), table)),
    )


def _sentences(found: Calibration) -> Iterator[Words]:
    fitted, shown = plural(found.fitted, "pair"), plural(found.after.error.graded, "other")
    fit = f"Temperature {found.temperature:.3g}, fitted on {fitted}. Calibration error on {shown}: "
    yield fit, Value(value=found.before.error), f" {BEFORE}, ", Value(value=found.after.error), f" {AFTER}."
    rates = ("Sensitivity ", Value(value=found.sensitivity), ", specificity ", Value(value=found.specificity))
    yield *rates, f", by {WHOSE[found.labels]}."


def reliability_chart(found: Calibration) -> Chart:
    """The reliability diagram: how often the likeliest label is right against its probability, before and after."""
    parts = {BEFORE: found.before, AFTER: found.after}
    made_up = ", synthetic labels" if found.labels == "synthetic" else ""
    return Chart(
        kind="reliability",
        title=f"Reliability (n {found.after.error.graded:,}{made_up})",
        series=tuple(Series(name=name, points=_points(part)) for name, part in parts.items()),
        axes=(Axis(title="probability stated"), Axis(title="share that was right")),
    )


def _points(part: Reliability) -> tuple[Point, ...]:
    return tuple(
        Point(x=Estimate(metric="stated", value=stated, asked=0, graded=0), y=right)
        for stated, right in zip(part.stated, part.right, strict=True)
    )
