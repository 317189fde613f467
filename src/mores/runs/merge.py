"""Parts of a run put together: the lines of their files in the order of the plan, and the figures of the whole.

parts (mores run --shard I/N) ─▶ one journal, transcripts, verdicts and votes as one run would have left them ─▶ figures

Nothing is asked. Where a part is missing or not finished, the whole is an unfinished run that has the replies so far.
Parts may be asked at addresses of their own, as where each task of a cluster serves its model itself.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
from msgspec.structs import fields, replace

from mores.core.codec import build, canonical, decode_lines, reading
from mores.core.errors import InputError, RunError
from mores.core.files import own_folder
from mores.core.verdict import decode_verdicts
from mores.models.journal import Journal
from mores.models.journal_reader import count_replies, read_rows
from mores.runs.evaluation import (
    FINISHED,
    TRANSCRIPTS,
    VERDICTS,
    VOTES,
    Evaluation,
    ResultWriter,
    evaluation_is_done,
    finish_evaluation,
    plays_of_done,
    unfinished,
)
from mores.runs.folder import FILES, JOURNAL, MANIFEST, RUNS, choose_folder, locked, read_manifest, read_run, reopen
from mores.runs.launchers import parts_in
from mores.runs.manifest import evaluation_manifest, study_manifest
from mores.runs.options import MergeOptions
from mores.runs.selection import Shard, numbers_of
from mores.runs.spec import Spec, spec_in
from mores.runs.stored_plays import EvaluationKey, stored_cells
from mores.runs.study import Study

TOGETHER = 1_000
"""Rows of a journal that are committed together."""
SAME = ("mores", "card", "protocol", "prompts", "roles", "data")
"""What the parts of an evaluation were made with, and must have in common."""
SHORT = 120
"""Signs of two values that a refusal has room for."""
_PlayKey = tuple[str, int]


class _Named(msgspec.Struct):
    item: str


class _Of(msgspec.Struct):
    """Of which play a line is: one of verdicts says it of what it is `about`."""

    sample: int
    item: str = ""
    about: _Named | None = None

    @property
    def play(self) -> _PlayKey:
        return self.about.item if self.about else self.item, self.sample


_heads = msgspec.json.Decoder(_Of)


class _Price(msgspec.Struct):
    spent_so_far: float


class _Model(msgspec.Struct):
    session: dict[str, float] = msgspec.field(name="sitting")
    price: _Price | None = None
    usage_estimated_calls: float | None = None


class _Plays(msgspec.Struct):
    done: int


class _Manifest(msgspec.Struct):
    """Part of a shard's manifest that is counted."""

    facts: dict[str, Any]
    failed_attempts: dict[str, int]
    models: dict[str, _Model]
    took: dict[str, float]
    plays: _Plays

    @property
    def counted(self) -> set[tuple[str, ...]]:
        """The names of all figures that parts are summed by."""
        used = {(name, figure) for name, model in self.models.items() for figure in model.session}
        priced = {(name, "price", "spent") for name, model in self.models.items() if model.price is not None}
        return {*used, *priced, *((name,) for name in self.took)}


def merged_study(options: MergeOptions) -> Study:
    """The study whose parts were asked apart, put together in one folder.

    Raises:
        InputError: a folder is no part of a run, or of another one, or changed after it was written.
        RunError: a part is missing or not finished; the folder has the replies so far, and the line says how to go on.
        StorageError: the disk is full.
    """
    runs = parts_in([Path(run) for run in options.runs or ()])
    spec = whole_spec(runs)
    if options.out and (Path(options.out) / MANIFEST).is_file():
        # An earlier merge, perhaps of other parts, at the address of another first one.
        earlier = spec_in(Path(options.out))
        spec = earlier if _without_addresses(earlier).hash == _without_addresses(spec).hash else spec
    folder = choose_folder(options.out or None, spec.hash, RUNS)
    study = Study(spec=spec, folder=folder)
    left = _merge(study, runs)
    if left:
        raise RunError(_describe_unfinished(study, runs, left))
    return study


def _describe_unfinished(study: Study, runs: Sequence[Path], left: Sequence[str]) -> str:
    """Line for people on a whole that has not all its parts, and how to go on."""
    replies = sum(count_replies(each.folder / JOURNAL) for each in study.evaluations())
    again = f"Merge again with --out {study.folder} once all parts are there"
    # A journal knows replies by the host that gave them: here, those of other hosts would be asked for once more.
    elsewhere = len({replace(spec_in(run), shard=None).hash for run in runs}) > 1
    return (
        f"Unfinished, {study.before:,} of {study.before + study.waiting:,} done, with {replies:,} replies: "
        f"{'; '.join(left)}. {again}{'.' if elsewhere else f', or ask the rest here: mores resume {study.folder}'}"
    )


