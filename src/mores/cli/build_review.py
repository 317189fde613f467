"""`mores build review`: what people's labels say of a build."""

from math import isnan

from mores.benchmarks.label_columns import LabelColumns
from mores.cli import screen
from mores.cli.args_build import ReviewArgs
from mores.core.terminal_safety import print_error
from mores.pipelines.questions.review import Reviewed, review
from mores.pipelines.review_sheets import ChecklistReview, review_checklist
from mores.runs.folder import read_manifest
from mores.stats.cluster_sums import MeasuredFigure
from mores.tables import formatting as words
from mores.tables.missing_texts import format_missing, to_plain


def review_build(typed: ReviewArgs) -> None:
    """Print what people's labels say of the questions or scenarios of a build.

    Raises:
        InputError: the folder holds no build with a sheet for people, or a label cannot be used.
    """
    made = read_manifest(typed.build).get("spec", {}).get("pipeline")
    found = (review if made == "questions" else review_checklist)(
        typed.build, typed.labels, LabelColumns.read(typed.columns), print_error
    )
    if typed.json:
        screen.print_json(to_plain(found))
    elif isinstance(found, Reviewed):
        _print_questions(found)
    else:
        _print_checklist(found)


def _print_questions(found: Reviewed) -> None:
    screen.line(
        f"{found.labels:,} labels by {words.plural(found.people, 'person', 'people')} on {found.pairs:,} pairs."
    )
    share = words.format_number(found.unanimous)
    rows = [
        ("hard compliance", _measured(found.hard), f"{found.questions:,} questions"),
        ("soft compliance", _measured(found.soft), f"{found.questions:,} questions"),
        ("unanimous", share, f"{found.agreement.units:,} pairs"),
        ("Fleiss' kappa", _measured(found.agreement.fleiss, share=False), f"{found.agreement.units:,} pairs"),
    ]
    screen.table(("", "value", "n"), rows)
    if found.failed:
        screen.line(f"Not as the matrix has them: {', '.join(found.failed)}.")


def _print_checklist(found: ChecklistReview) -> None:
    screen.line(f"{found.labels:,} labels by {words.plural(found.people, 'person', 'people')} on {found.rows:,} rows.")
    heads = ("aspect", "as it should be", "rows", "unanimous", "Fleiss' kappa", "of rows")
    rows = [
        (each.aspect, _measured(each.sound), f"{each.decided:,}", words.format_number(each.unanimous),
         _measured(each.agreement.fleiss, share=False), f"{each.agreement.units:,}")
        for each in found.aspects
    ]  # fmt: skip
    screen.table(heads, rows)
    for each in found.aspects:
        if each.failed:
            screen.line(f"Not as it should be, {each.aspect}: {', '.join(each.failed)}.")


def _measured(found: MeasuredFigure, *, share: bool = True) -> str:
    """A figure with its interval, or why it has none."""
    if isnan(found.value):
        return f"– ({format_missing(found.missing)})"
    value, ends = found.value, found.interval
    told = words.format_number(value) if share else f"{value:.2f}"
    if ends.low is None or ends.high is None:
        return f"{told} ({format_missing(ends.missing)})"
    low, high = (words.format_number(end, sign=False) if share else f"{end:.2f}" for end in (ends.low, ends.high))
    return f"{told} [{low}, {high}]"
