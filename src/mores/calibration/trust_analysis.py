"""Can the judge be believed? Judges held against people, as an analysis: a part for each judge and task.

How good is it, for whom, how sure is that, and what goes to people.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from mores.annotation.sample import SHEET
from mores.calibration import agreement_analysis as agreeing
from mores.calibration import agreement_tables, certificates_tables, corrections_analysis
from mores.calibration import corrections_analysis as correcting
from mores.calibration.agreement import estimate_of
from mores.calibration.agreement_analysis import (
    HEADLINES,
    NUMBER,
    describe_cases,
    first_sentences,
    further_sentences,
    group_sentences,
    headline,
)
from mores.calibration.agreement_tables import metric_of
from mores.calibration.certificates_analysis import levels_table, risk_charts
from mores.calibration.group_agreement import GroupAgreement
from mores.calibration.judge_report import CertificateUse, JudgeTaskReport, JudgeTrust
from mores.core.card import Metric
from mores.stats.cluster_sums import MeasuredFigure
from mores.tables import Analysis, AnalysisResult, FilledTable, Row, Show, Table, View, blocks_of, columns_of, gathered
from mores.tables.blocks import (
    Block,
    BulletList,
    Cell,
    CellValue,
    DefinitionList,
    Details,
    Finding,
    Paragraph,
    SideBySide,
    Span,
    Stack,
    Words,
)
from mores.tables.formatting import DASH, format_causes, group_name, inline_parts, made_up, plural

INTRO = (
    "Judged figures are only as good as their judge. Here the judge is compared with people’s labels{blind}: how well "
    "it agrees, for which places, with what uncertainty, and which decisions should go to people. People make errors "
    "too and disagree; their agreement with each other is the best that a judge can reach.{simulated}"
)
RISK = (
    "For held-out units at each certified level, {what}; a level without a certificate has a cross on the axis. On the "
    "dashed line the loss equals the level. A point above the line can be chance, as the guarantee is about the true "
    "loss."
)
ONE_PLACE = "All that was labelled is of one place or of none, so this judge’s errors cannot be compared by place."
GLANCE = ("Task and judge", "How good", "People with each other", "Score: judge’s, corrected", "Certified", "To people")
KINDS = {
    False: ("Kept sets", "sets", "the share without the right judgement"),
    True: ("Trusted decisions", "trust", "the share wrong among the trusted"),
}
"""By whether a certificate is selective: what is certified, the same in a word, and what its loss is."""


TRUST = Table(
    id="trust",
    title="Judges at a glance",
    columns=(
        *agreement_tables.TASK,
        *columns_of("text", role="the judge by its role, or all judges together", judge="specification of the judge"),
        *agreement_tables.SIMULATED,
        *columns_of("count", judged="things that were judged", votes_differ="things on which its own votes differ",
                    ungraded="things without a word of the judge"),
        *columns_of("text", why="reason for no agreement with people"),
    ),
)  # fmt: skip
CERTIFICATES = Table(
    id="trust_certificates",
    title="Certificates of judges",
    columns=(
        *certificates_tables.IDENT,
        *columns_of("text", file="file of the certificate", why="reason for not covering this judging"),
    ),
)
SENDING = Table(
    id="trust_sending",
    title="What certificates decide here",
    columns=(
        *certificates_tables.IDENT,
        certificates_tables.RISK,
        *columns_of(
            "count", decided="things that the judge may decide", people="things that go to people",
            split="those of them with several decisions", empty="those of them without any kept draw",
            unsure="those of them below the confidence",
        ),
    ),
)  # fmt: skip
TABLES = (
    TRUST, CERTIFICATES, SENDING, certificates_tables.LEVELS, certificates_tables.THINGS, *agreement_tables.TABLES,
    *corrections_analysis.TABLES,
)  # fmt: skip


class _Tables(NamedTuple):
    """The tables of one part, as its blocks ask for them: a mapping a corrected model, a table a certificate."""

    agreement: Mapping[str, FilledTable]
    corrected: tuple[Mapping[str, FilledTable], ...]
    levels: tuple[FilledTable, ...]

    @classmethod
    def of(cls, part: JudgeTaskReport, confidence: float) -> "_Tables":
        """Those of a part."""
        return cls(
            {} if part.agreement is None else agreement_tables.tables_of(part.agreement),
            tuple(corrections_analysis.tables_of(task, confidence) for task in part.corrected),
            tuple(
                certificates_tables.levels_of(each.certificate, {}, simulated=each.simulated) for each in part.certified
            ),
        )

    def every(self) -> Iterator[FilledTable]:
        """All of them."""
        yield from self.agreement.values()
        yield from (filled for each in self.corrected for filled in each.values())
        yield from self.levels


def analyse(found: JudgeTrust) -> AnalysisResult:
    """A part for each judge and task, and what no part has."""
    parts = [(part, _Tables.of(part, found.corrections.confidence)) for part in found.parts]
    certified = [each for part in found.parts for each in part.certified]
    glances = FilledTable(table=TRUST, rows=tuple(map(_row, found.parts)))
    bare = corrections_analysis.bare_of(found.corrections)
    every = (
        glances,
        *(filled for each in certified for filled in _certificate(each)),
        *(filled for _, tables in parts for filled in tables.every()),
        bare,
    )
    left = (*map(correcting.describe_uncorrected, found.corrections.without), *found.unused)
    return AnalysisResult(
        tables=gathered(TABLES, every),
        blocks=(
            Paragraph(words=_intro(found), role="explanation"),
            *blocks_of(glances, _glances(glances, found.parts)),
            *(block for n, (part, tables) in enumerate(parts, 1) for block in part_blocks(n, part, tables, found)),
            *(Paragraph(words=line) for line in left),
        ),
        findings=tuple(map(_finding, found.parts)),
    )


def _intro(found: JudgeTrust) -> str:
    simulated = " Simulated: answers, judges or people are simulated; this says nothing about real ones."
    blind = " without seeing the judge’s word" if found.given.sample is not None else ""
    return INTRO.format(blind=blind, simulated=simulated if found.simulated else "")


def _row(part: JudgeTaskReport) -> Row:
    left = part.sending
    return TRUST.row(
        benchmark=part.benchmark, task=part.task, role=part.role, judge=part.judge, simulated=part.simulated,
        judged=left.judged, votes_differ=left.split_votes, ungraded=left.ungraded, why=part.refused or None,
    )  # fmt: skip


def _certificate(each: CertificateUse) -> Iterator[FilledTable]:
    """A certificate, what was held out of its labels, and what its levels decide."""
    ident = certificates_tables.identity(each.certificate, simulated=each.simulated)
    yield FilledTable(table=CERTIFICATES, rows=(CERTIFICATES.row(**ident, file=str(each.path), why=each.why or None),))
    yield certificates_tables.held_of(each.certificate, simulated=each.simulated)
    yield FilledTable(
        table=SENDING,
        rows=tuple(
            SENDING.row(**ident, risk=use.risk, people=use.people, **{"decided": 0, **use.counts}) for use in each.uses
        ),
    )


def _glances(filled: FilledTable, parts: Sequence[JudgeTaskReport]) -> View:
    """A row a part, on the page, with links to the parts below."""
    # by identity, as two judges may have rows that are equal
    cells = {id(row): _glance(n, part) for n, (row, part) in enumerate(zip(filled.rows, parts, strict=True), 1)}

    def show(at: int) -> Show:
        return Show(key="task", title=GLANCE[at], write=lambda row: cells[id(row)][at])

    return View(title=TRUST.title, rows=filled.rows, shown=tuple(map(show, range(len(GLANCE)))), on="page")


def _finding(part: JudgeTaskReport) -> Finding:
    """Agreement of a judge with people's labels, and scores with its errors taken out."""
    good, _, scores, *_ = glance(part)
    about = f" compared with people's labels on {part.benchmark} {part.task}: "
    return Finding(
        words=(Span(part.judge, "model"), about, *inline_parts(good[0]), "."),
        id="trust.judge",
        sure=("Scores: ", *inline_parts(scores[0]), ".") if part.corrected else "",
    )


