"""Text taken out of an endpoint's words: keys that it says back, and the request that its errors repeat.

A key of fewer than `SHORTEST` characters is no secret worth the name (`token`, `EMPTY`, `none`), and taking it out
would destroy words: it is never touched. The prompts of a benchmark speak of sensitive content, of daily life and of
credit, as errors do, and a whole call has the names of all of its settings; only the server's own words say what it
refuses.
"""

import re
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from mores.models.request import Reply

SHORTEST = 12
GONE = "***"
_ESCAPES = ("\\", "%", "&#")
_ESCAPED = re.compile(r"\\[ux/]|%[2-7][0-9a-fA-F]|&#")


class Redaction:
    """Takes keys out of words: as they are, escaped (JSON, per cent, HTML) in part or whole, in base64, or in hex."""

    def __init__(self, *keys: str) -> None:
        # the longest first, as one may stand in another
        self._keys = sorted({key for key in keys if len(key) >= SHORTEST}, key=lambda key: (-len(key), key))
        self._forms = tuple(form for key in self._keys for form in _forms(key))

    def words(self, text: str) -> str:
        """The words without the keys."""
        if not self._forms:
            return text
        for form in self._forms:
            if form in text:
                text = text.replace(form, GONE)
        if any(mark in text for mark in _ESCAPES) and _ESCAPED.search(text):
            text = self._spelled.sub(GONE, text)
        return text

    def reply(self, reply: Reply) -> Reply:
        """The reply without the keys, and without its tokens where these spell one."""
        if not self._forms:
            return reply
        text, reasoning = self.words(reply.text), self.words(reply.reasoning)
        model, finish = self.words(reply.model), self.words(reply.finish)
        if (text, reasoning, model, finish) != (reply.text, reply.reasoning, reply.model, reply.finish):
            reply = replace(reply, text=text, reasoning=reasoning, model=model, finish=finish)
        if reply.logprobs is not None:
            drawn = "".join(token for token, _ in reply.logprobs)
            if self.words(drawn) != drawn:
                reply = replace(reply, logprobs=None)
        return reply

    @cached_property
    def _spelled(self) -> re.Pattern[str]:
        """The keys with each letter as it is or escaped."""
        return re.compile("|".join("".join(map(_letter, key)) for key in self._keys))


def _letter(letter: str) -> str:
    code = ord(letter)
    hexed = f"(?i:{code:02x})"
    escapes = rf"\\{{1,4}}(?:u00|x){hexed}|%(?:25){{0,3}}{hexed}|&#0{{0,4}}{code};|(?i:&#x)0{{0,4}}{hexed};"
    return rf"(?:\\{{0,4}}{re.escape(letter)}|{escapes})"


def _forms(key: str) -> tuple[str, ...]:
    """The key as it is, in hex, and what all base64 has in common that it stands in, wherever it begins."""
    plain = key.encode()
    found = [key, plain.hex(), plain.hex().upper()]
    for before in range(3):
        whole = b64encode(bytes(before) + plain).decode()
        # The letters at either end hold bits of what stands next to the key, and are left out.
        core = whole[(0, 2, 3)[before] : (before + len(plain)) * 8 // 6]
        found += [core, core.replace("+", "-").replace("/", "_")]
    return tuple(dict.fromkeys(found))


_WORD = re.compile(r"[^\W_]+")
_LETTER = re.compile(r"\\+u([0-9a-fA-F]{4})")
_TOKEN = re.compile(r'[\[{]|"[^"]*"|[^\s\[\]{},:"]+')
_SPACE = re.compile(r"\\+[nrt]")
_IN_A_ROW = 4
"""Words in a row that stand in what was asked as well, from which they are taken for said back."""
ELLIPSIS = "…"


class EchoedRequest(NamedTuple):
    """Contents of a call that an error may repeat: the words of its messages, and its other fields."""

    texts: tuple[str, ...] = ()
    settings: Mapping[str, object] = MappingProxyType({})

    @classmethod
    def of(cls, call: bytes) -> "EchoedRequest":
        """Contents of the body of a call."""
        try:
            whole = msgspec.json.decode(call)
        except msgspec.DecodeError:  # no call to a model
            return cls()
        texts = [message["content"] for message in whole.pop("messages", ())]
        return cls((*texts, whole.pop("prompt", "")), whole)


NOTHING = EchoedRequest()


def without_echo(words: str, asked: EchoedRequest) -> str:
    r"""The words of an error without those of the question, however they are escaped, and cut short as they may be.

    A setting that stands there by its name and with the value that was sent is said back too, and complained of by
    nothing.

    >>> without_echo('Bad field: "Is this\\ndaily life? Yes or n', EchoedRequest(("Is this\ndaily life? Yes or no",)))
    'Bad field: "… n'
    """
    known = {run for text in asked.texts for run in _runs(_WORD.findall(text))}
    for name, value in asked.settings.items():
        if name in words:
            words = re.sub(_field(name, value), ELLIPSIS, words, flags=re.IGNORECASE)
    return _without_runs(words, known) if known else words


def _field(name: str, value: object) -> str:
    """A pattern for a field as JSON or Python has it: its name in quotes, and its value or the beginning of that."""
    parts = [part.strip('"') for part in _TOKEN.findall(msgspec.json.encode(value).decode())[:2]]
    return rf"[\"']{re.escape(name)}\\*[\"']\s*:" + "".join(rf"[\s\\\"']*{re.escape(part)}" for part in parts)


def _without_runs(text: str, known: set[tuple[str, ...]]) -> str:
    text = _SPACE.sub(" ", _LETTER.sub(lambda letter: chr(int(letter[1], 16)), text))
    words = list(_WORD.finditer(text))
    kept, after = [], 0
    for place, run in enumerate(_runs([word[0] for word in words])):
        if run in known:
            start = words[place].start()
            kept += [text[after:start], ELLIPSIS] if start >= after else []
            after = words[place + _IN_A_ROW - 1].end()
    return "".join((*kept, text[after:]))


def _runs(words: Sequence[str]) -> Iterable[tuple[str, ...]]:
    """Each few words in a row."""
    return zip(*(words[first:] for first in range(_IN_A_ROW)), strict=False)
