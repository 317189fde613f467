"""Which benchmarks there are: cards are found by their files, and a family's room is imported only when it is run.

Packages of others join through the entry point `mores.benchmarks`: a name such as `family/name` that points to a
function without arguments, which gives the benchmark.
"""

from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from mores.benchmarks.benchmark import Benchmark
from mores.core.card import Card
from mores.core.errors import UnknownName

_ROOMS = Path(__file__).parent
_ORDER = ("know", "judge", "explain", "apply", "converse", "live", "easy", "medium", "hard")


def names() -> tuple[str, ...]:
    """Names of all benchmarks as `family/name`, families in the order of the alphabet, rungs from the ground up."""
    return tuple(sorted({*_own(), *_others()}, key=_rank))


def families() -> dict[str, tuple[str, ...]]:
    """The benchmarks of each family."""
    found: dict[str, list[str]] = {}
    for name in names():
        found.setdefault(name.split("/")[0], []).append(name)
    return {family: tuple(members) for family, members in found.items()}


def resolve(name: str) -> tuple[str, ...]:
    """The benchmarks that a name means: itself, or all of a family.

    Raises:
        UnknownName: there is no such benchmark or family.
    """
    if name in families():
        return families()[name]
    if name not in names():
        raise UnknownName("benchmark", name, [*names(), *families()], todo="List them: mores list.")
    return (name,)


def card(name: str) -> Card:
    """The card of one benchmark, without importing its room where it is one of ours."""
    resolve(name)
    path = _own().get(name)
    return load(name).card if path is None else Card.read(path)


@cache
def load(name: str) -> Benchmark:
    """One benchmark.

    Raises:
        UnknownName: there is no such benchmark.
    """
    resolve(name)
    if name in _others():
        found: Benchmark = _others()[name].load()()
        return found
    family, _, part = name.partition("/")
    built: Benchmark = import_module(f"mores.benchmarks.{family}.benchmark").benchmark(part)
    return built


def _rank(name: str) -> tuple[str, int, str]:
    family, _, part = name.partition("/")
    return family, _ORDER.index(part) if part in _ORDER else len(_ORDER), part


@cache
def _own() -> dict[str, Path]:
    return {f"{p.parent.name}/{p.name.removesuffix('.card.toml')}": p for p in _ROOMS.glob("*/*.card.toml")}


@cache
def _others() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group="mores.benchmarks")}
