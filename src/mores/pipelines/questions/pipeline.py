"""The pipeline of questions: a bundle of three norms through scene, draft, checks, repairs and five refinements.

bundle ─▶ scene ─▶ draft by the matrix ─▶ each option checked by another model, repaired twice at most ─▶ refinements,
each checked again and taken back where it breaks the matrix ─▶ question in the layout that CultureForest is released
in: a folder a country, in it a file a category with a question a line, and one file of norms

Which letter the right option gets, a hash of the question's id decides, so that adding questions moves none.
"""

from collections.abc import Container, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from mores.benchmarks.cultureforest.data import DOMAINS, NORMS_FILE
from mores.benchmarks.data_tables import hash_tables
from mores.core.codec import build, digest, encode, parse_lines, read_text
from mores.core.codes import row_code
from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.core.table import sheet_for_people
from mores.models.cast import Cast
from mores.norms.places import place
from mores.pipelines.duplicates import public_texts
from mores.pipelines.funnel import Dropped, Kept, KeptOrDropped, counted, dropped
from mores.pipelines.norms.bundles import SIZE, Bundle
from mores.pipelines.norms.norm_base_file import BASE, BaseHead, BuiltNorm, read_base
from mores.pipelines.norms.pipeline import BUNDLES
from mores.pipelines.pipeline import Pipeline, Release
from mores.pipelines.questions.prompts import (
    LETTERS,
    MATRIX,
    PROMPTS,
    REFINEMENTS,
    ROLES,
    Grounds,
    OptionStances,
    QuestionDraft,
    UpperLetter,
    check,
    compose,
    make_scene,
    prompt,
    refine,
    repair,
)
from mores.pipelines.questions.review import OptionNormPair
from mores.pipelines.review_sheets import KEY, SHEET
from mores.pipelines.structured_query import REFUSED
from mores.pipelines.unit_context import (
    CHECKER,
    EARLIER_LETTERS,
    REFINER,
    REPAIRS,
    WRITER,
    PromptUse,
    StopUnit,
    UnitContext,
    all_of,
    check_counts,
    checked_roles,
    estimated_calls,
)
from mores.stats.rng import generator

DATA = "data"
FOREST_DOMAINS = {domain: name for name, domain in DOMAINS.items()}
_ACCEPTABILITY = {"no": "No", "sometimes": "Sometimes"}
_SHUFFLES = Seed("questions/shuffle")
"""The same in every build: the order of options is part of a question, not of a build."""


class BuiltQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """A question that was kept: as it is, as it first fitted the matrix, and what was done to it on the way."""

    grounds: Grounds
    draft: QuestionDraft
    first: QuestionDraft
    repairs: int
    refined: tuple[str, ...]

    @property
    def id(self) -> str:
        """A hash of the norms that it rests on."""
        return digest(self.grounds.id, length=16)

    @property
    def domain(self) -> str:
        """The category, as the released files are called."""
        # Never without one, as such bundles were dropped at first; the type does not know.
        return FOREST_DOMAINS[self.grounds.norms[0].domain or "etiquette"]


