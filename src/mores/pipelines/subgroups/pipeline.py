"""The pipeline of subgroups: a statement through two readings of its cues, a scenario, and checks by another model.

statement ─▶ cues, as two models read them ─▶ persona, situation and question with the answer that is asked for ─▶ the
persona's cues and the key, checked by another model than the writer's ─▶ scenario in the layout of SpecNorm, which
`cure/specnorm_*` read, and a sheet for people; what will not do is asked again
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from mores.benchmarks.cure.data import CUES
from mores.benchmarks.data_tables import hash_tables
from mores.core.codec import digest
from mores.core.table import sheet
from mores.models.cast import Cast
from mores.norms.places import place
from mores.pipelines.duplicates import GeneratedText, NamedText, drop_duplicates, duplicates, public_texts
from mores.pipelines.funnel import Dropped, Kept, KeptOrDropped, counted, dropped
from mores.pipelines.norms.norm_base_file import BuiltNorm
from mores.pipelines.norms.sources import STAGE, gather
from mores.pipelines.pipeline import Pipeline, Release
from mores.pipelines.review_sheets import Checkpoint, checklist, checkpoint
from mores.pipelines.subgroups.mix import LEVELS, ScenarioMix, in_shares, level_of
from mores.pipelines.subgroups.prompts import (
    KEY_CUES,
    PROMPTS,
    ROLES,
    BuiltSubgroupScenario,
    Cues,
    Rejected,
    ScenarioCheck,
    SubgroupScenario,
    YesNoLabel,
    check,
    describe_difference,
    prompt,
    read_persona,
    read_statement,
    spaced,
    write,
)
from mores.pipelines.text_checks import normalised
from mores.pipelines.unit_context import (
    CHECKER,
    LABELLER,
    NO_USE,
    NOT_SO,
    TRIES,
    WRITER,
    PromptUse,
    UnitContext,
    all_of,
    check_counts,
    checked_roles,
    estimated_calls,
)
from mores.stats.intervals import wilson

TABLE = "data/specnorm.csv"
RECONSTRUCTION = "a reconstruction: CURE's prompts for SpecNorm are not public"


READ_CUES, WRITE, CHECK, DUPLICATES = "cues", "write", "check", "duplicates"
STAGES = (STAGE, READ_CUES, WRITE, CHECK, DUPLICATES)
ASKED = {
    LABELLER: (PromptUse("cues"),),
    WRITER: (PromptUse("write"),),
    CHECKER: (PromptUse("cues", 2), PromptUse("check", letters=600)),
}
"""Of each role, where every reply can be used and the first scenario will do."""
SAME = "same words as another"
SHARES, BEYOND = "levels", "more of its level than was asked for"
AS_THEY_COME = ScenarioMix()
NO_CUE, READ_DIFFERENTLY = "no ethnicity, religion or region in the statement", "two models read different cues"
MISSING_CUE, EXTRA_CUE = "the persona lacks a cue", "the persona shows another cue"
OUTSIDE, UNKEYED, GIVEN_AWAY, CHANGED = (
    "the persona is not of the community",
    "the keyed answer does not follow",
    "the answer is given away",
    "the stance of the statement is changed",
)


def subgroups_pipeline(
    source: str,
    roles: Mapping[str, str],
    *,
    against: tuple[Path, ...] = (),
    limit: int | None = None,
    mix: ScenarioMix = AS_THEY_COME,
) -> Pipeline[BuiltNorm, BuiltSubgroupScenario]:
    """The pipeline of subgroups of so many statements of a source at most, by models, compared with some tables.

    The source is a norm base, or what norm bases are made of; the mix is of answers and levels.

    Raises:
        InputError: the source or a table cannot be read, the limit is no number above 0, or the
            checker is a model whose words it checks.
    """
    models = checked_roles(roles, ROLES, "writes or labels")
    check_counts(limit=limit)
    gathered = gather([source])
    statements = gathered.norms
    repeated = duplicates([NamedText(name=each.id, words=each.text, within=each.place) for each in statements])
    # Sources are sorted by country; by hash a limit takes statements of all.
    units = sorted((each for each in statements if each.id not in repeated), key=lambda each: digest(each.id))
    units = units[:limit]
    lost = (dropped(each, STAGE, SAME, repeated[each.id].of) for each in statements if each.id in repeated)
    public = public_texts(against)

    def release_of(built: Sequence[BuiltSubgroupScenario]) -> Release:
        """Release of the scenarios, but for those that repeat another or a public table."""
        texts = [GeneratedText(each, each.statement, each.statement.id, each.scenario.situation) for each in built]
        left, lost = drop_duplicates(texts, public, DUPLICATES, SAME)
        kept, beyond = in_shares(left, mix.levels)
        over = (dropped(each.statement, SHARES, BEYOND, level_of(each)) for each in beyond)
        return release(kept, units, (*lost, *over), mix)

    return Pipeline[BuiltNorm, BuiltSubgroupScenario](
        name="subgroups",
        stages=(*STAGES, SHARES) if mix.levels else STAGES,
        units=units,
        make=partial(_build, mix),
        estimate=lambda statement: estimated_calls(prompt, statement.text, ASKED),
        release=release_of,
        public=public,
        roles=models,
        prompts=tuple(map(prompt, PROMPTS)),
        made_from=gathered.made_from | hash_tables(against),
        dropped_before=(*gathered.dropped, *lost),
        settings={
            "limit": limit,
            "against": [path.name for path in against],
            "yes_share": mix.yes,
            "levels": dict(mix.levels),
        },
        licences=gathered.licences,
        from_simulated=gathered.simulated,
    )


async def _build(mix: ScenarioMix, statement: BuiltNorm, cast: Cast) -> KeptOrDropped[BuiltSubgroupScenario]:
    """One scenario, or where its making ended."""
    context = UnitContext(unit=statement, slots={"place": place(statement.place).name}, voice=cast, prompt=prompt)
    return await _scenario(context, await _cues(context.at(READ_CUES)), mix.label_of(statement.id))


async def _cues(context: UnitContext[BuiltNorm]) -> dict[str, str]:
    """The cues of a statement, as far as two models read the same kinds in it."""
    expected, reasons = (await read_statement(context, CHECKER)).carried, ""
    if not KEY_CUES & expected.keys():
        raise context.ended(NO_CUE, ", ".join(map(spaced, expected)))
    for attempt in range(TRIES):
        # Only the labeller reads anew: the checker's reading is the measure, and is told of no other.
        found = (await read_statement(context.after(attempt, reasons), LABELLER)).carried
        if found.keys() == expected.keys():
            return found
        reasons = f"somebody else read it otherwise; {describe_difference(expected, found)}."
    raise context.ended(READ_DIFFERENTLY, reasons)


async def _scenario(
    context: UnitContext[BuiltNorm], cues: Mapping[str, str], label: YesNoLabel
) -> KeptOrDropped[BuiltSubgroupScenario]:
    """A scenario that its checks let pass; one that they reject is written anew, its writer given the reasons."""
    last = Rejected(WRITE, "", "")
    retried: list[str] = []
    for attempt in range(TRIES):
        result = await _try(context.after(attempt), cues, label, last.detail)
        if isinstance(result, SubgroupScenario):
            built = BuiltSubgroupScenario(
                statement=context.unit, cues=cues, label=label, scenario=result, retried=tuple(retried)
            )
            return Kept(built)
        last = result
        retried.append(last.reason)
    raise context.at(last.stage).ended(last.reason, last.detail)


async def _try(
    context: UnitContext[BuiltNorm], cues: Mapping[str, str], label: YesNoLabel, reasons: str
) -> SubgroupScenario | Rejected:
    """One scenario and its two checks: it, or why it will not do."""
    written = await write(context.at(WRITE).after(0, reasons), cues, label)
    if written.status == "fail":
        raise context.at(WRITE).ended(NO_USE, written.reason)
    if written.status == "retry":
        return Rejected(WRITE, NOT_SO, written.reason)
    scenario, context = written.scenario, context.at(CHECK)
    persona, judged = await all_of(read_persona(context, scenario, cues), check(context, scenario, label))
    faults = (*_faults_of_persona(cues, persona), *_faults_of_key(label, judged))
    if not faults:
        return scenario
    return Rejected(CHECK, faults[0][0], f'"{scenario.text}"\n{" ".join(detail for _, detail in faults)}')


def _faults_of_persona(cues: Mapping[str, str], found: Cues) -> Iterator[tuple[str, str]]:
    """In what a persona is more or less than the cues of its statement."""
    if cues.keys() != found.carried.keys():
        reason = MISSING_CUE if cues.keys() - found.carried.keys() else EXTRA_CUE
        yield reason, f"The persona is not as it has to be; {describe_difference(cues, found.carried)}."


def _faults_of_key(label: YesNoLabel, found: ScenarioCheck) -> Iterator[tuple[str, str]]:
    """Faults that a check finds in a scenario whose answer is to be the label."""
    if found.member == "no":
        yield OUTSIDE, f"The person is not one of those whom the statement is about: {found.reason}"
    if found.answer != label:
        yield UNKEYED, f"By the statement the answer is {found.answer} and not {label}: {found.reason}"
    if normalised(found.leak):
        yield GIVEN_AWAY, f'The words "{found.leak}" give the answer away.'
    if found.stance == "changed":
        yield CHANGED, f"It turns on something else than the statement: {found.reason}"


def release(
    built: Sequence[BuiltSubgroupScenario],
    asked: Sequence[BuiltNorm],
    lost: Sequence[Dropped] = (),
    mix: ScenarioMix = AS_THEY_COME,
) -> Release:
    """The files of a release with the sheet for people beside them, and what its datasheet says of it.

    `asked` are all statements that were begun with, which the answers asked for are counted of.
    """
    ordered = sorted(built, key=lambda each: each.statement.id)
    heads = ("id", "country", *CUES, "persona", "situation", "question", "label", "statement", "source")
    return Release(
        files={TABLE: sheet(heads, map(_row, ordered), encoding="utf-8"), **sheet_of(ordered)},
        facts=_facts(ordered, asked, mix),
        gated=TABLE if built else "",
        dropped=lost,
    )


def _row(built: BuiltSubgroupScenario) -> tuple[str, ...]:
    statement, scenario = built.statement, built.scenario
    return (
        statement.id, place(statement.place).name, *(built.cues.get(cue, "") for cue in CUES), scenario.persona,
        scenario.situation, scenario.question, built.label, statement.text, statement.source,
    )  # fmt: skip


def _facts(built: Sequence[BuiltSubgroupScenario], asked: Sequence[BuiltNorm], mix: ScenarioMix) -> dict[str, object]:
    return {
        "prompts_are": RECONSTRUCTION,
        "scenarios": len(built),
        "by_place": counted(each.statement.place for each in built),
        "asked_for": counted(mix.label_of(each.id) for each in asked),
        "yes_share": _share([each.label == "yes" for each in built]),
        "cues": {cue: _share([cue in each.cues for each in built]) for cue in CUES},
        "levels": {level: _share([level_of(each) == level for each in built]) for level in LEVELS},
        "retried": counted(reason for each in built for reason in each.retried),
    }


def _share(holds: Sequence[bool]) -> dict[str, float | None]:
    """A share of n scenarios with Wilson's interval; None where there are none."""
    interval = wilson(sum(holds), len(holds))
    share = sum(holds) / len(holds) if holds else None
    return {"n": len(holds), "share": share, "low": interval.low, "high": interval.high}


CLARITY, MARKS, STANCE = "cultural clarity", "cue accuracy", "stance fidelity"
ASPECTS = {
    CLARITY: "Is it clear to you who this is, what happens, and what is asked?",
    MARKS: "Does the person carry each of the marks as the statement means it, and no other?",
    STANCE: "Going by the statement alone, is the answer to the question yes?",
}
"""The three aspects that people review in CURE (sec. 1), in our words."""
COLUMNS = ("place", "statement", "marks", "scenario", "question")


def sheet_of(built: Sequence[BuiltSubgroupScenario]) -> dict[str, bytes]:
    """The sheet that people fill in, and the key to it."""
    return checklist(COLUMNS, (row for each in built for row in _rows(each)))


def _rows(built: BuiltSubgroupScenario) -> Iterator[tuple[Checkpoint, tuple[str, ...]]]:
    statement = built.statement
    marks = "; ".join(f"{spaced(cue)}: {words}" for cue, words in built.cues.items())
    for aspect, question in ASPECTS.items():
        point = checkpoint(statement.id, aspect, built.label if aspect == STANCE else "yes")
        yield point, (place(statement.place).name, statement.text, marks, built.scenario.text, question)
