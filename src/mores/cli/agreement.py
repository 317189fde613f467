"""`mores judge sample`, `agreement`, `weights` and `correct`: judges beside people's labels."""

# ruff: noqa: RUF009 - `option` makes a field
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import MISSING, dataclass
from pathlib import Path
from typing import Literal, cast, get_args

from msgspec.structs import replace

from mores.annotation.label_tables import TaskTable, read_tables
from mores.annotation.sample import RECORD, ROWS, SHEET, SampleSpec, Stratum, draw_sample, read_sample, write_sample
from mores.benchmarks.label_columns import LabelColumns
from mores.calibration import agreement_analysis, corrections_analysis, jury_weights
from mores.calibration.agreement import AgreementOptions, agreements_of
from mores.calibration.correct_tasks import correct_tables
from mores.calibration.corrections import CorrectionOptions
from mores.calibration.corrections_analysis import ESTIMATED
from mores.calibration.disagreements import cases_of, read_causes, write_cases
from mores.calibration.folds import Folds, all_folds, analyse_folds
from mores.cli import screen
from mores.cli.args_run import AS_JSON, LABEL_COLUMNS
from mores.core.errors import InputError
from mores.core.files import refuse_taken
from mores.core.terminal_safety import print_error
from mores.runs.loading import read_results
from mores.runs.options import argument, option
from mores.tables import as_data, blocks_in
from mores.tables.formatting import SIMULATED

BRACKETS = "Brackets hold 95% intervals over clusters; n is the number of units with a verdict and people's labels."


@dataclass(frozen=True, slots=True, kw_only=True)
class RunsArgs:
    """Runs, and those of their tasks that are meant."""

    runs: list[Path] = argument("Folders of finished runs.", MISSING)
    task: list[str] | None = option("Only this task; repeatable.")
    seed: int = option("Seed of all random draws.", default=0)

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks that were named."""
        return tuple(self.task or ())


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelArgs(RunsArgs):
    """Runs with labels of people."""

    labels: list[Path] = option(
        "People's labels (CSV, JSON Lines or a tool's export): item, task, annotator, label; repeatable.",
        default=MISSING,
    )
    sample: Path | None = option("Folder of the sample that was labelled, for its ids and splits.")
    columns: str | None = LABEL_COLUMNS
    json: bool = AS_JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementArgs(LabelArgs):
    """Agreement of judges with people, and of people with each other."""

    split: str | None = option("Only this split of the sample, such as test.")
    disagreement: float = option(
        "For points: list cases in which judges and people differ at least this much.", default=0.5
    )
    cases: Path | None = option("New file for the cases of disagreement, to code causes.")
    causes: Path | None = option("The file of --cases with the causes filled in.")
    epsilon: float = option(
        "Epsilon of the alt-test: .2 for experts, .15 for skilled people, .1 for a crowd.", default=0.2
    )
    folds: bool = option(
        "A verifier's agreement by left-out model; each may have a verifier of its own.", "--folds", default=False
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightsArgs(LabelArgs):
    """Weights of the judges of a jury, by people's labels."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleArgs(RunsArgs):
    """Draw a sample for people to label: a work list without model and verdict, its splits frozen beside it."""

    n: int = option("Number of rows over all tasks.", "--n", default=MISSING)
    out: Path = option("New folder of the work list and its sealed record.", default=MISSING)
    stratify: str = option(
        "Strata: any of model, place, task and verdict; tasks and verdicts get as many rows.",
        default="model,place,task",
    )
    one_per: Literal["episode", "item", "none"] = option("At most one row of each within a task.", default="episode")
    split: str = option("Names of the splits, of equal size.", default="calibration,test")


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionArgs(LabelArgs):
    """Correct judge means with human labels; the uncorrected ones stand beside."""

    by: Literal["place"] | None = option("Also by place.")
    method: Literal["ppi", "rogan-gladen", "both"] = option("ppi, rogan-gladen (for words), or both.", default="both")
    confidence: float = option("Coverage of intervals.", default=0.95)


def agree(typed: AgreementArgs) -> None:
    """Hold judges against people and say how far they agree.

    Raises:
        InputError: a run, a file or an option cannot be used.
    """
    how = AgreementOptions(disagreement=typed.disagreement, epsilon=typed.epsilon, seed=typed.seed)
    if typed.cases is not None:
        refuse_taken(typed.cases, "--cases")
    if typed.folds and (typed.cases is not None or typed.causes is not None):
        raise InputError("--folds: cases and causes are of agreement over all models; leave --cases and --causes out.")
    tables = _labelled_tables(typed)
    if typed.folds:
        _by_left_out_model(typed, *all_folds(tables, how))
        return
    if typed.causes is not None:
        how = _with_causes(how, typed.causes, tables)
    found = agreements_of(tables, how)
    if typed.cases is not None:
        write_cases(typed.cases, tuple(found.all_cases()))
    if typed.json:
        screen.print_json({
            "runs": [str(run) for run in typed.runs], "simulated": found.simulated, "refused": found.refused,
            **as_data(agreement_analysis.analyse(found)),
        })  # fmt: skip
    else:
        screen.analysed(
            blocks_in(agreement_analysis.analyse(found)), simulated=found.simulated, notes=(BRACKETS, *found.refused)
        )
    if typed.cases is not None:
        summary = f"{sum(1 for _ in found.all_cases()):,} cases to code: {typed.cases}; then: --causes {typed.cases}"
        (sys.stderr if typed.json else sys.stdout).write(f"{summary}\n")