def whole_spec(runs: Sequence[Path]) -> Spec:
    """The spec of the run that some folders hold parts of.

    Raises:
        InputError: one is no part of a run, or not of the same one as the others, or there twice.
    """
    if not runs:
        raise InputError("mores merge: no parts; expected folders of runs begun with --shard I/N.")
    found: dict[Shard, Path] = {}
    specs: dict[Shard, Spec] = {}
    for run in runs:
        spec = build(Spec, read_run(run).get("spec"), where=f"{run}/{MANIFEST}")
        shard = Shard.read(spec.shard)
        if spec.shard is None:
            raise InputError(f"{run}: a whole run; expected a part of one, begun with --shard I/N.")
        other = _differences(spec, next(iter(specs.values()), spec))
        if other:
            raise InputError(
                f"{run}: part {shard} of another run than {runs[0]}, with other {', '.join(other)}; expected parts of "
                "one spec."
            )
        if shard in found:
            raise InputError(f"{run}: part {shard}, as {found[shard]} is; expected each part once.")
        found[shard], specs[shard] = run, spec
    return replace(specs[min(specs)], shard=None)


def _without_addresses(spec: Spec) -> Spec:
    """The spec as it says what is asked, wherever models are reached."""
    return replace(spec, shard=None, base_url=None, role_urls={})


def _differences(spec: Spec, first: Spec) -> list[str]:
    """Fields in which a part is of another run than the first, with both values where they are short."""
    now, before = _without_addresses(spec), _without_addresses(first)
    shards = Shard.read(spec.shard).of, Shard.read(first.shard).of
    found = [] if shards[0] == shards[1] else [f"number of parts ({shards[0]}, not {shards[1]})"]
    if now.hash == before.hash:
        return found
    for name in (each.name for each in fields(Spec) if each.name not in {"data", "facts"}):
        one, other = (canonical(getattr(each, name)).decode() for each in (now, before))
        if one != other:
            found.append(f"{name} ({one}, not {other})" if len(one + other) < SHORT else name)
    return found


def _merge(study: Study, runs: Sequence[Path]) -> tuple[str, ...]:
    """Put the parts of a study together in its folder; what is still to come, in words, nothing where all is there."""
    shards = {Shard.read(read_manifest(run)["spec"]["shard"]): run for run in runs}  # read before: `whole_spec`
    of = next(iter(shards)).of
    left = [f"part {number}/{of} is missing" for number in range(1, of + 1) if (number, of) not in shards]
    evaluations = study.evaluations()
    parts = {each.folder: _parts(each, shards) for each in evaluations}
    with locked(study.folder):
        study_manifest(study.folder, study.spec, study.conditions, evaluations)
        for evaluation in evaluations:
            if evaluation_is_done(evaluation):
                study.before += plays_of_done(evaluation)
                continue
            cells, ended = parts[evaluation.folder]
            left += [f"part {shard} is not finished" for shard in cells if shard not in ended]
            _merge_one(study, evaluation, cells, ended, whole=len(ended) == of)
    return tuple(dict.fromkeys(left))


def _parts(evaluation: Evaluation, shards: Mapping[Shard, Path]) -> tuple[dict[Shard, Path], dict[Shard, Path]]:
    """Folders of the parts of an evaluation, and those of them that are finished.

    A part that was killed in its first session has not said yet what it is.
    """
    named = EvaluationKey(evaluation.model, evaluation.name, evaluation.variant)
    cells = {shard: stored_cells(run).get(named, run) for shard, run in sorted(shards.items())}
    ended = {
        shard: cell
        for shard, cell in cells.items()
        if (cell / MANIFEST).is_file() and read_manifest(cell).get("state") == FINISHED
    }
    _refuse_others(list(ended.values()))
    return cells, ended


def _refuse_others(cells: Sequence[Path]) -> None:
    """Refuse parts that were not made alike."""
    for folder in cells[1:]:
        before, now = read_run(cells[0]), read_run(folder)
        other = [what for what in SAME if canonical(before.get(what)) != canonical(now.get(what))]
        if other:
            raise InputError(
                f"{folder}: made with another {', '.join(other)} than {cells[0]}; expected parts of one run."
            )


def _merge_one(
    study: Study, evaluation: Evaluation, cells: Mapping[Shard, Path], ended: Mapping[Shard, Path], *, whole: bool
) -> None:
    """One evaluation: the replies of all its parts, and where all have ended, what they left."""
    own_folder(evaluation.folder)
    reopen(evaluation.folder)
    facts = _facts(study, evaluation, ended)
    with closing(Journal(evaluation.folder / JOURNAL, full=study.conditions.full_sync)) as journal:
        for path in (cell / JOURNAL for cell in cells.values()):
            if path.is_file():
                _absorb(journal, path)
        results = ResultWriter(evaluation.folder, judged=evaluation.judged)
        if not whole:
            done = _done(cells)
            study.before, study.waiting = study.before + done, study.waiting + evaluation.plays - done
            unfinished(evaluation, results, facts, done=done)
            return
        try:
            _put(evaluation, ended, results)
        except BaseException:
            # Half a file is of no use, and the parts are there to be merged again.
            results.drop()
            raise
        study.before += evaluation.plays
        finish_evaluation(evaluation, results, {**facts, FILES: journal.hashes()})


