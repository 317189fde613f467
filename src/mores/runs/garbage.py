"""The clock of a sitting, and the peace that it works in."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from time import perf_counter, process_time

_lock, _before = Lock(), list[tuple[int, int, int]]()
"""What the collector was set to before each run that goes on."""


class Stopwatch:
    """Seconds since it was made, on the wall and of this process's CPU."""

    def __init__(self) -> None:
        self._wall, self._cpu = perf_counter(), process_time()

    def read(self) -> dict[str, float]:
        """Seconds that have passed, to the microsecond."""
        return {
            "seconds": round(perf_counter() - self._wall, 6),
            "cpu_seconds": round(process_time() - self._cpu, 6),
        }


@contextmanager
def quiet_collector() -> Iterator[None]:
    """Look for cycles rarely: a run makes many short-lived values and few cycles (a fifth of the time).

    Next to nothing of what it makes stays, so that what is counted are the cycles: a hundred bytes each. Of runs that
    go on side by side the last one to end puts everything back.
    """
    with _lock:
        _before.append(gc.get_threshold())
        gc.freeze()
        gc.set_threshold(50_000, 20, 50)
    try:
        yield
    finally:
        with _lock:
            latest = _before.pop()
            if not _before:
                gc.set_threshold(*latest)
                gc.unfreeze()
