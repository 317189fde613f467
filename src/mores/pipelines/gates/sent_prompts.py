"""Prompts of a pack as they are sent: each item of each rung, plain and under each control, with all that fills it.

A pack ─▶ the benchmark's own items ─▶ the words that a subject, or the other of a talk, is put.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from mores.benchmarks.benchmark import Setting
from mores.benchmarks.controls import HasControls, controls_of, under_control
from mores.benchmarks.ladder.benchmark import benchmark
from mores.benchmarks.ladder.scores import norm_of
from mores.benchmarks.shapes.days.grading import DayItem
from mores.benchmarks.shapes.dialogues.dialogue import DialogueItem
from mores.core.card import Control
from mores.core.languages import ENGLISH
from mores.core.seeds import Seed
from mores.norms.pack import Pack
from mores.norms.remove_place import ControlExclusion
from mores.pipelines.gates.gate import GateItem

RUNGS = ("know", "judge", "explain", "apply", "converse", "live")


class SentPrompt(NamedTuple):
    """Words that one role is put for an item, plain or under a control; `owner` is the norm or bundle that it is of."""

    item: GateItem
    owner: str
    control: Control | None
    text: str


class SentPrompts(NamedTuple):
    """All prompts of a pack, and the items that the control `masked` leaves out, each with the reason."""

    prompts: tuple[SentPrompt, ...]
    unmasked: dict[GateItem, str]


def sent_prompts(pack: Pack) -> SentPrompts:
    """All prompts of a pack, on each rung that it has items for.

    A day of live has no words of its own before it begins: of it there is what its resident is told.
    """
    prompts: list[SentPrompt] = []
    unmasked: dict[GateItem, str] = {}
    for rung in (rung for rung in RUNGS if _has_items(rung, pack)):
        asked = benchmark(rung, packs=lambda _setting: pack)
        setting = Setting(data=None, protocol=asked.card.protocol, seed=Seed("gates/sent"))
        items = asked.items(setting)
        prompts += (each for item in items for each in _put(item, None))
        for control in controls_of(asked):
            assert isinstance(asked, HasControls)
            kept = under_control(control, asked, items, setting).items
            prompts += (each for item in kept for each in _put(item, control))
            if control == "masked":
                put = asked.controls[control].make(setting)
                left = ((item, put(item)) for item in items)
                unmasked |= {_named(item): other.why for item, other in left if isinstance(other, ControlExclusion)}
    return SentPrompts(tuple(prompts), unmasked)


def _has_items(rung: str, pack: Pack) -> bool:
    if rung == "live" and pack.language != ENGLISH:
        return False
    if rung in {"apply", "live"}:
        return bool(pack.bundles)
    return any(getattr(entry, rung) for entry in pack.norms)


def _put(item: Any, control: Control | None) -> Iterator[SentPrompt]:
    match item:
        case DialogueItem():
            texts: tuple[str, ...] = (item.subject.brief, item.antagonist.brief)
        case DayItem():
            texts = (item.preface,) if item.preface else ()
        case _:
            texts = (item.render(),)
    owner = item.about.cluster if isinstance(item, DayItem) or item.about.item.startswith("apply-") else ""
    named = _named(item)
    yield from (SentPrompt(named, owner or norm_of(item.about.unit), control, text) for text in texts)


def _named(item: Any) -> GateItem:
    about = item.about
    return GateItem(id=about.item, norm=about.cluster, place=about.place or "")
