"""A page, or what stands in its middle, for a script that holds the rest of it already."""

from collections.abc import Mapping

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

ASKED = "X-Part"


def page_or_part(
    request: HttpRequest, template: str, values: Mapping[str, object], *, place: str, status: int = 200
) -> HttpResponse:
    """The page; where a script asks for its middle, only that, with the address that it has in `Content-Location`."""
    if ASKED not in request.headers:
        return render(request, template, {**values, "frame": "base.html"}, status=status)
    part = render(request, template, {**values, "frame": "part.html"}, status=status)
    part.headers["Content-Location"] = place
    return part