def _labelled_tables(typed: AgreementArgs) -> tuple[TaskTable, ...]:
    """The tables of all tasks that have labels, of one split where one is named.

    Raises:
        InputError: a run or a file cannot be used, a split is not known, or a task that was named has no labels.
    """
    split, drawn = typed.split, None if typed.sample is None else read_sample(typed.sample)
    if split is not None:
        if drawn is None:
            raise InputError(f"--split {split}: splits are a sample's; name its folder: --sample DIR.")
        if split not in drawn.wanted.splits:
            raise InputError(f"--split {split}: expected one of {', '.join(drawn.wanted.splits)}.")
    found = read_tables(
        typed.runs, typed.labels, drawn, tasks=typed.tasks, columns=LabelColumns.read(typed.columns), noting=print_error
    )
    if split is not None:
        found = tuple(table.at(table.splits == split) for table in found)
    empty = [table.name for table in found if not table.labelled.any()]
    kept = tuple(table for table in found if table.labelled.any())
    if not kept or (typed.tasks and empty):
        part = "" if split is None else f" in the split {split}"
        raise InputError(f"{', '.join(empty) or 'no task'}: no label is about it{part}; expected labels of it.")
    return kept


def _with_causes(options: AgreementOptions, path: Path, tables: Sequence[TaskTable]) -> AgreementOptions:
    """The options with what people coded; every case that there is may be named."""
    found = (cases_of(table, options.design(table), options.disagreement) for table in tables)
    known = {case.id for cases in found if cases is not None for case in cases.cases}
    return replace(options, causes=read_causes(path, known))


def _by_left_out_model(typed: AgreementArgs, folds: Sequence[Folds], refused: Sequence[str]) -> None:
    simulated, found = any(each.simulated for each in folds), analyse_folds(folds)
    if typed.json:
        runs = [str(run) for run in typed.runs]
        screen.print_json({"runs": runs, "simulated": simulated, "refused": refused, **as_data(found)})
    else:
        screen.analysed(blocks_in(found), simulated=simulated, notes=refused)


def draw(typed: SampleArgs) -> None:
    """Draw a sample, write its work list, and say what was drawn.

    Raises:
        InputError: something typed cannot be used, or there is too little to draw.
    """
    stratify, splits = _listed(typed.stratify), _listed(typed.split)
    strange = [name for name in stratify if name not in get_args(Stratum)]
    if strange:
        raise InputError(f"--stratify {strange[0]}: expected some of {', '.join(get_args(Stratum))}.")
    if len(set(splits)) < len(splits):
        raise InputError(f"--split {','.join(splits)}: a name stands twice; expected names such as calibration,test.")
    wanted = SampleSpec(
        n=typed.n, tasks=typed.tasks, stratify=cast(tuple[Stratum, ...], stratify), one_per=typed.one_per,
        splits=splits, seed=typed.seed,
    )  # fmt: skip
    out = typed.out
    if (out / RECORD).exists():
        raise InputError(f"--out {out}: it already holds a sample, which is not overwritten; name a new folder.")
    sample, questions = draw_sample(typed.runs, wanted)
    write_sample(out, sample, questions)
    counts = Counter((row.benchmark, row.task, row.split) for row in sample.rows)
    screen.table(("benchmark", "task", "split", "rows"), [(*key, str(count)) for key, count in sorted(counts.items())])
    rate = "" if typed.one_per == "none" else f", one per {typed.one_per}"
    screen.line(f"{len(sample.rows)} of {sample.population:,} things that were judged{rate}.")
    screen.line(f"For people: {out / SHEET} or {out / ROWS}. Sealed, not for them: {out / RECORD}.")


def _listed(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def weigh(typed: WeightsArgs) -> None:
    """Print what each judge of a jury should count, and the command that uses it.

    Raises:
        InputError: a run or a file cannot be used, or there is no jury to weigh.
    """
    sample = None if typed.sample is None else read_sample(typed.sample)
    tables = read_tables(
        typed.runs, typed.labels, sample, tasks=typed.tasks, columns=LabelColumns.read(typed.columns),
        noting=print_error,
    )  # fmt: skip
    found = jury_weights.jury_weights_of(tables, seed=typed.seed)
    result = jury_weights.analyse(found)
    if typed.json:
        header = {name: getattr(found, name) for name in ("tasks", "points", "simulated")}
        screen.print_json({**header, **as_data(result)})
        return
    if found.simulated:
        screen.line(SIMULATED)
    screen.blocks(blocks_in(result))


def correct(typed: CorrectionArgs) -> None:
    """Print judges' means corrected with people's labels.

    Raises:
        InputError: a run, a file or a number cannot be used.
    """
    if not 0.5 <= typed.confidence < 1:
        raise InputError(f"--confidence {typed.confidence}: expected a share from 0.5 to below 1, such as .95.")
    sample = None if typed.sample is None else read_sample(typed.sample)
    tables = read_tables(
        typed.runs,
        typed.labels,
        sample,
        tasks=typed.tasks,
        columns=LabelColumns.read(typed.columns),
        noting=print_error,
    )
    options = CorrectionOptions(
        method=typed.method, confidence=typed.confidence, by_place=typed.by is not None, seed=typed.seed
    )
    found = correct_tables(tables, read_results(typed.runs).evaluations, options)
    if not found.tasks:
        named = ", ".join(typed.tasks) or "anything that was judged"
        raise InputError(f"No label is about {named}; expected labels of it: mores judge sample RUN draws some.")
    result = corrections_analysis.analyse(found)
    if typed.json:
        header = {"simulated": found.simulated, "confidence": found.confidence, "estimated": ESTIMATED}
        screen.print_json({**header, **as_data(result)})
        return
    if found.simulated:
        screen.line("Simulated: answers, judges or people are simulated; this says nothing about real ones.")
    screen.blocks(blocks_in(result))
