"""Known facts of a model: family, provider and its home, size or tier, release, thinking; unknown stays unknown."""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from math import isfinite
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from mores.core.codec import build, field_names, read_toml
from mores.core.errors import InputError, UnknownName

KNOWN = Path(__file__).with_name("known.toml")
_FORMS = {
    "parameters": (re.compile(r"\d+(\.\d+)?(/\d+(\.\d+)?)?"), "billions such as 8, or total/active such as 671/37"),
    "tier": (re.compile(r"[1-9]"), "a rank within its family, 1 for the smallest"),
    "released": (re.compile(r"\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?"), "a date such as 2025-04"),
}


class ModelFacts(Struct, frozen=True, kw_only=True):
    """Facts of one model; `home` is the place of its provider, `parameters` in billions, None where unknown.

    `tier` is its rank by size among models of its family, 1 for the smallest, where the provider orders them and gives
    no sizes; it says nothing of other families, and nothing of how much larger the next is.
    `source` is where a reader finds those of the file of known models.
    """

    family: str | None = None
    provider: str | None = None
    home: str | None = None
    parameters: str | None = None
    tier: str | None = None
    released: str | None = None
    reasoning: str | None = None
    source: str | None = None


NAMES = field_names(ModelFacts)
PRICES = ("price_in", "price_out", "price_cached")
"""Facts of price that a user may give, in US dollars a million tokens; no fact of the model itself."""


def facts_of(spec: str, given: Mapping[str, str]) -> ModelFacts:
    """Facts of the file of known models, with what the caller gave in their place.

    Args:
        spec: The model.
        given: Values by `NAME`, for all models, or by `MODEL:NAME`, which go before.

    Raises:
        UnknownName: a given fact has no such name.
        InputError: it has no such form.
    """
    # Those of all models first, so that a model's own replace them.
    ordered = sorted(given, key=lambda key: ":" in key)
    named = {name: given[key] for key in ordered for model, name in [_of_key(key)] if model in {"", spec}}
    for name, value in named.items():
        if name not in (*NAMES, *PRICES):
            known = (*NAMES, *PRICES)
            raise UnknownName("fact", name, known, where="--fact", todo=f"Known are {', '.join(known)}.")
        form, expected = _FORMS.get(name, (None, ""))
        if form is not None and not form.fullmatch(value):
            raise InputError(f"--fact {name}={value}: expected {expected}.")
    named = {name: value for name, value in named.items() if name in NAMES}
    kind, _, model = spec.partition("/")
    if kind in {"simulated", "baseline"}:
        return replace(ModelFacts(family=kind, provider="mores"), **named)
    return replace(_known(model.rsplit("/", 1)[-1]), **named)


def price_of_facts(spec: str, given: Mapping[str, str], *, subject: bool) -> tuple[float, float, float | None] | None:
    """Price of a million tokens of a model in, out, and in again from a cache, in US dollars; None where nobody says.

    What is said of all models is said of those under test.

    Raises:
        InputError: it is no price, or only a part of one.
    """
    found: dict[str, float] = {}
    for key in sorted(given, key=lambda key: ":" in key):
        model, name = _of_key(key)
        if name in PRICES and (model == spec or (subject and not model)):
            found[name] = _dollars(key, given[key])
    if not found:
        return None
    if len(found.keys() & {"price_in", "price_out"}) < 2:
        given_text = ", ".join(f"{name}={value:g}" for name, value in found.items())
        raise InputError(f"--fact {given_text}: half a price of {spec}; expected both price_in and price_out.")
    return found["price_in"], found["price_out"], found.get("price_cached")


def _dollars(key: str, value: str) -> float:
    if not _MONEY.fullmatch(value) or not isfinite(float(value)):
        raise InputError(f"--fact {key}={value}: expected US dollars for a million tokens, 0 or more, such as 0.15.")
    return float(value)


