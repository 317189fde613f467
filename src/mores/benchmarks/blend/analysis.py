"""BLEnD in two languages: each question asked in the language of its place and in English, paired.

both evaluations of a model ─▶ questions that both asked, of places where English is not the language of the people ─▶
the difference over all, by place, topic and number of votes, with Holm's correction ─▶ tables, findings.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from mores.analysis.contrast import (
    Contrast,
    ContrastOptions,
    PairedUnits,
    WithGroups,
    all_first,
    contrast_of,
    families_of,
    paired,
)
from mores.analysis.groups import PLACE
from mores.analysis.results import Result, Results
from mores.analysis.units import subjects_of
from mores.core.card import Metric
from mores.core.estimate import CategoricalColumn, MetricRows
from mores.core.languages import ENGLISH
from mores.core.seeds import Seed
from mores.tables import Analysis, AnalysisResult, Column, FilledTable, Row, Show, Table, View, blocks_of
from mores.tables import formatting as words
from mores.tables.blocks import Block, CellValue, Finding, Paragraph, Span, Words
from mores.tables.columns import SIMULATED

LOCAL_MODE, ENGLISH_MODE = "local", "english"
MODES = {"blend/saq_local": LOCAL_MODE, "blend/saq_english": ENGLISH_MODE}
"""Language of each benchmark that asks in one."""
BOTH = "blend/semeval_saq"
"""The benchmark that asks in both."""
METRICS = ("accuracy", "votes")
KINDS = (PLACE, "topic", "votes")
"""Kinds of group by which the difference is broken down."""
SEED = Seed("blend languages")


class LanguageContrast(NamedTuple):
    """One model in both languages by one metric: local less English, over all and by group."""

    data: str
    model: str
    simulated: bool
    metric: Metric
    whole: Contrast
    families: Mapping[str, tuple[Contrast, ...]]
    local_alone: float
    english_alone: float


def language_contrasts(results: Results) -> tuple[LanguageContrast, ...]:
    """Local less English of each model that was asked in both, corrected together; empty where none was."""
    found = []
    for subject in subjects_of(results, lambda result: MODES.get(result.benchmark)):
        if len(subject.evaluations) == len(MODES):
            sides = (subject.evaluations[ENGLISH_MODE], subject.evaluations[LOCAL_MODE])
            found += [_contrast(subject.name, sides, metric) for metric in METRICS]
    found += [_contrast(result.label, (result, result), METRICS[0]) for result in results.on(BOTH)]
    corrected = all_first([WithGroups(each.whole, each.families) for each in found])
    return tuple(
        each._replace(whole=own.whole, families=own.families) for each, own in zip(found, corrected, strict=True)
    )


def _contrast(model: str, sides: tuple[Result, Result], name: str) -> LanguageContrast:
    english, local = sides
    metric = local.metric(name) or Metric(name=name, unit="question", says="")
    pairs = _pairs(english.scores[name], local.scores[name])
    terms = ContrastOptions(SEED.child(model, local.benchmark, name), name, metric, sides=sides)
    gap = pairs.gap if len(pairs.a) else np.zeros(1)
    return LanguageContrast(
        data="SemEval-2026" if local.benchmark == BOTH else "BLEnD",
        model=model,
        simulated=any(each.simulated for each in sides),
        metric=metric,
        whole=contrast_of(pairs, terms),
        families=families_of(pairs, terms, KINDS),
        local_alone=float(np.mean(gap > 0)),
        english_alone=float(np.mean(gap < 0)),
    )


def _pairs(english: MetricRows, local: MetricRows) -> PairedUnits:
    """Questions graded in both languages, but for those of places whose own language is English."""
    in_english = (rows.keys.groups["language"].belongs(ENGLISH.__eq__) for rows in (english, local))
    one, other = next(in_english), next(in_english)
    return paired(_by_question(english.take(one)), _by_question(local.take(~other)))


def _by_question(rows: MetricRows) -> MetricRows:
    """The rows with the questions of locales named by region and number, which both languages share.

    Questions of a region with several languages beside English keep their names and so have no pair.
    """
    unit = rows.keys.unit
    count = Counter(_REGION.sub("", name) for name in unit.used())
    shared = ((name, _REGION.sub("", name)) for name in unit.names)
    named = tuple(new if count[new] == 1 else name for name, new in shared)
    return replace(rows, keys=replace(rows.keys, unit=CategoricalColumn(unit.codes, named)))


_REGION = re.compile(r"^[a-z]{2}-(?=[A-Z]{2}_)")
"""The language of a locale, which stands before its region."""


# The table, as programs know it.

LANGUAGES = Table.of(
    "blend",
    "Local language against English by question",
    Column("data", "text", "BLEnD, or SemEval-2026, which says no votes"),
    Column("model", "model", "the subject, with its run where it has several"),
    SIMULATED,
    Column("metric", "metric", "`accuracy`, or `votes`: the share of people who gave the answer"),
    Column("kind", "text", "`place`, `topic` or `votes` (for the most frequent answer); missing for the whole"),
    Column("group", "group", "its name or code", of="kind"),
    Column(
        "gap",
        "contrast",
        "the score in the local language less that in English, paired by question",
        title="Local − English, points",
        main=True,
        ends=("local", "english"),
    ),
    Column("local_alone", "share", "questions that get more in the local language", title="More in the local language"),
    Column("english_alone", "share", "questions that get more in English", title="More in English"),
)


def _rows(found: LanguageContrast) -> Iterator[Row]:
    """The whole, then its groups."""
    whose = (found.data, found.model, found.simulated, found.metric)
    yield (*whose, None, None, found.whole, found.local_alone, found.english_alone)
    for kind, members in found.families.items():
        for each in members:
            yield (*whose, kind, each.group.value, each, None, None)


# The same for people.

ABOUT = (
    "Each question was asked in the language of its place and in English, and is paired with itself. Positive: more is "
    "right in the local language. Places where people speak English are left out. p-values are corrected (Holm) over "
    "models, metrics and groups; intervals are clustered by question, which was written once for all places."
)
CAUTION = (
    "Answers in two languages are compared with people's by two sets of rules, and the words around the questions may "
    "not have been read by a speaker: a difference may be the reading's or the wording's. A judge beside (judged) and "
    "released prompts (--prompts-from) tell."
)
TESTED = (Show("p_holm", title="p (Holm{family})"), Show("units", title="Questions"))
ENDS = (Show("local", "Local"), Show("english", "English"))


def analyse(results: Results) -> AnalysisResult | None:
    """Local language against English; None where no model was asked in both."""
    found = language_contrasts(results)
    if not found:
        return None
    filled = LANGUAGES.filled(row for each in found for row in _rows(each))
    return AnalysisResult(tables=(filled,), blocks=tuple(_blocks(filled)), findings=tuple(_findings(found)))


def _blocks(filled: FilledTable) -> Iterator[Block]:
    yield Paragraph(words=ABOUT, role="explanation")
    shown = (
        Show("data"),
        Show("model"),
        Show("metric"),
        *ENDS,
        Show("gap"),
        *TESTED,
        Show("local_alone"),
        Show("english_alone"),
    )
    kind, group, metric = map(filled.table.getter, ("kind", "group", "metric"))
    wholes = tuple(row for row in filled.rows if kind(row) is None)
    yield from blocks_of(filled, View(title=filled.table.title, rows=wholes, shown=shown))
    for name in KINDS:
        own = (row for row in filled.rows if kind(row) == name and metric(row).name == METRICS[0])
        named = tuple(sorted(own, key=lambda row: words.group_name(str(kind(row)), group(row))))
        # A narrow screen repeats the first column of a table that it breaks.
        by = (
            Show("group", title=words.kind_name(name).capitalize()),
            Show("data"),
            Show("model"),
            *ENDS,
            Show("gap"),
            *TESTED,
        )
        yield from blocks_of(filled, View(title=f"The same by {words.kind_name(name)}", rows=named, shown=by))
    yield Paragraph(words=CAUTION, role="explanation")


def _findings(found: Sequence[LanguageContrast]) -> Iterator[Finding]:
    """Model by model, in which language it gets more; or that no difference is found."""
    for each in found:
        gap = each.whole
        if each.metric.name != METRICS[0] or gap.difference is None:
            continue
        p = CellValue(gap.p_adjusted, "full_p")
        ends: Words = ("95% interval ", CellValue(gap, "ends", each.metric), "; ", p, " after Holm's correction.")
        model = Span(each.model, "model")
        sentence: Words = ("No difference between people's own languages and English is found for ", model, ".")
        if gap.found:
            way = "less" if gap.difference < 0 else "more"
            size = CellValue(abs(gap.difference), "size", each.metric)
            sentence = (model, " gets ", size, f" points {way} in people's own languages than in English.")
        yield Finding(words=sentence, id="blend.languages", sure=ends, weight="differs", found=gap.found)


BLEND_ANALYSIS = Analysis(
    id="blend", title="In people's own languages and in English", tables=(LANGUAGES,), analyse=analyse, order=11
)
