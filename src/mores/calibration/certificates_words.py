"""Certificates of judges in sentences: what they rest on, what is promised, and how figures on things are read."""

from collections.abc import Iterator, Sequence

from mores.blocks import Block, Paragraph
from mores.blocks.formatting import format_causes, format_number, plural
from mores.calibration.agreement_words import NUMBER, told
from mores.calibration.apply_certificate import AppliedCertificates
from mores.calibration.calibration_labels import CalibrationLabels, CalibrationPopulation
from mores.calibration.certificate import Certificate, CertifiedLevel
from mores.calibration.draws import JudgeDraws
from mores.calibration.heldout import Applied, SingleWord
from mores.calibration.judge_calibration import JudgeCalibration

SETS_ONLY = (
    "That is about sets, over all things together: where a set has one word, it may be wrong more often. "
    "mores calibrate selective bounds the error of single decisions."
)


def sentences(found: JudgeCalibration) -> Iterator[str]:
    """What to know before the tables."""
    draws, truths = found.draws, found.truths
    yield from _standing(draws, truths, found.certificates[0])
    if found.error is None:
        yield from _warned(draws, truths, found.one_each)
    else:
        if draws.equal:
            yield "All draws of every thing decide alike, so consistency is 1 throughout and tells nothing apart."
        yield f"Were every decision trusted, {format_number(found.error)} would be wrong on the things that calibrate."
    yield from _of_single(found.single)


def _standing(draws: JudgeDraws, truths: CalibrationLabels, certificate: Certificate) -> Iterator[str]:
    """Who drew what, and on what the certificates rest."""
    population = truths.population(truths.calibration)
    held = f", {_units(truths.population(truths.held))} held out" if truths.held.size else ""
    people = plural(population.people, "person", "people")
    measure = measure_told(certificate)
    yield f"{plural(draws.each, 'draw')} of each thing by {draws.role}, {_sampling(draws)}; {measure}."
    yield f"Calibrated on {_units(population)} labelled by {people}{held} ({truths.split})."
    lost = sum(draws.unreadable.values())
    if lost:
        total = draws.each * len(draws.table.rows)
        causes = format_causes(draws.unreadable)
        yield f"{lost:,} of {total:,} draws could not be read, and agree with nobody: {causes}."
    if truths.aside:
        yield (
            f"{plural(truths.aside, 'labelled thing')} set aside by chance, more of short episodes than of long ones: "
            "those kept are as things drawn from all things, which are decided and promised of."
        )
    if truths.left_out:
        yield (
            f"{plural(truths.left_out, 'labelled thing')} on which people tie left out; "
            "the promise speaks of things on which they do not."
        )


def _units(population: CalibrationPopulation) -> str:
    of = f" of {plural(population.clusters, 'cluster')}" if population.clustered else ""
    return f"{plural(population.items, 'thing')}{of}"


def _sampling(draws: JudgeDraws) -> str:
    """How words were drawn."""
    temperature = draws.conditions.sampling.get("temperature")
    if temperature is None:
        return "temperature left to the provider"
    return f"temperature {temperature:g}" if isinstance(temperature, int | float) else f"temperature {temperature}"


def measure_told(certificate: Certificate) -> str:
    """What was made of the draws, and by which test."""
    stored = certificate.conditions.measure
    if "confidence" in stored:
        return f"confidence by {stored['confidence']}, moved downwards by {certificate.steps}"
    swept = certificate.mode == "pareto"
    similarity = f", similarity {stored['likeness']}" if swept else ""
    tried = "thresholds of all kinds tried" if swept else "the stop alone moved"
    return f"quality {stored['quality']}, set {stored['set']}{similarity}; {tried} by {certificate.steps}"


def _warned(draws: JudgeDraws, truths: CalibrationLabels, one_each: dict[float, int]) -> Iterator[str]:
    """What makes a calibration say less than it seems to."""
    if draws.equal:
        yield (
            "All draws of every thing decide alike, as at temperature 0: more of them add nothing, and no level below "
            "the judge's own error can be reached. Judge with --judge-temperature 1 --samples K."
        )
    elif draws.each == 1:
        yield "One draw of each thing: sets have one draw at most. Judge K times: mores judge RUN --samples K."
    if truths.population(truths.calibration).clustered:
        passes = ", ".join(f"{risk:g} with {losses} lost" for risk, losses in one_each.items()) or "no level"
        yield (
            f"Things of one cluster are not independent, so {truths.clusters(truths.calibration)} clusters were tested "
            f"by their mean losses (Hoeffding and Bentkus). One thing of each (--one-per-episode) would pass {passes}."
        )


def _of_single(found: SingleWord) -> Iterator[str]:
    """The judge's first word and its steadiness."""
    if found.accuracy is not None:
        unread = f"; {found.unread} first words could not be read" if found.unread else ""
        yield f"First word alone, n {found.units}: accuracy {told(found.accuracy)}{unread}."
    for each in found.classes:
        yield (
            f"“{each.name}”: precision {told(each.precision)}, recall {told(each.recall)}, "
            f"F1 {told(each.f1, NUMBER)} ({each.gold} by people, {each.said} by the judge)."
        )
    if found.flip_rate is None:
        yield "Flip rate: none, as each thing was judged once; mores judge RUN --samples K judges it K times."
    else:
        yield (
            f"Flip rate {told(found.flip_rate)}: the chance that two draws on a thing disagree "
            f"({plural(found.items, 'thing')})."
        )


