"""The one door: journal, budget, limits and retries around one model.

A request that is journalled is answered from the journal; equal requests under way are asked once; what can
pass is tried again with jittered back-off; a reply is committed before anyone builds on it, but for those of simulated
models, which would say the same again.
"""

import asyncio
from collections.abc import Callable
from functools import cached_property

from msgspec import Struct, field
from msgspec.structs import replace

from mores.core.card import Sampling
from mores.core.errors import NotServed, Stopped, Unreachable
from mores.core.seeds import Seed
from mores.models.budget import Budget, Price, estimate_tokens
from mores.models.call_claims import LOOK_EVERY, CallClaims
from mores.models.journal import Journal, request_key
from mores.models.marks import ThinkTags, spoken
from mores.models.model import Model
from mores.models.rate_limits import LONGEST_REST, AdaptiveLimit, FairSemaphore, RateLimiter
from mores.models.request import CallFailed, Reply, Request, Tag, Usage, first_question
from mores.models.retries import AWAY, LIMITED, LimitWatch, OutageDetector, RetryPolicy, RetryState

_NOT_BOUNDED = Usage()
"""Usage reserved for a call where nothing is bounded: nobody reads it then, and a guess takes 3 µs a call."""
PUSH_BACK = frozenset({"http 429", "http 503", "http 529", "time-out"})


class ClientUsage(Struct):
    """Calls and tokens of a client in this session."""

    asked: int = 0
    from_journal: int = 0
    reused: int = 0
    failed_attempts: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    batch_input_tokens: int = 0
    batch_output_tokens: int = 0
    cached_tokens: int = 0
    batch_cached_tokens: int = 0

    def count(self, used: Usage) -> None:
        """Count the tokens of one call; those of a batch are counted beside too."""
        self.input_tokens += used.input
        self.output_tokens += used.output
        cached = min(used.cached, used.input) if used.cached else 0
        self.cached_tokens += cached
        if used.batch:
            self.batch_input_tokens += used.input
            self.batch_output_tokens += used.output
            self.batch_cached_tokens += cached


