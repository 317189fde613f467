"""Access to pages: each view declares it by one of three decorators, and a test reads it from the table of addresses.

A project that somebody is no member of is not found, so that nobody learns which ones there are.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, cast

from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_http_methods

from mores.studio.models import Account, Membership, Project, Role
from mores.studio.web.errors import refused

KEPT = "kept"
LONGEST = 200_000


def keep(request: HttpRequest) -> HttpResponseBase:
    """Ask somebody to sign in; a form that they sent waits for them."""
    # No more than this, since a session is read with every request.
    if request.method == "POST" and sum(len(text) for _, texts in request.POST.lists() for text in texts) <= LONGEST:
        request.session[KEPT] = {"path": request.path, "values": dict(request.POST.lists())}
    return redirect_to_login(request.get_full_path() if request.method == "GET" else request.path)


def restore(request: HttpRequest) -> dict[str, list[str]]:
    """Text that was kept for this page, once; nothing where there is none."""
    kept = request.session.get(KEPT)
    if not kept or kept["path"] != request.path:
        return {}
    del request.session[KEPT]
    values: dict[str, list[str]] = kept["values"]
    return values


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
    """Refuse every other method; HEAD is let in where GET is, so a view asks whether it was POST."""
    return require_http_methods([*allowed, *(["HEAD"] if "GET" in allowed else [])])


def account_of(request: HttpRequest) -> Account:
    """The account behind a request that is signed in."""
    return cast("Account", request.user)


def roles_in(project: Project, account: Account) -> set[Role]:
    """Roles of an account in a project."""
    return {
        Role(role)
        for role in Membership.objects.filter(project=project, account=account).values_list("role", flat=True)
    }
