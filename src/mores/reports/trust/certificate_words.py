"""How a calibration is put: sentences and small tables for a terminal and a page, and values for programs."""

from collections.abc import Iterator, Sequence

from mores.reports.trust.agreement_words import Grid, counted, number, plain, told
from mores.reports.trust.certificate import Asked, Certificate, Level
from mores.reports.trust.draws import JudgeDraws
from mores.reports.trust.draws_labels import Population, Truths
from mores.reports.trust.heldout import Applied, LevelOnData, SingleWord
from mores.reports.wording import DASH, told_causes
from mores.stats import Interval
from mores.stats.intervals import FEWEST

PLACES = 8
"""Places that a table shows, those with the most loss first; programs get all."""


def standing(draws: JudgeDraws, truths: Truths, certificate: Certificate) -> Iterator[str]:
    """Who drew what, and on what the certificates rest."""
    population = truths.population(truths.calibration)
    held = f", {told_units(truths.population(truths.held))} held out" if truths.held.size else ""
    yield (
        f"{counted(draws.each, 'draw')} of each thing by {draws.role}, {told_sampling(draws)}; "
        f"{told_measure(certificate)}."
    )
    yield (
        f"Calibrated on {told_units(population)} labelled by {counted(population.people, 'person', 'people')}{held} "
        f"({truths.split})."
    )
    lost = sum(draws.unreadable.values())
    if lost:
        total = draws.each * len(draws.table.rows)
        yield f"{lost:,} of {total:,} draws could not be read, and agree with nobody: {told_causes(draws.unreadable)}."
    if truths.aside:
        yield (
            f"{counted(truths.aside, 'labelled thing')} set aside by chance, more of short episodes than of long ones: "
            "those kept are as things drawn from all things, which are decided and promised of."
        )
    if truths.left_out:
        yield (
            f"{counted(truths.left_out, 'labelled thing')} on which people tie left out; "
            "the promise speaks of things on which they do not."
        )


def told_units(population: Population) -> str:
    """How many things, and of how many clusters where they share any."""
    return counted(population.items, "thing") + (
        f" of {counted(population.clusters, 'cluster')}" if population.clustered else ""
    )


def told_sampling(draws: JudgeDraws) -> str:
    """How words were drawn."""
    heat = draws.conditions.sampling.get("temperature")
    return "temperature left to the provider" if heat is None else f"temperature {heat:g}" if isinstance(
        heat, int | float) else f"temperature {heat}"  # fmt: skip


def told_measure(certificate: Certificate) -> str:
    """What was made of the draws, and by which test."""
    stored = certificate.conditions.measure
    if "confidence" in stored:
        return f"confidence by {stored['confidence']}, moved downwards by {certificate.steps}"
    likeness = f", likeness {stored['likeness']}" if certificate.mode == "pareto" else ""
    tried = "thresholds of all kinds tried" if certificate.mode == "pareto" else "the stop alone moved"
    return f"quality {stored['quality']}, set {stored['set']}{likeness}; {tried} by {certificate.steps}"


def warned(draws: JudgeDraws, truths: Truths, one_each: dict[float, int]) -> Iterator[str]:
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
        clusters = truths.clusters(truths.calibration)
        yield (
            f"Things of one cluster are not independent, so {clusters} clusters were tested by their mean losses "
            f"(Hoeffding and Bentkus). One thing of each (--one-per-episode) would pass {passes}."
        )


def single(word: SingleWord) -> Iterator[str]:
    """The judge's first word and its steadiness."""
    found = word.agreement
    if found is not None:
        unread = f"; {word.unread} first words could not be read" if word.unread else ""
        yield f"First word alone, n {found.units}: accuracy {told(found.accuracy, 'share')}{unread}."
        for each in found.classes:
            yield (
                f"“{each.name}”: precision {told(each.precision, 'share')}, recall {told(each.recall, 'share')}, "
                f"F1 {told(each.f1)} ({each.gold} by people, {each.said} by the judge)."
            )
    if word.repeats is None:
        yield f"Flip rate: none, as {word.why}."
    else:
        yield (
            f"Flip rate {told(word.repeats.flip_rate, 'share')}: the chance that two draws on a thing disagree "
            f"({counted(word.repeats.items, 'thing')})."
        )


def levels_grid(certificate: Certificate) -> Grid:
    """Each level with its thresholds, or the cause for which there are none."""
    place = f", {certificate.place or 'no place'}" if certificate.place is not None else ""
    heads = ("level", "kept", "wrong", "from confidence") if certificate.promise == "selective" else (
        "level", "lost", "p", "thresholds")  # fmt: skip
    return Grid(
        title=f"Levels{place}", heads=heads, rows=tuple(_level(each, certificate) for each in certificate.levels)
    )


def _level(level: Level, certificate: Certificate) -> tuple[str, ...]:
    if certificate.promise == "selective":
        accepted = f"{level.kept or 0} of {level.units}"
        return (f"{level.risk:g}", accepted, number(level.loss, "share"), _thresholds(level, None))
    score = certificate.conditions.measure.get("set")
    lost = f"{level.loss * level.units:.4g} of {level.units}"
    return (f"{level.risk:g}", lost, DASH if level.p is None else f"{level.p:.3g}", _thresholds(level, score))


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
            return f"likeness to {value:.3g}"
        case _:
            return f"{name} from {value:.3g}"


def _would(level: Level) -> str:
    """At which level it would pass, and how many labels would be needed."""
    told_parts = []
    if level.passes_at is not None and level.passes_at < 1:
        told_parts.append(f"would pass at {level.passes_at:.3g}")
    if level.labels_needed is not None:
        told_parts.append(f"about {level.labels_needed:,} labels might do")
    elif level.loss >= level.risk:
        told_parts.append("were as many lost among more, no number of labels would do")
    return f" ({'; '.join(told_parts)})" if told_parts else ""


