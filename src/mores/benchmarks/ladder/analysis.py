"""Breaks of each model on the ladder: figures of rungs, drops between them, claims, and norms as examples."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from math import nan
from pathlib import Path
from types import MappingProxyType

from mores.analysis.controls import kept_without_place
from mores.analysis.results import Results
from mores.benchmarks.ladder.contrasts import LEVEL, SIZE
from mores.benchmarks.ladder.courtesy import POLITE, describe_polite, describe_zero, short_zero
from mores.benchmarks.ladder.ladders import (
    Example,
    GroupLadder,
    Ladder,
    RungExample,
    describe_checks,
    examples,
    ladders,
    rung_examples,
)
from mores.benchmarks.ladder.rungs import FAMILY, ORDER, SAYS
from mores.benchmarks.ladder.sentences import (
    describe_break,
    describe_excluded_norms,
    describe_groups,
    describe_judges,
    describe_meaning,
    describe_start,
    findings_of,
)
from mores.benchmarks.ladder.tables import DROPS, NORMS, RUNGS, TABLES, ladder_rows, norm_rows
from mores.core.estimate import CommonScale
from mores.stats.intervals import MIN_CLUSTERS
from mores.tables import Analysis, AnalysisResult, FilledTable, Row, Show, View, blocks_of
from mores.tables import formatting as words
from mores.tables.blocks import (
    Axis,
    Block,
    BulletList,
    Cell,
    CellValue,
    Chart,
    ChartPoint,
    Details,
    Filter,
    Paragraph,
    Series,
    Span,
    Stack,
    Words,
)

SCALE = (
    "All rungs have the same norms and the same scale, the share of norms kept: 100% is every norm kept. At know and "
    "judge 0% is guessing or one answer for all: true and false statements of a norm have equal weight, and the "
    "three labels of scenes have; an answer that could not be read or was declined counts as omitted, which is 0%, "
    "and a wrong one counts against. At explain, apply, converse and live 0% is that no norm is kept, by the judge’s "
    "most likely label; the goal of a dialogue does not count. The dashed line on each rung is a stated respondent "
    "that knows no norm and is merely polite: it guesses labels, has no reasons to give, does in answers and days "
    "what politeness alone would do, and objects to nothing, so that it keeps each dialogue whose proposal goes "
    "against no norm. A baseline that draws outcomes is no guess at an open answer and has no figure there. Two "
    "kinds of doubt stand apart. Brackets are 95% intervals of sampling: other norms of the kind. The judge band is "
    "what the figure would be for every judge of the range; the figure itself is corrected by labels, else for a "
    "judge at the centre of that range, and where the band is wider than half of the scale it stands alone. The "
    "headline of each rung is another figure: it is not on this scale, and is not corrected for the judge."
)
EXPLAINED = (
    "Drop: corrected by labels, else for a judge at the centre of its range. Its brackets are of sampling; the range "
    "of judges and p are for the worst judge, on each rung separately. Next to the rung judge, norms are weighted so "
    "that its three labels have equal weight; a mean may therefore differ from that in the table below. MDE, the "
    "minimum detectable effect: the least drop that would be claimed with power .8, for every judge of the range and "
    "after correction, if the judge is at the centre of that range. Intervals resample clusters and tests permute "
    "signs, so the two may disagree near the limit."
)
HEADLINES = (
    "The headline of each rung as it stands elsewhere, and above guessing: (s − g)/(1 − g), where g is what guessing "
    "gets. Headlines count what their benchmark counts, are not on one scale, and are not corrected for their judges; "
    "no claim about a drop rests on them."
)
MADE_UP = " Answers marked simulated do not come from a real model."
EXAMPLES = (
    "Answers about single norms. These are examples and never findings: one item is no evidence about one norm, and a "
    "right or wrong answer may be chance. Norms are what many people of a place say. The filled part of a dot is the "
    "share that was right."
)


def analyse(results: Results) -> AnalysisResult | None:
    """The ladders of some runs; None where no model stood on two rungs."""
    found = ladders(results)
    return result_of(found, kept_without_place(results)) if found else None


def result_of(found: Sequence[Ladder], as_well: Mapping[Path, frozenset[str]] = MappingProxyType({})) -> AnalysisResult:
    """Results of ladders; `as_well` are norms kept as well without their place."""
    checks = describe_checks(found)
    filled = ladder_rows(found, checks)
    norms = examples([(ladder, rung_examples(ladder.rungs, as_well)) for ladder in found])
    names = _names(found)
    tried = FilledTable(table=NORMS, rows=tuple(row for each in norms for row in norm_rows(each, names)))
    return AnalysisResult(
        tables=(*filled, tried),
        blocks=(
            Paragraph(words=f"{SCALE}{MADE_UP if any(ladder.simulated for ladder in found) else ''}", on="page"),
            Paragraph(words=checks, on="page"),
            Paragraph(words=_rule(len(found)), on="page"),
            *(block for n, ladder in enumerate(found, start=1) for block in _of_ladder(ladder, filled, f"ladder-{n}")),
            Paragraph(words="Norm by norm: examples", role="heading", on="page"),
            Paragraph(words=EXAMPLES, on="page"),
            *_examples(norms, tried, names, several=len(found) > 1),
            Paragraph(words=checks, on="terminal"),
        ),
        findings=tuple(findings_of(found)),
        scale=scale_of(found),
    )


def _names(found: Sequence[Ladder]) -> list[str]:
    """The rungs that were run, from the ground up."""
    run = {rung.name for ladder in found for rung in ladder.rungs}
    return [name for name in ORDER if name in run]


def scale_of(found: Sequence[Ladder]) -> CommonScale:
    """Norms kept, on which the rungs of all models can be read side by side."""
    figures = {
        rung.evaluation.folder: score
        for ladder in found
        for rung, score in zip(ladder.rungs, ladder.whole.scores, strict=True)
        if score is not None
    }
    breaks = {(ladder.label, ladder.whole.broken.after) for ladder in found if ladder.whole.broken is not None}
    falls = (rung.evaluation.folder for ladder in found for rung in ladder.rungs if (ladder.label, rung.name) in breaks)
    titles = {FAMILY + name: name for name in _names(found)}
    polite = _polite(found)
    return CommonScale(
        name="norms kept",
        says=SCALE,
        titles=titles,
        figures=figures,
        falls=frozenset(falls),
        zero=describe_zero(_names(found)),
        short_zero=short_zero(_names(found)),
        reference=POLITE,
        references={FAMILY + name: share for name, share in polite if share is not None},
        reference_says=describe_polite(polite),
    )


def _polite(found: Sequence[Ladder]) -> list[tuple[str, float | None]]:
    """Share that mere politeness keeps of all norms, rung by rung, of the first model that stood on it."""
    shares: dict[str, float | None] = {}
    for ladder in found:
        for rung, share in zip(ladder.rungs, ladder.whole.polite, strict=False):
            shares.setdefault(rung.name, share)
    return [(name, shares.get(name)) for name in _names(found)]


def _rule(models: int) -> Words:
    """Rule of a break, and of a claim."""
    rule = (
        f" at the first rung that lies more than {100 * SIZE:.0f} points below the one before it, where neither chance "
        "nor errors of the judge explain this, and where the rung before is better than guessing, or than mere "
        "politeness where a judge decides. Norms are paired, "
        "norms of one cluster stay together. The drops of a model over all norms are tested first (Holm over pairs of "
        "rungs); a domain, region or place is tested only for a pair whose drop is found over all norms, and shares "
        "that pair’s part of the level with the other groups large enough to show anything. So the chance of any "
        "false claim about a model is at most .05. Each model is a family of its own"
    )
    many = (
        f", so a finding does not depend on the other models; of {models} models without a drop, on average at most "
        f"{LEVEL * models:.2g} would show a break by chance"
    )
    takes = f". A claim needs {MIN_CLUSTERS} norms in {MIN_CLUSTERS} clusters; smaller groups have no intervals."
    return "The ladder ", Span("breaks", "strong"), f"{rule}{many if models > 1 else ''}{takes}"


def _of_ladder(ladder: Ladder, tables: Sequence[FilledTable], slug: str) -> Iterator[Block]:
    who, whole, family = words.subject_of(ladder), ladder.whole, ladder.family
    yield Paragraph(words=who, role="heading", on="page")
    scores = words.joined(
        (rung.name, " ", CellValue(value=e)) for rung, e in zip(ladder.rungs, whole.scores, strict=True)
    )
    zero = describe_zero([rung.name for rung in ladder.rungs])
    yield Paragraph(words=(*who, f", norms kept; 100% is all of them, 0% {zero}: ", *scores, "."), on="terminal")
    if start := describe_start(ladder):
        yield Paragraph(words=start)
    yield Paragraph(words=f"All norms: {describe_break(whole.drops)}", role="finding")
    yield from (Paragraph(words=text) for text in (describe_judges(ladder), " ".join(describe_meaning(ladder))) if text)
    rungs, drops = (_of(filled, ladder) for filled in tables[:2])
    yield from blocks_of(drops, _drops_of_all(ladder, drops))
    yield Paragraph(words=EXPLAINED, role="explanation")
    yield Paragraph(words=describe_groups(ladder))
    if broken := (*ladder.broken, *ladder.suspect):
        yield BulletList(tuple(f"{_name(*row.group)}: {describe_break(row.drops)}" for row in broken))
    yield from blocks_of(rungs, _groups(ladder, rungs.rows, slug))
    if any(pooled is not None for row in ladder.groups for pooled in row.pooled):
        yield Paragraph(words=SAYS, role="explanation")
    yield Details(
        summary=("Headlines of every group of ", who[0]),
        blocks=(Paragraph(words=HEADLINES), *blocks_of(rungs, _headlines(ladder, rungs.rows))),
    )
    yield Details(
        summary=("Every drop of every group of ", who[0], " ", Span(f"{family} of them tested", "soft")),
        blocks=tuple(blocks_of(drops, _drops_of_groups(ladder, drops))),
    )


def _of(filled: FilledTable, ladder: Ladder) -> FilledTable:
    """The rows of one model."""
    model = filled.table.getter("model")
    return FilledTable(table=filled.table, rows=tuple(row for row in filled.rows if model(row) == ladder.label))


_CLAIM = DROPS.getter("claim", "alone", "ungraded")


def _claim(row: Row) -> Cell:
    """Claim about a drop, with the norms that it leaves out below."""
    claim, *missing = _CLAIM(row)
    excluded = describe_excluded_norms(*missing)
    return Stack((claim, Span(f"left out: {excluded}", "soft"))) if excluded else claim


TESTED = (
    Show(key="score_before", title="Mean scores", to="score_after"),
    Show(key="drop", sort="descending", format="size"),
    Show(key="least", title="By the judges’ range", to="most", between=" to ", format="points"),
    Show(key="p"),
    Show(key="p_holm", sort="ascending"),
    Show(key="units"),
    Show(key="clusters"),
    Show(key="minimum_detectable", title="MDE, points"),
    Show(key="claim", write=_claim),
)
"""Drops as people see them."""


def _drops_of_all(ladder: Ladder, drops: FilledTable) -> View:
    """Drops over all norms."""
    return View(
        title=f"Drops of {ladder.label} over all norms",
        rows=tuple(row for row in drops.rows if _GROUP_OF_DROP(row) == (None, None)),
        shown=(Show(key="before", title="All norms", to="after"), *TESTED),
        on="page",
    )


def _drops_of_groups(ladder: Ladder, drops: FilledTable) -> View:
    """Drops of each group."""
    group = Show(key="group", sort="ascending", write=lambda row: _name(*_GROUP_OF_DROP(row)))
    return View(
        title=f"Drops of all groups of {ladder.label}",
        rows=tuple(row for row in drops.rows if _GROUP_OF_DROP(row) != (None, None)),
        shown=(group, Show(key="before", title="Rungs", to="after"), *TESTED),
    )


def _groups(ladder: Ladder, rows: Sequence[Row], slug: str) -> View:
    """All norms and each group: its line over the rungs, where it breaks, and its figures on each."""
    by_group: dict[object, GroupLadder] = {
        (row.group.kind or None, row.group.value or None): row for row in ladder.rows
    }  # fmt: skip
    kinds = dict.fromkeys(row.group.kind for row in ladder.groups)
    return View(
        title=f"The ladder of {ladder.label}",
        rows=tuple(rows),
        shown=(
            Show(key="group", sort="ascending", write=_group_cell),
            Show(key="kind", sort="ascending", minor=True, write=lambda row: words.kind_name(_GROUP(row)[0] or "all")),
            Show(key="rung", title="Climb", write=lambda row: _stair(ladder, by_group[_GROUP(row)])),
            Show(key="group", title="Breaks at", write=lambda row: _broken(by_group[_GROUP(row)])),
        ),
        across="rung",
        cell=Show(key="kept", format="share", sort="descending", write=_kept),
        heads={rung.name: rung.name for rung in ladder.rungs},
        by="kind",
        filters=(Filter(name="kind", label="Groups", choices=tuple((k, words.kinds_name(k)) for k in kinds)),),
        id=slug,
        on="page",
    )


def _headlines(ladder: Ladder, rows: Sequence[Row]) -> View:
    """The headline of each rung, which is not on one scale with the others."""
    return View(
        title=f"Headlines of {ladder.label} on the ladder",
        rows=tuple(rows),
        shown=(Show(key="group", sort="ascending", write=_group_cell),),
        across="rung",
        cell=Show(key="headline", format="share", sort="descending", write=_headline),
        heads={rung.name: f"{rung.name} (g {words.format_number(rung.chance)})" for rung in ladder.rungs},
        by="kind",
    )


_GROUP, _GROUP_OF_DROP = (table.getter("kind", "group") for table in (RUNGS, DROPS))
_FIGURES, _HEADLINES = RUNGS.getter("kept", "pooled", "polite"), RUNGS.getter("headline", "above_guessing")


def _name(kind: str | None, value: str | None) -> str:
    return words.group_name(kind, value or "") if kind else "All norms"


def _group_cell(row: Row) -> Cell:
    kind, value = _GROUP(row)
    return _name(kind, value), Span(words.kind_name(kind or ""), "narrow")


def _kept(row: Row) -> Cell:
    """Norms kept, with what mere politeness keeps and what a place stands at where all are read together below."""
    kept, pooled, polite = _FIGURES(row)
    figure = CellValue(value=kept)
    below = [f"pooled {words.text_of(pooled, 'share')}"] if pooled is not None else []
    below += [f"{POLITE} {words.text_of(polite, 'share')}"] if polite else []
    return Stack((figure, *(Span(text, "soft") for text in below))) if below else figure


def _headline(row: Row) -> Cell:
    """The headline, and what it is above guessing below, where guessing gets anything."""
    headline, above = _HEADLINES(row)
    if headline is None or above == headline:
        return None if headline is None else CellValue(value=headline)
    return Stack((CellValue(value=headline), Span(f"above guessing {words.text_of(above, 'share')}", "soft")))


def _stair(ladder: Ladder, row: GroupLadder) -> Chart:
    """A group's line over the rungs; the step of its first break is marked."""
    broken, rungs = row.broken and row.broken.after, zip(ladder.rungs, row.scores, strict=True)
    points = tuple(ChartPoint(y=score, label=rung.name, marked=rung.name == broken) for rung, score in rungs)
    return Chart(kind="stair", series=(Series(points=points),), axes=(Axis(marks=row.polite),))


