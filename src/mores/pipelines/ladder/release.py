"""A pack out of norms and their items: a TOML file for each place, as the bundled pack has them."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

import msgspec
import tomli_w

from mores.core.codec import digest
from mores.norms.places import find
from mores.pipelines.funnel import counted
from mores.pipelines.ladder.draft import (
    AskedQuestion,
    AskedScene,
    MaskDraft,
    Open,
    PackNormFields,
    Questions,
    Scenes,
    TalkDraft,
)
from mores.pipelines.ladder.plan import ItemPlan
from mores.pipelines.norms.norm_base_file import BuiltNorm
from mores.pipelines.pipeline import Release

PACK = "pack"
WIDTH = 10**6
"""TOML keeps a text in one line."""


class BuiltNormItems(msgspec.Struct, frozen=True, kw_only=True):
    """A norm with all its items; `rewritten` counts the parts that were written anew as the checker had them wrong."""

    norm: BuiltNorm
    plan: ItemPlan
    about: PackNormFields
    questions: Questions
    scenes: Scenes
    talk: TalkDraft
    open: Open
    mask: MaskDraft
    rewritten: int

    @property
    def id(self) -> str:
        """Its id in the pack: PLACE-domain-hash, by what the norm is called where it comes from."""
        return f"{self.norm.place}-{self.norm.domain or self.about.domain}-{digest(self.norm.id, length=8)}"


def release(made: Sequence[BuiltNormItems], name: str, *, simulated: bool) -> Release:
    """The pack, and what its datasheet says of it."""
    ordered = sorted(made, key=lambda each: each.id)
    version = digest([each.id for each in ordered] + [_table(each) for each in ordered], length=12)
    header = {"id": f"built-{version}", "name": f"{name}{' (simulated)' if simulated else ''}", "version": version}
    files = {f"{PACK}/pack.toml": _toml(header)}
    for place, rows in groupby(ordered, key=lambda each: each.norm.place):
        each = list(rows)
        files[f"{PACK}/{place}.toml"] = _toml(
            {"place": place, "norm": [_table(one) for one in each], "bundle": [_bundle(one) for one in each]}
        )
    return Release(files=files, facts=_facts(ordered, version), gated=PACK if ordered else "")


def _toml(table: dict[str, Any]) -> bytes:
    return tomli_w.dumps(table).encode()


def _table(made: BuiltNormItems) -> dict[str, Any]:
    """One table `[[norm]]`; what the base says of the norm goes before what the writer says."""
    norm, about = made.norm, made.about
    more = {"subgroup": norm.subgroup} if norm.subgroup else {}
    agreed = {"agreement": norm.agreement} if norm.agreement is not None else {}
    *judged, explained = zip(made.scenes.three, made.plan.scenes, strict=True)
    return {
        "id": made.id,
        "domain": norm.domain or about.domain,
        "topic": norm.topic or about.topic,
        "statement": norm.statement,
        "negation": norm.negation or about.negation,
        "strictness": norm.strictness or about.strictness,
        **more,
        **agreed,
        "courtesy": about.courtesy,
        "masked": made.mask.table,
        # Nobody looked the norm up for this pack: its base says where it is from, by its id there.
        "source": [{"title": norm.source or norm.id, "url": "", "looked_up": "", "verified": False, "found": norm.id}],
        "know": [_question(each) for each in made.questions.both],
        "judge": [
            _scene(each) | {"label": wanted.label, "why": each.why}
            | ({"unmet": each.unmet} if wanted.label == "neutral" else {})
            for each, wanted in judged
        ],
        "explain": _scene(explained[0]) | {
            "label": explained[1].label, "reference": explained[0].why, "elements": list(made.scenes.elements),
            "thin": made.scenes.thin,
        },
        "converse": _talk(made),
        "live": {"kind": made.talk.kind, "task": made.talk.task},
    }  # fmt: skip


def _question(asked: AskedQuestion) -> dict[str, Any]:
    options = [
        {"text": option.text, "true": option.true}
        | ({"elsewhere": find(option.elsewhere).id} if option.elsewhere and not option.true else {})
        for option in asked.options
    ]
    return {"question": asked.question, "options": options}


def _scene(scene: AskedScene) -> dict[str, Any]:
    return {"story": scene.story, "question": scene.question}


def _talk(made: BuiltNormItems) -> dict[str, Any]:
    talk = made.talk
    return {
        "scene": talk.scene,
        "other": {"name": talk.other.name, "who": talk.other.who, "local": talk.local},
        "you": {"name": talk.you.name, "who": talk.you.who},
        "proposal": talk.proposal,
        "goal": talk.goal,
        "harmless": made.plan.harmless,
    }


def _bundle(made: BuiltNormItems) -> dict[str, Any]:
    """A norm as a bundle of its own: an open question, and a day with one task."""
    answers = {name: getattr(made.open, name) for name in ("satisfied", "neutral", "violated")}
    masked = {"masked": made.mask.table} if made.mask.table else {}
    return {"id": f"{made.id}-open", "question": made.open.question, **masked, "norm": [{"id": made.id, **answers}]}


def _facts(made: Sequence[BuiltNormItems], version: str) -> dict[str, object]:
    """Datasheet entries of the pack."""
    return {
        "version": version,
        "norms": len(made),
        "by_place": counted([each.norm.place for each in made]),
        "by_domain": counted([each.norm.domain or each.about.domain for each in made]),
        "courtesy": counted([each.about.courtesy for each in made]),
        "harmless": sum(each.plan.harmless for each in made),
        "said_by_the_writer": {
            name: sum(not getattr(each.norm, name) for each in made)
            for name in ("negation", "domain", "topic", "strictness")
        },
        "rewritten": sum(each.rewritten for each in made),
    }