def applied_grid(certificate: Certificate, on: Applied) -> Grid:
    """What each certified level comes to on things."""
    place = f", {certificate.place or 'no place'}" if certificate.place is not None else ""
    where = "Held out" if on.held_out else "On the things that calibrated (nothing was held out, so these flatter)"
    heads = ("level", "loss", "draws", "kept", "decisive", "wrong of these", "split", "empty")
    rows = tuple(_on(each, certificate) for each in on.levels)
    return Grid(title=f"{where}{place}", heads=heads, rows=rows)


def _on(each: LevelOnData, certificate: Certificate) -> tuple[str, ...]:
    found = each.figures
    if found is None:
        return (f"{each.level.risk:g}", "uncalibratable", *[DASH] * 6)
    most = certificate.conditions.draws
    return (
        f"{each.level.risk:g}",
        f"{number(found.loss, 'share')} {bracket(found.loss_interval)}",
        f"{found.draws * most:.1f}",
        f"{found.size * most:.1f}",
        number(found.decisive, "share"),
        number(found.decisive_error, "share"),
        number(found.split, "share"),
        number(found.empty, "share"),
    )


def bracket(interval: Interval) -> str:
    """The interval of a share in brackets; short words where there is none."""
    if interval.low is None or interval.high is None:
        return "too few" if (interval.why or "").startswith("too few") else "no interval"
    return f"[{number(interval.low, 'share', sign=False)}, {number(interval.high, 'share', sign=False)}]"


def places_grid(on: Applied) -> Iterator[Grid]:
    """Loss by place at the strictest certified level; no certificate over all places speaks of any one."""
    chosen = next((each for each in on.levels if each.figures is not None), None)
    if chosen is None or len(chosen.places) < 2:
        return
    enough = [each for each in chosen.places if each.items >= FEWEST]
    if not enough:
        return
    most = sorted(enough, key=lambda each: (-each.loss, each.place))[:PLACES]
    rows = tuple(
        (each.place or "no place", f"{each.items}", f"{number(each.loss, 'share')} {bracket(each.interval)}")
        for each in most
    )
    left = len(chosen.places) - len(most)
    few = f"{counted(left, 'other place')}, {len(chosen.places) - len(enough)} of them with fewer than {FEWEST} things."
    yield Grid(
        title=f"Loss by place at {chosen.level.risk:g}",
        heads=("place", "n", "loss"),
        rows=rows,
        note=f"{few if left else ''} The certificate is about all places together; --by place certifies each.".strip(),
    )


def promised(certificates: Sequence[Certificate], asked: Asked) -> Iterator[str]:
    """What is promised at the strictest certified level, and what is not."""
    certified = [level for each in certificates for level in each.levels if level.certified]
    if not certified:
        yield "No level is certified: every thing goes to people."
        return
    yield f"At {certified[0].risk:g}: {certified[0].claim}"
    if len(certified) > 1 and asked.plan.claims == 1 and not asked.expectation:
        yield (
            "Each certificate holds on its own. To claim several at once, or the one that looks best, divide delta by "
            f"their number: --claims {len(asked.risks) * len(certificates)} for these alone."
        )


def read_so(on: Sequence[Applied | None], *, expectation: bool) -> Iterator[str]:
    """How figures on things are to be read against their levels."""
    found = [each for one in on if one is not None for each in one.levels if each.figures is not None]
    trivial = [f"{each.level.risk:g}" for each in found if each.figures is not None and each.figures.trivial]
    if trivial:
        yield (
            f"At {', '.join(dict.fromkeys(trivial))} nearly every thing gets one draw, and it is kept: "
            "the judge's single words meet the level, and sets add nothing."
        )
    if not any(one is not None and one.held_out for one in on):
        return
    chances = [each.by_chance for each in found if each.by_chance is not None]
    if chances:
        bounds = "the risk on average over calibrations" if expectation else "the true risk"
        yield (
            f"A certificate bounds {bounds}; a held-out loss swings round the true one. Were the true risk just the "
            f"level, as many independent things would have a loss above it with a chance of {_range(chances)}: "
            "one now and then is no breach, and one below no proof."
        )
    for each in found:
        if each.verdict.startswith("above"):
            yield f"At {each.level.risk:g} the loss is {each.verdict}."


def _range(chances: Sequence[float]) -> str:
    low, high = f"{min(chances):.2f}", f"{max(chances):.2f}"
    return low if low == high else f"{low} to {high}"


def plain_single(word: SingleWord) -> dict[str, object]:
    """The judge's single words for programs."""
    found = word.agreement
    return {
        "units": 0 if found is None else found.units,
        "unread": word.unread,
        "accuracy": None if found is None else plain(found.accuracy),
        "classes": [] if found is None else [
            {"name": each.name, "people": each.gold, "judge": each.said, "precision": plain(each.precision),
             "recall": plain(each.recall), "f1": plain(each.f1)}
            for each in found.classes
        ],
        "flip_rate": None if word.repeats is None else plain(word.repeats.flip_rate),
        "why": word.why or None,
    }  # fmt: skip


def plain_applied(on: Applied) -> dict[str, object]:
    """What levels come to on things, for programs."""
    return {
        "held_out": on.held_out,
        "items": on.items,
        "clusters": on.clusters,
        "levels": [
            {"risk": each.level.risk, "figures": each.figures, "verdict": each.verdict,
             "chance_above_level": each.by_chance, "places": each.places}
            for each in on.levels
        ],
    }  # fmt: skip
