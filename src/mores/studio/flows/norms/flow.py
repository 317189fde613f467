"""Norms: how a norm is asked about, what follows from the answers, and what is exported."""

from collections.abc import Sequence

from django.urls import path
from django.utils.translation import gettext_lazy

from mores.core.codec import encode_lines
from mores.studio.flows.exports import EVERY_ANSWER, tables
from mores.studio.flows.flow import ExportFormat, Flow, FlowOutcome
from mores.studio.flows.norms.answers import answer, sheet
from mores.studio.flows.norms.bundled import bring_in
from mores.studio.flows.norms.rows import COLUMNS, item_of, read, rows
from mores.studio.flows.norms.stored_norm import read_words, step_of
from mores.studio.flows.norms.votes import counted, ladder_rows, norm_rows, opinion_rows, surveys_of
from mores.studio.models import Project, Role
from mores.studio.web.access import in_project
from mores.studio.work.records import ItemRecord


def outcome(_project: Project, item: ItemRecord) -> FlowOutcome:
    """After its questions a norm is shown; what people say of it is counted, and keeps it whatever they say."""
    if step_of(item.payload) == "questions":
        following = item_of(read_words(item.payload), "norm")
        return FlowOutcome(kept=True, result={"answers": len(item.counted)}, then=following)
    found = counted(item)
    told = {"agree": found.agree, "depends": found.depends, "disagree": found.disagree, "dont_know": found.dont_know}
    return FlowOutcome(kept=True, result={**told, "agreement": found.agreement})


def write_norms(_project: Project, items: Sequence[ItemRecord]) -> dict[str, bytes]:
    """What people say of norms, and what they answered before: tables, and `agreement.jsonl` for a pack."""
    work = [item for item in items if item.kind == "work"]
    return (
        tables("norms", norm_rows(work))
        | tables("opinions", opinion_rows(work))
        | tables("people", ladder_rows(work))
        | {"agreement.jsonl": encode_lines(surveys_of(work))}
    )


FLOW = Flow(
    name="norms",
    title=gettext_lazy("Check norms"),
    read=read,
    columns=COLUMNS,
    rows=rows,
    sheet=sheet,
    answer=answer,
    outcome=outcome,
    exports={
        "norms": ExportFormat(title=gettext_lazy("Agreement and answers"), write=write_norms),
        "answers": EVERY_ANSWER,
    },
    routes=(path("norms", in_project(Role.OWNER)(bring_in), name="norms"),),
    home="norms/home.html",
)
