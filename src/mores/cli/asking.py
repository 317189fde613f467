"""One model asked outside a run: opened, given a door and a journal, closed."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

from mores.core.card import Sampling
from mores.core.errors import Unreachable
from mores.core.seeds import Seed
from mores.models.budget import Budget
from mores.models.client import ModelClient
from mores.models.journal import Journal
from mores.models.rate_limits import AdaptiveLimit, FairSemaphore
from mores.models.registry import Connection, open_model
from mores.models.request import CallFailed

WINDOW = 32


@asynccontextmanager
async def open_client(
    spec: str, sampling: Sampling, *, journal: Path, seed: Seed, base_url: str | None = None
) -> AsyncIterator[ModelClient]:
    """A door to a model that is ready; what the journal has is not asked again.

    Raises:
        InputError: the spec cannot be opened.
        RunError: nobody answers there.
    """
    model = open_model(spec, seed, Connection(base_url=base_url, typed=True, window=WINDOW))
    with closing(Journal(journal)) as kept:
        try:
            try:
                await model.prepare(sampling)
            except CallFailed as failure:
                raise Unreachable(f"{model.spec}: {failure}.") from failure
            window, limit = FairSemaphore(WINDOW), AdaptiveLimit(WINDOW)
            yield ModelClient(model=model, journal=kept, window=window, limit=limit, budget=Budget(), seed=seed)
        finally:
            await model.close()
