"""One connection, and the desk that decides what each request is given."""

import asyncio
import hashlib
import re
import time
from collections import deque
from typing import Any

import msgspec

from mores.core.codec import encode, parse_json
from mores.core.errors import InputError
from mores.core.seeds import Seed
from tests.endpoint.answers import Answer, Asked, completion, failure, refusal, reject
from tests.endpoint.flood import FLOODS, Flood
from tests.endpoint.heeding import heeded
from tests.endpoint.rules import Rules, rules_from
from tests.endpoint.tally import Tally, body_hash, headers
from tests.endpoint.weighing import obey, weigh

LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
VERBS = "counts, answered, signs, rules, answers, reset, mark, arrivals"


class Line(asyncio.Protocol):
    """One connection; one request at a time."""

    def __init__(self, desk: "Desk") -> None:
        self.desk = desk
        self.pending = b""
        self.asked = ""  # the body hash of the request in flight
        self.timer: asyncio.TimerHandle | None = None
        self.flood: Flood | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.pending += data
        end = self.pending.find(b"\r\n\r\n")
        if end < 0:
            return
        head, found = self.pending[:end], LENGTH.search(self.pending, 0, end)
        stop = end + 4 + (int(found[1]) if found else 0)
        if len(self.pending) >= stop:
            body, self.pending = self.pending[end + 4 : stop], self.pending[stop:]
            self.desk.take(self, head, body)

    def connection_lost(self, exc: Exception | None) -> None:
        if self.timer:
            self.timer.cancel()
        if self.flood:
            self.flood.stop()
        self._leave()

    def pause_writing(self) -> None:
        if self.flood:
            self.flood.pause()

    def resume_writing(self) -> None:
        if self.flood:
            asyncio.get_running_loop().call_soon(self.flood.pour)

    def begin(self, head: bytes, asked: str) -> None:
        """A chat request is in flight."""
        self.asked = asked
        self.desk.tally.arrive(head)

    def finish(self, answer: Answer) -> None:
        """The answer to it, as whole or as broken as it is meant to be."""
        tally = self.desk.tally
        if answer.fault in FLOODS:
            self.flood = Flood(self.transport, answer.fault)
            self.flood.pour()
            return
        if answer.fault != "drop":
            tally.statuses[str(answer.status)] += 1
            self.transport.write(answer.wire())
        if answer.whole and not self.transport.is_closing() and not self.transport.get_write_buffer_size():
            tally.answered[self.asked] += 1
        if answer.fault in {"drop", "cut"}:
            self.transport.close()
        self._leave()

    def _leave(self) -> None:
        if self.asked:
            self.asked = ""
            self.desk.tally.leave()


