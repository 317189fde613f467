"""The pipeline of packs: a norm through questions, scenes, a talk and an open question, each checked, and a mask.

norm ─▶ what its base does not say ─▶ four parts, each written, checked by another model and written anew twice at most
─▶ words that hide the place ─▶ a norm of a pack, in a TOML file for each place, as the bundled pack has them
"""

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec

from mores.benchmarks.data_tables import hash_tables
from mores.core.codec import digest
from mores.core.errors import InputError
from mores.models.cast import Cast
from mores.models.registry import is_simulated
from mores.norms.places import find, place
from mores.pipelines.duplicates import public_texts
from mores.pipelines.funnel import Kept, KeptOrDropped, counted
from mores.pipelines.ladder.draft import (
    AskedQuestion,
    AskedScene,
    ItemPlan,
    MaskDraft,
    Open,
    PackNormFields,
    Questions,
    Scenes,
    TalkDraft,
    plan_of,
)
from mores.pipelines.ladder.prompts import (
    CHECKS,
    PROMPTS,
    WRITES,
    NormContext,
    WritingStep,
    open_part,
    prompt,
    questions_part,
    scenes_part,
    talk_part,
    write_about,
    write_mask,
)
from mores.pipelines.ladder.release import pack_file
from mores.pipelines.norms.norm_base_file import BuiltNorm
from mores.pipelines.norms.sources import STAGE as IMPORT
from mores.pipelines.norms.sources import gather
from mores.pipelines.pipeline import Pipeline, Release
from mores.pipelines.unit_context import (
    CHECKER,
    EARLIER_LETTERS,
    REPAIRS,
    TRIES,
    WRITER,
    PromptUse,
    UnitContext,
    WriterReply,
    all_of,
    check_counts,
    estimated_calls,
)

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


ABOUT, MASK = "about", "mask"
STAGES = (IMPORT, ABOUT, "questions", "scenes", "talk", "open", MASK)
REJECTED = "the checker finds that it does not hold"
_TIMES = {"truths": 2, "label": 3}
ASKED = {
    WRITER: tuple(PromptUse(name, letters=EARLIER_LETTERS) for name in WRITES),
    CHECKER: tuple(PromptUse(name, _TIMES.get(name, 1), EARLIER_LETTERS) for name in CHECKS),
}
"""Of each role, where every reply can be used and no part is written anew."""
W = TypeVar("W", bound=WriterReply)


def ladder_pipeline(
    norms: str, writer: str, checker: str, *, against: tuple[Path, ...] = (), limit: int | None = None
) -> Pipeline[BuiltNorm, BuiltNormItems]:
    """The pipeline of packs of so many norms at most, by models.

    `norms` is a norm base (its folder or file), the folder of a pack, `pack` for the bundled one, or a table of
    CultureBank, CultureAtlas, CultureForest's norms, NormAd's rules or one's own. Gates hold what comes out against the
    public tables `against`.

    Raises:
        InputError: the norms cannot be read, there is none, the limit is no number above 0, or the
            checker is the model that writes.
    """
    if checker == writer:
        raise InputError(f"--checker {checker}: it writes too; expected another model to check.")
    check_counts(limit=limit)
    imported = gather([norms])
    units = sorted(imported.norms, key=lambda norm: norm.id)[:limit]
    if not units:
        raise InputError(f"--norms {norms}: no norm of a place that is known; expected one at least.")
    roles = {WRITER: writer, CHECKER: checker}
    simulated = imported.simulated or any(map(is_simulated, roles.values()))
    return Pipeline[BuiltNorm, BuiltNormItems](
        name="ladder",
        stages=STAGES,
        units=units,
        make=_build,
        estimate=lambda norm: estimated_calls(prompt, norm.statement, ASKED),
        release=lambda built: release(built, f"Norms of {', '.join(imported.made_from)}", simulated=simulated),
        public=public_texts(against),
        roles=roles,
        prompts=tuple(map(prompt, PROMPTS)),
        made_from=imported.made_from | hash_tables(against),
        dropped_before=imported.dropped,
        settings={"limit": limit, "against": [path.name for path in against]},
        licences=imported.licences,
        from_simulated=imported.simulated,
    )


async def _build(norm: BuiltNorm, cast: Cast) -> KeptOrDropped[BuiltNormItems]:
    """One norm with its items, or where their making ended."""
    slots = {
        "place": place(norm.place).name, "norm": norm.statement,
        "holds_for": norm.subgroup or f"many people in {place(norm.place).name}",
    }  # fmt: skip
    context, plan = UnitContext(unit=norm, slots=slots, voice=cast, prompt=prompt), plan_of(norm.id)
    about = await context.at(ABOUT).tried(write_about)
    questions, scenes, talk, asked = await all_of(
        _accepted(context, questions_part()),
        _accepted(context, scenes_part(plan)),
        _accepted(context, talk_part(plan)),
        _accepted(context, open_part()),
    )
    texts = (*questions.part.texts, *scenes.part.texts, *talk.part.texts, asked.part.question)
    mask = await context.at(MASK).tried(lambda context: write_mask(context, texts))
    rewritten = questions.rewritten + scenes.rewritten + talk.rewritten + asked.rewritten
    return Kept(
        BuiltNormItems(norm=norm, plan=plan, about=about, questions=questions.part, scenes=scenes.part, talk=talk.part,
             open=asked.part, mask=mask, rewritten=rewritten)
    )  # fmt: skip


