"""Installed packages are found by what they offer, wherever they lie."""

from pathlib import Path

import pytest

from mores.core.installed import entry_points

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
