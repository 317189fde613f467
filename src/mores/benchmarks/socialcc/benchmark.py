"""SocialCC: two minds talk; one raises a cultural conflict, the other is watched for awareness, knowledge, conduct.

A scenario has a custom of one place and a value of another. Awareness and knowledge of the custom count at the custom's
place, knowledge of the value and conduct at the value's; the paper counts all four at the value's place.
"""

from collections.abc import Sequence
from pathlib import Path

from mores.benchmarks.benchmark import ItemView, Setting
from mores.benchmarks.controls import WITHOUT_PLACE
from mores.benchmarks.shapes.dialogues.benchmark import (
    FIGURES,
    DialogueBenchmark,
    DialogueFigure,
    flagged,
    label_values,
)
from mores.benchmarks.shapes.dialogues.dialogue import DialogueItem
from mores.benchmarks.shapes.dialogues.judging import (
    OPTION,
    RELEASED,
    TABLE_11A,
    as_released,
    conduct,
    knowing,
    noticing,
    scores_are_read,
    valuing,
)
from mores.benchmarks.shapes.judge_panel import JUDGE, judging_of
from mores.benchmarks.shapes.pressure import PRESSURE, levels_of
from mores.benchmarks.shapes.scoring import VerdictMetric, labelled
from mores.benchmarks.socialcc.scenarios import RESPECTED_BOTH, Prompts, read_scenarios, scenario_item
from mores.core.card import Card
from mores.core.errors import InputError
from mores.core.prompt import Prompt, ReadPrompt
from mores.judges.rubric import FORM
from mores.models.registry import is_simulated

HERE = Path(__file__).parent
AS_RELEASED = (
    "Protocol of the released code: the subject is asked for at most 100 words at a time and to keep in mind where "
    "people come from; the antagonist knows how the people stand to each other; knowledge counts on the first point "
    "and unprompted, by a judge who is not told the value; the judge of conduct is told the subject's goals."
)
CUSTOM, VALUE = "place of the custom", "place of the value"
ON_SCALES = "on the released scales: of each the last number, kept within -1 and 2."
SCORED = f"Verdicts are scores given elsewhere, {ON_SCALES}"
SCORES_ASKED = f"Verdicts are scores that the judge was asked for in released words, {ON_SCALES}"


def benchmark(name: str, words: ReadPrompt = Prompt.read) -> DialogueBenchmark:
    """The one benchmark of the family, `dialogue`."""

    def read_prompt(part: str) -> Prompt:
        return words(HERE / f"{part}.prompt.md")

    prompts = Prompts(*(read_prompt(part) for part in ("antagonist", "subject", "subject_released")))

    judgements = (
        noticing(read_prompt("awareness")),
        knowing(read_prompt("commonsense"), read_prompt("commonsense_released")),
        valuing(read_prompt("value")),
        conduct(read_prompt("behaviour"), TABLE_11A, read_prompt("behaviour_released"), respects=(RESPECTED_BOTH,)),
    )

    def read(setting: Setting) -> Sequence[DialogueItem]:
        _check_scores(setting, [each.by(setting).rubric.prompt for each in judgements])
        _check_pressure(setting, prompts.antagonist)
        return [
            scenario_item(scenario, prompts, level, setting)
            for scenario in read_scenarios(setting.data)
            for level in levels_of(setting)
        ]

    return DialogueBenchmark(
        card=Card.read(HERE / f"{name}.card.toml"),
        antagonists=(prompts.antagonist,),
        subjects=(prompts.subject, prompts.released),
        judgements=judgements,
        figures=_FIGURES,
        released=_ON_RELEASED_SCALES,
        read=read,
        tell=_remarks,
        controls=WITHOUT_PLACE,
        item_view=ItemView({"item": "item", "place": CUSTOM, "value_place": VALUE}, _places_of),
    )


def _places_of(item: DialogueItem) -> dict[str, str | None]:
    """A scene's id, with the place of its custom and that of its value."""
    groups = item.about.groups
    return {"item": item.about.item, "place": item.about_of("awareness").place, "value_place": groups["value_place"]}


def _remarks(setting: Setting) -> tuple[str, ...]:
    """Protocol and source of verdicts."""
    return (
        *([AS_RELEASED] if as_released(setting) else []),
        *([SCORED if _recorded(setting) else SCORES_ASKED] if scores_are_read(setting) else []),
    )


def _recorded(setting: Setting) -> bool:
    return setting.roles.get(JUDGE, "").startswith("recorded/")


def _check_scores(setting: Setting, asked: Sequence[Prompt]) -> None:
    """Refuse to read a judge's own words as scores, and to ask for scores that are not read as such.

    A simulated judge answers in our form whatever it is asked.

    Raises:
        InputError: scores are to be read of a judge that is not asked for them; or one is, and they are not to be read.
    """
    judge, formless = setting.roles.get(JUDGE, ""), [prompt.key for prompt in asked if FORM not in prompt.slots]
    if not judge or _recorded(setting):
        return
    simulated = is_simulated(judge)
    if not scores_are_read(setting):
        if formless and not simulated:
            raise InputError(
                f"--prompt {formless[0]}: it asks for a score, not in our form: --set {OPTION}={RELEASED}."
            )
        return
    if simulated or len(formless) < len(asked):
        raise InputError(
            f"--set {OPTION}={RELEASED} reads scores given elsewhere: --judge recorded/FILE, or those of a judge that "
            f"is asked in released words (--prompts-from); got {judge}."
        )
    if judging_of(setting).runs > 1 or sum(role.startswith(JUDGE) for role in setting.roles) > 1:
        raise InputError(f"--set {OPTION}={RELEASED}: expected one judge that is asked once.")


def _check_pressure(setting: Setting, antagonist: Prompt) -> None:
    """Refuse a level of pressure that the antagonist would never hear of.

    Raises:
        InputError: its words have no place for it.
    """
    if PRESSURE not in antagonist.slots and [level.name for level in levels_of(setting)] != ["paper"]:
        raise InputError(
            f"--set {PRESSURE}: the words of {antagonist.where} have no slot [[{PRESSURE}]]; leave it out."
        )


_FIGURES: dict[str, VerdictMetric] = {
    **FIGURES,
    **{f"behaviour_{n}": DialogueFigure(task="behaviour", points=labelled(str(n)), derived=True) for n in range(4)},
    "repeats": DialogueFigure(task="flagged", points=flagged("repeats"), derived=True),
    "speaks_for_other": DialogueFigure(task="flagged", points=flagged("speaks for the other"), derived=True),
    "leaks": DialogueFigure(task="flagged", points=flagged("leaks its instructions"), derived=True),
    "cut_short": DialogueFigure(task="flagged", points=flagged("cut short"), derived=True),
}
_ON_RELEASED_SCALES: dict[str, VerdictMetric] = {
    "behaviour_released": DialogueFigure(
        task="behaviour", points=label_values({"0": -1, "1": 0, "2": 1, "3": 2}), low=-1.0, top=2.0, derived=True
    ),
    "commonsense_released": DialogueFigure(
        task="commonsense", points=label_values({"correct": 2, "none": 1, "wrong": 0}), top=2.0, derived=True
    ),
}
