"""A finished run that lies where nothing can be written is finished all the same."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.runs.conduct import mores

_IN = "mount -t tmpfs none {0} && cp -a {1} {0}/run && mount -o remount,ro {0} && exec {2} -m mores resume {0}/run"


def can_mount() -> bool:
    """True where a test may have a disk of its own."""
    found = shutil.which("unshare")
    words = [found or "", "-rm", "mount", "-t", "tmpfs", "none", "/mnt"]
    return found is not None and subprocess.run(words, capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(not can_mount(), reason="no disk of one's own can be mounted here (unshare -rm)")
def test_a_finished_run_on_a_read_only_disk_is_said_to_be_finished(tmp_path: Path, cultural: Path) -> None:
    run, disk = tmp_path / "run", tmp_path / "disk"
    disk.mkdir()
    assert mores("run", "culturalbench/easy", "--data", cultural, "--out", run, cwd=tmp_path).returncode == 0
    script = _IN.format(disk, run, sys.executable)
    done = subprocess.run(["unshare", "-rm", "sh", "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "culturalbench/easy" in done.stdout
    assert "Unfinished" not in done.stderr
