"""The verbs of `mores`: one line about each, and the function that carries it out.

A verb's module, and with it its flags, is imported when the verb is typed, so that help and a run's start stay quick.
"""

import sys
from functools import cache
from typing import Annotated, Any, NamedTuple

import typer
from typer.core import TyperGroup
from typer.main import get_command

from mores import __version__
from mores.cli.flags import OLD_FLAGS, command_of
from mores.core.errors import InputError, UnknownName
from mores.core.terminal_safety import print_error


class Verb(NamedTuple):
    """One line about a verb, and its function as `module.function` of this room; without one it is a group."""

    says: str
    act: str = ""


VERBS = {
    "run": Verb("Run benchmarks; alone, the norm ladder on a simulated model", "run.start"),
    "resume": Verb("Resume an interrupted run", "run.again"),
    "collect": Verb("Collect batch results into a run, and continue it", "run.collect"),
    "merge": Verb("Merge the shards of a run", "run.merge"),
    "judge": Verb("Judge a run again: judge RUN; check judges against people"),
    "judge again": Verb("Judge stored transcripts again; may be left out", "run.judge_again"),
    "judge sample": Verb("Draw a sample for people to label", "agreement.draw"),
    "judge agreement": Verb("Agreement of judges with people's labels", "agreement.agree"),
    "judge weights": Verb("Weights of the judges of a jury, by labels", "agreement.weigh"),
    "judge correct": Verb("Correct judge means with human labels", "agreement.correct"),
    "judge sets": Verb("Calibrate conformal sets of a judge's samples", "calibrate.calibrate_sets"),
    "judge selective": Verb("Calibrate from which confidence a judge decides", "calibrate.calibrate_trust"),
    "judge apply": Verb("Apply certificates to another run", "calibrate.apply_to_run"),
    "judge attack": Verb("Count how often a judge is talked over", "judge_check.attack_judge"),
    "judge probe": Verb("Count verdicts that change where they must not", "judge_check.probe_judge"),
    "judge verifier": Verb("Train, evaluate, calibrate and use verifiers"),
    "judge verifier train": Verb("Train a verifier on labelled pairs", "verifier.train_verifier"),
    "judge verifier evaluate": Verb("Evaluate a verifier beside baselines", "verifier.evaluate_verifier"),
    "judge verifier calibrate": Verb("Fit a verifier's temperature", "verifier.calibrate_verifier"),
    "judge verifier predict": Verb("Label the pairs in a file", "verifier.predict_pairs"),
    "report": Verb("Write one page over runs, and print the main results", "report.report"),
    "compare": Verb("Compare two runs item by item", "report.compare"),
    "items": Verb("Item analysis: difficulty, discrimination, doubtful keys", "items.items"),
    "export": Verb("Export runs: CSV, Parquet, LaTeX, figures, Inspect, lm-eval, hub", "export.export_runs"),
    "list": Verb("List benchmarks, models, datasets, packs, prompts or runs", "list_show.list_things"),
    "show": Verb("Show a benchmark, its items or prompts, a place or a norm", "list_show.show"),
    "plan": Verb("Estimate sample size, calls and cost before a run", "plan.plan"),
    "doctor": Verb("Check the installation, data, statistics; a model's canary"),
    "doctor installation": Verb("Check the installation; may be left out", "doctor.examine"),
    "doctor data": Verb("Check a benchmark's data against its card", "doctor.check_data"),
    "doctor log": Verb("Check that another program's log and mores agree", "log_check.check_logs"),
    "doctor canary": Verb("Ask a model whether it has read text with mores' canary", "canary.ask_canary"),
    "doctor statistics": Verb("Check every statistical method on simulated data", "statistics.examine_statistics"),
    "data": Verb("Fetch data sets of others"),
    "data fetch": Verb("Fetch a data set and check it", "data.fetch_data"),
    "build": Verb("Build norm bases, questions, packs and other data"),
    "build norms": Verb("Build a norm base from norms of many sources", "build.build_norms"),
    "build topics": Verb("Label norms or questions with topics", "build.build_topics"),
    "build questions": Verb("Build questions of three norms each", "build.build_questions"),
    "build subgroups": Verb("Build scenarios of statements on subgroups", "build.build_subgroups"),
    "build dialogues": Verb("Build scenarios of customs and values", "build.build_dialogues"),
    "build ladder": Verb("Build a pack with items of all rungs", "build.build_ladder"),
    "build translate": Verb("Put a pack into another language", "build.build_translate"),
    "build speakers": Verb("Write a studio's project to check a translation", "build_packs.build_speakers"),
    "build town-norms": Verb("Map norms to the locations of the town", "build_town.build_town_norms"),
    "build values": Verb("Find questions of a survey on which people agree", "build_tables.build_values"),
    "build check": Verb("Check that questions cannot be guessed", "build_check.check_questions"),
    "build review": Verb("Summarise people's labels of a build", "build_check.review_build"),
    "build ballots": Verb("Write a studio's project on a place's norms", "build_packs.build_ballots"),
    "build release": Verb("Write a pack with datasheet, errata and checksums", "build_packs.build_release"),
    "build pack": Verb("Add people's answers to a pack of norms", "build_packs.build_pack"),
    "town": Verb("Make the people of the simulated town, replay a day"),
    "town population": Verb("Sample the people of a town", "town.make_population"),
    "town plans": Verb("Plan the residents' days with a model", "town.make_plans"),
    "town replay": Verb("Write a day as one page", "town.replay"),
    "studio": Verb("Serve the studio, where people write, check and label"),
    "studio serve": Verb("Serve the studio", "studio.serve_studio"),
    "studio import": Verb("Import items into a project", "studio.import_into"),
    "studio export": Verb("Export a project's data", "studio.export_from"),
    "studio design": Verb("Export a project's design, or make a project of one"),
    "studio design export": Verb("Write a project's design", "studio.export_design"),
    "studio design import": Verb("Make a project of a design", "studio.import_design"),
    "studio backup": Verb("Copy the studio's database while it runs", "studio.back_up"),
}
DEFAULTS = {"judge": "again", "doctor": "installation"}
"""The verb of a group that is meant where none is named: `mores judge RUN` is `mores judge again RUN`."""
SECTIONS = {
    "Runs": ("run", "resume", "collect", "merge", "judge"),
    "Results": ("report", "compare", "items", "export"),
    "Before a run": ("list", "show", "plan", "data", "doctor"),
    "Making data": ("build", "town", "studio"),
}
OLD_VERBS = {
    "take": "collect",
    "correct": "judge correct",
    "agreement of": "judge agreement",
    "agreement weights": "judge weights",
    "agreement sample": "judge sample",
    "agreement": "judge agreement",
    "calibrate clm": "judge sets",
    "calibrate selective": "judge selective",
    "calibrate apply": "judge apply",
    "calibrate verifier": "judge verifier calibrate",
    "calibrate": "judge sets or judge selective",
    "verifier": "judge verifier",
    "check": "doctor log",
    "data check": "doctor data",
}
"""Verbs of before, and those of now; of a group the longer name comes first."""


