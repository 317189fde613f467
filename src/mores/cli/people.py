"""The verbs that hold judges against people: agreement, calibrate, correct."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Optional

import typer
from typer.core import TyperGroup

Many = Optional[list[str]]  # noqa: UP045 - typer reads the annotation
Runs = Annotated[list[Path], typer.Argument(help="Folders of finished runs.")]
Labels = Annotated[
    list[Path], typer.Option(help="People's labels (CSV or JSON Lines): item, task, annotator, label; again for more.")
]
SampleFlag = Annotated[
    Path | None, typer.Option("--sample", help="Folder of the sample that was labelled, for its ids and splits.")
]
Tasks = Annotated[Many, typer.Option("--task", help="Only this task; again for more.")]
SeedFlag = Annotated[int, typer.Option(help="Seed of all dice.")]
JsonFlag = Annotated[
    bool, typer.Option("--json", help="One JSON object on standard output, all else on standard error.")
]
Delta = Annotated[float, typer.Option(help="Allowed chance that a certificate is wrong.")]
Risks = Annotated[str, typer.Option("--risk", help="Levels, such as .05,.11,.17.")]


class OfRuns(TyperGroup):
    """A group in which `mores agreement RUN` stands for `mores agreement of RUN`."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that is named, or that on runs."""
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            args = ["of", *args]
        return super().resolve_command(ctx, args)


class OnePerChoice(StrEnum):
    """What a sample has one thing of."""

    EPISODE = "episode"
    ITEM = "item"
    NONE = "none"


agreement_app = typer.Typer(
    cls=OfRuns,
    help="Hold judges against people: mores agreement RUN --labels FILE, and samples for people to label.",
    rich_markup_mode=None,
    no_args_is_help=True,
)


@agreement_app.command("of")
def agreement_of(  # noqa: PLR0913, PLR0917
    runs: Runs,
    labels: Labels,
    sample: SampleFlag = None,
    split: Annotated[str | None, typer.Option(help="Only this split of the sample, such as test.")] = None,
    task: Tasks = None,
    disagreement: Annotated[
        float, typer.Option(help="On points: list cases where judges and people are at least so far apart.")
    ] = 0.5,
    cases: Annotated[Path | None, typer.Option(help="New file for the cases of disagreement, to code causes.")] = None,
    causes: Annotated[Path | None, typer.Option(help="That file with people's causes filled in.")] = None,
    epsilon: Annotated[
        float, typer.Option(help="Of the alt-test: .2 for experts, .15 for skilled people, .1 for a crowd.")
    ] = 0.2,
    seed: SeedFlag = 0,
    json: JsonFlag = False,
) -> None:
    """How far judges agree with people, and people with each other."""
    from mores.cli.agreement import Agreeing, agree  # noqa: PLC0415

    agree(
        Agreeing(
            runs=tuple(runs), labels=tuple(labels), sample=sample, split=split, tasks=tuple(task or ()),
            disagreement=disagreement, cases=cases, causes=causes, epsilon=epsilon, seed=seed, json=json,
        )
    )  # fmt: skip


@agreement_app.command("sample")
def agreement_sample(  # noqa: PLR0913, PLR0917
    runs: Runs,
    n: Annotated[int, typer.Option("--n", help="How many rows, over all tasks.")],
    out: Annotated[Path, typer.Option(help="New folder of the work list and its sealed record.")],
    task: Tasks = None,
    stratify: Annotated[str, typer.Option(help="Strata, of model, place and task.")] = "model,place,task",
    one_per: Annotated[OnePerChoice, typer.Option(help="At most one row of each, within a task.")] = (
        OnePerChoice.EPISODE
    ),
    split: Annotated[str, typer.Option(help="Names of the splits, dealt alike.")] = "calibration,test",
    seed: SeedFlag = 0,
) -> None:
    """Draw a sample for people to label: a work list without model and verdict, its splits frozen beside it."""
    from mores.cli.sampling import draw  # noqa: PLC0415

    def listed(text: str) -> tuple[str, ...]:
        return tuple(name.strip() for name in text.split(",") if name.strip())

    draw(tuple(runs), out, tasks=tuple(task or ()), n=n, stratify=listed(stratify), one_per=one_per.value,
         splits=listed(split), seed=seed)  # fmt: skip


@agreement_app.command("simulate")
def agreement_simulate(  # noqa: PLR0913, PLR0917
    runs: Runs,
    out: Annotated[Path, typer.Option(help="New file of labels (.csv).")],
    sample: SampleFlag = None,
    people: Annotated[int, typer.Option(help="How many people label each row.")] = 3,
    accuracy: Annotated[
        str, typer.Option(help="Chance of each to say what is true; several values are taken in turn.")
    ] = "0.95",
    noise: Annotated[float, typer.Option(help="Spread of points around true ones.")] = 0.05,
    seed: SeedFlag = 0,
) -> None:
    """Labels of simulated people with planted errors, for trying things out on a simulated run."""
    from mores.cli.sampling import simulate  # noqa: PLC0415

    simulate(tuple(runs), out, sample, people=people, accuracy=accuracy, noise=noise, seed=seed)


def register(app: typer.Typer) -> None:
    """Add these verbs to the command line."""
    app.add_typer(agreement_app, name="agreement")
