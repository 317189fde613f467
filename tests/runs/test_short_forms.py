"""A part of a benchmark beside whole runs: which questions it has, and the figure of all."""

import csv
from pathlib import Path

import pytest
from msgspec.structs import replace

from mores.analysis.items import item_tables
from mores.analysis.short_forms import parts_of_all, short_form_of
from mores.core.errors import InputError
from mores.runs.loading import read_results
from mores.runs.spec import Spec
from tests.runs.conduct import Typed, hold, transcripts

WHOLE = Spec(benchmarks=("ladder/know",), models=("simulated/typical",))
PART = 120


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two models on all of a benchmark."""
    folder = tmp_path_factory.mktemp("whole")
    assert hold(folder / "a", WHOLE)
    assert hold(folder / "b", replace(WHOLE, models=("simulated/novice",)))
    return folder / "a", folder / "b"


def test_a_short_form_is_the_same_each_time_and_spread_over_places(whole: tuple[Path, Path]) -> None:
    (table,) = item_tables(read_results(whole))
    rows = short_form_of(table, PART)
    assert rows == short_form_of(table, PART)
    assert abs(len(rows) - PART) <= 2
    assert len({row.place for row in rows}) > 30
    with pytest.raises(InputError, match="--short-form 9999: expected 1 to"):
        short_form_of(table, 9999)


def test_the_figure_of_all_stands_beside_that_of_the_part(
    whole: tuple[Path, Path], tmp_path: Path, typed: Typed
) -> None:
    done = typed("items", *whole, "--short-form", PART, "--out", "short.csv")
    assert done.returncode == 0, done.stderr
    with (tmp_path / "short.csv").open(encoding="utf-8-sig") as lines:
        chosen = {row["item"] for row in csv.DictReader(lines)}
    assert (
        typed("run", "ladder/know", "-m", "simulated/uneven", "--items", "short.csv", "--out", "part").returncode == 0
    )
    assert {each["item"] for each in transcripts(tmp_path / "part")} >= chosen
    (found,) = parts_of_all(read_results([*whole, tmp_path / "part"]))
    assert (found.part < found.whole, found.models) == (True, 2)
    assert found.figure.low is not None
    assert found.figure.value is not None
    assert found.figure.low < found.figure.value < (found.figure.high or 0.0)
    assert hold(tmp_path / "all", replace(WHOLE, models=("simulated/uneven",)))
    (real,) = [each.overall() for each in read_results([tmp_path / "all"]).evaluations]
    assert real is not None
    assert real.value is not None
    assert found.figure.low <= real.value <= (found.figure.high or 0.0)
    said = typed("report", *whole, "part", "--out", "page.html").stdout
    assert "uneven would get" in " ".join(said.split())


def test_a_limit_is_a_part_too_and_a_list_of_ones_own_is_none(whole: tuple[Path, Path], tmp_path: Path) -> None:
    uneven = replace(WHOLE, models=("simulated/uneven",))
    assert hold(tmp_path / "drawn", replace(uneven, limit=PART))
    names = tuple(dict.fromkeys(each["item"] for each in transcripts(tmp_path / "drawn")))[:60]
    assert hold(tmp_path / "listed", replace(uneven, items=names))
    assert len(parts_of_all(read_results([*whole, tmp_path / "drawn"]))) == 1
    assert not parts_of_all(read_results([*whole, tmp_path / "listed"]))
    assert not parts_of_all(read_results([tmp_path / "drawn"]))


def test_a_short_form_wants_a_file_and_one_benchmark(whole: tuple[Path, Path], typed: Typed) -> None:
    done = typed("items", *whole, "--short-form", "20")
    assert done.returncode == 2
    assert "--short-form 20: no --out" in done.stderr
