"""One model on one benchmark: its folder, and what it leaves when it is done or cut short."""

import hashlib
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import Struct

from mores.benchmarks.benchmark import Benchmark, Setting, summarise
from mores.core.card import Card, Protocol, Variant
from mores.core.code_errors import attempt
from mores.core.codec import build, canonical, encode, parse_json, read_text
from mores.core.estimate import Estimate, Scores, failed_in_code, has_failed
from mores.core.files import write_own
from mores.core.seeds import Seed
from mores.core.transcript import Item
from mores.core.verdict_table import VerdictTable
from mores.models.registry import is_simulated
from mores.runs.folder import MANIFEST, read_manifest, write_manifest
from mores.runs.manifest_hashes import FILES
from mores.runs.results import TRANSCRIPTS, VERDICTS, VOTES, ResultWriter

ESTIMATES = "estimates.json"


class ScoredEvaluation(NamedTuple):
    """What was found, for a page that is made at once; no scores where they rest on data beside the verdicts."""

    estimates: tuple[Estimate, ...]
    table: VerdictTable
    scores: Scores | None


FINAL = frozenset(
    {"no recorded reply", "simulated failure", "no sealed key", "recorded error"}
    | {f"http {status}" for status in (400, 404, 405, 413, 422)}
)
"""Causes of an ungraded item that asking again would not mend."""


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
        """Who is asked anything, by role: stored plays leave something to judges only."""
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
    manifest = read_manifest(evaluation.folder)
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
"""The state of one whose calls are parked."""


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
    files = results.finish()
    counts = {"asked": evaluation.plays, "done": results.written}
    laid_out = _laid_out(evaluation.benchmark.card, evaluation.model, estimates, simulated=evaluation.simulated)
    write_own(evaluation.folder / ESTIMATES, laid_out)
    files[ESTIMATES] = hashlib.sha256(laid_out).hexdigest()
    failed = {FAILED: True} if any(has_failed(each.missing) for each in estimates) else {}
    ended = {"state": state, "plays": counts, "ungraded": results.ledger.causes, FILES: files, **failed}
    write_manifest(evaluation.folder, {**manifest, **ended})
    files_named = any(evaluation.setting.protocol.settings.values())
    beside = evaluation.setting.data is not None and files_named
    return ScoredEvaluation(estimates, results.ledger, None if beside else scores)


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
    """What `estimates.json` held where it is damaged, made anew from the verdicts; None where that is not the same.

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
    """What a finished evaluation found: its benchmark, model and estimates, as plain values."""
    path = folder / ESTIMATES
    found: dict[str, Any] = parse_json(read_text(path), where=str(path))
    return found
