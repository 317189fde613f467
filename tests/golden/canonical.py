"""Results as they are kept and compared: numbers and ids, without sentences and without what a machine decides.

A sentence (a string with a space, but for names of groups and the like) is kept as `…`, which equals any words; a
number equals one within 1e-9 of it; a list holds as many things in the same order. A key more is no difference, as
keys may be added, but where keys are themselves findings (benchmarks, analyses, groups).
"""

import json
import math
from collections.abc import Iterator
from typing import Any, NamedTuple

WORDS = "…"
NAMES = frozenset(
    {"benchmark", "continent", "domain", "group", "item", "label", "model", "name", "region", "topic", "wvs_group"}
)
"""Keys whose strings are names, spaces or not."""
DROPPED = frozenset({"ended", "judged_again_from", "made", "mores", "seconds", "started"})
"""Keys of what a machine, a day or a version decides."""
FINDINGS = frozenset({"analyses", "benchmarks", "group", "reliability", "ungraded"})
"""Keys of objects whose keys are findings themselves: one more is a difference."""
RELATIVE, NOTHING = 1e-9, 2e-10
"""What is kept of a figure near nothing: estimates have ten decimals."""
LONGEST = 180


class Difference(NamedTuple):
    """Where two results differ."""

    path: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.path}: {self.before} -> {self.after}"


def canonical(value: Any, key: str = "") -> Any:
    """The value as it is kept."""
    match value:
        case dict():
            return {name: canonical(value[name], name) for name in sorted(value) if name not in DROPPED}
        case list():
            return [canonical(each, key) for each in value]
        case float():
            return float(f"{value:.12g}")
        case str():
            return WORDS if " " in value.strip() and key not in NAMES else value
        case _:
            return value


def differences(before: Any, after: Any, path: str = "", key: str = "") -> Iterator[Difference]:
    """Every place where they differ; both are canonical."""
    match before, after:
        case dict(), dict():
            yield from _of_objects(before, after, path, key)
        case list(), list() if len(before) == len(after):
            for n, (a, b) in enumerate(zip(before, after, strict=True)):
                yield from differences(a, b, f"{path}[{n}]", key)
        case list(), list():
            yield Difference(path, f"{len(before)} entries", f"{len(after)} entries")
        case (bool(), _) | (_, bool()):
            yield from _unless(before is after, path, before, after)
        case (int() | float(), int() | float()):
            near = math.isclose(before, after, rel_tol=RELATIVE, abs_tol=NOTHING)
            yield from _unless(near, path, before, after)
        case str(), str():
            yield from _unless(before in {WORDS, after}, path, before, after)
        case _:
            yield from _unless(before == after, path, before, after)


def _of_objects(before: dict[str, Any], after: dict[str, Any], path: str, key: str) -> Iterator[Difference]:
    for name, value in before.items():
        if name in after:
            yield from differences(value, after[name], f"{path}.{name}", name)
        else:
            yield Difference(f"{path}.{name}", _short(value), "no such key")
    if key in FINDINGS:
        for name in after.keys() - before.keys():
            yield Difference(f"{path}.{name}", "no such key", _short(after[name]))


def _unless(same: bool, path: str, before: Any, after: Any) -> Iterator[Difference]:
    if not same:
        yield Difference(path, _short(before), _short(after))


def _short(value: Any) -> str:
    told = json.dumps(value, ensure_ascii=False)
    return told if len(told) <= 60 else f"{told[:59]}…"


def written(value: Any) -> str:
    """The value as JSON with sorted keys: objects of a list that have equal keys are a table, a line each."""
    return f"{_laid_out(_folded(value))}\n"


def read(text: str) -> Any:
    """What was written."""
    return json.loads(text, object_hook=_unfolded)


def _folded(value: Any) -> Any:
    match value:
        case dict():
            return {name: _folded(each) for name, each in value.items()}
        case [dict() as first, _, *_] if first and all(isinstance(o, dict) and o.keys() == first.keys() for o in value):
            columns = sorted(first)
            return {"columns": columns, "rows": [[_folded(each[name]) for name in columns] for each in value]}
        case list():
            return [_folded(each) for each in value]
        case _:
            return value


def _unfolded(found: dict[str, Any]) -> Any:
    if found.keys() != {"columns", "rows"}:
        return found
    return [dict(zip(found["columns"], row, strict=True)) for row in found["rows"]]


def _laid_out(value: Any, indent: int = 0) -> str:
    flat = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    if len(flat) + indent <= LONGEST or not isinstance(value, dict | list):
        return flat
    pad = "\n" + " " * (indent + 1)
    if isinstance(value, dict):
        inner = [f"{json.dumps(k, ensure_ascii=False)}:{_laid_out(value[k], indent + 1)}" for k in sorted(value)]
        return "{" + pad + f",{pad}".join(inner) + "}"
    return "[" + pad + f",{pad}".join(_laid_out(each, indent + 1) for each in value) + "]"