def _title(part: JudgeTaskReport) -> str:
    return f"{part.task}, {part.role}"


def _glance(n: int, part: JudgeTaskReport) -> tuple[Cell, ...]:
    link = Span(_title(part), "link", target=f"#trust-{n}")
    return Stack((link, (Span(part.judge, "model"), f" on {part.benchmark}"))), *map(Stack, glance(part))


def glance(part: JudgeTaskReport) -> tuple[tuple[Words, ...], ...]:
    """One part in a row, some lines a cell."""
    found = part.agreement
    good: tuple[Words, ...] = (part.refused or "no labels",)
    people: Words = DASH
    if found is not None:
        # words have other headline figures than points: the first two that the task has
        shown = [name for name in HEADLINES if name in found.together.figures][:2]
        good = tuple((f"{HEADLINES[name]} ", _value(found.together.figures[name], metric_of(name))) for name in shown)
        ceiling = found.people.ceiling.people
        scale = metric_of("alike") if part.options else NUMBER
        people = _value(ceiling, scale) if ceiling.missing is None else "no two label the same"
    return (
        good,
        (people,),
        correcting.scores(part.corrected) or (DASH,),
        tuple(_glance_certified(part)) or ("no certificate",),
        tuple(_glance_sent(part)) or ("not said",),
    )


