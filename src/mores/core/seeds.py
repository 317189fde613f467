"""Named seeds: each use has its own stream, so that adding an item or a worker changes no other draw.

A seed is a path of names; equal paths give equal draws on any machine, and no draw depends on the order
in which others were made.
"""

import hashlib
from typing import Self

from msgspec import Struct

_SCALE = 2.0**-53


class Seed(Struct, frozen=True, gc=False):
    """A name for one stream of random numbers.

    >>> Seed("run-7").child("shuffle", "item-1") == Seed("run-7").child("shuffle", "item-1")
    True
    """

    path: str

    def child(self, *names: str | int) -> Self:
        r"""Seed for one use; names are kept apart by a separator, escaped where a name has it.

        >>> Seed("a").child("b", 1).path
        'a\x1fb\x1f1'
        """
        path = "\x1f".join(map(str, names))
        if "\\" in path or path.count("\x1f") != len(names) - 1:  # seldom: a simulated call draws ten times
            path = "\x1f".join(str(name).replace("\\", "\\\\").replace("\x1f", "\\u") for name in names)
        return type(self)(f"{self.path}\x1f{path}") if names else self

    def uniform(self) -> float:
        """One draw from [0, 1), the same each time it is asked."""
        digest = hashlib.blake2b(self.path.encode(), digest_size=8).digest()
        # 53 bits are what a float holds: each value is exact, and none is rounded up to 1.
        return (int.from_bytes(digest, "big") >> 11) * _SCALE

    def below(self, count: int) -> int:
        """One draw from 0 … count - 1, the same each time it is asked."""
        return int(self.uniform() * count)

    def entropy(self) -> int:
        """128 bits to start a generator of arrays with (`stats.rng.generator` does)."""
        return int.from_bytes(hashlib.blake2b(self.path.encode(), digest_size=16).digest(), "big")
