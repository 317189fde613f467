"""One model on one benchmark: its folder, and what it leaves when it is done or cut short."""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from zlib import compress, decompress

from msgspec import Struct

from mores.benchmarks.benchmark import Benchmark, Setting, summarise
from mores.core.card import Card, Protocol, Variant
from mores.core.code_errors import attempt
from mores.core.codec import build, canonical, encode, encode_lines, parse_json, read_text
from mores.core.estimate import Estimate, Scores, failed_in_code, has_failed
from mores.core.files import AtomicFile, storing, sweep, write_own
from mores.core.seeds import Seed
from mores.core.transcript import Item, Transcript
from mores.core.verdict import Verdict, Vote
from mores.core.verdict_table import VerdictTable
from mores.models.registry import is_simulated
from mores.runs.folder import FILES, MANIFEST, read_manifest, write_manifest

TRANSCRIPTS, VERDICTS, VOTES = "transcripts.jsonl", "verdicts.jsonl", "votes.jsonl"
TOGETHER = 4 << 20
"""Bytes that are written at once."""
UNWRITABLE = (TypeError, ValueError, OverflowError, RecursionError)
"""What comes of values that have no place in a file: a number of numpy, half a surrogate pair, an endless nesting."""
FRESH = 20_000
"""Verdicts that go into the table together: 2.9 µs for two, and 4.4 one by one; a short run has its calls behind it."""
LARGE, ROOM = 1 << 14, 32 << 20
"""Bytes from which it pays to pack lines that wait, and how many may wait before any are packed."""


def _unpacked(kept: bytes) -> bytes:
    """The lines as they were; what is packed begins as no JSON does."""
    return decompress(kept) if kept.startswith(b"x") else kept


class ResultWriter:
    """Writer of what the plays of one evaluation leave; a play that ends early waits in memory for those before it.

    Where nobody judges there is no file of votes.
    """

    def __init__(self, folder: Path, *, judged: bool = False) -> None:
        self._ledger, self._fresh = VerdictTable(), list[Verdict]()
        self.written = 0
        self._folder = folder
        self._early: dict[int, tuple[bytes, tuple[Verdict, ...], bytes]] = {}
        names = (TRANSCRIPTS, VERDICTS, VOTES)[: 3 if judged else 2]
        self._lines: dict[str, list[bytes]] = {name: [] for name in names}
        self._hashes = {name: hashlib.sha256() for name in names}
        self._gathered = self._waiting = 0
        for name in names:
            # Whoever writes here holds the lock of the run: what is there was left by a session that was killed.
            sweep(folder / name)
        self._parts = {name: AtomicFile(folder / name, private=True) for name in names}

    def put(
        self, index: int, transcript: Transcript, verdicts: tuple[Verdict, ...], votes: Sequence[Vote] = ()
    ) -> None:  # fmt: skip
        """One play's transcript, verdicts and votes, by its place in the plan.

        What cannot be written (`UNWRITABLE`) is raised before anything has changed.
        """
        line, judged, voted = encode(transcript) + b"\n", encode_lines(verdicts), encode_lines(votes)
        if index != self.written:
            kept = self._kept(line), self._kept(voted)
            self._early[index] = (kept[0], verdicts, kept[1])
            return
        self.add((line, judged, voted), verdicts)
        while self._early and (next_one := self._early.pop(self.written, None)) is not None:
            line, verdicts, voted = next_one
            self._waiting -= len(line) + len(voted)
            self._take(_unpacked(line), verdicts, _unpacked(voted))

    def _kept(self, lines: bytes) -> bytes:
        """Lines that wait: as they are while few do, since to pack them takes a thirtieth of a simulated day.

        Long ones are else packed: a thousand days that end before the first would take gigabytes.
        """
        kept = compress(lines, 1) if len(lines) > LARGE and self._waiting + len(lines) > ROOM else lines
        self._waiting += len(kept)
        return kept

    def _take(self, line: bytes, verdicts: tuple[Verdict, ...], voted: bytes) -> None:
        self.add((line, encode_lines(verdicts), voted), verdicts)

    def add(self, written: tuple[bytes, bytes, bytes], verdicts: Iterable[Verdict]) -> None:
        """The next play of the plan by its lines of transcripts, verdicts and votes, and its verdicts for the table."""
        self.written += 1
        for lines, more in zip(self._lines.values(), written, strict=False):  # votes are left out where nobody judges
            lines.append(more)
            self._gathered += len(more)
        self._fresh.extend(verdicts)
        if len(self._fresh) >= FRESH:
            self._settle()
        if self._gathered >= TOGETHER:
            self._write()

    @property
    def ledger(self) -> VerdictTable:
        """All verdicts so far."""
        self._settle()
        return self._ledger

    def _settle(self) -> None:
        if self._fresh:
            self._ledger.extend(self._fresh)
            self._fresh = []

    def _write(self) -> None:
        with storing(self._folder):
            for name, lines in self._lines.items():
                whole = b"".join(lines)
                self._hashes[name].update(whole)
                self._parts[name].file.write(whole)
                lines.clear()
        self._gathered = 0

    def finish(self) -> dict[str, str]:
        """Put the files in place; the SHA-256 of each by its name."""
        self._write()
        for part in self._parts.values():
            part.put()
        return {name: whole.hexdigest() for name, whole in self._hashes.items()}

    def drop(self) -> None:
        """Take the unfinished files away; the journal keeps all that was answered."""
        for part in self._parts.values():
            part.drop()


