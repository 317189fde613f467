"""Protocol of an evaluation: what a spec changes of the card's, prompts in other words, and who plays each role.

What cannot be played so is refused before anything is asked.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec import structs

from mores.benchmarks import catalogue
from mores.benchmarks.benchmark import Benchmark
from mores.benchmarks.catalogue import meant, named
from mores.benchmarks.released_prompts import words_of_checkout
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
from mores.core.errors import InputError, UnknownName
from mores.core.prompt import PromptRole, Wording
from mores.models.extra_body import extra_fields
from mores.models.provider import provider_of
from mores.models.recorded import holds_control
from mores.models.registry import is_real, is_simulated
from mores.models.request_body import form
from mores.runs.options import flag_of
from mores.runs.selection import describe_named
from mores.runs.spec import OF_SUBJECT, Spec, made

PROVIDERS = "left to the provider"
OWN_WORDS = "mores' own"


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
        roles=(*published.roles, *(role for role in card.optional_roles if role in spec.roles)),
        settings={option.name: _chosen(option, spec.settings) for option in card.options},
        subject=_of_subject(spec),
        variant=variant,
        judge_weights={} if published.judging is None else spec.judge_weights,
    )


def _limit(published: int | None, spec: Spec) -> int | None:
    """Number of units that are drawn, None for all: of items that are named, all."""
    if spec.limit == "all" or (spec.items and spec.limit is None):
        return None
    return spec.limit or published


def _of_subject(spec: Spec) -> SubjectSettings | None:
    """Settings of the subject's endpoint beside its sampling; None where nothing is chosen."""
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
    if spec.judge_tokens is not None:
        sampling = structs.replace(sampling, max_tokens=spec.judge_tokens)
    if spec.judge_logprobs:
        sampling = structs.replace(sampling, logprobs=True)
    return Judging(sampling=sampling, runs=spec.judge_samples or published.runs)


def _chosen(option: BenchmarkOption, given: dict[str, str]) -> str:
    value = given.get(option.name, option.default)
    if option.choices and value not in option.choices:
        raise InputError(f"--set {option.name}={value}: expected one of {', '.join(option.choices)}.")
    return value


def departures(card: Card, used: Protocol, named: Sequence[str] = (), until: str = "") -> tuple[Departure, ...]:
    """Deviations of a run's protocol from the card's, and from all items of those that are `named` or asked `until`."""
    published, minor = card.protocol, {option.name for option in card.options if option.beside}
    pairs: dict[str, tuple[object, object]] = {
        "temperature": (_temperature(published.sampling), _temperature(used.sampling)),
        "answer tokens": (published.answer_tokens or "no limit", used.answer_tokens or "no limit"),
        "samples": (published.samples, used.samples),
        "reading of labels": (published.reading, used.reading),
        "options shuffled": (published.shuffle, used.shuffle),
        "wording": (published.variant.wording, used.variant.wording),
        "order of options or labels": (published.variant.order, used.variant.order),
        "control": (published.variant.control or "none", used.variant.control or "none"),
        "units drawn": (published.limit or "all", f"{_drawn(used.limit, named)}{until and f', until {until}'}"),
        **_of_judges(published.judging, used.judging),
        "weights of judges": (_weights(published.judge_weights), _weights(used.judge_weights)),
        **_endpoint_settings(used.subject, published.sampling),
        **{name: (published.settings.get(name), value) for name, value in used.settings.items() if name not in minor},
        **{
            f"words of {prompt}": (used.published.get(prompt, OWN_WORDS), words)
            for prompt, words in used.words.items()
            if prompt not in used.faithful
        },
    }
    chosen = (
        Departure(setting=name, published=str(was), used=str(now)) for name, (was, now) in pairs.items() if was != now
    )
    return (*chosen, *_of_own_words(used))


def _of_own_words(used: Protocol) -> Iterator[Departure]:
    """That prompts are in our words where others were published: all of them, or those that are named."""
    own = {prompt: place for prompt, place in used.published.items() if prompt not in used.words}
    if own:
        some = f" for {', '.join(sorted(own))}" if used.words else ""
        yield Departure(setting="words", published=_listed(own.values()), used=f"{OWN_WORDS}{some}", by_default=True)


def _listed(places: Iterable[str]) -> str:
    """Places where words stand, each paper named once.

    >>> _listed(["P (2025), Table 6A", "P (2025), Table 7A", "released code of a/b"])
    'P (2025), Table 6A, Table 7A; released code of a/b'
    """
    found: dict[str, dict[str, None]] = {}
    for place in places:
        paper, _, spot = place.partition(", ")
        found.setdefault(paper, {})[spot] = None
    return "; ".join(", ".join(filter(None, (paper, *spots))) for paper, spots in sorted(found.items()))


def _drawn(limit: int | None, named: Sequence[str]) -> int | str:
    if not named:
        return limit or "all"
    return f"{limit} of {describe_named(named)}" if limit else describe_named(named)


