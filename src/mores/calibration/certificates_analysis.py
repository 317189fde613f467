"""Certificates of judges, as an analysis: levels, figures on things, promises in sentences, a picture of risk."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from mores.calibration.agreement_analysis import NUMBER, format_interval, titled
from mores.calibration.apply_certificate import AppliedCertificates
from mores.calibration.calibration_labels import CalibrationLabels
from mores.calibration.certificate import CalibrationPopulation, Certificate, HeldOutResult
from mores.calibration.certificates_tables import LEVELS, LOSSES, TABLES, THINGS, describe_settings, filled_of
from mores.calibration.draws import JudgeDraws
from mores.calibration.judge_calibration import Applied, JudgeCalibration, SingleWord
from mores.core.estimate import Estimate
from mores.stats.intervals import MIN_CLUSTERS
from mores.tables import Analysis, AnalysisResult, FilledTable, Row, Show, View, gathered, row_by_key
from mores.tables import formatting as words
from mores.tables.blocks import Axis, Block, BulletList, CellValue, Chart, ChartPoint, Paragraph, Series, Words
from mores.tables.formatting import format_causes, format_number, plural

SETS_ONLY = (
    "That is about sets, over all things together: where a set has one word, it may be wrong more often. "
    "mores judge selective bounds the error of single decisions."
)


def sentences(found: JudgeCalibration) -> Iterator[str]:
    """Sentences before the tables."""
    draws, truths = found.draws, found.truths
    yield from _basis(draws, truths, found.certificates[0])
    if found.error is None:
        yield from _warned(draws, truths, found.one_each)
    else:
        if draws.equal:
            yield "All draws of every thing decide alike, so consistency is 1 throughout and tells nothing apart."
        yield f"Were every decision trusted, {format_number(found.error)} would be wrong on the things that calibrate."
    yield from _of_single(found.single)


def _basis(draws: JudgeDraws, truths: CalibrationLabels, certificate: Certificate) -> Iterator[str]:
    """Draws, and what the certificates rest on."""
    population = truths.population(truths.calibration)
    held = f", {_units(truths.population(truths.held))} held out" if truths.held.size else ""
    people = plural(population.people, "person", "people")
    measure = describe_settings(certificate)
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
    """Temperature at which answers were sampled."""
    temperature = draws.conditions.sampling.get("temperature")
    if temperature is None:
        return "temperature left to the provider"
    return f"temperature {temperature:g}" if isinstance(temperature, int | float) else f"temperature {temperature}"


def _warned(draws: JudgeDraws, truths: CalibrationLabels, one_each: dict[float, int]) -> Iterator[str]:
    """Warnings where a calibration says less than it seems to."""
    if draws.equal:
        yield (
            "All draws of every thing decide alike, as at temperature 0: more of them add nothing, and no level below "
            "the judge's own error can be reached. Judge with --judge-temperature 1 --samples K."
        )
    elif draws.each == 1:
        yield "One draw of each thing: sets have one draw at most. Judge K times: mores judge RUN --samples K."
    if truths.population(truths.calibration).clustered:
        # from the number of clusters alone, so that a reader may still choose without having seen the outcome
        passes = ", ".join(f"{risk:g} with {losses} lost" for risk, losses in one_each.items()) or "no level"
        yield (
            f"Things of one cluster are not independent, so {truths.clusters(truths.calibration)} clusters were tested "
            f"by their mean losses (Hoeffding and Bentkus). One thing of each (--one-per-episode) would pass {passes}."
        )


def _of_single(found: SingleWord) -> Iterator[str]:
    """The judge's first word and its steadiness."""
    if found.accuracy is not None:
        unread = f"; {found.unread} first words could not be read" if found.unread else ""
        yield f"First word alone, n {found.units}: accuracy {format_interval(found.accuracy)}{unread}."
    for each in found.classes:
        yield (
            f"“{each.name}”: precision {format_interval(each.precision)}, recall {format_interval(each.recall)}, "
            f"F1 {format_interval(each.f1, NUMBER)} ({each.gold} by people, {each.judged} by the judge)."
        )
    if found.flip_rate is None:
        yield "Flip rate: none, as each thing was judged once; mores judge RUN --samples K judges it K times."
    else:
        yield (
            f"Flip rate {format_interval(found.flip_rate)}: the chance that two draws on a thing disagree "
            f"({plural(found.items, 'thing')})."
        )


def claims(found: JudgeCalibration) -> Iterator[str]:
    """Promise at the strictest certified level, and how to read the figures on things."""
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
    """Guide to reading figures on things against their levels."""
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
    """Outcome of certificates on a run, and where they promise nothing."""
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
    """Differences of these things from the population that was calibrated on."""
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


PLACES = 8
"""Places that a table shows, those with the most loss first; programs get all."""


def analyse(found: Sequence[JudgeCalibration]) -> AnalysisResult:
    """All judges on all tasks, one below the other."""
    every, blocks = list[FilledTable](), list[Block]()
    for each in found:
        filled = tuple(filled_of(each))
        every += filled
        blocks += [Paragraph(words=each.draws.name, role="heading"), *_blocks(each, filled)]
    return AnalysisResult(tables=gathered(TABLES, every), blocks=tuple(blocks))


