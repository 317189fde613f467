"""Installed packages: what they bring by entry points, and whether mores itself was replaced."""

import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

_CODE = Path(__file__).parent.parent


def entry_points(group: str) -> dict[str, Callable[[], Any]]:
    """Loaders of the entry points of a group, by their names."""
    return {point.name: point.load for point in metadata.entry_points(group=group)}


class Package(NamedTuple):
    """Package that an entry point belongs to: its name as it is installed, and the module at the top of its code."""

    name: str
    module: str


def packages(group: str) -> dict[str, Package]:
    """Packages that offer the entry points of a group, by the names of the entry points."""
    found = {}
    for point in metadata.entry_points(group=group):
        root = point.module.partition(".")[0]
        found[point.name] = Package(root if point.dist is None else point.dist.name, root)
    return found


def changed_since(moment: float, folder: Path = _CODE) -> bool:
    """True where a module in a folder, by default of mores, was written or removed after a moment, as `time()` gives.

    A module counts as removed where this process loaded it from there and its file is gone.
    """
    loaded = [Path(file) for module in list(sys.modules.values()) if (file := getattr(module, "__file__", None))]
    if any(folder in path.parents and not path.exists() for path in loaded):
        return True
    try:
        # An installer may link or unpack files that keep an old time of writing; the time of change is that of today.
        return any(max(state.st_mtime, state.st_ctime) > moment for state in map(Path.stat, folder.rglob("*.py")))
    except FileNotFoundError:  # it went while this looked
        return True