def _value(found: MeasuredFigure, metric: Metric) -> CellValue:
    return CellValue(value=estimate_of(found, metric.name, 0), format="share", metric=metric)


def _selective(each: CertificateUse) -> bool:
    return each.certificate.promise == "selective"


def _glance_certified(part: JudgeTaskReport) -> Iterator[str]:
    """The strictest level of each certificate in a few words; of those by place, how many have any."""
    for each in part.certified:
        if each.certificate.place is None:
            level = "at no level" if each.best is None else f"at {each.best.risk:g}"
            yield f"{KINDS[_selective(each)][1]} {level}"
    for selective in (False, True):
        some = [each.best is not None for each in part.certified
                if each.certificate.place is not None and _selective(each) is selective]  # fmt: skip
        if some:
            yield f"{KINDS[selective][1]} in {sum(some)} of {plural(len(some), 'place')}"


def _glance_sent(part: JudgeTaskReport) -> Iterator[str]:
    """Things sent to human review at the strictest level of each certificate over all places, in a few words."""
    for each in part.certified:
        for use in each.uses[:1] if each.certificate.place is None else ():
            yield f"{use.people:,} of {use.people + use.decided:,} by {KINDS[_selective(each)][1]}"


def part_blocks(n: int, part: JudgeTaskReport, tables: _Tables, found: JudgeTrust) -> Iterator[Block]:
    """One judge on one task: how good, for whom, how sure, and what to send to people."""
    tag = made_up(simulated=part.simulated)
    words = (f"{_title(part)} ", Span(part.judge, "model"), " ", Span(part.benchmark, "code"), *tag)
    yield Paragraph(words=words, role="heading", id=f"trust-{n}")
    yield from _how_good(part, tables.agreement)
    yield from _for_whom(part, tables.agreement)
    yield from _how_sure(part, tables)
    yield Paragraph(words="What to send to people?", role="subheading")
    sample, sheet = found.given.sample, tuple[str, ...]()
    if sample is not None:
        sheet = (f"The work list that was labelled: {(sample if sample.is_dir() else sample.parent) / SHEET}.",)
    yield BulletList((*sending(part), *sheet))
    yield DefinitionList(tuple((what, ((Span(command, "code"),),)) for what, command in commands(part, found)))


def _how_good(part: JudgeTaskReport, tables: Mapping[str, FilledTable]) -> Iterator[Block]:
    found = part.agreement
    yield Paragraph(words="How good?", role="subheading")
    if found is None:
        yield Paragraph(words=part.refused or "Not evaluated: no labels of this task were given.", role="finding")
        return
    yield Paragraph(words=f"{headline(found.together)}.", role="finding")
    yield BulletList(tuple(first_sentences(found)))
    summary = f"Figures of {found.together.who} beside people"
    yield Details(summary=summary, blocks=tuple(agreeing.judge_tables(found.together, tables)), open=True)
    cases = () if found.cases is None else (describe_cases(found.cases),)
    more = (BulletList((*further_sentences(found), *cases)), *agreeing.more_tables(found, tables))
    summary = "People with each other, each judge, model and split, and judges that were asked again"
    yield Details(summary=summary, blocks=more)


def _for_whom(part: JudgeTaskReport, tables: Mapping[str, FilledTable]) -> Iterator[Block]:
    yield Paragraph(words="For whom?", role="subheading")
    if part.agreement is None:
        yield Paragraph(words="Not evaluated: there are no labels.")
    elif part.agreement.places is None:
        yield Paragraph(words=ONE_PLACE)
    else:
        yield from _by_group(part.agreement.places, tables)
    if part.agreement is not None and part.agreement.languages is not None:
        yield from _by_group(part.agreement.languages, tables)


