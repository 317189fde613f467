"""The closing survey: how writing went, asked of writers once they have written what was asked of them."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import tomli
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from mores.studio.flows.fields import ChoiceField, ChoiceOption, Field, PostedForm, TextField, read_posted
from mores.studio.flows.personal import warn
from mores.studio.flows.write.settings import writing_settings
from mores.studio.models import Participant, Project, Role, SurveyAnswer, WorkItem
from mores.studio.web.access import account_of, in_project, methods

WORDS = "words"
OWN = "own"
"""Beginning of the names of a project's own questions, which have their number behind it."""


@cache
def template() -> dict[str, str]:
    """The studio's questions, by name."""
    path = Path(__file__).with_name("survey.toml")
    return {name: each["title"] for name, each in tomli.loads(path.read_text(encoding="utf-8")).items()}


def questions(project: Project) -> dict[str, str]:
    """All that is asked in one project and answered from 1 to 5: the studio's in English, as translations have them."""
    own = writing_settings(project).survey_questions
    return template() | {f"{OWN}-{number}": words for number, words in enumerate(own, start=1)}


def survey_fields(project: Project) -> tuple[Field, ...]:
    """The questions as a form."""
    named = {"1": _("1, not at all"), "5": _("5, very much")}
    levels = tuple(ChoiceOption(value=n, label=named.get(n, n), of_item=False) for n in "12345")
    asked = questions(project).items()
    scales = (ChoiceField(name=name, legend=_(words) if name in template() else words, options=levels,
                          required=False) for name, words in asked)  # fmt: skip
    return (*scales, TextField(name=WORDS, legend=_("What would you change?"), limit=2_000))


def is_due(project: Project, person: Participant) -> bool:
    """True where somebody has written what was asked of them and has not told how it went."""
    wanted = writing_settings(project)
    if not wanted.survey or SurveyAnswer.objects.filter(participant=person).exists():
        return False
    written = WorkItem.objects.filter(project=project, author=person.account_id).count()
    return written >= max(1, wanted.per_writer_least)


@in_project(Role.WRITER)
@methods("GET", "POST")
def survey(request: HttpRequest, project: Project) -> HttpResponse:
    """Ask how it went; who answers again is taken at their newest word."""
    if not writing_settings(project).survey:
        raise Http404(project.slug)
    person = Participant.objects.get(project=project, account=account_of(request))
    fields, posted = survey_fields(project), dict(request.POST.lists())
    problems, seen = None, ""
    if request.method == "POST":
        read = read_posted(fields, posted)
        warned = warn(fields, read.values, posted) if isinstance(read, PostedForm) else None
        if isinstance(read, PostedForm) and warned is None:
            SurveyAnswer.objects.create(participant=person, answers={"asked": _asked(project), "given": read.values})
            messages.success(request, _("Thank you for telling us how it went."))
            return redirect("project", slug=project.slug)
        problems = read if not isinstance(read, PostedForm) else warned.problems if warned else None
        seen = warned.seen if warned else ""
    last = SurveyAnswer.objects.filter(participant=person).order_by("-pk").first()
    values = posted or (_still_asked(last, project) if last else {})
    words = {"project": project, "fields": fields, "values": values, "problems": problems or {}, "seen": seen}
    return render(request, "write/survey.html", words, status=422 if problems else 200)


def _asked(project: Project) -> dict[str, str]:
    """The words of each question, which a project may have changed by the time that answers are read."""
    return questions(project) | {WORDS: "What would you change?"}


def _still_asked(last: SurveyAnswer, project: Project) -> dict[str, object]:
    asked, given = last.answers["asked"], last.answers["given"]
    return {name: given[name] for name, words in _asked(project).items() if asked.get(name) == words and name in given}


def survey_rows(project: Project) -> list[dict[str, object]]:
    """The newest answers of each writer, a row a question that they answered."""
    newest = {each.participant_id: each for each in _stored(project)}
    return [
        {"writer": f"a{each.participant.account_id}", "place": each.participant.region, "name": name,
         "question": each.answers["asked"][name], "answer": answer}
        for each in newest.values()
        for name, answer in each.answers["given"].items()
        if answer
    ]  # fmt: skip


def _stored(project: Project) -> Sequence[SurveyAnswer]:
    stored = SurveyAnswer.objects.filter(participant__project=project).select_related("participant")
    return list(stored.order_by("participant", "pk"))
