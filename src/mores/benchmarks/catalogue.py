"""Catalogue of benchmarks: cards are found by their files; a family's folder is imported only when it is run.

Packages of others join through the entry point `mores.benchmarks`: a name such as `family/name` that points to a
function that gives the benchmark. Where it has an argument `words`, a reader of prompt files, its prompts can be put in
other words. A folder with a `card.toml` is a benchmark too (`folder`), once it is known.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib import import_module
from inspect import signature
from pathlib import Path
from types import MappingProxyType
from typing import Any

from mores.benchmarks.benchmark import Benchmark
from mores.core.card import Card
from mores.core.errors import InputError, UnknownName
from mores.core.installed import Package, entry_points, packages
from mores.core.prompt import Prompt, ReadPrompt, Wording


def named(prompts: Iterable[Prompt]) -> dict[str, Prompt]:
    """The prompts that can be put in other words, by ROLE/TASK: all but the forms of answers, which code reads.

    A prompt that has siblings in other languages stands for them too: other words are for whichever is asked.
    """
    known = {prompt.key: prompt for prompt in prompts if prompt.header.role != "form"}
    return {key: prompt for key, prompt in known.items() if _sibling_of(prompt) not in known}


def _sibling_of(prompt: Prompt) -> str:
    """Key of the prompt whose sibling in another language this one is, if it is any: without its language.

    >>> from mores.core.prompt import PromptHeader
    >>> _sibling_of(Prompt(PromptHeader(name="ladder.know.ar.v1", role="subject", language="ar", origin="own"), ""))
    'subject/know'
    """
    ending = f".{prompt.header.language}"
    return prompt.key.removesuffix(ending) if prompt.key.endswith(ending) else ""


def meant(name: str, known: Mapping[str, Prompt]) -> str | None:
    """The ROLE/TASK that a name means among some prompts; None where it means none of them.

    Raises:
        InputError: it is a role that has several.
    """
    of_role = [key for key, prompt in known.items() if name in {key, prompt.header.role, prompt.header.name}]
    if len(of_role) > 1:
        raise InputError(f"--prompt {name}: expected one of {', '.join(of_role)}.")
    return next(iter(of_role), None)


def with_overrides(prompts: Iterable[Prompt], words: Mapping[str, Wording]) -> ReadPrompt:
    """A reader of prompt files that gives those which are named here in their other words.

    Raises:
        InputError: the words do not fit the prompt.
        UnknownName: there is no prompt of a name.
    """
    known = named(prompts)
    other: dict[str, Prompt] = {}
    for name, wording in words.items():
        key = meant(name, known)
        if key is None:
            raise UnknownName("prompt", name, known, where="--prompt", todo=f"Known here: {', '.join(known)}.")
        if key in other:
            raise InputError(f"--prompt {name}: {key} is named twice; expected one file for each prompt.")
        other[key] = known[key].reworded(wording)

    def read(path: Path) -> Prompt:
        prompt = Prompt.read(path)
        return other.get(prompt.key) or other.get(_sibling_of(prompt)) or prompt

    return read


_GROUP = "mores.benchmarks"
_ROOMS = Path(__file__).parent
CARD = "card.toml"
"""The file by which a folder says that it is a benchmark."""
_FAMILY = "folder"
_FOLDERS: dict[str, Path] = {}
"""Folders that are benchmarks, by the names that these have."""
_ORDER = ("know", "judge", "explain", "apply", "converse", "live", "easy", "medium", "hard")


def names() -> tuple[str, ...]:
    """Names of all benchmarks as `family/name`, families in the order of the alphabet, rungs from the ground up."""
    there = (name for name, path in _FOLDERS.items() if is_folder(path))  # the user may have removed one since
    return tuple(sorted({*_own(), *_others(), *there}, key=_rank))


def is_folder(path: str | Path) -> bool:
    """True of a folder that says that it is a benchmark."""
    try:
        return (Path(path) / CARD).is_file()
    except (OSError, ValueError):  # no file can have such a name
        return False


def is_folder_path(name: str) -> bool:
    """True of a path that means a folder: a benchmark or family of that name comes first."""
    return is_folder(name) and name not in {*names(), *families()}


def folder_name(folder: Path) -> str:
    """The name of the benchmark that a folder is: `folder/manners` of the folder `manners`."""
    return f"{_FAMILY}/{folder.resolve().name}"


def know(folder: str | Path) -> str:
    """The name of the benchmark that a folder is, which is known by it from now on.

    Raises:
        InputError: the folder is not whole.
    """
    path = Path(folder).resolve()
    _of_folder.cache_clear()  # its files may be others than when it was last known
    _of_folder(path, ())
    _FOLDERS[folder_name(path)] = path
    return folder_name(path)


def folder_of(name: str) -> Path | None:
    """The folder that a known benchmark is; None of any other."""
    return _FOLDERS.get(name)


def families() -> dict[str, tuple[str, ...]]:
    """The benchmarks of each family."""
    found: dict[str, list[str]] = {}
    for name in names():
        found.setdefault(name.split("/")[0], []).append(name)
    return {family: tuple(members) for family, members in found.items()}


def resolve(name: str) -> tuple[str, ...]:
    """The benchmarks that a name means: itself, or all of a family; else that of the folder at that path.

    Raises:
        InputError: the folder is not whole.
        UnknownName: there is no such benchmark or family.
    """
    if name in families():
        return families()[name]
    if name not in names():
        if is_folder(name):
            return (know(name),)
        raise UnknownName("benchmark", name, [*names(), *families()], todo="List them: mores list.")
    return (name,)


def card(name: str) -> Card:
    """The card of one benchmark, without importing its room where it is one of ours."""
    resolve(name)
    path = _own().get(name)
    return load(name).card if path is None else Card.read(path)


def load(name: str, words: Mapping[str, Wording] = MappingProxyType({})) -> Benchmark:
    """One benchmark, with other words for some of its prompts.

    Args:
        name: Its name, `family/name`.
        words: Other words by ROLE/TASK as `prompts` lists them, or by ROLE alone where it has one prompt of the role:
            `{"subject/know": Wording.read(path)}`. All that is said besides, items and figures stay as they are.

    Raises:
        InputError: words do not fit their prompt.
        UnknownName: there is no such benchmark, or no such prompt in it.
    """
    resolve(name)
    given = tuple(sorted(words.items()))
    return _of_folder(_FOLDERS[name], given) if name in _FOLDERS else _built(name, given)


def prompts(name: str) -> dict[str, Prompt]:
    """The prompts of a benchmark that can be put in other words, by ROLE/TASK.

    Raises:
        UnknownName: there is no such benchmark.
    """
    return named(load(name).prompts)


def taken(name: str, words: Mapping[str, Wording]) -> dict[str, Wording]:
    """Those of some words that are for a prompt of the benchmark.

    Raises:
        InputError: one names a role of which the benchmark has several prompts.
    """
    known = prompts(name) if words else {}
    return {key: wording for key, wording in words.items() if meant(key, known) is not None}


def package_of(name: str) -> Package | None:
    """The installed package that brings a benchmark; None where it is one of ours."""
    return packages(_GROUP).get(name) if name in _others() else None


@cache
def _built(name: str, words: tuple[tuple[str, Wording], ...]) -> Benchmark:
    given = {"words": with_overrides(_built(name, ()).prompts, dict(words))} if words else {}
    if name in _others():
        make = _others()[name]()
        if given and not signature(make).parameters:
            raise InputError(f"--prompt {words[0][0]}: the package of {name} takes no other words for its prompts.")
        found: Benchmark = make(**given)
        return found
    family, _, part = name.partition("/")
    built: Benchmark = import_module(f"mores.benchmarks.{family}.benchmark").benchmark(part, **given)
    return built


@cache
def _of_folder(folder: Path, words: tuple[tuple[str, Wording], ...]) -> Benchmark:
    given = {"words": with_overrides(_of_folder(folder, ()).prompts, dict(words))} if words else {}
    built: Benchmark = import_module("mores.benchmarks.folder").read_folder(folder, **given)
    return built


def _rank(name: str) -> tuple[str, int, str]:
    family, _, part = name.partition("/")
    return family, _ORDER.index(part) if part in _ORDER else len(_ORDER), part


@cache
def _own() -> dict[str, Path]:
    return {f"{p.parent.name}/{p.name.removesuffix('.card.toml')}": p for p in _ROOMS.glob("*/*.card.toml")}


@cache
def _others() -> dict[str, Callable[[], Any]]:
    return entry_points(_GROUP)
