"""Garbage collector of a process, kept quiet while runs go on."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

_lock, _before = Lock(), list[tuple[int, int, int]]()
"""Settings of the collector before each run that goes on."""


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
