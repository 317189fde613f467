"""Tables made in memory: a judge's draws with planted errors, as a run stores them, and people who say what is true."""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from mores.annotation.judged_items import JudgedEvaluation, JudgedItem
from mores.annotation.label_tables import TaskTable
from mores.core.seeds import Seed
from mores.core.verdict import JudgeAnswer, JudgedUnit, Vote
from mores.models.simulated_judge import JudgeKey, VerdictNoise, simulated_judgement

OPTIONS = ("yes", "no")
PLACES = ("JP", "NG", "BR")


def evaluation(
    spec: str = "openai/judge", *, run: str = "run", model: str = "openai/subject", **also: Any
) -> JudgedEvaluation:
    """A finished evaluation of a made-up benchmark."""
    manifest: dict[str, Any] = {
        "card": {"version": "1-A"},
        "protocol": {
            "judging": {"sampling": {"temperature": 1.0, "top_p": None, "max_tokens": 100, "logprobs": False}},
            "settings": {},
        },
        "models": {spec: {"identity": "https://example.org/v1", "altered": []}},
        "prompts": {"made.goal.v1": "abc", "judges.fence.v1": "fff", "made.subject.v1": "sss"},
        **also,
    }
    return JudgedEvaluation(
        run=Path(run), folder=Path(run), model=model, benchmark="made/up", judges={"judge": spec}, simulated=False,
        manifest=manifest,
    )  # fmt: skip


WHERE = evaluation()


def vote(number: int, draw: int, word: str | None, *, prompt: str = "abc", reason: str = "", **also: Any) -> Vote:
    """One draw on one thing; None is a draw that could not be read."""
    said = (
        JudgeAnswer(cause="not JSON")
        if word is None
        else JudgeAnswer(label=word, reason=reason or f"It says {word} of {number}.")
    )
    return Vote(
        item=f"i-{number}", sample=0, task="goal", judge="judge", draw=draw, prompt=prompt, options=OPTIONS,
        said={"": said}, **also,
    )  # fmt: skip


def row(number: int, votes: Sequence[Vote], *, where: JudgedEvaluation, cluster: str | None = None) -> JudgedItem:
    """One thing with the judge's draws on it."""
    return JudgedItem(
        evaluation=where, thing=JudgedUnit(f"i-{number}", 0, "goal"), place=PLACES[number % 3],
        cluster=cluster or f"c-{number}", options=OPTIONS, prompt="abc", votes={"judge": tuple(votes)},
    )  # fmt: skip


def table(
    rows: Sequence[JudgedItem],
    truths: Mapping[int, int],
    splits: Sequence[str] = (),
    options: tuple[str, ...] = OPTIONS,
) -> TaskTable:
    """A table with one person who labels some of the rows by codes."""
    labels = np.full((len(rows), 1), np.nan)
    for number, code in truths.items():
        labels[number, 0] = code
    return TaskTable(
        benchmark="made/up", task="goal", options=options, rows=tuple(rows), people=("ann",), labels=labels,
        splits=np.array(splits or [""] * len(rows), dtype=np.str_), ids=np.full(len(rows), "", dtype=np.str_),
    )  # fmt: skip


def planted(
    items: int, draws: int, *, right: float = 0.87, steady: float = 0.6, seed: str = "s", per_cluster: int = 1,
    labelled: int | None = None, spec: str = "openai/judge",
) -> TaskTable:  # fmt: skip
    """Draws of the simulated judge itself, right with this chance on average, more or less on each thing."""
    chances = {"sensitivity": right, "specificity": right, "steady": steady, "gullible": 0.0, "noise": 0.0}
    where, rng = evaluation(spec), Seed(seed)
    rows, truths = [], {}
    for number in range(items):
        truth = OPTIONS[rng.child("truth", number).below(2)]
        cluster = number // per_cluster
        key = JudgeKey(
            unit=str(number), truth=truth, ways={word: word for word in OPTIONS}, affirmative="yes", truths=(truth,)
        )
        said = [
            simulated_judgement(
                key, chances.__getitem__, VerdictNoise(rng.child("item", number), rng.child("draw", number, draw))
            ).outcomes[0]
            for draw in range(draws)
        ]
        votes = [vote(number, draw, word) for draw, word in enumerate(said)]
        rows.append(row(number, votes, where=where, cluster=f"c-{cluster}"))
        truths[number] = OPTIONS.index(truth)
    kept = truths if labelled is None else {n: code for n, code in truths.items() if n < labelled}
    return table(rows, kept)


def quickly_planted(
    items: int, draws: int, *, right: float, steady: float, seed: int, per_cluster: int = 1
) -> TaskTable:  # fmt: skip
    """The same judge by arrays, for many tables; things of a cluster share their chance, as those of an episode may."""
    rng, worth = np.random.default_rng(seed), 1 / steady - 1
    chance = np.repeat(rng.beta(right * worth, (1 - right) * worth, items // per_cluster), per_cluster)
    truths = rng.integers(0, 2, items)
    said = np.where(rng.random((items, draws)) < chance[:, None], truths[:, None], 1 - truths[:, None]).tolist()
    rows = [
        row(number, [_plain_vote(number, d, code) for d, code in enumerate(codes)], where=WHERE,
            cluster=f"c-{number // per_cluster}")
        for number, codes in enumerate(said)
    ]  # fmt: skip
    return table(rows, dict(enumerate(truths.tolist())))


@cache
def _plain_vote(number: int, draw: int, code: int) -> Vote:
    return vote(number, draw, OPTIONS[code], reason="So.")
