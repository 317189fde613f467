"""Addresses by which programs read a project, and the page where an owner makes tokens and names addresses to tell."""

from collections.abc import Callable
from functools import wraps

from django import forms
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy as _

from mores.core.codec import encode
from mores.core.errors import InputError
from mores.studio.connections.hooks import add_webhook, end_webhook
from mores.studio.connections.tokens import end_api_token, find_api_token, make_api_token, too_often
from mores.studio.flows.agreement import agreements
from mores.studio.flows.flow import flow_named
from mores.studio.models import ApiToken, Delivery, Project, Role, Webhook
from mores.studio.web.access import ViewFunction, account_of, for_everybody, in_project, methods
from mores.studio.work.items import read_key_facts
from mores.studio.work.records import ItemRecord, read_items
from mores.tables.missing_texts import to_plain

PAGE = 100
ReadView = Callable[[HttpRequest, Project], object]


def by_token(reading: ReadView) -> ViewFunction:
    """An address that only a token of the project lets in to; it answers with JSON."""

    @for_everybody
    @methods("GET")
    @wraps(reading)
    def wrapped(request: HttpRequest, slug: str) -> HttpResponse:
        token = find_api_token(slug, request.headers.get("Authorization", ""))
        if token is None:
            return JsonResponse(
                {"error": "no token of this project"}, status=401, headers={"WWW-Authenticate": "Bearer"}
            )
        if too_often(token):
            return JsonResponse({"error": "too many requests"}, status=429, headers={"Retry-After": "60"})
        try:
            found = reading(request, token.project)
        except InputError as error:
            return JsonResponse({"error": str(error)}, status=422)
        return HttpResponse(encode(found), content_type="application/json")

    return wrapped


def _page(request: HttpRequest, items: tuple[ItemRecord, ...]) -> tuple[list[ItemRecord], int | None]:
    """The items after the one of a number, and the number to go on after; None at the end."""
    after = request.GET.get("after", "0")
    if not after.isdecimal() or len(after) > 18:
        raise InputError(f"after: got '{after[:20]}'; expected the number of an item.")
    left = [item for item in items if item.number > int(after) and item.kind == "work"]
    return left[:PAGE], left[PAGE - 1].number if len(left) > PAGE else None


@by_token
def items(request: HttpRequest, project: Project) -> object:
    """Items with their words and where they stand, without answers."""
    page, after = _page(request, read_items(project))
    shown = ("number", "key", "region", "language", "state", "version", "payload", "quota", "outcome")
    return {"items": [{name: getattr(item, name) for name in shown} for item in page], "after": after}


@by_token
def answers(request: HttpRequest, project: Project) -> object:
    """Answers of the items, each of a person who is a number."""
    page, after = _page(request, read_items(project))
    return {"answers": [{"item": item.key, "answers": item.answers} for item in page], "after": after}


@by_token
def agreement(_request: HttpRequest, project: Project) -> object:
    """Agreement of people so far, a figure a question with its interval."""
    found = agreements(flow_named(project.flow), project, read_items(project), read_key_facts(project))
    return {"agreement": [to_plain(each) for each in found]}


class TokenForm(forms.Form):
    """A new token."""

    name = forms.CharField(label=_("What reads by it"), max_length=80)


class HookForm(forms.Form):
    """A new address."""

    address = forms.URLField(label=_("Address that is told (https)"), max_length=500, assume_scheme="https")


@in_project(Role.OWNER)
@methods("GET", "POST")
def connections(request: HttpRequest, project: Project) -> HttpResponse:
    """Tokens and addresses of a project; what is new is shown once."""
    sent = request.POST.get("new", "")
    token_form = TokenForm(request.POST if sent == "token" else None)
    hook_form = HookForm(request.POST if sent == "hook" else None)
    who, shown = account_of(request), {}
    if sent == "token" and token_form.is_valid():
        shown = {"token": make_api_token(project, token_form.cleaned_data["name"], by=who)}
    if sent == "hook" and hook_form.is_valid():
        try:
            shown = {"secret": add_webhook(project, hook_form.cleaned_data["address"], by=who)}
        except InputError as error:
            hook_form.add_error("address", str(error))
    hooks = Webhook.objects.filter(project=project, ended_at=None).order_by("pk")
    words = {
        "project": project,
        "token_form": TokenForm() if shown else token_form,
        "hook_form": HookForm() if shown else hook_form,
        "tokens": ApiToken.objects.filter(project=project, ended_at=None).order_by("pk"),
        "hooks": hooks,
        "deliveries": Delivery.objects.filter(webhook__in=hooks).exclude(error="").order_by("-pk")[:20],
        **shown,
    }
    return render(request, "projects/connections.html", words, status=422 if sent and not shown else 200)


@in_project(Role.OWNER)
@methods("POST")
def end(request: HttpRequest, project: Project, name: str, number: int) -> HttpResponse:
    """End a token or an address."""
    act = end_api_token if name == "token" else end_webhook
    act(project, number, by=account_of(request))
    return redirect("connections", slug=project.slug)