def thresholds_told(level: CertifiedLevel, score: object) -> str:
    """The thresholds of a level, or why there are none and what would help."""
    if not level.certified:
        return f"uncalibratable: {level.cause}{_would(level)}"
    shown = [_bound(name, value, score) for name, value in level.thresholds.items() if isinstance(value, float)]
    return ", ".join(shown) or "all draws"


def _bound(name: str, value: float, score: object) -> str:
    match name, score:
        case "stop", "first_k":
            return f"first {value:g} kept"
        case "stop", _:
            return f"stop at {value:.3g}"
        case "similarity", _:
            return f"similarity to {value:.3g}"
        case _:
            return f"{name} from {value:.3g}"


def _would(level: CertifiedLevel) -> str:
    """At which level it would pass, and how many labels would be needed."""
    parts = []
    if level.passes_at is not None and level.passes_at < 1:
        parts.append(f"would pass at {level.passes_at:.3g}")
    if level.labels_needed is not None:
        parts.append(f"about {level.labels_needed:,} labels might do")
    elif level.loss >= level.risk:
        parts.append("were as many lost among more, no number of labels would do")
    return f" ({'; '.join(parts)})" if parts else ""


def claims(found: JudgeCalibration) -> Iterator[str]:
    """What is promised at the strictest certified level, and how the figures on things are to be read."""
    certified = [level for each in found.certificates for level in each.levels if level.certified]
    if found.error is not None:
        yield certified[0].claim if certified else "No level is certified: every decision goes to people."
        if any(on is not None and on.levels for on in found.applied):
            yield "A held-out share above its level can be chance: it varies around the true share."
        return
    if not certified:
        yield "No level is certified: every thing goes to people."
    else:
        yield f"At {certified[0].risk:g}: {certified[0].claim}"
    if len(certified) > 1 and found.claims == 1:
        every = sum(len(each.levels) for each in found.certificates)
        yield (
            "Each certificate holds on its own. To claim several at once, or the one that looks best, divide delta by "
            f"their number: --claims {every} for these alone."
        )
    yield from _read_so([on for on in found.applied if on is not None])


def _read_so(on: Sequence[Applied]) -> Iterator[str]:
    """How figures on things are to be read against their levels."""
    found = [each for one in on for each in one.levels]
    trivial = dict.fromkeys(f"{each.risk:g}" for each in found if each.figures is not None and each.figures.trivial)
    if trivial:
        yield (
            f"At {', '.join(trivial)} nearly every thing gets one draw, and it is kept: "
            "the judge's single words meet the level, and sets add nothing."
        )
    chances = [each.chance_above_level for each in found if each.chance_above_level is not None]
    if not any(one.held_out for one in on):
        return
    if chances:
        ends = dict.fromkeys(f"{chance:.2f}" for chance in (min(chances), max(chances)))
        yield (
            "A certificate bounds the true risk; a held-out loss swings round the true one. Were the true risk just "
            f"the level, as many independent things would have a loss above it with a chance of {' to '.join(ends)}: "
            "one now and then is no breach, and one below no proof."
        )
    for each in found:
        if each.verdict in {"chance", "above"}:
            more = "more than chance brings: these things may be unlike those that calibrated"
            how = more if each.verdict == "above" else "no more than chance brings"
            yield f"At {each.risk:g} the loss is above the level by {how}."


def put_blocks(put: AppliedCertificates, *, sets: bool) -> tuple[Block, ...]:
    """What certificates make of a run, and where they promise nothing."""
    counts, words = put.counts, ", ".join(f"{word} {count:,}" for word, count in put.words.items())
    rest = {cause: count for cause, count in counts.items() if cause != "decided"}
    decided = f"{counts.get('decided', 0):,} of {len(put.rows):,} things decided at {put.risk:g}"
    lines = [f"{decided} ({words})." if words else f"{decided}."]
    if rest:
        lines.append(f"To people: {format_causes(rest)}.")
    lines += put.claims or ("No thresholds are certified at this level, so everything goes to people.",)
    if put.claims:
        lines += [*([SETS_ONLY] if sets else []), *elsewhere(put)]
    if put.strangers:
        lines.append(
            f"Nothing is promised of answers by {', '.join(put.strangers)}: "
            "the certificate was made on answers of other models."
        )
    return tuple(Paragraph(words=line) for line in lines)


def elsewhere(put: AppliedCertificates) -> Iterator[str]:
    """Where these things are another population than was calibrated on."""
    if put.shared:
        yield (
            "The promise is of one thing drawn from an episode; of all things together, among which "
            f"{put.shared:,} share an episode with others, nothing is promised: calibrate with --promise thing."
        )
    if put.longer:
        yield (
            f"Nothing is promised of {put.longer:,} things in episodes of more than {put.longest}, the most that was "
            "calibrated on."
        )