def _done(cells: Mapping[Shard, Path]) -> int:
    """Number of plays of some parts that are done, as far as these have said it: one that was killed has not."""
    manifests = (read_manifest(cell) for cell in cells.values() if (cell / MANIFEST).is_file())
    return sum(manifest.get("plays", {}).get("done", 0) for manifest in manifests)


def _manifests(cells: Mapping[Shard, Path]) -> list[dict[str, Any]]:
    """The manifests of some parts.

    Raises:
        InputError: one does not say what is counted here, or not of the same models and figures as the first.
    """
    manifests: list[dict[str, Any]] = []
    parts: list[_Manifest] = []
    for cell in cells.values():
        manifest, where = read_manifest(cell), f"{cell}/{MANIFEST}"
        with reading(where, "the manifest of a part"):
            parts.append(msgspec.convert(manifest, _Manifest))
        if not parts[0].counted <= parts[-1].counted:
            raise InputError(f"{where}: it lacks figures that the first part has; expected parts of one run.")
        manifests.append(manifest)
    return manifests


def _absorb(journal: Journal, path: Path) -> None:
    """Take up the replies of another journal in their order; of equal requests the reply that is there stays."""
    with read_rows(path, "ORDER BY rowid") as (other, rows):
        # Words before the rows that name them, as each lot is committed by itself.
        parts = other.execute("SELECT hash, text FROM parts")
        while some := parts.fetchmany(TOGETHER):
            journal.store(dict(some), {})
        while found := list(islice(rows, TOGETHER)):
            journal.store({}, {row.key: row for row in found})


def _put(evaluation: Evaluation, cells: Mapping[Shard, Path], results: ResultWriter) -> None:
    """The lines of all parts in the order of the plan."""
    names = (TRANSCRIPTS, VERDICTS, VOTES)[: 3 if evaluation.judged else 2]
    with ExitStack() as held:
        files = {
            shard.number: [_Lines(held.enter_context(_opened(cell / name)), cell / name) for name in names]
            for shard, cell in cells.items()
        }
        for item, number in zip(evaluation.items, numbers_of(evaluation.items, len(cells)), strict=True):
            for sample in range(evaluation.setting.protocol.samples):
                play = item.about.item, sample
                transcript, verdicts, *votes = (lines.of(play) for lines in files[number])
                if not transcript or not verdicts:
                    raise InputError(f"{files[number][0].path}: no play of {play[0]}, sample {sample}; expected one.")
                graded = decode_verdicts(verdicts, where=str(files[number][1].path))
                results.add((b"".join(transcript), b"".join(verdicts), b"".join(votes[0] if votes else [])), graded)


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); expected all that the part left.") from error


class _Lines:
    """A file whose lines of one play stand together."""

    def __init__(self, file: BinaryIO, path: Path) -> None:
        self.path = path
        self._pairs = self._read(file)
        self._next = next(self._pairs, None)

    def _read(self, file: BinaryIO) -> Iterator[tuple[_PlayKey, bytes]]:
        for line in file:
            (head,) = decode_lines(_heads, (line,), where=str(self.path), what="line of a play")
            yield head.play, line

    def of(self, play: _PlayKey) -> list[bytes]:
        """The lines of a play, if it comes next."""
        found: list[bytes] = []
        while self._next is not None and self._next[0] == play:
            found.append(self._next[1])
            self._next = next(self._pairs, None)
        return found


def _facts(study: Study, evaluation: Evaluation, cells: Mapping[Shard, Path]) -> dict[str, Any]:
    """Manifest of the whole: what its parts took together, and which these were."""
    manifests, failed = _manifests(cells), Counter[str]()
    for manifest in manifests:
        failed.update(manifest["failed_attempts"])
    facts = evaluation_manifest(evaluation, study.spec, study.conditions, {}, dict(sorted(failed.items())))
    if not manifests:
        return facts
    return {
        **facts,
        "facts": manifests[0]["facts"],
        "models": {name: _models([m["models"][name] for m in manifests]) for name in manifests[0]["models"]},
        "took": _sum([manifest["took"] for manifest in manifests]),
        "parts": [_described(shard, cell) for shard, cell in cells.items()],
    }


def _described(shard: Shard, cell: Path) -> dict[str, object]:
    """Manifest of one part within the whole: which it was, and where its models were reached."""
    spec = spec_in(cell)
    addresses = {"base_url": spec.base_url, **spec.role_urls}
    return {"shard": str(shard), "run": str(cell), **{name: url for name, url in addresses.items() if url is not None}}


def _models(manifests: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Manifest of one model over all parts: the first one's words, with the calls and the money of all."""
    found = {**manifests[0], "sitting": _sum([each["sitting"] for each in manifests])}
    if "price" in found:
        found["price"] = {**found["price"], "spent_so_far": sum(each["price"]["spent_so_far"] for each in manifests)}
        found["usage_estimated_calls"] = sum(each["usage_estimated_calls"] for each in manifests)
    return found


def _sum(tallies: Sequence[Mapping[str, float]]) -> dict[str, float]:
    return {name: sum(each.get(name, 0) for each in tallies) for name in tallies[0]}
