"""What the statistics of judges cost: calibrations, likeness of rationales, resampled clusters, corrected means.

`python -m benchmarks.speed.statistics [--rouge PYTHON]`, where PYTHON has the rouge-score package in an environment of
its own (`python -m venv DIR && DIR/bin/pip install rouge-score`); both then compare the same pairs in one run. Data are
made up. Times are of the wall, the least of three; memory is what is allocated at the peak.
"""

import argparse
import json
import os
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import NamedTuple

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from mores.core.seeds import Seed
from mores.stats.conformal.calibration import CalibrationPlan, calibrate
from mores.stats.conformal.draws import similarities
from mores.stats.intervals import mean_interval
from mores.stats.labelled_units import JudgedUnits, LabelledUnits
from mores.stats.prediction_powered import prediction_powered
from mores.validity.certificates import PopulationSpec, population

SEED = Seed("speed")
ITEMS, DRAWS, SHARED = 400, 20, 20
"""Items with so many draws each, and how many of the items rouge-score compares too."""
CALIBRATIONS, LEVELS = 600, 8
RISKS = (0.05, 0.11, 0.17, 0.23, 0.29, 0.35)
PLAN = CalibrationPlan(mode="pareto", levels=LEVELS)
SENTENCE = (
    "the guest brings a small gift and takes off both shoes before entering because people there expect it while an "
    "elder would be greeted first with a bow or words of respect so this act keeps what many hold to be polite"
)
ROUGE = """
import json, sys, time
from rouge_score import rouge_scorer
scorer = rouge_scorer.RougeScorer(["rougeL"], use_stemmer=False)
items = json.load(sys.stdin)
began = time.perf_counter()
found = [scorer.score(a, b)["rougeL"].fmeasure for item in items for n, a in enumerate(item) for b in item[:n]]
print(json.dumps([time.perf_counter() - began, found]))
"""


class Row(NamedTuple):
    """What was measured, what came, and what is allowed."""

    what: str
    measured: str
    allowed: str


def least(task: Callable[[], object], times: int = 3) -> float:
    """Seconds of the quickest of some tries."""
    found = []
    for _ in range(times):
        began = time.perf_counter()
        task()
        found.append(time.perf_counter() - began)
    return min(found)


def peak(task: Callable[[], object]) -> float:
    """Megabytes allocated at the peak, beyond those there were."""
    tracemalloc.start()
    task()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most / 1e6


def rationales(items: int, draws: int) -> list[list[str]]:
    """Rationales of 25 to 60 words that share most of their words within an item."""
    rng, words = np.random.default_rng(1), SENTENCE.split()
    found = []
    for _ in range(items):
        base = rng.choice(words, 60)
        lengths = rng.integers(25, 61, draws)
        texts = [np.where(rng.random(n) < 0.7, base[:n], rng.choice(words, n)) for n in lengths]
        found.append([" ".join(text) for text in texts])
    return found


def samples(numbers: Sequence[int]) -> int:
    """Calibrates on so many samples of 200 items with 20 draws each; gives how many answers came."""
    everyone = population(PopulationSpec(items=400, each=DRAWS))
    answers = 0
    for number in numbers:
        sample = everyone.sample(200, np.random.default_rng(number))
        answers += len(calibrate(sample, RISKS, PLAN, seed=SEED.child(number)))
    return answers


def calibrations() -> Row:
    """600 calibrations over both cores, each with all six levels and a grid of ten values of each threshold."""
    cores = min(2, os.cpu_count() or 1)
    with ProcessPoolExecutor(cores, mp_context=get_context("spawn")) as pool:
        list(pool.map(samples, [[0]] * cores))  # processes and populations are there
        began = time.perf_counter()
        parts = [range(start, CALIBRATIONS, 4 * cores) for start in range(4 * cores)]
        done = sum(pool.map(samples, parts))
        seconds = time.perf_counter() - began
    assert done == CALIBRATIONS * len(RISKS)
    return Row(
        f"{CALIBRATIONS} calibrations, 10³ settings, 200 items of {DRAWS} draws, {cores} cores",
        f"{seconds:.1f} s",
        "30 s",
    )


