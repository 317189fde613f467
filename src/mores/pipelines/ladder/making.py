"""The pipeline of packs: a norm through questions, scenes, a talk and an open question, each checked, and a mask.

norm ─▶ what its base does not say ─▶ four parts, each written, checked by another model and written anew twice at most
─▶ words that hide the place ─▶ a norm of a pack
"""

import asyncio
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from mores.benchmarks.benchmark import Effort
from mores.benchmarks.shapes.asking import effort_of
from mores.benchmarks.tabular import hash_tables
from mores.core.errors import InputError
from mores.models.cast import Cast
from mores.models.specs import is_simulated
from mores.norms.places import place
from mores.pipelines.asking import Told, Untold
from mores.pipelines.counts import check_counts
from mores.pipelines.duplicates import public_texts
from mores.pipelines.ladder.agents import (
    CHECKS,
    PROMPTS,
    WRITES,
    Desk,
    Part,
    open_part,
    prompt,
    questions_part,
    scenes_part,
    talk_part,
    write_about,
    write_mask,
)
from mores.pipelines.ladder.plan import plan_of
from mores.pipelines.ladder.release import Made, release
from mores.pipelines.norms.entry import BuiltNorm
from mores.pipelines.norms.sources import STAGE as IMPORT
from mores.pipelines.norms.sources import gather
from mores.pipelines.outcomes import Dropped, Kept, Outcome
from mores.pipelines.pipeline import Pipeline, Release
from mores.pipelines.roles import CHECKER, READING, WRITER, WRITING
from mores.pipelines.room import Room
from mores.pipelines.trying import TRIES, Written, dropped, ended

REPAIRS = 2
ABOUT, MASK = "about", "mask"
STAGES = (IMPORT, ABOUT, "questions", "scenes", "talk", "open", MASK)
KEPT_BAD = "the checker finds that it does not hold"
W = TypeVar("W", bound=Written)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What is to be made: of which norms, by which models, of how many norms at most.

    `norms` is a norm base (its folder or file), the folder of a pack, `pack` for the bundled one, or a table of
    CultureBank, CultureAtlas, CultureForest's norms, NormAd's rules or one's own. Gates hold what comes out against the
    public tables `against`.
    """

    norms: str
    writer: str
    checker: str
    against: tuple[Path, ...] = ()
    limit: int | None = None


def ladder_pipeline(wish: Wish) -> Pipeline[BuiltNorm, Made]:
    """The pipeline of packs.

    Raises:
        InputError: the norms cannot be read, there is none, the limit is no number above 0, or the
            checker is the model that writes.
    """
    if wish.checker == wish.writer:
        raise InputError(f"--checker {wish.checker}: it writes too; expected another model to check.")
    check_counts(limit=wish.limit)
    found = gather([wish.norms])
    units = sorted(found.norms, key=lambda norm: norm.id)[: wish.limit]
    if not units:
        raise InputError(f"--norms {wish.norms}: no norm of a place that is known; expected one at least.")
    roles = {WRITER: wish.writer, CHECKER: wish.checker}
    simulated = found.simulated or any(map(is_simulated, roles.values()))
    public = public_texts(wish.against)

    def out_of(made: Sequence[Made]) -> tuple[Release[Made], Sequence[Dropped]]:
        name = f"Norms of {', '.join(found.made_from)}"
        return replace(release(made, name, simulated=simulated), public=public), ()

    return Pipeline[BuiltNorm, Made](
        name="ladder",
        stages=STAGES,
        units=units,
        make=_made,
        outline=_outline,
        out_of=out_of,
        roles=roles,
        prompts=tuple(map(prompt, PROMPTS)),
        made_from=found.made_from | hash_tables(wish.against),
        dropped_before=found.dropped,
        settings={"limit": wish.limit, "against": [path.name for path in wish.against]},
        licences=found.licences,
        of_simulated=found.simulated,
    )


async def _made(norm: BuiltNorm, cast: Cast) -> Outcome[Made]:
    """One norm with its items, or where their making ended."""
    told = {
        "place": place(norm.place).name, "norm": norm.statement,
        "holds_for": norm.subgroup or f"many people in {place(norm.place).name}",
    }  # fmt: skip
    room, plan = Room(unit=norm, told=told, voice=cast, prompt=prompt), plan_of(norm.id)
    about = await room.tried(ABOUT, write_about)
    if isinstance(about, Dropped):
        return about
    questions, scenes, talk, asked = await asyncio.gather(
        _held(room, questions_part(plan)),
        _held(room, scenes_part(plan)),
        _held(room, talk_part(plan)),
        _held(room, open_part(plan)),
    )
    if (
        isinstance(questions, Dropped)
        or isinstance(scenes, Dropped)
        or isinstance(talk, Dropped)
        or isinstance(asked, Dropped)
    ):
        return next(part for part in (questions, scenes, talk, asked) if isinstance(part, Dropped))
    texts = (*questions.part.texts, *scenes.part.texts, *talk.part.texts, asked.part.question)
    mask = await room.tried(MASK, lambda desk, why: write_mask(desk, texts, why))
    if isinstance(mask, Dropped):
        return mask
    rewritten = questions.rewritten + scenes.rewritten + talk.rewritten + asked.rewritten
    return Kept(
        Made(norm=norm, plan=plan, about=about, questions=questions.part, scenes=scenes.part, talk=talk.part,
             open=asked.part, mask=mask, rewritten=rewritten)
    )  # fmt: skip


class _Held(NamedTuple, Generic[W]):
    """A part that holds by the checker's word, and how often it was written anew."""

    part: W
    rewritten: int


async def _held(room: Desk, part: Part[W]) -> _Held[W] | Dropped:
    """A part, written until it holds by the checker's word, or where that ended."""
    fault = ""
    for turn in range(REPAIRS + 1):
        made = await room.after(turn * TRIES).tried(part.name, partial(_written, part, fault))
        if isinstance(made, Dropped):
            return made
        found = await part.check(room.after(turn), made)
        if isinstance(found, Untold):
            return ended(room.unit, part.name, found)
        if not found:
            return _Held(made, turn)
        fault = found
    return dropped(room.unit, part.name, KEPT_BAD, fault)


def _written(part: Part[W], fault: str, desk: Desk, why: str) -> Awaitable[Told[W] | Untold]:
    """A part as its writer gives it, who is told why the last one would not do."""
    return part.write(desk, why or fault)


def _outline(norm: BuiltNorm) -> dict[str, list[Effort]]:
    """What one norm asks, where every reply can be used and no part is written anew."""
    words = {name: prompt(name).body + norm.statement for name in PROMPTS}
    draft, times = " " * 1200, {"truths": 2, "label": 3}
    return {
        WRITER: [effort_of(words[name] + draft, WRITING) for name in WRITES],
        CHECKER: [effort_of(words[name] + draft, READING, times.get(name, 1)) for name in CHECKS],
    }