def _of_judges(published: Judging | None, used: Judging | None) -> dict[str, tuple[object, object]]:
    if published is None or used is None:
        return {}
    return {
        "judge's temperature": (_temperature(published.sampling), _temperature(used.sampling)),
        "judge's tokens": (published.sampling.max_tokens or "no limit", used.sampling.max_tokens or "no limit"),
        "runs of each judge": (published.runs, used.runs),
    }


def _endpoint_settings(used: SubjectSettings | None, published: Sampling) -> dict[str, tuple[object, object]]:
    """Settings of the subject's endpoint that the protocol leaves to the provider."""
    found = {name: getattr(used, name, None) for name in OF_SUBJECT}
    left = {**dict.fromkeys(OF_SUBJECT, PROVIDERS), "top_p": published.top_p or PROVIDERS, "completions": "a chat"}
    return {name.replace("_", " "): (left[name], value) for name, value in found.items() if made(value)}


def _weights(weights: Mapping[str, float]) -> str:
    return ", ".join(f"{role} {weight:g}" for role, weight in sorted(weights.items())) or "all alike"


def _temperature(sampling: Sampling) -> float | str:
    return PROVIDERS if sampling.temperature is None else sampling.temperature


class RoleAssignment(NamedTuple):
    """Models named for roles by `--role` and `--judge`; simulated models may fill those of a baseline."""

    named: dict[str, str]
    with_simulated: bool = False

    def needed(self, benchmark: Benchmark, protocol: Protocol) -> list[str]:
        """The roles of a benchmark beside the subject's, with all seats of a jury."""
        roles = [role for role in benchmark.roles(protocol) if role != "subject"]
        if "judge" in roles:
            roles += sorted(role for role in self.named if role.startswith("judge") and role != "judge")
        return roles

    def open_roles(self, benchmark: Benchmark, subject: str, protocol: Protocol) -> tuple[str, ...]:
        """The roles that nobody plays."""
        if is_simulated(subject) or (self.with_simulated and subject.startswith("baseline/")):
            return ()
        return tuple(role for role in self.needed(benchmark, protocol) if role not in self.named)


def refuse_open(open_roles: Mapping[str, Sequence[str]]) -> None:
    """Nothing, if every role of each benchmark is played.

    Raises:
        InputError: some are not; one line names all of them, and the options that fill them.
    """
    missing = {name: roles for name, roles in open_roles.items() if roles}
    if not missing:
        return
    roles = list(dict.fromkeys(role for found in missing.values() for role in found))
    flags = " ".join("--judge SPEC" if role == "judge" else f"--role {role}=SPEC" for role in roles)
    them = "it" if len(roles) == 1 else "them"
    whom = " and ".join(filter(None, (", ".join(roles[:-1]), roles[-1])))
    raise InputError(f"{', '.join(missing)}: no model for the {whom}; a real run names {them}: {flags}.")


def cast_of(benchmark: Benchmark, subject: str, casting: RoleAssignment, protocol: Protocol) -> dict[str, str]:
    """Model of each role; simulated models fill the open ones for a simulated subject, and for a baseline beside one.

    Raises:
        InputError: a real subject, and a role that nobody plays or a judge that only knows what was planted; or a
            judge that sits twice.
    """
    refuse_open({benchmark.card.name: casting.open_roles(benchmark, subject, protocol)})
    roles = {"subject": subject}
    for role in casting.needed(benchmark, protocol):
        own = "simulated/judge" if role == "judge" else "simulated/typical"
        roles[role] = casting.named.get(role, own)
    judges = [spec for role, spec in roles.items() if role.startswith("judge")]
    if len(set(judges)) < len(judges):
        raise InputError(
            f"--judge {judges[0]}: this judge is named twice; name different judges, or use --judge-samples K."
        )
    made_up = [spec for spec in judges if not is_real(spec)]
    if made_up and is_real(subject):
        raise InputError(
            f"{benchmark.card.name}: {made_up[0]} cannot judge {subject}: it reads planted answers, which a real "
            "subject does not give; name a real judge: --judge PROVIDER/MODEL."
        )
    return roles


def check_roles(benchmark: Benchmark, subject: str, protocol: Protocol) -> None:
    """Refuse a subject that cannot play a benchmark.

    Raises:
        InputError: always yes where there is no yes, outputs made in another order of the options, or settings that
            its provider cannot be told.
    """
    name = benchmark.card.name
    extra_fields_of_subject(subject, protocol)
    if subject == "baseline/always-true" and not benchmark.affirmative:
        raise InputError(f"{name}: baseline/always-true needs questions with a true or yes; use baseline/first.")
    if subject.startswith("recorded/") and protocol.shuffle:
        raise InputError(f"{name}: recorded outputs answered the published order; leave out --shuffle.")
    variant = protocol.variant
    if subject.startswith("recorded/") and (variant.wording, variant.order) != (FIRST.wording, FIRST.order):
        raise InputError(f"{name}: recorded outputs answered one wording; leave out --prompt-variants and --orders.")
    if subject.startswith("recorded/") and variant.control and not holds_control(subject, variant.control):
        raise InputError(
            f"{name}: {subject} has no replies under the control {variant.control}; expected rows that name it in a "
            "column control, or leave out --control."
        )


