"""numpy, imported when the first of its names is asked for: `from mores.core.arrays import np, npt`.

A run needs no array before its last verdict is in, and numpy takes as long to import as half of what it does need. To a
type checker these are numpy and its kinds of arrays (see the stub beside); annotations are to be left unread by
`from __future__ import annotations`.
"""

from importlib import import_module
from typing import Any

ArrayLike = Floats = Integers = Codes = Mask = Any
"""Kinds of arrays: whatever becomes one, numbers, whole numbers (64 bits, or of any size), and what is true."""


class _Late:
    """Stands for a module."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        module = import_module(self._name)
        vars(self).update(vars(module))  # from now on its names are found at once
        return getattr(module, name)


np: Any = _Late("numpy")
npt: Any = _Late("numpy.typing")
