"""Pages for what went wrong: each says what to do next."""

from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _


def error_page(request: HttpRequest, status: int, title: str, words: str) -> HttpResponse:
    """A page with a title and a sentence."""
    return render(request, "error.html", {"title": title, "words": words}, status=status)


def locked(request: HttpRequest, *_credentials: object) -> HttpResponse:
    """Too many wrong passwords came for this account."""
    words = _("Too many wrong passwords came one after another. Wait a quarter of an hour, then sign in again.")
    return error_page(request, 429, _("Locked for a while"), words)


def gone(request: HttpRequest, words: str) -> HttpResponse:
    """Page for something that is not there any more."""
    return error_page(request, 410, _("No longer there"), words)


def refused(request: HttpRequest, words: str = "") -> HttpResponse:
    """Somebody may not see or do this."""
    return error_page(request, 403, _("Not for you"), words or _("Your role in this project does not include this."))


def missing(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001 - Django's shape
    """There is no such page, or nobody who asks may know of it."""
    return error_page(request, 404, _("Not found"), _("There is no such page. Go back to your projects."))


def forgery(request: HttpRequest, reason: str = "") -> HttpResponse:  # noqa: ARG001 - Django's shape
    """A form that did not come from a page of this session."""
    return error_page(
        request, 403, _("The page is too old"), _("Go back, reload the page and send again; your text is kept.")
    )


def unusable(request: HttpRequest, exception: Exception) -> HttpResponse:
    """A request that cannot be read; one that is too large says so."""
    if isinstance(exception, RequestDataTooBig | TooManyFieldsSent | TooManyFilesSent):
        return error_page(request, 413, _("Too large"), _("Go back and send less: at most one million characters."))
    return error_page(request, 400, _("Not readable"), _("Go back, reload the page and send again."))


def not_stored(request: HttpRequest) -> HttpResponse:
    """The database cannot be written: a disk that is full, or a server that is down."""
    words = _("It could not be stored. Keep this page, and send again in some minutes; nothing was stored by halves.")
    return error_page(request, 503, _("Not stored"), words)


def broken(request: HttpRequest) -> HttpResponse:
    """Something of ours broke."""
    return error_page(
        request, 500, _("Something broke"), _("It is our fault. What you sent before is stored; try again.")
    )
