"""What brings a library that only some uses need: words that work in a clone, as no index has the package."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from mores.core.errors import InputError
from mores.core.extras import how_to_install, needed

ROOT = Path(__file__).parents[2]
EXTRAS = frozenset(tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"])
WHERE = ("src", "docs", "*.md", "tests", "benchmarks", "scripts", "Makefile")
OF_AN_INDEX = re.compile(r"pip install (?:-\S+ )*['\"]?mores\b")
OF_THE_CLONE = re.compile(r"pip install '\.\[(\w+)\]'")


def told() -> dict[str, str]:
    """Every text file that people read or that speaks to them, but for what changed in the past."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", *WHERE],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    names = [name for name in listed.stdout.split() if not name.startswith(("CHANGELOG", "tests/core/test_extras"))]
    return {
        name: (ROOT / name).read_text(encoding="utf-8")
        for name in names
        if name.endswith((".py", ".md", ".ipynb", ".toml", "Makefile")) and (ROOT / name).is_file()
    }


def test_nothing_is_said_to_be_installed_from_an_index_that_has_it_not() -> None:
    assert [(name, found[0]) for name, text in told().items() for found in OF_AN_INDEX.finditer(text)] == []


def test_every_extra_that_is_named_is_one() -> None:
    named = {extra for text in told().values() for extra in OF_THE_CLONE.findall(text)}
    assert named - EXTRAS == set()
    assert len(named) > 5


def test_the_words_name_the_clone() -> None:
    assert how_to_install("figures") == "pip install '.[figures]' in the clone of mores"


def test_a_library_that_is_missing_is_named_with_the_extra_that_brings_it() -> None:
    with pytest.raises(InputError) as refused:
        needed("a_library_that_nobody_has")
    assert str(refused.value) == (
        "a_library_that_nobody_has is not installed; pip install '.[data]' in the clone of mores brings it."
    )
