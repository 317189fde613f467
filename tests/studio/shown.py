"""A studio with something on every page, and the list of its pages: for pictures, and for tests that open them all."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.contrib.auth.tokens import default_token_generator
from django.utils.http import int_to_base36

from mores.studio.accounts.links import join, make_token
from mores.studio.flows.closing import SENT_BACK
from mores.studio.flows.flow import flows
from mores.studio.models import (
    Account,
    Draft,
    Guideline,
    GuidelineKind,
    ItemImport,
    ItemProblem,
    ItemState,
    Job,
    JobState,
    Participant,
    ParticipantState,
    Project,
    Role,
    WorkItem,
)
from mores.studio.work.exclusion import exclude
from mores.studio.work.items import NewItem, add_items
from mores.studio.work.leases import Lease, claim
from tests.studio import made
from tests.studio.planting import (
    FIRST,
    FORM,
    OPTIONS,
    QUESTION,
    Say,
    differing,
    items,
    of_an_account,
    person_in,
    recruited,
    training,
)

PAGE = "0" * 32
TABLES = ("account", "project", "workitem", "response", "auditevent")
MANAGED = (
    "guidelines", "invite", "import", "setup", "progress", "audit", "members", "annotators", "payments", "studies",
    "prolific", "redact", "withdraw", "connections", "items",
)  # fmt: skip
SEVERAL = {"gold": ["a", "b"], "mode": "multi"}
ANSWERED = ("agreement", "disagreement", "personal")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A page as somebody comes to it: signed in or not, with buttons pressed one after the other that it then has."""

    name: str
    path: str
    who: Account | None = None
    press: tuple[str, ...] = ()


SEND = "#answer .actions button"


def planted(say: Say = str) -> list[Shown]:
    """Every page of a studio that is in use; `say` is what people and models there say instead."""
    owner = Account.objects.make(of_an_account(say("Amina")), is_owner=True)
    return [*_doors(), *_projects(owner, say), *_work(say), *_taught(say), *_warned(say)]


def _doors() -> Iterator[Shown]:
    yield Shown(name="sign-in", path="/sign-in")
    yield Shown(name="sign-in-wrong", path="/sign-in", press=("form.narrow button",))
    yield Shown(name="enter-studio", path=f"/enter/{make_token(None, Role.OWNER, hours=1)}")
    yield Shown(name="gone", path="/enter/none")
    forgetful = Account.objects.make("Forgetful")
    here = f"/reset/{int_to_base36(forgetful.pk)}/{default_token_generator.make_token(forgetful)}"
    yield Shown(name="reset", path=here)


def _projects(owner: Account, say: Say) -> Iterator[Shown]:
    nobody = Account.objects.make(of_an_account(say("Noor")))
    yield Shown(name="home-empty", path="/", who=nobody)
    yield Shown(name="home", path="/", who=owner)
    yield Shown(name="new", path="/new", who=owner)
    for page in ("accounts", "audit", "password"):
        yield Shown(name=page, path=f"/{page}", who=owner)
    yield Shown(name="account-link", path="/accounts", who=owner, press=("main form[action$=reset] button",))
    yield Shown(name="new-wrong", path="/new", who=owner, press=("main form button",))
    yield Shown(name="missing", path="/p/none/", who=owner)
    yield Shown(name="refused", path="/new", who=nobody)
    for flow in flows().values():
        project = Project.objects.create(
            slug=flow.name,
            name=say(f"{flow.title} · tables of Japan"),
            flow=flow.name,
            quota=2,
            settings={"form": FORM} if flow.name == "form" else {},
        )
        for role in Role:
            join(project, owner, role)
        _guidelines(project, say)
        items(project, say)
        differing(project, say)
        here = f"/p/{flow.name}"
        if flow.settings_form is not None:
            yield Shown(name=f"{flow.name}-setup", path=f"{here}/setup", who=owner)
        if flow.name == "check":
            WorkItem.objects.filter(project=project, key="q5").update(state=ItemState.COMPLETE, outcome=SEVERAL)
            number = WorkItem.objects.get(project=project, key="q5").pk
            yield Shown(name="check-combination", path=f"{here}/combinations/{number}", who=owner)
            wrong = ("#answer .choice", "#answer button >> nth=0")
            yield Shown(name="check-combination-wrong", path=f"{here}/combinations/{number}", who=owner, press=wrong)
        for page in ANSWERED if flow.name in ("check", "review", "label", "scenarios", "form") else ():
            yield Shown(name=f"{flow.name}-{page}", path=f"{here}/{page}", who=owner)
        if flow.adjudicated:
            yield Shown(name=f"{flow.name}-decide", path=f"{here}/disagreement", who=owner, press=(".case .button",))
        if flow.name == "check":
            yield from _managed(project, owner, nobody, say)
        yield Shown(name=f"{flow.name}-project", path=f"{here}/", who=owner)
    Project.objects.filter(slug="check").update(public=True)
    Participant.objects.filter(project__slug="check").update(credit=say("Kenji of the tea house"))
    yield Shown(name="public", path="/about/check")
    yield Shown(name="public-project", path="/p/check/", who=owner)
    wrong = ("main .button", "main form button")
    yield Shown(name="decide-wrong", path="/p/label/disagreement", who=owner, press=wrong)


