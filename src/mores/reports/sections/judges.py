"""Can the judge be believed? The section on judges held against people: a part for each judge and task.

How good is it, for whom, how sure is that, and what goes to people.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from mores.analysis.results import Results
from mores.annotation.sample import SHEET, read_sample
from mores.annotation.tables import read_tables
from mores.benchmarks.label_columns import AS_NAMED, Columns
from mores.blocks import Beside, Block, Cell, Details, Finding, Listing, Section, Span, Stack, Table, Terms, Text
from mores.blocks.formatting import DASH, format_causes, group_name, made_up, plural
from mores.calibration.certificate import CertificateFile, read_certificates
from mores.calibration.correcting import CorrectionOptions, Corrections, TaskCorrected
from mores.calibration.correcting_tasks import correct_tables
from mores.calibration.parts import Certified, Part, parts_of
from mores.calibration.values import to_dict
from mores.core.errors import InputError
from mores.reports.sections import agreement as agreeing
from mores.reports.sections import corrections as correcting
from mores.reports.sections.certificates import levels_table, risk_charts

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


class Given(Struct, frozen=True, kw_only=True):
    """What a report is given beside runs: files of labels, the folder of the sample they are of, and certificates."""

    labels: tuple[Path, ...] = ()
    sample: Path | None = None
    certificates: tuple[Path, ...] = ()
    columns: Columns = AS_NAMED

    @property
    def anything(self) -> bool:
        """True where there is something to hold judges against."""
        return bool(self.labels or self.certificates)

    @property
    def typed(self) -> str:
        """The labels and the sample as commands take them."""
        labels = " ".join(f"--labels {path}" for path in self.labels) or "--labels FILE"
        sample = "" if self.sample is None else f" --sample {self.sample}"
        return f"{labels}{sample}{f' --columns {self.columns.typed}' if self.columns else ''}"


class Trust(Struct, frozen=True, kw_only=True):
    """All parts with the corrections of models; `unused` are certificates that are of no task here."""

    simulated: bool
    parts: tuple[Part, ...]
    corrections: Corrections
    unused: tuple[str, ...]


def judges_section(results: Results, given: Given) -> Section | None:
    """Judges of some runs held against what was given; None where nothing was.

    Raises:
        InputError: a file cannot be used, or nobody judges in the runs.
    """
    found = trust(results, given)
    if found is None:
        return None
    simulated = " Simulated: answers, judges or people are simulated; this says nothing about real ones."
    blind = " without seeing the judge’s word" if given.sample is not None else ""
    intro = INTRO.format(blind=blind, simulated=simulated if found.simulated else "")
    left = (*map(correcting.uncorrected_told, found.corrections.without), *found.unused)
    rows = (_glance(n, part) for n, part in enumerate(found.parts, 1))
    run = str(results.runs[0]) if len(results.runs) == 1 else "RUN"
    return Section(
        id="trust",
        title="Can the judge be believed?",
        blocks=(
            Text(words=intro, role="explanation"),
            Table.of("Judges at a glance", GLANCE, rows, on="page"),
            *(block for n, part in enumerate(found.parts, 1) for block in part_blocks(part, f"trust-{n}", given, run)),
            *(Text(words=line) for line in left),
        ),
        order=1,
        data=to_dict(found),
        findings=tuple(map(_finding, found.parts)),
    )


def trust(results: Results, given: Given) -> Trust | None:
    """The values of the section.

    Raises:
        InputError: a file cannot be used, or nobody judges in the runs.
    """
    if not given.anything:
        if given.sample is not None:
            raise InputError(f"--sample {given.sample}: a sample without labels says nothing; expected --labels FILE.")
        return None
    sample = None if given.sample is None else read_sample(given.sample)
    files = [(path, read_certificates(path)) for path in given.certificates]
    tables = read_tables(results.runs, given.labels, sample, columns=given.columns)
    if not given.labels:
        wanted = {(c.conditions.benchmark, c.conditions.task) for _, file in files for c in file.certificates}
        tables = tuple(table for table in tables if (table.benchmark, table.task) in wanted)
    options = CorrectionOptions(by_place=True)
    corrections = correct_tables(tables if given.labels else (), results.evaluations, options)
    parts = parts_of(tables, corrections.tasks, files)
    return Trust(
        simulated=any(part.simulated for part in parts),
        parts=parts,
        corrections=corrections,
        unused=_unused(parts, files),
    )


def _unused(parts: Sequence[Part], files: Sequence[tuple[Path, CertificateFile]]) -> tuple[str, ...]:
    used = {(each.path, each.certificate.name) for part in parts for each in part.certified}
    return tuple(
        f"{path}: the certificate of {certificate.name} is of nothing that was judged and labelled here."
        for path, file in files
        for certificate in file.certificates
        if (path, certificate.name) not in used
    )


def _finding(part: Part) -> Finding:
    """How good a judge is by people's labels, and what scores come to with its errors taken out."""
    good, _, scores, *_ = glance(part)
    told = (Span(part.judge, "model"), f" compared with people's labels on {part.benchmark} {part.task}: {good[0]}.")
    return Finding(words=told, sure=f"Scores: {scores[0]}." if part.corrected else "", weight="caveat")


