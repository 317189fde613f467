"""Tables of certificates of judges, and their rows: levels, what they come to on things, the judge's single words."""

from collections.abc import Iterator, Mapping
from math import nan

from mores.calibration.agreement import estimate_of, known
from mores.calibration.agreement_tables import FIGURE, SIMULATED, TASK, Keyed, figure_of, word_figures
from mores.calibration.certificate import Certificate, CertifiedLevel
from mores.calibration.judge_calibration import Applied, JudgeCalibration, LevelOnData
from mores.core.estimate import Estimate
from mores.stats.cluster_sums import MeasuredFigure
from mores.stats.intervals import Interval
from mores.tables import Column, FilledTable, Row, Table, columns_of

JUDGE = (*TASK, *columns_of("text", judge="specification of the judge", role="its role"), *SIMULATED)
IDENT = (
    *JUDGE,
    Column(key="place", title="Place", kind="group", of="place", says="its code, of a certificate of one place"),
    *columns_of("text", certificate="hash of its conditions", promise="`probability` or `selective`"),
)
RISK = Column(key="risk", title="level", kind="number", says="the level")


CALIBRATION = Table(
    id="calibration",
    title="What certificates rest on",
    columns=(
        *IDENT,
        *columns_of(
            "text", measure="what was made of draws", mode="which thresholds were tried",
            steps="where settings came from",
            split="how calibration and held-out things were told apart",
        ),
        *columns_of("number", delta="allowed chance that it is wrong"),
        *columns_of(
            "count", claims="certificates that are to hold at once", draws="draws of each thing",
            items="things that calibrate", clusters="independent clusters of them", people="people who labelled them",
            left_out="labelled things on which people tie", longest="most things of an episode",
            aside="labelled things set aside by chance", held_out="things held out",
            unreadable="draws that could not be read",
        ),
        Column(key="all_equal", title="all equal", kind="flag", says="true where all draws of a thing decide alike"),
        Column(key="error_of_all", title="error of all", kind="share", says="share wrong were every decision trusted"),
    ),
)  # fmt: skip
LEVELS = Table(
    id="calibration_levels",
    title="Levels",
    columns=(
        *IDENT,
        RISK,
        Column(key="certified", title="certified", kind="flag", says="true where the level is certified"),
        *columns_of("share", loss="share of units lost, or wrong among the kept"),
        *columns_of("count", units="units that were tested", kept="things at or above the confidence"),
        *columns_of("p", p="p of the test"),
        *columns_of("count", tested="settings that were tested", accepted="settings that passed"),
        *columns_of(
            "number", similarity="most likeness to a draw before", quality="least quality", stop="where drawing stops",
            confidence="confidence from which decisions stand", passes_at="least level that would pass",
        ),
        *columns_of("count", labels_needed="labels that might do", one_each="losses that would pass, one a cluster"),
        *columns_of("text", thresholds="thresholds, or why there are none", cause="why not", claim="the promise"),
    ),
)  # fmt: skip
THINGS = Table(
    id="calibration_things",
    title="What levels come to on things",
    columns=(
        *IDENT,
        RISK,
        Column(key="held_out", title="held out", kind="flag", says="true of held-out things, not those that calibrate"),
        Column(key="loss", title="loss", kind="estimate", main=True, says="share lost; wrong among trusted decisions"),
        Column(key="clusters", title="clusters", kind="count", says="independent clusters of the things"),
        *columns_of("text", verdict="how the loss stands to its level"),
        *columns_of(
            "number", chance_above_level="chance of such a loss at just this risk", made="mean number of draws made",
            kept="mean number of draws kept", draws="draws made over all", size="draws kept over all",
            excess="draws beyond those needed, over all", relative_excess="the same over those made",
            cost="draws and size together",
        ),
        *columns_of("share", decisive="share of sets with one decision"),
        Column(key="decisive_error", title="wrong of these", kind="estimate", says="share wrong among these"),
        *columns_of(
            "share", split="share of sets with several decisions", empty="share of empty sets",
            plain="share with one draw, kept", worst_loss="largest loss by size of set",
        ),
        Column(key="trivial", title="trivial", kind="flag", says="true where sets add nothing to single words"),
        Column(key="trusted", title="trusted", kind="ratio", says="decisions at or above the confidence"),
    ),
)  # fmt: skip
LOSSES = Table(
    id="calibration_places",
    title="Loss by place",
    columns=(
        *IDENT,
        RISK,
        Column(key="at", title="place", kind="group", of="place", says="place of the things; missing for none"),
        Column(key="loss", title="loss", kind="estimate", main=True, says="share lost there"),
    ),
)
SINGLE = Table(
    id="calibration_words",
    title="The judge's first word, and its steadiness",
    columns=(
        *JUDGE,
        Column(key="word", title="Word", kind="text", says="of one word alone; missing for all words"),
        *FIGURE,
        *columns_of("count", unread="first words that could not be read"),
    ),
)
UNREADABLE = Table(
    id="calibration_unreadable",
    title="Draws that could not be read",
    columns=(*JUDGE, *columns_of("text", cause="the cause"), *columns_of("count", n="draws")),
)
TABLES = (CALIBRATION, LEVELS, THINGS, LOSSES, SINGLE, UNREADABLE)