def _by_group(found: GroupAgreement, tables: Mapping[str, FilledTable]) -> Iterator[Block]:
    yield BulletList(tuple(group_sentences(found)))
    if blocks := tuple(agreeing.group_tables(found, tables)):
        yield Details(summary=f"{found.kind.capitalize()} by {found.kind}", blocks=blocks, open=True)


def _how_sure(part: JudgeTaskReport, tables: _Tables) -> Iterator[Block]:
    yield Paragraph(words="How sure?", role="subheading")
    for each, levels in zip(part.certified, tables.levels, strict=True):
        yield from _certified(each, levels)
    for selective, (kind, _, loss) in KINDS.items():
        own = [each.certificate for each in part.certified if _selective(each) is selective]
        for chart in risk_charts(own, simulated=part.simulated):
            yield SideBySide(blocks=(chart, Paragraph(words=f"{kind}: {RISK.format(what=loss)}", role="explanation")))
    if not part.certified:
        yield Paragraph(words="No certificate: there is no guarantee for single verdicts.", role="note")
    for task, corrected in zip(part.corrected, tables.corrected, strict=True):
        yield Paragraph(words=("Scores corrected by people’s labels: ", Span(task.model, "model")), role="subheading")
        yield from corrections_analysis.part_blocks(task, corrected)
    if part.corrected:
        yield Paragraph(words=correcting.ESTIMATED, role="explanation")


def _certified(each: CertificateUse, levels: FilledTable) -> Iterator[Block]:
    tag = made_up(simulated=each.simulated)
    hash_ = Span(each.certificate.hash, "code")
    yield Paragraph(words=(f"Certificate of {_kind(each).lower()} ", hash_, *tag), role="subheading")
    yield Paragraph(
        words="No level is certified." if each.best is None else f"At {each.best.risk:g}: {each.best.claim}"
    )
    if each.why:
        yield Paragraph(words=f"Does not cover this judging: {each.why}", role="warning")
    yield Details(summary="Its levels", blocks=tuple(levels_table(levels)), open=True)


def _kind(each: CertificateUse) -> str:
    """Certified levels, and their place."""
    kind, place = KINDS[_selective(each)][0], each.certificate.place
    return kind if place is None else f"{kind}, {group_name('place', place) if place else 'no place'}"


def sending(part: JudgeTaskReport) -> Iterator[str]:
    """Sentences on what is sent to human review."""
    for each in part.certified:
        kind = _kind(each)
        for use in each.uses:
            rest = format_causes({cause: n for cause, n in use.counts.items() if cause != "decided"})
            causes = f" ({rest})" if rest else ""
            sent = f"{plural(use.decided, 'thing')} decided, {use.people:,} to people{causes}"
            yield f"{kind} at {use.risk:g}: {sent}."
        if each.why:
            yield f"The certificate does not cover this judging: {each.why}"
        if each.best is None:
            yield f"{kind}: no level is certified, and everything goes to people."
    left = part.sending
    if not part.certified:
        points = "" if part.options else ": certificates are for words, and these are points"
        yield f"No certificate says which of {plural(left.judged, 'thing')} the judge may decide{points}."
        if left.repeated:
            yield f"Its votes differ on {left.split_votes:,} of them: the first to send."
    if left.ungraded:
        yield f"{left.ungraded:,} have no grade, as nothing could be read or votes tie: send them."


def commands(part: JudgeTaskReport, found: JudgeTrust) -> Iterator[tuple[str, str]]:
    """Next steps, with their commands."""
    if part.agreement is None:
        yield "Draw a sample for people to label", f"mores judge sample {found.run} --n 200 --out SAMPLE"
    if not part.certified and part.certifiable:
        yield (
            "Have a level certified",
            f"mores judge sets {found.run} {found.given.typed} --task {part.task} --out CERT.json",
        )
    for each in part.certified:
        risk = "" if each.best is None else f" --risk {each.best.risk:g}"
        yield "Write the work list for people", f"mores judge apply {each.path} {found.run}{risk} --out DIR"


TRUST_ANALYSIS = Analysis(id="trust", title="Can the judge be believed?", tables=TABLES, analyse=analyse, order=1)
