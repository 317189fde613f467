"""Run folders read into results; verdicts, transcripts and calls stay on disk until somebody asks for them."""

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from mores.analysis.results import NotBegun, Provenance, Result, Results
from mores.benchmarks import catalogue
from mores.benchmarks.benchmark import Setting
from mores.benchmarks.data_tables import filled, read_table
from mores.benchmarks.scoring import Scoring
from mores.benchmarks.shapes.option_similarity import METRICS
from mores.benchmarks.shapes.question import SUBJECT
from mores.benchmarks.shapes.unknown import scores_of_unknown
from mores.core.card import FIRST, Card, Protocol
from mores.core.codec import build, field_names, parse_json, reading
from mores.core.errors import InputError, StorageError, UnknownName
from mores.core.estimate import Estimate, MetricRows, Scores
from mores.core.files import write_own
from mores.core.seeds import Seed
from mores.core.terminal_safety import print_error
from mores.core.transcript import ItemMetadata, Transcript
from mores.core.verdict import Verdict, VerdictLine, Vote, decode_some, decode_verdicts, decode_votes, read_lines
from mores.core.verdict_table import VerdictTable
from mores.models.journal_reader import Entry, ReasoningUsage, read_entries, read_thoughts
from mores.runs.evaluation import (
    ESTIMATES,
    FINISHED,
    SO_FAR,
    TRANSCRIPTS,
    VERDICTS,
    VOTES,
    ScoredEvaluation,
    read_estimates,
    rebuilt_estimates,
)
from mores.runs.folder import JOURNAL, MANIFEST, changed, describe_changed, read_manifest
from mores.runs.stored_plays import StoredPlays, decode_transcripts, stored_cells


class StoredResult(Struct, frozen=True, kw_only=True, dict=True):
    """Files of an evaluation in its folder, and the benchmark and protocol that its verdicts are scored by.

    `scored` is what is still in memory of one that has just ended, so that its files are not read back.
    """

    folder: Path
    benchmark: str
    protocol: Protocol
    headline: str = "accuracy"
    metrics: tuple[str, ...] = ()
    scored: ScoredEvaluation | None = None

    def _lines(self, name: str) -> Iterator[bytes]:
        """The lines of one of its files; none where the evaluation was cut short, or an older mores left it."""
        path = self.folder / name
        if path.is_file():
            with path.open("rb") as lines:
                yield from lines

    def verdicts(self) -> Iterator[Verdict]:
        """All verdicts."""
        return decode_verdicts(self._lines(VERDICTS), where=f"{self.folder / VERDICTS}")

    def verdict_lines(self) -> Iterator[tuple[ItemMetadata, VerdictLine]]:
        """The same as plain lines."""
        return read_lines(self._lines(VERDICTS), where=f"{self.folder / VERDICTS}")

    def verdicts_of(self, plays: Container[tuple[str, int]]) -> Iterator[Verdict]:
        """Those of some plays."""
        return decode_some(self._lines(VERDICTS), plays, where=f"{self.folder / VERDICTS}")

    @cached_property
    def verdict_table(self) -> VerdictTable:
        """All verdicts in columns."""
        if self.scored is not None:
            return self.scored.table
        return VerdictTable.read(self._lines(VERDICTS), where=f"{self.folder / VERDICTS}")

    @cached_property
    def scores(self) -> Scores:
        """The rows of each metric."""
        if self.scored is not None and self.scored.scores is not None:
            return self.scored.scores
        try:
            return self._scoring.score(self.verdict_table)
        except UnknownName:
            return scores_of_unknown(self.verdict_table, self.metrics, self.headline, self.protocol.reading)

    @cached_property
    def headline_rows(self) -> MetricRows:
        """Those of the headline."""
        rows = self._scoring.rows_of(self.verdict_table) if self._is_unscored else None
        return self.scores[self.headline] if rows is None else rows

    def headline_of(self, table: VerdictTable) -> MetricRows | None:
        """Rows of the headline that other verdicts would give; None of a benchmark that is not known here."""
        return self._scoring.rows_of(table) if self.benchmark in catalogue.names() else None

    @cached_property
    def headline_tasks(self) -> tuple[str, ...]:
        """The tasks that the headline rests on."""
        return self._scoring.tasks if self._is_unscored else self.scores.tasks

    @property
    def _is_unscored(self) -> bool:
        """True where scores are still to be made, and are not needed to know of one metric."""
        made = "scores" in vars(self) or (self.scored is not None and self.scored.scores is not None)
        return not made and self.benchmark in catalogue.names()

    @property
    def _scoring(self) -> Scoring[Any]:
        return catalogue.load(self.benchmark).scoring(Setting(data=None, protocol=self.protocol, seed=Seed("")))

    def votes(self) -> Iterator[Vote]:
        """All votes of judges."""
        return decode_votes(self._lines(VOTES), where=f"{self.folder / VOTES}")

    def transcripts(self) -> Iterator[Transcript]:
        """All transcripts, judges' words too."""
        return decode_transcripts(self._lines(TRANSCRIPTS), where=f"{self.folder / TRANSCRIPTS}")

    def transcripts_of(self, plays: Iterable[tuple[str, int]]) -> Iterator[Transcript]:
        """Those of some plays, without what judges said."""
        with closing(StoredPlays(self.folder)) as stored:
            yield from (stored[play] for play in plays)

    def calls(self) -> Iterator[Entry]:
        """All calls; none where the journal was not kept."""
        path = self.folder / JOURNAL
        return read_entries(path) if path.is_file() else iter(())

    def thought(self) -> Iterator[ReasoningUsage]:
        """The tokens of thinking of each reply of the subject."""
        path = self.folder / JOURNAL
        return read_thoughts(path, SUBJECT) if path.is_file() else iter(())


