"""The statistics of a report at full size: 20 models, 5,378 questions of three norms, 53 places, 8 domains."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from mores.analysis.results import Result
from mores.benchmarks.cultureforest.analysis import CultureForest, cultureforest
from mores.benchmarks.cultureforest.benchmark import FORM_ERRORS, REFUSED
from mores.benchmarks.shapes.norm_scores import COUNTED, NORM_SCORE, SHARES, utilities
from mores.core.arrays import Codes, Floats
from mores.core.codec import encode
from mores.core.estimate import SHARED, Estimate, MetricRows, RowKeys, Scores
from mores.core.transcript import ItemMetadata
from mores.core.verdict_table import VerdictTable
from mores.norms.places import places
from mores.stats.norm_scores import norm_weights
from tests.reports.regime_cells import evaluation, results, section

QUESTIONS = 900
GAP = tuple(
    Estimate(metric=name, value=0.3, asked=9, graded=9, p=0.001 if name == "region_gap" else None)
    for name in ("region_gap", "region_std", "region_gap_null")
)


class Stored:
    """What a result would have left on disk: scores, and what was asked."""

    def __init__(self, scores: Scores, headline: str, asked: Sequence[ItemMetadata]) -> None:
        self.scores, self.headline_rows, self.verdict_table = scores, scores[headline], VerdictTable()
        for about in asked:
            self.verdict_table.item_metadata.add(about)
        self.headline_tasks = scores.tasks

    def transcripts_of(self, plays: object) -> tuple[()]:
        """Nothing was said."""
        return ()


class Planted:
    """Models of different skill over the same questions, whose places differ a little, as scores."""

    def __init__(self, folder: Path, models: int, questions: int, regions: int) -> None:
        self._rng = rng = np.random.default_rng(7)
        self._questions = questions
        self._place = rng.integers(0, regions, questions)
        self._effect = rng.normal(0, 0.06, regions)
        norms = [f"n{n}" for n in range(3 * questions)]
        names = [f"{n:08d}-0000-4000-8000-000000000000" for n in range(questions)]
        codes = [place.id for place in places() if place.parent is None]
        where = [codes[place] for place in self._place.tolist()]
        domains = [f"domain {n}" for n in rng.integers(0, 8, questions)]
        strict = np.where(rng.random(3 * questions) < 0.4, "no", "sometimes").tolist()
        self._questions_asked = [
            ItemMetadata(item=name, unit=name, cluster=SHARED.join(norms[3 * n : 3 * n + 3]), place=where[n],
                         groups={"domain": domains[n]})
            for n, name in enumerate(names)
        ]  # fmt: skip
        self._asked = RowKeys.of(self._questions_asked)
        self._slots = RowKeys.of([
            ItemMetadata(item=names[n // 3], unit=f"{names[n // 3]}/{norm}", part=norm, place=where[n // 3],
                         cluster=SHARED.join(norms[n // 3 * 3 : n // 3 * 3 + 3]),
                         groups={"domain": domains[n // 3], "strictness": strict[n]})
            for n, norm in enumerate(norms)
        ])  # fmt: skip
        self._norms = RowKeys.of([ItemMetadata(item=norm, unit=norm, cluster=norm) for norm in norms])
        self._weight = norm_weights(strict)
        self._evaluations = [each for n in range(models) for each in self._model(folder, f"model-{n:02d}")]

    def found(self) -> CultureForest:
        """All analyses of these models."""
        found = cultureforest(results(*self._evaluations))
        assert found is not None
        return found

    def _model(self, folder: Path, name: str) -> Iterator[Result]:
        known = (self._rng.random(3 * self._questions) < self._rng.uniform(0.4, 0.9)).astype(np.int64)
        skill = self._rng.uniform(0.2, 0.6) + 0.1 * (known.reshape(-1, 3).sum(axis=1) - 1.5)
        scores = {
            "easy": self._answers(skill + 0.4),
            "medium": self._answers(skill),
            "informed medium": self._answers(skill + 0.1),
            "hard": self._held(known),
            "knowledge": {"accuracy": _rows(self._norms, known.astype(np.float64))},
        }
        for mode, rows in scores.items():
            made = evaluation(folder, name, mode, (), GAP)
            yield replace(made, stored=Stored(Scores(rows=rows), made.headline, self._questions_asked))

    def _answers(self, chance: Floats) -> dict[str, MetricRows]:
        right = self._rng.random((self._questions, 3)) < np.clip(chance + self._effect[self._place], 0, 1)[:, None]
        things, sample = np.repeat(np.arange(self._questions), 3), np.tile(np.arange(3), self._questions)
        rows = _rows(self._asked.take(things, sample), right.astype(np.float64).ravel())
        none = np.zeros(len(rows))
        return {"accuracy": rows, FORM_ERRORS: replace(rows, value=none, extra={REFUSED: none})}

    def _held(self, known: Codes) -> dict[str, MetricRows]:
        kept = np.clip(0.6 + np.repeat(self._effect[self._place], 3) + 0.1 * known, 0.05, 1) * 6
        given = self._rng.gamma(
            np.stack([kept, np.full_like(kept, 3), np.full_like(kept, 0.1)], -1), size=(3, kept.size, 3)
        )
        given = (given / given.sum(-1, keepdims=True)).reshape(-1, 3)
        things, sample = np.tile(np.arange(kept.size), 3), np.repeat(np.arange(3), kept.size)
        keys, weight = self._slots.take(things, sample), self._weight[things]
        score = replace(_rows(keys, weight * utilities(given)), weight=weight, facts={COUNTED: 0.0})
        return {NORM_SCORE: score, **{metric: _rows(keys, given[:, n]) for n, metric in enumerate(SHARES)}}


def _rows(keys: RowKeys, value: Floats) -> MetricRows:
    return MetricRows(keys=keys, value=value, least=value, most=value)


@pytest.mark.soak
def test_twenty_models_over_all_questions_are_a_report_of_a_few_megabytes(tmp_path: Path) -> None:
    found = Planted(tmp_path, 20, 5_378, 53).found()
    assert len(found.agreements) == 4
    assert len(encode(section(found).data)) < 5_000_000


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> CultureForest:
    """What is found of four models over fewer questions."""
    return Planted(tmp_path_factory.mktemp("planted"), 4, QUESTIONS, 45).found()


def test_every_analysis_is_there_for_many_places(found: CultureForest) -> None:
    assert len(found.levels.drops) == len(found.levels.gained) == 4
    assert [len(a.rows) for a in found.agreements] == [1, 9, 9, 9]
    assert all(a.whole.consensus.low is not None for a in found.agreements)
    assert len(found.using.partings) == 2 * 6


def test_what_is_planted_is_found(found: CultureForest) -> None:
    for use in found.using.of("medium"):
        shares = [rung.right.value for rung in use.rungs]
        assert shares == sorted(shares, key=lambda share: share or 0)  # a tenth more for each norm possessed
    for gain in found.levels.gains:
        assert gain.change is not None
        assert gain.change.low is not None
        assert gain.change.high is not None
        assert gain.change.low < 0.1 < gain.change.high
    assert found.steadiness[0].slots == 3 * QUESTIONS
