"""What docstrings show is so."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

SRC = Path(__file__).parents[1] / "src"
SHOWN = sorted(
    ".".join(path.relative_to(SRC).with_suffix("").parts).removesuffix(".__init__")
    for path in SRC.rglob("*.py")
    if ">>> " in path.read_text(encoding="utf-8")
)


def test_docstrings_show_many_things() -> None:
    assert len(SHOWN) > 80


@pytest.mark.parametrize("module", SHOWN)
def test_what_the_docstrings_of_a_module_show_is_so(module: str, capsys: pytest.CaptureFixture[str]) -> None:
    if module.startswith("mores.studio"):
        import_module("tests.studio.conftest")  # its models can be imported once Django is set up
    found = doctest.testmod(import_module(module))
    assert found.attempted
    assert not found.failed, capsys.readouterr().out