def read_results(runs: Sequence[Path], scored: Mapping[Path, ScoredEvaluation] = MappingProxyType({})) -> Results:
    """All evaluations of the given run folders; `scored` are those by folder that are still in memory.

    Raises:
        InputError: a folder is no run, or one that is not finished.
    """
    results = read_what_is_there(runs, scored=scored)
    cut = [NotBegun(each.run, each.model, each.benchmark) for each in results.every if each.partial]
    for each in (*cut, *results.missing):
        raise InputError(
            f"{each.run}: not finished ({each.model} on {each.benchmark}); expected a finished run. "
            f"Continue with: mores resume {each.run}."
        )
    return results


ITEM_DATE = re.compile(r"\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?")


def with_dates(results: Results, path: Path) -> Results:
    """The results with the dates of their items, from a table with the columns `item` (or unit) and `date`.

    Raises:
        InputError: the table has no such columns, a date has another form, an item has two, or none is of these runs.
    """
    dates: dict[str, str] = {}
    for row in read_table(path, ("item", "date")):
        item, date = filled(row, "item"), filled(row, "date")
        if not ITEM_DATE.fullmatch(date):
            raise InputError(f"{row.where}: date is '{date}'; expected 2024, 2024-05 or 2024-05-31.")
        if dates.setdefault(item, date) != date:
            raise InputError(f"{row.where}: item '{item}' has the dates {dates[item]} and {date}; expected one.")
    asked = {name for each in results.evaluations for column in _names_of(each) for name in column}
    if not asked & dates.keys():
        raise InputError(f"{path}: none of its {len(dates)} items is in these runs; expected ids of items or units.")
    return replace(results, dates=dates)


def _names_of(result: Result) -> tuple[Sequence[str], ...]:
    keys = result.stored.headline_rows.keys if not result.partial else None
    return () if keys is None else (keys.item.names, keys.unit.names)


def read_unchanged(runs: Sequence[Path]) -> Results:
    """All evaluations of the given run folders, for what is built on their figures.

    Raises:
        InputError: a folder is no run, one that is not finished, or one that was changed after it was written.
    """
    results = read_results(runs)
    for line in describe_changes(results):
        raise InputError(f"{line}; the run cannot be used. Restore the file.")
    return results


def describe_changes(results: Results) -> tuple[str, ...]:
    """Lines for people on files that were changed after the runs wrote them, one a folder."""
    return tuple(f"{each.folder}: {describe_changed(each.changed)}" for each in results.every if each.changed)


def read_what_is_there(
    runs: Sequence[Path],
    instead: Mapping[Path, Path] = MappingProxyType({}),
    scored: Mapping[Path, ScoredEvaluation] = MappingProxyType({}),
) -> Results:
    """All evaluations of the given run folders, as far as each came; `instead` of some folders others are read.

    Raises:
        InputError: a folder is no run.
    """
    if not runs:
        raise InputError("No run was named; expected at least one run's folder.")
    runs = tuple(dict.fromkeys(runs))
    found = [each for run in runs for each in _evaluations(run, instead, scored)]
    evaluations = [each for each in found if isinstance(each, Result)]
    seen = Counter(model for model, _ in {(each.model, each.run) for each in evaluations})
    named = [replace(e, label=f"{e.model} in {e.run}") if seen[e.model] > 1 else e for e in evaluations]
    firsts = {(each.run, each.model, each.benchmark) for each in named if each.variant == FIRST}
    variants = [e for e in named if e.variant != FIRST and (e.run, e.model, e.benchmark) in firsts]
    return Results(
        runs=runs,
        evaluations=tuple(each for each in named if each not in variants),
        missing=tuple(each for each in found if isinstance(each, NotBegun)),
        variants=tuple(variants),
    )


