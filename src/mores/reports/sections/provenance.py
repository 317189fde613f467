"""Provenance of figures as blocks: protocol, prompts, data, roles, calls and cost, facts of models, and simulation."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from mores import __version__
from mores.analysis.outcomes import slug_of
from mores.analysis.results import ModelUsage, Result, Results
from mores.core.code_errors import is_error_of_code, please_report
from mores.core.codec import encode
from mores.core.errors import InputError
from mores.core.verdict import Ungraded
from mores.models.logs.logged_reply import ReplyCounts
from mores.models.registry import is_simulated
from mores.models.simulated import PlantedCompetence, parse_planted
from mores.tables import formatting as words
from mores.tables.blocks import DefinitionList, Details, Inline, Paragraph, Section, Span, Words
from mores.tables.formatting import format_causes


def cautions(results: Results) -> tuple[str, ...]:
    """Cautions said first of all: that a run is not finished, and headlines that could be graded by less than half."""
    return (*_so_far(results), *_few_graded(results.evaluations))


def _so_far(results: Results) -> Iterator[str]:
    if results.so_far is None:
        return
    done, asked = results.so_far
    missing = ", ".join(dict.fromkeys(f"{each.benchmark} by {each.model}" for each in results.missing))
    rest = f", and nothing of {missing}" if missing else ""
    yield (
        f"Partial: {done:,} of {asked:,} plays are done{rest}. What ends first may differ from the rest, so these "
        "figures can still change."
    )


def _few_graded(evaluations: Iterable[Result]) -> Iterator[str]:
    for each in evaluations:
        if each.mostly_ungraded and (whole := each.overall()) is not None:
            causes = format_causes(each.causes()) or "no cause is known"
            those = f"{whole.graded:,} of {whole.asked:,} for {each.benchmark} by {each.label}"
            yield f"Less than half could be graded: {those} ({causes})."


def describe_broken(result: Result) -> Iterator[str]:
    """Items that failed by an error of code, a sentence for each whose code it is, with the first of them."""
    causes = [cause for cause in result.provenance.ungraded if is_error_of_code(cause)]
    found: dict[str, dict[str, str]] = {cause: {} for cause in causes}
    for verdict in result.every_verdict() if causes else ():
        if isinstance(verdict, Ungraded) and verdict.cause in found:
            found[verdict.cause].setdefault(verdict.about.item, verdict.raw)
    for cause, items in found.items():
        first, says = next(iter(items.items()))
        others = f" and {len(items) - 1:,} more" if len(items) > 1 else ""
        yield (
            f"{result.benchmark} by {result.model}: {first}{others} could not be played or judged ({says}). "
            f"{please_report(cause)}"
        )


def describe_recording(counts: ReplyCounts) -> str:
    """Counts of the replies of another program's log: those that were used, those that were not, and why."""
    used = {
        "by id": counts.by_name,
        "by the row's own document": counts.by_document,
        "by the words asked": counts.by_words,
        "by the question within another template": counts.by_contents,
    }
    unused = {
        "ambiguous": counts.ambiguous,
        "to no question asked here": counts.unmatched,
        **(counts.reasons or {"no words to play back": counts.left_out}),
    }
    texts = [f"{counts.layout}: {counts.matched:,} of {counts.replies:,} replies used{_counted(used)}"]
    if any(unused.values()):
        texts.append(f"not used{_counted(unused)}")
    texts += (
        [f"{counts.reordered:,} had their options in another order, and are read by it"] if counts.reordered else []
    )
    texts += [f"{counts.weighed:,} chosen by log-likelihood among the words offered"] if counts.weighed else []
    if counts.in_other_words:
        texts.append(f"{counts.in_other_words:,} were asked in other words")
    if counts.missing:
        texts.append(f"{counts.missing:,} answers are not there")
    texts += [f"left out are {', '.join(counts.odd)}"] if counts.odd else []
    return "; ".join((*texts, *counts.remarks))


def _counted(counts: Mapping[str, int]) -> str:
    return f" ({', '.join(f'{count:,} {what}' for what, count in counts.items() if count)})"


_RULES = {
    "random": "picks one of the possible answers at random; it does not read the question",
    "always-true": "always answers yes; it does not read the question",
    "similarity": (
        "gives the option whose embedding is nearest to that of the place's name; it does not read the question"
    ),
    "first": "always gives the first possible answer; it does not read the question",
}
_ALWAYS = ("know", "judge", "explain", "apply", "converse", "live")
_IF_ANY = {"format_error": "unusable answers", "refusal": "refusals", "failure": "calls that break"}


