"""The house speaks one language: a name is one thing's, docstrings say what a thing is, coined words are gone."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

HOUSE = Path(__file__).parent.parent / "src" / "mores"
ROOMS = sorted(each.name for each in HOUSE.iterdir() if each.is_dir() and each.name != "__pycache__")
MODULES = {
    path.relative_to(HOUSE): ast.parse(path.read_text("utf-8"))
    for path in sorted(HOUSE.rglob("*.py"))
    if "migrations" not in path.parts
}
QUESTIONS = {
    "how", "what", "whatever", "when", "where", "whether", "which", "who", "whoever", "whom", "whose", "why",
}  # fmt: skip
RETIRED = {
    "told", "said", "heard", "jot", "heed", "insist", "knock", "deaf", "twin", "twins", "dice", "deal", "deals",
    "likeness", "torn", "beside", "apart", "manners", "deed", "deeds", "wish", "brake", "sitting", "tray", "park",
    "parked", "parking", "patience", "silence", "wire", "plainly", "packing", "weighing", "looking", "telling",
    "lived", "possessed", "lacking", "stood", "climb", "climbs", "fallen", "foresee", "foreseen", "sealed",
    "abouts", "desk", "seat", "lot", "luck", "ground", "settled", "standing", "hearing", "mended", "untold",
    "faulty", "unlike", "worse",
}  # fmt: skip
"""Words of an earlier house that were nobody's but ours: each has a term of the field in its place."""
STORED = {
    "core/card.py": {"told", "beside"}, "core/estimate.py": {"told"}, "core/transcript.py": {"deed"},
    "core/verdict.py": {"said", "mended"}, "studio/models/work.py": {"likeness"},
}  # fmt: skip
"""Fields of stored files, and columns of the database, whose names stay: others read them."""
TERMS = {"cli/report.py": {"fail_if_worse"}}
"""Words of the field that happen to be among them: a flag of the command line."""
DJANGO = {"Meta", "Migration"}


def _public(tree: ast.Module) -> Iterator[str]:
    """Names of classes and of aliases of types that stand at the top of a module."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if isinstance(target, ast.Name) and target.id[0].isupper() and not target.id.isupper():
                yield target.id


def test_a_public_class_or_alias_has_a_name_of_its_own() -> None:
    places = defaultdict(list)
    for path, tree in MODULES.items():
        for name in _public(tree):
            if not name.startswith("_") and name not in DJANGO:
                places[name].append(str(path))
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


@pytest.mark.parametrize("room", ROOMS)
def test_a_docstring_begins_with_a_noun_or_a_verb(room: str) -> None:
    asking = [
        f"{path}: {first}"
        for path, tree in MODULES.items() if path.parts[0] == room
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        if (first := (ast.get_docstring(node) or "").partition("\n")[0])
        if re.split(r"\W", first, maxsplit=1)[0].lower() in QUESTIONS
    ]  # fmt: skip
    assert asking == []


def _words(name: str) -> set[str]:
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)}


def _identifiers(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Names that a module defines: of classes, functions, parameters, fields and variables."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.lineno, node.name
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.attr


@pytest.mark.parametrize("room", ROOMS)
def test_a_coined_word_names_nothing(room: str) -> None:
    coined = [
        f"{path}:{line}: {name}"
        for path, tree in MODULES.items() if path.parts[0] == room
        for line, name in [(0, path.stem), *_identifiers(tree)]
        if _words(name) & RETIRED and name not in STORED.get(str(path), ()) and name not in TERMS.get(str(path), ())
    ]  # fmt: skip
    assert coined == []
