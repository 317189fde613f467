"""What a cell's verdicts say of its talks, read once: by scene and pressure, by group and topic, and some in full.

verdicts ─▶ the verdicts of one talk, which stand together ─▶ Scores, and a seeded sample of whole talks.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heappush, heappushpop
from itertools import groupby
from statistics import fmean

from mores.benchmarks.shapes.figures import SEVERAL
from mores.benchmarks.shapes.talks import LEVELS, PRESSURE
from mores.core.seeds import Seed
from mores.core.verdict import Graded, Verdict
from mores.norms.groupings import group_of
from mores.reports.findings import Finding, Findings

DICE = Seed("report").child("talks")
AWARENESS, KNOWLEDGE, VALUE, RESPECTED, CONDUCT = "awareness", "commonsense", "value", "respected", "behaviour"
OF_TALKS = (AWARENESS, KNOWLEDGE, RESPECTED, "rounds")
"""Metrics by which a benchmark of talks is known."""
PRESSED = (AWARENESS, RESPECTED)
BY_LABEL = {level.label: level.name for level in LEVELS.values()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """What one scene got on one task at one pressure: points averaged over samples, and what it is drawn with."""

    points: float
    cluster: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """One graded verdict on a value: where it counts, on which topic, and its points."""

    group: str
    topic: str
    points: float
    cluster: str


Talk = tuple[Verdict, ...]
Scenes = dict[tuple[str, str], dict[str, Unit]]
"""By task and level of pressure (empty where a run has one), what each scene got."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """What was read of one cell; `talks` are the verdicts of a sample of items, by item, in the order of the data."""

    cell: Finding
    scenes: Scenes
    values: tuple[Held, ...]
    talks: dict[str, Talk]

    @property
    def levels(self) -> tuple[str, ...]:
        """The levels of pressure that the run has, weakest first; none where it has one alone."""
        found = {level for _, level in self.scenes}
        return tuple(name for name in LEVELS if name in found)


def talk_cells(findings: Findings) -> tuple[Finding, ...]:
    """The cells of benchmarks of talks."""
    return tuple(cell for cell in findings.cells if all(cell.whole(metric) is not None for metric in OF_TALKS))


def read_scores(cell: Finding, most: int) -> Scores:
    """A cell's talks, and the verdicts of `most` of them; which these are, their items alone decide."""
    gathered, sample = _Gathered(), _Sample(DICE.child(cell.benchmark), most)
    talks = groupby(cell.every_verdict(), key=lambda verdict: (verdict.about.item, verdict.sample))
    for number, ((item, drawn), verdicts) in enumerate(talks):
        talk = tuple(verdicts)
        for verdict in talk:
            gathered.take(verdict)
        if drawn == 0:
            sample.offer(item, number, talk)
    return Scores(cell=cell, scenes=gathered.scenes(), values=tuple(gathered.values), talks=sample.kept())


@dataclass(slots=True)
class _Gathered:
    """Points as they come."""

    points: dict[tuple[str, str], dict[str, list[float]]] = field(default_factory=lambda: defaultdict(dict))
    clusters: dict[str, str] = field(default_factory=dict)
    values: list[Held] = field(default_factory=list)

    def take(self, verdict: Verdict) -> None:
        if not isinstance(verdict, Graded):
            return
        about = verdict.about
        if verdict.task in PRESSED:
            self.clusters[about.unit] = about.cluster
            self.points[verdict.task, _level(verdict)].setdefault(about.unit, []).append(verdict.points)
        if verdict.task == VALUE and about.place is not None:
            group, topic = group_of(about.place, "wvs_group"), about.groups.get("topic")
            if group and topic:
                held = Held(group=group, topic=topic, points=verdict.points, cluster=about.cluster)
                self.values.append(held)

    def scenes(self) -> Scenes:
        return {
            key: {scene: Unit(points=fmean(drawn), cluster=self.clusters[scene]) for scene, drawn in of_scene.items()}
            for key, of_scene in self.points.items()
        }


def _level(verdict: Verdict) -> str:
    """The level of pressure that a verdict was given at; empty where its run has one alone."""
    kinds = verdict.about.groups.get("dimension", "").split(SEVERAL)
    return next((BY_LABEL[kind] for kind in kinds if kind in BY_LABEL), "")


@dataclass(slots=True)
class _Sample:
    """The talks with the smallest lots; the heap's first is the largest of them."""

    dice: Seed
    most: int
    heap: list[tuple[float, int, str, Talk]] = field(default_factory=list)

    def offer(self, item: str, number: int, talk: Talk) -> None:
        put = heappushpop if len(self.heap) >= self.most else heappush
        put(self.heap, (-self.dice.child(item).uniform(), number, item, talk))

    def kept(self) -> dict[str, Talk]:
        return {item: talk for _, _, item, talk in sorted(self.heap, key=lambda entry: entry[1])}


def is_pressure(kind: str) -> bool:
    """Whether a group of the kind `dimension` is a level of pressure."""
    return kind.startswith(f"{PRESSURE} ")


def by_benchmark(cells: Sequence[Finding]) -> Iterator[tuple[str, tuple[Finding, ...]]]:
    """The cells of each benchmark, in their order."""
    for name in dict.fromkeys(cell.benchmark for cell in cells):
        yield name, tuple(cell for cell in cells if cell.benchmark == name)
