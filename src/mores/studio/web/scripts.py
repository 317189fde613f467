"""Answers to scripts: the middle of a page whose rest they hold already, and that what is typed is saved."""

from collections.abc import Callable, Mapping

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from mores.core.codec import parse_json
from mores.core.errors import InputError
from mores.studio.models import Project
from mores.studio.web.access import account_of
from mores.studio.work.drafts import save_draft

JsonBody = dict[str, object]
ASKED = "X-Part"


def page_or_part(
    request: HttpRequest, template: str, values: Mapping[str, object], *, place: str, status: int = 200
) -> HttpResponse:
    """The page; where a script asks for its middle, only that, with the address that it has in `Content-Location`."""
    frame = "part.html" if ASKED in request.headers else "base.html"
    page = render(request, template, {**values, "frame": frame}, status=status)
    if ASKED in request.headers:
        page.headers["Content-Location"] = place
    return page


def save_typed(
    request: HttpRequest, project: Project, name: str, kept: Callable[[JsonBody], JsonBody] = lambda body: body
) -> HttpResponse:
    """Save what is typed under a name, as JSON with `rev` and `body`; `kept` says what of a body is kept.

    Answered with the stored one: by 409 where another tab was quicker.
    """
    try:
        payload = parse_json(request.body, where="draft")
    except InputError as error:
        return JsonResponse({"error": str(error)}, status=400)
    shaped = isinstance(payload, dict) and isinstance(payload.get("rev"), int) and isinstance(payload.get("body"), dict)
    if not shaped or rb"\u0000" in request.body:  # PostgreSQL stores no NUL
        return JsonResponse({"error": "expected an object with rev and body"}, status=422)
    saved = save_draft(project.pk, account_of(request).pk, name, rev=payload["rev"], body=kept(payload["body"]))
    return JsonResponse({"rev": saved.rev, "body": saved.body}, status=200 if saved.ours else 409)
