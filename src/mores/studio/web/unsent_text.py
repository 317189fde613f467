"""Words that were sent after a session had ended: kept in the new one until whoever wrote them has signed in again."""

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest
from django.http.response import HttpResponseBase

KEPT = "kept"
LONGEST = 200_000


def keep(request: HttpRequest) -> HttpResponseBase:
    """Ask somebody to sign in; a form that they sent waits for them."""
    if request.method == "POST" and sum(len(text) for _, texts in request.POST.lists() for text in texts) <= LONGEST:
        request.session[KEPT] = {"path": request.path, "values": dict(request.POST.lists())}
    return redirect_to_login(request.get_full_path() if request.method == "GET" else request.path)


def restore(request: HttpRequest) -> dict[str, list[str]]:
    """What was kept for this page, once; nothing where there is none."""
    kept = request.session.get(KEPT)
    if not kept or kept["path"] != request.path:
        return {}
    del request.session[KEPT]
    values: dict[str, list[str]] = kept["values"]
    return values
