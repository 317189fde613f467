"""What the tests of judges share: rubrics of our own, a cast round a model, and judges that say what a test wants."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from mores.core.card import Sampling
from mores.core.prompt import Prompt, PromptHeader
from mores.core.seeds import Seed
from mores.judges.judge import JudgeOutcome, ask_judge
from mores.judges.rubric import Case, Planted, Rubric
from mores.judges.rubric_answers import AnswerFormat, ChoiceAnswer, Score
from mores.models.registry import Connection, open_model
from mores.models.request import CallFailed, Reply, Request, Tag

SAMPLING = Sampling(temperature=0.0, max_tokens=256)
SEED = Seed("test")
LABELS = ChoiceAnswer(options=("satisfy", "neutral", "violate"), affirmative="satisfy")
YES_NO = Score(scale="binary")


def prompt(body: str = "Does it keep to [[norm]]?\n\n[[answer]]\n\n[[form]]", role: str = "judge") -> Prompt:
    header = PromptHeader(name="test.norm.v1", role=role, language="en", origin="own")  # type: ignore[arg-type]
    return Prompt(header, body)


def rubric(answer: AnswerFormat | None = None, *, many: bool = False) -> Rubric:
    return Rubric(prompt=prompt(), answer=answer or Score(), many=many)


def case(answer: str = "I would bow.", *, item: str = "i-1", ids: tuple[str, ...] = (), sample: int = 0) -> Case:
    values = {"norm": "People bow when they meet.", "answer": answer}
    return Case(values=values, tag=Tag(item=item, role="judge", sample=sample), ids=ids)


@dataclass
class Scripted:
    """A cast that says each turn once, in order, and the last one for ever; it keeps what it was asked."""

    turns: Sequence[str | Reply | CallFailed | Callable[[Request], str]]
    asked: list[Request] = field(default_factory=list)

    def note(self, heard: object) -> None:
        """Nothing is kept."""

    async def ask(self, request: Request) -> Reply:
        turn = self.turns[min(len(self.asked), len(self.turns) - 1)]
        self.asked.append(request)
        if isinstance(turn, CallFailed):
            raise turn
        if isinstance(turn, Reply):
            return turn
        return Reply(text=turn if isinstance(turn, str) else turn(request))


class Simulation:
    """A cast whose roles are simulated judges, by their specs."""

    def __init__(self, *specs: str) -> None:
        roles = ["judge", *(f"judge-{n}" for n in range(2, len(specs) + 1))]
        self.models = {role: open_model(spec, SEED, Connection()) for role, spec in zip(roles, specs, strict=True)}

    def note(self, heard: object) -> None:
        """Nothing is kept."""

    async def ask(self, request: Request) -> Reply:
        return await self.models[request.tag.role].reply(request)


def judge(cast: Scripted | Simulation, rubric: Rubric, case: Case) -> JudgeOutcome:
    return asyncio.run(ask_judge(rubric, case, cast=cast, sampling=SAMPLING, seed=SEED))


def planted_case(rubric: Rubric, planted: Planted, item: str, *, sample: int = 0, place: str = "JP") -> Case:
    key = rubric.key(planted, unit=f"{item}/{sample}", place=place)
    plain = case(item=item, sample=sample)
    return Case(values=plain.values, tag=plain.tag, key=key)