class _Accepted(NamedTuple, Generic[W]):
    """A part that the checker accepts, and the number of times it was written anew."""

    part: W
    rewritten: int


async def _accepted(context: NormContext, part: WritingStep[W]) -> _Accepted[W]:
    """A part, written until the checker accepts it; its writer is given the fault of the last one."""
    context, fault = context.at(part.name), ""
    for turn in range(REPAIRS + 1):
        # Every turn has numbers of its own, or the journal would give back the reply that was rejected.
        written = await context.after(turn * TRIES, fault).tried(part.write)
        fault = await part.check(context.after(turn), written)
        if not fault:
            return _Accepted(written, turn)
    raise context.ended(REJECTED, fault)


def release(built: Sequence[BuiltNormItems], name: str, *, simulated: bool) -> Release:
    """The pack, and what its datasheet says of it."""
    ordered = sorted(built, key=lambda each: each.id)
    version = digest([each.id for each in ordered] + [_table(each) for each in ordered], length=12)
    header = {"id": f"built-{version}", "name": f"{name}{' (simulated)' if simulated else ''}", "version": version}
    files = {f"{PACK}/pack.toml": pack_file(header)}
    for home, rows in groupby(ordered, key=lambda each: each.norm.place):
        norms = list(rows)
        files[f"{PACK}/{home}.toml"] = pack_file(
            {"place": home, "norm": list(map(_table, norms)), "bundle": list(map(_bundle, norms))}
        )
    return Release(files=files, facts=_facts(ordered, version), gated=PACK if ordered else "")


def _table(built: BuiltNormItems) -> dict[str, Any]:
    """One table `[[norm]]`; what the base says of the norm goes before what the writer says."""
    norm, about = built.norm, built.about
    more = {"subgroup": norm.subgroup} if norm.subgroup else {}
    agreed = {"agreement": norm.agreement} if norm.agreement is not None else {}
    *judged, explained = zip(built.scenes.three, built.plan.scenes, strict=True)
    return {
        "id": built.id,
        "domain": norm.domain or about.domain,
        "topic": norm.topic or about.topic,
        "statement": norm.statement,
        "negation": norm.negation or about.negation,
        "strictness": norm.strictness or about.strictness,
        **more,
        **agreed,
        "courtesy": about.courtesy,
        "masked": built.mask.table,
        # Nobody looked the norm up for this pack: its base says where it is from, by its id there.
        "source": [{"title": norm.source or norm.id, "url": "", "looked_up": "", "verified": False, "found": norm.id}],
        "know": [_question(each) for each in built.questions.both],
        "judge": [
            _scene(each) | {"label": planned.label, "why": each.why}
            | ({"unmet": each.unmet} if planned.label == "neutral" else {})
            for each, planned in judged
        ],
        "explain": _scene(explained[0]) | {
            "label": explained[1].label, "reference": explained[0].why, "elements": list(built.scenes.elements),
            "thin": built.scenes.thin,
        },
        "converse": _talk(built),
        "live": {"kind": built.talk.kind, "task": built.talk.task},
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


def _talk(built: BuiltNormItems) -> dict[str, Any]:
    talk = built.talk
    return {
        "scene": talk.scene,
        "other": {"name": talk.other.name, "who": talk.other.who, "local": talk.local},
        "you": {"name": talk.you.name, "who": talk.you.who},
        "proposal": talk.proposal,
        "goal": talk.goal,
        "harmless": built.plan.harmless,
    }


def _bundle(built: BuiltNormItems) -> dict[str, Any]:
    """A norm as a bundle of its own: an open question, and a day with one task."""
    answers = {name: getattr(built.open, name) for name in ("satisfied", "neutral", "violated")}
    masked = {"masked": built.mask.table} if built.mask.table else {}
    return {"id": f"{built.id}-open", "question": built.open.question, **masked, "norm": [{"id": built.id, **answers}]}


def _facts(built: Sequence[BuiltNormItems], version: str) -> dict[str, object]:
    """Datasheet entries of the pack."""
    return {
        "version": version,
        "norms": len(built),
        "by_place": counted([each.norm.place for each in built]),
        "by_domain": counted([each.norm.domain or each.about.domain for each in built]),
        "courtesy": counted([each.about.courtesy for each in built]),
        "harmless": sum(each.plan.harmless for each in built),
        "said_by_the_writer": {
            name: sum(not getattr(each.norm, name) for each in built)
            for name in ("negation", "domain", "topic", "strictness")
        },
        "rewritten": sum(each.rewritten for each in built),
    }
