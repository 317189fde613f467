"""The pipeline of scenarios: a custom and a value through situation, events, goals, checks and repairs.

pair ─▶ situation and people ─▶ two events, each with a clash ─▶ goals ─▶ each point checked by another model, repaired
twice at most and checked anew ─▶ scenario, unless its situation stands elsewhere
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from mores.benchmarks.data_tables import hash_tables
from mores.core.errors import InputError
from mores.core.norm import Domain
from mores.models.cast import Cast
from mores.pipelines.dialogues.draft import POINTS, RULES, Number, ScenarioDraft
from mores.pipelines.dialogues.pairs import PER_PLACE, CustomValuePair, pairs_of
from mores.pipelines.dialogues.prompts import (
    PROMPTS,
    ROLES,
    check_people,
    check_point,
    make_events,
    make_goals,
    make_scene,
    prompt,
    repair,
)
from mores.pipelines.dialogues.release import BuiltScenario, release
from mores.pipelines.dialogues.values import STAGE as PAIR
from mores.pipelines.dialogues.values import read_values
from mores.pipelines.duplicates import GeneratedText, drop_duplicates, public_texts
from mores.pipelines.funnel import Dropped, Kept, KeptOrDropped, dropped
from mores.pipelines.norms.norm_base_file import BASE, BuiltNorm, read_base
from mores.pipelines.pipeline import Pipeline, Release
from mores.pipelines.roles import CHECKER, WRITER, check_counts, checked_roles
from mores.pipelines.unit_context import PromptUse, UnitContext, all_of, estimated_calls

DOMAINS: tuple[Domain, ...] = ("etiquette", "dates")
"""What SocialCC takes customs from (its section 3.2)."""
REPAIRS = 2
SCENE, EVENTS, GOALS, CHECK, REPEATS = "scene", "events", "goals", "check", "twins"
STAGES = (PAIR, SCENE, EVENTS, GOALS, CHECK, REPEATS)
NO_DOMAIN, OTHER_DOMAIN = "no domain", f"a domain other than {' and '.join(DOMAINS)}"
KEPT_BAD = "a point does not hold"
_LETTERS = 1200
ASKED = {
    WRITER: tuple(PromptUse(name, letters=_LETTERS) for name in ("scene", "events", "goals")),
    CHECKER: (PromptUse("check", len(POINTS), _LETTERS), PromptUse("people", letters=_LETTERS)),
}
"""Of each role, where every reply can be used and no point is repaired."""
REAL, DEMEANING, SAME = "names somebody real", "runs people down", "the situation of another scenario"


class DialogueOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Inputs of a build of scenarios: the folder of a norm base, a table of values, and models by role.

    `wordings` are the words of values that have codes alone; no situation may stand in one of the tables `against`.
    `per_place` is how many scenarios are tried of each place of values at most, and `limit` of all.
    """

    norms: Path
    values: Path
    roles: Mapping[str, str]
    wordings: Path | None = None
    against: tuple[Path, ...] = ()
    per_place: int = PER_PLACE
    limit: int | None = None


def dialogues_pipeline(options: DialogueOptions) -> Pipeline[CustomValuePair, BuiltScenario]:
    """The pipeline of scenarios.

    Raises:
        InputError: base or values cannot be read, no pair can be made of them, a number is none, or the checker is the
            model that writes.
    """
    roles = checked_roles(options.roles, ROLES)
    check_counts(per_place=options.per_place, limit=options.limit)
    base = read_base(options.norms)
    values, unworded = read_values(options.values, options.wordings)
    customs = [norm for norm in base.norms if norm.domain in DOMAINS]
    units = pairs_of(customs, values, options.per_place)[: options.limit]
    if not units:
        raise InputError(
            f"{options.norms / BASE} has {len(customs):,} customs ({', '.join(DOMAINS)}), {options.values} has "
            f"{len(values):,} values in words: no custom meets a value of another country."
        )
    sources = (
        options.norms / BASE,
        options.values,
        *([options.wordings] if options.wordings else []),
        *options.against,
    )
    public = public_texts(options.against)

    def out_of(made: Sequence[BuiltScenario]) -> Release:
        """Release of the scenarios, but for those whose situation stands elsewhere."""
        texts = [GeneratedText(each, each.pair, each.id, each.draft.scene.words) for each in made]
        left, lost = drop_duplicates(texts, public, REPEATS, SAME)
        return release(left, base.head, lost)

    return Pipeline[CustomValuePair, BuiltScenario](
        name="dialogues",
        stages=STAGES,
        units=units,
        make=_made,
        outline=lambda pair: estimated_calls(prompt, "".join(pair.prompt_values.values()), ASKED),
        out_of=out_of,
        public=public,
        roles=roles,
        prompts=tuple(map(prompt, PROMPTS)),
        made_from=hash_tables(sources),
        dropped_before=(*(_unfit(norm) for norm in base.norms if norm.domain not in DOMAINS), *unworded),
        licences={BASE: base.head.licence},
        of_simulated=base.head.simulated,
        settings={
            "per_place": options.per_place,
            "limit": options.limit,
            "against": [path.name for path in options.against],
        },
    )


def _unfit(norm: BuiltNorm) -> Dropped:
    return dropped(norm, PAIR, OTHER_DOMAIN if norm.domain else NO_DOMAIN)


async def _made(pair: CustomValuePair, cast: Cast) -> KeptOrDropped[BuiltScenario]:
    """One scenario, or where its making ended."""
    context = UnitContext(unit=pair, slots=pair.prompt_values, voice=cast, prompt=prompt)
    scene = (await context.at(SCENE).tried(make_scene)).placed(pair)
    events = await context.at(EVENTS).tried(lambda context: make_events(context, scene))
    goals = await context.at(GOALS).tried(lambda context: make_goals(context, scene, events))
    return await _holding(context.at(CHECK), goals.drafted(scene, events))


async def _holding(context: UnitContext[CustomValuePair], draft: ScenarioDraft) -> KeptOrDropped[BuiltScenario]:
    """The scenario once both points hold by the checker's word; each repair is checked anew, with all that stands."""
    repaired: list[str] = []
    problems: dict[Number, str] = {}
    for turn in range(REPAIRS + 1):
        found = await _found(context, draft, turn)
        if not found:
            return Kept(BuiltScenario(pair=context.unit, draft=draft, repaired=tuple(repaired)))
        problems = {number: "; ".join(faults.values()) for number, faults in found.items()}
        if turn == REPAIRS:
            break
        for number, words in problems.items():
            draft = await repair(context, draft, number, words, turn)
            repaired += found[number]
    raise context.ended(KEPT_BAD, " ".join(f"{RULES[number]}: {words}." for number, words in problems.items()))


async def _found(
    context: UnitContext[CustomValuePair], draft: ScenarioDraft, turn: int
) -> dict[Number, dict[str, str]]:
    """Faults of each point that does not hold; a scenario about somebody real is past repair."""
    one, two, people = await all_of(
        check_point(context, draft, 1, turn), check_point(context, draft, 2, turn), check_people(context, draft, turn)
    )
    if "yes" in {people.real, people.demeaning}:
        raise context.ended(REAL if people.real == "yes" else DEMEANING, people.where)
    faults = {
        number: point.faults(draft.scene, RULES[number]) for number, point in zip(POINTS, (one, two), strict=True)
    }
    return {number: wrong for number, wrong in faults.items() if wrong}
