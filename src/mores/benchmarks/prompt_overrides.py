"""Other words for the prompts of benchmarks: ROLE/TASK or its name names a prompt, ROLE the only one of a role.

`catalogue.load(name, words)` gives a benchmark in such words; `catalogue.prompts(name)` lists the names.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

from mores.core.errors import InputError, UnknownName
from mores.core.prompt import Prompt, ReadPrompt, Wording


def named(prompts: Iterable[Prompt]) -> dict[str, Prompt]:
    """The prompts that can be put in other words, by ROLE/TASK: all but the forms of answers, which code reads."""
    return {prompt.key: prompt for prompt in prompts if prompt.header.role != "form"}


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
        if known[key].header.name in other:
            raise InputError(f"--prompt {name}: {key} is named twice; expected one file for each prompt.")
        other[known[key].header.name] = known[key].reworded(wording)

    def read(path: Path) -> Prompt:
        prompt = Prompt.read(path)
        return other.get(prompt.header.name, prompt)

    return read
