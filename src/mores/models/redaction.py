"""Keys that an endpoint says back, taken out of its words once they are decoded.

A key of fewer than `SHORTEST` characters is no secret worth the name (`token`, `EMPTY`, `none`), and taking it out
would destroy words: it is never touched.
"""

import re
from base64 import b64encode
from functools import cached_property

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

    def words(self, said: str) -> str:
        """The words without the keys."""
        if not self._forms:
            return said
        for form in self._forms:
            if form in said:
                said = said.replace(form, GONE)
        if any(mark in said for mark in _ESCAPES) and _ESCAPED.search(said):
            said = self._spelled.sub(GONE, said)
        return said

    def reply(self, said: Reply) -> Reply:
        """The reply without the keys, and without its tokens where these spell one."""
        if not self._forms:
            return said
        text, reasoning = self.words(said.text), self.words(said.reasoning)
        model, finish = self.words(said.model), self.words(said.finish)
        if (text, reasoning, model, finish) != (said.text, said.reasoning, said.model, said.finish):
            said = replace(said, text=text, reasoning=reasoning, model=model, finish=finish)
        if said.logprobs is not None:
            drawn = "".join(token for token, _ in said.logprobs)
            if self.words(drawn) != drawn:
                said = replace(said, logprobs=None)
        return said

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
        core = whole[(0, 2, 3)[before] : (before + len(plain)) * 8 // 6]
        found += [core, core.replace("+", "-").replace("/", "_")]
    return tuple(dict.fromkeys(found))
