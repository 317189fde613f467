"""The functions of scipy.special, which is imported when the first of them is called: `special.ndtri(0.975)`.

The package around them brings what other kinds of arrays need, and takes ten times as long to import as they do. So
they are imported alone, by the name of a module of scipy's own; where that is not there, all of the package is. So it
is where other threads run: they would find the name of the package with nothing in it, for as long as that takes.
"""

import sys
from functools import cache
from importlib import import_module
from threading import active_count
from types import ModuleType
from typing import Any

_PACKAGE = "scipy.special"


def __getattr__(name: str) -> Any:
    found = getattr(_functions(), name, None)
    return getattr(import_module(_PACKAGE), name) if found is None else found


@cache
def _functions() -> ModuleType:
    if _PACKAGE in sys.modules or active_count() > 1:
        return import_module(_PACKAGE)
    sys.modules[_PACKAGE] = bare = ModuleType(_PACKAGE)
    bare.__path__ = [f"{path}/special" for path in import_module("scipy").__path__]
    try:
        return import_module(f"{_PACKAGE}._ufuncs")
    except ImportError:
        return bare
    finally:
        del sys.modules[_PACKAGE]
