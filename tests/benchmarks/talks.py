"""Scenes of SocialCC in its layout, and talks in which everybody says what a test wants."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mores.benchmarks import catalogue
from mores.benchmarks.shapes.dialogues.dialogue import DialogueItem
from mores.models.request import Request
from tests.benchmarks.plays import TINY, Say, setting_of

NAME = "socialcc/dialogue"
TABLE = TINY / "socialcc" / "socialcc.csv"
Said = Mapping[str, str | Mapping[str, str]]
"""The judge's words by what it is asked about."""
JUDGED = ("awareness", "commonsense", "value", "goal", "respected", "respected_both", "behaviour")


def rows() -> list[dict[str, str]]:
    with TABLE.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def written(path: Path, table: Sequence[Mapping[str, str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, list(table[0]))
        writer.writeheader()
        writer.writerows(table)
    return path


def items_of(path: Path, **settings: str) -> list[Any]:
    benchmark = catalogue.load(NAME)
    chosen = {**benchmark.card.protocol.settings, **settings}
    return list(benchmark.items(setting_of(benchmark, path, settings=chosen)))


def talk(antagonist: Sequence[str], subject: Sequence[str | None], verdicts: Said | None = None) -> Say:
    """Both sides say these lines, the last for ever, and the judge these words by what it is asked about."""

    def say(request: Request) -> str | None:
        tag = request.tag
        if tag.role == "judge":
            return ruling(verdicts or {}, request)
        lines: Sequence[str | None] = subject if tag.role == "subject" else antagonist
        return lines[min(tag.step, len(lines) - 1)]

    return say


def ruling(verdicts: Said, request: Request) -> str:
    """The judge's words on the judgement that stands at this step; a fault where there are none."""
    task = ("awareness", "commonsense", "value", "behaviour")[request.tag.step // 4]
    said = verdicts.get(task, "")
    if isinstance(said, str):
        return f'{{"reason":"Round 2 decides it.","choice":"{said}"}}' if said else "I cannot say."
    each = (f'{{"id":"{name}","reason":"Round 3 decides it.","choice":"{word}"}}' for name, word in said.items())
    return f'{{"answers":[{",".join(each)}]}}'


GOOD: Said = {
    "awareness": "yes",
    "commonsense": "correct",
    "value": "yes",
    "behaviour": {"goal": "yes", "respected": "yes", "respected_both": "yes"},
}
TURNS = ["Hello.", "Four bowls?", "Anything amiss?", "OK. GOOD BYE!"]


def told(item: DialogueItem, role: str) -> str:
    """What a side is told before the talk."""
    part = item.subject if role == "subject" else item.antagonist
    return part.persona().brief