def describe_faithful(evaluation: Result) -> str:
    """Prompts that are in the words published for them, by where these stand."""
    found: dict[str, list[str]] = {}
    for prompt, place in evaluation.provenance.protocol.faithful.items():
        found.setdefault(place, []).append(prompt)
    return "; ".join(f"{', '.join(prompts)} ({place})" for place, prompts in found.items())


def describe_simulated(spec: str) -> str | None:
    """Origin of the answers of a simulated model or a baseline; None for a real model."""
    if spec.startswith("baseline/"):
        rule = _RULES.get(spec.removeprefix("baseline/").partition(":")[0])
        return f"A baseline: it {rule}." if rule else "A baseline, not a language model."
    if not is_simulated(spec):
        return None
    try:
        return _format_planted(parse_planted(spec))
    except InputError:
        return "Answered from the sealed key with planted competence that this version of mores does not know."


def _format_planted(planted: PlantedCompetence) -> str:
    base = planted.base
    knows = ", ".join(f"{rung} {_percent(getattr(base, rung))}" for rung in _ALWAYS)
    flaws = ", ".join(
        f"{_percent(share)} {words}" for name, words in _IF_ANY.items() if (share := float(getattr(base, name))) > 0
    )
    alike: dict[str, list[str]] = {}
    for place, kinds in sorted(planted.places.items()):
        alike.setdefault(_kinds(kinds), []).append(place)
    places = "; ".join(f"{text} in {', '.join(members)}" for text, members in alike.items())
    return (
        f"No model was asked. Each question is known with a planted probability ({knows}); what is known is acted on "
        f"with {_percent(base.apply_known)} from apply upwards; what is not known is guessed uniformly, so shares lie "
        f"above the planted ones{f'; {flaws} are planted' if flaws else ''}."
        f"{f' Other probabilities at some places: {places}.' if places else ''}"
    )


def _kinds(kinds: dict[str, float]) -> str:
    if len(kinds) == len(_ALWAYS) and len(set(kinds.values())) == 1:
        return f"{_percent(next(iter(kinds.values())))} throughout"
    return ", ".join(f"{kind.replace('_', ' ')} {_percent(share)}" for kind, share in kinds.items())


def _percent(share: float) -> str:
    return f"{100 * share:g}%"


def made_details(evaluations: Sequence[Result], slug: str) -> Details:
    """Provenance of the figures of one benchmark, model by model."""
    card = evaluations[0].card
    pairs: list[tuple[Words, tuple[Words, ...]]] = []
    if card:
        pairs.append(("Source", ((Span(card.source, "source"), f"; licence {card.licence}"),)))
    traces = dict.fromkeys(evaluation.provenance.card for evaluation in evaluations)
    printed = (
        (trace.version, *((", fingerprint ", Span(trace.fingerprint, "code")) if trace.fingerprint else ()))
        for trace in traces
    )
    pairs.append(("Version", (words.joined(printed, "; "),)))
    if card:
        pairs.append(("Drawn together", (f"{card.clusters} (intervals respect it)",)))
    pairs += [(Span(evaluation.label, "model"), tuple(_lines(evaluation))) for evaluation in evaluations]
    return Details(summary="How these figures were made", blocks=(DefinitionList(tuple(pairs)),), id=f"{slug}-made")


def _lines(evaluation: Result) -> Iterator[Words]:
    made = evaluation.provenance
    yield _protocol(evaluation)
    gone = [
        (Span(f"{words.setting_name(d.setting)} {d.used}", "strong"), f" (published {d.published})")
        for d in made.departures
    ]
    yield ("Deviations from it: ", *(words.joined(gone) or ("none",)), ".")
    if made.protocol.faithful:
        yield ("Prompts in words as published: ", describe_faithful(evaluation), ".")
    if made.sent:
        yield ("Sent with each call to the subject: ", Span(encode(made.sent).decode(), "code"), ".")
    yield from made.remarks
    if made.judged:
        yield ("Stored plays of ", Span(made.judged, "code"), ", judged again.")
    items = f" of {made.card.items:,}" if made.card.items and made.items != made.card.items else ""
    plays = f"{made.plays.done:,} of {made.plays.asked:,} plays done; seed {made.seed}; spec "
    yield (f"{made.items:,} items{items}, {plays}", Span(made.spec_hash, "code"), ".")
    prompts = ((f"{name} ", Span(sha, "code")) for name, sha in made.prompts.items())
    yield ("Prompts: ", *words.joined(prompts), ".")
    data = [(f"{name} ", Span(sha[:16], "code", title=f"SHA-256 {sha}")) for name, sha in made.data.items()]
    fetched = [words.joined([("fetched of ", Span(name, "code"))]) for name in made.fetched]
    yield ("Data: ", *(words.joined((*data, *fetched)) or ("bundled with mores",)), ".")
    roles = ((f"{role} ", Span(spec, "model")) for role, spec in made.roles.items())
    own = Span(f" {', '.join(evaluation.own_judges)} judges itself:", "strong")
    flattered = (own, " models tend to prefer their own answers.") if evaluation.own_judges else ()
    yield ("Roles: ", *words.joined(roles), ".", *flattered)
    yield from (_usage(name, usage) for name, usage in made.models.items())
    yield f"Failed attempts: {words.format_causes(made.failed_attempts) or 'none'}."
    commit: tuple[Inline, ...] = (", commit ", Span(made.git[:12], "code")) if made.git else ()
    yield (f"mores {made.mores}", *commit, f", {made.written}; ", Span(f"{evaluation.folder}", "code"), ".")


