"""Two editions of one pack of norms: nothing pairs them, and whoever lays them side by side is told so."""

from pathlib import Path

import pytest

import mores
from mores.analysis.comparison import compare_runs
from mores.benchmarks.ladder.analysis import analyse
from mores.core.errors import InputError
from mores.runs.loading import read_results
from tests.benchmarks.plays import TINY

HEADER = 'id = "mine"\nname = "Mine"\nversion = "{version}"\n'
DIFFERENT = "The figures are of different packs of norms, and do not compare."


def played(folder: Path, version: str, model: str = "typical", changed: str = "Many people") -> Path:
    """A run of two rungs on an edition of the tiny pack."""
    pack = folder / f"pack {version} {changed}"
    pack.mkdir()
    for path in (TINY / "ladder").glob("*.toml"):
        text = path.read_text(encoding="utf-8").replace("Many people", changed)
        (pack / path.name).write_text(text, encoding="utf-8")
    (pack / "pack.toml").write_text(HEADER.format(version=version), encoding="utf-8")
    run = folder / f"{version} {model} {changed}"
    mores.run(["ladder/know", "ladder/judge"], model=f"simulated/{model}", data=pack, out=run)
    return run


def findings(*runs: Path) -> list[str]:
    found = analyse(read_results(runs))
    assert found is not None
    return [f"{finding.words} {finding.sure}" for finding in found.findings]


def test_two_editions_are_never_paired(tmp_path: Path) -> None:
    one, other = played(tmp_path, "1-A"), played(tmp_path, "2-A", "expert")
    for allowed in (False, True):
        with pytest.raises(InputError, match="two editions of one pack of norms, pack mine 1-A and pack mine 2-A"):
            compare_runs(read_results([one]), read_results([other]), allow_other_data=allowed)


def test_a_change_of_the_letter_alone_is_other_data_that_may_be_paired(tmp_path: Path) -> None:
    one, other = played(tmp_path, "1-A"), played(tmp_path, "1-B", "expert", changed="Most people")
    with pytest.raises(InputError, match="--allow-other-data"):
        compare_runs(read_results([one]), read_results([other]), allow_other_data=False)
    assert compare_runs(read_results([one]), read_results([other]), allow_other_data=True).compared


def test_a_report_on_two_editions_says_that_they_do_not_compare(tmp_path: Path) -> None:
    one, other = played(tmp_path, "1-A"), played(tmp_path, "2-A", "expert", changed="Most people")
    (told,) = (line for line in findings(one, other) if line.startswith(DIFFERENT))
    assert "pack mine 1-A: simulated/typical; pack mine 2-A: simulated/expert." in told
    assert not any(line.startswith(DIFFERENT) for line in findings(one))


def test_a_run_on_a_pack_of_ones_own_says_its_edition(tmp_path: Path) -> None:
    results = read_results([played(tmp_path, "1-A")])
    for each in results.evaluations:
        assert "3 norms of the pack mine, version 1-A." in each.provenance.remarks