def _managed(project: Project, owner: Account, nobody: Account, say: Say) -> Iterator[Shown]:
    """What somebody who runs a project sees of it."""
    here = f"/p/{project.slug}"
    study = recruited(project, person_in(project, say("Sent by Prolific")), say)
    for name, person in (("exclusion", person_in(project, say("Careless"))), ("readmission", _excluded(project, say))):
        yield Shown(name=name, path=f"{here}/annotators/{person.pk}", who=owner)
    yield Shown(name="screening", path=f"{here}/screening", who=owner)
    yield Shown(name="screening-wrong", path=f"{here}/screening", who=owner, press=("main form button",))
    yield Shown(name="enter", path=f"/enter/{make_token(project, Role.ANNOTATOR, hours=1)}")
    yield Shown(name="enter-signed-in", path=f"/enter/{make_token(project, Role.OWNER, hours=1)}", who=nobody)
    for page in MANAGED:
        yield Shown(name=f"project-{page}", path=f"{here}/{page}", who=owner)
    item = WorkItem.objects.filter(project=project, assignments__responses__gt=0).order_by("pk")[0]
    answered = item.assignments.order_by("pk")[0]
    ItemProblem.objects.create(item=item, by=owner, words=say("Two of the options say the same."))
    ItemImport.objects.create(project=project, name=say("questions.csv"), by=owner).items.add(item)
    Participant.objects.filter(pk=(unread := person_in(project, say("Has not read"))).pk).update(guideline_read=None)
    yield Shown(name="read", path=f"{here}/read", who=unread.account)
    yield Shown(name="project-item", path=f"{here}/items/{item.pk}", who=owner)
    yield Shown(name="project-item-retired", path=f"{here}/items/{_retired(project).pk}", who=owner)
    yield Shown(name="project-answers", path=f"{here}/answers", who=answered.account)
    yield Shown(name="project-answered", path=f"{here}/work/{answered.pk}", who=answered.account)
    for table in ("", *(f"{each}/" for each in TABLES)):
        yield Shown(name=f"admin-{table[:-1]}", path=f"/admin/{table}", who=owner)
    for table, row in (("account", owner), ("workitem", item), ("project", project)):
        yield Shown(name=f"admin-one-{table}", path=f"/admin/{table}/{row.pk}", who=owner)
    yield Shown(name="project-study", path=f"{here}/studies/{study.pk}", who=owner)
    yield Shown(name="payments-wrong", path=f"{here}/payments", who=owner, press=("main form button",))
    yield Shown(name="invite-link", path=f"{here}/invite", who=owner, press=("main form button",))


def _retired(project: Project) -> WorkItem:
    """An item that nobody is given any more."""
    item = WorkItem.objects.filter(project=project, state=ItemState.OPEN).order_by("pk").last()
    assert item is not None
    WorkItem.objects.filter(pk=item.pk).update(state=ItemState.RETIRED, retired_from=ItemState.OPEN)
    return item


def _excluded(project: Project, say: Say) -> Participant:
    person = person_in(project, say("Excluded"))
    exclude(person.pk, {"reason": say("Every answer came after a second.")}, who=None)
    return person


def _guidelines(project: Project, say: Say) -> None:
    for kind in GuidelineKind:
        words = "# Speak of what most people do\n\n- where you **grew up**\n\n> Where you are not sure, say so."
        Guideline.objects.create(project=project, kind=kind, version=1, text=say(words))


