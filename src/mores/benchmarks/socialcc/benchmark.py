"""SocialCC: two minds talk; one raises a cultural conflict, the other is watched for awareness, knowledge, conduct.

A scenario has a custom of one place and a value of another. Awareness and knowledge of the custom count at the custom's
place, knowledge of the value and conduct at the value's; the paper counts all four at the value's place, and its
attribution stands beside ours under the paper's name.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from mores.benchmarks.benchmark import Setting
from mores.benchmarks.shapes.dialogues.benchmark import DialogueBenchmark
from mores.benchmarks.shapes.dialogues.judgements import conduct, knowing, noticing, valuing
from mores.benchmarks.shapes.dialogues.measures import FIGURES, Figure, flagged, labelled, worth
from mores.benchmarks.shapes.dialogues.pressure import levels_of
from mores.benchmarks.shapes.dialogues.released import OPTION, RELEASED, scores_are_read
from mores.benchmarks.shapes.dialogues.scene import DialogueItem
from mores.benchmarks.shapes.judged import JUDGE
from mores.benchmarks.socialcc.scenarios import read_scenarios, scenario_item
from mores.core.card import Card
from mores.core.errors import InputError
from mores.core.item import ItemMetadata
from mores.core.prompt import Prompt, ReadPrompt

HERE = Path(__file__).parent
SCORED = "Verdicts are scores given elsewhere, on the released scales: of each the last number, kept within -1 and 2."


def benchmark(name: str, words: ReadPrompt = Prompt.read) -> DialogueBenchmark:
    """The one benchmark of the family, `dialogue`."""
    antagonist, subject = words(HERE / "antagonist.prompt.md"), words(HERE / "subject.prompt.md")

    def read(setting: Setting) -> Sequence[DialogueItem]:
        _check_scores(setting)
        return [
            scenario_item(scenario, antagonist, subject, level, alone=len(levels_of(setting)) == 1)
            for scenario in read_scenarios(setting.data)
            for level in levels_of(setting)
        ]

    return DialogueBenchmark(
        card=Card.read(HERE / f"{name}.card.toml"),
        antagonist=antagonist,
        subject=subject,
        judgements=(
            noticing(words(HERE / "awareness.prompt.md")),
            knowing(words(HERE / "commonsense.prompt.md")),
            valuing(words(HERE / "value.prompt.md")),
            conduct(words(HERE / "behaviour.prompt.md")),
        ),
        figures=_FIGURES,
        read=read,
        tell=lambda setting: (SCORED,) if scores_are_read(setting) else (),
    )


def _check_scores(setting: Setting) -> None:
    """Refuse to read a judge's own words as scores.

    Raises:
        InputError: scores are to be read, and the judge is not a recording.
    """
    judge = setting.roles.get(JUDGE, "")
    if scores_are_read(setting) and judge and not judge.startswith("recorded/"):
        raise InputError(f"--set {OPTION}={RELEASED} reads scores given elsewhere: --judge recorded/FILE; got {judge}.")


def _at_value(about: ItemMetadata) -> ItemMetadata:
    """The same at the place of the value, as the paper counts."""
    return replace(about, place=about.groups.get("value_place"))


_FIGURES: dict[str, Figure] = {
    **FIGURES,
    "value": Figure(task="value"),
    **{f"behaviour_{n}": Figure(task="behaviour", points=labelled(str(n)), derived=True) for n in range(4)},
    "behaviour_table11a": Figure(
        task="behaviour", points=worth({"0": 0, "1": 2, "2": 1, "3": 3}), top=3.0, derived=True
    ),
    "behaviour_released": Figure(
        task="behaviour", points=worth({"0": -1, "1": 1, "2": 0, "3": 2}), low=-1.0, top=2.0, derived=True
    ),
    "commonsense_released": Figure(
        task="commonsense", points=worth({"correct": 2, "none": 1, "wrong": 0}), top=2.0, derived=True
    ),
    "awareness_paper": Figure(task="awareness", of=_at_value),
    "commonsense_paper": Figure(task="commonsense", of=_at_value),
    "repeats": Figure(task="flagged", points=flagged("repeats"), derived=True),
    "speaks_for_other": Figure(task="flagged", points=flagged("speaks for the other"), derived=True),
    "leaks": Figure(task="flagged", points=flagged("leaks its instructions"), derived=True),
    "cut_short": Figure(task="flagged", points=flagged("cut short"), derived=True),
}
