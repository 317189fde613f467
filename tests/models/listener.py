"""A server that notes every byte it was sent and answers as a test wants: for what the stand-in cannot show."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple


class Heard(NamedTuple):
    """One request as it came."""

    target: str
    headers: dict[str, str]
    body: bytes


class Say(NamedTuple):
    """One answer, where it points to and how it is packed."""

    body: bytes
    status: int = 200
    location: str = ""
    packing: str = ""


Answer = Callable[[Heard], Say]


@dataclass(slots=True)
class Listener:
    """The server's address and all that it heard."""

    url: str
    heard: list[Heard] = field(default_factory=list)


def completion(text: str | None, **message: object) -> bytes:
    """A chat completion that says `text`."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text, **message}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 5, "completion_tokens": 1}
    return json.dumps({"choices": [choice], "model": "m", "usage": usage}).encode()


@contextmanager
def listening(answer: Answer = lambda _: Say(completion("True"))) -> Iterator[Listener]:
    """A listener for as long as the block lasts."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            heard = Heard(self.path, dict(self.headers.items()), self.rfile.read(length))
            listener.heard.append(heard)
            said = answer(heard)
            self.send_response(said.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(said.body)))
            if said.location:
                self.send_header("Location", said.location)
            if said.packing:
                self.send_header("Content-Encoding", said.packing)
            self.end_headers()
            self.wfile.write(said.body)

        def do_CONNECT(self) -> None:
            listener.heard.append(Heard(self.path, dict(self.headers.items()), b""))
            self.send_error(502)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
            return

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 128

        def handle_error(self, request: object, client_address: object) -> None:
            """Who takes no more of an answer resets the connection."""

    with Server(("127.0.0.1", 0), Handler) as server:
        listener = Listener(f"http://127.0.0.1:{server.server_address[1]}/v1")
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield listener
        finally:
            server.shutdown()
            thread.join()
