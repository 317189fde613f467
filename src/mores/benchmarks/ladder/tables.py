"""The ladder as programs know it: figures of rungs, drops between them, breaks, judges' errors, and single norms."""

from collections.abc import Iterator, Sequence

from mores.analysis.contrast import Contrast
from mores.analysis.controls import KEPT
from mores.analysis.groups import PLACE
from mores.benchmarks.ladder.contrasts import LABELS, LEVEL, SIZE, RungContrast
from mores.benchmarks.ladder.ladders import Example, GroupLadder, Ladder
from mores.benchmarks.ladder.rungs import RungNormScores, corrected
from mores.benchmarks.ladder.sentences import claim_of, describe_break, describe_meaning
from mores.stats.rogan_gladen import FLAWLESS, JudgeErrors
from mores.tables import Column, FilledTable, Row, Table
from mores.tables.columns import BENCHMARK, SIMULATED

MODEL = (
    Column(key="model", title="Model", kind="model", says="the subject, with its run where it did a rung twice"),
    SIMULATED,
)
TWO_RUNGS = (
    Column(key="before", title="Before", kind="text", says="the lower rung"),
    Column(key="after", title="After", kind="text", says="the rung above it that was run"),
)
"""Columns that tables of the ladder have alike: whose rungs these are, and between which of them a drop is."""
_GROUP = (
    Column(key="kind", title="Kind", kind="text", says="domain, region or place; nothing for all norms"),
    Column(key="group", title="Group", kind="text", says="its name or code; nothing for all norms"),
)
_RUNG = (
    Column(key="run", title="Run", kind="text", says="folder of the run"),
    *MODEL,
    BENCHMARK,
    Column(key="rung", title="Rung", kind="text", says="its short name"),
)
RUNGS = Table(
    id="ladder",
    title="Norms kept by rung",
    columns=(
        *_RUNG,
        *_GROUP,
        Column(
            key="kept",
            title="Norms kept",
            kind="estimate",
            main=True,
            says="mean score of norms, 1 for all kept; 0 is guessing at know and judge, and no norm kept "
            "elsewhere; corrected by labels or for a judge at the centre of its range; its interval is of "
            "sampling, its judge band for all judges of the range",
        ),
        Column(
            key="polite",
            title="Merely polite",
            kind="share",
            says="norms kept by somebody who knows no norm and is merely polite, as stated and not measured",
        ),
        Column(
            key="masked",
            title="Without the place",
            kind="estimate",
            says="norms kept of all by the model with the place masked, where it was also asked so",
        ),
        Column(
            key="people",
            title="People",
            kind="estimate",
            says="norms kept of all by people, where they were asked the same questions (--set people=FILE)",
        ),
        Column(key="headline", title="Headline", kind="estimate", says="the benchmark's headline, as it is elsewhere"),
        Column(
            key="above_guessing",
            title="Headline above guessing",
            kind="estimate",
            says="the headline corrected for guessing, (s − g)/(1 − g)",
        ),
        Column(
            key="pooled",
            title="Pooled",
            kind="estimate",
            says="norms kept of a place, were all places read together; bears no claim",
        ),
    ),
)
DROPS = Table(
    id="ladder_drops",
    title="Drops from rung to rung",
    columns=(
        *MODEL,
        *_GROUP,
        *TWO_RUNGS,
        Column(
            key="drop",
            title="Drop, points",
            kind="contrast",
            main=True,
            ends=("score_before", "score_after"),
            says="norms kept before less after, of norms graded on both, corrected by labels or for judges at the "
            "centre of their range; its interval is of sampling, p for the worst judge of the range, and the minimum "
            "detectable effect that of the claim",
        ),
        Column(key="least", title="Least", kind="number", says="the drop for the judge of the range that makes least"),
        Column(key="most", title="Most", kind="number", says="the drop for the judge that makes most of it"),
        Column(key="as_judged", title="Drop as judged", kind="number", says="the drop were the judge right"),
        Column(key="p_judged", title="p as judged", kind="p", says="p were the judge right, uncorrected"),
        Column(key="alone", title="Alone", kind="count", says="norms that one of the two rungs did not ask"),
        Column(key="ungraded", title="Ungraded", kind="count", says="norms that one of them left ungraded"),
        Column(key="judged", title="Judged", kind="flag", says="true where a judge had a part"),
        Column(key="grounded", title="Grounded", kind="flag", says="false where guessing is as good on the lower rung"),
        Column(key="found", title="Found", kind="flag", says=f"true where p_holm is below {LEVEL:g}"),
        Column(key="able", title="Able", kind="flag", says="true where so many norms could show a drop at all"),
        Column(key="opened", title="Opened", kind="flag", says="true of all norms, and where their drop is found"),
        Column(
            key="breaks",
            title="Breaks",
            kind="flag",
            says=f"true where it is found, grounded and above {100 * SIZE:.0f} points for every judge of the range",
        ),
        Column(key="may_be_judge", title="May be judge error", kind="flag", says="true where some judge explains it"),
        Column(
            key="holds_from",
            title="Would hold from",
            kind="number",
            says="least sensitivity and specificity of all judges for which it would then be a break",
        ),
        Column(
            key="support",
            title="Judges for which it breaks",
            kind="share",
            says="share of the prior on the judges’ rates (the range spread evenly, one pair of rates for one judge) "
            "for which it would be a break, of those that the figures do not refute",
        ),
        Column(
            key="detectable_unlimited",
            title="MDE, any number of norms",
            kind="number",
            says="least drop that any number of norms would show under the judges’ range",
        ),
        Column(
            key="detectable_labelled",
            title=f"MDE, {LABELS} labels a rung",
            kind="number",
            says=f"least drop that these norms would show if {LABELS} labels a rung told how good its judge is",
        ),
        Column(key="claim", title="Claim", kind="words", says="what is claimed"),
    ),
)
BREAKS = Table(
    id="ladder_breaks",
    title="Breaks of ladders",
    columns=(
        *MODEL,
        *_GROUP,
        Column(key="breaks_at", title="Breaks at", kind="text", says="first rung to which a drop breaks"),
        Column(key="tested", title="Tested", kind="count", says="drops of the group that were tested"),
        Column(key="clusters", title="Clusters", kind="count", says="most independent clusters of such a drop"),
        Column(key="needed", title="Clusters needed", kind="count", says="those a drop needs to be found by itself"),
        Column(key="family", title="Family", kind="count", says="drops of the model that were tested, of all groups"),
        Column(key="told", title="In a sentence", kind="text", says="where it breaks, or what could have been seen"),
        Column(key="meaning", title="Meaning", kind="names", says="of all norms, what that says of a remedy"),
    ),
)
_RATES = tuple(
    column
    for rate in ("sensitivity", "specificity")
    for column in (
        Column(key=f"{rate}_low", title=rate, kind="number", says=f"least {rate} that is assumed of its judge"),
        Column(key=f"{rate}_high", title=rate, kind="number", says="the greatest; the same where labels tell it"),
        Column(key=f"{rate}_labels", title=rate, kind="number", says="how many labels tell it"),
        Column(key=f"{rate}_source", title=rate, kind="text", says="whose labels they are"),
    )
)
JUDGES = Table(
    id="ladder_judges",
    title="Judges of rungs",
    columns=(
        *_RUNG,
        Column(key="chance", title="Chance", kind="share", says="share of the headline that guessing gets"),
        Column(key="judged", title="Judged", kind="flag", says="true where a judge had a part in the headline"),
        *_RATES,
        Column(key="no_claims", title="No claims", kind="reason", says="why no claim may be made of the rung"),
        Column(key="standing", title="Norms", kind="text", says="whose norms these are, and how far they were checked"),
    ),
)
NORMS = Table(
    id="ladder_norms",
    title="Norm by norm",
    columns=(
        *MODEL,
        Column(key="place", title="Place", kind="group", of=PLACE, says="its code"),
        Column(key="domain", title="Domain", kind="text", says="what the norm is about"),
        Column(key="norm", title="Norm", kind="text", says="its id"),
        Column(key="rung", title="Rung", kind="text", says="where it was asked"),
        Column(key="share", title="Share", kind="share", says="its share in the headline, of one norm: no evidence"),
        Column(key="courtesy", title="Courtesy", kind="flag", says="true where it is kept as well without its place"),
        Column(key="told", title="Answers", kind="text", says="what was answered, how often"),
    ),
)
TABLES = (RUNGS, DROPS, BREAKS, JUDGES, NORMS)


