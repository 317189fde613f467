"""Answers as they were: how many were cut, unreadable, refused or all alike, as a table and in sentences.

verdicts on answers (`answer_quality`) ─▶ a row an evaluation of which some could not be used ─▶ a table, findings.
"""

from collections.abc import Iterator, Sequence

from mores.analysis.answer_quality import AnswerQuality, describe_quality, one_in
from mores.analysis.results import Result, Results
from mores.core.estimate import Estimate
from mores.tables import Analysis, AnalysisResult, Column, FilledTable, Row, Show, Table, View, blocks_of, row_by_key
from mores.tables import formatting as words
from mores.tables.blocks import Finding, Inline, Paragraph, Span
from mores.tables.columns import EVALUATION

ANSWERS = Table.of(
    "answers",
    "Answers that could not be used",
    EVALUATION,
    Column("answers", "count", "answers, without those to calls that failed"),
    Column("cut", "count", "of them, cut at a limit of tokens"),
    Column("unreadable", "count", "without a label where one was asked for"),
    Column("read_leniently", "count", "unreadable, with a label by the other reading"),
    Column("empty", "count", "unreadable, without a word"),
    Column("refused", "count", "refused"),
    Column("broken", "count", "any of cut, unreadable and refused"),
    Column("cut_unread", "count", "both cut and unreadable", title="Cut and unreadable"),
    Column("one_label", "text", "the label of nine in ten answers that were read"),
    Column("one_label_given", "ratio", "answers that give it, and that were read", title="Given"),
    Column("one_label_right", "count", "how often it is right among them", title="Right"),
    Column("one_text", "text", "how nine in ten open answers begin"),
    Column("one_text_given", "ratio", "answers that are it, and that have words", title="Given"),
    Column("limit", "count", "tokens that an answer was limited to", title="Limit, tokens"),
    Column("caution", "text", "all this in words, where figures bear a mark"),
    Column("try", "text", "what to type so that more can be used"),
)
ABOUT = (
    "Answers are counted here, not units: a question of four statements is four answers, and a day has one a step. "
    "Cut: ended at the limit of tokens. Unreadable: a format error, such as no label where one was asked for. One "
    "label: nine of ten answers that could be read give it, though the right ones differ more. Calls that failed are "
    "left out."
)
ONE_TEXT = " One text: nine of ten open answers are the same words."
WRONG = "Most answers could be read and are wrong; see whether the key and the order of the options are the right ones."


def analyse(results: Results) -> AnalysisResult | None:
    """Counts of answers of each evaluation by their faults; None where all could be used."""
    reported = [each for each in results.evaluations if not each.partial and _is_reported(each)]
    if not reported:
        return None
    filled = ANSWERS.filled(map(row_of, reported))
    about = Paragraph(f"{ABOUT}{ONE_TEXT if _any_repeated(reported) else ''}", "explanation")
    return AnalysisResult(
        tables=(filled,),
        blocks=(about, *blocks_of(filled, _view(filled, reported))),
        findings=tuple(_findings(reported, name_models=len(results.labels) > 1)),
    )


def row_of(result: Result) -> Row:
    """The account of an evaluation's answers."""
    quality = result.quality
    counts, one, text = quality.whole, quality.constant, quality.repeated
    numbers = (counts.answers, counts.cut, counts.unreadable, counts.read_leniently, counts.empty, counts.refused)
    alike = (None, None, None) if one is None else (one.label, (one.given, one.read), one.right)
    repeated = (None, None) if text is None else (text.begins, (text.given, text.read))
    caution = None if quality.caution({}) is None else describe_quality(quality)
    advice = (quality.limit, caution, words.text_of(_way(quality)) or None)
    return (result, *numbers, counts.broken, counts.cut_unread, *alike, *repeated, *advice)


def _view(filled: FilledTable, reported: Sequence[Result]) -> View:
    counted = ("answers", "cut", "unreadable", "read_leniently", "empty", "refused")
    return View(
        title="Answers that could not be used",
        id="answers-table",
        rows=filled.rows,
        shown=(
            "model",
            "benchmark",
            *(Show(key, sort="descending") for key in counted),
            Show("one_label", "One label or text" if _any_repeated(reported) else "One label", write=_alike_in),
            Show("limit", write=_limit),
        ),
    )


def _alike_in(row: Row) -> str:
    """The one label and the one text of nearly all answers, where there are such, with their counts."""
    quality = row[0].quality
    alike = [(one.name, one) for one in (quality.constant,) if one is not None]
    same = [(f"“{one.begins}”", one) for one in (quality.repeated,) if one is not None]
    return "; ".join(f"{name}: {one_in(one)}" for name, one in (*alike, *same))


def _limit(row: Row) -> str:
    limit = row_by_key(ANSWERS, row)["limit"]
    return "none" if limit is None else f"{limit:,}"


def _is_reported(result: Result) -> bool:
    return result.quality.whole.broken > 0 or result.quality.alike or bool(_below_guessing(result))


def _any_repeated(reported: Sequence[Result]) -> bool:
    return any(each.quality.repeated is not None for each in reported)


def _findings(reported: Sequence[Result], *, name_models: bool) -> Iterator[Finding]:
    """Findings on unusable answers, the worst first."""
    for each in sorted(reported, key=lambda result: -result.quality.whole.share):
        where = (Span(each.benchmark, "code"), *((" by ", Span(each.label, "model")) if name_models else ()), ": ")
        below = _below_guessing(each)
        if each.quality.is_reported:
            sure = words.joined(filter(None, (_way(each.quality), below)), " ")
            yield Finding(
                words=(*where, f"{describe_quality(each.quality)}."),
                sure=sure,
                weight="doubtful",
                id="answers.unusable",
            )
        elif below:
            yield Finding(words=(*where, below), sure=WRONG, weight="doubtful", id="answers.wrong")


def _is_below(figure: Estimate | None, chance: float | None, share: float = 0.0) -> bool:
    """True where a figure is below guessing, even if so large a share of what it counts is left out."""
    return figure is not None and figure.high is not None and chance is not None and figure.high < chance * (1 - share)


def _below_guessing(result: Result) -> str:
    """That the headline is below guessing, and whether unusable answers account for it; empty where it is not."""
    figure, chance, quality = result.overall(), result.chance, result.quality
    if figure is None or not _is_below(figure, chance):
        return ""
    name, value = result.headline.replace("_", " "), words.format_number(figure.value, result.described)
    guessing = words.format_number(chance, result.described)
    # below guessing even if all that is broken were left out: then wrong answers are the reason, not unusable ones
    if not quality.alike and _is_below(figure, chance, quality.whole.share):
        return f"{name.capitalize()} is {value}, significantly below guessing, {guessing}."
    return f"That is why {name} is {value}, below guessing, {guessing}."


def _way(quality: AnswerQuality) -> tuple[Inline, ...]:
    flags = [f"--answer-tokens {quality.more_tokens}"] if quality.more_tokens is not None else []
    flags += ["--reading lenient"] if quality.leniently else []
    read = f" ({quality.whole.read_leniently:,} of them could then be read)" if quality.leniently else ""
    return ("Try ", Span(" ".join(flags), "code"), f"{read}.") if flags else ()


ANSWERS_ANALYSIS = Analysis(
    id="answers", title="Answers that could not be used", tables=(ANSWERS,), analyse=analyse, order=1
)