def _work(say: Say) -> Iterator[Shown]:
    """Pages of the flows, for people who were let in."""
    for flow in flows().values():
        project = Project.objects.get(slug=flow.name)
        person = person_in(project, say(f"Kenji {flow.name}"))
        if flow.name == "write":
            _written(project, person, say)
            yield Shown(name="rewrite", path=f"/p/write/written/{_sent_back(project, person, say)}", who=person.account)
        for route in flow.routes:
            if "<" not in str(route.pattern) and not str(route.pattern).endswith("draft"):
                yield Shown(
                    name=f"{flow.name}-{route.name}", path=f"/p/{flow.name}/{route.pattern!s}", who=person.account
                )
        found = claim(person.pk, project.pk)
        if isinstance(found, Lease):
            here = f"/p/{flow.name}/work"
            yield Shown(name=f"{flow.name}-work", path=here, who=person.account)
            yield Shown(name=f"{flow.name}-wrong", path=here, who=person.account, press=(SEND,))
            yield Shown(name=f"{flow.name}-skipped", path=here, who=person.account, press=("[data-key=s]",))
    norms = Project.objects.get(slug="norms")
    WorkItem.objects.filter(project=norms).exclude(key=FIRST).update(state=ItemState.DROPPED)
    WorkItem.objects.filter(project=norms, key=FIRST).update(state=ItemState.OPEN)
    asked = person_in(norms, say("Somebody asked"))
    yield Shown(name="norms-questions", path="/p/norms/work", who=asked.account)
    nothing = made.project("nothing")
    for state in (ParticipantState.ACTIVE, ParticipantState.SCREENED_OUT, ParticipantState.WITHDRAWN):
        left = person_in(nothing, say(f"Aiko {state}"))
        Participant.objects.filter(pk=left.pk).update(state=state)
        yield Shown(name=f"nothing-{state}", path="/p/nothing/work", who=left.account)


def _taught(say: Say) -> Iterator[Shown]:
    """What somebody learns from a training item."""
    project = made.project("practice", flow="label")
    items(project, say)
    training(project, say)
    for name, option in (("right", 0), ("wrong", 1)):
        learner = person_in(project, say(f"Learner {name}")).account
        yield Shown(
            name=f"taught-{name}", path="/p/practice/work", who=learner, press=(f".choice >> nth={option}", SEND)
        )


def _written(project: Project, person: Participant, say: Say) -> None:
    """What waits for a curator, and what models said to somebody who writes."""
    options = dict(zip("abcd", map(say, OPTIONS), strict=True))
    typed = {"situation": say("A guest comes at the hour of a meal."), "question": say(QUESTION), **options}
    body = {"page": [PAGE], "holds": ["a"], **{name: [words] for name, words in typed.items()}}
    Draft.objects.create(project=project, account=person.account, name="write", rev=1, body=body)
    Project.objects.filter(pk=project.pk).update(settings={
        "per_writer_least": 1, "per_writer": 7, "survey": True, "survey_questions": [say("Was the pay fair?")],
        "own_strategies": [{"title": say("Name a season")[:60], "instruction": say("Say in which season.")}],
    })  # fmt: skip
    asked: dict[str, object] = {"question": say(QUESTION), "options": list(options.values()), "holds": ["a"]}
    _helped(project, person, say, asked, {"question": say(QUESTION), **options, "holds": ["a"]})
    payload = {"question": say(QUESTION), "options": list(options.values()),
               "writer": {"holds": ["a"], "common": "4", "knows": "5", "situation": "", "offered": "all"}}  # fmt: skip
    sent = NewItem(key=PAGE, payload=payload, region="JP", author=person.account_id, help="draft+verify")
    add_items(project, [sent], who=None, state=ItemState.WAITING)


def _sent_back(project: Project, person: Participant, say: Say) -> int:
    """Number of a question that a curator sent back."""
    item = WorkItem.objects.filter(project=project).order_by("pk")[0]
    WorkItem.objects.filter(pk=item.pk).update(author=person.account, state=ItemState.RETURNED)
    item.decisions.create(kind=SENT_BACK, verdict={}, reason=say("Say at which meal."), by=Account.objects.all()[0])
    return item.pk


def _helped(
    project: Project, person: Participant, say: Say, asked: dict[str, object], draft: dict[str, object]
) -> None:
    said: dict[str, dict[str, object]] = {
        "hint": {"hints": [say("Who pours tea, and for whom?"), say("What is said at the door?")]},
        "draft": draft,
        "verify": {"holds": ["b"], "confidence": 85, "why": say("Families keep their hours.")},
        "revise": draft,
    }
    for kind, words in said.items():
        Job.objects.create(
            project=project, account=person.account, about=PAGE, kind=kind, key=kind, state=JobState.ANSWERED,
            model=say("simulated/typical"), request=asked, response={"said": words},
        )  # fmt: skip
    for state in (JobState.REFUSED, JobState.FAILED):
        Job.objects.create(
            project=project,
            account=person.account,
            about=PAGE,
            kind="revise",
            key=state,
            state=state,
            request=asked,
            error="no usable reply: no option holds.",
        )


def _warned(say: Say) -> Iterator[Shown]:
    """What somebody is told who is about to send a telephone number."""
    project = Project.objects.get(slug="label")
    person = person_in(project, say("Talkative"))
    held = claim(person.pk, project.pk)
    assert isinstance(held, Lease)
    body = {"label": ["yes"], "note": [say("Her cousin says so: 090-1234-5678.")]}
    name = f"assignment-{held.assignment}"
    Draft.objects.create(project=project, account=person.account, name=name, rev=1, body=body)
    yield Shown(name="label-warned", path="/p/label/work", who=person.account, press=(SEND,))
