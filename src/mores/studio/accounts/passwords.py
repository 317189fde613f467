"""Passwords: changed by whoever knows the old one, or set anew by a link that an owner of the studio makes."""

from django.conf import settings
from django.contrib.auth import login, update_session_auth_hash
from django.contrib.auth.tokens import default_token_generator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import base36_to_int, int_to_base36
from django.utils.translation import gettext as _

from mores.studio.accounts.forms import NewPasswordForm, OwnPasswordForm
from mores.studio.accounts.links import BACKEND
from mores.studio.models import Account
from mores.studio.models.lookalikes import SIGN
from mores.studio.web.access import account_of, for_everybody, for_owner, methods, signed_in
from mores.studio.web.errors import error_page, gone
from mores.studio.web.middleware import LARGEST_NUMBER
from mores.studio.work.audit import STUDIO, record
from mores.studio.work.transactions import writing


@signed_in
@methods("GET", "POST")
def change(request: HttpRequest) -> HttpResponse:
    """Choose another password; other sessions of this account end."""
    account = account_of(request)
    form = OwnPasswordForm(request.POST or None, account=account)
    if request.method == "POST" and form.is_valid():
        _set(account, form.cleaned_data["password"])
        # A new password ends all sessions of the account, but for this one.
        update_session_auth_hash(request, account)
        return redirect("home")
    return render(request, "accounts/password.html", {"form": form})


@for_owner
@methods("GET")
def accounts(request: HttpRequest) -> HttpResponse:
    """Everybody who can sign in, for owners of the studio."""
    return render(request, "accounts/all.html", {"accounts": _people()})


@for_owner
@methods("POST")
def make_reset(request: HttpRequest, number: int) -> HttpResponse:
    """A link by which somebody sets a new password: for three days, once, and not after they signed in again."""
    account = get_object_or_404(_people(), pk=number)
    token = default_token_generator.make_token(account)
    with writing() as now:
        record(STUDIO, "reset link", {"account": account.pk}, who=account_of(request).pk, at=now)
    link = f"{settings.STUDIO_ORIGIN}{reverse('reset', args=[int_to_base36(account.pk), token])}"
    return render(request, "accounts/all.html", {"accounts": _people(), "link": link, "whose": account})


@for_owner
@methods("POST")
def switch(request: HttpRequest, number: int) -> HttpResponse:
    """Shut an account, or open it again; nobody shuts their own."""
    account = get_object_or_404(Account, pk=number)
    if account == account_of(request):
        return error_page(request, 409, _("This account is yours"), _("Ask another owner of the studio to shut it."))
    with writing() as now:
        Account.objects.filter(pk=account.pk).update(is_active=not account.is_active)
        about = {"account": account.pk, "open": not account.is_active}
        record(STUDIO, "account", about, who=account_of(request).pk, at=now)
    return redirect("accounts")


@for_everybody
@methods("GET", "POST")
def reset(request: HttpRequest, account: str, token: str) -> HttpResponse:
    """Set a new password by an owner's link."""
    found = Account.objects.filter(pk=_number(account), is_active=True).first()
    if found is None or not default_token_generator.check_token(found, token):
        return gone(request, _("This link was used or has run out. Ask whoever sent it for another."))
    form = NewPasswordForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        _set(found, form.cleaned_data["password"])
        login(request, found, backend=BACKEND)
        return redirect("home")
    return render(request, "accounts/password.html", {"form": form, "whose": found})


def _set(account: Account, password: str) -> None:
    account.set_password(password)
    with writing() as now:
        account.save(update_fields=["password"])
        record(STUDIO, "password", {"account": account.pk}, who=account.pk, at=now)


def _people() -> QuerySet[Account]:
    """Those who can sign in with a password: all but people of a platform, and those who withdrew."""
    return Account.objects.exclude(name__contains=SIGN).order_by("name")


def _number(text: str) -> int:
    """The number of an account in a link, 0 for nobody's."""
    try:
        found = base36_to_int(text)
    except ValueError:
        return 0
    return found if found <= LARGEST_NUMBER else 0
