"""The words that a run chose for prompts: out of files, or out of checkouts of released repositories."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from mores.benchmarks import catalogue
from mores.benchmarks.benchmark import Benchmark
from mores.benchmarks.catalogue import meant, named
from mores.benchmarks.released_prompts import words_of_checkout
from mores.core.errors import InputError, UnknownName
from mores.core.prompt import PromptRole, Wording


def read_words(files: Mapping[str, str], benchmarks: Iterable[str], folder: Path = Path()) -> dict[str, Wording]:
    """Words for prompts of benchmarks and families out of files, by the prompts' full names.

    Args:
        files: The files, by ROLE/TASK, ROLE or full name of a prompt.
        benchmarks: Benchmarks and families.
        folder: Where the files are named from.

    Raises:
        InputError: a file cannot be read, or one prompt is named twice.
        UnknownName: none of the benchmarks has such a prompt, or there is no such benchmark.
    """
    return by_name({name: Wording.read(folder / file) for name, file in files.items()}, benchmarks)


def by_name(words: Mapping[str, Wording], benchmarks: Iterable[str]) -> dict[str, Wording]:
    """Words for prompts by the prompts' full names.

    Raises:
        InputError: one prompt is named twice.
        UnknownName: none of the benchmarks has a prompt of a name.
    """
    found: dict[str, Wording] = {}
    known = [catalogue.prompts(name) for name in (_names(benchmarks) if words else ())]
    for key, wording in words.items():
        prompts = {of[full].header.name for of in known if (full := meant(key, of)) is not None}
        if not prompts:
            every = list(dict.fromkeys(full for of in known for full in of))
            raise UnknownName("prompt", key, every, where="--prompt", todo=f"Known here: {', '.join(every)}.")
        if prompts & found.keys():
            raise InputError(f"--prompt {key}: its prompt is named twice; expected one file for each.")
        found |= dict.fromkeys(prompts, wording)
    return found


def released_words(
    checkouts: Iterable[Path], benchmarks: Iterable[str], role: PromptRole | None = None
) -> dict[str, Wording]:
    """The published words of prompts of benchmarks and families, or of one role alone, out of checkouts.

    Raises:
        InputError: a folder has none of these words, or they cannot be read.
        UnknownName: there is no such benchmark.
    """
    folders = tuple(checkouts)
    sought = [prompt for name in (_names(benchmarks) if folders else ()) for prompt in catalogue.prompts(name).values()
              if role in {None, prompt.header.role}]  # fmt: skip
    return {name: words for folder in folders for name, words in words_of_checkout(folder, sought).items()}


def _names(benchmarks: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for asked in benchmarks for name in catalogue.resolve(asked)))


def refuse_of_players(words: Iterable[str], benchmarks: Iterable[str]) -> None:
    """Refuse words for a prompt, by its full name, that nobody is asked any more, as the run was played already.

    Raises:
        InputError: a prompt is not a judge's.
    """
    known = {p.header.name: p for name in benchmarks for p in catalogue.prompts(name).values()}
    for name in words:
        if known[name].header.role != "judge":
            raise InputError(
                f"--prompt {known[name].key}: the run was played already; expected a prompt of its judges."
            )


def describe_wording(benchmark: Benchmark, words: Mapping[str, Wording]) -> dict[str, str]:
    """Which other words a benchmark has, by ROLE/TASK: their file and their hash."""
    known = named(benchmark.prompts)
    given = {meant(key, known): wording.file for key, wording in words.items()}
    return {key: f"{given[key]} {prompt.sha}" for key, prompt in known.items() if key in given}
