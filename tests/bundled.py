"""What the bundled pack holds, for tests that run it whole, and some of its places for those that need not."""

import shutil
from collections.abc import Collection
from pathlib import Path

from mores.norms.pack import BUNDLED, load_pack

PACK = load_pack()
NORMS = len(PACK.norms)
PLACES = len({entry.norm.place for entry in PACK.norms})
SOME = ("JP", "DE", "ET", "GB")
"""Places enough for what hangs on no whole pack, sixty norms: few runs need all, and it takes ten times as long."""
MANY = (*SOME, "NG", "CO", "GR", "IR", "KE", "KR", "PK", "UA", "VN")
"""Places enough for what is seen in many norms alone, 170 of them."""
CONTESTED = {entry.norm.id for entry in PACK.norms if entry.norm.contested}
COUNTED = NORMS - len(CONTESTED)
"""Norms that figures count: those that are contested stand apart."""


LIVED = [norm.id for bundle in PACK.bundles for norm in bundle.norm if norm.id not in CONTESTED]
"""Those of them that a bundle holds."""


def counted(places: Collection[str]) -> int:
    """Norms of these places that figures count."""
    return sum(entry.norm.place in places and not entry.norm.contested for entry in PACK.norms)


def some_places(folder: Path, places: Collection[str] = SOME) -> Path:
    """A folder made to hold what the pack says of these places, for `--data`."""
    folder.mkdir(parents=True)
    for place in places:
        shutil.copy(BUNDLED / f"{place}.toml", folder)
    return folder
