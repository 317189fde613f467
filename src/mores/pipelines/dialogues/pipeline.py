"""The pipeline of scenarios: a custom and a value through situation, events, goals, checks and repairs.

pair ─▶ situation and people ─▶ two events, each with a clash ─▶ goals ─▶ each point checked by another model, repaired
twice at most and checked anew ─▶ scenario, unless its situation stands elsewhere ─▶ one table in the layout that
SocialCC is released in, which `socialcc/dialogue` runs, and a sheet on which people answer what the checker was asked
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np

from mores.benchmarks.data_tables import hash_tables
from mores.benchmarks.socialcc.scenarios import ATTRIBUTES, FILES, attributes_of
from mores.core.codec import digest
from mores.core.errors import InputError
from mores.core.norm import Domain
from mores.core.table import sheet
from mores.models.cast import Cast
from mores.norms.places import place
from mores.pipelines.dialogues.pairs import PER_PLACE, CustomValuePair, pairs_of, read_values
from mores.pipelines.dialogues.pairs import STAGE as PAIR
from mores.pipelines.dialogues.prompts import (
    POINTS,
    PROMPTS,
    ROLES,
    RULES,
    Number,
    ScenarioDraft,
    check_people,
    check_point,
    make_events,
    make_goals,
    make_scene,
    prompt,
    repair,
)
from mores.pipelines.duplicates import GeneratedText, drop_duplicates, public_texts
from mores.pipelines.funnel import Dropped, Kept, KeptOrDropped, counted, dropped
from mores.pipelines.norms.norm_base_file import BASE, BaseHead, BuiltNorm, base_of
from mores.pipelines.norms.sources import gather
from mores.pipelines.pipeline import Pipeline, Release
from mores.pipelines.review_sheets import ChecklistAnswer, Checkpoint, checklist, checkpoint
from mores.pipelines.unit_context import (
    CHECKER,
    EARLIER_LETTERS,
    REPAIRS,
    WRITER,
    PromptUse,
    UnitContext,
    all_of,
    check_counts,
    checked_roles,
    estimated_calls,
)

TABLE = f"data/{FILES[0]}"
COLUMNS = (
    "Data_ID", "WVSN", "Option", "WVS—Class", "Country_Knowledge", "Country_Value", "Agent_1", "Agent_2", "Agent_3",
    "Agent_1_Background", "Agent_2_Background", "Agent_3_Background", "Relationship", "Scenario", "Event_1", "Event_2",
    "Cultural Knowledge_1", "Cultural Value_1", "Agent_1_Goal_1", "Agent_1_Goal_2", "Agent_2_Goal_1", "Agent_2_Goal_2",
)  # fmt: skip


class BuiltScenario(msgspec.Struct, frozen=True, kw_only=True):
    """A scenario that was kept, and each fault of its points that was repaired, by its aspect."""

    pair: CustomValuePair
    draft: ScenarioDraft
    repaired: tuple[str, ...]

    @property
    def id(self) -> str:
        """A hash of the custom and the value that it rests on."""
        return digest(self.pair.id, length=16)


DOMAINS: tuple[Domain, ...] = ("etiquette", "dates")
"""Domains of SocialCC's customs (its section 3.2)."""
SCENE, EVENTS, GOALS, CHECK, DUPLICATES = "scene", "events", "goals", "check", "duplicates"
STAGES = (PAIR, SCENE, EVENTS, GOALS, CHECK, DUPLICATES)
NO_DOMAIN, OTHER_DOMAIN = "no domain", f"a domain other than {' and '.join(DOMAINS)}"
REJECTED = "a point does not hold"
ASKED = {
    WRITER: tuple(PromptUse(name, letters=EARLIER_LETTERS) for name in ("scene", "events", "goals")),
    CHECKER: (PromptUse("check", len(POINTS), EARLIER_LETTERS), PromptUse("people", letters=EARLIER_LETTERS)),
}
"""Of each role, where every reply can be used and no point is repaired."""
REAL, DEMEANING, SAME = "names somebody real", "demeans people", "the situation of another scenario"


class DialogueOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Inputs of a build of scenarios: a source of norms, a table of values, and models by role.

    `norms` is the file or folder of a norm base, or what norm bases are made of, as `sources.gather` reads it.
    `wordings` are the words of values that have codes alone; no situation may stand in one of the tables `against`.
    `per_place` is how many scenarios are tried of each place of values at most, and `limit` of all.
    """

    norms: str
    values: Path
    roles: Mapping[str, str]
    wordings: Path | None = None
    against: tuple[Path, ...] = ()
    per_place: int = PER_PLACE
    limit: int | None = None


def dialogues_pipeline(options: DialogueOptions) -> Pipeline[CustomValuePair, BuiltScenario]:
    """The pipeline of scenarios.

    Raises:
        InputError: norms or values cannot be read, no norm has a domain, no pair can be made of them, a number is
            none, or the checker is the model that writes.
    """
    roles = checked_roles(options.roles, ROLES)
    check_counts(per_place=options.per_place, limit=options.limit)
    gathered = gather([options.norms])
    if not any(norm.domain for norm in gathered.norms):
        raise InputError(f"{options.norms}: {_without_domains(options.norms, len(gathered.norms))}")
    head = base_of(gathered.norms, gathered.made_from, simulated=gathered.simulated).head
    values, unworded = read_values(options.values, options.wordings)
    norms = sorted(gathered.norms, key=lambda norm: norm.id)
    customs = [norm for norm in norms if norm.domain in DOMAINS]
    units = pairs_of(customs, values, options.per_place)[: options.limit]
    if not units:
        raise InputError(
            f"{options.norms} has {len(customs):,} customs ({', '.join(DOMAINS)}), {options.values} has "
            f"{len(values):,} values in words: no custom meets a value of another country."
        )
    tables = (options.values, *([options.wordings] if options.wordings else []), *options.against)
    public = public_texts(options.against)

    def release_of(built: Sequence[BuiltScenario]) -> Release:
        """Release of the scenarios, but for those whose situation stands elsewhere."""
        texts = [GeneratedText(each, each.pair, each.id, each.draft.scene.text) for each in built]
        left, lost = drop_duplicates(texts, public, DUPLICATES, SAME)
        return release(left, head, lost)

    return Pipeline[CustomValuePair, BuiltScenario](
        name="dialogues",
        stages=STAGES,
        units=units,
        make=_build,
        estimate=lambda pair: estimated_calls(prompt, "".join(pair.prompt_values.values()), ASKED),
        release=release_of,
        public=public,
        roles=roles,
        prompts=tuple(map(prompt, PROMPTS)),
        made_from=gathered.made_from | hash_tables(tables),
        dropped_before=(
            *gathered.dropped,
            *(_unfit(norm) for norm in norms if norm.domain not in DOMAINS),
            *unworded,
        ),
        licences=gathered.licences,
        from_simulated=gathered.simulated,
        settings={
            "per_place": options.per_place,
            "limit": options.limit,
            "against": [path.name for path in options.against],
        },
    )


def _without_domains(source: str, norms: int) -> str:
    """Reason that no norm of a source is a custom, and what gives it domains."""
    path = Path(source)
    base = path if path.suffix == ".jsonl" else path / BASE
    made = "" if base.is_file() else f"make a norm base of it, mores build norms {source} --out norms, and "
    named = base if base.is_file() else f"norms/{BASE}"
    return (
        f"none of its {norms:,} norms has a domain, so that no customs ({', '.join(DOMAINS)}) are known; {made}"
        f"let a model label them: mores build topics {named} --role labeller=SPEC."
    )


def _unfit(norm: BuiltNorm) -> Dropped:
    return dropped(norm, PAIR, OTHER_DOMAIN if norm.domain else NO_DOMAIN)


async def _build(pair: CustomValuePair, cast: Cast) -> KeptOrDropped[BuiltScenario]:
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
    raise context.ended(REJECTED, " ".join(f"{RULES[number]}: {words}." for number, words in problems.items()))


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


def release(built: Sequence[BuiltScenario], head: BaseHead, lost: Sequence[Dropped]) -> Release:
    """The table with the sheet for people beside it, and what its datasheet says of it."""
    ordered = sorted(built, key=lambda each: each.id)
    return Release(
        files={TABLE: sheet(COLUMNS, map(_row, ordered), encoding="utf-8"), **sheet_of(built)},
        facts=_facts(ordered, head),
        gated=TABLE if built else "",
        dropped=lost,
    )


def _row(built: BuiltScenario) -> tuple[str, ...]:
    value, scene, points = built.pair.value, built.draft.scene, built.draft.points
    _, second, third = (place(home).name for home in built.pair.places)
    return (
        # SocialCC's table numbers the survey's questions without their Q.
        built.id, value.question.removeprefix("Q"), value.codes.replace(" ", ""), value.topic, third, second,
        *(person.name for person in scene.people), *(person.line for person in scene.people), "", scene.text,
        *(point.event for point in points), built.pair.custom.statement, value.statement,
        *(point.first for point in points), *(point.second for point in points),
    )  # fmt: skip


def _facts(built: Sequence[BuiltScenario], head: BaseHead) -> dict[str, object]:
    """Datasheet entries of the scenarios; attributes are those of the person whom the subject plays."""
    attributes = [attributes_of(each.draft.scene.people[1].line) for each in built]
    points = [point for each in built for point in each.draft.points]
    return {
        "norm_base": head.version,
        "scenarios": len(built),
        "customs": len({each.pair.custom.id for each in built}),
        "values": len({each.pair.value.id for each in built}),
        "by_custom_place": counted(each.pair.custom.place for each in built),
        "by_value_place": counted(each.pair.value.place for each in built),
        "by_places": counted(f"{each.pair.custom.place} {each.pair.value.place}" for each in built),
        "by_topic": counted(each.pair.value.topic.casefold() for each in built),
        "by_domain": counted(each.pair.custom.domain or "" for each in built),
        "by_attribute": {name: counted(found.get(name, "none read") for found in attributes) for name in ATTRIBUTES},
        "words": {
            "scenario": _words(each.draft.scene.text for each in built),
            "event": _words(point.event for point in points),
            "goal": _words(goal for point in points for goal in (point.first, point.second)),
        },
        "held_at_once": sum(not each.repaired for each in built),
        "repaired": counted(aspect for each in built for aspect in each.repaired),
    }


def _words(texts: Iterable[str]) -> dict[str, float]:
    """The least, the median and the most words of some texts; nothing of none."""
    sizes = [len(text.split()) for text in texts]
    return {"least": min(sizes), "median": float(np.median(sizes)), "most": max(sizes)} if sizes else {}


OF_POINT: dict[str, tuple[str, ChecklistAnswer]] = {
    "conflict": ("Can what the first wants cause a conflict with what many people there do or hold?", "yes"),
    "gives away": ("Does scenario, point or goal say what they do or hold, or hint that the first is wrong?", "no"),
    "reachable": ("Can the second get what the second wants in keeping with what they do or hold?", "yes"),
}
"""The first is what SocialCC asked people of each scenario (sec. 3.2), in our words."""
OF_PEOPLE: dict[str, tuple[str, ChecklistAnswer]] = {
    "real": ("Is a person, a firm, a party or an office named that is real?", "no"),
    "demeaning": ("Is anybody run down, or shown to be the way they are because of where they come from?", "no"),
}
SHEET_COLUMNS = ("place", "custom_or_value", "scenario", "people", "point", "first_wants", "second_wants", "question")


def sheet_of(built: Sequence[BuiltScenario]) -> dict[str, bytes]:
    """The sheet that people fill in, and the key to it."""
    return checklist(SHEET_COLUMNS, (row for each in built for row in _rows(each)))


def _rows(built: BuiltScenario) -> Iterator[tuple[Checkpoint, tuple[str, ...]]]:
    pair, scene = built.pair, built.draft.scene
    whole = (scene.text, " ".join(person.line for person in scene.people))
    held = ((pair.custom.place, pair.custom.statement), (pair.value.place, pair.value.statement))
    for (number, rule), (home, statement) in zip(RULES.items(), held, strict=True):
        cells = (place(home).name, statement, *whole, *built.draft.point(number).texts)
        for name, (question, expected) in OF_POINT.items():
            yield checkpoint(built.id, f"{name}, {rule}", expected), (*cells, question)
    texts = (" / ".join(texts) for texts in zip(*(point.texts for point in built.draft.points), strict=True))
    everything = ("", "", *whole, *texts)
    for name, (question, expected) in OF_PEOPLE.items():
        yield checkpoint(built.id, name, expected), (*everything, question)
