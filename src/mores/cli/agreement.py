"""`mores judge agreement RUN… --labels FILE…`: judges held against people's labels, for people and for programs."""

import sys
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from mores.annotation.label_tables import TaskTable, read_tables
from mores.annotation.sample import read_sample
from mores.benchmarks.label_columns import LabelColumns
from mores.calibration.agreement import AgreementOptions, agreements_of
from mores.calibration.agreement_analysis import analyse
from mores.calibration.disagreements import cases_of, read_causes, write_cases
from mores.calibration.folds import Folds, all_folds, analyse_folds
from mores.cli import screen
from mores.cli.args_labels import AgreementArgs
from mores.core.errors import InputError
from mores.core.files import refuse_taken
from mores.core.terminal_safety import print_error
from mores.tables import as_data, blocks_in

BRACKETS = "Brackets hold 95% intervals over clusters; n is the number of units with a verdict and people's labels."


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
            **as_data(analyse(found)),
        })  # fmt: skip
    else:
        screen.analysed(blocks_in(analyse(found)), simulated=found.simulated, notes=(BRACKETS, *found.refused))
    if typed.cases is not None:
        told = f"{sum(1 for _ in found.all_cases()):,} cases to code: {typed.cases}; then: --causes {typed.cases}"
        (sys.stderr if typed.json else sys.stdout).write(f"{told}\n")


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