def _title(part: Part) -> str:
    return f"{part.task}, {part.role}"


def _glance(n: int, part: Part) -> tuple[Cell, ...]:
    link = Span(_title(part), "link", target=f"#trust-{n}")
    return Stack((link, (Span(part.judge, "model"), f" on {part.benchmark}"))), *map(Stack, glance(part))


def glance(part: Part) -> tuple[tuple[str, ...], ...]:
    """One part in a row, some lines a cell."""
    found = part.agreement
    good: tuple[str, ...] = (part.refused or "no labels",)
    people: tuple[str, ...] = (DASH,)
    if found is not None:
        shown = [name for name in agreeing.HEADLINES if name in found.together.figures][:2]
        good = tuple(
            f"{agreeing.HEADLINES[name]} {agreeing.told(found.together.figures[name], agreeing.scale_of(name))}"
            for name in shown
        )
        ceiling = found.people.ceiling
        scale = None if part.options else agreeing.NUMBER
        people = (agreeing.told(ceiling.people, scale) if ceiling.people.missing is None else "no two label the same",)
    return (
        good,
        people,
        correcting.scores(part.corrected) or (DASH,),
        tuple(_glance_certified(part)) or ("no certificate",),
        tuple(_glance_sent(part)) or ("not said",),
    )


def _selective(each: Certified) -> bool:
    return each.certificate.promise == "selective"


def _glance_certified(part: Part) -> Iterator[str]:
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


def _glance_sent(part: Part) -> Iterator[str]:
    """What goes to people at the strictest level of each certificate over all places, in a few words."""
    for each in part.certified:
        for use in each.uses[:1] if each.certificate.place is None else ():
            yield f"{use.people:,} of {use.people + use.decided:,} by {KINDS[_selective(each)][1]}"


def part_blocks(part: Part, anchor: str, given: Given, run: str) -> Iterator[Block]:
    """One judge on one task: how good, for whom, how sure, and what to send to people."""
    tag = made_up(simulated=part.simulated)
    words = (f"{_title(part)} ", Span(part.judge, "model"), " ", Span(part.benchmark, "code"), *tag)
    yield Text(words=words, role="heading", id=anchor)
    yield from _how_good(part)
    yield from _for_whom(part)
    yield from _how_sure(part)
    yield Text(words="What to send to people?", role="subheading")
    sample, sheet = given.sample, tuple[str, ...]()
    if sample is not None:
        sheet = (f"The work list that was labelled: {(sample if sample.is_dir() else sample.parent) / SHEET}.",)
    yield Listing((*sending(part), *sheet))
    yield Terms(tuple((what, ((Span(command, "code"),),)) for what, command in commands(part, given, run)))


