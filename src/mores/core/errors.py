"""One tree of errors; each message says where, what came, what was expected and what to do.

::

    MoresError
    ├── InputError          the caller's input: exit 2
    │   ├── UnknownName     a name that is not on a list; suggests the nearest
    │   └── MissingData     a benchmark whose data are not there
    └── RunError            ours, or the world's: exit 1, and the run can be resumed
        ├── BudgetReached   the set number of calls, tokens or money is used up
        ├── Stopped         asked to stop; nothing more is begun
        ├── Unreachable     an endpoint that answers nobody
        ├── NotServed       an endpoint that refuses every call by now: key, credit or model
        ├── StorageError    a disk that is full or read-only
        └── Waiting         a run whose calls are parked: it goes on with their answers
"""

from collections.abc import Iterable
from difflib import get_close_matches


class MoresError(Exception):
    """Anything that mores says to a person in one line."""


class InputError(MoresError):
    """The caller's input cannot be used; the line says what came and what was expected."""


class MissingData(InputError):
    """The data of a benchmark are not where they were looked for."""


class UnknownName(InputError):
    """A name that is not on a list of known ones; the line suggests the nearest of them."""

    def __init__(self, what: str, name: str, known: Iterable[str], *, todo: str = "", where: str = "") -> None:
        names = sorted(set(known))
        place = f"{where}: " if where else ""
        super().__init__(f"{place}No {what} is called '{name}'.{did_you_mean(name, names)}{' ' + todo if todo else ''}")


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A question after the nearest of known names, with a space before it; empty where none is near.

    >>> did_you_mean("colour", ["color", "hue"])
    " Did you mean 'color'?"
    """
    by_fold = {each.casefold(): each for each in known}
    near = get_close_matches(name.casefold(), by_fold, n=3, cutoff=0.6)
    return f" Did you mean {' or '.join(repr(by_fold[each]) for each in near)}?" if near else ""


class RunError(MoresError):
    """A run that could not finish; what is journalled stays, and `mores resume` goes on from there."""


class BudgetReached(RunError):
    """The set number of calls, tokens or money is used up."""


class Stopped(RunError):
    """The run was asked to stop before this call was made."""


class Unreachable(RunError):
    """An endpoint that answers nobody."""


class NotServed(RunError):
    """An endpoint that refuses every call by now, such as one whose key, credit or model is gone."""


class StorageError(RunError):
    """A disk that is full, read-only or gone."""


class RunPending(RunError):
    """A run whose calls wait in batches; it goes on once their answers are collected."""
