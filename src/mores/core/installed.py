"""Installed packages: their versions, and what they bring by entry points."""

from collections.abc import Callable
from importlib import metadata
from typing import Any, NamedTuple


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
