"""Answers to a form: figures of orders and of marked parts, and tables, a line a question and person."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

import numpy as np
from django.utils.translation import gettext as _

from mores.core.seeds import Seed
from mores.stats.cluster_sums import Design, share
from mores.stats.orders_and_spans import kendall_w, mean_coefficient, mean_rank_correlation, span_f1
from mores.studio.flows.fields import RankField
from mores.studio.flows.flow import FlowMetric, tables
from mores.studio.flows.form.form_file import AskedPart, RankingAsk, SpansAsk, TaskForm, parts_of, spans_of
from mores.studio.flows.form.project_forms import FILE, cells_of, form_of, form_text
from mores.studio.flows.labels import ADJUDICATOR, work_of
from mores.studio.models import Project
from mores.studio.work.decisions import adjudicated
from mores.studio.work.records import ItemRecord

_SEED = Seed("studio/form")
_Values = dict[str, list[float]]


def figures(project: Project, items: Sequence[ItemRecord]) -> tuple[FlowMetric, ...]:
    """For each ranking how far orders agree, and for each question of spans how far what is marked overlaps."""
    form = form_of(project)
    answered = [item for item in work_of(items) if len(item.counted) > 1]
    if form is None or not answered:
        return ()
    return tuple(chain.from_iterable(_figures(form, name, answered) for name in _figured(form)))


def _figured(form: TaskForm) -> list[RankingAsk | SpansAsk]:
    return [ask for ask in form.ask if isinstance(ask, RankingAsk | SpansAsk)]


def _figures(form: TaskForm, ask: RankingAsk | SpansAsk, items: Sequence[ItemRecord]) -> Iterator[FlowMetric]:
    # An item is one unit and a cluster of its own: items of a form have no key that says what is drawn together.
    design = Design(clusters=np.array([item.key for item in items]), seed=_SEED.child(ask.name))
    if isinstance(ask, SpansAsk):
        overlap = [_overlap(ask, item) for item in items]
        title = _("Overlap of what two people mark (F1)")
        yield FlowMetric(name=title, about=ask.words, measured=share(overlap, design, "overlap"), n=len(items))
        return
    ranks = [_ranks(form, ask, item) for item in items]
    title = _("Rank correlation of two people (Spearman)")
    spearman = mean_coefficient([mean_rank_correlation(each) for each in ranks], design, "spearman")
    yield FlowMetric(name=title, about=ask.words, measured=spearman, n=len(items), share=False)
    concordance = share([kendall_w(each) for each in ranks], design, "concordance")
    title = _("Kendall's W")
    yield FlowMetric(name=title, about=ask.words, measured=concordance, n=len(items), share=False)


def _overlap(ask: SpansAsk, item: ItemRecord) -> float:
    sizes = {each.name: each.end - each.start for each in spans_of(ask, cells_of(item.payload))}
    return span_f1([_listed(answer.answer, ask.name) for answer in item.counted], sizes)


def _ranks(form: TaskForm, ask: RankingAsk, item: ItemRecord) -> list[list[int]]:
    fields = [part.field for part in parts_of(form, cells_of(item.payload)) if part.ask is ask]
    options = [option.value for field in fields if isinstance(field, RankField) for option in field.options]
    orders = [_listed(answer.answer, ask.name) for answer in item.counted]
    return [[order.index(value) + 1 for value in options] for order in orders]


def _listed(answer: Mapping[str, object], name: str) -> list[str]:
    value = answer.get(name)
    return [str(each) for each in value] if isinstance(value, list) else []


def write(project: Project, items: Sequence[ItemRecord]) -> dict[str, bytes]:
    """Answers that count, what was decided where people differ, and the form."""
    form = form_of(project)
    if form is None:
        return {}
    decided = adjudicated(project)
    rows: dict[str, list[dict[str, object]]] = defaultdict(list)
    for item in work_of(items):
        for answer in item.counted:
            rows["answers"] += _rows(form, item, answer.person, answer.answer)
        if item.key in decided:
            decision = decided[item.key]
            found = _rows(form, item, ADJUDICATOR, decision.verdict["answer"])
            rows["adjudicated"] += [row | {"reason": decision.reason} for row in found if row["answer"] != ""]
    files = tables("answers", rows["answers"]) | (tables("adjudicated", rows["adjudicated"]) if decided else {})
    return files | {FILE: form_text(project).encode()}


def _rows(form: TaskForm, item: ItemRecord, person: str, answer: Mapping[str, object]) -> Iterator[dict[str, object]]:
    """A row for each value: an option that was chosen, a thing with its rank, a marked part with where it stands."""
    cells = cells_of(item.payload)
    for part in parts_of(form, cells):
        start = {
            "id": item.key, "place": item.payload["place"], "question": part.ask.name, "aspect": part.aspect,
            "person": person,
        }  # fmt: skip
        for value in _values(part, cells, answer.get(part.field.name, "")):
            yield {**start, "answer": "", "rank": "", "start": "", "end": "", **value}


def _values(part: AskedPart, cells: Mapping[str, str], value: object) -> list[dict[str, object]]:
    if not isinstance(value, list):
        return [{"answer": value}]
    if isinstance(part.ask, RankingAsk):
        return [{"answer": each, "rank": rank} for rank, each in enumerate(value, start=1)]
    if isinstance(part.ask, SpansAsk):
        known = {each.name: each for each in spans_of(part.ask, cells)}
        marked = [known[each] for each in value]
        return [{"answer": each.text, "start": each.start, "end": each.end} for each in marked] or [{}]
    return [{"answer": each} for each in value] or [{}]
