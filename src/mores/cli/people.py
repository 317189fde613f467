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

    def make_context(self, info_name: str | None, args: list[str], *rest: Any, **more: Any) -> Any:
        """The context of the command that is named, or of the one on runs."""
        if args and args[0] not in {*self.commands, "-h", "--help"}:
            return self.commands["of"].make_context("of", args, *rest, **more)
        return super().make_context(info_name, args, *rest, **more)


class OnePerChoice(StrEnum):
    """What a sample has one thing of."""

    EPISODE = "episode"
    ITEM = "item"
    NONE = "none"


class ByChoice(StrEnum):
    """What corrections are broken down by."""

    PLACE = "place"


class MethodChoice(StrEnum):
    """How a judge's mean is put right."""

    PPI = "ppi"
    ROGAN_GLADEN = "rogan-gladen"
    BOTH = "both"


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


def correct_(  # noqa: PLR0913, PLR0917
    runs: Runs,
    labels: Labels,
    sample: SampleFlag = None,
    task: Tasks = None,
    by: Annotated[ByChoice | None, typer.Option(help="Also place by place.")] = None,
    method: Annotated[MethodChoice, typer.Option(help="ppi, rogan-gladen (for words), or both.")] = MethodChoice.BOTH,
    confidence: Annotated[float, typer.Option(help="Wanted coverage of intervals.")] = 0.95,
    seed: SeedFlag = 0,
    json: JsonFlag = False,
) -> None:
    """What judges' means would be if people had judged, always beside the uncorrected ones."""
    from mores.cli.correcting import Correcting, correct  # noqa: PLC0415

    correct(
        Correcting(
            runs=tuple(runs), labels=tuple(labels), sample=sample, tasks=tuple(task or ()), by_place=by is not None,
            method=method.value, confidence=confidence, seed=seed, json=json,
        )
    )  # fmt: skip


class QualityChoice(StrEnum):
    """How good a draw is held to be."""

    CONSTANT = "constant"
    GNMT = "gnmt"
    MEAN = "mean"
    PREFIX = "prefix"
    VERBALISED = "verbalised"
    DECISION = "decision"


class LikenessChoice(StrEnum):
    """How alike two draws are held to be."""

    DECISION = "decision"
    PLAIN = "plain"
    NONE = "none"


class SetChoice(StrEnum):
    """When a set of draws is enough."""

    FIRST_K = "first_k"
    FIRST_K_DRAWS = "first_k_draws"
    MAX = "max"
    SUM = "sum"
    GEO = "geo"


class ModeChoice(StrEnum):
    """Which settings are tried."""

    AUTO = "auto"
    LINE = "line"
    PARETO = "pareto"


class FamilyChoice(StrEnum):
    """How settings are tested together."""

    SEQUENCE = "sequence"
    BONFERRONI = "bonferroni"
    HOLM = "holm"


class ConfidenceChoice(StrEnum):
    """How sure a single decision is held to be."""

    CONSISTENCY = "consistency"
    SHARES = "shares"
    LIKELIHOOD = "likelihood"


class PromiseChoice(StrEnum):
    """What a certificate promises of."""

    THING = "thing"
    EPISODE = "episode"


Judges = Annotated[Many, typer.Option("--judge", help="Only this judge, by role or spec; again for more.")]
Claims = Annotated[int, typer.Option(help="Certificates that are to hold at once; delta is divided by them.")]
HeldOut = Annotated[
    float | None, typer.Option(help="Without a sample: share of the clusters that is held out, such as .5.")
]
OneEach = Annotated[
    bool, typer.Option("--one-per-episode", help="Keep one labelled thing of each cluster: all are independent.")
]
Promise = Annotated[
    PromiseChoice, typer.Option("--promise", help="Of a thing among all things, or of one thing drawn from an episode.")
]
CertOut = Annotated[Path | None, typer.Option(help="New file of the certificates (.json).")]

calibrate_app = typer.Typer(
    help="Certificates of judges: sets of draws that hold the right judgement, decisions that may stand.",
    rich_markup_mode=None,
    no_args_is_help=True,
)


