"""A call is put once, ends in an answer or a cause, and leaves nothing behind, whatever happens to its connection."""

import asyncio
import gzip
import socket
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from mores.models.http import HttpClient
from mores.models.redaction import Redaction
from mores.models.request import CallFailed
from tests.models.listener import Say, completion, listening

LIMIT = 1 << 20
WHOLE = completion("True")
MANY = 300
"""Calls at once, more than one multi handle of libcurl is given."""
Serve = Callable[[int, bytes, asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def packed(body: bytes = WHOLE, *more: str, status: str = "200 OK") -> bytes:
    """An answer with a length."""
    return "\r\n".join([f"HTTP/1.1 {status}", f"content-length: {len(body)}", *more, "", ""]).encode() + body


async def one_after_the_other(number: int, body: bytes, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Say a whole answer, and keep the connection."""
    writer.write(packed(completion(body.decode())))


class Host:
    """A server of one's own: what it was asked, how often it was called, and how it answers."""

    def __init__(self, serve: Serve) -> None:
        self.serve = serve
        self.heard: list[bytes] = []
        self.heads: list[bytes] = []
        self.connections = 0
        self.left = 0
        self.writers: list[asyncio.StreamWriter] = []

    async def take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self.writers.append(writer)
        try:
            while not writer.is_closing():
                head = await reader.readuntil(b"\r\n\r\n")
                length = head.lower().partition(b"content-length:")[2].split(b"\r\n")[0].strip()
                body = await reader.readexactly(int(length or 0))
                self.heads.append(head)
                self.heard.append(body)
                await self.serve(len(self.heard), body, reader, writer)
                await writer.drain()
        except (asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError):
            self.left += 1
        finally:
            writer.close()

    async def asked(self, calls: int) -> None:
        """Return once so many calls have come."""
        while len(self.heard) < calls:  # noqa: ASYNC110 - it happens in this loop
            await asyncio.sleep(0.001)

    @asynccontextmanager
    async def open(self) -> AsyncIterator[str]:
        server = await asyncio.start_server(self.take, "127.0.0.1", 0, backlog=2048)
        try:
            yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        finally:
            server.close()
            for writer in self.writers:
                writer.transport.abort()
            await asyncio.sleep(0.01)


@asynccontextmanager
async def connected(url: str, *, seconds: float = 20.0, connect: float = 4.0) -> AsyncIterator[HttpClient]:
    client = client_of(url, seconds, connect)
    try:
        yield client
    finally:
        await client.close()


def client_of(url: str, seconds: float = 20.0, connect: float = 4.0) -> HttpClient:
    return HttpClient(url, Redaction(""), path="chat/completions", headers={}, timeout=seconds, connect_timeout=connect)


async def failure(call: Awaitable[object]) -> CallFailed:
    with pytest.raises(CallFailed) as failed:
        await call
    return failed.value


def reset(writer: asyncio.StreamWriter) -> None:
    """Break a connection off without a goodbye."""
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


def hang_up(writer: asyncio.StreamWriter) -> None:
    writer.close()


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.mark.parametrize("end", [hang_up, reset])
def test_a_call_that_a_kept_connection_may_have_brought_over_is_never_put_twice(
    end: Callable[[asyncio.StreamWriter], None],
) -> None:
    async def serve(number: int, body: bytes, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if body == b"second":
            end(writer)
        else:
            writer.write(packed())

    async def go() -> None:
        host = Host(serve)
        async with host.open() as url, connected(url) as client:
            await client.post(b"first", LIMIT)
            failed = await failure(client.post(b"second", LIMIT))
            assert (failed.cause, failed.passing) == ("broken connection", True)
            assert host.connections == 1
            assert (await client.post(b"third", LIMIT))[0] == WHOLE
            assert host.heard == [b"first", b"second", b"third"]

    asyncio.run(go())


def test_a_connection_that_was_closed_while_it_waited_is_not_used() -> None:
    async def serve(number: int, body: bytes, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(packed())
        await writer.drain()
        writer.close()

    async def go() -> None:
        host = Host(serve)
        async with host.open() as url, connected(url) as client:
            for number in range(5):
                assert (await client.post(b"%d" % number, LIMIT))[0] == WHOLE
                await asyncio.sleep(0.05)
            assert host.heard == [b"0", b"1", b"2", b"3", b"4"]

    asyncio.run(go())


def test_connections_are_kept_and_each_answer_is_that_of_its_own_call() -> None:
    async def go() -> None:
        host = Host(one_after_the_other)
        async with host.open() as url, connected(url) as client:
            for _ in range(3):
                found = await asyncio.gather(*(client.post(b"%d" % n, LIMIT) for n in range(MANY)))
                assert [body for body, _ in found] == [completion(str(n)) for n in range(MANY)]
            assert host.connections <= MANY

    asyncio.run(go())


def test_a_call_that_is_given_up_is_hung_up_on_and_its_answer_goes_to_nobody() -> None:
    go_on = asyncio.Event()

    async def serve(number: int, body: bytes, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if body == b"slow":
            await go_on.wait()
        writer.write(packed(completion(body.decode())))

    async def go() -> None:
        host = Host(serve)
        async with host.open() as url, connected(url) as client:
            slow = asyncio.create_task(client.post(b"slow", LIMIT))
            await host.asked(1)
            slow.cancel()
            with pytest.raises(asyncio.CancelledError):
                await slow
            go_on.set()
            assert (await client.post(b"quick", LIMIT))[0] == completion("quick")
            await asyncio.sleep(0.05)
            assert (host.connections, host.left) == (2, 1)

    asyncio.run(go())


@pytest.mark.parametrize("end", [hang_up, reset])
@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"HTTP/1.1 200 OK\r\ncont",
        packed()[:-20],
        b'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"ch',
    ],
)
def test_an_answer_that_breaks_off_is_a_broken_connection(
    said: bytes, end: Callable[[asyncio.StreamWriter], None]
) -> None:
    async def serve(number: int, body: bytes, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(said)
        await asyncio.sleep(0.01)
        end(writer)

    async def go() -> None:
        host = Host(serve)
        async with host.open() as url, connected(url) as client:
            failed = await failure(client.post(b"call", LIMIT))
            assert (failed.cause, failed.passing) == ("broken connection", True)
            assert host.heard == [b"call"]

    asyncio.run(go())


@pytest.mark.parametrize(("pause", "cause"), [(0.0005, ""), (0.02, "time-out")])
def test_slow_bytes_are_read_to_their_end_within_the_time_of_a_call(pause: float, cause: str) -> None:
    async def serve(number: int, body: bytes, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for byte in packed():
            writer.write(bytes([byte]))
            await asyncio.sleep(pause)

    async def go() -> str:
        async with Host(serve).open() as url, connected(url, seconds=1.0) as client:
            try:
                body, seconds = await client.post(b"call", LIMIT)
            except CallFailed as failed:
                return failed.cause
            assert body == WHOLE
            assert seconds > pause
            return ""

    assert asyncio.run(go()) == cause


@pytest.mark.parametrize("how", ["chunked", "until it closes", "after a word in between"])
def test_a_body_is_read_however_its_length_is_told(how: str) -> None:
    async def serve(number: int, body: bytes, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        match how:
            case "chunked":
                pieces = (WHOLE[n : n + 7] for n in range(0, len(WHOLE), 7))
                chunks = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces)
                writer.write(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n" + chunks + b"0\r\nx: y\r\n\r\n")
            case "until it closes":
                writer.write(b"HTTP/1.1 200 OK\r\n\r\n" + WHOLE)
                writer.close()
            case _:
                writer.write(b"HTTP/1.1 103 Early Hints\r\ncontent-encoding: br\r\n\r\n" + packed())

    async def go() -> None:
        async with Host(serve).open() as url, connected(url) as client:
            assert (await client.post(b"call", LIMIT))[0] == WHOLE

    asyncio.run(go())


def test_large_bodies_wait_for_each_other_and_all_of_them_are_read() -> None:
    large = completion("x" * 400_000)

    async def serve(number: int, body: bytes, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(packed(large))

    async def go() -> None:
        host = Host(serve)
        async with host.open() as url, connected(url) as client:
            given_up = [asyncio.create_task(client.post(b"given up", LIMIT)) for _ in range(20)]
            calls = [asyncio.create_task(client.post(b"call", LIMIT)) for _ in range(40)]
            await host.asked(60)
            for each in given_up:
                each.cancel()
            found = await asyncio.gather(*calls)
            assert all(body == large for body, _ in found)

    asyncio.run(go())


def test_a_large_body_that_is_given_up_while_it_waits_lets_the_next_one_be_read() -> None:
    large, go_on = completion("x" * 400_000), asyncio.Event()

    async def serve(number: int, body: bytes, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        half = len(packed(large)) // 2
        writer.write(packed(large)[:half])
        if body == b"slow":
            await go_on.wait()
        writer.write(packed(large)[half:])

    async def go() -> None:
        host = Host(serve)
        async with host.open() as url, connected(url) as client:
            slow = [asyncio.create_task(client.post(b"slow", LIMIT)) for _ in range(8)]  # as many as are read at once
            await host.asked(8)
            await asyncio.sleep(0.05)
            waiting = [asyncio.create_task(client.post(b"waits", LIMIT)) for _ in range(6)]
            await host.asked(14)
            await asyncio.sleep(0.05)
            assert not any(each.done() for each in waiting)
            for each in waiting[:4]:
                each.cancel()
            go_on.set()
            assert [body for body, _ in await asyncio.gather(*slow, *waiting[4:])] == [large] * 10

    asyncio.run(go())


def test_a_packed_body_that_grows_beyond_the_limit_is_too_large_and_one_at_the_limit_is_read() -> None:
    async def serve(number: int, body: bytes, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(packed(gzip.compress(completion("x" * int(body))), "content-encoding: GZip"))

    async def go() -> None:
        beside = len(completion(""))
        async with Host(serve).open() as url, connected(url) as client:
            assert len((await client.post(b"%d" % (LIMIT - beside), LIMIT))[0]) == LIMIT
            assert (await failure(client.post(b"%d" % (LIMIT - beside + 1), LIMIT))).cause == "too large"

    asyncio.run(go())


def test_a_refusal_before_the_call_was_read_is_heard() -> None:
    class Hasty(Host):
        async def take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            self.writers.append(writer)
            await reader.readuntil(b"\r\n\r\n")
            writer.write(packed(b"too much", "connection: close", status="413 Content Too Large"))

    async def go() -> CallFailed:
        async with Hasty(one_after_the_other).open() as url, connected(url) as client:
            return await failure(client.post(b"x" * (8 << 20), LIMIT))

    failed = asyncio.run(go())
    assert (failed.cause, failed.detail) == ("http 413", "too much")


def test_one_client_serves_one_loop_after_the_other() -> None:
    with listening(lambda heard: Say(completion(heard.body.decode()))) as listener:
        client = client_of(listener.url)
        for call in (b"first", b"second"):
            assert asyncio.run(client.post(call, LIMIT))[0] == completion(call.decode())
        asyncio.run(client.close())


def test_a_client_that_is_closed_ends_what_is_under_way() -> None:
    async def serve(number: int, body: bytes, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(10)

    async def go() -> None:
        host = Host(serve)
        async with host.open() as url:
            async with connected(url) as client:
                calls = [asyncio.create_task(failure(client.post(b"call", LIMIT))) for _ in range(5)]
                await host.asked(5)
            assert {failed.cause for failed in await asyncio.gather(*calls)} == {"broken connection"}

    asyncio.run(go())


def test_a_loop_that_can_watch_no_file_does_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_reader(*_: object) -> None:
        raise NotImplementedError

    async def go() -> None:
        host = Host(one_after_the_other)
        async with host.open() as url, connected(url) as client:
            with monkeypatch.context() as patch:
                patch.setattr(asyncio.get_running_loop(), "add_reader", no_reader)
                await client.post(b"first", LIMIT)
            found = await asyncio.gather(*(client.post(b"%d" % n, LIMIT) for n in range(100)))
            assert [body for body, _ in found] == [completion(str(n)) for n in range(100)]

    asyncio.run(go())


def test_nobody_waits_longer_than_it_takes_to_reach_who_is_there() -> None:
    async def go() -> CallFailed:
        with socket.socket() as full:  # nobody takes what has come, and there is no room for more
            full.bind(("127.0.0.1", 0))
            full.listen(0)
            held = [socket.socket() for _ in range(8)]
            for each in held:
                each.setblocking(False)
                each.connect_ex(full.getsockname())
            async with connected(f"http://127.0.0.1:{full.getsockname()[1]}", connect=0.2) as client:
                failed = await failure(client.post(b"call", LIMIT))
            for each in held:
                each.close()
        return failed

    failed = asyncio.run(go())
    assert (failed.cause, failed.passing) == ("no connection", True)
    assert "no word in 0.2 s" in failed.detail


def test_a_name_that_nobody_knows_is_no_connection() -> None:
    async def go() -> CallFailed:
        async with connected("http://nobody.invalid") as client:
            return await failure(client.post(b"call", LIMIT))

    assert asyncio.run(go()).cause == "no connection"
