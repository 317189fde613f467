"""Installed packages are found by what they offer, wherever they lie."""

import os
import sys
from pathlib import Path
from time import time
from types import ModuleType

import pytest

from mores.core.installed import changed_since, entry_points

GROUP = "mores.tried"
OFFER = f"[{GROUP}]\nroot = math:sqrt\n"


def installed(folder: Path, kind: str) -> None:
    (folder / f"tried-1.{kind}").mkdir(parents=True)
    (folder / f"tried-1.{kind}" / "entry_points.txt").write_text(OFFER, encoding="utf-8")
    (folder / f"tried-1.{kind}" / ("METADATA" if kind == "dist-info" else "PKG-INFO")).write_text(
        "Name: tried\nVersion: 1\n"
    )


@pytest.mark.parametrize("kind", ["dist-info", "egg-info"])
def test_what_a_package_offers_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    installed(tmp_path, kind)
    assert entry_points(GROUP) == {}
    monkeypatch.syspath_prepend(tmp_path)
    assert entry_points(GROUP)["root"]()(9) == 3


def test_packages_that_lie_in_no_plain_folder_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    egg = tmp_path / "tried.egg" / "EGG-INFO"
    egg.mkdir(parents=True)
    (egg / "entry_points.txt").write_text(OFFER, encoding="utf-8")
    (egg / "PKG-INFO").write_text("Name: tried\nVersion: 1\n", encoding="utf-8")
    monkeypatch.syspath_prepend(egg.parent)
    assert entry_points(GROUP)["root"]()(9) == 3


def test_code_is_changed_where_a_file_is_newer_than_a_moment_by_either_of_its_times(tmp_path: Path) -> None:
    module = tmp_path / "rooms" / "tea.py"
    module.parent.mkdir()
    module.write_text("")
    (tmp_path / "rooms" / "__pycache__").mkdir()  # what Python itself keeps there is no change of the code
    written = max(module.stat().st_mtime, module.stat().st_ctime)
    assert changed_since(written - 1, tmp_path)
    assert not changed_since(written + 1, tmp_path)
    os.utime(module, (0, 0))  # as a file that an installer unpacked with the time that it had
    assert changed_since(written - 1, tmp_path)


def test_code_is_changed_where_a_module_that_was_loaded_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = ModuleType("tea")
    module.__file__ = str(tmp_path / "tea.py")
    (tmp_path / "tea.py").write_text("")
    monkeypatch.setitem(sys.modules, "tea", module)
    assert not changed_since(time() + 60, tmp_path)
    (tmp_path / "tea.py").unlink()
    assert changed_since(time() + 60, tmp_path)
