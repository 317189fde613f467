"""How figures were made, as blocks: protocol, prompts, data, roles, calls and cost, and who the models are."""

from collections.abc import Iterator, Sequence

from mores import __version__
from mores.analysis.links import slug_of
from mores.analysis.results import ModelUsage, Result, Results
from mores.blocks import DefinitionList, Details, Inline, Paragraph, Section, Span, Words
from mores.blocks import formatting as words
from mores.core.codec import encode
from mores.reports.planted import describe_simulated
from mores.reports.wording import describe_recording


def made_details(evaluations: Sequence[Result], slug: str) -> Details:
    """How the figures of one benchmark were made, model by model."""
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
    gone = [(Span(f"{d.setting} {d.used}", "strong"), f" (published {d.published})") for d in made.departures]
    yield ("Departures from it: ", *(words.joined(gone) or ("none",)), ".")
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
    yield ("Data: ", *(words.joined(data) or ("bundled with mores",)), ".")
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
        usage.sitting.get(key, 0) for key in ("asked", "from_journal", "reused", "input_tokens", "output_tokens")
    )
    calls = usage.usage_estimated_calls
    estimated = f" (estimated for {calls:,} calls)" if calls else ""
    identity: tuple[Inline, ...] = (" Identity ", Span(usage.identity, "code"), ".") if usage.identity else ()
    how = Span(" Altered by what the endpoint takes:", "strong")
    altered: tuple[Inline, ...] = (how, f" {'; '.join(usage.altered)}.") if usage.altered else ()
    odd: tuple[Inline, ...] = (Span(" Caution:", "strong"), f" {'; '.join(usage.odd)}.") if usage.odd else ()
    recording = "" if usage.recording is None else f" {describe_recording(usage.recording)}."
    told = (
        f", last sitting: {asked:,} calls, {journal:,} from the journal, {reused:,} from earlier runs, {into:,} tokens "
        f"in and {out:,} out{estimated}; {_cost(usage)}.{recording}"
    )
    return (Span(name, "model"), told, *identity, *altered, *odd)


def _cost(usage: ModelUsage) -> str:
    if usage.cost is not None and usage.price is not None:
        return f"at most ${usage.cost:.4f} ({usage.price.table})"
    return "no known price" if usage.price else "no cost"


def provenance_section(results: Results) -> Section:
    """Where to find how each figure was made, what is known of the models, and what was planted."""
    links = words.joined(Span(name, "link", target=f"#{slug_of(name)}-made") for name in results.benchmarks)
    packages = results.evaluations[0].provenance.packages if results.evaluations else {}
    told = ", ".join(f"{name} {version}" for name, version in packages.items())
    files = ("estimates.json", "verdicts.jsonl", "transcripts.jsonl")
    estimates, verdicts, transcripts = (Span(name, "code") for name in files)
    return Section(
        id="provenance",
        title="How this was made",
        order=100,
        blocks=(
            Paragraph(words=("Prompts, data, protocol, dice, calls and cost stand under each benchmark: ", *links,
                        ". Every figure can be traced from here to its estimate (", estimates, "), its verdicts (",
                        verdicts, ") and the words (", transcripts, ") in the run’s folder."), role="explanation"),
            Paragraph(words="The models", role="heading", id="made-up", on="page"),
            DefinitionList(tuple(_subject(results.of(label)) for label in results.labels), on="page"),
            Paragraph(words=f"Packages: {told}. Page written by mores {__version__}.", role="note"),
        ),
    )  # fmt: skip


def _subject(evaluations: Sequence[Result]) -> tuple[Words, tuple[Words, ...]]:
    facts = {name: value for evaluation in evaluations for name, value in evaluation.provenance.facts.items() if value}
    known = ", ".join(f"{name} {value}" for name, value in facts.items())
    made_up = describe_simulated(evaluations[0].model)
    told = made_up or f"{known or 'Nothing is known of this model but its name'}."
    return Span(evaluations[0].label, "model"), (told,)
