"""The verbs of `mores`; each imports what it needs only when it is called, so that help comes at once."""

import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Annotated, Optional

import typer
from typer.main import get_command

from mores import __version__
from mores.cli import build_verbs, studio_verbs, town_verbs, verifier_verbs
from mores.cli import people as people_verbs
from mores.cli.typed import TypedRun
from mores.cli.typed_again import TypedJudging, TypedMerge, TypedPlan, TypedResuming, TypedTaking
from mores.cli.verbs import JsonFlag, verb
from mores.core.errors import InputError
from mores.core.visible import tell

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


Many = Optional[list[str]]  # noqa: UP045 - typer reads the annotation
FullFlag = Annotated[bool, typer.Option("--full", help="Print all tables and sentences.")]
JudgeRange = Annotated[
    str | None,
    typer.Option(help="Range of judges' sensitivity and specificity for which a break must hold; default .75-1."),
]


def _run(options: TypedRun) -> None:
    """Run benchmarks; alone, the norm ladder on the bundled pack with a simulated subject."""
    from mores.cli.running import start  # noqa: PLC0415

    start(options)


def _resume(options: TypedResuming) -> None:
    """Go on with a run that was cut short; nothing that was answered is asked again."""
    from mores.cli.rerunning import again  # noqa: PLC0415

    again(options)


def _take(options: TypedTaking) -> None:
    """Take the answers of batches into a run that waits for them, and go on: to the next wave, or to the report."""
    from mores.cli.rerunning import take  # noqa: PLC0415

    take(options)


def _judge(options: TypedJudging) -> None:
    """Judge the stored transcripts of a run again, without playing again; the run itself is left as it is."""
    from mores.cli.rerunning import judge_again  # noqa: PLC0415

    judge_again(options)


def _merge(options: TypedMerge) -> None:
    """Join the parts of a run that were asked apart, by mores run --shard; nothing is asked."""
    from mores.cli.merging import put_together  # noqa: PLC0415

    put_together(options)


verb(app, TypedRun, _run, "run")
verb(app, TypedResuming, _resume, "resume")
verb(app, TypedTaking, _take, "take")
verb(app, TypedJudging, _judge, "judge")
verb(app, TypedMerge, _merge, "merge")


@app.command("list")
def list_(
    kind: Annotated[str, typer.Argument(help="benchmarks, models, datasets, packs, prompts or runs.")] = "benchmarks",
    json: JsonFlag = False,
) -> None:
    """List benchmarks, models, datasets, packs, prompts, or the runs under runs/ and how far they are."""
    from mores.cli.looking import list_things  # noqa: PLC0415

    list_things(kind, json=json)


@app.command()
def show(
    name: Annotated[
        str, typer.Argument(help="A benchmark, a family, a place such as JP, a norm's id, pack, or prompts.")
    ],
    of: Annotated[str | None, typer.Argument(metavar="[BENCHMARK]", help="After prompts: whose.")] = None,
    data: Annotated[Path | None, typer.Option(help="Folder or file of the benchmark's data.")] = None,
    items: Annotated[bool, typer.Option("--items", help="One line per item: id, place, gold label.")] = False,
    json: JsonFlag = False,
) -> None:
    """Show what a benchmark says of itself, its items or its prompts; or a place, a norm, the pack."""
    from mores.cli.looking import show as shown  # noqa: PLC0415

    shown(name, data, items=items, json=json, of=of)


data_app = typer.Typer(help="Check a benchmark's data.", rich_markup_mode=None)
app.add_typer(data_app, name="data")