ESTIMATES = "estimates.json"


class ScoredEvaluation(NamedTuple):
    """Findings of an evaluation, for a page made at once; no scores where they rest on data beside the verdicts."""

    estimates: tuple[Estimate, ...]
    table: VerdictTable
    scores: Scores | None


FINAL = frozenset(
    {"no recorded reply", "simulated failure", "no sealed key", "recorded error"}
    | {f"http {status}" for status in (400, 404, 405, 413, 422)}
)
"""Causes of an ungraded item that asking again would not mend."""


def stops_within_units(benchmark: Benchmark, setting: Setting) -> bool:
    """True where no further item of a unit is asked once one is wrong, as a benchmark may offer by a setting."""
    stops: Callable[[Setting], bool] | None = getattr(benchmark, "stops", None)
    return stops is not None and stops(setting)


class Evaluation(Struct, frozen=True, kw_only=True):
    """One model on one benchmark; `roles` says who plays what.

    `remarks` are on its items, beside those of the benchmark. `source` is the folder of an earlier evaluation whose
    plays are judged again; nothing is then asked of the subject.
    """

    model: str
    name: str
    folder: Path
    benchmark: Benchmark
    setting: Setting
    items: Sequence[Item]
    roles: dict[str, str]
    remarks: tuple[str, ...] = ()
    source: Path | None = None

    @property
    def asked(self) -> dict[str, str]:
        """Models that are asked anything, by role: stored plays leave something to judges only."""
        return {r: spec for r, spec in self.roles.items() if self.source is None or r.startswith("judge")}

    @property
    def variant(self) -> Variant:
        """In which wording and order it is asked."""
        return self.setting.protocol.variant

    @property
    def plays(self) -> int:
        """Its items, each as often as the protocol has it answered."""
        return len(self.items) * self.setting.protocol.samples

    @property
    def stops(self) -> bool:
        """True where a unit's further items are not asked once one of them decides it."""
        return stops_within_units(self.benchmark, self.setting)

    @property
    def judged(self) -> bool:
        """True where a judge takes part."""
        return any(role.startswith("judge") for role in self.roles)

    @property
    def simulated(self) -> bool:
        """True where any reply is made up from planted competence."""
        return any(is_simulated(spec) for spec in self.roles.values())


def evaluation_is_done(evaluation: Evaluation) -> bool:
    """True where nothing is left to do: finished, and nothing failed that might pass now."""
    left = (MANIFEST, ESTIMATES, TRANSCRIPTS, VERDICTS, *((VOTES,) if evaluation.judged else ()))
    if not all((evaluation.folder / name).is_file() for name in left):
        return False
    return leaves_nothing_to_do(read_manifest(evaluation.folder))


def leaves_nothing_to_do(manifest: Mapping[str, Any]) -> bool:
    """True of the manifest of an evaluation that is finished, and in which nothing failed that might pass now."""
    if manifest.get("state") != FINISHED or FAILED in manifest:
        return False
    return not set(manifest.get("ungraded", {})) - FINAL


def plays_of_done(evaluation: Evaluation) -> int:
    """The plays of an evaluation that is done, without a look at its items."""
    return int(read_manifest(evaluation.folder)["plays"]["asked"])


FAILED = "figures_failed"
"""Where a manifest says that figures are missing by an error of code: they are made anew by whoever goes on."""
FINISHED, SO_FAR = "finished", "so far"
"""States of an evaluation that has figures: of all its plays, or of those that an unfinished one has done."""
WAITING = "waiting"
"""The state of one that waits for batches."""


