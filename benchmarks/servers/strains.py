"""Calls that a server cannot answer as they are: each ends in an answer, or in a failure whose cause says why."""

import asyncio
from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from benchmarks.servers.serving import CONTEXT, Running
from mores.core.card import Sampling
from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.core.transcript import Message
from mores.models.error_messages import OVERFLOW
from mores.models.openai import ChatEndpoint
from mores.models.registry import Connection, open_model
from mores.models.request import CallFailed, Reply, Request, Tag

PLAIN = Sampling(temperature=0.0, max_tokens=8)
LENGTH = "length"


class Strain(NamedTuple):
    """One such call: what it is about, its words, how much may be drawn, and what may become of it."""

    about: str
    words: str
    limit: int
    allowed: frozenset[str]


class Borne(NamedTuple):
    """What became of it; `fault` says why that is none of what may be, and is empty where it is."""

    about: str
    became: str
    altered: tuple[str, ...]
    fault: str


STRAINS = (
    Strain("a prompt over the context", "word " * CONTEXT, 8, frozenset({OVERFLOW, "stop", LENGTH})),
    Strain("a limit on the answer over the context", "Is it so?", 8 * CONTEXT, frozenset({"stop", LENGTH})),
    Strain("a limit of one token", "Reply with one JSON object: what do you do?", 1, frozenset({LENGTH, "stop"})),
    Strain("no words at all", "", 8, frozenset({"stop", LENGTH, "http 400", "http 422"})),
)


def borne(found: Running) -> list[Borne]:
    """What became of each, with what the endpoint was then known not to take, and of a model that is not there."""
    calls = [asyncio.run(_put(found, found.server.model, strain)) for strain in STRAINS]
    other = f"{found.server.provider}/nobody"
    missing = Strain(
        "a model that is not there", "Is it so?", 8, frozenset({"refused at the probe", "http 500", "stop", LENGTH})
    )
    return [*calls, asyncio.run(_put(found, other, missing))]


async def _put(found: Running, spec: str, strain: Strain) -> Borne:
    model = open_model(spec, Seed("strain"), Connection(base_url=found.url, timeout=120.0))
    assert isinstance(model, ChatEndpoint)
    sampling = replace(PLAIN, max_tokens=strain.limit)
    asked = Request(
        messages=(Message(role="user", content=strain.words),),
        sampling=sampling,
        tag=Tag(item="strain", role="subject"),
    )
    try:
        await model.prepare(PLAIN)
        became: Reply | CallFailed | InputError = await model.reply(asked)
    except (CallFailed, InputError) as failure:
        became = failure
    finally:
        await model.close()
    name = _named(became)
    fault = "" if name in strain.allowed else f"{strain.about}: {became}"
    return Borne(strain.about, _told(became, name), model.capabilities.altered, fault)


def _named(became: Reply | CallFailed | InputError) -> str:
    if isinstance(became, Reply):
        return became.finish
    return became.cause if isinstance(became, CallFailed) else "refused at the probe"


def _told(became: Reply | CallFailed | InputError, name: str) -> str:
    if isinstance(became, Reply):
        return f"answered ({name}; {became.usage.input:,} tokens read, {became.usage.output:,} drawn)"
    return name


def faults(strains: Sequence[Borne]) -> list[str]:
    """Why those that do not pass do not."""
    return [each.fault for each in strains if each.fault]
