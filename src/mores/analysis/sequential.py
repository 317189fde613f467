"""Claims that ended a run: what was shown after how many questions, with the p and the interval that know of all looks.

results ─▶ the claim that each run was asked to decide ─▶ a row a claim and a row a look ─▶ sentence and tables of them.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mores.analysis.results import Result, Results
from mores.core.card import SequentialEnd, SequentialTest
from mores.tables import Analysis, AnalysisResult, Column, Row, Show, Table, View, blocks_of
from mores.tables.blocks import CellValue, DifferenceCell, Finding, Inline, Paragraph, Span, Words
from mores.tables.columns import BENCHMARK, METRIC, SIMULATED

WHOSE = (BENCHMARK, Column("claim", "text", "as it was typed", title="Claim"))
CLAIMS = Table.of(
    "until",
    "Claims that ended a run",
    *WHOSE,
    SIMULATED,
    METRIC,
    Column("model_a", "model", "the model that is claimed to be above", title="Model A"),
    Column("model_b", "model", "the model that it is held against; missing where that is a number", title="Model B"),
    Column("number", "number", "the number that it is held against; missing where that is a model"),
    Column("end", "text", "`shown`, `opposite`, `vain` or `open`"),
    Column(
        "difference",
        "change",
        "median-unbiased; its interval knows of all looks",
        title="A − B, points",
        main=True,
    ),
    Column("p", "p", "over all looks"),
    Column("units", "count", "units that were asked", title="Asked"),
    Column("most", "count", "units that would have been asked at most", title="Of"),
    Column("look", "count", "the look that ended it", title="Look"),
    Column("looks", "count", "looks that were planned", title="Of looks"),
    Column("hope", "share", "where it was vain: the chance that the units left would have decided it"),
)
LOOKS = Table.of(
    "until_looks",
    "Looks at claims",
    *WHOSE,
    METRIC,
    Column("look", "count", "from 1"),
    Column("units", "count", "units that had come in"),
    Column("clusters", "count", "independent clusters of them"),
    Column("difference", "score", "mean difference so far", title="A − B, points"),
    Column("score", "number", "sum of clusters' differences by the root of their squared sum"),
    Column("bound", "number", "score that decides at this look", title="Decides at"),
    Column("p", "p", "as of a test without looks", title="p, this look alone"),
)
ABOUT = (
    "Questions were asked in looks, the same of each model, in the order in which --limit draws them. After each look "
    "the score was held against a boundary that spends the 5% error over all looks (alpha times the squared share of "
    "questions). p, difference and interval are by stages: they know that earlier looks could have ended the run, and "
    "are of the scores as judged where there is a judge. p "
    "and intervals of these models elsewhere take the number of questions as fixed, and are too sure by a little."
)
ENDS: dict[SequentialEnd, str] = {
    "shown": "{a} is above {b}",
    "opposite": "{a} is below {b}",
    "vain": "{a} is not shown to be above {b}",
    "open": "{a} is not shown to be above {b}",
}


class EndedClaim(NamedTuple):
    """A claim, with one of the results that it is about and the labels of its models."""

    result: Result
    test: SequentialTest
    a: str
    b: str | None


def claims_of(results: Results) -> tuple[EndedClaim, ...]:
    """The claims of all runs, each once."""
    found: dict[tuple[object, str], EndedClaim] = {}
    for each in results.evaluations:
        test = each.provenance.until
        if test is None or each.partial:
            continue
        labels = {one.model: one.label for one in results.evaluations if one.run == each.run}
        own = EndedClaim(each, test, labels.get(test.a, test.a), labels.get(test.b, test.b) if test.b else None)
        found.setdefault((each.run, each.benchmark), own)
    return tuple(found.values())


def _row(claim: EndedClaim) -> Row:
    result, test = claim.result, claim.test
    gap = DifferenceCell(difference=test.difference, low=test.low, high=test.high, missing=None)
    return (
        result.benchmark, test.claim, result.simulated, result.listed(test.metric), claim.a, claim.b, test.number,
        test.end, gap, test.p, test.asked, test.most, len(test.looks), test.planned,
        test.hope if test.end == "vain" else None,
    )  # fmt: skip


def _looks(claim: EndedClaim) -> Iterator[Row]:
    result, test = claim.result, claim.test
    for number, look in enumerate(test.looks, 1):
        yield (
            result.benchmark, test.claim, result.listed(test.metric), number, look.units, look.clusters,
            look.difference, look.score, look.bound, look.p,
        )  # fmt: skip


def analyse(results: Results) -> AnalysisResult | None:
    """The claims that ended runs; None where none did."""
    claims = claims_of(results)
    if not claims:
        return None
    rows = CLAIMS.filled(map(_row, claims))
    looks = LOOKS.filled(row for claim in claims for row in _looks(claim))
    shown = (
        "claim", Show("end"), "difference", "p", "units", "most", Show("look", minor=True), Show("looks", minor=True),
    )  # fmt: skip
    views = (
        *blocks_of(rows, View(title=CLAIMS.title, rows=rows.rows, shown=("benchmark", *shown))),
        *blocks_of(
            looks,
            View(
                title=LOOKS.title,
                rows=looks.rows,
                shown=(
                    *(("claim",) if len(claims) > 1 else ()),
                    "look", "units", Show("clusters", minor=True), Show("difference", format="signed"), "score",
                    "bound", "p",
                ),
            ),
        ),
    )  # fmt: skip
    return AnalysisResult(
        tables=(rows, looks),
        blocks=(Paragraph(ABOUT, "explanation"), *views),
        findings=tuple(map(_finding, claims)),
    )


def _finding(claim: EndedClaim) -> Finding:
    result, test = claim.result, claim.test
    gap = DifferenceCell(difference=test.difference, low=test.low, high=test.high, missing=None)
    sure: tuple[Inline, ...] = (
        CellValue(gap, metric=result.metric(test.metric)), " points, ", CellValue(test.p, "full_p"), " over all looks.",
    )  # fmt: skip
    if test.end == "vain":
        sure = (*sure, f" Stopped: the questions left would have decided it with a chance of {100 * test.hope:.0f}%.")
    found = test.end in {"shown", "opposite"}
    return Finding(words=_sentence(claim), sure=sure, id="until", weight="differs", found=found)


def _sentence(claim: EndedClaim) -> Words:
    """`A is above B on BENCHMARK, after 480 of 1,227 questions, at look 4 of 10.`."""
    result, test = claim.result, claim.test
    other = Span(claim.b, "model") if claim.b else f"{test.number:g}"
    before, _, after = ENDS[test.end].removeprefix("{a}").partition("{b}")
    asked = f", after {test.asked:,} of {test.most:,} {result.counted}"
    look = f", at look {len(test.looks)} of {test.planned}."
    return (Span(claim.a, "model"), before, other, after, " on ", Span(result.benchmark, "code"), asked + look)


def are_of_a_claim(results: Sequence[Result]) -> bool:
    """True of models of one run that was asked until a claim on them was decided."""
    tests = [each.provenance.until for each in results]
    return all(test is not None for test in tests) and len({each.run for each in results}) == 1


SEQUENTIAL_ANALYSIS = Analysis(
    id="until", title="Asked until decided", tables=(CLAIMS, LOOKS), analyse=analyse, order=-9
)
