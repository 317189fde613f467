"""What was asked, taken out of what an error says: servers send a call back in their complaint of it.

The prompts of a benchmark speak of sensitive content, of daily life and of credit, as errors do, and a whole call has
the names of all of its settings; only the server's own words say what it refuses.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import msgspec

_WORD = re.compile(r"[^\W_]+")
_LETTER = re.compile(r"\\+u([0-9a-fA-F]{4})")
_TOKEN = re.compile(r'[\[{]|"[^"]*"|[^\s\[\]{},:"]+')
_SPACE = re.compile(r"\\+[nrt]")
_IN_A_ROW = 4
"""Words in a row that stand in what was asked as well, from which they are taken for said back."""
ELLIPSIS = "…"


class EchoedRequest(NamedTuple):
    """What an error may say back of a call: the words of its messages, and its other fields."""

    texts: tuple[str, ...] = ()
    settings: Mapping[str, object] = MappingProxyType({})

    @classmethod
    def of(cls, call: bytes) -> "EchoedRequest":
        """What the body of a call holds."""
        try:
            whole = msgspec.json.decode(call)
        except msgspec.DecodeError:  # no call to a model
            return cls()
        texts = [message["content"] for message in whole.pop("messages", ())]
        return cls((*texts, whole.pop("prompt", "")), whole)


NOTHING = EchoedRequest()


def without_echo(said: str, asked: EchoedRequest) -> str:
    r"""The words of an error without those of the question, however they are escaped, and cut short as they may be.

    A setting that stands there by its name and with the value that was sent is said back too, and complained of by
    nothing.

    >>> without_echo('Bad field: "Is this\\ndaily life? Yes or n', Asked(("Is this\ndaily life? Yes or no",)))
    'Bad field: "… n'
    """
    known = {run for text in asked.texts for run in _runs(_WORD.findall(text))}
    for name, value in asked.settings.items():
        if name in said:
            said = re.sub(_field(name, value), ELLIPSIS, said, flags=re.IGNORECASE)
    return _without_runs(said, known) if known else said


def _field(name: str, value: object) -> str:
    """A pattern for a field as JSON or Python has it: its name in quotes, and its value or the beginning of that."""
    parts = [part.strip('"') for part in _TOKEN.findall(msgspec.json.encode(value).decode())[:2]]
    return rf"[\"']{re.escape(name)}\\*[\"']\s*:" + "".join(rf"[\s\\\"']*{re.escape(part)}" for part in parts)


def _without_runs(said: str, known: set[tuple[str, ...]]) -> str:
    said = _SPACE.sub(" ", _LETTER.sub(lambda letter: chr(int(letter[1], 16)), said))
    words = list(_WORD.finditer(said))
    kept, after = [], 0
    for place, run in enumerate(_runs([word[0] for word in words])):
        if run in known:
            start = words[place].start()
            kept += [said[after:start], ELLIPSIS] if start >= after else []
            after = words[place + _IN_A_ROW - 1].end()
    return "".join((*kept, said[after:]))


def _runs(words: Sequence[str]) -> Iterable[tuple[str, ...]]:
    """Each few words in a row."""
    return zip(*(words[first:] for first in range(_IN_A_ROW)), strict=False)
