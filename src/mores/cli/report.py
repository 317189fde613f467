"""`mores report` and `compare`: pages over finished runs, and one run beside another."""

# ruff: noqa: RUF009 - `option` makes a field
import sys
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import MISSING, dataclass
from pathlib import Path

import typer

from mores.analysis.comparison import compare_runs
from mores.analysis.gate import GateVerdict, gate_of
from mores.analysis.judge_errors import stated_range
from mores.analysis.results import Results
from mores.annotation.label_tables import read_tables
from mores.annotation.sample import read_sample
from mores.benchmarks.label_columns import LabelColumns
from mores.calibration.judge_report import Given, trust, with_labels
from mores.calibration.trust_analysis import TRUST_ANALYSIS
from mores.cli.args_run import LABEL_COLUMNS, QUALITY, OutputOptions
from mores.cli.report_server import serve
from mores.core.code_errors import raised_failures
from mores.core.codec import encode
from mores.core.errors import InputError, UnknownName
from mores.core.files import refuse_foreign
from mores.core.terminal_safety import print_error
from mores.reports.json_output import as_json
from mores.reports.page import render, render_only, write_comparison, write_only, write_page
from mores.reports.sections_list import analysis_ids, only_sections, sections_of
from mores.reports.terminal import print_full, print_only, print_report
from mores.reports.terminal_compare import print_comparison, print_full_comparison
from mores.reports.two_runs import comparison_as_json, gate_lines
from mores.runs.batch_files import refuse_waiting
from mores.runs.garbage import quiet_collector
from mores.runs.loading import describe_changes, read_unchanged, with_dates
from mores.runs.options import (
    argument,
    as_of_run,
    option,
)
from mores.runs.partial_results import read_partial
from mores.tables import section_of
from mores.tables.blocks import Section
from mores.tables.missing_texts import to_plain

PAGE = "report.html"
EXITS: Mapping[GateVerdict, int] = {"passed": 0, "worse": 3, "undecided": 4}
"""Exit codes of `--fail-if-worse`, by verdict."""


RUNS = "Folders of finished runs."


@dataclass(frozen=True, kw_only=True)
class ReportArgs(OutputOptions):
    """Write one page over runs, finished or partial: figures, provenance, questions and answers."""

    runs: list[Path] = argument(RUNS, MISSING)
    out: Path | None = option("File of the page; default for one run: RUN/report.html.")
    labels: list[Path] | None = option("People's labels to check judges against; repeatable.")
    sample: Path | None = option("With --labels: folder of the sample that was labelled.")
    columns: str | None = LABEL_COLUMNS
    certificate: list[Path] | None = option("Certificate of a judge, from mores judge sets or selective; repeatable.")
    judge_range: str | None = as_of_run("judge_range")
    dates: Path | None = option("Table of item,date: scores before and after each model's release.")
    only: list[str] | None = option("Show this analysis alone, by its id in --json; repeatable.", "--only")
    serve: bool = option(
        "Serve the page on this machine and refresh it while a run continues.", "--serve", default=False
    )
    port: int = option("With --serve: its port; default: a free one.", default=0, min=0, max=65535)


@dataclass(frozen=True, kw_only=True)
class CompareArgs(OutputOptions):
    """Compare two runs item by item: differences with intervals, and places corrected for their number."""

    run_a: Path = argument("Folder of the first run.", MISSING)
    run_b: Path = argument("Folder of the second run.", MISSING)
    model: list[str] | None = option("Compare this model alone; give it again for several.", "--model", "-m")
    out: Path | None = option("The page's file: figures, changed items word for word; default: no page.")
    fail_if_worse: bool = option(
        "Exit 3 if the second is worse in any headline, 4 if too few units can tell.", "--fail-if-worse", default=False
    )
    margin: float | None = option("The largest loss that still passes, in points of a share; default 3.")
    allow_other_data: bool = option(
        "Pair items by id although the data files differ.", "--allow-other-data", default=False
    )
    judge_quality: float | None = option(QUALITY)


def report(typed: ReportArgs) -> None:
    """Write one page over some runs and print what matters; or print all its figures as one object instead.

    Of a run that is not finished there is what it has so far. With `--only` all of it is of some analyses alone.

    With `--json` a page is written only where `--out` names one. Where labels or certificates are given, judges are
    held against them, and a ladder takes judges' errors from labels; else from `--judge-range`, such as `.85-1`.

    Raises:
        InputError: a folder is no run, or one of which nothing is done, or several runs and no file to write to.
    """
    runs, out = typed.runs, typed.out
    _refuse_unknown(typed.only or ())
    given = Given(
        labels=tuple(typed.labels or ()), sample=typed.sample, certificates=tuple(typed.certificate or ()),
        columns=LabelColumns.read(typed.columns),
    )  # fmt: skip
    if typed.serve:
        _serve(typed, given)
        return
    if out is None and len(runs) != 1 and not typed.json and not typed.only:
        raise InputError(f"{len(runs)} runs, and no --out; expected --out FILE for the page of several.")
    page = out if out is not None or typed.json or typed.only else runs[0] / PAGE
    _refuse_in_the_way(page)
    with quiet_collector(), read_partial(runs) as found:
        _refuse_empty(found)
        results = _known(found, typed, given)
        changes = describe_changes(results)
        for line in changes:
            print_error(f"{line}. Figures and answers may differ from those of the run.")
        trusted = not changes
        try:
            # Where files were changed an error is theirs: no section is to stand in with an error of code.
            with nullcontext() if trusted else raised_failures():
                _lay_out(results, page, typed, given)
        except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError) as error:
            if trusted:
                raise
            raise InputError(
                f"{', '.join(map(str, runs))}: its files contradict each other ({type(error).__name__}: {error}); "
                "restore the files of the run, or delete the changed ones and resume it."
            ) from error


