"""The pipeline of questions: a bundle of three norms through scene, draft, checks, repairs and five refinements.

bundle ─▶ scene ─▶ draft by the matrix ─▶ each option checked by another model, repaired twice at most ─▶ refinements,
each checked again and taken back where it breaks the matrix ─▶ question
"""

from collections.abc import Container, Iterator, Mapping
from pathlib import Path

from mores.benchmarks.data_tables import hash_tables
from mores.core.codec import build, parse_lines, read_text
from mores.core.errors import InputError
from mores.models.cast import Cast
from mores.norms.places import place
from mores.pipelines.duplicates import public_texts
from mores.pipelines.funnel import Dropped, Kept, KeptOrDropped, dropped
from mores.pipelines.norms.bundles import SIZE, Bundle
from mores.pipelines.norms.norm_base_file import BASE, read_base
from mores.pipelines.norms.pipeline import BUNDLES
from mores.pipelines.pipeline import Pipeline
from mores.pipelines.questions.draft import LETTERS, MATRIX, Grounds, QuestionDraft, UpperLetter
from mores.pipelines.questions.prompts import (
    PROMPTS,
    REFINEMENTS,
    ROLES,
    OptionStances,
    check,
    compose,
    make_scene,
    prompt,
    refine,
    repair,
)
from mores.pipelines.questions.release import BuiltQuestion, release
from mores.pipelines.questions.review import sheet_of
from mores.pipelines.roles import CHECKER, REFINER, WRITER, check_counts, checked_roles
from mores.pipelines.structured_query import REFUSED
from mores.pipelines.unit_context import PromptUse, StopUnit, UnitContext, all_of, estimated_calls

REPAIRS = 2
SCENE, COMPOSE, CHECK, REFINE = "scene", "compose", "check", "refine"
BUNDLED = "bundle"
STAGES = (BUNDLED, SCENE, COMPOSE, CHECK, REFINE)
NO_DOMAIN, NO_STRICT, NO_NEGATION = "no domain", "no strictness of a norm", "no negation of a norm"
KEPT_BAD = "an option does not fit the matrix"
_LETTERS = 1200
ASKED = {
    WRITER: (PromptUse("scene"), PromptUse("compose")),
    CHECKER: (PromptUse("check", len(LETTERS) * (1 + len(REFINEMENTS)), _LETTERS),),
    REFINER: tuple(PromptUse(name, letters=_LETTERS) for name in REFINEMENTS),
}
"""Of each role, where every reply can be used and no option is repaired."""


def questions_pipeline(
    norms: Path, roles: Mapping[str, str], *, against: tuple[Path, ...] = (), limit: int | None = None
) -> Pipeline[Grounds, BuiltQuestion]:
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

    return Pipeline[Grounds, BuiltQuestion](
        name="questions",
        stages=STAGES,
        units=units,
        make=_made,
        outline=lambda grounds: estimated_calls(prompt, grounds.text, ASKED),
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


async def _made(grounds: Grounds, cast: Cast) -> KeptOrDropped[BuiltQuestion]:
    """One question, or where its making ended."""
    context = UnitContext(
        unit=grounds, slots={"place": place(grounds.place).name, "norms": grounds.text}, voice=cast, prompt=prompt
    )
    scene = await context.at(SCENE).tried(make_scene)
    composed = await context.at(COMPOSE).tried(lambda context: compose(context, scene))
    fitting = await _fitted(context.at(CHECK), composed.draft)
    return await _refined(context.at(REFINE), *fitting)


async def _fitted(context: UnitContext[Grounds], draft: QuestionDraft) -> tuple[QuestionDraft, int]:
    """The draft with every option as the matrix has it, and how often one was repaired."""
    repairs = 0
    for turn in range(REPAIRS + 1):
        found = await _checks(context, draft, f"draft-{turn}")
        wrong = {letter: each for letter, each in found.items() if each.stands != MATRIX[letter]}
        if not wrong:
            return draft, repairs
        if turn == REPAIRS:
            break
        for letter, each in wrong.items():
            draft, repairs = await repair(context, draft, letter, each, turn), repairs + 1
    raise context.ended(KEPT_BAD, ", ".join(wrong))


async def _checks(context: UnitContext[Grounds], draft: QuestionDraft, step: str) -> dict[UpperLetter, OptionStances]:
    """Stances of all four options, each asked about alone."""
    a, b, c, d = (check(context, draft, letter, step) for letter in LETTERS)
    return dict(zip(LETTERS, await all_of(a, b, c, d), strict=True))


async def _refined(context: UnitContext[Grounds], draft: QuestionDraft, repairs: int) -> KeptOrDropped[BuiltQuestion]:
    """The question after all refinements; one that breaks the matrix, or cannot be used, is taken back."""
    taken, first, refused = [], draft, False
    for step in REFINEMENTS:
        try:
            found = await refine(context, draft, step)
            checks = await _checks(context, found, step)
        except StopUnit as ended:
            if ended.outcome.transient:
                raise
            refused |= ended.outcome.reason == REFUSED
            continue
        if all(each.stands == MATRIX[letter] for letter, each in checks.items()):
            draft = found
            taken.append(step)
    made = BuiltQuestion(grounds=context.unit, draft=draft, first=first, repairs=repairs, refined=tuple(taken))
    return Kept(made, refused=refused)
