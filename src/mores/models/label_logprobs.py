"""Log-probabilities of labels out of the tokens that an endpoint sent, and the reply that holds them.

Two readings. Exact: each label was put behind the beginning of the answer, and the tokens of the prompts themselves
are weighed from the first place at which any two of them part. First token: the answer was drawn, and each label has
the mass of the tokens that begin it at the first place where one can begin.
"""

from collections.abc import Sequence
from itertools import takewhile
from math import exp, inf, isfinite, log, log1p
from typing import Literal, NamedTuple

from msgspec import Struct, field

from mores.models.completion import PromptPlaces, PromptToken, Token
from mores.models.request import CallFailed, Reply, Usage

NO_LOGPROBS = "no log-probabilities"
"""The cause of a labelled call's failure where there are none to be had."""
SHARED_MOST = log(0.01)
"""The largest part of the labels' mass that may lie on a token of which one cannot tell whose it is."""

How = Literal["exact", "first token", "bound"]
"""Method of the sums, as it stands in `Reply.finish`. A bound is a label's that no listed token begins."""

_SPACES = str.maketrans({"Ġ": " ", "▁": " ", "Ċ": "\n"})  # as vocabularies spell them, and some servers send them


class LabelLogprobs(NamedTuple):
    """A log-probability for each label, in their order, and how they came about."""

    values: tuple[float, ...]
    how: How


class Cost(NamedTuple):
    """Cost of a reply, its model and its seconds."""

    usage: Usage
    model: str
    seconds: float


def scored(labels: Sequence[str], sums: LabelLogprobs, cost: Cost) -> Reply:
    """The reply to a labelled request: the labels' log-probabilities in their order, the likeliest as its text.

    Raises:
        CallFailed: one of them is not finite.
    """
    if not all(isfinite(value) for value in sums.values):
        raise CallFailed(NO_LOGPROBS, f"{list(sums.values)} are not all finite")
    rows = tuple(zip(labels, sums.values, strict=True))
    text = max(rows, key=lambda row: row[1])[0]
    seconds = round(cost.seconds, 6)
    return Reply(text=text, finish=sums.how, usage=cost.usage, logprobs=rows, model=cost.model, seconds=seconds)


class Piece(NamedTuple):
    """A token of a prompt as it stands there; an empty id for the first, which has no log-probability."""

    id: str
    text: str
    logprob: float


def pieces_of(places: PromptPlaces) -> list[Piece]:
    """The prompt's own tokens: where likelier ones are listed beside, the one with the highest rank is its own."""
    return [_piece(place) if place else Piece("", "", 0.0) for place in places]


def _piece(place: dict[str, PromptToken]) -> Piece:
    name, token = max(place.items(), key=lambda entry: entry[1].rank or 0)
    return Piece(name, token.decoded_token or "", token.logprob)


def sum_prompts(prompts: Sequence[list[Piece]], labels: Sequence[str]) -> LabelLogprobs:
    """Log-probability of each label at the end of its own prompt, after what all prompts have in common.

    All sums begin at one place: where a label's letters begin, or earlier where a tokeniser merges the seam for one
    label, so that each speaks of the same context and they can be compared.

    Raises:
        CallFailed: a prompt does not end in its label.
    """
    begins = [_begin(pieces, label) for pieces, label in zip(prompts, labels, strict=True)]
    start = min(*begins, _parting(prompts))
    return LabelLogprobs(tuple(sum(piece.logprob for piece in pieces[start:]) for pieces in prompts), "exact")


def _begin(pieces: list[Piece], label: str) -> int:
    """The place of the first token that holds a letter of the label, read from the end."""
    wanted, tail = _bare(label), ""
    for place in range(len(pieces) - 1, 0, -1):
        tail = _bare(pieces[place].text) + tail
        if len(tail) >= len(wanted):
            if tail.endswith(wanted):
                return place
            break
    raise CallFailed(NO_LOGPROBS, f"the endpoint's prompt ends in {tail!r} and not in the label '{label}'")


def _parting(prompts: Sequence[list[Piece]]) -> int:
    """The first place at which not all prompts have the same token."""
    rows = zip(*prompts, strict=False)
    return sum(1 for _ in takewhile(lambda row: len({piece.id for piece in row}) == 1, rows))