def _protocol(evaluation: Result) -> str:
    protocol = evaluation.provenance.protocol
    temperature = protocol.sampling.temperature
    tokens = f"{protocol.answer_tokens} tokens for the answer" if protocol.answer_tokens else "no limit on the answer"
    source = f" {protocol.source}" if protocol.source and protocol.source != "own" else ""
    return (
        f"Protocol: temperature {'left to the provider' if temperature is None else temperature}, {tokens}, "
        f"{words.plural(protocol.samples, 'sample')} an item, labels read {protocol.reading}ly, options "
        f"{'shuffled' if protocol.shuffle else 'in the published order'}.{source}"
    )


def _usage(name: str, usage: ModelUsage) -> Words:
    asked, journal, reused, into, out = (
        usage.session.get(key, 0) for key in ("asked", "from_journal", "reused", "input_tokens", "output_tokens")
    )
    calls = usage.usage_estimated_calls
    estimated = f" (estimated for {calls:,} calls)" if calls else ""
    identity: tuple[Inline, ...] = (" Identity ", Span(usage.identity, "code"), ".") if usage.identity else ()
    how = Span(" Altered by what the endpoint takes:", "strong")
    altered: tuple[Inline, ...] = (how, f" {'; '.join(usage.altered)}.") if usage.altered else ()
    odd: tuple[Inline, ...] = (Span(" Caution:", "strong"), f" {'; '.join(usage.odd)}.") if usage.odd else ()
    recording = "" if usage.recording is None else f" {describe_recording(usage.recording)}."
    texts = (
        f", last session: {asked:,} calls, {journal:,} from the journal, {reused:,} from earlier runs, {into:,} tokens "
        f"in and {out:,} out{estimated}; {_cost(usage)}.{recording}"
    )
    return (Span(name, "model"), texts, *identity, *altered, *odd)


def _cost(usage: ModelUsage) -> str:
    if usage.cost is not None and usage.price is not None:
        return f"at most ${usage.cost:.4f} ({usage.price.table})"
    return "no known price" if usage.price else "no cost"


def provenance_section(results: Results) -> Section:
    """Section on how each figure was made, on facts of the models, and on what was planted."""
    links = words.joined(Span(name, "link", target=f"#{slug_of(name)}-made") for name in results.benchmarks)
    packages = results.evaluations[0].provenance.packages if results.evaluations else {}
    text = ", ".join(f"{name} {version}" for name, version in packages.items())
    files = ("estimates.json", "verdicts.jsonl", "transcripts.jsonl")
    estimates, verdicts, transcripts = (Span(name, "code") for name in files)
    return Section(
        id="provenance",
        title="How this was made",
        order=100,
        blocks=(
            Paragraph(("Prompts, data, protocol, dice, calls and cost stand under each benchmark: ", *links,
                        ". Every figure can be traced from here to its estimate (", estimates, "), its verdicts (",
                        verdicts, ") and the words (", transcripts, ") in the run’s folder."), "explanation"),
            Paragraph("The models", "heading", id="made-up", on="page"),
            DefinitionList(tuple(_subject(results.of(label)) for label in results.labels), on="page"),
            Paragraph(f"Packages: {text}. Page written by mores {__version__}.", "note"),
        ),
    )  # fmt: skip


def _subject(evaluations: Sequence[Result]) -> tuple[Words, tuple[Words, ...]]:
    facts = {name: value for evaluation in evaluations for name, value in evaluation.provenance.facts.items() if value}
    known = ", ".join(f"{name} {value}" for name, value in facts.items())
    made_up = describe_simulated(evaluations[0].model)
    text = made_up or f"{known or 'Nothing is known of this model but its name'}."
    return Span(evaluations[0].label, "model"), (text,)
