"""Pages on which the wrong answers of a question with several true statements are proposed by a model and edited."""

from collections.abc import Sequence

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from mores.studio.flows.check.combinations import KIND, LETTERS, WRONG, Wrong, chosen_wrong, gold_of, wrong_of
from mores.studio.flows.check.culturalbench import NUMERALS, read_question
from mores.studio.flows.fields import ChoiceField, ChoiceOption, Field, PostedForm, Problems, read_posted
from mores.studio.help.jobs import ask_for, jobs_about
from mores.studio.help.prompts import NEAR, HelpRequest
from mores.studio.models import Decision, ItemKind, ItemState, Job, JobState, Project, Role, WorkItem
from mores.studio.web.access import account_of, in_project, methods
from mores.studio.work.audit import record
from mores.studio.work.records import ItemRecord, read_item
from mores.studio.work.transactions import writing


@in_project(Role.OWNER, Role.REVIEWER)
@methods("GET")
def combinations_of_all(request: HttpRequest, project: Project) -> HttpResponse:
    """The questions of which several statements hold, and whether people chose their wrong answers."""
    kept = WorkItem.objects.filter(project=project, kind=ItemKind.WORK, state=ItemState.COMPLETE).order_by("pk")
    chosen = chosen_wrong(project)
    rows = [(item, item.key in chosen) for item in kept if len(gold_of(item.outcome)) > 1]
    return render(request, "check/combinations.html", {"project": project, "rows": rows})


@in_project(Role.OWNER, Role.REVIEWER)
@methods("GET", "POST")
def combinations_of_one(request: HttpRequest, project: Project, number: int) -> HttpResponse:
    """One question with its wrong answers as they stand or as a model proposes them, to edit and store."""
    found = WorkItem.objects.filter(project=project, pk=number, kind=ItemKind.WORK, state=ItemState.COMPLETE).first()
    item = None if found is None else read_item(found)
    if found is None or item is None or len(gold_of(item.outcome)) < 2:
        raise Http404(number)
    about = f"{KIND}-{number}"
    if request.method == "POST" and request.POST.get("do") == NEAR:
        ask_for(project, account_of(request), about, _wanted(project, item))
        return redirect("combination", slug=project.slug, number=number)
    posted = dict(request.POST.lists())
    problems: Problems = {}
    if request.method == "POST":
        read = _read(gold_of(item.outcome), posted)
        if isinstance(read, tuple):
            _store(found, read, account_of(request).pk)
            messages.success(request, _("The wrong answers are stored."))
            return redirect("combinations", slug=project.slug)
        problems = read
    jobs = jobs_about(project, account_of(request), about)
    return render(request, "check/combination.html", _words(project, item, jobs, posted, problems),
                  status=422 if problems else 200)  # fmt: skip


def _wanted(project: Project, item: ItemRecord) -> HelpRequest:
    group = project.groups.filter(code=item.region).first()
    words = read_question(item.payload)
    return HelpRequest(
        kind=NEAR, place=item.region if group is None else group.country, question=words.question,
        options=words.options, holds=gold_of(item.outcome),
    )  # fmt: skip


def _store(item: WorkItem, wrong: Wrong, who: int) -> None:
    verdict = {"wrong": [list(each) for each in wrong]}
    with writing() as now:
        Decision.objects.create(item=item, kind=KIND, verdict=verdict, by_id=who)
        record(item.project_id, KIND, {"item": item.key, **verdict}, who=who, at=now)


def _fields() -> tuple[Field, ...]:
    options = tuple(
        ChoiceOption(value=letter, label=numeral, of_item=False)
        for letter, numeral in zip(LETTERS, NUMERALS, strict=True)
    )
    legends = (_("First wrong answer: all of these"), _("Second wrong answer: all of these"),
               _("Third wrong answer: all of these"))  # fmt: skip
    return tuple(
        ChoiceField(name=f"wrong-{number}", legend=legend, options=options, several=True)
        for number, legend in enumerate(legends, start=1)
    )


def _read(gold: Sequence[str], posted: dict[str, list[str]]) -> Wrong | Problems:
    """The wrong answers, or what is the matter with one: it is right, or another says the same."""
    read = read_posted(_fields(), posted)
    if not isinstance(read, PostedForm):
        return read
    given: list[tuple[str, ...]] = []
    problems: dict[str, str] = {}
    for name, letters in read.values.items():
        each = tuple(map(str, letters)) if isinstance(letters, list) else ()
        if set(each) == set(gold):
            problems[name] = _("This is the right answer.")
        elif each in given:
            problems[name] = _("Another answer says the same.")
        given.append(each)
    return problems or tuple(given)


def _words(
    project: Project, item: ItemRecord, jobs: Sequence[Job], posted: dict[str, list[str]], problems: Problems
) -> dict[str, object]:
    gold, options = gold_of(item.outcome), read_question(item.payload).options
    stored = Decision.objects.filter(item=item.number, kind=KIND).order_by("-pk").first()
    # What is stored was left by people: a proposal is shown where somebody asked for it since.
    answered = next((job for job in jobs if job.state == JobState.ANSWERED), None)
    fresh = answered is not None and (stored is None or answered.made_at > stored.made_at)
    reply = answered.response["said"] if fresh and answered is not None and answered.response else {}
    shown: Wrong = tuple(map(tuple, reply.values())) or wrong_of(
        gold, item.sha256, chosen_wrong(project).get(item.key, ())
    )
    newest = jobs[0].state if jobs else ""
    return {
        "project": project,
        "item": item,
        "statements": [
            (numeral, words, letter in gold) for numeral, words, letter in zip(NUMERALS, options, LETTERS, strict=True)
        ],
        "fields": _fields(),
        "values": posted or {f"wrong-{n}": sorted(letters) for n, letters in enumerate(shown[:WRONG], start=1)},
        "problems": problems,
        "asking": newest == JobState.ASKED,
        "failed": newest in {JobState.FAILED, JobState.REFUSED},
        "model": answered.model if reply and answered is not None else "",
    }