def _evaluations(
    run: Path, instead: Mapping[Path, Path], scored: Mapping[Path, ScoredEvaluation]
) -> Iterator[Result | NotBegun]:
    held = stored_cells(run)
    if not held:
        yield _result(run, instead[run]) if run in instead else NotBegun(run, "its only model", "its only benchmark")
    for cell, own in held.items():
        folder = instead.get(own, own)
        there = (folder / MANIFEST).is_file()
        yield _result(run, folder, scored.get(folder)) if there else NotBegun(run, cell.model, cell.benchmark)


def _result(run: Path, folder: Path, scored: ScoredEvaluation | None = None) -> Result:
    manifest = read_manifest(folder)
    wanted = (ESTIMATES, TRANSCRIPTS, VERDICTS)
    finished = manifest.get("state") in {FINISHED, SO_FAR} and all((folder / name).is_file() for name in wanted)
    with reading(str(folder), "a finished run" if finished else "a run"):
        return _finished(run, folder, manifest, scored) if finished else _partial(run, folder, manifest)


def _finished(run: Path, folder: Path, manifest: dict[str, Any], scored: ScoredEvaluation | None) -> Result:
    # First, as this puts a damaged file in place, which is then no longer one that was changed.
    own, estimates = _figures(folder, manifest) if scored is None else (None, scored.estimates)
    blank = _partial(run, folder, manifest, written_now=scored is not None)
    headline = own or blank.headline
    stored = StoredResult(
        folder=folder,
        benchmark=blank.benchmark,
        protocol=blank.provenance.protocol,
        headline=headline,
        metrics=tuple(dict.fromkeys((headline, *(estimate.metric for estimate in estimates)))),
        scored=scored,
    )
    return replace(blank, headline=headline, estimates=estimates, partial=False, stored=stored)


def _figures(folder: Path, manifest: dict[str, Any]) -> tuple[str, tuple[Estimate, ...]]:
    """The headline's name, and all figures."""
    found = _estimates(folder, manifest)
    return found["headline"], build(tuple[Estimate, ...], found["estimates"], where=f"{folder}/{ESTIMATES}")


def _estimates(folder: Path, manifest: dict[str, Any]) -> dict[str, Any]:
    """Estimates of the run; a damaged file is put in place anew where the verdicts give the same bytes again.

    Raises:
        InputError: it is damaged, and they do not.
    """
    try:
        return read_estimates(folder)
    except InputError as damaged:
        with (folder / VERDICTS).open("rb") as lines:
            table = VerdictTable.read(lines, where=f"{folder}/{VERDICTS}")
        laid_out = rebuilt_estimates(manifest, catalogue.load(manifest["benchmark"]), table)
        if laid_out is None:
            raise InputError(f"{damaged} Delete it, and rebuild it: mores resume {folder}.") from damaged
    # On a disk that is read-only the run is read all the same.
    with suppress(StorageError, OSError):
        write_own(folder / ESTIMATES, laid_out)
    print_error(f"{folder / ESTIMATES}: it was damaged and was rebuilt from the verdicts of the run.")
    found: dict[str, Any] = parse_json(laid_out, where=ESTIMATES)
    return found


def _partial(run: Path, folder: Path, manifest: dict[str, Any], *, written_now: bool = False) -> Result:
    card = _card(manifest["benchmark"], manifest.get("spec", {}).get("data"))
    provenance = _provenance(manifest, f"{folder}/{MANIFEST}")
    return Result(
        run=run,
        folder=folder,
        model=manifest["model"],
        label=manifest["model"],
        benchmark=manifest["benchmark"],
        headline=card.headline if card else "",
        simulated=bool(manifest["simulated"]),
        estimates=(),
        card=card,
        provenance=provenance,
        stored=StoredResult(folder=folder, benchmark=manifest["benchmark"], protocol=provenance.protocol),
        changed=() if written_now else changed(folder, manifest),
        partial=True,
        standard=METRICS,
    )


def _provenance(manifest: dict[str, Any], where: str) -> Provenance:
    """Only what reports show is read, so that a manifest may say more."""
    known = field_names(Provenance)
    picked = {name: value for name, value in manifest.items() if name in known}
    spec = manifest.get("spec", {})
    return build(Provenance, {**picked, "seed": spec.get("seed", 0), "places": spec.get("places", ())}, where=where)


def _card(name: str, data: object) -> Card | None:
    """The card of a benchmark, and where the data are a folder that is one, of that; None where neither is there."""
    try:
        if isinstance(data, str) and catalogue.is_folder(data):
            catalogue.know(data)
        return catalogue.card(name)
    except InputError:
        return None
