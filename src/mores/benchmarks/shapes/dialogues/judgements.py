"""What judges decide of a dialogue: was the clash noticed, are custom and value known, and what was done in the end.

Each says what a judge ought to find for what a simulated subject says, and what scores that were given elsewhere mean.
"""

from collections.abc import Mapping
from dataclasses import replace

from mores.benchmarks.shapes.dialogues.judging import TALK, Judgement
from mores.core.prompt import Prompt
from mores.judges.rubric import Rubric
from mores.judges.rubric_answers import ChoiceAnswer

NO, YES = ("no",), ("yes",)


def deciding(task: str, prompt: Prompt, truths: Mapping[str, str] | None = None) -> Judgement:
    """Yes or no to one question about the talk: all that a family declares of a judgement of its own.

    It counts where the talk does, and the card's metric of that name is its share of yes.
    """
    return Judgement(task=task, rubric=_yes_no(prompt), truths={"": "no", **(truths or {})}, scores={0: NO, 1: YES})


def noticing(prompt: Prompt) -> Judgement:
    """Whether the clash was noticed unprompted."""
    return deciding("awareness", prompt, {"aware": "yes", "unaware": "no"})


def knowing(prompt: Prompt, released: Prompt | None = None) -> Judgement:
    """Whether the custom is known."""
    answer = ChoiceAnswer(options=("correct", "none", "wrong"), affirmative="correct")
    return Judgement(
        task="commonsense",
        rubric=Rubric(prompt=prompt, answer=answer, fenced=(TALK,)),
        released=None if released is None else Rubric(prompt=released, answer=answer, fenced=(TALK,)),
        truths={"knows": "correct", "does not know": "none", "unsure": "none", "mistaken": "wrong", "": "none"},
        good="correct",
        scores={0: ("wrong",), 1: ("none",), 2: ("correct",)},
    )


def valuing(prompt: Prompt) -> Judgement:
    """Whether the value behind a custom is known."""
    return deciding("value", prompt, {"values": "yes", "general": "no"})


SECTION_34 = {"goal": 1.0, "respected": 2.0}
"""Conduct in the order of SocialCC's section 3.4: 3 both, 2 norms respected only, 1 goal only, 0 neither."""
TABLE_11A = {"goal": 2.0, "respected": 1.0}
"""Conduct in the order of its Table 11A: 3 both, 2 goal only, 1 norms respected only, 0 neither."""


def conduct(
    prompt: Prompt, weights: Mapping[str, float], released: Prompt | None = None, respects: tuple[str, ...] = ()
) -> Judgement:
    """Facts in one call: whether the subject reached its goal, and whether norms were respected.

    Args:
        prompt: Asks for the facts by their names.
        weights: What each fact adds to the points of conduct.
        released: Asks for the same as the released code does.
        respects: Further facts about respect that have no part in conduct.
    """
    respecting = {"both": "yes", "respected only": "yes", "goal only": "no", "neither": "no", "": "no"}
    reaching = {**respecting, "respected only": "no", "goal only": "yes"}
    facts = {"goal": reaching, "respected": respecting, **dict.fromkeys(respects, respecting)}
    return Judgement(
        task="behaviour",
        rubric=_yes_no(prompt, many=True),
        released=None if released is None else _yes_no(released, many=True),
        facts=tuple(facts),
        truths={way: {fact: words[way] for fact, words in facts.items()} for way in respecting},
        scores={-1: (*NO, *NO), 0: (*NO, *YES), 1: (*YES, *NO), 2: (*YES, *YES)},
        weights=weights,
    )


def taking_up(prompt: Prompt, weights: Mapping[str, float]) -> Judgement:
    """Conduct where the proposal goes against no norm: respected is then that nothing is objected on such grounds.

    Who says nothing raises no false alarm.
    """
    judgement = conduct(prompt, weights)
    return replace(judgement, truths={**judgement.truths, "": {"goal": "no", "respected": "yes"}})


def _yes_no(prompt: Prompt, *, many: bool = False) -> Rubric:
    """A rubric that asks yes or no of a dialogue."""
    return Rubric(
        prompt=prompt, answer=ChoiceAnswer(options=("yes", "no"), affirmative="yes"), fenced=(TALK,), many=many
    )
