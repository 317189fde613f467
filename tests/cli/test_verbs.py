"""The table of verbs: each is acted on by a function of what can be typed after it, and help is one screen."""

import subprocess
import sys

import pytest
from typer.testing import CliRunner

from mores.cli.app import DEFAULTS, OLD_VERBS, SECTIONS, VERBS, app
from mores.cli.flags import OLD_FLAGS, command_of

LEAVES = {words: verb for words, verb in VERBS.items() if verb.act}
TOP = [words for words in VERBS if " " not in words]


@pytest.mark.parametrize("words", LEAVES)
def test_every_verb_has_a_line_of_help_and_options_that_say_what_they_are(words: str) -> None:
    command = command_of(words, LEAVES[words].act)
    assert command.help
    for parameter in command.params:
        assert parameter.help, parameter.name


def test_every_group_has_verbs_and_every_verb_of_a_group_a_group() -> None:
    groups = {words for words, verb in VERBS.items() if not verb.act}
    assert {words.rpartition(" ")[0] for words in VERBS} - {""} == groups
    assert all(f"{group} {name}" in LEAVES for group, name in DEFAULTS.items())


def test_at_most_seventeen_verbs_stand_at_the_top_and_their_help_is_one_screen() -> None:
    assert len(TOP) <= 17
    assert sorted(name for names in SECTIONS.values() for name in names) == sorted(TOP)
    lines = CliRunner().invoke(app, ["--help"]).stdout.splitlines()
    assert len(lines) <= 24
    assert all(len(line) <= 80 for line in lines)
    assert all(any(VERBS[name].says in line for line in lines) for name in TOP)


def test_what_is_named_instead_of_an_old_word_is_there() -> None:
    for now in OLD_VERBS.values():
        assert all(name in VERBS for name in now.split(" or "))
    flags = {flag for each in command_of("run", VERBS["run"].act).params for flag in (*each.opts, *each.secondary_opts)}
    assert not flags & OLD_FLAGS.keys()
    for now in OLD_FLAGS.values():
        assert not now.startswith("--") or now.split()[0] in flags


def test_help_imports_no_verb() -> None:
    code = "import sys; sys.argv = ['mores', '--help']; from mores.cli.main import main\n"
    code += "try: main()\nexcept SystemExit: pass\n"
    code += (
        "print(sorted(m for m in sys.modules if m.startswith(('numpy', 'msgspec', 'pydantic', 'rich', 'mores.api'))))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
