"""Planted truth of CultureForest: simulated models that answer from norms, and what the analyses find of it."""

import pytest

from mores.benchmarks.cultureforest.analysis import CultureForest, cultureforest
from mores.benchmarks.cultureforest.knowledge import KnowledgeUse
from mores.core.estimate import Estimate
from mores.runs.loading import read_results
from mores.runs.spec import Spec
from tests.benchmarks.test_cultureforest import forest, norm_row, question_row
from tests.runs.conduct import hold

BUNDLES, KNOW, USE = 240, 0.8, 0.9
GUESS = 1 / 16
"""Four options judged rightly by luck."""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> CultureForest:
    """Two people who answer from norms and two who do not: medium, untold and told, and what they know."""
    folder = tmp_path_factory.mktemp("planted")
    names = [(f"q{q}", [f"{q}.{n}" for n in (1, 2, 3)]) for q in range(BUNDLES)]
    data = forest(folder / "data", {"Japan": [question_row(uuid, norms) for uuid, norms in names]},
                  [norm_row(norm) for _, norms in names for norm in norms])  # fmt: skip
    models = tuple(
        f"simulated/typical:by_norms={by},know={KNOW},apply_known={USE},format_error=0,person={n}"
        for by in (1, 0) for n in (3, 4)
    )  # fmt: skip
    asked = tuple(f"cultureforest/{name}" for name in ("medium", "informed", "knowledge"))
    hold(folder / "run", Spec(benchmarks=asked, models=models, data=str(data), samples=1))
    made = cultureforest(read_results([folder / "run"]))
    assert made is not None
    return made


def uses(found: CultureForest, by_norms: int) -> list[KnowledgeUse]:
    kept = [use for use in found.using.of("medium") if f"by_norms={by_norms}" in use.name]
    assert len(kept) == 2
    return kept


def holds(estimate: Estimate, truth: float) -> bool:
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.low <= truth <= estimate.high


def test_who_answers_from_norms_is_right_with_all_of_them_as_often_as_planted(found: CultureForest) -> None:
    # A norm that is not known is possessed by luck a quarter of the time, so that some of the possessed are not known.
    known = (KNOW / (KNOW + (1 - KNOW) / 4)) ** 3
    right = known * (USE + (1 - USE) * GUESS) + (1 - known) * GUESS
    for use in uses(found, 1):
        assert holds(use.rungs[-1].right, right)
        assert holds(use.unknown.right, GUESS)
        assert use.gained.found
        assert use.gained.difference == pytest.approx(right - GUESS, abs=0.12)


def test_who_knows_questions_as_one_gains_nothing_from_their_norms(found: CultureForest) -> None:
    for use in uses(found, 0):
        assert not use.gained.found
        assert use.gained.low is not None
        assert use.gained.high is not None
        assert use.gained.low < 0 < use.gained.high
        assert holds(use.rungs[-1].right, 0.7 + 0.3 * GUESS)


def test_knowledge_is_what_was_planted_however_questions_are_answered(found: CultureForest) -> None:
    possessed = KNOW + (1 - KNOW) / 4
    for use in (*uses(found, 0), *uses(found, 1)):
        assert holds(use.coverage, possessed)
        assert holds(use.complete, possessed**3)


def test_who_is_told_the_norms_is_held_up_by_their_use_alone(found: CultureForest) -> None:
    gains = [gain for gain in found.levels.gains if "by_norms=1" in gain.name]
    assert len(gains) == 2
    for gain in gains:
        assert gain.change is not None
        assert gain.change.b == pytest.approx(USE + (1 - USE) * GUESS, abs=0.06)
        assert gain.change.a == pytest.approx(KNOW**3 * USE + (1 - KNOW**3 * USE) * GUESS, abs=0.08)
