"""`mores run` as most people type it, read without the library that reads every verb, which takes as long as a start.

Only what has one reading is read here: known flags with a value of their kind each, and names. Anything else, a slip or
`--help` among them, is left to `app`, which reads the same words in the same way and says what is wrong.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import Field, fields
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from mores.cli.args_run import RunArgs
from mores.runs.options import NameArgument, PairArgument

_NUMBERS = {int: re.compile(r"[0-9]{1,15}"), float: re.compile(r"[0-9]{1,15}(\.[0-9]{1,15})?|\.[0-9]{1,15}")}


class _Left(Exception):
    """The words are left to `app`."""


def plain_run(words: Sequence[str]) -> RunArgs | None:
    """What was typed after `mores run`; None where it is another verb, or not plain."""
    if not words or words[0] != "run":
        return None
    try:
        return _read(words[1:])
    except _Left:
        return None


def _read(words: Sequence[str]) -> RunArgs:
    known = {flag: each for each in fields(RunArgs) for flag in _flags(each)}
    given: dict[str, Any] = {}
    left = iter(words)
    for word in left:
        flag, equals, value = word.partition("=") if word.startswith("--") else (word, "", "")
        if not word.startswith("-"):
            given.setdefault("benchmarks", []).append(word)
        elif flag not in known:
            raise _Left
        else:
            _take(known[flag], value if equals else None, left, given)
    return RunArgs(**given)


def _take(known: "Field[Any]", value: str | None, left: Iterator[str], given: dict[str, Any]) -> None:
    """Put the value of a flag among what was given."""
    kind = typed_as(known)
    if kind is bool:
        if value is not None:
            raise _Left
        given[known.name] = True
        return
    word = next(left, "") if value is None else value
    if not word or word.startswith("-"):
        raise _Left
    if list[str] in get_args(kind):
        given.setdefault(known.name, []).append(word)
    else:
        given[known.name] = _value(word, kind)


def _value(word: str, kind: Any) -> Any:
    """A value of a kind; of a few kinds, of the first that it is."""
    if kind in {str, Path}:
        return kind(word)
    if kind in _NUMBERS and _NUMBERS[kind].fullmatch(word):
        return kind(word)
    if get_origin(kind) is Literal and word in get_args(kind):
        return word
    inner = [each for each in get_args(kind) if each is not type(None)]
    if type(None) in get_args(kind) and len(inner) == 1:
        return _value(word, inner[0])
    raise _Left


def _flags(known: "Field[Any]") -> tuple[str, ...]:
    """How an option is typed; nothing for a name, or for one that has a `--no-` of its own."""
    flags = known.metadata["flags"]
    if flags is None or (not flags and bool in {typed_as(known), *get_args(typed_as(known))}):
        return ()
    return flags or (f"--{known.name.replace('_', '-')}",)


def typed_as(known: "Field[Any]") -> Any:
    """What a shell can say of a value that a program says in its own way."""
    kind = known.metadata["typed"] or known.type
    if kind in {NameArgument, PairArgument, PairArgument | str}:
        return list[str] | None
    if {str, Path} <= set(get_args(kind)):
        return Path | None if type(None) in get_args(kind) else Path
    return str | None if kind == int | str | None else kind
