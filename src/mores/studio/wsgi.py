"""The studio as a WSGI application; `settings.configure` comes first."""

from collections.abc import Callable, Iterable
from typing import Any

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from whitenoise import WhiteNoise

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


def application() -> Application:
    """The studio's pages, and its static files before them."""
    pages: Application = WhiteNoise(get_wsgi_application(), root=settings.STATIC_ROOT, prefix="static", max_age=3600)
    return pages
