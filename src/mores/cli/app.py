"""The verbs of `mores`: what can be typed after each, and where it is carried out."""

import sys
from collections.abc import Callable
from functools import cache
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from mores import __version__
from mores.cli import args_build, args_labels, args_list, args_reports, args_studio
from mores.cli.args_run import RunArgs
from mores.cli.verbs import verb
from mores.core.terminal_safety import print_error

VERBS: dict[str, tuple[type[Any], str]] = {
    "run": (RunArgs, "run.start"),
    "resume": (args_reports.ResumingArgs, "rerunning.again"),
    "take": (args_reports.TakingArgs, "rerunning.collect"),
    "judge": (args_reports.JudgingArgs, "rerunning.judge_again"),
    "merge": (args_reports.MergeArgs, "merging.merge"),
    "list": (args_list.ListArgs, "list_show.list_things"),
    "show": (args_list.ShowArgs, "list_show.show"),
    "doctor": (args_list.DoctorArgs, "doctor.examine"),
    "report": (args_reports.ReportArgs, "report.report"),
    "compare": (args_reports.CompareArgs, "report.compare"),
    "export": (args_reports.ExportArgs, "export.export_runs"),
    "items": (args_reports.ItemsArgs, "items.items"),
    "plan": (args_reports.PlanArgs, "plan.plan"),
    "correct": (args_labels.CorrectionArgs, "correct.correct"),
    "data check": (args_list.DataCheckArgs, "data_check.check_data"),
    "agreement of": (args_labels.AgreementArgs, "agreement.agree"),
    "agreement weights": (args_labels.WeightsArgs, "jury_weights.weigh"),
    "agreement sample": (args_labels.SampleArgs, "agreement_sample.draw"),
    "calibrate clm": (args_labels.SetsArgs, "calibrate.calibrate_sets"),
    "calibrate selective": (args_labels.SelectingArgs, "calibrate.calibrate_trust"),
    "calibrate apply": (args_labels.UseArgs, "calibrate.apply_to_run"),
    "calibrate verifier": (args_labels.VerifierCalibrationArgs, "calibrating_verifiers.calibrate_verifier"),
    "town population": (args_list.PopulationArgs, "town.make_population"),
    "town plans": (args_list.PlansArgs, "town.make_plans"),
    "town replay": (args_list.ReplayArgs, "town_replay.replay"),
    "build town-norms": (args_build.TownNormsArgs, "build_town_norms.build_town_norms"),
    "build norms": (args_build.NormsArgs, "build.build_typed"),
    "build topics": (args_build.TopicsArgs, "build.build_typed"),
    "build questions": (args_build.QuestionsArgs, "build.build_typed"),
    "build subgroups": (args_build.SubgroupsArgs, "build.build_typed"),
    "build dialogues": (args_build.DialoguesArgs, "build.build_typed"),
    "build ladder": (args_build.LadderArgs, "build.build_typed"),
    "build values": (args_build.ValuesArgs, "build_values.build_values"),
    "build check": (args_build.CheckArgs, "build_check.check_questions"),
    "build blind": (args_build.BlindArgs, "build_check.write_blind_sheet"),
    "build review": (args_build.ReviewArgs, "build_review.review_build"),
    "build diff": (args_build.DiffArgs, "build.compare_bases"),
    "build pack": (args_build.PackArgs, "build_pack.build_pack"),
    "verifier train": (args_build.TrainingArgs, "verifier.train_verifier"),
    "verifier evaluate": (args_build.EvaluationArgs, "verifier.evaluate_verifier"),
    "verifier predict": (args_build.PredictionArgs, "verifier.predict_pairs"),
    "studio serve": (args_studio.ServingArgs, "studio.serve_studio"),
    "studio import": (args_studio.ImportArgs, "studio.import_into"),
    "studio export": (args_studio.ProjectExportArgs, "studio.export_from"),
    "studio backup": (args_studio.BackupArgs, "studio.back_up"),
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


class DefaultCommandGroup(TyperGroup):
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
            cls=DefaultCommandGroup if name == "agreement" else TyperGroup,
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
        print_error(f"{error.format_message()} See mores --help.")
        return 2
    return code if isinstance(code, int) else 0


@cache
def _command() -> Callable[..., object]:
    """All verbs with their flags, made once: that takes longer than many a verb does."""
    return get_command(app)
