"""The steps of a training: batches in an order that a seed decides, with a state on disk from which it goes on.

What a step draws rests on the seed and its number alone, so that a training that was killed and goes on from its last
state leaves the weights that it would have left, on a CPU to the last bit.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.models.checkpoint import first_line, library
from mores.pipelines.roles import check_counts
from mores.pipelines.verifier.classifier import EncodedPair, NormClassifier
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """How long and how fast: a `rate` of None stands for the usual one of a kind, with adapters or without."""

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
    """Who looks on: how far a training is, and what stops it."""

    progress: RunProgress
    brake: StopSignal


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
        if watch.brake.pulled:
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
                    optimizer.state[each] = {"step": torch.tensor(float(done)), **moments}
    except Exception as error:  # whatever a damaged file makes the library raise
        raise InputError(f"{path}: cannot be read ({first_line(error)}); take it away to begin anew.") from error
    return done
