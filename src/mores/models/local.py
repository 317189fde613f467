"""What models on this machine have in common: nothing to prepare, nothing to pay, nothing to give back."""

from mores.core.card import Sampling
from mores.core.seeds import Seed
from mores.models.request import APART, BESIDES, AnswerKey, MisfitKey, Usage


class Local:
    """The part of a model that needs no endpoint."""

    def __init__(self, spec: str) -> None:
        self.spec = spec
        self.overhead: list[Usage] = []

    def most_output(self, limit: int, sampling: Sampling) -> int:  # noqa: ARG002 - nothing thinks here
        """No more than the limit."""
        return limit

    async def prepare(self, sampling: Sampling, *, schema: bool = False) -> None:
        """Nothing to prepare."""

    async def close(self) -> None:
        """Nothing to give back."""


class Respondent(Local):
    """A model that answers from the sealed key, whose outcomes it picks by a rule of its own."""

    def pick(self, key: AnswerKey, rng_seed: Seed) -> str:
        """The outcome of one question."""
        raise NotImplementedError

    def misfits(self, key: MisfitKey, rng_seed: Seed) -> tuple[str, ...]:  # noqa: ARG002 - nothing else goes wrong
        """What goes wrong besides."""
        return ()

    def answer(self, key: AnswerKey, rng_seed: Seed) -> tuple[str, str]:
        """Words and outcome of an answer, or of all its parts; a part has a seed of its own, by its number."""
        if not key.parts:
            outcome = self.pick(key, rng_seed)
            if not isinstance(key, MisfitKey):
                return key.ways[outcome], outcome
            wrong = self.misfits(key, rng_seed)
            words = key.ways[outcome].replace(BESIDES, "".join(key.misfits[name] for name in wrong))
            return words, APART.join((outcome, *wrong))
        said = [self.answer(part, rng_seed.child("part", number)) for number, part in enumerate(key.parts)]
        return " ".join(words for words, _ in said), APART.join(outcome for _, outcome in said)
