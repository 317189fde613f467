"""The pipeline of packs: a norm through questions, scenes, a talk and an open question, each checked, and a mask.

norm ─▶ what its base does not say ─▶ four parts, each written, checked by another model and written anew twice at most
─▶ words that hide the place ─▶ a norm of a pack
"""

from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from mores.benchmarks.data_tables import hash_tables
from mores.core.errors import InputError
from mores.models.cast import Cast
from mores.models.registry import is_simulated
from mores.norms.places import place
from mores.pipelines.duplicates import public_texts
from mores.pipelines.funnel import Kept, KeptOrDropped
from mores.pipelines.ladder.plan import plan_of
from mores.pipelines.ladder.prompts import (
    CHECKS,
    PROMPTS,
    WRITES,
    Desk,
    WritingStep,
    open_part,
    prompt,
    questions_part,
    scenes_part,
    talk_part,
    write_about,
    write_mask,
)
from mores.pipelines.ladder.release import BuiltNormItems, release
from mores.pipelines.norms.norm_base_file import BuiltNorm
from mores.pipelines.norms.sources import STAGE as IMPORT
from mores.pipelines.norms.sources import gather
from mores.pipelines.pipeline import Pipeline
from mores.pipelines.roles import CHECKER, WRITER, check_counts
from mores.pipelines.unit_context import TRIES, PromptUse, UnitContext, WriterReply, all_of, estimated_calls

REPAIRS = 2
ABOUT, MASK = "about", "mask"
STAGES = (IMPORT, ABOUT, "questions", "scenes", "talk", "open", MASK)
KEPT_BAD = "the checker finds that it does not hold"
_LETTERS, _TIMES = 1200, {"truths": 2, "label": 3}
ASKED = {
    WRITER: tuple(PromptUse(name, letters=_LETTERS) for name in WRITES),
    CHECKER: tuple(PromptUse(name, _TIMES.get(name, 1), _LETTERS) for name in CHECKS),
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
    found = gather([norms])
    units = sorted(found.norms, key=lambda norm: norm.id)[:limit]
    if not units:
        raise InputError(f"--norms {norms}: no norm of a place that is known; expected one at least.")
    roles = {WRITER: writer, CHECKER: checker}
    simulated = found.simulated or any(map(is_simulated, roles.values()))
    return Pipeline[BuiltNorm, BuiltNormItems](
        name="ladder",
        stages=STAGES,
        units=units,
        make=_made,
        outline=lambda norm: estimated_calls(prompt, norm.statement, ASKED),
        out_of=lambda made: release(made, f"Norms of {', '.join(found.made_from)}", simulated=simulated),
        public=public_texts(against),
        roles=roles,
        prompts=tuple(map(prompt, PROMPTS)),
        made_from=found.made_from | hash_tables(against),
        dropped_before=found.dropped,
        settings={"limit": limit, "against": [path.name for path in against]},
        licences=found.licences,
        of_simulated=found.simulated,
    )


async def _made(norm: BuiltNorm, cast: Cast) -> KeptOrDropped[BuiltNormItems]:
    """One norm with its items, or where their making ended."""
    slots = {
        "place": place(norm.place).name, "norm": norm.statement,
        "holds_for": norm.subgroup or f"many people in {place(norm.place).name}",
    }  # fmt: skip
    context, plan = UnitContext(unit=norm, slots=slots, voice=cast, prompt=prompt), plan_of(norm.id)
    about = await context.at(ABOUT).tried(write_about)
    questions, scenes, talk, asked = await all_of(
        _held(context, questions_part()),
        _held(context, scenes_part(plan)),
        _held(context, talk_part(plan)),
        _held(context, open_part()),
    )
    texts = (*questions.part.texts, *scenes.part.texts, *talk.part.texts, asked.part.question)
    mask = await context.at(MASK).tried(lambda context: write_mask(context, texts))
    rewritten = questions.rewritten + scenes.rewritten + talk.rewritten + asked.rewritten
    return Kept(
        BuiltNormItems(norm=norm, plan=plan, about=about, questions=questions.part, scenes=scenes.part, talk=talk.part,
             open=asked.part, mask=mask, rewritten=rewritten)
    )  # fmt: skip


class _Held(NamedTuple, Generic[W]):
    """A part that holds by the checker's word, and how often it was written anew."""

    part: W
    rewritten: int


async def _held(context: Desk, part: WritingStep[W]) -> _Held[W]:
    """A part, written until it holds by the checker's word; its writer is told why the last one would not do."""
    context, fault = context.at(part.name), ""
    for turn in range(REPAIRS + 1):
        made = await context.after(turn * TRIES, fault).tried(part.write)
        fault = await part.check(context.after(turn), made)
        if not fault:
            return _Held(made, turn)
    raise context.ended(KEPT_BAD, fault)
