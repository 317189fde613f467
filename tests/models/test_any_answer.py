"""Whatever an endpoint sends back, a call ends in a reply that can be stored or in a failure with a cause."""

import asyncio
import gzip
import json
import logging
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mores.core.errors import RunError
from mores.core.seeds import Seed
from mores.models.journal import Journal, request_key
from mores.models.model import Model
from mores.models.registry import Connection, open_model
from mores.models.request import CallFailed, Reply
from tests.models.clients import put, request
from tests.models.listener import completion

HUGE = 10**400
ODD: tuple[Any, ...] = (
    None, True, -1, 0, 2**63, 2**64, HUGE, 1.5, 1e308, "", "x", "\ud800", "\x00\x1b[2J", "9" * 4_400, [], [[]], {},
    [None], {"a": []}, [1, "x", None],
)  # fmt: skip
odd = st.sampled_from(ODD)
PLACES = (
    "choices", "usage", "model", "choices 0", "choices 0 message", "choices 0 message content", "choices 0 logprobs",
    "choices 0 message reasoning", "choices 0 message refusal", "choices 0 finish_reason", "usage prompt_tokens",
    "usage completion_tokens", "usage completion_tokens_details", "usage prompt_tokens_details", "prompt_logprobs",
)  # fmt: skip
heads = st.lists(
    st.sampled_from(
        [
            "retry-after: ²", "retry-after: 1e999", "retry-after: Thu, 01 Jan 1970 00:00:00 +99999999999999",
            "retry-after: Fri, 31 Feb 99999 99:99:99 -9999", "retry-after: " + "9" * 5_000, "retry-after: -1",
            "content-type: text/html; charset=nonsense", "content-type: \x80\xff", "set-cookie: \x07=;;;=\x1b[2J",
            "set-cookie: a=" + "b" * 500, "content-encoding: gzip", "content-encoding: br", "content-encoding: ²",
            "x: " + "y" * 9_000, "location: http://[::1", "location: \x1b[2J", "transfer-encoding: chunked",
            "transfer-encoding: gzip, chunked", "content-length: -5", "content-length: 5", "content-length: ²",
            "content-length: 99999999999999999999", "connection: upgrade", "upgrade: h2c", "no colon", ": no name",
        ]
    ),
    max_size=3,
)  # fmt: skip
statuses = st.sampled_from(["200", "200", "200", "200", "204", "206", "302", "400", "404", "422", "429", "500", "999",
                            "100", "101", "0", "²", "99999", "-1"])  # fmt: skip


def nested(depth: int) -> bytes:
    return b"[" * depth + b"]" * depth


@st.composite
def bodies(draw: st.DrawFn) -> bytes:
    """A completion of which some parts are not as they should be, or something else altogether."""
    whole = json.loads(completion("True"))
    for path in draw(st.lists(st.sampled_from(PLACES), max_size=3)):
        put_at(whole, path.split(), draw(odd))
    if draw(st.booleans()) and draw(st.booleans()):
        put_at(whole, ["choices", "0", "logprobs"], {"content": [{"token": draw(odd), "logprob": draw(odd)}]})
    plain = json.dumps(whole).encode()
    return draw(
        st.sampled_from(
            [plain, plain, plain, plain, plain[:-9], b"\xef\xbb\xbf" + plain, plain.decode().encode("utf-16"),
             gzip.compress(plain), nested(100_000), b'{"choices": ' + nested(100_000) + b"}",
             plain.replace(b'"True"', b"NaN"), plain.replace(b"5", b"1e999"),
             plain.replace(b"True", b"\xed\xa0\x80"), b""]
        )
    )  # fmt: skip


def put_at(whole: Any, path: list[str], value: object) -> None:
    """Put a value somewhere into a completion, if there still is such a place."""
    for step in path[:-1]:
        try:
            whole = whole[int(step) if isinstance(whole, list) else step]
        except (KeyError, IndexError, TypeError, ValueError):
            return
    if isinstance(whole, dict):
        whole[path[-1]] = value


@st.composite
def answers(draw: st.DrawFn) -> bytes:
    """The bytes of one answer."""
    body, lines = draw(bodies()), draw(heads)
    match draw(st.sampled_from(["length", "chunked", "until it closes", "bad chunks"])):
        case "length":
            lines = [*lines, f"content-length: {len(body)}"]
        case "chunked":
            lines, body = [*lines, "transfer-encoding: chunked"], b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
        case "bad chunks":
            lines, body = [*lines, "transfer-encoding: chunked"], b"zz\r\n" + body
    head = "\r\n".join([f"HTTP/1.1 {draw(statuses)} {draw(st.sampled_from(['OK', '', '²']))}", *lines])
    return draw(st.sampled_from([head.encode() + b"\r\n\r\n" + body] * 9 + [body, b"HTTP/9.9 200\r\n\r\n"]))


async def heard(said: Sequence[bytes], journal: Journal) -> list[object]:
    """What becomes of calls that are answered so, one after the other; replies are journalled and read back."""
    waiting: Iterator[bytes] = iter(said)
    ready = completion("ready")
    ready = b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%s" % (len(ready), ready)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        question = await reader.readuntil(b"\r\n\r\n")
        writer.write(ready if b"the one word" in question + await reader.read(70_000) else next(waiting, b""))
        writer.close()

    async def one(model: Model, number: int) -> object:
        asked = request(f"Question {number}")
        try:
            reply = await put(model, asked)
            await journal.write(key := request_key(model, asked) + bytes([number]), asked, reply, at_once=True)
        except (CallFailed, RunError) as failure:
            return failure
        assert journal.find(key) == reply
        return reply

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    model = open_model("vllm/test", Seed("any"), Connection(base_url=f"http://127.0.0.1:{port}/v1", timeout=5.0))
    try:
        return [await one(model, number) for number in range(len(said))]
    finally:
        await model.close()
        server.close()


def told(said: list[bytes], folder: Path) -> None:
    """Check what becomes of such answers."""

    async def go() -> list[object]:
        journal = Journal(folder / "journal.sqlite")
        try:
            return await heard(said, journal)
        finally:
            journal.close()
            (folder / "journal.sqlite").unlink()

    for found in asyncio.run(go()):
        assert isinstance(found, Reply | CallFailed | RunError)
        if isinstance(found, Reply):
            assert 0 <= found.usage.input <= 20_000
            assert 0 <= found.usage.output <= 200_000
            assert found.usage.cached >= 0 <= found.usage.reasoning
        elif isinstance(found, CallFailed):
            assert found.cause in {
                "unreadable body", "empty body", "no choice in the body", "broken connection", "too large"
            } or found.cause.startswith("http "), found  # fmt: skip


_QUIET = (HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large)


@settings(max_examples=8, deadline=None, suppress_health_check=_QUIET)
@given(said=st.lists(answers(), min_size=8, max_size=8))
def test_no_answer_breaks_anything(said: list[bytes], tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    told(said, tmp_path)
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


@pytest.mark.soak
@settings(max_examples=1_000, deadline=None, suppress_health_check=_QUIET)
@given(said=st.lists(answers(), min_size=10, max_size=10))
def test_no_answer_breaks_anything_in_the_long_form(
    said: list[bytes], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    told(said, tmp_path)
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]
