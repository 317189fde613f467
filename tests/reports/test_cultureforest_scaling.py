"""CultureForest's figures by the size of models: planted slopes, models of unknown size, and too few families."""

from collections.abc import Sequence
from math import log2
from pathlib import Path

import pytest

from mores.benchmarks.cultureforest.analysis import CultureForest, cultureforest
from mores.benchmarks.cultureforest.scaling import Scaling
from mores.runs.loading import read_results
from mores.runs.spec import Spec
from mores.tables import formatting as words
from mores.tables.missing_texts import format_missing
from tests.benchmarks.test_cultureforest import forest, norm_row, question_row
from tests.reports.regime_cells import section
from tests.reports.shown import data, printed
from tests.runs.conduct import hold

SIZES = (1, 2, 4, 8, 16, 32)
QUESTIONS = 120


def know(size: float) -> float:
    """The larger, the more is known: a tenth more for each doubling."""
    return 0.4 + 0.1 * log2(size)


def models(sizes: Sequence[int]) -> tuple[str, ...]:
    return tuple(
        f"simulated/typical:by_norms=1,know={know(size):.1f},apply_known=1,format_error=0,person={size}"
        for size in sizes
    )  # fmt: skip


def run(folder: Path, sizes: Sequence[int], *, unsized: int = 0) -> Path:
    """Models of these sizes on medium and on what they know; of the last so many no size is said."""
    names = [(f"q{q}", [f"{q}.{n}" for n in (1, 2, 3)]) for q in range(QUESTIONS)]
    home = forest(folder / "data", {"Japan": [question_row(uuid, norms) for uuid, norms in names]},
                  [norm_row(norm) for _, norms in names for norm in norms])  # fmt: skip
    said = {f"{model}:parameters": str(size) for model, size in zip(models(sizes), sizes, strict=True)}
    hold(folder / "run", Spec(
        benchmarks=("cultureforest/medium", "cultureforest/knowledge"), models=models(sizes), data=str(home), samples=1,
        facts=dict([*said.items()][: len(sizes) - unsized]),
    ))  # fmt: skip
    return folder / "run"


def found_in(run: Path) -> CultureForest:
    found = cultureforest(read_results([run]))
    assert found is not None
    return found


@pytest.fixture(scope="module")
def six(tmp_path_factory: pytest.TempPathFactory) -> CultureForest:
    return found_in(run(tmp_path_factory.mktemp("six"), SIZES))


def scaling(found: CultureForest) -> Scaling:
    assert found.scaling is not None
    return found.scaling


def test_models_stand_from_the_smallest_to_the_largest(six: CultureForest) -> None:
    assert [each.parameters for each in scaling(six).models] == list(SIZES)


def test_the_slope_of_what_is_possessed_is_the_planted_one(six: CultureForest) -> None:
    slopes = {(each.figure.name, each.figure.mode): each for each in scaling(six).slopes}
    found = slopes["possessed", "knowledge"]
    # Of what is not known a quarter is possessed by luck, so that a tenth more known is 3/40 more possessed.
    assert found.found.low is not None
    assert found.found.high is not None
    assert found.found.low <= 0.075 <= found.found.high
    assert found.p_holm is not None
    assert found.p_holm < 0.05
    assert found.family == len([each for each in scaling(six).slopes if each.found.p is not None])


def test_the_section_has_the_table_and_says_what_goes_with_size(six: CultureForest) -> None:
    made = section(six)
    assert any("“norms possessed” is larger" in words.text_of(each.words) for each in made.findings)
    assert any("32" in line and "know=0.9" in line for line in printed(made))
    told = data(made)
    assert [*dict.fromkeys(row["parameters"] for row in told["forest_sizes"])] == list(SIZES)
    assert {row["figure"] for row in told["forest_size_slopes"]} == {"score", "possessed", "used"}


def test_a_model_of_unknown_size_is_named_and_left_out(tmp_path: Path) -> None:
    found = scaling(found_in(run(tmp_path, (1, 4, 16), unsized=1)))
    assert [each.parameters for each in found.models] == [1, 4]
    assert len(found.unknown) == 1
    for each in found.slopes:
        assert each.found.value is None
        assert "too few families" in format_missing(each.found.missing)


def test_without_two_models_of_known_size_nothing_is_said_of_size(tmp_path: Path) -> None:
    assert found_in(run(tmp_path, (1, 4), unsized=1)).scaling is None
