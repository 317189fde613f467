"""A command ends quickly: what goes with its process is not looked through first."""

import subprocess
import sys
from pathlib import Path

import pytest

import mores

PROGRAM = """
import atexit, gc, sys
atexit.register(lambda: print(gc.get_freeze_count() > len(gc.get_objects())))
sys.argv = ["mores", "list"]
from mores.cli.main import main
main()
"""


def test_what_ends_with_the_process_is_not_looked_through_for_cycles() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "True"


def ended(words: str, where: str, cwd: Path) -> tuple[int, str]:
    """The status of a command whose output goes somewhere, and what it said on standard error."""
    line = f"{sys.executable} -m mores {words} {where}; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False, cwd=cwd)
    return done.returncode, done.stderr


@pytest.mark.parametrize("words", ["run ladder/know --limit 4 --json", "list benchmarks", "list runs"])
def test_output_that_finds_no_room_is_told_of_in_one_line(tmp_path: Path, words: str) -> None:
    status, said = ended(words, "> /dev/full", tmp_path)
    assert status == 1
    assert said.startswith("mores: what is printed cannot be written where it is sent (No space left on device)")
    assert said.count("\n") == 1


def test_a_run_whose_reader_has_enough_ends_in_silence(tmp_path: Path) -> None:
    assert ended("run ladder/know --limit 4 --json", "| true", tmp_path) == (1, "")


def test_a_run_that_nobody_reads_is_done_all_the_same(tmp_path: Path) -> None:
    assert ended("run ladder/know --limit 4 --out run", ">&- 2>&-", tmp_path) == (0, "")
    assert (tmp_path / "run" / "report.html").is_file()


def test_a_run_under_which_the_package_is_replaced_says_so_and_is_gone_on_with(tmp_path: Path) -> None:
    typed = ["mores", "run", "ladder/know", "--limit", "4", "--out", "run"]
    # as if the process had begun before the files were written, and the new ones lacked a module
    lost = "import sys, mores.cli.main as m; m.STARTED = 0.0; sys.modules['mores.cli.run_output'] = None; "
    for before, status in ((lost, 1), ("import sys; ", 0)):
        program = f"{before}sys.argv = {typed}; from mores.cli.main import main; main()"
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=tmp_path
        )
        assert done.returncode == status
        assert done.stderr.startswith("mores: mores was changed on disk while it ran (") == bool(status)
        assert done.stderr.count("\n") == status


@pytest.mark.parametrize(
    ("line", "missing"),
    [
        ("from mores.core.card import Doily", "Doily of mores.core.card"),
        ("from mores import doily", "doily of mores"),
        ("import mores.doily", "mores.doily"),
    ],
)
def test_a_package_that_imports_a_name_that_mores_has_not_is_named_with_it(
    tmp_path: Path, line: str, missing: str
) -> None:
    about = tmp_path / "tea_models-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: tea-models\nVersion: 1\n")
    (about / "entry_points.txt").write_text("[mores.models]\ntea = tea_models:PROVIDER\n")
    (tmp_path / "tea_models.py").write_text(f"{line}\n")
    typed = ["mores", "run", "ladder/know", "--limit", "4", "--model", "tea/green"]
    program = f"import sys; sys.path.insert(0, '.'); sys.argv = {typed}; from mores.cli.main import main; main()"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=tmp_path)
    expected = (
        f"mores: error in the package tea-models: no {missing} in mores {mores.__version__} (tea_models, line 1). "
    )
    assert done.returncode == 1
    assert done.stderr == f"{expected}Please report it to the authors of tea-models.\n"