def filled_of(found: JudgeCalibration) -> Iterator[FilledTable]:
    """The tables of one judge on one task, some of them a certificate each."""
    draws, simulated = found.draws, found.draws.table.simulated
    who = {"benchmark": draws.table.benchmark, "task": draws.table.task, "judge": draws.conditions.judge,
           "role": draws.role, "simulated": simulated}  # fmt: skip
    yield FilledTable(table=CALIBRATION, rows=tuple(_calibration(each, found) for each in found.certificates))
    for certificate, on in zip(found.certificates, found.applied, strict=True):
        yield levels_of(certificate, found.one_each, simulated=simulated)
        if on is not None:
            yield from _on_things(on, identity(certificate, simulated=simulated), draws.each)
    yield FilledTable(table=SINGLE, rows=tuple(SINGLE.row(**who, **row) for row in _single(found)))
    causes = (UNREADABLE.row(**who, cause=cause, n=n) for cause, n in draws.unreadable.items())
    yield FilledTable(table=UNREADABLE, rows=tuple(causes))


def identity(certificate: Certificate, *, simulated: bool) -> Keyed:
    """Of which judge, on which task, and where it is."""
    of = certificate.conditions
    return {"benchmark": of.benchmark, "task": of.task, "judge": of.judge, "role": of.role, "simulated": simulated,
            "place": certificate.place, "certificate": certificate.hash, "promise": certificate.promise}  # fmt: skip


def _calibration(certificate: Certificate, found: JudgeCalibration) -> Row:
    draws, truths, of = found.draws, found.truths, certificate.population
    return CALIBRATION.row(
        **identity(certificate, simulated=draws.table.simulated),
        measure=describe_settings(certificate), mode=certificate.mode,
        steps=certificate.steps, split=truths.split, delta=certificate.delta,
        claims=certificate.claims, draws=draws.each, items=of.items, clusters=of.clusters, people=of.people,
        left_out=of.left_out, longest=of.longest, aside=truths.aside, held_out=int(truths.held.size),
        unreadable=sum(draws.unreadable.values()), all_equal=draws.equal, error_of_all=found.error,
    )  # fmt: skip


def levels_of(certificate: Certificate, one_each: Mapping[float, int], *, simulated: bool) -> FilledTable:
    """Each level with its thresholds, or the cause for which there are none."""
    ident, set_ = identity(certificate, simulated=simulated), certificate.conditions.measure.get("set")
    fields = ("risk", "certified", "loss", "units", "kept", "p", "tested", "accepted", "passes_at", "labels_needed")
    rows = (
        LEVELS.row(
            **ident,
            **{name: getattr(each, name) for name in fields},
            **{name: known(float(value)) for name, value in each.thresholds.items()},
            one_each=one_each.get(each.risk), thresholds=describe_thresholds(each, set_), cause=each.cause or None,
            claim=each.claim or None,
        )
        for each in certificate.levels
    )  # fmt: skip
    return FilledTable(table=LEVELS, rows=tuple(rows))


