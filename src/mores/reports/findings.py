"""What finished runs found, read once for every kind of report.

run folder ─▶ manifest, estimates, card ─▶ Finding (one model on one benchmark) ─▶ Findings

Transcripts and verdicts stay on disk until a report asks for them.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

from mores.benchmarks import catalogue
from mores.benchmarks.shapes.explained import LABEL
from mores.benchmarks.shapes.option_similarity import METRICS
from mores.core.card import Card, Metric
from mores.core.codec import build, reading
from mores.core.errors import InputError, UnknownName
from mores.core.estimate import Estimate
from mores.core.verdict import Ungraded, Verdict, decode_verdicts
from mores.models.refusals import OVERFLOW
from mores.models.specs import OURS
from mores.reports.provenance import Provenance
from mores.runs.cell import ESTIMATES, read_estimates
from mores.runs.folder import read_manifest
from mores.runs.results import TRANSCRIPTS, VERDICTS
from mores.runs.sealing import changed, is_sealed, told
from mores.runs.stored import JUDGES, stored_cells
from mores.stats.judged_contrast import JudgeErrors

REFUSED = (OVERFLOW, "http 4")
"""Causes that an endpoint explains in words of its own."""
ROUTES = (":free", ":latest", ":nitro", ":floor")
"""What some providers add to a model's name to say how it is served; it is the same model."""


HEADLINES = {"accuracy": "behaviour", "adherence_step": "norms"}
"""Headlines that are read off the labels of a task with another name: of talks, and of days."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What one model did on one benchmark; `card` is None where this mores knows no such benchmark.

    `label` is the model's name, with its run where several of the runs have that model. `changed` names files that
    are not as the run left them; whether any was cannot be told of a run that is not `sealed`.
    """

    run: Path
    folder: Path
    model: str
    label: str
    benchmark: str
    headline: str
    simulated: bool
    estimates: tuple[Estimate, ...]
    card: Card | None
    provenance: Provenance
    changed: tuple[str, ...] = ()
    sealed: bool = True

    @property
    def chance(self) -> float | None:
        """Share that guessing gets of the headline, where the card knows it."""
        return self.card.chance if self.card else None

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of all metrics, the headline first."""
        return tuple(dict.fromkeys((self.headline, *(e.metric for e in self.estimates))))

    @property
    def kinds(self) -> tuple[str, ...]:
        """Kinds of groups that figures are broken down by, in the card's order."""
        return tuple(dict.fromkeys(kind for e in self.estimates for kind in e.group))

    def whole(self, metric: str | None = None) -> Estimate | None:
        """The figure of one metric over everything, by default the headline; None where there is none."""
        name = metric or self.headline
        return next((e for e in self.estimates if e.metric == name and not e.group), None)

    @property
    def mostly_ungraded(self) -> bool:
        """True where less than half of what the headline asks about could be graded."""
        whole = self.whole()
        return whole is not None and 2 * whole.graded < whole.asked

    def by(self, kind: str, metric: str | None = None) -> dict[str, Estimate]:
        """The figures of one metric by the members of one kind of group."""
        name = metric or self.headline
        return {e.group[kind]: e for e in self.estimates if e.metric == name and list(e.group) == [kind]}

    def metric(self, name: str) -> Metric | None:
        """What the card says of a metric; None where it says nothing."""
        known = (*(self.card.metrics if self.card else ()), *METRICS)
        return next((m for m in known if m.name == name), None)

    @property
    def judges(self) -> dict[str, str]:
        """Who judged, by role; empty where nobody was asked to."""
        return {role: spec for role, spec in sorted(self.provenance.roles.items()) if role.startswith(JUDGES)}

    @property
    def own_judges(self) -> tuple[str, ...]:
        """Judges that are the subject itself, here or at another provider."""
        return tuple(dict.fromkeys(spec for spec in self.judges.values() if same_model(spec, self.model)))

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks on which each answer has a verdict, in their order."""
        found: dict[str, None] = {}
        for verdict in self.every_verdict():
            if verdict.task in found:
                break
            found[verdict.task] = None
        return tuple(found)

    @property
    def label_task(self) -> str | None:
        """The task off whose labels the headline is read, where it is no mean of points; a day may have none on it."""
        task = HEADLINES.get(self.headline)
        return task if task in (_tasks_of(self.benchmark) or self.tasks) else None

    @property
    def rubric(self) -> str | None:
        """The task that grades reasons, where answers have a label and reasons; else None."""
        tasks = self.tasks
        return tasks[1] if len(tasks) > 1 and tasks[0] == LABEL else None

    def verdicts(self) -> Iterator[Verdict]:
        """The verdicts that the headline rests on, of labels alone where reasons are graded too."""
        kept = self._counted()[:1]
        return (verdict for verdict in self.every_verdict() if verdict.task in kept)

    def answers(self) -> Iterator[tuple[Verdict, ...]]:
        """The verdicts on each answer, or each part of it that counts alone: its label's first, then its reasons'."""
        kept = self._counted()
        chosen = (verdict for verdict in self.every_verdict() if verdict.task in kept)
        for _, verdicts in groupby(chosen, key=lambda v: (v.about.item, v.about.part, v.sample)):
            yield tuple(verdicts)

    def every_verdict(self) -> Iterator[Verdict]:
        """All verdicts, as they stand on disk."""
        path = self.folder / VERDICTS
        with path.open("rb") as lines:
            yield from decode_verdicts(lines, where=str(path))

    def causes(self) -> dict[str, int]:
        """How many answers are ungraded in their label or their reasons, by the first cause, most frequent first."""
        if not self.provenance.ungraded:
            return {}
        first = (next((v.cause for v in answer if isinstance(v, Ungraded)), None) for answer in self.answers())
        return dict(Counter(cause for cause in first if cause is not None).most_common())

    def refused_with(self) -> dict[str, str]:
        """What an endpoint said first of each cause that is its refusal of a call, such as one that is too long."""
        causes = {cause for cause in self.provenance.ungraded if any(kind in cause for kind in REFUSED)}
        if not causes:
            return {}
        found: dict[str, str] = {}
        for verdict in (verdict for answer in self.answers() for verdict in answer):
            if isinstance(verdict, Ungraded) and verdict.raw and verdict.cause in causes:
                found.setdefault(verdict.cause, verdict.raw)
        return found

    def _counted(self) -> tuple[str, ...]:
        """The task of the headline's labels, the reading, or the headline; else label and reasons; else the first."""
        if self.label_task is not None:
            return (self.label_task,)
        tasks = self.tasks
        own = next((name for name in (self.provenance.protocol.reading, self.headline) if name in tasks), None)
        if own is not None:
            return (own,)
        return tasks[:2] if self.rubric else tasks[:1]


