"""The pipeline of questions: a bundle of three norms through scene, draft, checks, repairs and five refinements.

bundle ─▶ scene ─▶ draft by the matrix ─▶ each option checked by another model, repaired twice at most ─▶ refinements,
each checked again and taken back where it breaks the matrix ─▶ question
"""

from collections.abc import Container, Iterator, Mapping
from pathlib import Path

from mores.benchmarks.tabular import hash_tables
from mores.core.codec import build, parse_lines, read_text
from mores.core.errors import InputError
from mores.models.cast import Cast
from mores.norms.places import place
from mores.pipelines.asking import REFUSED
from mores.pipelines.duplicates import public_texts
from mores.pipelines.norms.bundles import SIZE, Bundle
from mores.pipelines.norms.entry import BASE, read_base
from mores.pipelines.norms.making import BUNDLES
from mores.pipelines.outcomes import Dropped, Kept, Outcome, dropped
from mores.pipelines.pipeline import Pipeline
from mores.pipelines.questions.agents import (
    PROMPTS,
    REFINEMENTS,
    ROLES,
    Checked,
    check,
    compose,
    make_scene,
    prompt,
    refine,
    repair,
)
from mores.pipelines.questions.draft import LETTERS, MATRIX, Draft, Grounds, Letter
from mores.pipelines.questions.release import Made, release
from mores.pipelines.questions.review import sheet_of
from mores.pipelines.roles import CHECKER, REFINER, WRITER, check_counts, checked_roles
from mores.pipelines.room import Ended, Put, Room, all_of, outlined

REPAIRS = 2
SCENE, COMPOSE, CHECK, REFINE = "scene", "compose", "check", "refine"
BUNDLED = "bundle"
STAGES = (BUNDLED, SCENE, COMPOSE, CHECK, REFINE)
NO_DOMAIN, NO_STRICT, NO_NEGATION = "no domain", "no strictness of a norm", "no negation of a norm"
KEPT_BAD = "an option does not fit the matrix"
_LETTERS = 1200
ASKED = {
    WRITER: (Put("scene"), Put("compose")),
    CHECKER: (Put("check", len(LETTERS) * (1 + len(REFINEMENTS)), _LETTERS),),
    REFINER: tuple(Put(name, letters=_LETTERS) for name in REFINEMENTS),
}
"""Of each role, where every reply can be used and no option is repaired."""


def questions_pipeline(
    norms: Path, roles: Mapping[str, str], *, against: tuple[Path, ...] = (), limit: int | None = None
) -> Pipeline[Grounds, Made]:
    """The pipeline of questions of the folder of a norm base, by models, of so many bundles at most.

    Gates hold what comes out against the public tables `against`.

    Raises:
        InputError: the folder holds no base with bundles, the limit is no number above 0, or the
            checker is the model that writes.
    """
    players = checked_roles(roles, ROLES)
    check_counts(limit=limit)
    base = read_base(norms)
    by_id = {norm.id: norm for norm in base.norms}
    found = [
        Grounds(id=each.id, norms=tuple(by_id[name] for name in each.norms))  # type: ignore[arg-type]
        for each in _bundles(norms / BUNDLES, by_id)
    ]
    lost = [each for grounds in found if (each := _unfit(grounds)) is not None]
    unfit = {each.unit for each in lost}
    units = [grounds for grounds in found if grounds.id not in unfit][:limit]

    return Pipeline[Grounds, Made](
        name="questions",
        stages=STAGES,
        units=units,
        make=_made,
        outline=lambda grounds: outlined(prompt, grounds.text, ASKED),
        out_of=lambda made: release(made, base.head, sheet_of(made)),
        public=public_texts(against),
        roles=players,
        prompts=tuple(map(prompt, PROMPTS)),
        made_from=hash_tables((norms / BASE, norms / BUNDLES, *against)),
        dropped_before=tuple(lost),
        settings={"limit": limit},
        licences={BASE: base.head.licence},
        of_simulated=base.head.simulated,
    )


def _bundles(path: Path, known: Container[str]) -> Iterator[Bundle]:
    """The bundles of a file, each of as many known norms as there are in one."""
    if not path.is_file():
        raise InputError(f"{path}: no bundles; make them: mores build norms SOURCE --embed MODEL.")
    for line, row in parse_lines(read_text(path), where=str(path), expected="a bundle"):
        bundle = build(Bundle, row, where=f"{path}:{line}")
        unknown = next((name for name in bundle.norms if name not in known), None)
        if unknown is not None:
            raise InputError(
                f"{path}:{line}: {BASE} beside it has no norm '{unknown}'; expected the bundles of this base, as mores "
                "build norms --embed wrote them."
            )
        if len(set(bundle.norms)) != SIZE:
            raise InputError(f"{path}:{line}: norms are {list(bundle.norms)}; expected {SIZE} different ones.")
        yield bundle


def _unfit(grounds: Grounds) -> Dropped | None:
    """Reason that no question can be made of a bundle, as a release needs all that its layout has."""
    why = (
        NO_DOMAIN if any(norm.domain is None for norm in grounds.norms)
        else NO_STRICT if any(norm.strictness is None for norm in grounds.norms)
        else NO_NEGATION if not all(norm.negation for norm in grounds.norms)
        else ""
    )  # fmt: skip
    return dropped(grounds, BUNDLED, why) if why else None


async def _made(grounds: Grounds, cast: Cast) -> Outcome[Made]:
    """One question, or where its making ended."""
    room = Room(
        unit=grounds, told={"place": place(grounds.place).name, "norms": grounds.text}, voice=cast, prompt=prompt
    )
    scene = await room.at(SCENE).tried(make_scene)
    composed = await room.at(COMPOSE).tried(lambda desk: compose(desk, scene))
    fitting = await _fitted(room.at(CHECK), composed.draft)
    return await _refined(room.at(REFINE), *fitting)


async def _fitted(room: Room[Grounds], draft: Draft) -> tuple[Draft, int]:
    """The draft with every option as the matrix has it, and how often one was repaired."""
    repairs = 0
    for turn in range(REPAIRS + 1):
        found = await _checks(room, draft, f"draft-{turn}")
        wrong = {letter: each for letter, each in found.items() if each.stands != MATRIX[letter]}
        if not wrong:
            return draft, repairs
        if turn == REPAIRS:
            break
        for letter, each in wrong.items():
            draft, repairs = await repair(room, draft, letter, each, turn), repairs + 1
    raise room.ended(KEPT_BAD, ", ".join(wrong))


async def _checks(room: Room[Grounds], draft: Draft, step: str) -> dict[Letter, Checked]:
    """Stances of all four options, each asked about alone."""
    a, b, c, d = (check(room, draft, letter, step) for letter in LETTERS)
    return dict(zip(LETTERS, await all_of(a, b, c, d), strict=True))


async def _refined(room: Room[Grounds], draft: Draft, repairs: int) -> Outcome[Made]:
    """The question after all refinements; one that breaks the matrix, or cannot be used, is taken back."""
    taken, first, refused = [], draft, False
    for step in REFINEMENTS:
        try:
            found = await refine(room, draft, step)
            checks = await _checks(room, found, step)
        except Ended as ended:
            if ended.outcome.passing:
                raise
            refused |= ended.outcome.reason == REFUSED
            continue
        if all(each.stands == MATRIX[letter] for letter, each in checks.items()):
            draft = found
            taken.append(step)
    made = Made(grounds=room.unit, draft=draft, first=first, repairs=repairs, refined=tuple(taken))
    return Kept(made, refused=refused)