def pairs_alike(rouge: str | None) -> list[Row]:
    """All pairs of draws of each item, and the same pairs by the reference package."""
    texts = rationales(ITEMS, DRAWS)
    pairs = ITEMS * DRAWS * (DRAWS - 1) // 2
    seconds = least(lambda: similarities(texts, None, decision_aware=False))
    rows = [Row(f"ROUGE-L of {pairs:,} pairs, {DRAWS} draws of {ITEMS} items", f"{seconds:.2f} s", "2 s")]
    if rouge is None:
        return [*rows, Row("the same by rouge-score", "not asked for: --rouge PYTHON", "20 ×")]
    part = texts[:SHARED]
    ours = least(lambda: similarities(part, None, decision_aware=False))
    found = similarities(part, None, decision_aware=False)
    theirs, expected = _reference(rouge, part)
    mine = [found[k, n, m] for k in range(SHARED) for n in range(DRAWS) for m in range(n)]
    assert np.allclose(mine, expected, atol=1e-12)
    stemmed = f"{len(expected):,} of these pairs, by rouge-score {theirs:.2f} s, by mores {ours:.3f} s"
    return [*rows, Row(stemmed, f"{theirs / ours:.0f} ×", "at least 20 ×")]


def _reference(python: str, texts: list[list[str]]) -> tuple[float, list[float]]:
    run = subprocess.run([python, "-c", ROUGE], input=json.dumps(texts), capture_output=True, text=True, check=True)
    seconds, found = json.loads(run.stdout)
    return float(seconds), list(found)


def bootstrap() -> list[Row]:
    """The interval of a mean over 5,000 clusters of four, all different."""
    rng = np.random.default_rng(2)
    values, clusters = rng.normal(size=20_000), np.repeat(np.arange(5000), 4)

    def resample() -> object:
        return mean_interval(values, clusters, resamples=10_000, seed=SEED)

    what = "cluster bootstrap of a mean, 10,000 resamples of 5,000 clusters"
    return [
        Row(what, f"{least(resample):.2f} s", "0.6 s"),
        Row("the same: memory", f"{peak(resample):.0f} MB", "150 MB"),
    ]


def corrected() -> list[Row]:
    """PPI++ over a million judged units and 2,000 labelled ones, alone and in episodes and places."""
    rng = np.random.default_rng(3)
    label = (rng.random(1_002_000) < 0.8).astype(np.float64)
    said = np.where(rng.random(label.size) < 0.9, label, 1 - label)
    episode, place = np.arange(label.size) // 5, np.arange(label.size) // 5 % 40

    def correct(*, grouped: bool) -> object:
        of = episode if grouped else None
        return prediction_powered(
            JudgedUnits(
                values=said[2000:],
                clusters="independent" if of is None else of[2000:],
                strata=place[2000:] if grouped else None,
            ),
            LabelledUnits(
                values=said[:2000],
                labels=label[:2000],
                clusters="independent" if of is None else of[:2000],
                strata=place[:2000] if grouped else None,
            ),
        )

    return [
        Row("PPI++ over 1,000,000 judged units", f"{least(lambda: correct(grouped=False)):.2f} s", "1 s"),
        Row("the same in 200,000 episodes of 40 places", f"{least(lambda: correct(grouped=True)):.2f} s", "1 s"),
    ]


def main() -> None:
    """The table on standard output."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rouge", help="a Python that has the rouge-score package")
    asked = parser.parse_args()
    print("| what | measured | at most |\n|---|--:|--:|", flush=True)
    for rows in ([calibrations()], pairs_alike(asked.rouge), bootstrap(), corrected()):
        for row in rows:
            print(f"| {row.what} | {row.measured} | {row.allowed} |", flush=True)
    load = os.getloadavg()[0]
    print(f"\nPython {sys.version.split()[0]}, numpy {np.__version__}, load {load:.1f} on {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
