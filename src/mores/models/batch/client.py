"""The door to a model whose calls are parked: journal and price as at any other, and nothing in flight to hold back."""

from dataclasses import dataclass

from msgspec.structs import replace

from mores.core.errors import BudgetReached
from mores.models.batch.queue import BatchQueue
from mores.models.budget import estimate_tokens
from mores.models.client import ModelClient, with_usage
from mores.models.request import Reply, ReplyPending, Request, Usage


@dataclass(slots=True, kw_only=True)
class BatchClient(ModelClient):
    """One model, asked through a journal and a tray.

    Its budget is that of the whole run, as each wave is a sitting of its own; what does not fit is left out of a wave.
    """

    tray: BatchQueue

    def count(self, used: Usage) -> None:
        """Count what a call took that a batch brought, in this sitting or an earlier one."""
        self.budget.charge(used, self.rate)
        self.tally.count(used)

    async def _attempt(self, request: Request) -> Reply:
        """The reply that a batch brought.

        Raises:
            CallFailed: it brought a refusal of the request.
            NotYet: it brought none so far.
        """
        self._go_on()
        guess = replace(await self._prepared(request, estimate_tokens(request)), batch=True)
        try:
            reply = with_usage(await self.model.reply(request), guess)
        except ReplyPending as later:
            for failure in later.failures:
                self.tally.failed_attempts += 1
                self.journal.log_failure(request.tag, 0, failure.cause, failure.detail, passing=True)
            try:
                self.budget.reserve(guess, self.rate, self.model.spec)
            except BudgetReached:
                self.tray.left_out += bool(later.calls)
            else:
                self.tray.park(self.model.spec, later.calls)
            raise
        reply = replace(reply, usage=replace(reply.usage, batch=True))
        self.tally.asked += 1
        self.count(reply.usage)
        return reply