def ladder_rows(found: Sequence[Ladder], checks: str) -> tuple[FilledTable, ...]:
    """All tables but that of single norms; `checks` is how far the norms were checked."""
    rows = (
        (RUNGS, (row for ladder in found for each in ladder.rows for row in _of_rungs(ladder, each))),
        (DROPS, (row for ladder in found for each in ladder.rows for row in _of_drops(ladder, each))),
        (BREAKS, (_of_break(ladder, each) for ladder in found for each in ladder.rows)),
        (JUDGES, ((*_of_judge(ladder, scores), checks) for ladder in found for scores in ladder.norm_scores)),
    )
    return tuple(FilledTable(table=table, rows=tuple(own)) for table, own in rows)


def norm_rows(example: Example, names: Sequence[str]) -> Iterator[Row]:
    """Results of one norm, a row a model and rung."""
    where = (example.place or None, example.domain or None, example.norm)
    for ladder, on in example.tried:
        for name in names:
            if (each := on.get(name)) is not None:
                share = each.share if each.graded else None
                yield ladder.label, ladder.simulated, *where, name, share, each.courtesy, each.outcome


def _of_rungs(ladder: Ladder, row: GroupLadder) -> Iterator[Row]:
    """A group on each rung on which it has a figure."""
    group = row.group.kind or None, row.group.value or None
    pooled, zeros = (known or (None,) * len(ladder.rungs) for known in (row.pooled, row.polite))
    whole = row is ladder.whole
    columns = zip(ladder.norm_scores, row.scores, row.headlines, pooled, zeros, strict=True)
    for scores, kept, headline, drawn, polite in columns:
        if kept is not None or headline is not None:
            above = None if headline is None else corrected(headline, scores.rung)
            masked = ladder.masked.get(scores.rung.name) if whole else None
            people = scores.rung.people if whole else None
            yield *_whose(ladder, scores), *group, kept, polite, masked, people, headline, above, drawn


