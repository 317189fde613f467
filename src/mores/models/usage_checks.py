"""Checks of an endpoint's own figures against its answer: counts of tokens, and their log-probabilities.

A server that cuts long prompts in silence counts what it kept. Two things give it away, whatever the tokenizer: prompts
of many lengths that all have the same count, which no other prompt exceeds; and fewer tokens than the words of any
language have, by what this model's own short prompts took. Scripts differ in bytes a token, so words are counted, and
signs by script.
"""

import re
from collections.abc import Sequence

from msgspec import Struct, field

from mores.core.transcript import Message
from mores.models.completion import NONSENSE
from mores.models.request import Usage

UNSEEN_INPUT, UNSEEN_OUTPUT = 16_384, 131_072
"""Tokens that a call may have beyond its bytes: words that a gateway adds, thinking that is not shown.

A token is a byte at least, so what is sent and received bounds all others.
"""
LONG, LONGEST_TOKEN = 8_192, 20
"""Bytes of a prompt that is long, and how many of these a token has at most on average."""
FEW = "so few tokens that the prompt may have been cut"
CUTTABLE, LEAST_KEPT = 1_536, 384
"""Bytes from which a prompt may have been cut, and tokens that are kept of one at least: no window is smaller."""
ALIKE, SPREAD = 4, 1.25
"""Prompts of one count that show a cut, and how much longer the longest of them is than the shortest."""
SIGNS_A_TOKEN = 5.6
"""Most signs a token, on average, of words in letters that tokenizers are made for: English has 4 to 5."""
DENSE, OTHERS = 2.6, 4.2
"""The same of Chinese, Japanese and Korean, and of all other scripts, which have 1 to 4."""
SHORT, SHORT_ONES = 256, 16
"""Bytes of a short prompt at least, and how many of these show how many signs a token the model's tokenizer has."""
_MARGIN = 1.25
_KEPT = 1_024
_DENSE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_RUN = re.compile(r"(\W)\1{3,}")
UNSPELLED = "log-probabilities left out that are not of the words of the answer"
_SPACES = str.maketrans("", "", " \n\t\rĠĊ▁")


def implausible_usage(usage: Usage, *, sent: int, received: int) -> str:
    """Fault of an endpoint's counts of tokens, in words, given the bytes of a call; empty where they are possible.

    >>> implausible_usage(Usage(input=-5, output=1), sent=300, received=400)
    'less than no tokens'
    >>> implausible_usage(Usage(input=12, output=1), sent=300, received=400)
    ''
    """
    if 0 <= usage.input <= sent <= LONG and 0 <= usage.output <= received and not (usage.cached or usage.reasoning):
        return ""  # as of most calls: nothing else below can be
    asked, output = usage.input, max(usage.output, usage.reasoning)
    if NONSENSE == usage.input == usage.output:
        return "what is no number of tokens"
    if min(asked, usage.output, usage.cached, usage.reasoning) < 0:
        return "less than no tokens"
    if max(asked, usage.cached) > sent + UNSEEN_INPUT or output > received + UNSEEN_OUTPUT:
        return "more tokens than the call can have had"
    if not usage.estimated and sent > LONG and asked * LONGEST_TOKEN < sent:
        return FEW
    return ""


class PromptCounts(Struct):
    """The counts of one model's prompts, held against each other."""

    _most: int = 0
    _lengths: set[int] = field(default_factory=set)
    _reported: bool = False
    _short: int = 0
    _densest: float = 0.0

    def cut(self, usage: Usage, messages: Sequence[Message], sent: int) -> int:
        """Number of prompts that it shows to have been cut: this one, and earlier ones of the same count; mostly 0.

        Some endpoints leave what they read from a cache out of the count of the prompt, so that both together count.
        """
        counted = usage.input + usage.cached
        if usage.estimated or sent < CUTTABLE or counted < LEAST_KEPT:
            if self._short < SHORT_ONES and counted and SHORT < sent < CUTTABLE:
                self._short += 1
                self._densest = max(self._densest, least_tokens(messages) / counted)
            return 0
        if not usage.cached and (alike := self._of_one_count(usage.input, sent)):
            return alike
        dense = max(1.0, _MARGIN * self._densest)
        if counted * SIGNS_A_TOKEN * dense >= sent:
            return 0
        return int(counted * dense < least_tokens(messages))

    def _of_one_count(self, counted: int, sent: int) -> int:
        """Number of prompts that are now seen to have been cut to one length, which is the most that any prompt has."""
        if counted > self._most:
            self._most, self._lengths, self._reported = counted, set(), False
        if counted < self._most:
            return 0
        if len(self._lengths) < _KEPT:
            self._lengths.add(sent)
        if len(self._lengths) < ALIKE or max(self._lengths) < SPREAD * min(self._lengths):
            return 0
        reported, self._reported = self._reported, True
        return 1 if reported else len(self._lengths)


def least_tokens(messages: Sequence[Message]) -> float:
    """Tokens that words have at least: by their signs and scripts, and no more than a word each where all are long."""
    text = _RUN.sub(r"\1\1\1", " ".join(message.content for message in messages))
    plain = len(text.encode("ascii", "ignore"))
    dense = len(_DENSE.findall(text)) if plain < len(text) else 0
    return min(plain / SIGNS_A_TOKEN, 1.1 * len(text.split())) + dense / DENSE + (len(text) - plain - dense) / OTHERS


def spells(tokens: Sequence[tuple[str, float]], text: str) -> bool:
    """True where tokens spell an answer, perhaps with thinking before it; letters that are cut in two may be any.

    >>> spells([("Ye", -0.1), ("s", -0.2), ("<|end|>", 0.0)], "Yes"), spells([("Ye", -0.1)], "Yes")
    (True, False)
    """
    drawn = "".join(token for token, _ in tokens)
    whole = "\\x" not in drawn and "\ufffd" not in drawn
    return not whole or text.translate(_SPACES) in drawn.translate(_SPACES)
