"""Which protocol a spec makes of the one that a benchmark's card has, and where it departs from that."""

from collections.abc import Mapping, Sequence

from msgspec import structs

from mores.core.card import (
    FIRST,
    BenchmarkOption,
    Card,
    Departure,
    Judging,
    Protocol,
    Sampling,
    SubjectSettings,
    Variant,
)
from mores.core.codec import canonical
from mores.core.errors import InputError
from mores.models.request_body import form
from mores.runs.selection import describe_named
from mores.runs.spec import OF_SUBJECT, Spec, made

PROVIDERS = "left to the provider"


def protocol_of(card: Card, spec: Spec, variant: Variant = FIRST) -> Protocol:
    """The card's protocol with what the spec sets otherwise, asked in one of the benchmark's wordings and orders.

    Raises:
        InputError: an option has no such value.
    """
    published = card.protocol
    sampling = published.sampling
    if spec.temperature is not None:
        sampling = structs.replace(sampling, temperature=spec.temperature)
    return structs.replace(
        published,
        sampling=sampling,
        samples=spec.samples or published.samples,
        reading=spec.reading or published.reading,
        shuffle=published.shuffle if spec.shuffle is None else spec.shuffle,
        answer_tokens=spec.answer_tokens or published.answer_tokens,
        limit=_limit(published.limit, spec),
        judging=_judging(published.judging, spec),
        settings={option.name: _chosen(option, spec.settings) for option in card.options},
        subject=_of_subject(spec),
        variant=variant,
        judge_weights={} if published.judging is None else spec.judge_weights,
    )


def _limit(published: int | None, spec: Spec) -> int | None:
    """How many units are drawn, None for all: of items that are named, all."""
    if spec.limit == "all" or (spec.items and spec.limit is None):
        return None
    return spec.limit or published


def _of_subject(spec: Spec) -> SubjectSettings | None:
    """How the subject's endpoint is asked beside; None where nothing is chosen."""
    chosen = {name: getattr(spec, name) for name in OF_SUBJECT}
    if not any(map(made, chosen.values())):
        return None
    added = canonical(spec.extra_body).decode() if spec.extra_body else None
    return SubjectSettings(**{**chosen, "extra_body": added, "completions": form() if spec.completions else None})


def _judging(published: Judging | None, spec: Spec) -> Judging | None:
    if published is None:
        return None
    sampling = published.sampling
    if spec.judge_temperature is not None:
        sampling = structs.replace(sampling, temperature=spec.judge_temperature)
    if spec.judge_logprobs:
        sampling = structs.replace(sampling, logprobs=True)
    return Judging(sampling=sampling, runs=spec.judge_samples or published.runs)


def _chosen(option: BenchmarkOption, given: dict[str, str]) -> str:
    value = given.get(option.name, option.default)
    if option.choices and value not in option.choices:
        raise InputError(f"--set {option.name}={value}: expected one of {', '.join(option.choices)}.")
    return value


def departures(card: Card, used: Protocol, named: Sequence[str] = ()) -> tuple[Departure, ...]:
    """Where a run's protocol differs from the card's, and the items that are `named` from all."""
    published, beside = card.protocol, {option.name for option in card.options if option.beside}
    pairs: dict[str, tuple[object, object]] = {
        "temperature": (_temperature(published.sampling), _temperature(used.sampling)),
        "answer tokens": (published.answer_tokens or "no limit", used.answer_tokens or "no limit"),
        "samples": (published.samples, used.samples),
        "reading of labels": (published.reading, used.reading),
        "options shuffled": (published.shuffle, used.shuffle),
        "wording": (published.variant.wording, used.variant.wording),
        "order of options or labels": (published.variant.order, used.variant.order),
        "control": (published.variant.control or "none", used.variant.control or "none"),
        "units drawn": (published.limit or "all", _drawn(used.limit, named)),
        **_of_judges(published.judging, used.judging),
        "weights of judges": (_weights(published.judge_weights), _weights(used.judge_weights)),
        **_beside(used.subject, published.sampling),
        **{name: (published.settings.get(name), value) for name, value in used.settings.items() if name not in beside},
        **{f"words of {prompt}": ("mores' own", words) for prompt, words in used.words.items()},
    }
    return tuple(
        Departure(setting=name, published=str(was), used=str(now)) for name, (was, now) in pairs.items() if was != now
    )


def _drawn(limit: int | None, named: Sequence[str]) -> int | str:
    if not named:
        return limit or "all"
    return f"{limit} of {describe_named(named)}" if limit else describe_named(named)


def _of_judges(published: Judging | None, used: Judging | None) -> dict[str, tuple[object, object]]:
    if published is None or used is None:
        return {}
    return {
        "judge's temperature": (_temperature(published.sampling), _temperature(used.sampling)),
        "runs of each judge": (published.runs, used.runs),
    }


def _beside(used: SubjectSettings | None, published: Sampling) -> dict[str, tuple[object, object]]:
    """What the subject's endpoint is told that the protocol leaves to the provider."""
    found = {name: getattr(used, name, None) for name in OF_SUBJECT}
    left = {**dict.fromkeys(OF_SUBJECT, PROVIDERS), "top_p": published.top_p or PROVIDERS, "completions": "a chat"}
    return {name.replace("_", " "): (left[name], value) for name, value in found.items() if made(value)}


def _weights(weights: Mapping[str, float]) -> str:
    return ", ".join(f"{role} {weight:g}" for role, weight in sorted(weights.items())) or "all alike"


def _temperature(sampling: Sampling) -> float | str:
    return PROVIDERS if sampling.temperature is None else sampling.temperature
