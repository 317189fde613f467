"""A run of `mores` with these arguments, and after its own output a line of JSON: the ways that it took in our code.

`modules` are those of which any function was called; what runs as a module is imported does not count. `walks` follow
the first value of each kind that a run hands on: how often its next call was in a room above that of the last one.
"""

import inspect
import json
import sys
import threading
from collections import Counter
from types import FrameType

from mores.cli.main import main

ROOMS = ("core", "models", "judges", "benchmarks", "analysis", "runs", "reports", "api", "cli")
"""From the ground up; rooms that stand beside one of these are on no run's way from the command to a model."""
KINDS = {"Cast", "Evaluation", "ExecutionSpec", "Journal", "Request", "RunArgs", "Spec", "Study"}


class Trace:
    """What was seen of calls so far."""

    def __init__(self) -> None:
        self.modules = set[str]()
        self.walks = Counter[str]()
        self._followed: dict[str, object] = {}
        self._levels: dict[str, int] = {}

    def look(self, frame: FrameType, event: str, _: object) -> None:
        """Note a call of a function of ours."""
        name, code = str(frame.f_globals.get("__name__", "")), frame.f_code
        if event != "call" or not name.startswith("mores.") or not code.co_flags & inspect.CO_OPTIMIZED:
            return
        if name not in self.modules and not self._imports(frame):
            self.modules.add(name)
        room = name.split(".")[1]
        if room in ROOMS and not code.co_name.startswith("_"):
            self._follow(frame, ROOMS.index(room))

    def _imports(self, frame: FrameType) -> bool:
        """True where whoever called is a module of ours that is being imported."""
        above = frame.f_back
        while above is not None:
            if above.f_code.co_name == "<module>" and str(above.f_globals.get("__name__", "")).startswith("mores."):
                return True
            above = above.f_back
        return False

    def _follow(self, frame: FrameType, level: int) -> None:
        code = frame.f_code
        for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]:
            value = frame.f_locals.get(name)
            kind = type(value).__name__
            if kind in KINDS and self._followed.setdefault(kind, value) is value:
                self.walks[kind] += level > self._levels.get(kind, level)
                self._levels[kind] = level


if __name__ == "__main__":
    trace = Trace()
    threading.setprofile(trace.look)
    sys.setprofile(trace.look)
    try:
        main()
    finally:
        sys.setprofile(None)
        found = {"modules": sorted(trace.modules), "walks": trace.walks}
        sys.__stdout__.write(f"\n{json.dumps(found)}\n")  # type: ignore[union-attr]
