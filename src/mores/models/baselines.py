"""The papers' baselines, answered from the sealed key's list of outcomes and never from its truth."""

from mores.core.errors import InputError, UnknownName
from mores.core.seeds import Seed
from mores.models.local import Local
from mores.models.request import CallFailed, Reply, Request, SealedKey

BASELINES = ("always-true", "first", "random")


class Baseline(Local):
    """A respondent that looks at nothing: `random`, `always-true` or `first`."""

    sealed = True
    by_item = True
    simulated = False

    def __init__(self, spec: str, seed: Seed) -> None:
        super().__init__(spec)
        self.rule = spec.removeprefix("baseline/")
        if self.rule not in BASELINES:
            raise UnknownName("baseline", self.rule, BASELINES, todo="List them: mores list models.")
        self._dice = seed.child("baseline", self.rule)
        self.identity = f"baseline.v1 {seed.path}"

    async def reply(self, request: Request) -> Reply:
        """Words of the outcome that the rule picks.

        Raises:
            CallFailed: the request has no list of outcomes.
            InputError: `always-true` is put to questions without a yes.
        """
        key = request.key
        if key is None:
            raise CallFailed("no sealed key", "a baseline answers only closed questions")
        outcome = self._pick(key, request)
        return Reply(text=key.ways[outcome], model=self.spec, planted=outcome)

    def _pick(self, key: SealedKey, request: Request) -> str:
        outcomes = list(key.ways)
        if self.rule == "first":
            return outcomes[0]
        if self.rule == "random":
            tag = request.tag
            return outcomes[self._dice.child(tag.role, tag.item, tag.step, tag.sample).below(len(outcomes))]
        if key.affirmative is None:
            raise InputError("baseline/always-true: these questions have no true or yes; use baseline/first.")
        return key.affirmative
