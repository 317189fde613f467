"""However much an endpoint sends, and however it is packed, a call takes no more of it than its limit."""

import asyncio
import gc
import gzip
import tracemalloc
import zlib
from collections.abc import Callable

import pytest

from mores.core.seeds import Seed
from mores.models import openai
from mores.models.http import LARGEST_PROBE, LARGEST_REPLY
from mores.models.registry import Connection, open_model
from mores.models.request import CallFailed, Reply
from tests.endpoint import Endpoint
from tests.models.clients import put, request
from tests.models.listener import Say, completion, listening

MEGABYTE = 1 << 20
FLOODS = 48
"""Calls that are flooded at once."""


def asked(url: str, calls: int = 1) -> list[Reply | BaseException]:
    """What many calls at once bring, after a probe that went well."""

    async def go() -> list[Reply | BaseException]:
        model = open_model("vllm/test", Seed("test"), Connection(base_url=url, timeout=200.0, window=256))
        tasks = (put(model, request(f"flood {number}")) for number in range(calls))
        found = await asyncio.gather(*tasks, return_exceptions=True)
        await model.close()
        return found

    return asyncio.run(go())


def flooded(endpoint: Endpoint, kind: str, calls: int) -> float:
    """Megabytes that were held at most while so many calls were flooded; each of them fails as too large."""
    asked(endpoint.url)  # what any call takes
    endpoint.set(faults={kind: 1.0}, fault_tries=1, persistent=True, only="flood")
    tracemalloc.start(1)
    try:
        failures = asked(endpoint.url, calls)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert {getattr(failure, "cause", failure) for failure in failures} == {"too large"}
    assert "more than" in str(failures[0])
    return most / MEGABYTE


@pytest.mark.parametrize("kind", ["endless", "bomb"])
def test_floods_in_many_calls_at_once_are_cut_and_take_little_memory(
    endpoint: Endpoint, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openai, "LARGEST_REPLY", 2 * MEGABYTE)
    assert flooded(endpoint, kind, FLOODS) < FLOODS  # all at once would be two each


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["endless", "bomb"])
def test_256_floods_at_once_take_bounded_memory(endpoint: Endpoint, kind: str) -> None:
    assert flooded(endpoint, kind, 256) < 500


def raw_deflate(body: bytes) -> bytes:
    packing = zlib.compressobj(wbits=-15)
    return packing.compress(body) + packing.flush()


@pytest.mark.parametrize(
    ("packing", "pack"),
    [("gzip", gzip.compress), ("deflate", zlib.compress), ("deflate", raw_deflate), ("", bytes), ("identity", bytes)],
)
def test_a_reply_is_read_however_it_is_packed(packing: str, pack: Callable[[bytes], bytes]) -> None:
    words = "".join(map(str, range(300_000)))  # large, and not easily packed
    said = iter([Say(completion("ready"))])
    with listening(lambda _: next(said, Say(pack(completion(words)), packing=packing))) as listener:
        (reply,) = asked(listener.url)
    assert isinstance(reply, Reply)
    assert reply.text == words


@pytest.mark.parametrize(
    ("packing", "body", "says"),
    [
        ("gzip", b"this is not packed", "cannot be unpacked"),
        ("gzip", gzip.compress(completion("True"))[:-12], "cut short"),
        ("br", b"whatever", "packed as 'br'"),
        ("gzip, gzip", b"whatever", "packed as 'gzip, gzip'"),
    ],
)
def test_what_cannot_be_unpacked_is_an_unreadable_body(packing: str, body: bytes, says: str) -> None:
    said = iter([Say(completion("ready"))])
    with listening(lambda _: next(said, Say(body, packing=packing))) as listener:
        (failure,) = asked(listener.url)
    assert isinstance(failure, CallFailed)
    assert failure.cause == "unreadable body"
    assert says in failure.detail


def test_a_reply_up_to_the_limit_is_kept_and_one_byte_more_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = completion("x" * 1_000)
    monkeypatch.setattr(openai, "LARGEST_REPLY", len(whole))
    for more, kept in ((b"", Reply), (b" ", CallFailed)):
        said = iter([completion("ready"), whole + more])
        with listening(lambda _, said=said: Say(next(said))) as listener:  # type: ignore[misc]
            (found,) = asked(listener.url)
        assert isinstance(found, kept)


def test_a_refusal_without_end_is_read_as_far_as_its_words_are_kept() -> None:
    said = iter([Say(completion("ready")), Say(b"no such luck " * 100_000, 400)])
    with listening(lambda _: next(said)) as listener:
        (failure,) = asked(listener.url)
    assert isinstance(failure, CallFailed)
    assert failure.cause == "http 400"
    assert failure.detail.startswith("no such luck")


def test_limits_are_where_they_should_be() -> None:
    assert LARGEST_PROBE < LARGEST_REPLY == 16 * MEGABYTE


def held_after(calls: int, packed: bytes) -> float:
    """Megabytes that are held once so many calls brought a body that unpacks to too much; nothing is collected."""
    gc.collect()
    gc.disable()
    tracemalloc.start(1)
    try:
        with listening(lambda heard: Say(completion("ready") if b"one word" in heard.body else packed,
                                         packing="" if b"one word" in heard.body else "gzip")) as listener:  # fmt: skip
            failures = asked(listener.url, calls)
            assert {getattr(failure, "cause", failure) for failure in failures} == {"too large"}
            del failures
            held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
        gc.enable()
    return held / MEGABYTE


def test_failures_hold_no_body_however_many_there_are() -> None:
    packed = gzip.compress(bytes(20 * MEGABYTE), 9)
    few, many = held_after(2, packed), held_after(10, packed)
    assert many - few < 4.0  # a body each would be 16
