"""What every answer carries: a strict content-security policy, and no leave for cameras and the like."""

import logging
from collections.abc import Callable

from django.db import OperationalError
from django.http import HttpRequest, HttpResponse

from mores.studio.web.errors import not_stored

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


class SecurityHeaders:
    """Middleware that adds them."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """A page that says what to do where the database cannot be written; other errors go their way."""
        if not isinstance(exception, OperationalError):
            return None
        logging.getLogger(__name__).error("not stored: %s", exception)
        return not_stored(request)

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """The answer, with its headers; pages of people's work are kept in no cache."""
        response = self.get_response(request)
        response.headers["Content-Security-Policy"] = POLICY
        response.headers["Permissions-Policy"] = "camera=(), microphone=(), geolocation=()"
        response.headers.setdefault("Cache-Control", "no-store")
        return response
