"""What `make speed` is made of stands: it is not in the suite, and would not be seen to break."""

import pkgutil
from importlib import import_module
from pathlib import Path

import pytest

import benchmarks.speed
from benchmarks.speed.start import modules

MODULES = [found.name for found in pkgutil.walk_packages(benchmarks.speed.__path__, "benchmarks.speed.")]


@pytest.mark.parametrize("name", [name for name in MODULES if ".contenders." not in name and "__main__" not in name])
def test_each_part_of_the_speed_benchmark_can_be_loaded(name: str) -> None:
    assert import_module(name).__doc__


LATE = {
    "scipy.stats", "jinja2", "rich", "aiohttp", "genai_prices", "django",
    "mores.api.runs", "mores.reports", "mores.calibration", "mores.annotation",
}  # fmt: skip
"""What no run needs before its first call: scipy.stats alone takes longer than all else together.

Typer reads the values of flags with pydantic, which is there for that reason.
"""
LATER = LATE | {
    "mores.benchmarks.shapes.option_similarity", "mores.benchmarks.shapes.without_place", "mores.models.logs.formats",
    "mores.cli.run_output",
}  # fmt: skip
"""What no run of questions needs before it."""


@pytest.mark.parametrize(
    ("asked", "late"),
    [((), LATE), (("ladder/know",), LATER), (("ladder/explain", "ladder/converse"), LATER)],
)
def test_a_run_imports_before_its_first_call_what_it_needs_for_it(
    asked: tuple[str, ...], late: set[str], tmp_path: Path
) -> None:
    loaded = set(modules(*asked, "--out", str(tmp_path / "run")))
    assert "mores.models.simulated" in loaded
    assert loaded & late == set()