def _broken(row: GroupLadder) -> Cell:
    if row.broken is not None:
        return Span(row.broken.after, "alarm")
    return Span("not found" if row.claims else "no claim", "soft")


def _examples(
    norms: Sequence[Example], tried: FilledTable, names: Sequence[str], *, several: bool
) -> Iterator[Details]:
    """Results of the norms of each place, a row a norm and model."""
    rows = {place or "": tuple(of) for place, of in groupby(tried.rows, NORMS.getter("place"))}
    model = (Show(key="model"),) if several else ()
    for code, of in groupby(norms, lambda each: each.place):
        found = {example.norm: _norm(example) for example in of}
        place = words.group_name("place", code)
        view = View(
            title=f"Norms of {place or 'no place'}",
            rows=rows.get(code, ()),
            shown=(Show(key="norm", write=partial(_known, found)), *model),
            across="rung",
            cell=Show(key="told", write=_happened),
            heads={name: name for name in names},
        )
        yield Details(
            summary=(f"{place or 'No place'} ", Span(words.plural(len(found), "norm"), "soft")),
            blocks=tuple(blocks_of(tried, view)),
        )


_NORM, _HAPPENED = NORMS.getter("norm"), NORMS.getter("share", "told", "courtesy")


def _known(norms: Mapping[str, Stack], row: Row) -> Cell:
    return norms[_NORM(row)]


def _norm(example: Example) -> Stack:
    name = (Span(example.norm, "code"), " · ") if example.statement else ()
    return Stack((example.statement or example.norm, (*name, Span(example.domain, "soft"))))


def _happened(row: Row) -> Cell:
    share, outcome, courtesy = _HAPPENED(row)
    found = RungExample(nan if share is None else share, outcome)
    return f"{found.mark} {outcome}{'; courtesy' * courtesy}".strip()


LADDER_ANALYSIS = Analysis(
    id="ladder", title="The ladder, rung by rung", tables=TABLES, analyse=analyse, order=-10
)  # fmt: skip
