"""Answers as they were: how many were cut, unreadable, refused or all alike, in numbers and in sentences."""

from collections.abc import Iterator

from mores.analysis.answer_quality import AnswerQuality, Counts, OneLabel, describe_quality, one_in
from mores.analysis.repeated import OneText
from mores.analysis.results import Result, Results
from mores.blocks import Cell, Column, Finding, Heads, Inline, Section, Span, Table, Text
from mores.blocks import formatting as words
from mores.blocks.reasons import plain_fields
from mores.core.estimate import Estimate

ABOUT = (
    "Answers are counted here, not units: a question of four statements is four answers, and a day has one a step. "
    "Cut: ended at the limit of tokens. Unreadable: a format error, such as no label where one was asked for. One "
    "label: nine of ten answers that could be read give it, though the right ones differ more. Calls that failed are "
    "left out."
)
ONE_TEXT = " One text: nine of ten open answers are the same words."
WRONG = "Most answers could be read and are wrong; see whether the key and the order of the options are the right ones."


def answers_section(results: Results) -> Section | None:
    """What became of the answers of each evaluation; None where all could be used."""
    told = [each for each in results.evaluations if not each.partial and _is_told(each)]
    if not told:
        return None
    return Section(
        id="answers",
        title="Answers that could not be used",
        order=1,
        blocks=(Text(words=f"{ABOUT}{ONE_TEXT if _any_repeated(told) else ''}", role="explanation"), _table(told)),
        data=[{"benchmark": each.benchmark, "model": each.label, **quality_to_dict(each.quality)} for each in told],
        findings=tuple(_findings(told, name_models=len(results.labels) > 1)),
    )


def _is_told(result: Result) -> bool:
    return result.quality.whole.broken > 0 or result.quality.alike or bool(_below_guessing(result))


def _any_repeated(told: list[Result]) -> bool:
    return any(each.quality.repeated is not None for each in told)


def _table(told: list[Result]) -> Table:
    counted = ("Answers", "Cut", "Unreadable", "Read leniently", "Empty", "Refused")
    columns: Heads = (
        "Model",
        "Benchmark",
        *(Column(title=name, format="count", sort="descending") for name in counted),
        "One label or text" if _any_repeated(told) else "One label",
        "Limit, tokens",
    )
    return Table.of("Answers that could not be used", columns, map(_cells, told), id="answers-table")


def _cells(result: Result) -> Iterator[Cell]:
    quality = result.quality
    counts = quality.whole
    yield words.subject(result.label, simulated=result.simulated)
    yield Span(result.benchmark, "code")
    yield from (counts.answers, counts.cut, counts.unreadable, counts.read_leniently, counts.empty, counts.refused)
    yield "; ".join(f"{name}: {one_in(one)}" for name, one in _alike_in(quality))
    yield "none" if quality.limit is None else f"{quality.limit:,}"


def _findings(told: list[Result], *, name_models: bool) -> Iterator[Finding]:
    """What a reader is told first of all, the worst first."""
    for each in sorted(told, key=lambda result: -result.quality.whole.share):
        where = (Span(each.benchmark, "code"), *((" by ", Span(each.label, "model")) if name_models else ()), ": ")
        below = _below_guessing(each)
        if each.quality.said:
            sure = words.joined(filter(None, (_way(each.quality), below)), " ")
            yield Finding(words=(*where, f"{describe_quality(each.quality)}."), sure=sure, weight="urgent")
        elif below:
            yield Finding(words=(*where, below), sure=WRONG, weight="urgent")


def _is_below(figure: Estimate | None, chance: float | None, share: float = 0.0) -> bool:
    """True where a figure is below guessing, even if so large a share of what it counts is left out."""
    return figure is not None and figure.high is not None and chance is not None and figure.high < chance * (1 - share)


def _below_guessing(result: Result) -> str:
    """That the headline is below guessing, and whether unusable answers account for it; empty where it is not."""
    figure, chance, quality = result.whole(), result.chance, result.quality
    if figure is None or not _is_below(figure, chance):
        return ""
    name, value = result.headline.replace("_", " "), words.format_number(figure.value, result.described)
    guessing = words.format_number(chance, result.described)
    if not quality.alike and _is_below(figure, chance, quality.whole.share):
        return f"{name.capitalize()} is {value}, significantly below guessing, {guessing}."
    return f"That is why {name} is {value}, below guessing, {guessing}."


def _alike_in(quality: AnswerQuality) -> Iterator[tuple[str, OneLabel | OneText]]:
    """The one label and the one text of nearly all answers, where there are such, by their words."""
    if quality.constant is not None:
        yield quality.constant.name, quality.constant
    if quality.repeated is not None:
        yield f"“{quality.repeated.begins}”", quality.repeated


def describe_way(quality: AnswerQuality) -> str:
    """What to type so that more answers can be used; empty where nothing is known to help."""
    return words.text_of(_way(quality))


def _way(quality: AnswerQuality) -> tuple[Inline, ...]:
    flags = [f"--answer-tokens {quality.more_tokens}"] if quality.more_tokens is not None else []
    flags += ["--reading lenient"] if quality.leniently else []
    read = f" ({quality.whole.read_leniently:,} of them could then be read)" if quality.leniently else ""
    return ("Try ", Span(" ".join(flags), "code"), f"{read}.") if flags else ()


def quality_to_dict(quality: AnswerQuality) -> dict[str, object]:
    """The counts for programs, and what they mean in words."""
    one, text, caution = quality.constant, quality.repeated, quality.caution({})
    return {
        **{name: getattr(quality.whole, name) for name in Counts.__struct_fields__},
        "one_label": None if one is None else {"label": one.label, "given": one.given, "read": one.read},
        **({} if text is None else {"one_text": plain_fields(text)}),
        "limit": quality.limit,
        "caution": None if caution is None else describe_quality(quality),
        "try": describe_way(quality) or None,
    }
