"""Published words of prompts out of a checkout of the repository that released them: read, never run.

A prompt's header says in which file they stand, in which variable or under which key, and which slots of theirs are
which of ours (`core.prompt.Released`).
"""

import ast
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from mores.benchmarks.data_tables import filled, read_table
from mores.core.codec import read_text
from mores.core.errors import InputError
from mores.core.prompt import Prompt, Released, Wording

_OPEN, _CLOSE = "\ue000", "\ue001"
"""What stands around a name of theirs until it is known which of ours it is."""
_THEIRS = re.compile(f"{_OPEN}(.*?){_CLOSE}")
_BRACES = {".txt": re.compile(r"\{(\{)?(\w+)\}(?(1)\})"), ".yaml": re.compile(r"(?<!\{)(\{)(\w+)\}(?!\})")}
"""How a slot is written in files that are no code: in double braces or single ones."""
_IN_BRACES = re.compile(r"\{(\w+)\}")
"""How it is written in a cell of a table."""
FORM = "form"


def words_of_checkout(folder: Path, prompts: Iterable[Prompt]) -> dict[str, Wording]:
    """The published words of those prompts that a checkout has, by their names.

    A judge's words get the form of our verdicts at their end, as that is what is read, unless they may do without.

    Raises:
        InputError: the folder is no checkout of a repository that released any of them, one of the files is not there,
            or what it has cannot be read as words with slots that are known.
    """
    sought = {p.header.name: (p, p.header.released) for p in prompts if p.header.released is not None}
    there = {released.repository for _, released in sought.values() if (folder / released.file).is_file()}
    if not there:
        files = {released.repository: released.file for _, released in reversed(sought.values())}
        sought_files = (
            ", ".join(f"{file} of {repository}" for repository, file in files.items()) or "nothing: none is released"
        )
        raise InputError(
            f"{folder}: no checkout that prompts of these benchmarks are read from; looked for {sought_files}."
        )
    return {name: _wording(folder, *each) for name, each in sought.items() if each[1].repository in there}


def _wording(folder: Path, prompt: Prompt, released: Released) -> Wording:
    path = folder / released.file
    body = _in_our_slots(_template(path, released), released, str(path)).strip("\n")
    if FORM in prompt.slots and FORM not in prompt.header.optional:
        body = f"{body.rstrip()}\n\n[[{FORM}]]"
    own = prompt.header
    header = {"name": own.name, "role": own.role, "language": own.language, "origin": released.repository,
              "fence": released.fence}  # fmt: skip
    lines = [f"{name} = {json.dumps(value)}" for name, value in header.items()]
    return Wording(text="\n".join(["+++", *lines, "+++", body, ""]), file=released.file)


def _template(path: Path, released: Released) -> str:
    """The words as they stand there, with their own slots marked."""
    text = read_text(path)
    match path.suffix:
        case ".py":
            return "".join(_parts(_assigned(text, path, released), path))
        case ".csv":
            return _of_cell(_cell(path, released), released)
        case ".yaml":
            text = _block(text, path, released.name)
    return _BRACES[path.suffix].sub(rf"{_OPEN}\2{_CLOSE}", text)


def _cell(path: Path, released: Released) -> str:
    """The cell of a table of prompts: the row whose `id` is the name, in the column that it is within.

    Raises:
        InputError: there is no such row or column.
    """
    rows = (row for row in read_table(path, ("id", released.within)) if row.cells["id"] == released.name)
    found = next(rows, None)
    if found is None:
        raise InputError(f"{path}: no row '{released.name}': its layout has changed.")
    return filled(found, released.within)


def _of_cell(text: str, released: Released) -> str:
    """The words of a cell with its slots marked: those in braces, and plain words of theirs that are slots of ours."""
    marked = _IN_BRACES.sub(rf"{_OPEN}\1{_CLOSE}", text)
    plain = [name for name in released.slots if f"{_OPEN}{name}{_CLOSE}" not in marked]
    for name in plain:
        marked = re.sub(rf"\b{re.escape(name)}\b", f"{_OPEN}{name}{_CLOSE}", marked)
    return marked