def sum_first(tokens: Sequence[Token], labels: Sequence[str], beginning: str | None) -> LabelLogprobs:
    """The mass of the tokens that begin each label, where the first of them can stand.

    A label that no listed token begins has the probability of the least likely one listed, an upper bound.

    Args:
        tokens: As they were drawn, with the likeliest in each place.
        labels: What may be said.
        beginning: What must be drawn before a label; None where the first token drawn stands in a label's place.

    Raises:
        CallFailed: the answer does not begin so, no label is among the tokens listed, or labels share a token.
    """
    place = 0 if beginning is None else _after(tokens, labels, beginning)
    found = _weigh(tokens, place, tuple(labels), "")
    if not found.sums:
        listed = len(tokens[place].top_logprobs or ())
        raise CallFailed(NO_LOGPROBS, f"no label is begun by any of the {listed} likeliest tokens")
    values = tuple(found.sums.get(label, found.floor) for label in labels)
    bound = bool(found.bounded) or len(found.sums) < len(labels)
    return LabelLogprobs(values, "bound" if bound else "first token")


def begins_label(token: Token, labels: Sequence[str]) -> bool:
    """True where a token drawn in a label's place begins one."""
    spelled = token.token.translate(_SPACES).lstrip()
    return bool(spelled and _begun(spelled, tuple(labels)))


def _after(tokens: Sequence[Token], labels: Sequence[str], beginning: str) -> int:
    """The place right after the beginning, or the very first where the whole reply is a bare label."""
    wanted, spelled = _bare(beginning), ""
    for place, token in enumerate(tokens):
        if spelled.endswith(wanted):
            return place
        spelled += _bare(token.token)
    if any(spelled.startswith(_bare(label)) for label in labels):
        return next(place for place, token in enumerate(tokens) if _bare(token.token))
    raise CallFailed(NO_LOGPROBS, f"the reply begins {spelled[:40]!r} and not as asked")


class _Found(Struct):
    """Masses of the labels that a listed token begins, whose are bounds, and the least likely token listed."""

    floor: float
    sums: dict[str, float] = field(default_factory=dict)
    bounded: set[str] = field(default_factory=set)

    def add(self, label: str, logprob: float) -> None:
        self.sums[label] = _plus(self.sums.get(label, -inf), logprob)


def _weigh(tokens: Sequence[Token], place: int, labels: tuple[str, ...], before: str) -> _Found:
    """The labels' masses at one place, given the letters of them that were drawn before it."""
    drawn = tokens[place]
    listed = {token.token: token.logprob for token in (*(drawn.top_logprobs or ()), drawn)}
    found, shared = _Found(min(listed.values())), -inf
    for text, logprob in listed.items():
        plain = text.translate(_SPACES)
        spelled = before + plain if before else plain.lstrip()
        begun = _begun(spelled, labels) if spelled != before else ()
        if len(begun) == 1:
            found.add(begun[0], logprob)
        elif begun and text == drawn.token and place + 1 < len(tokens):
            _share(found, logprob, begun, _weigh(tokens, place + 1, begun, spelled))
        elif begun:
            shared = _plus(shared, logprob)
    _refuse_shared(found, shared)
    return found


def _share(found: _Found, logprob: float, begun: tuple[str, ...], deeper: _Found) -> None:
    """Divide the mass of a token that begins several labels by what was drawn after it."""
    for label in begun:
        found.add(label, logprob + deeper.sums.get(label, deeper.floor))
        if label not in deeper.sums or label in deeper.bounded:
            found.bounded.add(label)


def _refuse_shared(found: _Found, shared: float) -> None:
    total = shared
    for mass in found.sums.values():
        total = _plus(total, mass)
    if shared > total + SHARED_MOST:
        raise CallFailed(NO_LOGPROBS, "labels share a first token, and nothing tells whose its probability is")


def _begun(spelled: str, labels: tuple[str, ...]) -> tuple[str, ...]:
    """The labels that these letters may still become, and the longest that they hold whole."""
    whole = [
        label for label in labels if spelled.startswith(label) and not spelled[len(label) : len(label) + 1].isalnum()
    ]
    longest = max(whole, key=len, default=None)
    return tuple(label for label in labels if label.startswith(spelled) or label == longest)


def _bare(text: str) -> str:
    return "".join(text.translate(_SPACES).split())


def _plus(one: float, other: float) -> float:
    """The logarithm of the sum of two probabilities given by theirs."""
    high, low = max(one, other), min(one, other)
    # In logarithms throughout, as the probability of a long label may be too small for a float.
    return high if low == -inf else high + log1p(exp(low - high))
