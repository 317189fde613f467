"""What is said of installed packages, read without the library that reads all of it.

importlib.metadata takes as long to import as forty of our modules, and to read what all packages offer as long again.
Where a package may lie in anything but a plain folder, it is asked nevertheless.
"""

import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any, NamedTuple

_METADATA = (".dist-info", ".egg-info")


def entry_points(group: str) -> dict[str, Callable[[], Any]]:
    """By the name of each entry point of a group, what imports that which it names."""
    said = f"[{group}]".encode()
    if _in_plain_folders() and not any(said in offered for folder in _folders() for offered in _read(folder, _OFFERS)):
        return {}
    from importlib.metadata import entry_points as all_of  # noqa: PLC0415 - heavy, and few need it

    return {point.name: point.load for point in all_of(group=group)}


class Package(NamedTuple):
    """What an entry point belongs to: the package as it is installed, and the module at the top of its code."""

    name: str
    module: str


def packages(group: str) -> dict[str, Package]:
    """By the name of each entry point of a group, the package that offers it."""
    from importlib.metadata import entry_points as all_of  # noqa: PLC0415 - heavy, and few need it

    roots = {point.name: point.module.partition(".")[0] for point in all_of(group=group)}
    named = {point.name: point.dist.name for point in all_of(group=group) if point.dist is not None}
    return {name: Package(named.get(name, root), root) for name, root in roots.items()}


def versions(names: Sequence[str]) -> dict[str, str]:
    """The versions of packages by name.

    Raises:
        PackageNotFoundError: one is not installed.
    """
    lie, found = dict[str, str](), dict[str, str]()
    for folder in _folders() if _in_plain_folders() else ():
        lie.setdefault(_plain(Path(folder).name.split("-")[0]), folder)
    for name in names:
        for metadata in _read(lie.get(_plain(name), ""), _ABOUT):
            if told := _VERSION.search(metadata):
                found[name] = told[1].decode()
    if len(found) < len(names):
        from importlib.metadata import version  # noqa: PLC0415 - heavy, and few need it

        found |= {name: version(name) for name in names if name not in found}
    return {name: found[name] for name in names}


_OFFERS, _ABOUT = "entry_points.txt", "METADATA"
_VERSION = re.compile(rb"^Version: *(\S+)\s*$", re.MULTILINE)


def _plain(name: str) -> str:
    return name.casefold().replace("-", "_").replace(".", "_")


def _in_plain_folders() -> bool:
    """True where no module comes from an archive, or from a finder that knows of packages itself."""
    others = (finder for finder in sys.meta_path if finder is not PathFinder)
    archives = (place for place in sys.path if place.endswith(".egg") or Path(place).is_file())
    return next(archives, None) is None and not any(hasattr(finder, "find_distributions") for finder in others)


def _folders() -> Iterator[str]:
    """The folders of what is said of packages, in the order in which modules are looked for."""
    for place in sys.path:
        with suppress(OSError), os.scandir(place or ".") as entries:
            yield from (entry.path for entry in entries if entry.name.endswith(_METADATA))


def _read(folder: str, name: str) -> Iterator[bytes]:
    """A file of a folder, if it is there."""
    with suppress(OSError):
        yield Path(folder, name).read_bytes()