@cache
def _tasks_of(benchmark: str) -> tuple[str, ...]:
    try:
        return catalogue.load(benchmark).tasks
    except UnknownName:
        return ()


def same_model(one: str, other: str) -> bool:
    """True for equal specs, and for one name at two providers; what is made here is the same as itself alone.

    >>> same_model("openai/gpt-4o", "openrouter/openai/GPT-4o"), same_model("simulated/judge", "recorded/judge")
    (True, False)
    """
    if one == other:
        return True
    ours = any(spec.partition("/")[0] in OURS for spec in (one, other))
    return not ours and _model_name(one) == _model_name(other)


def _model_name(spec: str) -> str:
    name = spec.rsplit("/", 1)[-1].casefold()
    for route in ROUTES:
        name = name.removesuffix(route)
    return name


STATED = JudgeErrors.within(0.75, 1.0)
"""In which range a judge's sensitivity and specificity are taken to lie where nobody says otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgesKnown:
    """What is known of judges' errors: a stated range, and by a cell's folder what people's labels tell."""

    stated: JudgeErrors = STATED
    labelled: Mapping[Path, JudgeErrors] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Findings:
    """All cells of one or several runs, and what is known of those who judged them."""

    runs: tuple[Path, ...]
    cells: tuple[Finding, ...]
    judges: JudgesKnown = field(default_factory=JudgesKnown)

    @property
    def simulated(self) -> bool:
        """True where any figure rests on made-up answers."""
        return any(cell.simulated for cell in self.cells)

    @property
    def changes(self) -> tuple[str, ...]:
        """What was changed in the runs after they wrote it, a line for each folder."""
        return tuple(f"{cell.folder}: {told(cell.changed)}" for cell in self.cells if cell.changed)

    @property
    def models(self) -> tuple[str, ...]:
        """Subjects, in the order of the runs."""
        return tuple(dict.fromkeys(cell.model for cell in self.cells))

    @property
    def labels(self) -> tuple[str, ...]:
        """Subjects by their labels: one that took part in two runs is two."""
        return tuple(dict.fromkeys(cell.label for cell in self.cells))

    @property
    def benchmarks(self) -> tuple[str, ...]:
        """Benchmarks, in the order of the runs."""
        return tuple(dict.fromkeys(cell.benchmark for cell in self.cells))

    def on(self, benchmark: str) -> tuple[Finding, ...]:
        """The cells of one benchmark."""
        return tuple(cell for cell in self.cells if cell.benchmark == benchmark)

    def of(self, label: str) -> tuple[Finding, ...]:
        """The cells of one subject, by its label."""
        return tuple(cell for cell in self.cells if cell.label == label)


