"""The functions of scipy.special, which is imported when the first of them is called: `special.ndtri(0.975)`.

It takes longer to import than all that a run needs before its first call. scipy clones numpy's names, and so would
import numpy's front end of Fortran compilers, two fifths of the whole: it finds an empty module in its place.
"""

import sys
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

_NEEDLESS = "f2py"


def __getattr__(name: str) -> Any:
    return getattr(_scipy(), name)


@cache
def _scipy() -> ModuleType:
    numpy, full = import_module("numpy"), f"numpy.{_NEEDLESS}"
    if full in sys.modules:
        return import_module("scipy.special")
    empty = sys.modules[full] = ModuleType(full)
    setattr(numpy, _NEEDLESS, empty)
    try:
        return import_module("scipy.special")
    finally:
        del sys.modules[full]
        delattr(numpy, _NEEDLESS)
