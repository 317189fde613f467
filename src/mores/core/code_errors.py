"""Errors of code: whose they are, how they are told, and what goes on without the part that failed.

Code is ours, or that of a package that brings a benchmark. What it does wrong costs one part (an item, a figure, a
section of a page), and never what stands beside it; whoever runs it is told, to report it.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from traceback import walk_tb
from typing import TypeVar

from mores.core.errors import MissingData, MoresError, RunError
from mores.core.installed import Package, packages
from mores.core.terminal_safety import describe_error

T = TypeVar("T")
OWN = "error in mores"
_OF_PACKAGE = "error in the package "
_BRINGING = ("mores.benchmarks", "mores.models", "mores.analyses")
"""Groups of entry points through which packages bring code that runs."""
_OUTSIDE = ("mores.models.", "mores.runs.", "mores.annotation.", "mores.benchmarks.data_tables")
"""Rooms whose `InputError` speaks of what a caller gave: a model, a journal, a run, labels, a table."""
_NOT_FOUND = re.compile(r"cannot import name '([^']+)'")
_raised: ContextVar[bool] = ContextVar("raised", default=False)
_kept: ContextVar[dict[str, None] | None] = ContextVar("kept", default=None)


def is_callers(error: MoresError) -> bool:
    """True of an error that speaks of what the caller or the world did; else it was raised where code did wrong."""
    if isinstance(error, RunError | MissingData):
        return True
    rooms = [module for module in modules_of(error) if not module.startswith("mores.core.")]
    return bool(rooms) and rooms[-1].startswith(_OUTSIDE)


def cause_of(error: BaseException) -> str:
    """Owner of the code that failed: an installed package which the error passed through, else mores."""
    roots = {module.partition(".")[0] for module in modules_of(error)}
    package = next((each for each in _packages() if each.module in roots), None)
    return OWN if package is None else cause_in(package)


def cause_in(package: Package) -> str:
    """The cause of what failed in the code of a package."""
    return f"{_OF_PACKAGE}{package.name}"


def is_error_of_code(cause: str) -> bool:
    """True of a cause that is an error of code, and is to be reported."""
    return cause == OWN or cause.startswith(_OF_PACKAGE)


def missing_import(error: BaseException) -> str:
    """Name of mores that an import did not find, in words; empty of any other error.

    >>> missing_import(ModuleNotFoundError("No module named 'mores.tea'", name="mores.tea"))
    'mores.tea'
    """
    if not isinstance(error, ImportError) or (error.name or "").partition(".")[0] != "mores":
        return ""
    # Python 3.11 says the name in the message alone; `name_from` came with 3.12.
    name = _NOT_FOUND.match(str(error))
    return f"{name[1]} of {error.name}" if name else str(error.name)


def please_report(cause: str) -> str:
    """To whom an error with this cause is to be reported."""
    package = cause.removeprefix(_OF_PACKAGE)
    return "Please report it." if package == cause else f"Please report it to the authors of {package}."


def modules_of(error: BaseException) -> Iterator[str]:
    """The modules that an error passed through, that which raised it last."""
    yield from (str(frame.f_globals.get("__name__", "")) for frame, _ in walk_tb(error.__traceback__))
    for each in error.exceptions if isinstance(error, BaseExceptionGroup) else ():
        yield from modules_of(each)


@contextmanager
def kept_failures() -> Iterator[dict[str, None]]:
    """The sentences on all parts that fail while this is open, each once, in their order."""
    found: dict[str, None] = {}
    before = _kept.set(found)
    try:
        yield found
    finally:
        _kept.reset(before)


@contextmanager
def raised_failures() -> Iterator[None]:
    """While this is open nothing stands in the place of a part that fails: its error is raised."""
    before = _raised.set(True)
    try:
        yield
    finally:
        _raised.reset(before)


def attempt(what: str, make: Callable[[], T], instead: Callable[[str], T], package: Package | None = None) -> T:
    """Make something; where its code fails, give what stands in its place instead, and note it for whoever shows it.

    Args:
        what: The part that is made, in words: "the section 'rankings'".
        make: Makes it.
        instead: Makes what stands in its place, of a sentence that says so.
        package: Whose code it is, where that is known; its errors are never raised.

    Raises:
        MoresError: what the caller gave, or the world, is why it cannot be made.
    """
    try:
        return make()
    except MoresError as error:
        if is_callers(error) or (_raised.get() and package is None):
            raise
        return instead(keep(what, error, package))
    except Exception as error:
        if _raised.get() and package is None:
            raise
        return instead(keep(what, error, package))


def keep(what: str, error: Exception, package: Package | None = None) -> str:
    """The sentence on a part that failed; it is kept for whoever shows it."""
    cause = cause_of(error) if package is None else cause_in(package)
    sentence = (
        f"{what[:1].upper()}{what[1:]} could not be made ({cause}: {describe_error(error)}). {please_report(cause)}"
    )
    kept = _kept.get()
    if kept is not None:
        kept.setdefault(sentence)
    return sentence


@cache
def _packages() -> tuple[Package, ...]:
    """Packages that bring code, ours not among them."""
    found = (package for group in _BRINGING for package in packages(group).values())
    return tuple(package for package in dict.fromkeys(found) if package.module != "mores")