_MONEY = re.compile(r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def check_models(given: Iterable[str], models: Iterable[str], others: Iterable[str] = ()) -> None:
    """Refuse facts of models that nobody asks; a price may be of the `others` too, who play the other roles.

    Raises:
        UnknownName: a fact is of such a model.
    """
    subjects = tuple(models)
    everybody = tuple(dict.fromkeys((*subjects, *others)))
    for key in given:
        model, name = _of_key(key)
        asked = everybody if name in PRICES else subjects
        if model and model not in asked:
            raise UnknownName("model", model, asked, where="--fact", todo=f"The run has {', '.join(asked)}.")


def read_facts(entries: Iterable[str]) -> dict[str, str]:
    """Facts typed as `NAME=VALUE` or `MODEL:NAME=VALUE`, where names of models may have colons and equal signs.

    Raises:
        InputError: an entry has no such form.

    >>> read_facts(["home=CN", "simulated/typical:know=.2:parameters=8"])
    {'home': 'CN', 'simulated/typical:know=.2:parameters': '8'}
    """
    found = {}
    for entry in entries:
        part = _TYPED.fullmatch(entry) or _ANY.fullmatch(entry)
        if part is None:
            raise InputError(f"--fact {entry}: expected NAME=VALUE, or MODEL:NAME=VALUE.")
        found[part["key"]] = part["value"]
    return found


_TYPED = re.compile(rf"(?P<key>(?:.+?:)??(?:{'|'.join((*NAMES, *PRICES))}))=(?P<value>.+)")
_ANY = re.compile(r"(?P<key>[^=]+)=(?P<value>.+)")


def _of_key(key: str) -> tuple[str, str]:
    """The model of a key, empty for all, and the name of the fact."""
    model, _, name = key.rpartition(":")
    return model, name


def billions(parameters: str) -> float:
    """All parameters in billions, those that are not active too.

    >>> billions("671/37")
    671.0
    """
    return float(parameters.partition("/")[0])


def year(released: str) -> float:
    """A date as a year with its part; the first of the month or year where no more is known.

    >>> year("2025-07")
    2025.5
    """
    whole, month, day = (int(part) for part in (*released.split("-"), "1", "1")[:3])
    return whole + (month - 1) / 12 + (day - 1) / 365


def known_models() -> dict[str, str]:
    """The providers of all known models, by the beginning of the models' names; empty where it is not known."""
    return {name: row.get("provider", "") for name, row in _rows().items()}


def _known(model: str) -> ModelFacts:
    """Facts of the longest known name that the model's name begins with and adds no word of its own to."""
    asked = _tokens(model)
    names = _by_tokens()
    more = {name: " ".join(asked[len(name) :]) for name in names if asked[: len(name)] == name}
    same = [name for name, words in more.items() if _SAME.fullmatch(words)]
    if not same:
        return ModelFacts()
    name = max(same, key=len)
    dated = _DATED.search(more[name])
    facts = build(ModelFacts, _rows()[names[name]], where=f"{KNOWN.name}: {names[name]}")
    return facts if dated is None else replace(facts, released=f"{dated['year']}-{dated['month']}")


_SAME = re.compile(
    r"(?:\b(?:chat|it|hf|latest|preview|turbo|free|fp \d+|bf 16|int \d|awq|gptq|gguf|bnb|\d+ bit|q \d( \w)*"
    r"|20\d\d( \d\d){0,2}|20\d{6})\b ?)*"
)
"""Suffixes of names that make no other model: how it is served, packed or dated."""
_DATED = re.compile(r"\b(?P<year>20\d\d) ?(?P<month>\d\d)")
_PARTS = re.compile(r"[a-z]+|\d+")


def _tokens(name: str) -> tuple[str, ...]:
    """Letters and digits of a name in turn: `llama3.1:8b` and `Meta-Llama-3.1-8B-Instruct` are one."""
    plain = name.casefold().removeprefix("meta-").removeprefix("c4ai-")
    return tuple(part for part in _PARTS.findall(plain) if part != "instruct")


@cache
def _by_tokens() -> dict[tuple[str, ...], str]:
    return {_tokens(name): name for name in _rows()}


@cache
def _rows() -> dict[str, Any]:
    return read_toml(KNOWN)
