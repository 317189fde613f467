"""The verbs of `mores`: what can be typed after each, and where it is carried out."""

import sys
from collections.abc import Callable
from functools import cache
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from mores import __version__
from mores.cli import typed_again, typed_builds, typed_labels, typed_looking, typed_studio
from mores.cli.typed import TypedRun
from mores.cli.verbs import verb
from mores.core.visible import tell

VERBS: dict[str, tuple[type[Any], str]] = {
    "run": (TypedRun, "running.start"),
    "resume": (typed_again.TypedResuming, "running.again"),
    "take": (typed_again.TypedTaking, "running.collect"),
    "judge": (typed_again.TypedJudging, "running.judge_again"),
    "merge": (typed_again.TypedMerge, "running.merge"),
    "list": (typed_looking.TypedList, "looking.list_things"),
    "show": (typed_looking.TypedShow, "looking.show"),
    "doctor": (typed_looking.TypedDoctor, "doctor.examine"),
    "report": (typed_again.TypedReport, "reporting.report"),
    "compare": (typed_again.TypedCompare, "reporting.compare"),
    "export": (typed_again.TypedExport, "exporting.export_runs"),
    "items": (typed_again.TypedItems, "items.items"),
    "plan": (typed_again.TypedPlan, "planning.plan"),
    "correct": (typed_labels.TypedCorrection, "correcting.correct"),
    "data check": (typed_looking.TypedDataCheck, "checking.check_data"),
    "agreement of": (typed_labels.TypedAgreement, "agreement.agree"),
    "agreement weights": (typed_labels.TypedWeights, "weighing.weigh"),
    "agreement sample": (typed_labels.TypedSample, "sampling.draw"),
    "agreement simulate": (typed_labels.TypedSimulation, "sampling.simulate"),
    "calibrate clm": (typed_labels.TypedSets, "calibrating.calibrate_sets"),
    "calibrate selective": (typed_labels.TypedSelecting, "calibrating.calibrate_trust"),
    "calibrate apply": (typed_labels.TypedUse, "calibrating.apply_certificates"),
    "calibrate verifier": (typed_labels.TypedVerifierCalibration, "calibrating_verifiers.calibrate_verifier"),
    "town population": (typed_looking.TypedPopulation, "town.make_population"),
    "town plans": (typed_looking.TypedPlans, "town.make_plans"),
    "town replay": (typed_looking.TypedReplay, "replaying.replay"),
    "build town-norms": (typed_builds.TypedTownNorms, "building.build_town_norms"),
    "build norms": (typed_builds.TypedNorms, "making.build_typed"),
    "build topics": (typed_builds.TypedTopics, "making.build_typed"),
    "build questions": (typed_builds.TypedQuestions, "making.build_typed"),
    "build subgroups": (typed_builds.TypedSubgroups, "making.build_typed"),
    "build dialogues": (typed_builds.TypedDialogues, "making.build_typed"),
    "build ladder": (typed_builds.TypedLadder, "making.build_typed"),
    "build values": (typed_builds.TypedValues, "values.build_values"),
    "build check": (typed_builds.TypedCheck, "gates.check_questions"),
    "build blind": (typed_builds.TypedBlind, "gates.write_blind_sheet"),
    "build review": (typed_builds.TypedReview, "reviewing.review_build"),
    "build diff": (typed_builds.TypedDiff, "making.compare_bases"),
    "build pack": (typed_builds.TypedPack, "packing.build_pack"),
    "verifier train": (typed_builds.TypedTraining, "verifying.train_verifier"),
    "verifier evaluate": (typed_builds.TypedEvaluation, "verifying.evaluate_verifier"),
    "verifier predict": (typed_builds.TypedPrediction, "verifying.predict_pairs"),
    "studio serve": (typed_studio.TypedServing, "studio.serve_studio"),
    "studio import": (typed_studio.TypedImport, "studio.import_into"),
    "studio export": (typed_studio.TypedProjectExport, "studio.export_from"),
    "studio backup": (typed_studio.TypedBackup, "studio.back_up"),
}
"""What can be typed after each verb, and the function of this room that acts on it, which is imported when it does."""
GROUPS = {
    "data": "Check a benchmark's data.",
    "agreement": ("Check judges against people's labels: mores agreement RUN --labels FILE; draw samples to label."),
    "calibrate": (
        "Certify judges (sets of draws that contain the right judgement, decisions that need no check by people), "
        "and calibrate trained verifiers."
    ),
    "town": "The simulated town: sample its people, plan their days, replay a day.",
    "build": "Build data sets from other data.",
    "verifier": ("Train models that say whether a response keeps to a norm: mores verifier train, evaluate, predict."),
    "studio": "The studio, where people write, check and label.",
}


class OfRuns(TyperGroup):
    """A group in which `mores agreement RUN` stands for `mores agreement of RUN`."""

    def make_context(self, info_name: str | None, args: list[str], *rest: Any, **more: Any) -> Any:
        """The context of the command that is named, or of the one on runs."""
        if args and args[0] not in {*self.commands, "-h", "--help"}:
            return self.commands["of"].make_context("of", args, *rest, **more)
        return super().make_context(info_name, args, *rest, **more)


app = typer.Typer(
    name="mores",
    help="Measure how well a language model lives with other people's norms.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        sys.stdout.write(f"mores {__version__}\n")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _alone(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Measure how well a language model lives with other people's norms."""
    if context.invoked_subcommand is None and not version:
        sys.stdout.write(f"{context.get_help()}\n")


def _declare() -> None:
    """Add all verbs to the command line, those of a group to the group."""
    groups = {"": app}
    for name, says in GROUPS.items():
        groups[name] = typer.Typer(
            cls=OfRuns if name == "agreement" else TyperGroup,
            help=says,
            rich_markup_mode=None,
            no_args_is_help=name in {"agreement", "calibrate"},
        )
        app.add_typer(groups[name], name=name)
    for words, (options, act) in VERBS.items():
        group, _, name = words.rpartition(" ")
        verb(groups[group], name, options, act)


_declare()


def carry_out() -> int:
    """Do what was typed; the status to end with.

    Raises:
        MoresError: what was typed cannot be used, or what was begun could not be done.
        KeyboardInterrupt: it was stopped.
    """
    try:
        code = _command()(standalone_mode=False)
    except typer.Exit as error:
        return error.exit_code
    except typer.Abort as error:
        raise KeyboardInterrupt from error
    except Exception as error:
        if not hasattr(error, "format_message"):
            raise
        tell(f"{error.format_message()} See mores --help.")
        return 2
    return code if isinstance(code, int) else 0


@cache
def _command() -> Callable[..., object]:
    """All verbs with their flags, made once: that takes longer than many a verb does."""
    return get_command(app)
