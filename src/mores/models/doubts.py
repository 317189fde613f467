"""What an endpoint says of its own answer, held against the answer: counts of tokens, and their log-probabilities."""

from collections.abc import Sequence

from mores.models.completion import NONSENSE
from mores.models.request import Usage

UNSEEN_ASKED, UNSEEN_SAID = 16_384, 131_072
"""Tokens that a call may have beyond its bytes: words that a gateway adds, thinking that is not shown.

A token is a byte at least, so what is sent and received bounds all others.
"""
LONG, LONGEST_TOKEN = 8_192, 20
"""Bytes of a prompt that is long, and how many of these a token has at most on average."""
FEW = "so few tokens that the prompt may have been cut"
UNSPELLED = "log-probabilities left out that are not of the words of the answer"
_SPACES = str.maketrans("", "", " \n\t\rĠĊ▁")


def implausible(usage: Usage, *, sent: int, received: int) -> str:
    """What is wrong with an endpoint's counts of tokens, in words, given the bytes of a call; empty where they can be.

    >>> implausible(Usage(input=-5, output=1), sent=300, received=400)
    'less than no tokens'
    >>> implausible(Usage(input=12, output=1), sent=300, received=400)
    ''
    """
    if 0 <= usage.input <= sent <= LONG and 0 <= usage.output <= received and not (usage.cached or usage.reasoning):
        return ""  # as of most calls: nothing else below can be
    asked, said = usage.input, max(usage.output, usage.reasoning)
    if NONSENSE == usage.input == usage.output:
        return "what is no number of tokens"
    if min(asked, usage.output, usage.cached, usage.reasoning) < 0:
        return "less than no tokens"
    if max(asked, usage.cached) > sent + UNSEEN_ASKED or said > received + UNSEEN_SAID:
        return "more tokens than the call can have had"
    if not usage.estimated and sent > LONG and asked * LONGEST_TOKEN < sent:
        return FEW
    return ""


def spells(tokens: Sequence[tuple[str, float]], text: str) -> bool:
    """True where tokens spell an answer, perhaps with thinking before it; letters that are cut in two may be any.

    >>> spells([("Ye", -0.1), ("s", -0.2), ("<|end|>", 0.0)], "Yes"), spells([("Ye", -0.1)], "Yes")
    (True, False)
    """
    drawn = "".join(token for token, _ in tokens)
    whole = "\\x" not in drawn and "\ufffd" not in drawn
    return not whole or text.translate(_SPACES) in drawn.translate(_SPACES)
