"""`mores show prompts`: what a benchmark puts to models, and where the published words for the same stand."""

import sys

from mores.benchmarks import catalogue
from mores.cli import screen
from mores.core.errors import InputError
from mores.core.prompt import Prompt, Released


def show_prompts(of: str | None, *, json: bool) -> None:
    """Print the prompts of a benchmark or a family that `--prompt` takes, by ROLE/TASK, with their words.

    Raises:
        InputError: none is named.
        UnknownName: there is no such benchmark or family.
    """
    if of is None:
        raise InputError("mores show prompts: expected a benchmark or a family, such as: mores show prompts cure.")
    held: dict[str, list[str]] = {}
    known: dict[str, Prompt] = {}
    for benchmark in catalogue.resolve(of):
        for prompt in catalogue.prompts(benchmark).values():
            known[prompt.header.name] = prompt
            held.setdefault(prompt.header.name, []).append(benchmark)
    if json:
        screen.print_json({"prompts": [_row(prompt, held[name]) for name, prompt in known.items()]})
        return
    for name, prompt in known.items():
        header = prompt.header
        screen.heading(prompt.key)
        screen.facts({
            "of": ", ".join(held[name]), "name": f"{name} ({header.language})", "hash": prompt.sha,
            "slots": ", ".join(sorted(prompt.slots)), "optional": ", ".join(header.optional), "origin": header.origin,
            "published": header.published, "released": header.released and _told(header.released),
        })  # fmt: skip
        sys.stdout.write(f"\n{prompt.body}\n")


def _row(prompt: Prompt, benchmarks: list[str]) -> dict[str, object]:
    header = prompt.header
    return {
        "prompt": prompt.key, "benchmarks": benchmarks, "name": header.name, "role": header.role,
        "language": header.language, "hash": prompt.sha, "slots": sorted(prompt.slots), "optional": header.optional,
        "origin": header.origin, "published": header.published or None, "released": header.released,
        "words": prompt.body,
    }  # fmt: skip


def _told(released: Released) -> str:
    """Where released code has the words; `--prompts-from` takes them from there."""
    where = ", ".join(filter(None, (released.within, released.name)))
    return f"{released.repository}: {released.file}" + (f" ({where})" if where else "")
