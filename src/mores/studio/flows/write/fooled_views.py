"""The page of fooled models: for writers by model, for who runs the project by place, writer and help too."""

from collections.abc import Iterator, Sequence

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from mores.norms.places import place
from mores.studio.flows.write.attempts import OWN_WORDS, attempts_of, results_of
from mores.studio.flows.write.settings import Offered
from mores.studio.flows.write.success import (
    FOLLOWS,
    HELP,
    MODEL,
    OFFERED,
    PLACE,
    WRITER,
    FooledShare,
    fooled_models,
    fooled_shares,
)
from mores.studio.help.prompts import DRAFT, HINT, REVISE, VERIFY, strategies
from mores.studio.models import Project, Role
from mores.studio.web.access import account_of, in_project, methods, roles_in
from mores.studio.work.records import read_items

ShareTable = tuple[str, list[tuple[FooledShare, str]]]


@in_project(Role.OWNER, Role.REVIEWER, Role.WRITER)
@methods("GET")
def fooled(request: HttpRequest, project: Project) -> HttpResponse:
    """Numbers of questions that fooled each model; of single writers only those who run the project see."""
    account = account_of(request)
    items = read_items(project)
    questions = results_of(project, items)
    managing = not roles_in(project, account).isdisjoint({Role.OWNER, Role.REVIEWER})
    rows = fooled_shares(questions, attempts_of(project, items))
    own = next((row for row in rows if row.by == WRITER and row.group == f"a{account.pk}"), None)
    words = {
        "project": project,
        "models": fooled_models(questions),
        "own": own,
        "tables": list(_tables(rows)) if managing else (),
    }
    return render(request, "write/fooled.html", words)


def _tables(rows: Sequence[FooledShare]) -> Iterator[ShareTable]:
    titles = {
        PLACE: _("By place"),
        OFFERED: _("By the help that was offered"),
        HELP: _("By the help that was used"),
        FOLLOWS: _("Answers, by what they followed"),
        WRITER: _("By writer"),
    }
    for by, title in titles.items():
        own = [(row, _name(row)) for row in rows if row.by == by]
        if own:
            yield title, own


def name_help(kinds: str) -> str:
    """The kinds of help by which a question came to be, in the words of the reader's language."""
    named = {HINT: _("ideas"), DRAFT: _("a draft"), VERIFY: _("an answer"), REVISE: _("a revision")}
    return " + ".join(named.get(kind, _("none")) for kind in kinds.split("+"))


def _name(row: FooledShare) -> str:
    """A group in words."""
    if row.by == PLACE:
        return place(row.group).name if row.group else "—"
    if row.by == HELP:
        return name_help(row.group)
    named = {
        OFFERED: {Offered.ALL: _("all"), Offered.VERIFIER: _("only a model that answers"), "": _("not stored")},
        FOLLOWS: {
            OWN_WORDS: _("the writer's own words"),
            DRAFT: _("a draft"),
            **{name: _(way["title"]) for name, way in strategies().items()},
        },
        MODEL: {},
    }
    return str(named.get(row.by, {}).get(row.group, row.group))
