"""The studio as a WSGI application; `settings.configure` comes first."""

import io
from collections.abc import Callable, Iterable
from pathlib import Path
from threading import Semaphore
from typing import Any

from django.conf import settings
from django.contrib import admin
from django.core.wsgi import get_wsgi_application
from whitenoise import WhiteNoise

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]
AT_ONCE = 3
"""Requests that a process works on at a time.

Python's threads take turns every 5 ms: with more, one in the middle of its transaction waits for all others, and those
who wait for the database wait for it (300 people on SQLite, busy cores: p95 707 to 2,771 ms with 16 at a time, 103
with 3).
"""
SMALL = 1 << 20
"""Bytes of a body that are read before its request takes its turn, so that a slow network holds nobody up."""


def application() -> Application:
    """The studio's pages, and its static files before them."""
    pages = WhiteNoise(_few_at_once(get_wsgi_application()), root=settings.STATIC_ROOT, prefix="static", max_age=3600)
    pages.add_files(str(Path(admin.__file__).parent / "static"), prefix="static")
    served: Application = pages
    return served


def _few_at_once(pages: Application) -> Application:
    """The pages, each begun when its request is all here; what is larger than a form, as uploads are, takes no turn."""
    turns = Semaphore(AT_ONCE)

    def answer(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        announced = environ.get("CONTENT_LENGTH") or "0"
        if not announced.isdecimal() or int(announced) > SMALL:
            return pages(environ, start_response)
        environ["wsgi.input"] = io.BytesIO(environ["wsgi.input"].read(int(announced)))
        with turns:
            return pages(environ, start_response)

    return answer
