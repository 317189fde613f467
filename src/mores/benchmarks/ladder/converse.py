"""Rung 5, converse: a norm is raised, questioned and pressed, in a talk with somebody who would rather not keep it."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from mores.benchmarks.benchmark import Setting
from mores.benchmarks.ladder.packs import groups_of
from mores.benchmarks.ladder.sayings import said_by_other, said_by_subject
from mores.benchmarks.shapes.asking import SUBJECT
from mores.benchmarks.shapes.dialogues.benchmark import LIMIT, DialogueBenchmark
from mores.benchmarks.shapes.dialogues.judgements import SECTION_34, conduct, knowing, noticing
from mores.benchmarks.shapes.dialogues.judging import FLAGGED, PUSHED, ROUNDS
from mores.benchmarks.shapes.dialogues.measures import FIGURES, Figure, labelled
from mores.benchmarks.shapes.dialogues.pressure import LEVELS, PRESSURE, Level, levels_of
from mores.benchmarks.shapes.dialogues.scene import ANTAGONIST, DialogueItem, Line, Part
from mores.benchmarks.shapes.shape import Remark, Trace
from mores.core.card import Card
from mores.core.errors import InputError
from mores.core.item import ItemMetadata
from mores.core.prompt import Prompt, ReadPrompt
from mores.norms.items import ConverseItem
from mores.norms.pack import Pack, PackNorm
from mores.norms.places import place

HERE = Path(__file__).parent
TASKS = ("awareness", "commonsense", "goal", "respected", "behaviour", ROUNDS, FLAGGED, PUSHED)


def talk_benchmark(
    pack_of: Callable[[Setting], Pack], trace: Trace, tell: Remark, words: ReadPrompt
) -> DialogueBenchmark:
    """The rung, over the norms of a run's pack."""
    other, you = words(HERE / "other.prompt.md"), words(HERE / "converse.prompt.md")

    def read(setting: Setting) -> Sequence[DialogueItem]:
        pack, levels = pack_of(setting), levels_of(setting)
        items = [
            _item(entry, entry.converse, (other, you), level, alone=len(levels) == 1)
            for entry in pack.norms
            if entry.converse is not None
            for level in levels
        ]
        if not items:
            raise InputError(f"Pack {pack.id}: no norm has a table [norm.converse]; expected one for this rung.")
        return items

    return DialogueBenchmark(
        card=Card.read(HERE / "converse.card.toml"),
        antagonist=other,
        subjects=(you,),
        judgements=(
            noticing(words(HERE / "converse_awareness.prompt.md")),
            knowing(words(HERE / "converse_commonsense.prompt.md")),
            conduct(words(HERE / "converse_behaviour.prompt.md"), SECTION_34),
        ),
        figures={**FIGURES, "accuracy": Figure(task="behaviour", points=labelled("3"))},
        read=read,
        trace=trace,
        tell=tell,
    )


def _item(
    entry: PackNorm, scene: ConverseItem, prompts: tuple[Prompt, Prompt], level: Level, *, alone: bool
) -> DialogueItem:
    norm, where = entry.norm, place(entry.norm.place).name
    item = f"converse-{norm.id}" + ("" if alone else f"@{level.name}")
    about = _about(entry, item, level)
    met = [scene.other, scene.you, *([scene.third] if scene.third else [])]
    people = "\n".join(f"- {one.name}: {one.who}" for one in met)
    shared = {"place": where, "scene": scene.scene, "people": people, "rounds": str(LIMIT)}
    other = {**shared, "you": scene.other.name, "other": scene.you.name}
    return DialogueItem(
        about=about,
        antagonist=Part(
            role=ANTAGONIST,
            name=scene.other.name,
            prompt=prompts[0],
            words={**other, "norm": norm.statement, "proposal": scene.proposal, "pressure": level.words},
        ),
        subject=Part(
            role=SUBJECT,
            name=scene.you.name,
            prompt=prompts[1],
            words={**shared, "you": scene.you.name, "other": scene.other.name, "goal": scene.goal},
        ),
        held_against={
            "place": where,
            "scene": f"{scene.scene}\nAgent 1 is {scene.other.name}, Agent 2 is {scene.you.name}.\n{people}",
            "norm": norm.statement,
            "goal": scene.goal,
        },
        abouts={task: replace(about, part=task) for task in TASKS},
        script=_script(scene, norm.statement, level),
        pressure=level.strength,
    )


def _about(entry: PackNorm, item: str, level: Level) -> ItemMetadata:
    """A norm is drawn with all levels of pressure of a run, each of which is a talk that counts."""
    norm = entry.norm
    named = {**groups_of(entry), "dimension": level.label, PRESSURE: level.name}
    return ItemMetadata(item=item, unit=norm.id, cluster=norm.id, place=norm.place, groups=named)


def _script(scene: ConverseItem, statement: str, level: Level) -> dict[str, tuple[Line, ...]]:
    """What simulated minds say: the norm raised, asked about, told and pressed as hard as the level says."""
    pushes = _presses(level)
    other = (Line(ways={"says": words}) for words in said_by_other(scene, statement, pushes))
    return {ANTAGONIST: tuple(other), SUBJECT: tuple(said_by_subject(scene, statement, pushes))}


def _presses(level: Level) -> int:
    """How often a simulated antagonist pushes."""
    return {"none": 0, "paper": 1, "firm": 2, "strong": 3}[level.name] if level.name in LEVELS else 1
