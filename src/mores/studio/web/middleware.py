"""Middleware: headers of every answer that Django and django-csp do not set, and a limit on uploads."""

import logging
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from django.core.files.uploadedfile import UploadedFile
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from mores.core.errors import InputError
from mores.studio.web.errors import error_page, not_stored


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
        response.headers["Permissions-Policy"] = "camera=(), microphone=(), geolocation=()"
        response.headers.setdefault("Cache-Control", "no-store")
        return response


LARGEST = 20 << 20
FORM = 1 << 16  # what stands around the file in a posted form


@contextmanager
def uploaded(file: "UploadedFile[bytes]") -> Iterator[Path]:
    """An uploaded file at a path with its own ending; messages about it name it as it was called."""
    name = Path(file.name or "upload")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"upload{name.suffix.lower()}"
        with path.open("wb") as out:
            for part in file.chunks():
                out.write(part)
        try:
            yield path
        except InputError as error:
            raise InputError(str(error).replace(str(path), name.name)) from None


class LimitedBody:
    """Middleware that turns away what is too large before a byte of it is read."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """The answer; 413 where more is announced than an upload may have."""
        announced = request.META.get("CONTENT_LENGTH") or "0"
        if announced.isdecimal() and int(announced) > LARGEST + FORM:
            words = _("At most %(most)d MB at once; split the file into parts.") % {"most": LARGEST >> 20}
            return error_page(request, 413, _("Too large"), words)
        return self.get_response(request)
