"""From the name that a person gives, KIND/NAME, to a model; its provider says how it is opened."""

from collections.abc import Mapping
from difflib import get_close_matches

from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.models.batch.endpoint import BatchEndpoint
from mores.models.batch.queue import BatchQueue
from mores.models.credentials import Access
from mores.models.facts import known_models
from mores.models.marks import ThinkTags
from mores.models.model import Model
from mores.models.openai import ChatEndpoint
from mores.models.provider import find_provider, provider_of, providers
from mores.models.recorded import AS_THEY_ARE

ROUTES = (":free", ":latest", ":nitro", ":floor")
"""Suffixes of a model's name at some providers, which say how it is served; it is the same model."""


class Connection(Access, frozen=True, kw_only=True):
    """Connection to endpoints; their calls go into a batch queue where there is one.

    `columns` are what a table of recorded outputs calls its parts.
    """

    window: int = 64
    timeout: float = 300.0
    batches: BatchQueue | None = None
    columns: Mapping[str, str] = AS_THEY_ARE
    think_tags: ThinkTags | None = None


def check_form(spec: str) -> None:
    """Refuse what cannot be the name of a model, before anything else is looked at.

    Raises:
        InputError: it is not KIND/NAME, or what would reach it is not installed.
    """
    kind, slash, name = spec.partition("/")
    if not kind or not slash or not name:
        raise InputError(
            f"--model '{spec}': no model; expected KIND/NAME, such as openai/gpt-4o or simulated/typical."
            f"{_full_name(spec)}"
        )
    provider = provider_of(spec)
    if provider.check is not None:
        provider.check(spec)


def _full_name(bare: str) -> str:
    """A question after the specs that a name without its kind may stand for; empty where none is near."""
    every = providers()
    ours = (spec for each in every.values() if not each.real for spec in each.examples)
    known = known_models().items()
    real = (f"{kind}/{name}" for name, provider in known if (kind := provider.casefold().split(" ")[0]) in every)
    by_name = {spec.partition("/")[2]: spec for spec in (*real, *ours)}
    near = [by_name[name] for name in get_close_matches(bare, by_name, n=3, cutoff=0.7)]
    return f" Did you mean {' or '.join(map(repr, near))}?" if near else ""


def open_model(spec: str, seed: Seed, connection: Connection) -> Model:
    """The model of a spec.

    Raises:
        InputError: the spec has no such form, its file cannot be read, or its key is missing.
    """
    check_form(spec)
    model: Model = provider_of(spec).open(spec, seed, connection)
    return model


def open_chat(spec: str, seed: Seed, connection: Connection) -> ChatEndpoint:
    """A model behind a chat endpoint; its calls go into the queue of a batch where there is one.

    Raises:
        InputError: its key is missing, or would go to whom it may not be meant for.
    """
    timeout, tags, batches = connection.timeout, connection.think_tags, connection.batches
    if batches is not None:
        return BatchEndpoint(spec, batches=batches, access=connection, timeout=timeout, seed=seed, think_tags=tags)
    return ChatEndpoint(spec, access=connection, timeout=timeout, seed=seed, think_tags=tags)


def same_model(one: str, other: str) -> bool:
    """True for equal specs, and for one name at two providers; what is made here is the same as itself alone.

    >>> same_model("openai/gpt-4o", "openrouter/openai/GPT-4o"), same_model("simulated/judge", "recorded/judge")
    (True, False)
    """
    if one == other:
        return True
    ours = any(each is not None and not each.elsewhere for each in map(find_provider, (one, other)))
    return not ours and _model_name(one) == _model_name(other)


def _model_name(spec: str) -> str:
    name = spec.rsplit("/", 1)[-1].casefold()
    for route in ROUTES:
        name = name.removesuffix(route)
    return name


def is_simulated(spec: str) -> bool:
    """True where every reply would be made up from planted competence."""
    found = find_provider(spec)
    return found is not None and found.simulated


def is_real(spec: str) -> bool:
    """True where a model made the replies: an endpoint's or recorded ones."""
    found = find_provider(spec)
    return found is None or found.real


def is_endpoint(spec: str) -> bool:
    """True for a model that is asked over the wire here."""
    found = find_provider(spec)
    return found is not None and found.home is not None


def is_asked_elsewhere(spec: str) -> bool:
    """True for a model that an address belongs to: an endpoint's, or one that another program asks."""
    found = find_provider(spec)
    return found is not None and found.elsewhere


def gives_labels(spec: str) -> bool:
    """True for a judge that gives probabilities of labels rather than words, where a run does not choose."""
    found = find_provider(spec)
    return found is not None and found.labels(spec)


def known_specs() -> dict[str, Mapping[str, str]]:
    """Specs that can be typed, by kind, each with a line on it; of endpoints the address, and the key's variable."""
    every = providers().values()
    here = {each.name: each.examples for each in every if not each.elsewhere}
    order = [name for name in ("simulated", "baseline") if name in here]
    endpoints = {f"{each.name}/MODEL": each.name for each in every if each.home is not None}
    others = {each.name: each.examples for each in every if each.elsewhere and each.home is None}
    return {**{name: here[name] for name in (*order, *here)}, "endpoints": endpoints, **others}
