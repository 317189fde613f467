"""A demonstration with one click: questions of the bundled pack, answered by simulated people, one answer still open.

Whoever makes it owns it and is its last annotator, so that each page has something on it at once.
"""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from mores.core.seeds import Seed
from mores.norms.pack import load_pack
from mores.studio.accounts.links import join
from mores.studio.accounts.screening import ScreeningFacts, screen
from mores.studio.flows.check.culturalbench import DONT_KNOW, LETTERS, CheckQuestion
from mores.studio.models import Account, Participant, Project, Role, WorkItem
from mores.studio.web.access import account_of, for_owner, methods
from mores.studio.web.forms import free_slug
from mores.studio.work.audit import record
from mores.studio.work.items import NewItem, add_items
from mores.studio.work.leases import Lease, claim
from mores.studio.work.submit import AnswerSubmission, submit
from mores.studio.work.transactions import writing

PLACE, QUESTIONS, PEOPLE = "JP", 8, 4
ANYBODY = ""
"""Region of items that people of any place are given: whoever tries the studio may be from anywhere."""
KNOWS, DOUBTS = 0.8, 0.1
"""Chance that a simulated person chooses what the pack has as true, and that they do not know."""


@for_owner
@methods("POST")
def make(request: HttpRequest) -> HttpResponse:
    """Make it, and go there."""
    with writing():
        project = _made(account_of(request))
    return redirect("project", slug=project.slug)


def _made(owner: Account) -> Project:
    name = _("Demonstration with simulated people")
    project = Project.objects.create(slug=free_slug(name), name=name, flow="check", quota=PEOPLE + 1)
    with writing() as now:
        record(project.pk, "make", {"flow": project.flow, "demonstration": True}, who=owner.pk, at=now)
    for role in (Role.OWNER, Role.ANNOTATOR):
        join(project, owner, role)
    entries = [entry for entry in load_pack().norms if entry.norm.place == PLACE][:QUESTIONS]
    asked = {
        entry.norm.id: CheckQuestion(
            question=entry.know[0].question, options=tuple(option.text for option in entry.know[0].options)
        )
        for entry in entries
    }
    items = [NewItem(key=key, payload=question.payload(), region=ANYBODY) for key, question in asked.items()]
    add_items(project, items, who=owner.pk)
    true = {
        entry.norm.id: [letter for letter, option in zip(LETTERS, entry.know[0].options, strict=True) if option.true]
        for entry in entries
    }
    for number in range(1, PEOPLE + 1):
        _answer_all(project, _simulated(project, number), true)
    return project


def _simulated(project: Project, number: int) -> Participant:
    """A simulated person of the place; nobody can sign in as them, since no name that is chosen has a colon."""
    account = Account.objects.make(f"simulated:{project.pk}:{number}", is_active=False)
    join(project, account, Role.ANNOTATOR)
    person = Participant.objects.get(project=project, account=account)
    screen(person, ScreeningFacts(nationality=PLACE, residence_before_18=PLACE))
    person.refresh_from_db()
    return person


def _answer_all(project: Project, person: Participant, true: dict[str, list[str]]) -> None:
    while isinstance(held := claim(person.pk, project.pk), Lease):
        key = WorkItem.objects.values_list("key", flat=True).get(assignments=held.assignment)
        options = _chosen(Seed("demonstration").child(person.account.name.rpartition(":")[2], key), true[key])
        sending = AnswerSubmission(
            assignment=held.assignment, participant=person.pk, answer={"options": options},
            key=f"demonstration {held.assignment}",
        )  # fmt: skip
        submit(sending)


def _chosen(seed: Seed, true: list[str]) -> list[str]:
    if seed.child("doubts").uniform() < DOUBTS:
        return [DONT_KNOW]
    if seed.child("knows").uniform() < KNOWS:
        return true
    return [LETTERS[seed.child("other").below(len(LETTERS))]]