@calibrate_app.command("clm")
def calibrate_clm(  # noqa: PLR0913, PLR0917
    runs: Runs,
    labels: Labels,
    sample: SampleFlag = None,
    task: Tasks = None,
    risk: Risks = ".05,.11,.17,.23,.29,.35",
    delta: Delta = 0.05,
    judge: Judges = None,
    quality: Annotated[QualityChoice, typer.Option(help="How good a draw is held to be.")] = QualityChoice.CONSTANT,
    likeness: Annotated[
        LikenessChoice, typer.Option(help="ROUGE-L of reasons, 0 for other decisions; or plain, as in the paper.")
    ] = LikenessChoice.DECISION,
    score: Annotated[
        SetChoice | None, typer.Option("--set", help="Score of a set; default: first_k for constant quality, else max.")
    ] = None,
    mode: Annotated[ModeChoice, typer.Option(help="line moves the stop alone; pareto tries all thresholds.")] = (
        ModeChoice.AUTO
    ),
    family: Annotated[FamilyChoice, typer.Option(help="How settings are tested together.")] = FamilyChoice.SEQUENCE,
    claims: Claims = 1,
    by: Annotated[ByChoice | None, typer.Option(help="Certify each place on its own, all at once.")] = None,
    expectation: Annotated[
        bool, typer.Option("--expectation", help="The weaker promise: on average over calibrations.")
    ] = False,
    held_out: HeldOut = None,
    one_per_episode: OneEach = False,
    promise: Promise = PromiseChoice.THING,
    seed: SeedFlag = 0,
    out: CertOut = None,
    figure: Annotated[Path | None, typer.Option(help="New picture of held-out loss against level (.svg).")] = None,
    json: JsonFlag = False,
) -> None:
    """Certify how many draws of a judge to keep so that the right judgement is among them, at each level of risk."""
    from mores.cli.calibrating import Labels as Given  # noqa: PLC0415
    from mores.cli.calibrating import Sets, calibrate_sets  # noqa: PLC0415

    given = Given(
        runs=tuple(runs), labels=tuple(labels), sample=sample, tasks=tuple(task or ()), judges=tuple(judge or ()),
        risk=risk, delta=delta, claims=claims, held_out=held_out, one_each=one_per_episode, promise=promise.value,
        seed=seed, out=out, json=json,
    )  # fmt: skip
    calibrate_sets(
        given,
        Sets(
            quality=quality.value, likeness=likeness.value, score=None if score is None else score.value,
            mode=mode.value, family=family.value, by_place=by is not None, expectation=expectation, figure=figure,
        ),
    )  # fmt: skip


@calibrate_app.command("selective")
def calibrate_selective(  # noqa: PLR0913, PLR0917
    runs: Runs,
    labels: Labels,
    sample: SampleFlag = None,
    task: Tasks = None,
    risk: Risks = ".05,.11,.17",
    delta: Delta = 0.05,
    judge: Judges = None,
    confidence: Annotated[
        ConfidenceChoice, typer.Option(help="Share of repeated votes that agree, of weighed labels, or likelihood.")
    ] = ConfidenceChoice.CONSISTENCY,
    claims: Claims = 1,
    held_out: HeldOut = None,
    one_per_episode: OneEach = False,
    promise: Promise = PromiseChoice.THING,
    seed: SeedFlag = 0,
    out: CertOut = None,
    json: JsonFlag = False,
) -> None:
    """Certify from which confidence a judge's decisions may stand; the rest goes to people."""
    from mores.cli.calibrating import Labels as Given  # noqa: PLC0415
    from mores.cli.calibrating import calibrate_trust  # noqa: PLC0415

    given = Given(
        runs=tuple(runs), labels=tuple(labels), sample=sample, tasks=tuple(task or ()), judges=tuple(judge or ()),
        risk=risk, delta=delta, claims=claims, held_out=held_out, one_each=one_per_episode, promise=promise.value,
        seed=seed, out=out, json=json,
    )  # fmt: skip
    calibrate_trust(given, confidence.value)


@calibrate_app.command("apply")
def calibrate_apply(  # noqa: PLR0913, PLR0917
    certificate: Annotated[Path, typer.Argument(help="File that mores calibrate wrote with --out.")],
    run: Annotated[Path, typer.Argument(help="Folder of a finished run, judged in just the certified way.")],
    out: Annotated[Path, typer.Option(help="New folder of the decisions and of the work list for people.")],
    risk: Annotated[float | None, typer.Option(help="Level to use; needed where the file has several.")] = None,
    task: Tasks = None,
    judge: Annotated[str | None, typer.Option(help="Whose certificate, by role or spec, where there are several.")] = (
        None
    ),
    json: JsonFlag = False,
) -> None:
    """Put certificates to use on another run: what is decided, and a work list of what goes to people."""
    from mores.cli.calibrating import Using, apply_certificates  # noqa: PLC0415

    apply_certificates(
        Using(certificate=certificate, run=run, out=out, risk=risk, tasks=tuple(task or ()), judge=judge, json=json)
    )


def register(app: typer.Typer) -> None:
    """Add these verbs to the command line."""
    app.add_typer(agreement_app, name="agreement")
    app.add_typer(calibrate_app, name="calibrate")
    app.command("correct")(correct_)
