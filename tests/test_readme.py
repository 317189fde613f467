"""The README shows what its first command prints and the first screen of a report.

Where these change, `python -m tests.test_readme` writes them anew; the picture needs a browser.
"""

import re
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pytest

from tests.golden.play import typed
from tests.reports.browser import browser
from tests.runs.conduct import manifest

PICTURE = Path(__file__).parent.parent / "docs" / "first-screen.png"
LARGEST = 300_000
README = Path(__file__).parent.parent / "README.md"
BLOCK = re.compile(r"(prints this and writes a page:\n\n```\n)(.*?)(```\n)", re.DOTALL)
PASSING = re.compile(r"[\d.]+ (?:s|min) · \d{4}-\d\d-\d\d")
"""What differs from run to run: how long it took, and the day."""


def printed(folder: Path) -> str:
    """What `mores run` prints at a terminal of 80 columns, with some time and some day."""
    done = typed("run", folder, columns=80)
    assert done.code == 0, done.err
    return PASSING.sub("2.1 s · 2026-11-22", done.out)


class First(NamedTuple):
    """The folder in which the first command was typed, and what it printed."""

    folder: Path
    printed: str


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> First:
    folder = tmp_path_factory.mktemp("first")
    return First(folder, printed(folder))


def test_the_readme_shows_what_the_first_command_prints(first: First) -> None:
    shown = BLOCK.search(README.read_text(encoding="utf-8"))
    assert shown is not None
    assert shown[2] == first.printed, "python -m tests.test_readme writes it anew"


def test_alone_the_command_runs_the_ladder_on_the_bundled_pack(first: First) -> None:
    (run,) = (first.folder / "runs").iterdir()
    assert all((run / evaluation["folder"] / "estimates.json").is_file() for evaluation in manifest(run)["cells"])
    assert "simulated" in first.printed.casefold()


def test_the_readme_is_one_page() -> None:
    assert len(README.read_text(encoding="utf-8").splitlines()) <= 120


def test_the_picture_of_a_report_is_there_and_small() -> None:
    assert f"](docs/{PICTURE.name})" in README.read_text(encoding="utf-8")
    assert 0 < PICTURE.stat().st_size < LARGEST


def _redraw(folder: Path) -> None:
    """Take the picture of two simulated models' report."""
    done = typed("run -m simulated/typical -m simulated/novice --out both", folder)
    assert done.code == 0, done.err
    command = [browser() or "chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
               "--disable-background-networking", "--window-size=1100,1000", f"--screenshot={PICTURE}",
               (folder / "both" / "report.html").as_uri()]  # fmt: skip
    subprocess.run(command, check=True, capture_output=True)


def _rewrite() -> None:
    text = README.read_text(encoding="utf-8")
    with TemporaryDirectory() as folder:
        README.write_text(BLOCK.sub(lambda m: f"{m[1]}{printed(Path(folder))}{m[3]}", text), encoding="utf-8")
        _redraw(Path(folder))


if __name__ == "__main__":
    _rewrite()
