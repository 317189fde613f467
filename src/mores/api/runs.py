"""Results of runs, as a notebook holds them: tables when they are asked for, and a short one of headlines.

They are written for other programs too: tables, a table and figures for a paper, and the formats of neighbours.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

from msgspec import Struct

from mores.analysis.comparison import Comparison
from mores.analysis.results import Result, Results
from mores.analysis.two_runs import describe_left_out
from mores.api.frames import Frame
from mores.api.hub import hub_dataset
from mores.api.tables import results_frame
from mores.core.errors import UnknownName
from mores.core.estimate import caution_of, judge_band_of
from mores.core.files import is_just, refuse_taken, sweep, write_new
from mores.exports import ExportedFiles
from mores.exports.every_eval_ever import every_eval_ever
from mores.exports.figures import figures
from mores.exports.inspect_log import inspect_logs
from mores.exports.latex import latex_table
from mores.exports.lm_eval import lm_eval_tasks
from mores.reports.page import write_comparison, write_page
from mores.reports.sections_list import every_analysis, sections_of, tables_of, tables_with
from mores.reports.two_runs import comparison_tables
from mores.runs.loading import describe_changes, read_results
from mores.tables.formatting import (
    JUDGE_BAND,
    SIMULATED,
    format_difference,
    format_graded,
    format_interval,
    format_judge_band,
    format_number,
    format_p,
    format_units,
)
from mores.tables.missing_texts import format_caution, to_plain

EXPORTED = ("estimates", "scores", "items", "transcripts", "verdicts")
"""Tables that are written; calls hold the same words as transcripts, and stay in the journal."""


def export(results: Results, to: str, out: Path, **chosen: str | bool) -> ExportedFiles:
    """Write runs for another program into a folder, over nothing that is there; `chosen` are choices of its format.

    An export that was cut short is completed: what it has written already, with just these bytes, stays.

    Raises:
        UnknownName: there is no such format.
        InputError: a file of that name is there already.
        StorageError: the disk is full or cannot be written.
    """
    if to not in FORMATS:
        raise UnknownName("format", to, FORMATS, where="--to", todo=f"Known are {', '.join(FORMATS)}.")
    made = FORMATS[to](results, **chosen)
    left = {name: data for name, data in made.files.items() if not is_just(out / name, data)}
    # All are looked at before the first is written, so that a refusal leaves nothing half done.
    for name in left:
        refuse_taken(out / name)
    for name in made.files:
        sweep(out / name)
    for name, data in left.items():
        write_new(out / name, data)
    return made


def _csv(results: Results) -> ExportedFiles:
    return ExportedFiles(files={f"{each.name}.csv": each.to_csv().encode() for each in _tables(results)})


def _parquet(results: Results) -> ExportedFiles:
    return ExportedFiles(files={f"{each.name}.parquet": each.to_parquet() for each in _tables(results)})


def _tables(results: Results) -> list[Frame]:
    analyses = (Frame.of_table(filled) for filled in tables_of(results).values() if filled.rows)
    return [*(results_frame(name, results.evaluations) for name in EXPORTED), *analyses]


FORMATS: dict[str, Callable[..., ExportedFiles]] = {
    "csv": _csv,
    "parquet": _parquet,
    "latex": latex_table,
    "figures": figures,
    "every-eval-ever": every_eval_ever,
    "inspect": inspect_logs,
    "lm-eval": lm_eval_tasks,
    "hub": hub_dataset,
}
"""How each format is made."""


HeadlineRows = tuple[tuple[str, ...], ...]


class Runs(Struct, frozen=True, dict=True):
    """Results of one or several runs; tables are read from disk when they are first asked for."""

    results: Results

    @property
    def folders(self) -> tuple[Path, ...]:
        """The folders of the runs."""
        return self.results.runs

    @property
    def models(self) -> tuple[str, ...]:
        """Subjects, in the order of the runs."""
        return self.results.labels

    @property
    def benchmarks(self) -> tuple[str, ...]:
        """Benchmarks, in the order of the runs."""
        return self.results.benchmarks

    @property
    def partial(self) -> bool:
        """True where something is not finished; its figures are then not among the estimates."""
        return self.results.partial

    @property
    def simulated(self) -> bool:
        """True where any figure rests on made-up answers."""
        return self.results.simulated

    @cached_property
    def estimates(self) -> Frame:
        """A row an estimate, with its interval, its n and what it would be at worst and at best."""
        return results_frame("estimates", self.results.evaluations)

    @cached_property
    def scores(self) -> Frame:
        """A row a metric, unit and sample: what all estimates are made from."""
        return results_frame("scores", self.results.evaluations)

    @cached_property
    def items(self) -> Frame:
        """A row an item: what was asked, graded, and the mean points of its answers."""
        return results_frame("items", self.results.evaluations)

    @cached_property
    def tables(self) -> Mapping[str, Frame]:
        """The tables of all analyses by their ids, as docs/tables.md has them; empty where nothing is found."""
        return _Tables(self.results)

    @cached_property
    def verdicts(self) -> Frame:
        """A row a verdict, of every task."""
        return results_frame("verdicts", self.results.evaluations)

    @cached_property
    def transcripts(self) -> Frame:
        """A row an event of what was said and done."""
        return results_frame("transcripts", self.results.evaluations)

    @cached_property
    def calls(self) -> Frame:
        """A row a call that was answered."""
        return results_frame("calls", self.results.evaluations)

    @cached_property
    def analyses(self) -> dict[str, Any]:
        """Analyses over several benchmarks or models, by id: plain values, as `report --json` gives them."""
        return {each.id: to_plain(each.data) for each in sections_of(self.results)}

    def report(self, path: str | Path) -> Path:
        """Write one page over the runs; nothing that is no page of mores is overwritten.

        Raises:
            InputError: something else is in the way.
        """
        write_page(self.results, Path(path))
        return Path(path)

    def export(self, to: str, out: str | Path, **chosen: str | bool) -> tuple[str, ...]:
        """Write the runs for another program, as `mores export` does, and say what its format has no place for.

        For the hub, `repo` and `as_departed` may be `chosen`; nothing is uploaded.

        Raises:
            InputError: a run is not finished, there is no such format, or a file is in the way.
        """
        return export(read_results(self.folders), to, Path(out), **chosen).left_out

    @property
    def _notes(self) -> Iterator[str]:
        if self.simulated:
            yield SIMULATED
        for each in self.results.evaluations:
            if each.partial:
                yield f"Not finished: {each.label} on {each.benchmark}; go on with: mores resume {each.run}."
            elif (caution := caution_of(each.overall())) is not None:
                yield f"{each.label} on {each.benchmark}: {format_caution(caution)}."
        for left in self.results.missing:
            yield f"Not begun: {left.model} on {left.benchmark}; go on with: mores resume {left.run}."
        yield from describe_changes(self.results)

    def _rows(self) -> HeadlineRows:
        heads = ("benchmark", "model", "metric", "value", "95% interval", "n", JUDGE_BAND)
        rows = [_headline(each) for each in self.results.evaluations if not each.partial]
        wide = len(heads) if any(row[-1] for row in rows) else -1
        return tuple(row[:wide] for row in (heads, *rows))

    def __repr__(self) -> str:
        return _text(self._rows(), self._notes)

    def _repr_html_(self) -> str:
        return _html(self._rows(), self._notes)


class _Tables(Mapping[str, Frame]):
    """Tables of analyses; an analysis is carried out when one of its tables is first asked for."""

    def __init__(self, results: Results) -> None:
        self._results, self._made = results, dict[str, Frame]()

    def __getitem__(self, id_: str) -> Frame:
        if id_ not in self._made:
            found = tables_with(self._results, id_)
            self._made |= {each: Frame.of_table(filled) for each, filled in found.items()}
        return self._made[id_]

    def __iter__(self) -> Iterator[str]:
        return (table.id for analysis in every_analysis() for table in analysis.tables)

    def __len__(self) -> int:
        return len([*self])

    def __repr__(self) -> str:
        return f"tables: {', '.join(self)}"


class Comparisons(Struct, frozen=True, dict=True):
    """Run B against run A: `found` has all that was tested, `tables` are it in rows."""

    found: Comparison

    @property
    def simulated(self) -> bool:
        """True where any of it rests on made-up answers."""
        return self.found.simulated

    def report(self, path: str | Path) -> Path:
        """Write the page of the comparison, as `mores compare --out` does, over nothing but a page of mores.

        Raises:
            InputError: something else is in the way.
        """
        write_comparison(self.found, Path(path))
        return Path(path)

    @cached_property
    def tables(self) -> dict[str, Frame]:
        """The tables of all analyses of two runs by their ids, as docs/tables.md has them."""
        return {id_: Frame.of_table(filled) for id_, filled in comparison_tables(self.found).items()}

    @property
    def _notes(self) -> Iterator[str]:
        if self.simulated:
            yield SIMULATED
        for each in self.found.compared:
            yield from (f"{each.benchmark}: {format_caution(note)}." for note in each.notes)
        left = describe_left_out(self.found)
        if left:
            yield left

    def _rows(self) -> HeadlineRows:
        return (
            ("benchmark", "metric", "A", "B", "B less A", "p", "n"),
            *(
                (
                    each.benchmark,
                    each.metric,
                    format_number(each.whole.a, each.described),
                    format_number(each.whole.b, each.described),
                    format_difference(each.whole, each.described),
                    format_p(each.whole.p),
                    format_units(each.whole.units, each.whole.clusters),
                )
                for each in self.found.compared
            ),
        )

    def __repr__(self) -> str:
        return _text(self._rows(), self._notes)

    def _repr_html_(self) -> str:
        return _html(self._rows(), self._notes)


def _headline(each: Result) -> tuple[str, ...]:
    whole, described = each.overall(), each.described
    names = (each.benchmark, each.label, each.headline)
    if whole is None:
        return (*names, "", "", "", "")
    band = judge_band_of(whole)
    judged = "" if band is None else format_judge_band(band, described)
    figure = format_number(whole.value, described), format_interval(whole, described), format_graded(whole)
    return *names, *figure, judged


def _text(rows: HeadlineRows, notes: Iterator[str]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows)
    return "\n".join((*lines, *notes))


def _html(rows: HeadlineRows, notes: Iterator[str]) -> str:
    head, *body = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows)
    table = "".join(f"<tr>{row}</tr>" for row in body)
    texts = "".join(f"<p>{escape(note)}</p>" for note in notes)
    return f"<table><thead><tr>{head.replace('td>', 'th>')}</tr></thead><tbody>{table}</tbody></table>{texts}"