def _how_good(part: Part) -> Iterator[Block]:
    found = part.agreement
    yield Text(words="How good?", role="subheading")
    if found is None:
        yield Text(words=part.refused or "Not evaluated: no labels of this task were given.", role="finding")
        return
    yield Text(words=f"{agreeing.headline(found.together)}.", role="finding")
    yield Listing(tuple(agreeing.first_sentences(found)))
    summary = f"Figures of {found.together.who} beside people"
    yield Details(summary=summary, blocks=agreeing.beside_tables(found.together), open=True)
    cases = () if found.cases is None else (agreeing.cases_told(found.cases),)
    more = (Listing((*agreeing.further_sentences(found), *cases)), *agreeing.more_tables(found))
    summary = "People with each other, each judge, model and split, and judges that were asked again"
    yield Details(summary=summary, blocks=more)


def _for_whom(part: Part) -> Iterator[Block]:
    yield Text(words="For whom?", role="subheading")
    if part.agreement is None:
        yield Text(words="Not evaluated: there are no labels.")
    elif part.agreement.places is None:
        yield Text(words=ONE_PLACE)
    else:
        yield Listing(tuple(agreeing.places_told(part.agreement.places)))
        if tables := agreeing.place_tables(part.agreement.places):
            yield Details(summary="Place by place", blocks=tables, open=True)


def _how_sure(part: Part) -> Iterator[Block]:
    yield Text(words="How sure?", role="subheading")
    for each in part.certified:
        yield from _certified(each)
    for selective, (kind, _, loss) in KINDS.items():
        own = [each.certificate for each in part.certified if _selective(each) is selective]
        for chart in risk_charts(own, simulated=part.simulated):
            yield Beside(blocks=(chart, Text(words=f"{kind}: {RISK.format(what=loss)}", role="explanation")))
    if not part.certified:
        yield Text(words="No certificate: there is no guarantee for single verdicts.", role="note")
    for task in part.corrected:
        yield from _corrected(task)
    if part.corrected:
        yield Text(words=correcting.ESTIMATED, role="explanation")


def _certified(each: Certified) -> Iterator[Block]:
    tag = made_up(simulated=each.simulated)
    hash_ = Span(each.certificate.hash, "code")
    yield Text(words=(f"Certificate of {_kind(each).lower()} ", hash_, *tag), role="subheading")
    yield Text(words="No level is certified." if each.best is None else f"At {each.best.risk:g}: {each.best.claim}")
    if each.why:
        yield Text(words=f"Does not cover this judging: {each.why}", role="warning")
    yield Details(summary="Its levels", blocks=levels_table(each.certificate), open=True)


def _kind(each: Certified) -> str:
    """What is certified, and of which place."""
    kind, place = KINDS[_selective(each)][0], each.certificate.place
    return kind if place is None else f"{kind}, {group_name('place', place) if place else 'no place'}"


def _corrected(task: TaskCorrected) -> Iterator[Block]:
    first, *others = task.whole
    yield Text(words=("Scores corrected by people’s labels: ", Span(task.model, "model")), role="subheading")
    yield Text(words=correcting.counts(task), role="note")
    yield from correcting.cautions(task)
    yield from correcting.mean_blocks(first, task)
    if others:
        blocks = tuple(block for of in others for block in correcting.mean_blocks(of, task))
        yield Details(summary="Word by word, each against the rest", blocks=blocks)
    places = correcting.place_blocks(task)
    if places:
        yield Details(summary="Corrected by place", blocks=places)


def sending(part: Part) -> Iterator[str]:
    """What goes to people, in sentences."""
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


def commands(part: Part, given: Given, run: str) -> Iterator[tuple[str, str]]:
    """What could be done next, and by which command."""
    if part.agreement is None:
        yield "Draw a sample for people to label", f"mores agreement sample {run} --n 200 --out SAMPLE"
    if not part.certified and part.certifiable:
        yield "Have a level certified", f"mores calibrate clm {run} {given.typed} --task {part.task} --out CERT.json"
    for each in part.certified:
        risk = "" if each.best is None else f" --risk {each.best.risk:g}"
        yield "Write the work list for people", f"mores calibrate apply {each.path} {run}{risk} --out DIR"