def _blocks(found: JudgeCalibration, filled: Sequence[FilledTable]) -> Iterator[Block]:
    """All that was found of one judge on one task."""
    yield BulletList(tuple(sentences(found)))
    for each in filled:
        if each.table is LEVELS:
            yield from levels_table(each)
        elif each.table is THINGS and each.rows:
            yield from _things_table(each)
    for each in filled:
        if each.table is LOSSES:
            yield from _places_table(each)
    yield from (Paragraph(words=line) for line in claims(found))


def _keys(filled: FilledTable) -> dict[str, Any]:
    """The first row by its keys."""
    return row_by_key(filled.table, filled.rows[0])


def _where(keys: dict[str, Any]) -> str:
    return "" if keys["place"] is None else f", {keys['place'] or 'no place'}"


def _risk(filled: FilledTable) -> Show:
    """The level, with as many digits as it has."""
    at = filled.table.at("risk")
    return Show(key="risk", write=lambda row: f"{row[at]:g}")


def levels_table(filled: FilledTable) -> Iterator[Block]:
    """Each level with its thresholds, or the cause for which there are none."""
    keys = _keys(filled)
    shown: tuple[Show | str, ...] = (_risk(filled), Show(key="loss", title="lost", write=_lost), "p", "thresholds")
    if keys["promise"] == "selective":
        thresholds = Show(key="thresholds", title="from confidence")
        shown = (_risk(filled), Show(key="kept", write=_kept), Show(key="loss", title="wrong"), thresholds)
    yield from titled(filled, View(title=f"Levels{_where(keys)}", rows=filled.rows, shown=shown))


def _kept(row: Row) -> str:
    keys = row_by_key(LEVELS, row)
    return f"{keys['kept'] or 0} of {keys['units']}"


def _lost(row: Row) -> str:
    """Number of units lost, which of clusters are means."""
    keys = row_by_key(LEVELS, row)
    return f"{keys['loss'] * keys['units']:.4g} of {keys['units']}"


def _things_table(filled: FilledTable) -> Iterator[Block]:
    """Outcome of each level on things."""
    keys, risk = _keys(filled), _risk(filled)
    if keys["promise"] == "selective":
        trusted = Show(key="trusted", write=_trusted), Show(key="trusted", title="to people", write=_to_people)
        wrong = Show(key="loss", title="wrong among trusted", format="share")
        yield from titled(filled, View(title="Held out", rows=filled.rows, shown=(risk, *trusted, wrong)))
        return
    where = "Held out" if keys["held_out"] else "On the things that calibrated (nothing was held out, so these flatter)"
    shown = (
        risk, Show(key="loss", write=_loss), Show(key="made", title="draws", format="mean"),
        Show(key="kept", format="mean"), "decisive", Show(key="decisive_error", format="share"),
        "split", "empty",
    )  # fmt: skip
    yield from titled(filled, View(title=f"{where}{_where(keys)}", rows=filled.rows, shown=shown))


def _loss(row: Row) -> Words:
    loss = row[THINGS.at("loss")]
    return "uncalibratable" if loss is None else CellValue(value=loss, format="share")


def _trusted(row: Row) -> str:
    trusted, items = row[THINGS.at("trusted")]
    return f"{words.format_number(trusted / items)} ({trusted} of {items})"


def _to_people(row: Row) -> str:
    trusted, items = row[THINGS.at("trusted")]
    return f"{items - trusted}"


def _places_table(filled: FilledTable) -> Iterator[Block]:
    """Loss by place at the strictest certified level; no certificate over all places speaks of any one."""
    if not filled.rows or _keys(filled)["place"] is not None:
        return
    risk = _keys(filled)["risk"]
    found = [(row, row_by_key(filled.table, row)) for row in filled.where(risk=risk)]
    if len(found) < 2:
        return
    enough = [pair for pair in found if pair[1]["graded"] >= MIN_CLUSTERS]
    most = sorted(enough, key=lambda pair: (-pair[1]["loss"], pair[1]["at"] or ""))[:PLACES]
    left, few = len(found) - len(most), len(found) - len(enough)
    others = (
        f"{words.plural(left, 'other place')}, {few} of them with fewer than {MIN_CLUSTERS} things." if left else ""
    )
    view = View(
        title=f"Loss by place at {risk:g}",
        rows=tuple(row for row, _ in most),
        shown=("at", "graded", Show(key="loss", format="share")),
    )
    together = "The certificate is about all places together; --by place certifies each."
    yield from titled(filled, view, f"{others} {together}".lstrip())


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
    difference = f" ({conditions.role}, temperature {temperature})" if len(alike) > 1 else ""
    return f"{conditions.judge}{place}{difference}"


def _points(certificate: Certificate) -> Iterator[ChartPoint]:
    """A point a level; one without a loss stands for a level without a certificate."""
    held = {each.risk: each for each in certificate.held}
    for level in certificate.levels:
        found = held.get(level.risk, HeldOutResult(risk=level.risk, loss=None, low=None, high=None, items=0))
        yield ChartPoint(
            x=Estimate(metric="level", value=level.risk, asked=0, graded=0),
            y=Estimate(metric="loss", value=found.loss, low=found.low, high=found.high, asked=found.items,
                       graded=found.items),
        )  # fmt: skip


CALIBRATION_ANALYSIS = Analysis(id="calibration", title="Certificates of judges", tables=TABLES, analyse=analyse)
