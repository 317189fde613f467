"""Worker that carries jobs out: one thread of one process of a studio, so that a dead or slow model holds up no page.

jobs in the database ─▶ thread (reads and writes them) ─▶ loop in a second thread (asks models, through a journal)
"""

import asyncio
import logging
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import suppress
from threading import Thread

import msgspec
from django.db import DatabaseError, connections
from filelock import FileLock

from mores.core.errors import MoresError
from mores.core.seeds import Seed
from mores.models.budget import Budget
from mores.models.cast import Cast
from mores.models.credentials import Access
from mores.models.journal import Journal
from mores.pipelines.structured_query import REFUSED, NoAnswer, ParsedAnswer, ask
from mores.runs.client_pool import ClientPool, open_clients
from mores.runs.progress import StopSignal
from mores.runs.spec import ExecutionSpec
from mores.studio.background import BackgroundWorker
from mores.studio.config import StudioConfig
from mores.studio.help.jobs import ClaimedJob, claim, end, release_all
from mores.studio.help.prompts import question_of, role_of
from mores.studio.models import JobState

ABREAST = 16
TICK = 0.25
JOURNAL, LOCK = "help.journal", "help.lock"
_log = logging.getLogger("mores.studio.help")


class HelpWorker(BackgroundWorker):
    """Carries jobs out until it is stopped; others of the same studio wait, and one of them follows it."""

    def run(self) -> None:
        """Take jobs and store what comes of them."""
        with FileLock(self.config.folder / LOCK):
            loop = asyncio.new_event_loop()
            spinning = Thread(target=_spin, args=(loop,), name="help-loop", daemon=True)
            spinning.start()
            try:
                self._serve(loop)
            except MoresError as error:
                _log.error("no help of models: %s", error)
            finally:
                connections.close_all()
                loop.call_soon_threadsafe(loop.stop)
                spinning.join(timeout=5)

    def _serve(self, loop: asyncio.AbstractEventLoop) -> None:
        """Carry jobs out; a server that had turned every call away is asked anew with the next job."""
        budget, released = Budget(max_cost=self.config.max_cost), False
        while not self.stopping.is_set():
            session = asyncio.run_coroutine_threadsafe(_opened(self.config, budget), loop).result()
            try:
                while not self.stopping.is_set() and not (session.shut and not session.under_way):
                    try:
                        # Within the loop, so that a database which is down at the start is waited for as at any other
                        # time.
                        if not released:
                            release_all()
                            released = True
                        self._turn(session, loop)
                    except DatabaseError as error:
                        _log.warning("help of models waits for the database: %s", error)
                        connections.close_all()
                        self.stopping.wait(1)
            finally:
                with suppress(MoresError, TimeoutError):
                    asyncio.run_coroutine_threadsafe(session.close(), loop).result(timeout=5)

    def _turn(self, session: "_HelpSession", loop: asyncio.AbstractEventLoop) -> None:
        """Take what waits, and store what has ended."""
        free = 0 if session.shut else ABREAST - len(session.under_way)
        for job in claim(free) if free else ():
            session.under_way[asyncio.run_coroutine_threadsafe(_asked(job, session.cast), loop)] = job
        if not session.under_way:
            self.stopping.wait(TICK)
            return
        for future in wait(session.under_way, timeout=TICK, return_when=FIRST_COMPLETED).done:
            # Taken out after it is stored: what the database refused now is stored by a later turn.
            self._store(session.under_way[future], future)
            session.shut |= future.exception() is not None
            del session.under_way[future]

    def _store(self, job: ClaimedJob, future: "Future[ParsedAnswer[msgspec.Struct] | NoAnswer]") -> None:
        model = self.config.models[role_of(job.wanted.kind)]
        error = future.exception()
        if error is not None:
            _log.warning("job %d: %s: %s", job.number, type(error).__name__, error)
            end(job.number, state=JobState.FAILED, model=model, error=str(error) or type(error).__name__)
            return
        found = future.result()
        if isinstance(found, ParsedAnswer):
            response = {"said": msgspec.to_builtins(found.value), "mended": found.repaired, "asked": found.asked}
            end(job.number, state=JobState.ANSWERED, model=model, response=response)
        else:
            state = JobState.REFUSED if found.reason == REFUSED else JobState.FAILED
            end(job.number, state=state, model=model, error=f"{found.reason}: {found.detail}")


def _spin(loop: asyncio.AbstractEventLoop) -> None:
    """Run a loop until it is stopped; what is still asked of models then is given up, for who follows to ask again."""
    try:
        loop.run_forever()
        for task in asyncio.all_tasks(loop):
            task.cancel()
        # One turn of the loop, in which cancelled tasks end.
        loop.run_until_complete(asyncio.sleep(0))
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()


async def _asked(job: ClaimedJob, cast: Cast) -> ParsedAnswer[msgspec.Struct] | NoAnswer:
    question, sampling = question_of(job.wanted, job.number)
    return await ask(cast, question, sampling)


class _HelpSession(msgspec.Struct, eq=False):
    """Models that are opened, and what they are asked at the moment; `shut` once a door of theirs lets no call by."""

    clients: ClientPool
    journal: Journal
    cast: Cast
    under_way: "dict[Future[ParsedAnswer[msgspec.Struct] | NoAnswer], ClaimedJob]" = msgspec.field(default_factory=dict)
    shut: bool = False

    async def close(self) -> None:
        """Give back connections; what was heard is kept."""
        await self.journal.flush()
        await self.clients.close()
        self.journal.close()


async def _opened(config: StudioConfig, budget: Budget) -> _HelpSession:
    journal = Journal(config.folder / JOURNAL, full=True)
    clients = open_models(config, budget)
    made = {spec: make(journal=journal) for spec, make in clients.make.items()}
    return _HelpSession(
        clients=clients, journal=journal, cast=Cast({role: made[spec] for role, spec in config.models.items()})
    )


def open_models(config: StudioConfig, budget: Budget) -> ClientPool:
    """The models that help, opened.

    Raises:
        InputError: one cannot be.
    """
    reached = {spec: Access(base_url=config.addresses.get(role), typed=True) for role, spec in config.models.items()}
    conditions = ExecutionSpec(concurrency=ABREAST, timeout=90.0, attempts=3, max_cost=config.max_cost)
    return open_clients(
        reached, conditions, window=ABREAST, seed=Seed("studio"), budget=budget, stop_signal=StopSignal()
    )


def check_models(config: StudioConfig) -> None:
    """Nothing, where the models that help can be opened.

    Raises:
        InputError: one cannot be.
    """

    async def opened() -> None:
        await open_models(config, Budget(max_cost=config.max_cost)).close()

    asyncio.run(opened())