def extra_fields_of_subject(subject: str, protocol: Protocol) -> dict[str, object]:
    """The fields of each call to the subject that a run asks for beside its sampling, in its provider's terms.

    Raises:
        InputError: the provider has no words for it, or no endpoint is asked.
    """
    asked = protocol.subject
    if asked is None:
        return {}
    if is_simulated(subject) and asked == SubjectSettings(thinking=asked.thinking):
        return {}
    if not provider_of(subject).elsewhere:
        found = structs.asdict(asked)
        flags = ", ".join(flag_of(name) for name, value in found.items() if value not in {None, False})
        raise InputError(f"{subject}: it is no endpoint, so that none can be told; leave out {flags}.")
    return extra_fields(subject, asked.over(protocol.sampling))


def read_words(files: Mapping[str, str], benchmarks: Iterable[str], folder: Path = Path()) -> dict[str, Wording]:
    """Words for prompts of benchmarks and families out of files, by the prompts' full names.

    Args:
        files: The files, by ROLE/TASK, ROLE or full name of a prompt.
        benchmarks: Benchmarks and families.
        folder: Where the files are named from.

    Raises:
        InputError: a file cannot be read, or one prompt is named twice.
        UnknownName: none of the benchmarks has such a prompt, or there is no such benchmark.
    """
    return by_name({name: Wording.read(folder / file) for name, file in files.items()}, benchmarks)


def by_name(words: Mapping[str, Wording], benchmarks: Iterable[str]) -> dict[str, Wording]:
    """Words for prompts by the prompts' full names.

    Raises:
        InputError: one prompt is named twice.
        UnknownName: none of the benchmarks has a prompt of a name.
    """
    found: dict[str, Wording] = {}
    known = [catalogue.prompts(name) for name in (_names(benchmarks) if words else ())]
    for key, wording in words.items():
        prompts = {of[full].header.name for of in known if (full := meant(key, of)) is not None}
        if not prompts:
            every = list(dict.fromkeys(full for of in known for full in of))
            raise UnknownName("prompt", key, every, where="--prompt", todo=f"Known here: {', '.join(every)}.")
        if prompts & found.keys():
            raise InputError(f"--prompt {key}: its prompt is named twice; expected one file for each.")
        found |= dict.fromkeys(prompts, wording)
    return found


def released_words(
    checkouts: Iterable[Path], benchmarks: Iterable[str], role: PromptRole | None = None
) -> dict[str, Wording]:
    """The published words of prompts of benchmarks and families, or of one role alone, out of checkouts.

    Raises:
        InputError: a folder has none of these words, or they cannot be read.
        UnknownName: there is no such benchmark.
    """
    folders = tuple(checkouts)
    sought = [prompt for name in (_names(benchmarks) if folders else ()) for prompt in catalogue.prompts(name).values()
              if role in {None, prompt.header.role}]  # fmt: skip
    return {name: words for folder in folders for name, words in words_of_checkout(folder, sought).items()}


def _names(benchmarks: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for asked in benchmarks for name in catalogue.resolve(asked)))


def refuse_of_players(words: Iterable[str], benchmarks: Iterable[str]) -> None:
    """Refuse words for a prompt, by its full name, that nobody is asked any more, as the run was played already.

    Raises:
        InputError: a prompt is not a judge's.
    """
    known = {p.header.name: p for name in benchmarks for p in catalogue.prompts(name).values()}
    for name in words:
        if known[name].header.role != "judge":
            raise InputError(
                f"--prompt {known[name].key}: the run was played already; expected a prompt of its judges."
            )


class PromptWording(NamedTuple):
    """Words that a benchmark's prompts are put in, by ROLE/TASK.

    `words` are those that are not ours, by their file and their hash, `faithful` says of those that were published for
    the prompt where they are from, and `published` where such words stand for any of the prompts.
    """

    words: dict[str, str]
    faithful: dict[str, str]
    published: dict[str, str]


def describe_wording(benchmark: Benchmark, words: Mapping[str, Wording]) -> PromptWording:
    """In whose words the prompts of a benchmark are, some of them in other words than ours.

    Words that come from where a paper or its code has those for the same prompt are faithful. For a benchmark of our
    own nobody has published any, though it borrows prompts of others.
    """
    known = named(benchmark.prompts)
    given = {meant(key, known): wording for key, wording in words.items()}
    other = {key: f"{given[key].file} {prompt.sha}" for key, prompt in known.items() if key in given}
    sources = {key: known[key].header.published_origin(given[key].origin) for key in other}
    places = {} if benchmark.card.is_own else {key: prompt.header.published_at for key, prompt in known.items()}
    return PromptWording(
        words=other,
        faithful={key: place for key, place in sources.items() if place},
        published={key: place for key, place in places.items() if place},
    )
