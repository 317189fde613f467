"""The papers' baselines, answered from the sealed key's list of outcomes and never from its truth."""

from mores.core.errors import InputError, UnknownName
from mores.core.seeds import Seed
from mores.models.label_logprobs import NO_LOGPROBS
from mores.models.model import OutcomeRespondent
from mores.models.request import AnswerKey, CallFailed, Reply, Request

BASELINES = ("always-true", "first", "random")


class Baseline(OutcomeRespondent):
    """A respondent that looks at nothing: `random`, `always-true` or `first`."""

    sealed = True
    by_item = True

    def __init__(self, spec: str, seed: Seed) -> None:
        super().__init__(spec)
        self.rule = spec.removeprefix("baseline/")
        if self.rule not in BASELINES:
            raise UnknownName("baseline", self.rule, BASELINES, todo="List them: mores list models.")
        self._rng_seed = seed.child("baseline", self.rule)
        self.identity = f"baseline.v1 {seed.path}"

    async def reply(self, request: Request) -> Reply:
        """Words of the outcome that the rule picks, of each part of an answer that has several.

        Raises:
            CallFailed: the request has no list of outcomes.
            InputError: `always-true` is put to questions without a yes.
        """
        key = request.key
        if key is None:
            raise CallFailed("no sealed key", "a baseline answers only closed questions")
        if request.labels:
            raise CallFailed(NO_LOGPROBS, "a baseline says words, and has no probabilities of labels")
        tag = request.tag
        words, outcome = self.answer(key, self._rng_seed.child(tag.role, tag.item, tag.step, tag.sample))
        return Reply(text=words, model=self.spec, planted=outcome)

    def pick(self, key: AnswerKey, rng_seed: Seed) -> str:
        """The outcome that the rule picks."""
        outcomes = list(key.ways)
        if self.rule == "first":
            return outcomes[0]
        if self.rule == "random":
            return outcomes[rng_seed.below(len(outcomes))]
        if key.affirmative is None:
            raise InputError("baseline/always-true: these questions have no true or yes; use baseline/first.")
        return key.affirmative
