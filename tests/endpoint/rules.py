"""How the stand-in answers and how it fails: one value, given at its start and changed over its control."""

from typing import Any

import msgspec

from mores.core.errors import InputError
from tests.endpoint.flood import FLOODS

SCORING = ("", "prompt", "continue", "fresh", "refuse")
FAULTS = (
    "429",
    "429-after",
    "500",
    "503",
    "drop",
    "stall",
    "cut",
    "half",
    "empty",
    "no-choices",
    "stream",
    "error",
    *FLOODS,
)


class Rules(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the endpoint answers; each field is an option of the command line and of `running`.

    `reply` is the text of every answer, or `parity`: "True" or "False" by a hash of the prompt. `faults` gives the
    share of attempts that meet each of `FAULTS`; at most `fault_tries` attempts at one body fail before it passes,
    and with `persistent` the first attempt's luck holds for ever; only bodies with the words `only` meet faults
    or are turned away.
    `reject` names parameters that bring a 400.
    `reasoning` is where thinking is put: nowhere, a `field` of the message, or a `think` block in its content; it
    takes `reasoning_tokens`, and a limit below them leaves no answer. With `heeds` it thinks as much as a call tells it
    to, in the terms of that kind of provider. An empty `models` knows them all.

    A JSON schema is obeyed where `reply` is `parity`, or refused in the words of `schema_refusal`. `scoring` says how
    much of the asking for log-probabilities is served, each word what comes after it too: `prompt` weighs the prompt's
    own tokens, `continue` goes on from a beginning of the answer, `fresh` shows the likeliest tokens of an answer of
    its own and knows no other setting, `refuse` refuses, and with none the settings are passed over. `labels` are
    the log-probabilities of what may be said, `merges` tokens that are never cut, `top_most` how many likeliest
    tokens may be asked for. With `spelled` the tokens of an answer in words come with their log-probabilities, where
    these are asked for.

    `cut` signs are all that is said of an answer, which then has run into its limit; 0 cuts none. `answers_as` is the
    model that an answer says it is of, where it is another than the one asked for; `unspelled` leaves so many tokens
    out of those of an answer's words.

    After `turn_after` answers every call is turned away with the status `turn` and its words, and `counted` stands for
    the usage of every answer.
    """

    latency_ms: float = 0.0
    reply: str = "parity"
    seed: str = "endpoint"
    faults: dict[str, float] = {}
    fault_tries: int = 3
    persistent: bool = False
    only: str = ""
    stall_seconds: float = 0.0  # 0 never answers
    retry_after: str = "1"
    reject: tuple[str, ...] = ()
    reasoning: str = ""
    reasoning_tokens: int = 100
    heeds: str = ""
    refusals: float = 0.0
    filtered: float = 0.0
    usage: bool = True
    counted: Any = None
    turn: int = 0
    turn_after: int = 0
    turn_says: str = "No."
    key: str = ""
    models: tuple[str, ...] = ()
    per_minute: int = 0
    minute_seconds: float = 60.0
    schema_refusal: str = ""
    scoring: str = ""
    labels: dict[str, float] = {}
    merges: tuple[str, ...] = ()
    top_most: int = 20
    spelled: bool = False
    unspelled: int = 0
    cut: int = 0
    answers_as: str = ""


def rules_from(values: dict[str, Any]) -> Rules:
    """Rules of plain values; numbers may be given as text.

    Raises:
        InputError: an unknown rule, fault or place of reasoning, or shares that add up to more than 1.
    """
    try:
        rules = msgspec.convert(values, Rules, strict=False)
    except msgspec.ValidationError as error:
        raise InputError(f"rules: {error}; known are {', '.join(Rules.__struct_fields__)}.") from error
    if unknown := sorted(set(rules.faults) - set(FAULTS)):
        raise InputError(f"faults: unknown {unknown}; known are {', '.join(FAULTS)}.")
    if sum(rules.faults.values()) > 1 + 1e-9:
        raise InputError(f"faults: shares add up to {sum(rules.faults.values())}; expected at most 1.")
    if rules.reasoning not in {"", "field", "think"}:
        raise InputError(f"reasoning: got {rules.reasoning!r}; expected field, think or nothing.")
    if rules.scoring not in SCORING:
        raise InputError(f"scoring: got {rules.scoring!r}; known are {', '.join(filter(None, SCORING))}.")
    return rules
