"""The words that a run chose for prompts: out of files, or out of checkouts of released repositories."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from mores.benchmarks import catalogue
from mores.benchmarks.benchmark import Benchmark
from mores.benchmarks.checkouts import words_of_checkout
from mores.benchmarks.wording import meant, named
from mores.core.errors import InputError, UnknownName
from mores.core.prompt import Wording


def read_words(files: Mapping[str, str], folder: Path = Path()) -> dict[str, Wording]:
    """Words for prompts out of files, by the prompts' names; files are named from a folder.

    Raises:
        InputError: a file cannot be read.
    """
    return {name: Wording.read(folder / file) for name, file in files.items()}


def released_words(
    checkouts: Iterable[Path], benchmarks: Iterable[str], given: Mapping[str, Wording], *, judges_alone: bool = False
) -> dict[str, Wording]:
    """The published words of prompts of benchmarks and families, out of checkouts; what is given goes first.

    Raises:
        InputError: a folder has none of these words, or they cannot be read.
        UnknownName: there is no such benchmark.
    """
    left = []
    for name in dict.fromkeys(name for asked in benchmarks for name in catalogue.resolve(asked)):
        known = catalogue.prompts(name)
        spoken_for = {meant(key, known) for key in catalogue.taken(name, given)}
        left += [prompt for key, prompt in known.items() if key not in spoken_for]
    left = [prompt for prompt in left if prompt.header.role == "judge" or not judges_alone]
    return {name: words for folder in checkouts for name, words in words_of_checkout(folder, left).items()}


def refuse_of_players(files: Mapping[str, str], benchmarks: Iterable[str]) -> None:
    """Refuse words for a prompt that nobody is asked any more, as the run was played already.

    Raises:
        InputError: a prompt is not a judge's.
    """
    for known in map(catalogue.prompts, benchmarks):
        for name, file in files.items():
            key = meant(name, known)
            if key is not None and known[key].header.role != "judge":
                raise InputError(
                    f"--prompt {name}={file}: the run was played already; expected a prompt of its judges."
                )


def check_known(words: Mapping[str, Wording], benchmarks: Sequence[str]) -> None:
    """Refuse words for a prompt that none of the benchmarks and families has.

    Raises:
        UnknownName: none has.
    """
    names = [name for asked in benchmarks for name in catalogue.resolve(asked)] if words else []
    taken = {key for name in names for key in catalogue.taken(name, words)}
    for key in words:
        if key not in taken:
            known = list(dict.fromkeys(prompt for name in names for prompt in catalogue.prompts(name)))
            raise UnknownName("prompt", key, known, where="--prompt", todo=f"Known here: {', '.join(known)}.")


def told_words(benchmark: Benchmark, words: Mapping[str, Wording]) -> dict[str, str]:
    """Which other words a benchmark has, by ROLE/TASK: their file and their hash."""
    known = named(benchmark.prompts)
    given = {meant(key, known): wording.file for key, wording in words.items()}
    return {key: f"{given[key]} {prompt.sha}" for key, prompt in known.items() if key in given}