class ModelClient(Struct, kw_only=True, eq=False, dict=True):
    """One model, asked through a journal; where several runners share it, each claims what it asks.

    `answered` counts the calls that the model answered in this session.
    """

    model: Model
    journal: Journal
    window: FairSemaphore
    limit: AdaptiveLimit
    budget: Budget
    seed: Seed
    rate: Price | None = None
    requests_pace: RateLimiter = field(default_factory=lambda: RateLimiter(None))
    tokens_pace: RateLimiter = field(default_factory=lambda: RateLimiter(None))
    retry_policy: RetryPolicy = field(default_factory=RetryPolicy)
    reuse: tuple[Callable[[bytes], Reply | None], ...] = ()
    claims: CallClaims | None = None
    stopped: Callable[[], bool] = lambda: False
    think_tags: ThinkTags | None = None
    tally: ClientUsage = field(default_factory=ClientUsage)
    answered: int = 0
    _under_way: dict[bytes, asyncio.Future[Reply] | None] = field(default_factory=dict)
    _ready_for: Sampling | None = None
    _ready_for_schema: bool = False

    @cached_property
    def _outage(self) -> OutageDetector:
        """Watch over calls that nobody answers, as patient as the retries."""
        return OutageDetector(self.retry_policy, self.seed.child("silence"))

    @cached_property
    def _limit_watch(self) -> LimitWatch:
        return LimitWatch(self.retry_policy)

    async def ask(self, request: Request) -> Reply:
        """The reply to a request, from the journal if it was ever answered.

        Raises:
            CallFailed: no reply came, after all attempts; logged, not journalled.
            BudgetReached: asking would cost more than there is.
            Unreachable: nobody has answered for many calls in a row.
            NotServed: the endpoint lets no call through any more.
            StorageError: the reply could not be written down.
        """
        key = request_key(self.model, request)
        found = self.journal.find(key)
        if found is not None:
            self.tally.from_journal += 1
            return found if self.think_tags is None else split_tagged(found, self.think_tags)
        if key in self._under_way:
            return await self._as_duplicate(key)
        # The future is made by the first duplicate, as most requests have none.
        self._under_way[key] = None
        try:
            reply = await self._answered(key, request)
        # A cancellation too: those who wait for the same would wait for ever.
        except BaseException as error:
            if self.claims is not None:
                self.claims.drop(key)
            self._resolve_duplicates(key, error if isinstance(error, Exception) else CallFailed("interrupted"))
            raise
        if self.think_tags is not None:
            reply = split_tagged(reply, self.think_tags)
        self._resolve_duplicates(key, reply)
        return reply

    def _resolve_duplicates(self, key: bytes, came: Reply | Exception) -> None:
        """Give those who wait for an equal request what came of it."""
        waiters = self._under_way.pop(key)
        if waiters is None:
            return
        if isinstance(came, Reply):
            waiters.set_result(came)
        else:
            waiters.set_exception(came)
            waiters.exception()  # there may be none left that looks

    async def _as_duplicate(self, key: bytes) -> Reply:
        """The reply that an equal request under way is given."""
        waiters = self._under_way[key]
        if waiters is None:
            waiters = self._under_way[key] = asyncio.get_running_loop().create_future()
        # Shielded: a duplicate that is cancelled must not cancel what the others wait for.
        return await asyncio.shield(waiters)

    async def _answered(self, key: bytes, request: Request) -> Reply:
        """The reply of an earlier run, of another runner or of the model, once it is in the journal."""
        reply = self._from_elsewhere(key) if self.reuse else None
        if reply is None and self.claims is not None:
            reply = await self._of_another(key, self.claims)
        if reply is not None:
            await self.journal.write(key, request, reply, at_once=True)
            return reply
        reply = await self._send_with_retries(request)
        # Other runners wait for a reply in the file, so with claims a simulated one is committed too.
        if self.model.simulated and self.claims is None:
            await self.journal.write_lazily(key, request, reply)
        else:
            await self.journal.write(key, request, reply)
        return reply

    def _from_elsewhere(self, key: bytes) -> Reply | None:
        for look in self.reuse:
            reply = look(key)
            if reply is not None:
                self.tally.reused += 1
                return reply
        return None

    async def _of_another(self, key: bytes, claims: CallClaims) -> Reply | None:
        """The reply that another runner on the journal is given, None where this one is to ask itself."""
        while not claims.acquire(key):
            reply = self.journal.look_up(key)
            if reply is not None:
                claims.waits.pop(key, None)
                self.tally.from_journal += 1
                return reply
            self._go_on()
            await asyncio.sleep(LOOK_EVERY)
        return None

    async def _send_with_retries(self, request: Request) -> Reply:
        retries, attempt = None, 0
        if self.retry_policy.attempts < 1:
            raise CallFailed("not asked", "no attempts were allowed")
        while True:
            if self._outage.dropped:
                await self._outage.turn()
                if self._outage.ended:
                    raise Unreachable(self._outage.ended)
            try:
                return await self._attempt(request)
            except CallFailed as failure:
                retries = retries or RetryState(self.retry_policy, self._outage)
                self.tally.failed_attempts += 1
                self.journal.log_failure(request.tag, attempt, failure.cause, failure.detail, passing=failure.passing)
                if failure.cause in PUSH_BACK:
                    self.limit.pushed_back(failure.wait)
                self._outage.record_failure(failure)
                self._limit_watch.record_failure(failure)
                if self._outage.over:
                    raise self._unreachable(failure) from failure
                if retries.gives_up(failure):
                    await self._look_into(failure, request)
                    raise
                self._go_on()
                # While a server is away tries are not counted, so there the wait grows with all attempts.
                after = attempt if failure.cause in AWAY else retries.tries - 1
                await asyncio.sleep(self._wait(failure, after, request.tag))
                self._go_on()
                attempt += 1

    def _wait(self, failure: CallFailed, attempt: int, tag: Tag) -> float:
        """Seconds before the next attempt, no fewer than the endpoint asked for."""
        rng_seed = self.seed.child("back-off", tag.item, tag.step, tag.sample)
        own = self.retry_policy.wait(attempt, rng_seed, cause=failure.cause)
        return max(min(failure.wait or 0.0, LONGEST_REST), own)

    async def _look_into(self, failure: CallFailed, request: Request) -> None:
        """Put a short question, where call after call was given up at a limit.

        Raises:
            NotServed: it is not let through either.
        """
        if not self._limit_watch.lasts(failure):
            return
        self.model.overhead.append(_NOT_BOUNDED)
        try:
            await self.model.reply(first_question(request.sampling))
        except CallFailed as again:
            if again.cause == LIMITED:
                lasted = f"no call was let through its limit for {self._limit_watch.seconds:,.0f} s"
                says = f"{lasted}, as where a quota is used up; resume later"
                raise NotServed(f"{self.model.spec}: {says} ({failure}).") from again

    def _unreachable(self, failure: CallFailed) -> Unreachable:
        lasted = f"{self._outage.calls:,} calls in a row, {self._outage.seconds:,.1f} s"
        error = Unreachable(f"{self.model.spec}: no answer to {lasted} ({failure}).")
        self._outage.end(str(error))
        return error

    async def _attempt(self, request: Request) -> Reply:
        paced = self.requests_pace.per_minute or self.tokens_pace.per_minute
        guess = _NOT_BOUNDED
        if self.budget.bounded or paced or not self._is_ready(request):
            guess = estimate_tokens(request)
            self.budget.check(guess, self.rate, self.model.spec)
            guess = await self._prepared(request, guess)
        # The limit of this model before the window of all: who waits for a slow model holds no slot of the others.
        if not self.limit.try_acquire():
            await self.limit.acquire()
        try:
            if paced:
                await self._in_pace(guess)
            if not self.window.try_acquire():
                await self.window.acquire()
            try:
                # An outage may have begun while this call waited for its slots.
                if self._outage.dropped and not self._outage.out:
                    await self._outage.turn()
                reply = await self._paid(request, guess)
            finally:
                self.window.release()
        finally:
            self.limit.release()
        if paced:
            self.tokens_pace.settle(guess.input + guess.output, reply.usage.input + reply.usage.output)
        self._outage.record_response()
        self._limit_watch.record_response()
        self.limit.answered(reply.seconds)
        self.tally.count(reply.usage)
        self.answered += 1
        return reply

    async def _in_pace(self, guess: Usage) -> None:
        """Return once it is this call's turn; turns that come in a rest go by, else all would ask at once after it."""
        while True:
            await self.requests_pace.acquire()
            await self.tokens_pace.acquire(guess.input + guess.output)
            if not self.limit.rests:
                return
            await self.limit.rest()

    async def _paid(self, request: Request, guess: Usage) -> Reply:
        """Reply of the model, once there is room for it in the budget."""
        self._go_on()
        if self.budget.bounded:
            await self.budget.room_for(guess, self.rate, self.model.spec)
        # Nothing is awaited in between: the room that was found is still there.
        self.budget.reserve(guess, self.rate, self.model.spec)
        used = None
        try:
            self.tally.asked += 1
            reply = await self.model.reply(request)
            if reply.usage.estimated:
                reply = with_usage(reply, estimate_tokens(request))
            used = reply.usage
        except CallFailed as failure:
            if failure.cause == "no connection":  # nobody took the call
                self.budget.calls -= 1
                self.tally.asked -= 1
            raise
        finally:
            self.budget.settle(guess, used, self.rate)
        return reply

    async def _prepared(self, request: Request, guess: Usage) -> Usage:
        """Most that the call will take, once the model can be asked; a probe is paid for first."""
        if not self._is_ready(request):
            schema = request.schema is not None
            await self.ready(request.sampling, schema=schema)
            self._ready_for, self._ready_for_schema = request.sampling, schema
        most = self.model.most_output(guess.output, request.sampling)
        return guess if most == guess.output else replace(guess, output=most)

    def _is_ready(self, request: Request) -> bool:
        """True where the model was asked for the same before, and has nothing that is to be paid for."""
        schema = request.schema is not None
        same = request.sampling is self._ready_for and schema is self._ready_for_schema
        return same and not self.model.overhead

    async def ready(self, sampling: Sampling, *, schema: bool) -> None:
        """Return once the model can be asked; what it was asked for that is paid for.

        Raises:
            MoresError: it cannot be asked at all, or asking cost more than there is.
            CallFailed: it could not be asked just now.
        """
        await self.model.prepare(sampling, schema=schema)
        while self.model.overhead:
            self.budget.charge(self.model.overhead.pop(), self.rate)
            await self.requests_pace.acquire()  # after the fact: what comes next keeps its distance

    def _go_on(self) -> None:
        if self.stopped():
            raise Stopped("The run was asked to stop.")


def split_tagged(reply: Reply, tags: ThinkTags) -> Reply:
    """The reply with thinking between these marks kept apart; a journal or a log may be of who did not know them."""
    found = spoken(reply.text, tags)
    if found.text == reply.text:
        return reply
    return replace(reply, text=found.text, reasoning=reply.reasoning or found.thinking)


def with_usage(reply: Reply, guess: Usage) -> Reply:
    """The reply, with a guess at its tokens where the endpoint counted none."""
    if not reply.usage.estimated:
        return reply
    return replace(reply, usage=replace(guess, output=-(-len(reply.text + reply.reasoning) // 4)))
