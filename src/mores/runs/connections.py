"""How many connections a run may hold: the system allows a process so many open files, and all count alike."""

import resource

from mores.core.errors import InputError

FILES, FILES_OF_A_MODEL = 28, 12
"""Files that a run has open beside its connections, and those of each model that is asked side by side."""


def files_needed(calls: int, models: int) -> int:
    """Open files of a run of some models that makes so many calls at the same time."""
    return calls + FILES + FILES_OF_A_MODEL * models


def room_for_connections(wanted: int, models: int) -> int:
    """As many connections as are wanted, or as the system allows a process at the most; its own limit is raised.

    Raises:
        InputError: none is left beside the files of the run.
    """
    spare = files_needed(0, models)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard - spare)
    if allowed < 1:
        raise InputError(
            f"ulimit -n {hard}: a run of {models} models needs {spare + 1} open files at least; try ulimit -n 1024."
        )
    if allowed + spare > soft:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed + spare, hard))
    return allowed
