"""The findings that a reader is told first, in their order; those that differ in their model alone are one sentence.

findings of all analyses ─▶ by weight, those that are found first ─▶ of one id and the same words: one of all models
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import get_args

from msgspec.structs import replace

from mores.tables import formatting as words
from mores.tables.blocks import Chart, Finding, Inline, Span, Weight, Words

WEIGHTS: tuple[Weight, ...] = get_args(Weight)
"""Weights of findings, what matters most first: the one rule of their order."""
NAMED = 4
"""Models that a sentence names; of more it names the first, and says how many there are besides."""
Spans = tuple[Span | Chart, ...]


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings by their weight, what is found before what is not; those that differ in their model alone are one."""
    ordered = sorted(findings, key=lambda finding: (WEIGHTS.index(finding.weight), not finding.found))
    groups: dict[object, list[Finding]] = {}
    for number, finding in enumerate(ordered):
        groups.setdefault(_but_the_model(finding) or number, []).append(finding)
    return tuple(group[0] if len(group) == 1 else _of_several(group) for group in groups.values())


def _but_the_model(finding: Finding) -> object:
    """Key that findings share which differ in their model alone; None of one that stands by itself.

    A model at the head of a sentence is its subject: it has company only where a verb says what it is of several.
    """
    spans = words.spans_of(finding.words)
    if not finding.id or len(_models(spans)) != 1:
        return None
    text = "".join(map(_of_any, spans))
    subject = isinstance(spans[0], Span) and spans[0].style == "model" and not text.startswith(":")
    if subject and not any(isinstance(span, Span) and span.several for span in spans):
        return None
    return finding.id, finding.weight, finding.found, finding.unless, text


def _of_any(span: Span | Chart) -> str:
    """Text of a stretch of words, of whatever model."""
    if isinstance(span, Chart) or span.style == "model":
        return ""
    return span.several or span.text


def _models(spans: Spans) -> list[str]:
    return list(dict.fromkeys(span.text for span in spans if isinstance(span, Span) and span.style == "model"))


def _model(finding: Finding) -> Span:
    return Span(_models(words.spans_of(finding.words))[0], "model")


def _of_several(group: Sequence[Finding]) -> Finding:
    """One sentence of all models; how sure it is, model by model where that differs."""
    models = _listed(list(dict.fromkeys(map(_model, group))))
    parts = (part for span in words.spans_of(group[0].words) for part in _with_all(span, models))
    return replace(group[0], words=tuple(parts), sure=_sure(group))


def _with_all(span: Span | Chart, models: tuple[Inline, ...]) -> tuple[Inline, ...]:
    """The models in place of the one, and a verb in its plural."""
    if isinstance(span, Chart):
        return (span,)
    if span.style == "model":
        return models
    return (replace(span, text=span.several, several=""),) if span.several else (span,)


def _sure(group: Sequence[Finding]) -> Words:
    """Once where it is the same of all, else by model."""
    found: dict[str, list[Finding]] = {}
    for finding in group:
        found.setdefault(words.text_of(finding.sure), []).append(finding)
    if len(found) == 1:
        return group[0].sure
    texts = list(_by_model(found))
    left = len(texts) - NAMED + 1
    more = (f"Of {left} more, its section says it.",) if left > 1 else ()
    return words.joined((*(texts[: NAMED - 1] if more else texts), *more), " ")


def _by_model(found: dict[str, list[Finding]]) -> Iterator[Words]:
    for text, group in found.items():
        if text:
            yield (*_listed(list(dict.fromkeys(map(_model, group)))), ": ", *words.inline_parts(group[0].sure))


def _listed(models: Sequence[Span]) -> tuple[Inline, ...]:
    """As many names as a sentence has room for."""
    if len(models) <= NAMED:
        return words.listed(models)
    return words.listed((*models[: NAMED - 1], f"{len(models) - NAMED + 1} more"))
