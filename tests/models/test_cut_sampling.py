"""top_k and min_p reach endpoints that take them, are left out where they are not taken, and move no other key."""

import asyncio
import json

import pytest
from msgspec.structs import replace

from mores.core.card import CutSampling, Sampling
from mores.core.codec import encode
from mores.core.seeds import Seed
from mores.models.journal import request_key
from mores.models.openai import ChatEndpoint
from mores.models.registry import Connection, open_model
from mores.models.request import Reply
from tests.endpoint import Endpoint
from tests.models.clients import Script, put, request
from tests.models.listener import listening

CUT = CutSampling(temperature=0.6, top_p=0.95, max_tokens=8, top_k=20, min_p=0.0)
PLAIN = Sampling(temperature=0.6, top_p=0.95, max_tokens=8)


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-nobody")


def open_at(url: str) -> ChatEndpoint:
    """An endpoint of which nobody knows what its server would do with what is left out."""
    model = open_model("openai/test", Seed("test"), Connection(base_url=url, typed=True))
    assert isinstance(model, ChatEndpoint)
    return model


def test_an_endpoint_is_sent_what_is_set_and_nothing_else() -> None:
    async def go(url: str) -> None:
        model = open_at(url)
        for sampling in (CUT, replace(CUT, min_p=None), PLAIN):
            await put(model, request(sampling=sampling))
        await model.close()

    with listening() as listener:
        asyncio.run(go(listener.url))
    sent = [json.loads(heard.body) for heard in listener.heard]
    assert [{name: body[name] for name in ("top_k", "min_p") if name in body} for body in sent] == [
        {"top_k": 20, "min_p": 0.0}, {"top_k": 20, "min_p": 0.0}, {"top_k": 20}, {},
    ]  # fmt: skip


def test_an_endpoint_that_refuses_them_is_learnt_by_the_probe_and_noted(endpoint: Endpoint) -> None:
    endpoint.set(reject=("top_k", "min_p"), reply="B")

    async def go() -> tuple[list[Reply], tuple[str, ...]]:
        model = open_at(endpoint.url)
        found = [await put(model, request(f"Question {n}", sampling=CUT)) for n in range(4)]
        await model.close()
        return found, model.capabilities.altered

    found, altered = asyncio.run(go())
    assert [reply.text for reply in found] == ["B"] * 4
    assert endpoint.counts().statuses == {"400": 2, "200": 5}
    assert altered == tuple(f"{name} left out, since the endpoint does not take it" for name in ("top_k", "min_p"))


def test_calls_that_the_probe_did_not_speak_for_are_asked_again_without_them(endpoint: Endpoint) -> None:
    """The first call of a run may be another role's, and many calls may be under way when one is refused."""
    endpoint.set(reject=("top_k", "min_p"), reply="B")

    async def go() -> tuple[list[Reply], ChatEndpoint]:
        model = open_at(endpoint.url)
        await put(model, request("Somebody else's", sampling=PLAIN))
        found = await asyncio.gather(*(put(model, request(f"Question {n}", sampling=CUT)) for n in range(20)))
        await model.close()
        return found, model

    found, model = asyncio.run(go())
    assert [reply.text for reply in found] == ["B"] * 20
    assert len(model.capabilities.altered) == 2
    refused = endpoint.counts().statuses["400"]
    assert refused <= 40
    assert len(model.overhead) == refused + 1  # the probe


def test_a_key_in_the_journal_moves_only_where_they_are_set() -> None:
    model = Script()
    assert encode(PLAIN) == b'{"temperature":0.6,"top_p":0.95,"max_tokens":8,"logprobs":false}'
    plain = request_key(model, request(sampling=PLAIN))
    assert plain.hex() == "f45d12d56aad7d2a064320635537f829"
    cut = {request_key(model, request(sampling=replace(CUT, top_k=k, min_p=p))) for k in (1, 20) for p in (None, 0.1)}
    assert len(cut | {plain}) == 5
