"""Pages for getting in and out."""

from django.contrib import messages
from django.contrib.auth import login, logout
from django.contrib.auth.views import LoginView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from mores.studio.accounts.forms import AccountForm, ScreeningForm
from mores.studio.accounts.links import BACKEND, accept, find_invite
from mores.studio.accounts.screening import consent_words, decline, screen
from mores.studio.models import (
    Account,
    Assignment,
    AssignmentStatus,
    Draft,
    Invite,
    Membership,
    Participant,
    ParticipantState,
    Project,
    Role,
)
from mores.studio.web.access import account_of, for_everybody, in_project, methods, roles_in, signed_in
from mores.studio.web.errors import gone
from mores.studio.work.audit import record
from mores.studio.work.leases import free_all
from mores.studio.work.transactions import writing

FACTS = ("nationality", "residence_before_18", "group", "age_band", "gender", "student", "credit")
"""What is taken away; the region stays, as answers stand by it, and so does a platform's id, as payments do."""


def withdraw(participant: int) -> bool:
    """Take a person out of a project; False where they were out already.

    Work that they hold goes back, drafts go, the facts of themselves go. Whoever is in no other project loses the name
    and the password of their account too.
    """
    with writing() as now:
        person = Participant.objects.select_for_update().get(pk=participant)
        if person.state == ParticipantState.WITHDRAWN:
            return False
        free_all(Assignment.objects.filter(participant=person), AssignmentStatus.DISCARDED)
        Draft.objects.filter(project=person.project_id, account=person.account_id).delete()
        for name in FACTS:
            setattr(person, name, "")
        person.state = ParticipantState.WITHDRAWN
        person.save()
        Membership.objects.filter(project=person.project_id, account=person.account_id).delete()
        if not Membership.objects.filter(account=person.account_id).exists() and not person.account.is_owner:
            account = person.account
            account.name, account.is_active = f"withdrawn-{account.pk}", False
            account.set_unusable_password()
            account.save()
        record(person.project_id, "withdraw", {"participant": person.pk}, who=person.account_id, at=now)
        return True


sign_in = for_everybody(LoginView.as_view(template_name="accounts/sign_in.html", redirect_authenticated_user=True))


@signed_in
@methods("POST")
def sign_out(request: HttpRequest) -> HttpResponse:
    """End the session."""
    logout(request)
    return redirect("sign-in")


@for_everybody
@methods("GET", "POST")
def enter(request: HttpRequest, token: str) -> HttpResponse:
    """Let somebody in by a link: with the account they have, or with a new one."""
    invite = find_invite(token)
    if invite is None:
        return gone(request, _("This link was used or has run out. Ask whoever sent it for another."))
    if request.method == "POST" and request.user.is_authenticated:
        return _accepted(request, invite, account_of(request))
    form = AccountForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        account = Account.objects.make(form.cleaned_data["name"], form.cleaned_data["password"])
        login(request, account, backend=BACKEND)
        return _accepted(request, invite, account)
    return render(request, "accounts/enter.html", {"form": form, "invite": invite})


def _accepted(request: HttpRequest, invite: Invite, account: Account) -> HttpResponse:
    if not accept(invite, account):
        return gone(request, _("This link was used or has run out. Ask whoever sent it for another."))
    return redirect("home") if invite.project is None else redirect("project", slug=invite.project.slug)


@in_project(Role.WRITER, Role.ANNOTATOR)
@methods("GET", "POST")
def screening(request: HttpRequest, project: Project) -> HttpResponse:
    """Ask what somebody may speak for, with the words they consent to."""
    person = Participant.objects.get(project=project, account=account_of(request))
    if person.state != ParticipantState.NEW:
        return _onward(project, person.account)
    if request.method == "POST" and "decline" in request.POST:
        decline(person)
        return _onward(project, person.account)
    form = ScreeningForm(request.POST or None, project=project)
    if request.method == "POST" and form.is_valid():
        screen(person, form.facts())
        return _onward(project, person.account)
    words = {"form": form, "project": project, "words": consent_words(project)}
    return render(request, "accounts/screening.html", words)


def _onward(project: Project, account: Account) -> HttpResponse:
    """To work, which says also why there is none; writers begin at their project."""
    return redirect("work" if Role.ANNOTATOR in roles_in(project, account) else "project", slug=project.slug)


@in_project(Role.WRITER, Role.ANNOTATOR)
@methods("GET", "POST")
def leave_for_good(request: HttpRequest, project: Project) -> HttpResponse:
    """Ask whether somebody wants to withdraw, and do it."""
    account = account_of(request)
    if request.method != "POST":
        return render(request, "accounts/withdraw.html", {"project": project})
    withdraw(Participant.objects.values_list("pk", flat=True).get(project=project, account=account))
    account.refresh_from_db()
    if not account.is_active:
        logout(request)
    messages.success(request, _("You withdrew from this project."))
    return redirect("home")