def held_of(certificate: Certificate, *, simulated: bool) -> FilledTable:
    """Stored outcome of a certificate on held-out things."""
    ident = identity(certificate, simulated=simulated)
    rows = (
        THINGS.row(
            **ident,
            risk=each.risk,
            held_out=True,
            trusted=_ratio(each.accepted, each.items),
            loss=_loss(each.loss, Interval(each.low, each.high, ""), each.accepted, each.items),
        )
        for each in certificate.held
    )
    return FilledTable(table=THINGS, rows=tuple(rows))


def _on_things(on: Applied, ident: Keyed, most: int) -> Iterator[FilledTable]:
    rows = (THINGS.row(**ident, held_out=on.held_out, clusters=on.clusters, **_thing(each, most)) for each in on.levels)
    yield FilledTable(table=THINGS, rows=tuple(rows))
    losses = (
        LOSSES.row(
            **ident, risk=level.risk, at=each.place or None, loss=_loss(each.loss, each.interval, None, each.items)
        )
        for level in on.levels
        for each in level.places
    )
    yield FilledTable(table=LOSSES, rows=tuple(losses))


def _thing(each: LevelOnData, most: int) -> Keyed:
    """Outcome of one level: of kept sets, else of trusted decisions."""
    found, level = each.figures, {"risk": each.risk, "verdict": each.verdict}
    if found is None:
        error = _loss(each.error, each.interval, each.accepted, each.items)
        return {**level, "loss": error, "trusted": _ratio(each.accepted, each.items)}
    fields = ("draws", "size", "excess", "relative_excess", "cost", "decisive", "split", "empty", "plain", "worst_loss",
              "trivial")  # fmt: skip
    decided = round(found.decisive * found.items)
    return {
        **level,
        **{name: getattr(found, name) for name in fields},
        "loss": _loss(found.loss, found.loss_interval, None, each.items),
        "chance_above_level": each.chance_above_level,
        "made": found.draws * most,
        "kept": found.size * most,
        "decisive_error": _loss(found.decisive_error, found.decisive_error_interval, decided, found.items),
    }


def _ratio(accepted: int | None, items: int) -> tuple[int, int] | None:
    return None if accepted is None else (accepted, items)


def _loss(value: float | None, interval: Interval | None, n: int | None, items: int) -> Estimate | None:
    """A share over `n` of some things, or all of them; None where nothing is certified."""
    if interval is None:
        return None
    return estimate_of(
        MeasuredFigure(nan if value is None else value, interval), "loss", items if n is None else n, items
    )


def _single(found: JudgeCalibration) -> Iterator[Keyed]:
    single = found.single
    if single.accuracy is not None:
        accuracy = figure_of("raw agreement (accuracy)", single.accuracy, single.units)
        yield {**accuracy, "unread": single.unread}
    yield from (row for each in single.classes for row in word_figures(each, single.units))
    if single.flip_rate is not None:
        yield figure_of("flip rate", single.flip_rate, single.items)


def describe_settings(certificate: Certificate) -> str:
    """Settings and test of a certificate in words."""
    stored = certificate.conditions.measure
    if "confidence" in stored:
        return f"confidence by {stored['confidence']}, moved downwards by {certificate.steps}"
    swept = certificate.mode == "pareto"
    similarity = f", similarity {stored['likeness']}" if swept else ""
    tried = "thresholds of all kinds tried" if swept else "the stop alone moved"
    return f"quality {stored['quality']}, set {stored['set']}{similarity}; {tried} by {certificate.steps}"


def describe_thresholds(level: CertifiedLevel, score: object) -> str:
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
