"""The floor: sockets and a selector, each answer read by its length, parsed and forgotten. No library can cost less."""

import json
import selectors
import socket
from urllib.parse import urlsplit

from benchmarks.speed.contenders.meter import Task, body, metered, task

END = b"\r\n\r\n"


class Line:
    """One kept connection; one call at a time."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self.socket = socket.create_connection((parts.hostname or "", parts.port or 80))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        head = (
            f"POST {parts.path}/chat/completions HTTP/1.1\r\nHost: {parts.netloc}\r\nContent-Type: application/json\r\n"
        )
        self._head = f"{head}Content-Length: ".encode()
        self._valid_answers = b""

    def ask(self, prompt: str) -> None:
        """Put a question."""
        data = json.dumps(body(prompt)).encode()
        self.socket.sendall(b"%b%d\r\n\r\n%b" % (self._head, len(data), data))

    def answer(self) -> bytes | None:
        """The body of the answer, once it is whole."""
        self._valid_answers += self.socket.recv(1 << 16)
        head, end, said = self._valid_answers.partition(END)
        if not end or len(said) < int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0]):
            return None
        if head[9:12] != b"200":
            raise SystemExit(head.decode())
        self._valid_answers = b""
        return said


def ask_all(given: Task) -> None:
    """Post every item, `window` at a time."""
    waiting, out = iter(given.rows), 0
    with selectors.DefaultSelector() as selector:
        for row in (next(waiting, None) for _ in range(given.window)):
            if row is not None:
                line = Line(given.url)
                selector.register(line.socket, selectors.EVENT_READ, line)
                line.ask(row["prompt"])
                out += 1
        while out:
            for key, _ in selector.select():
                said = key.data.answer()
                if said is None:
                    continue
                json.loads(said)["choices"][0]["message"]["content"]
                row = next(waiting, None)
                if row is None:
                    out -= 1
                else:
                    key.data.ask(row["prompt"])


if __name__ == "__main__":
    given = task()
    with metered():
        ask_all(given)