def _whose(ladder: Ladder, scores: RungNormScores) -> Row:
    evaluation = scores.rung.evaluation
    return str(evaluation.run), ladder.label, ladder.simulated, evaluation.benchmark, scores.rung.name


def _of_drops(ladder: Ladder, row: GroupLadder) -> Iterator[Row]:
    group = row.group
    for drop in row.drops:
        found = drop.contrast
        yield (
            ladder.label, ladder.simulated, group.kind or None, group.value or None, drop.before, drop.after,
            _as_contrast(drop), *((found.least, found.most) if drop.judged else (None, None)),
            found.size_judged if drop.judged else None, found.p_judged, drop.alone, drop.ungraded, drop.judged,
            drop.grounded, drop.found, drop.able, drop.opened, drop.breaks, drop.may_be_judge, drop.holds_from,
            drop.support, drop.unlimited, drop.labelled, claim_of(drop),
        )  # fmt: skip


def _as_contrast(drop: RungContrast) -> Contrast:
    """A drop as any difference is known: the score before less the one after."""
    found = drop.contrast
    before, after = found.ends or (None, None)
    return Contrast(
        metric=KEPT, a=after, b=before, difference=found.size, low=found.low, high=found.high, p=found.p,
        p_adjusted=drop.p_holm, family=drop.family if drop.tested else 0, units=found.units, clusters=found.clusters,
        minimum_detectable=found.minimum_detectable, undetectable=found.undetectable, test=found.test,
        method=found.method, missing=found.missing, caution=drop.caution,
    )  # fmt: skip


def _of_break(ladder: Ladder, row: GroupLadder) -> Row:
    group, broken = row.group, row.broken
    tested = sum(drop.tested for drop in row.drops)
    meaning = tuple(describe_meaning(ladder)) if row is ladder.whole else None
    return (
        ladder.label, ladder.simulated, group.kind or None, group.value or None, broken and broken.after, tested,
        row.most_clusters, row.needed, ladder.family, describe_break(row.drops), meaning,
    )  # fmt: skip


def _of_judge(ladder: Ladder, scores: RungNormScores) -> Row:
    rung = scores.rung
    return *_whose(ladder, scores), rung.chance, rung.judged, *_rates_of(scores.judge), scores.missing


def _rates_of(judge: JudgeErrors) -> Iterator[float | str | None]:
    """Low, high, labels and their source, of sensitivity and specificity; nothing where nobody judged."""
    for rate in judge.rates:
        yield from (None,) * 4 if judge is FLAWLESS else (rate.low, rate.high, rate.labels, rate.source)
