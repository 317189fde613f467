"""Who may see a page: each view says it by one of three decorators, and a test reads it from the table of addresses.

A project that somebody is no member of is not found, so that nobody learns which ones there are.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, cast

from django.http import Http404, HttpRequest, HttpResponseNotAllowed
from django.http.response import HttpResponseBase

from mores.studio.models import Account, Membership, Project, Role
from mores.studio.web.errors import refused
from mores.studio.web.unsent_text import keep

ViewFunction = Callable[..., HttpResponseBase]
EVERYBODY, SIGNED_IN, OWNER = "everybody", "signed in", "owner of the studio"


def for_everybody(view: ViewFunction) -> ViewFunction:
    """A page that needs no account."""
    view.access = EVERYBODY  # type: ignore[attr-defined]
    return view


def signed_in(view: ViewFunction) -> ViewFunction:
    """A page for anybody who signed in; whoever did not is asked to, and what they sent waits for them."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **words: Any) -> HttpResponseBase:
        return view(request, *args, **words) if request.user.is_authenticated else keep(request)

    wrapped.access = SIGNED_IN  # type: ignore[attr-defined]
    return wrapped


def for_owner(view: ViewFunction) -> ViewFunction:
    """A page for owners of the studio."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **words: Any) -> HttpResponseBase:
        return view(request, *args, **words) if account_of(request).is_owner else refused(request)

    guarded = signed_in(wrapped)
    guarded.access = OWNER  # type: ignore[attr-defined]
    return guarded


def in_project(*roles: Role) -> Callable[[ViewFunction], ViewFunction]:
    """A page of a project for members with one of these roles; its view takes the request and the project."""

    def decorated(view: ViewFunction) -> ViewFunction:
        @wraps(view)
        def guarded(request: HttpRequest, slug: str, **words: Any) -> HttpResponseBase:
            if not request.user.is_authenticated:
                return keep(request)
            members = Membership.objects.filter(account=account_of(request), project__slug=slug)
            found = list(members.select_related("project"))
            if not found:
                raise Http404(slug)
            if {Role(each.role) for each in found}.isdisjoint(roles):
                return refused(request)
            return view(request, found[0].project, **words)

        guarded.access = frozenset(roles)  # type: ignore[attr-defined]
        return guarded

    return decorated


def methods(*allowed: str) -> Callable[[ViewFunction], ViewFunction]:
    """Refuse every other method; HEAD is answered as GET is, so that no view takes it for a form that was sent."""

    def decorated(view: ViewFunction) -> ViewFunction:
        @wraps(view)
        def wrapped(request: HttpRequest, *args: Any, **words: Any) -> HttpResponseBase:
            if request.method == "HEAD":
                request.method = "GET"  # the server sends the head of the answer alone
            if request.method not in allowed:
                return HttpResponseNotAllowed(allowed)
            return view(request, *args, **words)

        return wrapped

    return decorated


def account_of(request: HttpRequest) -> Account:
    """The account behind a request that is signed in."""
    return cast("Account", request.user)


def roles_in(project: Project, account: Account) -> set[Role]:
    """What somebody may do in a project."""
    return {
        Role(role)
        for role in Membership.objects.filter(project=project, account=account).values_list("role", flat=True)
    }
