"""Reading what runs found."""

import json
import shutil
from pathlib import Path

import pytest

from mores.core.errors import InputError
from mores.core.verdict import Graded
from mores.reports.findings import Findings, read_findings
from tests.reports.conftest import Held


def test_every_cell_of_a_study_is_found(found: Findings) -> None:
    assert found.benchmarks == ("ladder/know", "ladder/judge")
    assert found.models == ("simulated/typical", "simulated/uneven:refusal=.05,failure=.03")
    assert len(found.cells) == 4
    assert found.simulated


def test_a_run_of_one_cell_is_read_too(held: Held) -> None:
    found = read_findings([held("ladder/judge", models=("baseline/random",), limit=9)])
    assert [cell.model for cell in found.cells] == ["baseline/random"]
    assert not found.simulated


def test_a_folder_that_is_no_run_is_refused_in_one_line(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(InputError, match="no run") as refused:
            read_findings([folder])
        assert "\n" not in str(refused.value)


def test_an_unfinished_run_is_refused_and_told_how_to_go_on(held: Held, tmp_path: Path) -> None:
    run = tmp_path / "cut-short"
    shutil.copytree(held("ladder/judge", limit=9), run)
    manifest = json.loads((run / "manifest.json").read_text(encoding="utf-8"))
    (run / "manifest.json").write_text(json.dumps({**manifest, "state": "unfinished"}), encoding="utf-8")
    with pytest.raises(InputError, match="mores resume"):
        read_findings([run])


def test_a_study_that_lacks_a_cell_is_refused(ladder: Path, tmp_path: Path) -> None:
    run = tmp_path / "study"
    shutil.copytree(ladder, run)
    next(run.glob("*/estimates.json")).unlink()
    with pytest.raises(InputError, match="not finished"):
        read_findings([run])


def test_no_run_at_all_is_refused() -> None:
    with pytest.raises(InputError, match="at least one"):
        read_findings([])


def test_one_model_in_two_runs_is_told_apart(held: Held, ladder: Path) -> None:
    other = held("ladder/judge", models=("simulated/typical",), limit=9)
    labels = read_findings([ladder, other]).labels
    assert len(labels) == 3
    assert f"simulated/typical in {other}" in labels


def test_the_headline_rests_on_the_runs_own_way_of_reading(held: Held) -> None:
    for reading in ("strict", "lenient"):
        cell = read_findings([held("ladder/judge", limit=9, reading=reading)]).cells[0]
        assert {v.task for v in cell.verdicts()} == {reading}


def test_causes_count_each_ungraded_answer_once(found: Findings) -> None:
    for cell in found.cells:
        verdicts = list(cell.verdicts())
        assert sum(cell.causes().values()) == sum(not isinstance(v, Graded) for v in verdicts)
        assert len({(v.about.item, v.sample) for v in verdicts}) == len(verdicts)
