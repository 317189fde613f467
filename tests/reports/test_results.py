"""Reading what runs found."""

import json
import shutil
from pathlib import Path

import pytest

from mores.analysis.results import Results
from mores.core.codec import encode
from mores.core.errors import InputError
from mores.core.verdict import Graded
from mores.runs.loading import read_results, read_what_is_there
from tests.reports.conftest import Held


def test_every_evaluation_of_a_study_is_found(found: Results) -> None:
    assert found.benchmarks == ("ladder/know", "ladder/judge")
    assert found.models == ("simulated/typical", "simulated/uneven:refusal=.05,failure=.03")
    assert len(found.evaluations) == 4
    assert found.simulated


def test_a_run_of_one_evaluation_is_read_too(held: Held) -> None:
    found = read_results([held("ladder/judge", models=("baseline/random",), limit=9)])
    assert [evaluation.model for evaluation in found.evaluations] == ["baseline/random"]
    assert not found.simulated


def test_a_folder_that_is_no_run_is_refused_in_one_line(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(InputError, match="no run") as refused:
            read_results([folder])
        assert "\n" not in str(refused.value)


def test_an_unfinished_run_is_refused_and_told_how_to_go_on(held: Held, tmp_path: Path) -> None:
    run = tmp_path / "cut-short"
    shutil.copytree(held("ladder/judge", limit=9), run)
    manifest = json.loads((run / "manifest.json").read_text(encoding="utf-8"))
    (run / "manifest.json").write_text(json.dumps({**manifest, "state": "unfinished"}), encoding="utf-8")
    with pytest.raises(InputError, match="mores resume"):
        read_results([run])


def test_a_study_that_lacks_a_evaluation_is_refused(ladder: Path, tmp_path: Path) -> None:
    run = tmp_path / "study"
    shutil.copytree(ladder, run)
    next(run.glob("*/estimates.json")).unlink()
    with pytest.raises(InputError, match="not finished"):
        read_results([run])


def test_no_run_at_all_is_refused() -> None:
    with pytest.raises(InputError, match="at least one"):
        read_results([])


def test_one_model_in_two_runs_is_told_apart(held: Held, ladder: Path) -> None:
    other = held("ladder/judge", models=("simulated/typical",), limit=9)
    labels = read_results([ladder, other]).labels
    assert len(labels) == 3
    assert f"simulated/typical in {other}" in labels


def test_the_headline_rests_on_the_runs_own_way_of_reading(held: Held) -> None:
    for reading in ("strict", "lenient"):
        evaluation = read_results([held("ladder/judge", limit=9, reading=reading)]).evaluations[0]
        assert {v.task for v in evaluation.verdicts()} == {reading}


def test_causes_count_each_ungraded_answer_once(found: Results) -> None:
    for evaluation in found.evaluations:
        verdicts = list(evaluation.verdicts())
        assert sum(evaluation.causes().values()) == sum(not isinstance(v, Graded) for v in verdicts)
        assert len({(v.about.item, v.sample) for v in verdicts}) == len(verdicts)


def test_a_run_that_was_cut_short_gives_what_is_there_and_says_that_it_is_partial(ladder: Path, tmp_path: Path) -> None:
    whole, run = read_results([ladder]), tmp_path / "study"
    shutil.copytree(ladder, run)
    cut, gone = sorted(run.glob("*/estimates.json"))[:2]
    cut.unlink()
    shutil.rmtree(gone.parent)
    found = read_what_is_there([run])
    assert found.partial
    assert not whole.partial
    assert [each.folder.name for each in found.evaluations if each.partial] == [cut.parent.name]
    assert len(found.missing) == 1
    assert len(found.evaluations) + len(found.missing) == len(whole.evaluations)
    (partial,) = (each for each in found.evaluations if each.partial)
    assert partial.estimates == ()
    assert list(partial.stored.calls())


def test_verdicts_transcripts_and_calls_of_a_result_are_those_of_its_files(found: Results) -> None:
    for each in found.evaluations:
        lines = (each.folder / "transcripts.jsonl").read_bytes().splitlines()
        assert [encode(transcript) for transcript in each.transcripts()] == lines
        table = each.verdict_table
        assert table is each.verdict_table
        verdicts = list(each.every_verdict())
        assert sum(len(table.frame(task).item) for task in {v.task for v in verdicts}) == len(verdicts)
        assert {call.tag.item for call in each.stored.calls()} <= {v.about.item for v in verdicts}