class Desk:
    """Takes each request: chat by the rules, control by its verb."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.tally = Tally()
        self.texts: dict[str, str] = {}
        self.recent: deque[float] = deque()

    def take(self, line: Line, head: bytes, body: bytes) -> None:
        """Answer a request, now or after its latency."""
        path = head.split(b" ", 2)[1]
        if path.endswith(b"/chat/completions"):
            self._chat(line, head, body)
        elif path.startswith(b"/control/"):
            line.transport.write(self._control(path.rpartition(b"/")[2].decode(), body).wire())
            line.transport.close()
        else:
            line.transport.write(refusal(404, f"Unknown path {path.decode()}", "invalid_request_error").wire())

    def _chat(self, line: Line, head: bytes, body: bytes) -> None:
        rules, asked = self.rules, body_hash(body)
        line.begin(head, asked)
        answer = self._gate(head) or self._answer(asked, body)
        seconds = 0.0 if 400 <= answer.status < 500 else rules.latency_ms / 1000
        if answer.fault == "stall":
            seconds = rules.stall_seconds
            if not seconds:
                return
        if seconds:
            line.timer = asyncio.get_running_loop().call_later(seconds, line.finish, answer)
        else:
            line.finish(answer)

    def _gate(self, head: bytes) -> Answer | None:
        rules = self.rules
        if rules.key and headers(head).get("authorization") != f"Bearer {rules.key}":
            return refusal(401, "Incorrect API key provided.", "invalid_request_error", code="invalid_api_key")
        if not rules.per_minute:
            return None
        now = time.monotonic()
        while self.recent and self.recent[0] <= now - rules.minute_seconds:
            self.recent.popleft()
        if len(self.recent) >= rules.per_minute:
            wait = self.recent[0] + rules.minute_seconds - now
            return refusal(429, "Rate limit reached for requests.", "requests", wait=f"{wait:.3f}")
        self.recent.append(now)
        return None

    def _answer(self, asked: str, body: bytes) -> Answer:
        rules = self.rules
        try:
            chat = msgspec.json.decode(body, type=Asked)
        except msgspec.MsgspecError as error:
            return refusal(400, f"Could not parse the body: {error}", "invalid_request_error")
        self.tally.signs[asked] = sum(len(message.text) for message in chat.messages)
        if rules.models and chat.model not in rules.models:
            return refusal(404, f"The model '{chat.model}' does not exist.", "not_found", code="model_not_found")
        if rules.reject and (rejected := reject(rules.reject, body)):
            return rejected
        if chat.response_format and rules.schema_refusal:
            return refusal(400, rules.schema_refusal, "invalid_request_error")
        meant = rules.only.encode() in body
        if rules.turn and meant and self.tally.statuses["200"] >= rules.turn_after:
            return refusal(rules.turn, rules.turn_says, "invalid_request_error")
        fault = self._fault(asked) if rules.faults and meant else ""
        if fault[:1].isdigit():
            return failure(fault, rules)
        if rules.heeds:
            rules = heeded(rules, body)
        return weigh(rules, chat) or completion(rules, chat, self._text(chat), asked, fault)

    def _fault(self, asked: str) -> str:
        attempt = 0 if self.rules.persistent else self.tally.attempts[asked]
        self.tally.attempts[asked] += 1
        if attempt >= self.rules.fault_tries and not self.rules.persistent:
            return ""
        left = Seed(self.rules.seed).child("fault", asked, attempt).uniform()
        for fault, share in self.rules.faults.items():
            if left < share:
                self.tally.faults[fault] += 1
                return fault
            left -= share
        return ""

    def _text(self, chat: Asked) -> str:
        prompt = chat.messages[-1].text
        if self.texts:
            if prompt in self.texts:
                return self.texts[prompt]
            if found := next((text for part, text in self.texts.items() if part in prompt), None):
                return found
        if self.rules.reply != "parity":
            return self.rules.reply
        if chat.response_format:
            return encode(obey(chat.response_format["json_schema"]["schema"], prompt)).decode()
        return "True" if hashlib.blake2b(prompt.encode(), digest_size=1).digest()[0] & 1 else "False"

    def _control(self, verb: str, body: bytes) -> Answer:
        try:
            data = parse_json(body, where="control") if body else None
            return Answer(encode(self._obey(verb, data)))
        except (InputError, IndexError) as error:
            return Answer(str(error).encode(), 400)

    def _obey(self, verb: str, data: Any) -> object:
        match verb:
            case "counts":
                return self.tally.counts()._asdict()
            case "answered":
                return self.tally.answered
            case "signs":
                return self.tally.signs
            case "rules":
                self.rules = rules_from({**msgspec.structs.asdict(self.rules), **data})
            case "answers":
                self.texts = data
            case "reset":
                fresh = Tally()
                fresh.in_flight = self.tally.in_flight
                self.tally = fresh
            case "mark":
                return self.tally.mark()
            case "arrivals":
                return [self.tally.arrival(number) for number in data]
            case _:
                raise InputError(f"/control/{verb}: unknown; known are {VERBS}.")
        return None