def finish_evaluation(
    evaluation: Evaluation,
    results: ResultWriter,
    manifest: dict[str, Any],
    more: Sequence[Estimate] = (),
    state: str = FINISHED,
) -> ScoredEvaluation:
    """Put transcripts, verdicts, estimates (`more` of them last) and, last of all, the manifest in place.

    Of figures whose code fails there is why.
    """
    made = attempt(
        f"the figures of {evaluation.name}", partial(_figures, evaluation, results), partial(_no_figures, evaluation)
    )
    scores, estimates = made.scores, (*made.estimates, *more)
    files = {**manifest.get(FILES, {}), **results.finish()}
    counts = {"asked": evaluation.plays, "done": results.written}
    laid_out = _laid_out(evaluation.benchmark.card, evaluation.model, estimates, simulated=evaluation.simulated)
    write_own(evaluation.folder / ESTIMATES, laid_out)
    files[ESTIMATES] = hashlib.sha256(laid_out).hexdigest()
    failed = {FAILED: True} if any(has_failed(each.missing) for each in estimates) else {}
    ended = {"state": state, "plays": counts, "ungraded": results.ledger.causes, FILES: files, **failed}
    write_manifest(evaluation.folder, {**manifest, **ended})
    choices = {option.name for option in evaluation.benchmark.card.options if option.choices}
    settings = evaluation.setting.protocol.settings
    files_named = any(value for name, value in settings.items() if name not in choices)
    extra_data = evaluation.setting.data is not None and files_named
    return ScoredEvaluation(estimates, results.ledger, None if extra_data else scores)


class _Figures(NamedTuple):
    scores: Scores
    estimates: tuple[Estimate, ...]


def _figures(evaluation: Evaluation, results: ResultWriter) -> _Figures:
    scoring = evaluation.benchmark.scoring(evaluation.setting)
    scores = scoring.score(results.ledger)
    return _Figures(scores, scoring.estimates(scores, evaluation.setting.seed))


def _no_figures(evaluation: Evaluation, sentence: str) -> _Figures:
    """Each metric of the card without a value, and why."""
    why, names = failed_in_code(sentence), [metric.name for metric in evaluation.benchmark.card.metrics]
    none = (Estimate(metric=name, value=None, asked=0, graded=0, missing=why) for name in names)
    return _Figures(Scores(rows={}, missing=dict.fromkeys(names, why)), tuple(none))


def _laid_out(card: Card, model: str, estimates: Sequence[Estimate], *, simulated: bool) -> bytes:
    """Estimates as JSON, one a line, so that a change of a figure shows as a changed line."""
    head = {"benchmark": card.name, "version": card.version, "headline": card.headline, "model": model,
            "simulated": simulated}  # fmt: skip
    lines = b",\n".join(encode(estimate) for estimate in estimates)
    return canonical(head)[:-1] + b',"estimates":[\n' + lines + b"\n]}\n"


def unfinished(
    evaluation: Evaluation, results: ResultWriter, manifest: dict[str, Any], *, done: int, waiting: bool = False
) -> None:
    """Leave the journal and a manifest that says how far it came; an earlier finished state stays as it was."""
    counts = {"asked": evaluation.plays, "done": done}
    results.drop()
    if not (evaluation.folder / ESTIMATES).is_file():
        state = WAITING if waiting else "unfinished"
        write_manifest(evaluation.folder, {**manifest, "state": state, "plays": counts})


def rebuilt_estimates(manifest: dict[str, Any], benchmark: Benchmark, table: VerdictTable) -> bytes | None:
    """Bytes of a damaged `estimates.json`, made anew from the verdicts; None where they are not the same.

    The manifest has the hash of the file as the run wrote it, which tells.
    """
    protocol = build(Protocol, manifest["protocol"], where=MANIFEST)
    seed = Seed(f"mores-{manifest['spec'].get('seed', 0)}")
    estimates = summarise(benchmark, table, Setting(data=None, protocol=protocol, seed=seed))
    laid_out = _laid_out(benchmark.card, manifest["model"], estimates, simulated=manifest["simulated"])
    if hashlib.sha256(laid_out).hexdigest() != manifest.get(FILES, {}).get(ESTIMATES):
        return None
    return laid_out


def read_estimates(folder: Path) -> dict[str, Any]:
    """Benchmark, model and estimates of a finished evaluation, as plain values."""
    path = folder / ESTIMATES
    found: dict[str, Any] = parse_json(read_text(path), where=str(path))
    return found
