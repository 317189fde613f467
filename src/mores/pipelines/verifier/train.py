"""A verifier from its pairs to a folder of weights, pairs and facts; and what is measured of one that is there.

sources ─▶ pairs ─▶ split ─▶ training ─▶ weights ─▶ figures on what was held out, and on each left-out model by a
verifier that learnt nothing from it

What a step draws rests on the seed and its number alone, so that a training that was killed and goes on from its last
state leaves the weights that it would have left, on a CPU to the last bit.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec
from msgspec.structs import asdict

from mores import __version__
from mores.core.codec import decode_lines, encode_lines
from mores.core.errors import InputError
from mores.core.files import own_folder, write_own
from mores.core.seeds import Seed
from mores.models.checkpoint import find_checkpoint, first_line, identity_of, library
from mores.models.similarity import Embedder
from mores.models.verifier_facts import TRAINED, VerifierFacts, read_trained, write_trained
from mores.pipelines.pipeline import BuildProgress, read_equal
from mores.pipelines.unit_context import check_counts
from mores.pipelines.verifier.classifier import EncodedPair, NormClassifier, Start, need_libraries
from mores.pipelines.verifier.pairs import LabelledPairs, ResponseNormPair, models_of, pairs_given, split_pairs
from mores.runs.folder import locked, plain_names, read_manifest, write_manifest
from mores.runs.progress import RunProgress, StopSignal
from mores.stats.rng import generator

STATE = "training.safetensors"
_POOL = 16
"""Batches whose rows are sorted by length together, so that little is padded and an epoch is still well shuffled."""
_WARM = 0.06
_DECAY = 0.01
_LONGEST_STEP = 1.0
"""Length to which the gradient of a step is cut."""
_RATES = {("encoder", False): 5e-5, ("encoder", True): 5e-4, ("causal", False): 1e-5, ("causal", True): 2e-4}


class Schedule(msgspec.Struct, frozen=True, kw_only=True):
    """Length and rate of a training: a `rate` of None stands for the usual one of a kind, with adapters or without."""

    epochs: int = 3
    batch: int = 32
    rate: float | None = None
    save_every: int = 200

    def check(self) -> None:
        """Return where all numbers can be used.

        Raises:
            InputError: one of them cannot.
        """
        check_counts(epochs=self.epochs, batch=self.batch, save_every=self.save_every)
        if self.rate is not None and not 0 < self.rate < 1:
            raise InputError(f"--learning-rate {self.rate}: expected a number between 0 and 1, such as 5e-5.")


class TrainingMonitor(NamedTuple):
    """Monitor of a training: its progress, and the signal that stops it."""

    progress: RunProgress
    stop_signal: StopSignal


def teach(
    learner: NormClassifier,
    rows: Sequence[EncodedPair],
    schedule: Schedule,
    folder: Path,
    *,
    seed: Seed,
    watch: TrainingMonitor,
) -> bool:
    """Have a model learn from rows, or go on with it; false where it was asked to stop before the end.

    Args:
        learner: The model.
        rows: What it learns from.
        schedule: How long and how fast.
        folder: Has the state from which it goes on.
        seed: The root of the order of rows and of what a step drops out.
        watch: Is told how far it is, and asks it to stop.

    Raises:
        InputError: the state in the folder cannot be used.
    """
    torch = learner.torch
    # Warnings alone: on an accelerator some operations have no deterministic form.
    torch.use_deterministic_algorithms(mode=True, warn_only=True)
    order = _order([len(row.ids) for row in rows], schedule, seed)
    parameters = {name: each for name, each in learner.model.named_parameters() if each.requires_grad}
    rate = schedule.rate or _RATES[learner.kind, learner.lora]
    optimizer = torch.optim.AdamW(parameters.values(), lr=rate, weight_decay=_DECAY)
    done = _restore(folder, parameters, optimizer, torch)
    if learner.device == "cuda":
        learner.pack(rows)
    learner.model.train()
    watch.progress.plays = len(order)
    for number in range(done, len(order)):
        watch.progress.done = number
        if watch.stop_signal.stopped:
            _keep(folder, parameters, optimizer, number)
            return False
        torch.manual_seed(seed.child("step", number).entropy() % 2**63)
        for group in optimizer.param_groups:
            group["lr"] = rate * _share(number, len(order))
        loss = learner.loss([rows[place] for place in order[number]])
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters.values(), _LONGEST_STEP)
        optimizer.step()
        if (number + 1) % schedule.save_every == 0:
            _keep(folder, parameters, optimizer, number + 1)
    watch.progress.done = len(order)
    return True


def end(folder: Path) -> None:
    """Take the state away, which nobody needs once the weights are in place."""
    (folder / STATE).unlink(missing_ok=True)


def _share(step: int, steps: int) -> float:
    """Part of the rate at a step: up to the whole over the first few, then down to nothing."""
    warm = max(1, round(_WARM * steps))
    return min((step + 1) / warm, (steps - step) / max(1, steps - warm))


def _order(lengths: Sequence[int], schedule: Schedule, seed: Seed) -> list[list[int]]:
    """The rows of each step over all epochs."""
    return [
        batch
        for epoch in range(schedule.epochs)
        for batch in _epoch(lengths, schedule.batch, seed.child("epoch", epoch))
    ]


def _epoch(lengths: Sequence[int], size: int, seed: Seed) -> Iterator[list[int]]:
    """All rows once: drawn into pools, sorted by length in each, cut into batches, and these in a drawn order."""
    rng = generator(seed)
    drawn = rng.permutation(len(lengths)).tolist()
    pools = [
        sorted(drawn[at : at + _POOL * size], key=lambda n: lengths[n]) for at in range(0, len(drawn), _POOL * size)
    ]
    batches = [pool[at : at + size] for pool in pools for at in range(0, len(pool), size)]
    return (batches[place] for place in rng.permutation(len(batches)).tolist())


_MOMENTS = ("exp_avg", "exp_avg_sq")


def _keep(folder: Path, parameters: dict[str, Any], optimizer: Any, done: int) -> None:
    """Put all that a training needs to go on into one file, in place of the last."""
    whole = {f"weight/{name}": each.detach() for name, each in parameters.items()}
    for name, each in parameters.items():
        whole |= {f"{moment}/{name}": optimizer.state[each][moment] for moment in _MOMENTS if each in optimizer.state}
    part = folder / f".{STATE}.part"
    library("safetensors.torch", STATE).save_file(whole, part, metadata={"done": str(done)})
    # In one step: a training that is killed here has the last state or this one.
    part.replace(folder / STATE)


def _restore(folder: Path, parameters: dict[str, Any], optimizer: Any, torch: Any) -> int:
    """The number of steps that were done; weights and moments are as they were after the last of them."""
    path = folder / STATE
    if not path.is_file():
        return 0
    try:
        with library("safetensors", STATE).safe_open(path, framework="pt") as file, torch.no_grad():
            done, known = int(file.metadata()["done"]), set(file.keys())
            for name, each in parameters.items():
                each.copy_(file.get_tensor(f"weight/{name}"))
                moments = {moment: file.get_tensor(f"{moment}/{name}").to(each.device) for moment in _MOMENTS
                           if f"{moment}/{name}" in known}  # fmt: skip
                if moments:
                    # AdamW corrects its moments by the number of steps, so that is restored with them.
                    optimizer.state[each] = {"step": torch.tensor(float(done)), **moments}
    except Exception as error:  # whatever a damaged file makes the library raise
        raise InputError(f"{path}: cannot be read ({first_line(error)}); take it away to begin anew.") from error
    return done


KIND, PAIRS, FOLDS = "verifier", "pairs.jsonl", "folds"
SplitPart = Literal["train", "held out", "left out"]


class TrainingOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Inputs of a training: see `pairs_given`, `Start`, `Schedule` and `split_pairs`.

    With `folds` a verifier is trained besides for each model that responded, on all but its responses.
    """

    sources: tuple[Path, ...]
    labels: tuple[Path, ...] = ()
    sample: Path | None = None
    start: Start
    schedule: Schedule = msgspec.field(default_factory=Schedule)
    held_out: float = 0.1
    folds: bool = False
    embedder: Embedder | None = None