@data_app.command("check")
def data_check(
    name: Annotated[str | None, typer.Argument(help="A benchmark or a family.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="All benchmarks whose data is present.")] = False,
    data: Annotated[Path | None, typer.Option(help="Folder or file of the data.")] = None,
    json: JsonFlag = False,
) -> None:
    """Read a benchmark's data and say what departs from its card; exit 2 where it is malformed."""
    from mores.cli.checking import check_data  # noqa: PLC0415

    check_data(name, data, everything=everything, json=json)


@app.command()
def doctor(  # noqa: PLR0913, PLR0917
    data: Annotated[Path | None, typer.Option(help="Folder to look for data in; default: $MORES_DATA.")] = None,
    judge: Annotated[
        str | None, typer.Option(help="Attack this judge instead and count how often it is fooled.")
    ] = None,
    answers: Annotated[
        int, typer.Option(help="With --judge: number of answers to judge, each plain and attacked.")
    ] = 15,
    probes: Annotated[
        bool,
        typer.Option("--probes", help="With --judge: count how often its verdict changes where it must not, instead."),
    ] = False,
    base_url: Annotated[str | None, typer.Option(help="With --judge: address of its endpoint.")] = None,
    statistics: Annotated[
        bool,
        typer.Option(
            "--statistics", help="Simulate data with a known truth and test every statistical method instead."
        ),
    ] = False,
    draws: Annotated[int, typer.Option(help="With --statistics: number of draws; slow rows make fewer.")] = 1000,
    long: Annotated[
        bool, typer.Option("--long", help="With --statistics: draw until every row can detect an error of two points.")
    ] = False,
    seed: Annotated[int, typer.Option(help="With --statistics: seed of all random draws.")] = 0,
    only: Annotated[
        Many, typer.Option(help="With --statistics: only families or rows whose name starts with this; repeatable.")
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Look at this machine, and try the ladder on a simulated subject; exit 1 where something is broken."""
    if statistics:
        from mores.cli.statistics import examine_statistics  # noqa: PLC0415

        examine_statistics(draws=None if long else draws, seed=seed, only=only or [], json=json)
    elif judge is None and probes:
        raise InputError("--probes: no judge to probe; name one: --judge SPEC.")
    elif judge is None:
        from mores.cli.doctor import examine  # noqa: PLC0415

        examine(data, json=json)
    else:
        from mores.cli.judge_check import examine_judge  # noqa: PLC0415
        from mores.cli.judge_probes import probe_judge  # noqa: PLC0415

        look = probe_judge if probes else examine_judge
        look(judge, answers=answers, base_url=base_url, json=json)


@app.command()
def report(  # noqa: PLR0913, PLR0917
    runs: Annotated[list[Path], typer.Argument(help="Folders of finished runs.")],
    out: Annotated[Path | None, typer.Option(help="File of the page; default for one run: RUN/report.html.")] = None,
    labels: Annotated[
        Optional[list[Path]],  # noqa: UP045 - typer reads the annotation
        typer.Option(help="People's labels to check judges against; repeatable."),
    ] = None,
    sample: Annotated[Path | None, typer.Option(help="With --labels: folder of the sample that was labelled.")] = None,
    certificate: Annotated[
        Optional[list[Path]],  # noqa: UP045
        typer.Option(help="Certificate of a judge, from mores calibrate; repeatable."),
    ] = None,
    judge_range: JudgeRange = None,
    serve: Annotated[
        bool, typer.Option("--serve", help="Serve the page on this machine and refresh it while a run continues.")
    ] = False,
    port: Annotated[int, typer.Option(help="With --serve: its port; default: a free one.", min=0, max=65535)] = 0,
    full: FullFlag = False,
    json: JsonFlag = False,
) -> None:
    """Write one page over runs, finished or as far as they are: figures, provenance, words asked and answered."""
    from mores.cli.reporting import report as write  # noqa: PLC0415
    from mores.cli.reporting import serve_report  # noqa: PLC0415
    from mores.reports.sections.judges import Given  # noqa: PLC0415

    given = Given(labels=tuple(labels or ()), sample=sample, certificates=tuple(certificate or ()))
    if serve:
        serve_report(runs, given=given, judge_range=judge_range, port=port)
        return
    write(runs, out, given=given, judge_range=judge_range, full=full, json=json)


@app.command()
def compare(  # noqa: PLR0913, PLR0917
    run_a: Annotated[Path, typer.Argument(help="Folder of the first run.")],
    run_b: Annotated[Path, typer.Argument(help="Folder of the second run.")],
    model: Annotated[
        Many, typer.Option("--model", "-m", help="Compare this model alone; give it again for several.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="The page's file: figures, changed items word for word; default: no page.")
    ] = None,
    fail_if_worse: Annotated[
        bool, typer.Option("--fail-if-worse", help="Exit 3 if the second is significantly worse in any headline.")
    ] = False,
    allow_other_data: Annotated[
        bool, typer.Option("--allow-other-data", help="Pair items by id although the data files differ.")
    ] = False,
    judge_quality: Annotated[
        float | None, typer.Option(help="The judge's sensitivity + specificity - 1, from people's labels.")
    ] = None,
    full: FullFlag = False,
    json: JsonFlag = False,
) -> None:
    """Compare two runs item by item: differences with intervals, and places corrected for their number."""
    from mores.cli.reporting import compare as contrast  # noqa: PLC0415

    contrast(
        run_a,
        run_b,
        models=tuple(model or ()),
        out=out,
        fail_if_worse=fail_if_worse,
        allow_other_data=allow_other_data,
        judge_quality=judge_quality,
        full=full,
        json=json,
    )


@app.command()
def export(
    runs: Annotated[list[Path], typer.Argument(help="Folders of finished runs.")],
    to: Annotated[str, typer.Option(help="csv, parquet, latex, figures, every-eval-ever or inspect.")],
    out: Annotated[Path, typer.Option(help="Folder to write into; existing files are never overwritten.")],
) -> None:
    """Write runs for other programs: tables, a table or figures for a paper, or files of Every Eval Ever or Inspect."""
    from mores.cli.exporting import export_runs  # noqa: PLC0415

    export_runs(runs, to, out)


@app.command()
def items(
    runs: Annotated[list[Path], typer.Argument(help="Folders of finished runs, of any number of models.")],
    out: Annotated[Path | None, typer.Option(help="New CSV file of all units.")] = None,
    json: JsonFlag = False,
) -> None:
    """Say of each item how hard it is, whether better models do better on it, and whether its key may be wrong."""
    from mores.cli.items import items as looked_at  # noqa: PLC0415

    looked_at(runs, out, json=json)


def _plan(options: TypedPlan) -> None:
    """Say before a run how many units, calls and how much money it takes to see a difference of two models."""
    from mores.cli.planning import plan  # noqa: PLC0415

    plan(options)


verb(app, TypedPlan, _plan, "plan")
people_verbs.register(app)
town_verbs.register(app)
build_verbs.register(app)
verifier_verbs.register(app)
studio_verbs.register(app)


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