SCENE, COMPOSE, CHECK, REFINE = "scene", "compose", "check", "refine"
BUNDLED = "bundle"
STAGES = (BUNDLED, SCENE, COMPOSE, CHECK, REFINE)
NO_DOMAIN, NO_STRICT, NO_NEGATION = "no domain", "no strictness of a norm", "no negation of a norm"
REJECTED = "an option does not fit the matrix"
ASKED = {
    WRITER: (PromptUse("scene"), PromptUse("compose")),
    CHECKER: (PromptUse("check", len(LETTERS) * (1 + len(REFINEMENTS)), EARLIER_LETTERS),),
    REFINER: tuple(PromptUse(name, letters=EARLIER_LETTERS) for name in REFINEMENTS),
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
    models = checked_roles(roles, ROLES)
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
        make=_build,
        estimate=lambda grounds: estimated_calls(prompt, grounds.text, ASKED),
        release=lambda built: release(built, base.head, sheet_of(built)),
        public=public_texts(against),
        roles=models,
        prompts=tuple(map(prompt, PROMPTS)),
        made_from=hash_tables((norms / BASE, norms / BUNDLES, *against)),
        dropped_before=tuple(lost),
        settings={"limit": limit},
        licences={BASE: base.head.licence},
        from_simulated=base.head.simulated,
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


async def _build(grounds: Grounds, cast: Cast) -> KeptOrDropped[BuiltQuestion]:
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
        wrong = {letter: each for letter, each in found.items() if each.stances != MATRIX[letter]}
        if not wrong:
            return draft, repairs
        if turn == REPAIRS:
            break
        for letter, each in wrong.items():
            draft, repairs = await repair(context, draft, letter, each, turn), repairs + 1
    raise context.ended(REJECTED, ", ".join(wrong))


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
            # Taken back only for good reasons: what a call may still bring is waited for, or the network would decide.
            if ended.outcome.transient:
                raise
            refused |= ended.outcome.reason == REFUSED
            continue
        if all(each.stances == MATRIX[letter] for letter, each in checks.items()):
            draft = found
            taken.append(step)
    built = BuiltQuestion(grounds=context.unit, draft=draft, first=first, repairs=repairs, refined=tuple(taken))
    return Kept(built, refused=refused)


def shuffled(question: str) -> dict[UpperLetter, UpperLetter]:
    """Letters of the courses of action as they are released.

    >>> sorted(shuffled("a").values())
    ['A', 'B', 'C', 'D']
    """
    order = generator(_SHUFFLES.child(question)).permutation(len(LETTERS))
    return {letter: LETTERS[int(at)] for letter, at in zip(LETTERS, order, strict=True)}


def release(built: Sequence[BuiltQuestion], head: BaseHead, sheet: Mapping[str, bytes]) -> Release:
    """The files of a release with the sheet for people beside them, and what its datasheet says of it."""
    ordered = sorted(built, key=lambda each: each.id)
    files: dict[str, list[bytes]] = {}
    for each in ordered:
        country = place(each.grounds.place).name.replace(" ", "_")
        files.setdefault(f"{DATA}/{country}/{each.domain}.json", []).append(encode(_row(each)) + b"\n")
    norms = {norm.id: norm for each in ordered for norm in each.grounds.norms}
    return Release(
        files={
            **{name: b"".join(rows) for name, rows in sorted(files.items())},
            f"{DATA}/{NORMS_FILE}": encode([_norm(norms[name]) for name in sorted(norms)]) + b"\n",
            **sheet,
        },
        facts=_facts(ordered, head),
        gated=DATA if built else "",
    )


def _row(built: BuiltQuestion) -> dict[str, object]:
    """One question in its three forms."""
    draft, order = built.draft, shuffled(built.id)
    stem = f"{draft.context} {draft.question}"
    listed = "\n".join(f"{letter}. {draft.options[shown]}" for letter, shown in order.items())
    held = {f"Norm_{n}": {"norm_id": norm.id, "norm": norm.statement}
            for n, norm in enumerate(built.grounds.norms, start=1)}  # fmt: skip
    judged = {f"Question_Judge{n}": f"{stem}\n{draft.options[letter]}" for n, letter in enumerate(LETTERS, start=1)}
    return {
        "uuid": built.id,
        "Norm_Bundle": {"Topic": built.grounds.norms[0].topic, "Norms": held},
        "Easy": {"Question_MCQ": f"{stem}\n{listed}", "Answer_Key_Shuffle": _right(built)},
        "Medium": judged,
        "Open": {"Question_Open": stem},
        "Open_End": draft.context,
    }


def _norm(norm: BuiltNorm) -> dict[str, str]:
    return {
        "norm_id": norm.id,
        "norm": norm.statement,
        "norm_negative": norm.negation,
        "acceptability": _ACCEPTABILITY[norm.strictness or "sometimes"],
        "Country/Region": place(norm.place).name,
        "Category": FOREST_DOMAINS[norm.domain or "etiquette"],
    }


def sheet_of(built: Sequence[BuiltQuestion]) -> dict[str, bytes]:
    """The sheet that people fill in, and the key to it."""
    rows = []
    for each in built:
        for letter in LETTERS:
            for number, norm in enumerate(each.grounds.norms, start=1):
                pair = OptionNormPair(
                    id=row_code([each.id, letter, number]), question=each.id, option=letter, norm=number
                )
                rows.append((pair, (pair.id, pair.id, each.grounds.place, each.draft.context, norm.statement,
                                    each.draft.options[letter], "", "")))  # fmt: skip
    # By hashes, so that rows of one question, or of right options, do not stand together.
    rows.sort(key=lambda row: row[0].id)
    heads = ("id", "code", "place", "background", "norm", "option", "annotator", "label")
    return {SHEET: sheet_for_people(heads, (row for _, row in rows)), KEY: encode([pair for pair, _ in rows]) + b"\n"}


def _facts(built: Sequence[BuiltQuestion], head: BaseHead) -> dict[str, object]:
    return {
        "norm_base": head.version,
        "questions": len(built),
        "norms": len({norm.id for each in built for norm in each.grounds.norms}),
        "by_place": counted(each.grounds.place for each in built),
        "by_domain": counted(each.domain for each in built),
        "right_letter": counted(_right(each) for each in built),
        "repairs": counted(str(each.repairs) for each in built),
        "refinements": {step: sum(step in each.refined for each in built) for step in REFINEMENTS},
    }


def _right(built: BuiltQuestion) -> str:
    return next(letter for letter, shown in shuffled(built.id).items() if shown == "D")