class VerbGroup(TyperGroup):
    """A group of verbs, the whole command line among them; a verb's flags are built when it is typed."""

    @property
    def path(self) -> str:
        """The words before a verb of this group, with a space after them; nothing for the whole."""
        return "" if self.name == "mores" else f"{self.name} "

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 - asked for by typer
        """The names of the verbs of this group."""
        names = (words.removeprefix(self.path) for words in VERBS if words.startswith(self.path))
        return [name for name in names if " " not in name]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002 - asked for by typer
        """The verb of this name; None where there is none."""
        words = self.path + cmd_name
        return _command(words) if words in VERBS else None

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the words of the group itself, with the verb that may be left out put in."""
        default = DEFAULTS.get(self.name or "")
        if not args and default != "installation":
            args = ["--help"]
        elif default and args[:1] not in [[name] for name in ("-h", "--help", *self.list_commands(ctx))]:
            args = [default, *args]
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The verb that is typed.

        Raises:
            InputError: it has another name now, or there is none of this name.
        """
        name = args[0]
        if self.path + name not in VERBS and not name.startswith("-"):
            for typed in (" ".join(args[:2]), name):
                if (old := self.path + typed) in OLD_VERBS:
                    raise InputError(f"mores {old} is now mores {OLD_VERBS[old]}.")
            raise UnknownName("verb", name, self.list_commands(ctx), todo=f"See {ctx.command_path} --help.")
        return super().resolve_command(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write one line about each verb, on one screen."""
        sections = {"Verbs": tuple(self.list_commands(ctx))} if self.path else SECTIONS
        width = 1 + max(len(name) for names in sections.values() for name in names)
        formatter.write(
            f"Usage: {ctx.command_path} [--help{'' if self.path else ' | --version'}] VERB …\n{self.help}\n\n"
        )
        for title, names in sections.items():
            formatter.write(f"{title}\n")
            formatter.write("".join(f"  {name:{width}} {VERBS[self.path + name].says}\n" for name in names))


app = typer.Typer(
    name="mores",
    cls=VerbGroup,
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


@app.callback()
def _whole(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Read the flags that stand before a verb."""


@cache
def _command(words: str) -> Any:
    """A verb with its flags, or a group of verbs; built once."""
    verb = VERBS[words]
    if verb.act:
        return command_of(words.rpartition(" ")[2], verb.act)
    return VerbGroup(name=words, help=f"{verb.says}.", rich_markup_mode=None)


def carry_out() -> int:
    """Do what was typed; the status to end with.

    Raises:
        MoresError: what was typed cannot be used, or what was begun could not be done.
        KeyboardInterrupt: it was stopped.
    """
    try:
        code = _whole_command()(standalone_mode=False)
    except typer.Exit as error:
        return error.exit_code
    except typer.Abort as error:
        raise KeyboardInterrupt from error
    except Exception as error:
        if not hasattr(error, "format_message"):
            raise
        print_error(_refusal(error))
        return 2
    return code if isinstance(code, int) else 0


@cache
def _whole_command() -> Any:
    return get_command(app)


def _refusal(error: Any) -> str:
    """The line about words that typer could not read; a flag of before is told by its name of now."""
    flag, context = getattr(error, "option_name", None), getattr(error, "ctx", None)
    verb = context.command_path if context is not None else "mores"
    if flag in OLD_FLAGS:
        return f"{flag} is now {OLD_FLAGS[flag]}. See {verb} --help."
    return f"{error.format_message()} See {verb} --help."
