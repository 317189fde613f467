"""Choosing the language of the studio's own words, and light or dark colours."""

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.views.i18n import set_language

from mores.studio.web.access import for_everybody

SCHEMES = ("light", "dark")
YEAR = 365 * 24 * 3600


@for_everybody
def choose(request: HttpRequest) -> HttpResponseBase:
    """Keep both in cookies, and go back to where they were chosen; any other colours are the device's."""
    answer = set_language(request)
    if request.POST.get("scheme") in SCHEMES:
        secure = settings.SESSION_COOKIE_SECURE
        answer.set_cookie("scheme", request.POST["scheme"], max_age=YEAR, samesite="Lax", httponly=True, secure=secure)
    elif request.method == "POST":
        answer.delete_cookie("scheme", samesite="Lax")
    return answer