def _refuse_unknown(only: Sequence[str]) -> None:
    known = (*analysis_ids(), TRUST_ANALYSIS.id) if only else ()
    for name in only:
        if name not in known:
            raise UnknownName("analysis", name, known, where="--only", todo=f"Known are {', '.join(known)}.")


def _refuse_in_the_way(page: Path | None) -> None:
    """Nothing, where a page may be written, or none is."""
    if page is not None and page.is_dir():
        raise InputError(f"--out {page}: it is a folder; expected the page's file name, such as {page / PAGE}.")
    if page is not None:
        refuse_foreign(page)


def _refuse_empty(found: Results) -> None:
    if not found.evaluations:
        # A run may be empty because its calls wait in batches, which is then what is said.
        for run in found.runs:
            refuse_waiting(run)
        runs = ", ".join(map(str, found.runs))
        raise InputError(f"{runs}: nothing is done yet. Continue with: mores resume {runs}.")


def _serve(typed: ReportArgs, given: Given) -> None:
    """Serve the page of some runs until Ctrl-C; what labels and certificates tell of judges is on it too."""

    def made(found: Results) -> str:
        results = _known(found, typed, given)
        also = _judges(results, given)
        return render_only(results, only_sections(results, typed.only, also)) if typed.only else render(results, also)

    serve(typed.runs, made, typed.port)


def _lay_out(results: Results, page: Path | None, typed: ReportArgs, given: Given) -> None:
    also = _judges(results, given)
    if typed.only:
        _lay_out_only(results, page, typed, only_sections(results, typed.only, also))
        return
    if page is not None:
        write_page(results, page, also, private=typed.out is None)
    if typed.json:
        sys.stderr.write(f"{page}\n" if page is not None else "")
        sys.stdout.write(f"{_as_one(results, also)}\n")
    else:
        (print_full if typed.full else print_report)(results, page, also)


def _judges(results: Results, given: Given) -> tuple[Section, ...]:
    """Judges held against what was given; nothing where nothing was."""
    found = trust(results, given)
    result = None if found is None else TRUST_ANALYSIS.analyse(found)
    return () if result is None else (section_of(TRUST_ANALYSIS, result),)


def _lay_out_only(results: Results, page: Path | None, typed: ReportArgs, sections: Sequence[Section]) -> None:
    """Some analyses alone; the page that has everything stays as it is."""
    for name in dict.fromkeys(typed.only or ()):
        if not {name, f"failed-{name}"} & {each.id for each in sections}:
            print_error(f"{name}: these runs have nothing for it.")
    if page is not None:
        write_only(results, page, sections)
    if typed.json:
        sys.stderr.write(f"{page}\n" if page is not None else "")
        sys.stdout.write(f'{{"analyses":{_analyses(sections)}}}\n')
    else:
        print_only(results, sections, page)


def _known(found: Results, typed: ReportArgs, given: Given) -> Results:
    """The results with what was stated of judges, and what labels tell of them, where there are any."""
    results = found.judged_by(stated_range(typed.judge_range))
    if typed.dates is not None:
        results = with_dates(results, typed.dates)
    if not given.labels:
        return results
    sample = None if given.sample is None else read_sample(given.sample)
    return with_labels(
        results, read_tables(results.runs, given.labels, sample, columns=given.columns, noting=print_error)
    )


def _as_one(results: Results, also: Sequence[Section]) -> str:
    """All figures of some runs: the objects of each run's models, and what several of them show together."""
    of_runs = [
        Results(runs=(run,), evaluations=tuple(c for c in results.evaluations if c.run == run)) for run in results.runs
    ]
    models = [line for found in of_runs for line in as_json(found, found.runs[0])]
    analyses = _analyses((*sections_of(results), *also))
    return f'{{"runs":[{",".join(models)}],"analyses":{analyses}}}'


def _analyses(sections: Sequence[Section]) -> str:
    return encode(to_plain({each.id: each.data for each in sections})).decode()


def compare(typed: CompareArgs) -> None:
    """Print how run B differs from run A, and write its page where `--out` names one.

    Raises:
        InputError: the runs cannot be compared, or something else stands where the page would.
        typer.Exit: B is worse, or it is not known that it is not, and that was to fail.
    """
    out = typed.out
    _refuse_in_the_way(out)
    comparison = compare_runs(
        read_unchanged([typed.run_a]), read_unchanged([typed.run_b]), models=tuple(typed.model or ()),
        allow_other_data=typed.allow_other_data, judge_quality=typed.judge_quality,
    )  # fmt: skip
    gated = typed.fail_if_worse or typed.margin is not None
    gate = gate_of(comparison, typed.margin) if gated else None
    if out is not None:
        write_comparison(comparison, out)
    if typed.json:
        sys.stderr.write(f"{out}\n" if out is not None else "")
        sys.stdout.write(f"{comparison_as_json(comparison, gate)}\n")
    else:
        (print_full_comparison if typed.full else print_comparison)(comparison, out)
    if gate is None:
        return
    for line in gate_lines(gate):
        print_error(line)
    if typed.fail_if_worse and gate.verdict != "passed":
        raise typer.Exit(EXITS[gate.verdict])