def read_findings(runs: Sequence[Path]) -> Findings:
    """All cells of the given run folders.

    Raises:
        InputError: a folder is no run, or one that is not finished.
    """
    if not runs:
        raise InputError("No run was named; expected at least one run's folder.")
    cells = [cell for run in dict.fromkeys(runs) for cell in _cells(run)]
    seen = Counter(model for model, _ in {(cell.model, cell.run) for cell in cells})
    told = (replace(c, label=f"{c.model} in {c.run}") if seen[c.model] > 1 else c for c in cells)
    return Findings(runs=tuple(dict.fromkeys(runs)), cells=tuple(told))


def read_unchanged(runs: Sequence[Path]) -> Findings:
    """All cells of the given run folders, for what is built on their figures.

    Raises:
        InputError: a folder is no run, one that is not finished, or one that was changed after it was written.
    """
    findings = read_findings(runs)
    if findings.changes:
        raise InputError(f"{findings.changes[0]}, so nothing is built on it; put it back.")
    return findings


def _cells(run: Path) -> Iterator[Finding]:
    manifest = read_manifest(run)
    if manifest.get("kind") != "study":
        yield _finding(run, run, manifest)
        return
    for (model, benchmark), folder in stored_cells(run).items():
        if not (folder / ESTIMATES).is_file():
            raise _unfinished(run, f"{model} on {benchmark}")
        yield _finding(run, folder, read_manifest(folder))


def _finding(run: Path, folder: Path, manifest: dict[str, Any]) -> Finding:
    wanted = (ESTIMATES, TRANSCRIPTS, VERDICTS)
    if manifest.get("state") != "finished" or not all((folder / name).is_file() for name in wanted):
        raise _unfinished(run, str(manifest.get("model", "its only cell")))
    with reading(str(folder), "a finished run"):
        return _found(run, folder, manifest)


def _found(run: Path, folder: Path, manifest: dict[str, Any]) -> Finding:
    found = read_estimates(folder)
    where = f"{folder}/{ESTIMATES}"
    return Finding(
        run=run,
        folder=folder,
        model=manifest["model"],
        label=manifest["model"],
        benchmark=manifest["benchmark"],
        headline=found["headline"],
        simulated=bool(manifest["simulated"]),
        estimates=build(tuple[Estimate, ...], found["estimates"], where=where),
        card=_card(manifest["benchmark"]),
        provenance=_provenance(manifest, f"{folder}/manifest.json"),
        changed=changed(folder, manifest),
        sealed=is_sealed(manifest),
    )


def _provenance(manifest: dict[str, Any], where: str) -> Provenance:
    """Only what reports show is read, so that a manifest may say more."""
    known = {f.name for f in fields(Provenance)}
    picked = {name: value for name, value in manifest.items() if name in known}
    return build(Provenance, {**picked, "seed": manifest.get("spec", {}).get("seed", 0)}, where=where)


def _card(name: str) -> Card | None:
    try:
        return catalogue.card(name)
    except UnknownName:
        return None


def _unfinished(run: Path, what: str) -> InputError:
    return InputError(f"{run}: not finished ({what}); expected a finished run. Go on with: mores resume {run}.")
