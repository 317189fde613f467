"""Certificates of judges in blocks: levels, what they come to on things, what is promised, and the picture of risk."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from mores.blocks import Axis, Block, Cell, Chart, Listing, Point, Series, Text
from mores.blocks.formatting import DASH, format_causes, format_number, plural
from mores.calibration.calibrations import Calibration
from mores.calibration.certificate import Certificate, Held, Level
from mores.calibration.certificate_apply import Put
from mores.calibration.draws import JudgeDraws
from mores.calibration.draws_labels import Population, Truths
from mores.calibration.heldout import Applied, LevelOnData, SingleWord
from mores.core.estimate import Estimate
from mores.reports.sections.agreement import NUMBER, table, told
from mores.stats import Measured
from mores.stats.intervals import MIN_CLUSTERS

PLACES = 8
"""Places that a table shows, those with the most loss first; programs get all."""
SETS_ONLY = (
    "That is about sets, over all things together: where a set has one word, it may be wrong more often. "
    "mores calibrate selective bounds the error of single decisions."
)


def calibration_blocks(found: Calibration) -> tuple[Block, ...]:
    """All that was found of one judge on one task, for a terminal."""
    return (
        Listing(tuple(sentences(found))),
        *chain.from_iterable(
            (*levels_table(each), *(() if on is None else _applied_table(each, on)))
            for each, on in zip(found.certificates, found.applied, strict=True)
        ),
        *_places_table(found),
        *(Text(words=line) for line in claims(found)),
    )


def sentences(found: Calibration) -> Iterator[str]:
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


def _standing(draws: JudgeDraws, truths: Truths, certificate: Certificate) -> Iterator[str]:
    """Who drew what, and on what the certificates rest."""
    population = truths.population(truths.calibration)
    held = f", {_units(truths.population(truths.held))} held out" if truths.held.size else ""
    people = plural(population.people, "person", "people")
    yield f"{plural(draws.each, 'draw')} of each thing by {draws.role}, {_sampling(draws)}; {_measure(certificate)}."
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


def _units(population: Population) -> str:
    of = f" of {plural(population.clusters, 'cluster')}" if population.clustered else ""
    return f"{plural(population.items, 'thing')}{of}"


def _sampling(draws: JudgeDraws) -> str:
    """How words were drawn."""
    temperature = draws.conditions.sampling.get("temperature")
    if temperature is None:
        return "temperature left to the provider"
    return f"temperature {temperature:g}" if isinstance(temperature, int | float) else f"temperature {temperature}"


def _measure(certificate: Certificate) -> str:
    """What was made of the draws, and by which test."""
    stored = certificate.conditions.measure
    if "confidence" in stored:
        return f"confidence by {stored['confidence']}, moved downwards by {certificate.steps}"
    swept = certificate.mode == "pareto"
    similarity = f", similarity {stored['likeness']}" if swept else ""
    tried = "thresholds of all kinds tried" if swept else "the stop alone moved"
    return f"quality {stored['quality']}, set {stored['set']}{similarity}; {tried} by {certificate.steps}"


def _warned(draws: JudgeDraws, truths: Truths, one_each: dict[float, int]) -> Iterator[str]:
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


def _where(certificate: Certificate) -> str:
    return "" if certificate.place is None else f", {certificate.place or 'no place'}"


def levels_table(certificate: Certificate) -> tuple[Block, ...]:
    """Each level with its thresholds, or the cause for which there are none."""
    heads = ("level", "kept", "wrong", "from confidence") if certificate.promise == "selective" else (
        "level", "lost", "p", "thresholds")  # fmt: skip
    return table(f"Levels{_where(certificate)}", heads, [_level(each, certificate) for each in certificate.levels])


def _level(level: Level, certificate: Certificate) -> tuple[Cell, ...]:
    thresholds = _thresholds(level, certificate.conditions.measure.get("set"))
    if certificate.promise == "selective":
        return f"{level.risk:g}", f"{level.kept or 0} of {level.units}", format_number(level.loss), thresholds
    lost = f"{level.loss * level.units:.4g} of {level.units}"
    return f"{level.risk:g}", lost, DASH if level.p is None else f"{level.p:.3g}", thresholds


def _thresholds(level: Level, score: object) -> str:
    if not level.certified:
        return f"uncalibratable: {level.cause}{_would(level)}"
    shown = [_bound(name, value, score) for name, value in level.thresholds.items() if isinstance(value, float)]
    return ", ".join(shown) or "all draws"


def _bound(name: str, value: float, score: object) -> str:
    match name, score:
        case "stop", "first_k":
            return f"first {value:g} kept"
        case "stop", "first_k_draws":
            return f"first {value:g} drawn"
        case "stop", _:
            return f"stop at {value:.3g}"
        case "similarity", _:
            return f"similarity to {value:.3g}"
        case _:
            return f"{name} from {value:.3g}"


def _would(level: Level) -> str:
    """At which level it would pass, and how many labels would be needed."""
    parts = []
    if level.passes_at is not None and level.passes_at < 1:
        parts.append(f"would pass at {level.passes_at:.3g}")
    if level.labels_needed is not None:
        parts.append(f"about {level.labels_needed:,} labels might do")
    elif level.loss >= level.risk:
        parts.append("were as many lost among more, no number of labels would do")
    return f" ({'; '.join(parts)})" if parts else ""


def _applied_table(certificate: Certificate, on: Applied) -> tuple[Block, ...]:
    """What each certified level comes to on things."""
    if certificate.promise == "selective":
        heads: tuple[str, ...] = ("level", "trusted", "to people", "wrong among trusted")
        return table("Held out", heads, [_on_accepted(each) for each in on.levels])
    where = "Held out" if on.held_out else "On the things that calibrated (nothing was held out, so these flatter)"
    heads = ("level", "loss", "draws", "kept", "decisive", "wrong of these", "split", "empty")
    rows = [_on(each, certificate.conditions.draws) for each in on.levels]
    return table(f"{where}{_where(certificate)}", heads, rows)


def _on_accepted(each: LevelOnData) -> tuple[Cell, ...]:
    error = DASH if each.error is None or each.interval is None else told(Measured(each.error, each.interval))
    trusted = each.accepted or 0
    share = f"{format_number(trusted / each.items)} ({trusted} of {each.items})"
    return f"{each.risk:g}", share, f"{each.items - trusted}", error


def _on(each: LevelOnData, most: int) -> tuple[Cell, ...]:
    found = each.figures
    if found is None:
        return (f"{each.risk:g}", "uncalibratable", *[DASH] * 6)
    shares = (found.decisive, found.decisive_error, found.split, found.empty)
    return (
        f"{each.risk:g}", told(Measured(found.loss, found.loss_interval)), f"{found.draws * most:.1f}",
        f"{found.size * most:.1f}", *map(format_number, shares),
    )  # fmt: skip


def _places_table(found: Calibration) -> tuple[Block, ...]:
    """Loss by place at the strictest certified level; no certificate over all places speaks of any one."""
    on = found.applied[0]
    if on is None or found.certificates[0].place is not None:
        return ()
    chosen = next((each for each in on.levels if each.figures is not None), None)
    if chosen is None or len(chosen.places) < 2:
        return ()
    enough = [each for each in chosen.places if each.items >= MIN_CLUSTERS]
    most = sorted(enough, key=lambda each: (-each.loss, each.place))[:PLACES]
    left, few = len(chosen.places) - len(most), len(chosen.places) - len(enough)
    others = f"{plural(left, 'other place')}, {few} of them with fewer than {MIN_CLUSTERS} things. " if left else ""
    return table(
        f"Loss by place at {chosen.risk:g}",
        ("place", "n", "loss"),
        [(each.place or "no place", f"{each.items}", told(Measured(each.loss, each.interval))) for each in most],
        f"{others}The certificate is about all places together; --by place certifies each.",
    )


def claims(found: Calibration) -> Iterator[str]:
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
    expectation = found.certificates[0].promise == "expectation"
    if len(certified) > 1 and found.claims == 1 and not expectation:
        every = sum(len(each.levels) for each in found.certificates)
        yield (
            "Each certificate holds on its own. To claim several at once, or the one that looks best, divide delta by "
            f"their number: --claims {every} for these alone."
        )
    yield from _read_so([on for on in found.applied if on is not None], expectation=expectation)


def _read_so(on: Sequence[Applied], *, expectation: bool) -> Iterator[str]:
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
        bounds = "the risk on average over calibrations" if expectation else "the true risk"
        ends = dict.fromkeys(f"{chance:.2f}" for chance in (min(chances), max(chances)))
        yield (
            f"A certificate bounds {bounds}; a held-out loss swings round the true one. Were the true risk just the "
            f"level, as many independent things would have a loss above it with a chance of {' to '.join(ends)}: "
            "one now and then is no breach, and one below no proof."
        )
    for each in found:
        if each.verdict in {"chance", "above"}:
            more = "more than chance brings: these things may be unlike those that calibrated"
            how = more if each.verdict == "above" else "no more than chance brings"
            yield f"At {each.risk:g} the loss is above the level by {how}."


def put_blocks(put: Put, *, sets: bool) -> tuple[Block, ...]:
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
    return tuple(Text(words=line) for line in lines)


def elsewhere(put: Put) -> Iterator[str]:
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


def risk_charts(certificates: Iterable[Certificate], *, simulated: bool) -> tuple[Chart, ...]:
    """Held-out loss against the level certified: a chart a task, a series a judge; only tasks with something held out.

    A point on the diagonal has just the loss that its level allows; a level without a certificate has no point.
    """
    held = [each for each in certificates if each.held]
    tasks = dict.fromkeys((each.conditions.benchmark, each.conditions.task) for each in held)
    return tuple(
        _chart(task, [c for c in held if (c.conditions.benchmark, c.conditions.task) == task], simulated=simulated)
        for task in tasks
    )


def _chart(task: tuple[str, str], certificates: Sequence[Certificate], *, simulated: bool) -> Chart:
    n = " or ".join(f"{n:,}" for n in sorted({held.items for each in certificates for held in each.held}))
    return Chart(
        kind="risk",
        title=f"{task[1]} ({task[0]}, n {n}{', simulated' if simulated else ''})",
        series=tuple(Series(name=_judge(each, certificates), points=tuple(_points(each))) for each in certificates),
        axes=(Axis(title="level certified"), Axis(title="held-out loss")),
    )


def _judge(certificate: Certificate, others: Sequence[Certificate]) -> str:
    """The judge's name, with what tells it from others of the same name."""
    conditions, place = certificate.conditions, f", {certificate.place}" if certificate.place else ""
    alike = [c for c in others if c.conditions.judge == conditions.judge and c.place == certificate.place]
    temperature = conditions.sampling.get("temperature")
    apart = f" ({conditions.role}, temperature {temperature})" if len(alike) > 1 else ""
    return f"{conditions.judge}{place}{apart}"


def _points(certificate: Certificate) -> Iterator[Point]:
    """A point a level; one without a loss stands for a level without a certificate."""
    held = {each.risk: each for each in certificate.held}
    for level in certificate.levels:
        found = held.get(level.risk, Held(risk=level.risk, loss=None, low=None, high=None, items=0))
        yield Point(
            x=Estimate(metric="level", value=level.risk, asked=0, graded=0),
            y=Estimate(metric="loss", value=found.loss, low=found.low, high=found.high, asked=found.items,
                       graded=found.items),
        )  # fmt: skip
