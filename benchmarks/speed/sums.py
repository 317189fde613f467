"""What our own sums and starts cost beside a yardstick: `python -m benchmarks.speed --only sums`.

The yardstick is a fixed piece of work for numpy and for Python, done just before each of them. Both are in CPU seconds
with those of child processes, the least of some tries, so that only the ratio is judged: it carries over to another
machine, and a busy one does not change it much.
"""

import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from benchmarks.speed.load import VERDICTS, Loaded
from benchmarks.speed.report import promise
from benchmarks.speed.statistics import DRAWS, ITEMS, PLAN, RISKS, rationales
from mores.core.seeds import Seed
from mores.stats.conformal.calibration import calibrate
from mores.stats.conformal.draws import similarities
from mores.stats.intervals import mean_interval
from mores.stats.labelled_units import JudgedUnits, LabelledUnits
from mores.stats.prediction_powered import prediction_powered
from mores.validity.certificates import PopulationSpec, population
from mores.worlds.town.sampling import sample_population
from mores.worlds.town.streets import build_town
from tests.reports.test_cultureforest_speed import Planted

SEED = Seed("speed")
TRIES = 5


class Sum(NamedTuple):
    """A piece of work, and how many yardsticks it may take."""

    what: str
    work: Callable[[], object]
    allowed: float


class Ratio(NamedTuple):
    """What a piece of work took in yardsticks, and what it may."""

    what: str
    yardsticks: float
    allowed: float

    @property
    def kept(self) -> bool:
        """True where it took no more than it may."""
        return self.yardsticks <= self.allowed

    def told(self) -> str:
        """In a line."""
        words = f"{self.what}: at most {self.allowed:g} × the yardstick"
        return promise(words, f"{self.yardsticks:.2f} ×", kept=self.kept)


def measured() -> list[Ratio]:
    """Everything, in yardsticks."""
    with TemporaryDirectory() as folder:
        return [Ratio(one.what, ratio(one.work), one.allowed) for one in sums(Path(folder))]


def ratio(work: Callable[[], object]) -> float:
    """CPU seconds of some work over those of the yardstick, the least of some tries of each, in turns."""
    pairs = [(cpu(yardstick), cpu(work)) for _ in range(TRIES)]
    return min(mine for _, mine in pairs) / min(unit for unit, _ in pairs)


def cpu(work: Callable[[], object]) -> float:
    """CPU seconds of some work, with those of the processes that it waited for."""
    began = _used()
    work()
    return _used() - began


def _used() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def yardstick() -> None:
    """Two million numbers sorted by numpy, and as many counted by Python."""
    np.sort(np.random.default_rng(0).random(2_000_000))
    sum(number % 7 for number in range(2_000_000))


def sums(folder: Path) -> Iterator[Sum]:
    """What is measured."""
    yield Sum("an empty Python", lambda: _started("pass"), 0.2)
    yield Sum("import mores", lambda: _started("import mores"), 0.2)
    yield Sum("import mores.cli.app, which --help needs", lambda: _started("import mores.cli.app"), 1.2)
    yield from statistics()
    loaded = Loaded(folder)
    yield Sum(f"{VERDICTS:,} verdicts of a run as a pandas frame", loaded.verdicts, 10)
    yield Sum("their scores as a pandas frame", loaded.scores, 12)
    streets, numbers = build_town(SEED.child("streets")), iter(range(100))
    what = "1,000 people of a town with their ties"
    yield Sum(what, lambda: sample_population(1000, SEED.child(next(numbers)), town=streets), 0.1)
    planted = Planted(folder, 4, 2_400, 53)
    yield Sum("CultureForest's analyses of 4 models over 2,400 questions", planted.found, 8)


def statistics() -> Iterator[Sum]:
    """The statistics of judges and of means."""
    texts = rationales(ITEMS, DRAWS)
    what = f"ROUGE-L of all pairs of {DRAWS} draws of {ITEMS} items"
    yield Sum(what, lambda: similarities(texts, None, decision_aware=False), 1)
    sample = population(PopulationSpec(items=400, each=DRAWS)).sample(200, np.random.default_rng(0))
    yield Sum("a calibration on 200 items, 10³ settings", lambda: calibrate(sample, RISKS, PLAN, seed=SEED), 0.15)
    rng = np.random.default_rng(2)
    values, clusters = rng.normal(size=20_000), np.repeat(np.arange(5000), 4)
    what = "10,000 resamples of 5,000 clusters"
    yield Sum(what, lambda: mean_interval(values, clusters, resamples=10_000, seed=SEED), 3)
    said = (rng.random(1_000_000) < 0.8).astype(np.float64)
    labels = LabelledUnits(values=said[:2000], labels=(rng.random(2000) < 0.8).astype(float), clusters="independent")
    alone = JudgedUnits(values=said, clusters="independent")
    yield Sum("PPI++ over 1,000,000 judged units", lambda: prediction_powered(alone, labels), 1)
    grouped = JudgedUnits(values=said, clusters=np.arange(said.size) // 5)
    yield Sum("the same in 200,000 episodes", lambda: prediction_powered(grouped, labels), 3)


def _started(words: str) -> None:
    subprocess.run([sys.executable, "-c", words], check=True)