class PairRow(msgspec.Struct, frozen=True, kw_only=True):
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
    # Before the sources are read and a folder is begun, which may take minutes.
    need_libraries(options.start)
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
    spec = _spec(options, given, leave_out)
    head = {"kind": KIND, "spec": spec, "licences": given.licences, "mores": __version__}
    before = read_equal(folder, KIND, spec)
    if before is not None and before.get("state") == "finished":
        return True
    own_folder(folder)
    with locked(folder):
        write_manifest(folder, {**head, "state": "unfinished"})
        learner = NormClassifier(options.start)
        rows, too_long = learner.rows(split.train)
        if not rows:
            raise InputError(f"--max-length {learner.max_tokens}: all {too_long} pairs to learn from are longer.")
        watch = TrainingMonitor(
            RunProgress(f"without {leave_out}" if leave_out else folder.name, 0), course.stop_signal
        )
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
        # The state goes last: until the manifest says finished, a training goes on from it.
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
    # How often the state is kept changes no weight.
    schedule = {name: value for name, value in asdict(options.schedule).items() if name != "save_every"}
    return {
        "made_from": given.made_from,
        "start": asdict(options.start) | {"base": identity_of((base,))},
        "schedule": schedule,
        "held_out": options.held_out,
        "leave_out": leave_out,
        "embedder": None if options.embedder is None else options.embedder.identity,
    }


class StoredVerifier(msgspec.Struct, frozen=True, kw_only=True):
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
        """Start of its training."""
        # The spec has a hash of the base; to load it, its name is needed.
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
