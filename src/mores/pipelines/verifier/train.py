"""A verifier from its pairs to a folder of weights, pairs and facts; and what is measured of one that is there.

sources ─▶ pairs ─▶ split ─▶ training ─▶ weights ─▶ figures on what was held out, and on each left-out model by a
verifier that learnt nothing from it
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

import msgspec

from mores import __version__
from mores.core.codec import decode_lines, digest, encode, encode_lines, parse_json
from mores.core.errors import InputError
from mores.core.files import own_folder, write_own
from mores.core.seeds import Seed
from mores.models.checkpoint import find_checkpoint, identity_of
from mores.models.similarity import Embedder
from mores.models.verifier_facts import TRAINED, VerifierFacts, read_trained, write_trained
from mores.pipelines.pipeline import BuildProgress
from mores.pipelines.verifier.classifier import NormClassifier, Start
from mores.pipelines.verifier.pairs import ResponseNormPair
from mores.pipelines.verifier.sources import LabelledPairs, pairs_given
from mores.pipelines.verifier.split import models_of, split_pairs
from mores.pipelines.verifier.training_loop import Schedule, TrainingMonitor, end, teach
from mores.runs.folder import MANIFEST, locked, plain_names, read_manifest, write_manifest
from mores.runs.progress import RunProgress

KIND, PAIRS, FOLDS = "verifier", "pairs.jsonl", "folds"
SplitPart = Literal["train", "held out", "left out"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingOptions:
    """What is trained on what: see `pairs_given`, `Start`, `Schedule` and `split_pairs`.

    With `folds` a verifier is trained besides for each model that responded, on all but its responses.
    """

    sources: tuple[Path, ...]
    labels: tuple[Path, ...] = ()
    sample: Path | None = None
    start: Start
    schedule: Schedule = field(default_factory=Schedule)
    held_out: float = 0.1
    folds: bool = False
    embedder: Embedder | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PairRow:
    """A pair and the part that it is in."""

    part: SplitPart
    pair: ResponseNormPair


def train(options: TrainingOptions, folder: Path, course: BuildProgress) -> bool:
    """Train a verifier in a folder, or go on with it; false where it was asked to stop before the end.

    Raises:
        InputError: something cannot be used, or another training is in the folder.
        StorageError: the disk is full, read-only or gone.
    """
    options.schedule.check()
    given = pairs_given(options.sources, options.labels, options.sample)
    models = models_of(given.pairs) if options.folds else ()
    if options.folds and len(models) < 2:
        raise InputError(f"--folds: {len(models)} models responded; expected two at least.")
    places = {folder: ""} | {
        folder / FOLDS / name: model for name, model in zip(plain_names(models), models, strict=True)
    }
    return all(_one(options, given, place, leave_out, course) for place, leave_out in places.items())


def _one(options: TrainingOptions, given: LabelledPairs, folder: Path, leave_out: str, course: BuildProgress) -> bool:
    """One verifier; one that is there already is done."""
    seed = Seed(f"mores-{options.start.seed}")
    split = split_pairs(given.pairs, options.held_out, seed=seed, leave_out=leave_out, embedder=options.embedder)
    if len({pair.label for pair in split.train}) < 2:
        raise InputError(f"{len(split.train)} pairs to learn from are all {split.train[0].label}; expected two labels.")
    head: dict[str, object] = {
        "kind": KIND,
        "spec": _spec(options, given, leave_out),
        "licences": given.licences,
        "mores": __version__,
    }
    if _finished(folder, head):
        return True
    own_folder(folder)
    with locked(folder):
        write_manifest(folder, {**head, "state": "unfinished"})
        learner = NormClassifier(options.start)
        rows, too_long = learner.rows(split.train)
        if not rows:
            raise InputError(f"--max-length {learner.max_tokens}: all {too_long} pairs to learn from are longer.")
        watch = TrainingMonitor(RunProgress(f"without {leave_out}" if leave_out else folder.name, 0), course.brake)
        course.progress.append(watch.progress)
        if not teach(learner, rows, options.schedule, folder, seed=seed, watch=watch):
            return False
        learner.save(folder)
        parts: dict[SplitPart, Sequence[ResponseNormPair]] = {
            "train": split.train,
            "held out": split.held_out,
            "left out": split.left_out,
        }
        write_own(
            folder / PAIRS,
            encode_lines(PairRow(part=part, pair=pair) for part, pairs in parts.items() for pair in pairs),
        )
        write_trained(folder, _facts(options, given, learner))
        counts = {part: len(pairs) for part, pairs in parts.items()} | {
            "too long to learn from": too_long, "not labelled": given.unlabelled,
        }  # fmt: skip
        labels = Counter(f"{pair.label} ({pair.origin})" for pair in given.pairs)
        write_manifest(folder, {**head, "state": "finished", "pairs": counts, "labels": dict(sorted(labels.items()))})
        end(folder)
    return True


def _facts(options: TrainingOptions, given: LabelledPairs, learner: NormClassifier) -> VerifierFacts:
    return VerifierFacts(
        kind=learner.kind,
        max_tokens=learner.max_tokens,
        prompt_sha=None if learner.prompt is None else learner.prompt.sha,
        base=options.start.base,
        trained_on=given.made_from,
        seed=options.start.seed,
    )


def _spec(options: TrainingOptions, given: LabelledPairs, leave_out: str) -> dict[str, object]:
    """All that decides what comes out."""
    base = find_checkpoint(options.start.base, f"--base {options.start.base}")
    schedule = {name: value for name, value in asdict(options.schedule).items() if name != "save_every"}
    return {
        "made_from": given.made_from,
        "start": asdict(options.start) | {"base": identity_of((base,))},
        "schedule": schedule,
        "held_out": options.held_out,
        "leave_out": leave_out,
        "embedder": None if options.embedder is None else options.embedder.identity,
    }


def _finished(folder: Path, head: dict[str, object]) -> bool:
    """Whether an equal training has ended in a folder; false for a new folder, and for one to go on with.

    Raises:
        InputError: the folder holds something else.
    """
    if not folder.exists() or not any(folder.iterdir()):
        return False
    if not (folder / MANIFEST).is_file():
        raise InputError(
            f"--out {folder}: it holds something else; expected a new folder, or that of an equal training."
        )
    before = read_manifest(folder)
    mine = parse_json(encode(head["spec"]), where="spec")
    if before.get("kind") != KIND or digest(before.get("spec")) != digest(mine):
        theirs = before.get("spec", {})
        names = ", ".join(name for name in mine if theirs.get(name) != mine[name])
        raise InputError(f"--out {folder}: another training is there (other {names}); choose another folder.")
    return bool(before.get("state") == "finished")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredVerifier:
    """A verifier as training left it: its folder, its facts, its manifest, its pairs by their part, and its folds."""

    folder: Path
    trained: VerifierFacts
    manifest: dict[str, Any]
    pairs: dict[SplitPart, tuple[ResponseNormPair, ...]]
    folds: tuple["StoredVerifier", ...] = ()

    @property
    def leave_out(self) -> str:
        """The model from whose responses nothing was learnt, "" for none."""
        return str(self.manifest["spec"]["leave_out"])

    @property
    def start(self) -> Start:
        """What its training started from."""
        return Start(**{**self.manifest["spec"]["start"], "base": self.trained.base})


def read_stored(folder: Path) -> StoredVerifier:
    """The verifier in a folder.

    Raises:
        InputError: training left none there.
    """
    trained = read_trained(folder)
    if trained is None or not (folder / PAIRS).is_file():
        raise InputError(
            f"{folder}: no {TRAINED} with {PAIRS}; expected a folder that mores judge verifier train has finished."
        )
    with (folder / PAIRS).open("rb") as lines:
        found = list(decode_lines(msgspec.json.Decoder(PairRow), lines, where=str(folder / PAIRS), what="pair"))
    parts: dict[SplitPart, tuple[ResponseNormPair, ...]] = {
        part: tuple(line.pair for line in found if line.part == part) for part in ("train", "held out", "left out")
    }
    return StoredVerifier(
        folder=folder, trained=trained, manifest=read_manifest(folder), pairs=parts, folds=tuple(_folds(folder))
    )


def _folds(folder: Path) -> Iterator[StoredVerifier]:
    for path in sorted((folder / FOLDS).glob(f"*/{TRAINED}")):
        yield read_stored(path.parent)
