"""Doctests of docstrings as examples: griffe, which reads docstrings for the site, would take them for quotations."""

import re

import griffe

DOCTEST = re.compile(r"^>>> .*(?:\n.+)*", re.MULTILINE)


class Doctests(griffe.Extension):
    """A section `Examples:` round each doctest that has none."""

    def on_object(self, *, obj: griffe.Object, **_: object) -> None:
        """Put the section into a docstring as it is read."""
        if obj.docstring:
            obj.docstring.value = DOCTEST.sub(_section, obj.docstring.value)


def _section(found: re.Match[str]) -> str:
    return "Examples:\n" + "\n".join(f"    {line}" for line in found[0].splitlines())
