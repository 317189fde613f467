"""docs/cli-reference.md has every verb with all its flags: where one changes, `python -m tests.cli.test_reference`."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mores.cli.app import VERBS
from mores.cli.flags import command_of
from mores.runs.options import PANELS

DOCUMENT = Path(__file__).parents[2] / "docs" / "cli-reference.md"
HEAD = """# Every verb and flag

Written by `python -m tests.cli.test_reference`, from what `mores VERB --help` prints; what the verbs are for stands in
[The command line](cli.md).
"""


def reference() -> str:
    """The document: a section a verb, a table a panel of its options."""
    verbs = ((words, command_of(words, verb.act)) for words, verb in VERBS.items() if verb.act)
    return "\n".join([HEAD, *(line for words, command in verbs for line in section(words, command))])


def section(words: str, command: Any) -> Iterator[str]:
    parameters = [each for each in command.params if each.name != "help"]
    arguments = [each for each in parameters if each.param_type_name == "argument"]
    usage = " ".join([words, *(each.metavar for each in arguments)])
    yield from (f"## mores {words}", "", f"`mores {usage} [OPTIONS]`", "", " ".join(command.help.split()), "")
    panels: dict[str, list[str]] = {name: [] for name in PANELS}
    for each in parameters:
        panel = "Arguments" if each in arguments else each.rich_help_panel or "Options"
        panels[panel].append(f"| {flag(each)} | {cell(each.help)}{default(each)} |")
    for name, rows in panels.items():
        if rows:
            yield from (f"| {name} | |", "|---|---|", *rows, "")


def flag(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return f"`{cell(parameter.metavar)}`"
    names = ", ".join(f"`{name}`" for name in (*parameter.opts, *parameter.secondary_opts))
    return names if parameter.is_flag else f"{names} {cell(parameter.metavar)}"


def default(parameter: Any) -> str:
    """The value where none is typed; none that is empty, or that the words before say."""
    known = parameter.default
    if parameter.required and parameter.param_type_name == "option":
        return " Required."
    if known in (None, False, "", ()) or parameter.required or "default" in parameter.help.lower():
        return ""
    return f" Default: {'on' if known is True else known}."


def cell(text: str) -> str:
    return text.replace("|", "\\|")


def test_the_reference_has_every_verb_and_flag_as_it_is_now() -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == reference(), "python -m tests.cli.test_reference writes it anew"


if __name__ == "__main__":
    DOCUMENT.write_text(reference(), encoding="utf-8")
