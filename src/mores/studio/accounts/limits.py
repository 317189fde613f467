"""Limits of signing in: wrong passwords are counted by name and address, by address over names, and by name.

django-axes counts them; it is told no name, but what a name looks like, and keeps nothing of those who sign in.
"""

from collections.abc import Mapping
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from axes.handlers.database import AxesDatabaseHandler
from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.conf import settings
from django.db.models import Sum
from django.http import HttpRequest, HttpResponse

from mores.studio.models import Account
from mores.studio.models.lookalikes import lookalike_keys

LIMITS = {("username", "ip_address"): 10, ("ip_address",): 50, ("username",): 100}
"""Wrong passwords in a quarter of an hour.

Many people may share an address, and anybody can send wrong passwords for a name, so that these two are higher.
"""
COMMON = 100
"""Measure that the three are brought to, as django-axes has one limit."""
NETWORK = 64  # bits of an IPv6 address that a household has to itself


KNOWN = "known"
YEAR = 365 * 24 * 3600


class SignInLimits(AxesDatabaseHandler):  # type: ignore[misc]
    """Counts of wrong passwords, each as a share of its own limit."""

    def get_failures(self, request: HttpRequest, credentials: Mapping[str, str] | None = None) -> int:
        """The share of a limit that is used up, of the most used one, in hundredths."""
        counted = dict(zip(LIMITS, self.get_user_attempts(request, credentials), strict=True))
        # Wrong passwords from elsewhere keep nobody out of the browser at which they signed in before.
        if request.get_signed_cookie(KNOWN, default="", max_age=YEAR) == name_counted(request, credentials):
            del counted["username",]
        return max(
            COMMON * (attempts.aggregate(n=Sum("failures_since_start"))["n"] or 0) // LIMITS[by]
            for by, attempts in counted.items()
        )


def know_browser(response: HttpResponse, account: Account) -> None:
    """Let a browser be known as one at which somebody signed in."""
    secure = settings.SESSION_COOKIE_SECURE
    response.set_signed_cookie(KNOWN, account.looks_small, max_age=YEAR, httponly=True, samesite="Lax", secure=secure)


def name_counted(request: HttpRequest, credentials: Mapping[str, str] | None = None) -> str:
    """Key of a typed name: all spellings that lead to one account count as one."""
    typed = (credentials or {}).get("username") or request.POST.get("username") or ""
    return lookalike_keys(typed).small


def address_counted(request: HttpRequest) -> str:
    """Address that a request comes from, as the last proxy tells that is trusted; of IPv6 the network.

    A proxy adds the address that it was asked from at the end of `X-Forwarded-For`; what stands before what a trusted
    one added, anybody may have written.
    """
    came: str = request.META.get("REMOTE_ADDR", "")
    hops = [each.strip() for each in request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")]
    while hops and _trusted(came) and _read(hops[-1]) is not None:
        came = hops.pop()
    found = _read(came)
    if isinstance(found, IPv6Address):
        found = ip_network((found, NETWORK), strict=False).network_address
    return str(found or "0.0.0.0")  # noqa: S104 - no address to listen on: a socket of the machine has none


def _trusted(address: str) -> bool:
    found = _read(address)
    return found is None or any(found in proxy for proxy in settings.STUDIO_PROXIES)


def _read(address: str) -> IPv4Address | IPv6Address | None:
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return None
    return getattr(found, "ipv4_mapped", None) or found


def shown_of_client(_name: str, address: str, *_rest: object) -> str:
    """Words by which the log tells of a sign-in: its address, and no name."""
    return f"somebody at {address}"


def forget_sign_ins(account: Account) -> None:
    """Delete what is kept of somebody's sign-ins."""
    for kept in (AccessAttempt, AccessFailureLog, AccessLog):
        kept.objects.filter(username__in=(account.name, account.looks_small)).delete()
