"""Print the modules of mores of which any function runs in `mores` with these arguments, as JSON, after its own output.

A module counts where a call of a function of its own is seen; what runs as it is imported (its body, the bodies of its
classes, and what these call) does not count.
"""

import inspect
import json
import sys
import threading
from types import CodeType, FrameType

from mores.cli.main import main

_counted: dict[CodeType, bool] = {}
_modules: set[str] = set()


def look(frame: FrameType, event: str, _: object) -> None:
    """Note a call."""
    if event != "call" or frame.f_code in _counted:
        return
    name = str(frame.f_globals.get("__name__", ""))
    if not name.startswith("mores"):
        _counted[frame.f_code] = False
    elif frame.f_code.co_flags & inspect.CO_OPTIMIZED and not _imports(frame):
        _counted[frame.f_code] = True
        _modules.add(name)


def _imports(frame: FrameType) -> bool:
    """True where a module of mores is being imported by whoever called."""
    above = frame.f_back
    while above is not None:
        if above.f_code.co_name == "<module>" and str(above.f_globals.get("__name__", "")).startswith("mores"):
            return True
        above = above.f_back
    return False


if __name__ == "__main__":
    threading.setprofile(look)
    sys.setprofile(look)
    try:
        main()
    finally:
        sys.setprofile(None)
        sys.__stdout__.write(f"\n{json.dumps(sorted(_modules))}\n")  # type: ignore[union-attr]
