"""Certificates of judges, as an analysis: levels, what they come to on things, what is promised, a picture of risk."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from mores.calibration.agreement_analysis import titled
from mores.calibration.certificate import Certificate, HeldOutResult
from mores.calibration.certificates_tables import LEVELS, LOSSES, TABLES, THINGS, filled_of
from mores.calibration.certificates_words import claims, sentences
from mores.calibration.judge_calibration import JudgeCalibration
from mores.core.estimate import Estimate
from mores.stats.intervals import MIN_CLUSTERS
from mores.tables import Analysis, AnalysisResult, FilledTable, Row, Show, View, gathered, row_by_key
from mores.tables import formatting as words
from mores.tables.blocks import Axis, Block, BulletList, CellValue, Chart, ChartPoint, Paragraph, Series, Words

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
    """How many units are lost, which of clusters are means."""
    keys = row_by_key(LEVELS, row)
    return f"{keys['loss'] * keys['units']:.4g} of {keys['units']}"


def _things_table(filled: FilledTable) -> Iterator[Block]:
    """What each level comes to on things."""
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
    apart = f" ({conditions.role}, temperature {temperature})" if len(alike) > 1 else ""
    return f"{conditions.judge}{place}{apart}"


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