def _in_our_slots(text: str, released: Released, where: str) -> str:
    """The words with our slots for theirs; lines that hold what is one slot of ours become that slot."""
    for words in released.brackets:
        text = text.replace(f"[[{words}]]", f"{_OPEN}{words}{_CLOSE}")
    slots = {**released.slots, **released.brackets}
    if "[[" in text:
        raise InputError(f"{where}: its words have '[[', which marks slots here; take it out.")
    for ours, theirs in released.lines.items():
        text = _joined(text, ours, theirs, where)
    unknown = [name for name in _THEIRS.findall(text) if name not in slots]
    missing = [name for name in slots if f"{_OPEN}{name}{_CLOSE}" not in text]
    if unknown or missing:
        wrong = f"an unknown slot '{unknown[0]}'" if unknown else f"no slot '{missing[0]}'"
        raise InputError(f"{where}: {wrong}; expected {', '.join(slots)}: its layout has changed.")
    return _THEIRS.sub(lambda found: f"[[{slots[found[1]]}]]", text)


def _joined(text: str, ours: str, theirs: Iterable[str], where: str) -> str:
    lines = text.split("\n")
    held = [n for n, line in enumerate(lines) if any(f"{_OPEN}{name}{_CLOSE}" in line for name in theirs)]
    if not held:
        raise InputError(f"{where}: no line with {', '.join(theirs)}: its layout has changed.")
    first, last = held[0], held[-1]
    margin = lines[first][: len(lines[first]) - len(lines[first].lstrip())]
    return "\n".join([*lines[:first], f"{margin}[[{ours}]]", *lines[last + 1 :]])


def _assigned(text: str, path: Path, released: Released) -> ast.expr:
    """Value that a variable is first assigned in a class or function.

    Raises:
        InputError: the file is not Python, or there is no such assignment.
    """
    try:
        tree: ast.AST = ast.parse(text)
    # `ast.parse` raises ValueError for a null byte, and either of the last two where brackets are nested deep.
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise InputError(f"{path}: not Python ({error}).") from error
    scopes = (n for n in ast.walk(tree) if isinstance(n, ast.ClassDef | ast.FunctionDef) and n.name == released.within)
    found = [
        node
        for scope in scopes
        for node in ast.walk(scope)
        if isinstance(node, ast.Assign) and [ast.unparse(target) for target in node.targets] == [released.name]
    ]
    if not found:
        raise InputError(f"{path}: no '{released.name}' in '{released.within}': its layout has changed.")
    # `ast.walk` goes breadth first, so the first it finds need not be the first of the file.
    return min(found, key=lambda node: node.lineno).value


def _parts(value: ast.expr, path: Path) -> Iterator[str]:
    """A text with what is put into it marked by its name."""
    match value:
        case ast.Constant(value=str(text)):
            yield text
        case ast.JoinedStr(values=values):
            for part in values:
                yield from _parts(part, path)
        case ast.FormattedValue(value=put) | (ast.Subscript() as put):
            yield f"{_OPEN}{_called(put)}{_CLOSE}"
        case ast.Call(func=ast.Attribute(value=inner, attr="strip"), args=[]):
            yield "".join(_parts(inner, path)).strip()
        case _:
            raise InputError(f"{path}:{value.lineno}: no text with slots; got {ast.unparse(value)[:60]}.")


def _called(value: ast.expr) -> str:
    """The name of what is put in: of a variable, or of a column of a row."""
    match value:
        case ast.Name(id=name) | ast.Subscript(slice=ast.Constant(value=str(name))):
            return name
        case ast.Call(func=ast.Attribute(attr="get"), args=[ast.Constant(value=str(name)), *_]):
            return name
        case ast.Call(func=ast.Attribute(value=inner), args=[]):
            return _called(inner)
    return ast.unparse(value)


def _block(text: str, path: Path, key: str) -> str:
    """The text of a key whose value is a block, `key: |`, without its margin.

    Raises:
        InputError: there is no such key.
    """
    lines = text.split("\n")
    try:
        start = lines.index(f"{key}: |") + 1
    except ValueError as error:
        raise InputError(f"{path}: no '{key}: |': its layout has changed.") from error
    end = next((n for n in range(start, len(lines)) if lines[n][:1] not in {"", " "}), len(lines))
    margin = next((len(line) - len(line.lstrip()) for line in lines[start:end] if line.strip()), 0)
    return "\n".join(line[margin:] for line in lines[start:end]).strip("\n")
