"""Who asks, read at once: the session, and then the account with what it may do in a project.

Every answer begins with these two; put together by models they would take longer than storing it.
"""

from typing import Any

from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore as Stored
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from mores.studio.models import Membership
from mores.studio.work.transactions import by_hand, stored_time

_SESSION = "SELECT session_data FROM django_session WHERE session_key = %s AND expire_date > %s"


class SessionStore(Stored):
    """Sessions in the database, as Django has them."""

    def load(self) -> dict[str, Any]:
        """What is kept in the session; nothing, and another key, where it has ended."""
        for (kept,) in by_hand(_SESSION, self.session_key, stored_time(timezone.now())):
            found: dict[str, Any] = self.decode(kept)
            return found
        self._session_key = None
        return {}


def members(request: HttpRequest, slug: str) -> list[Membership]:
    """The roles in a project of who signed in, each with the project; none where they have none, or nobody signed in.

    The account comes with them, so that it is not read apart.
    """
    number, key = request.session.get(SESSION_KEY), request.session.get(HASH_SESSION_KEY, "")
    if number is None:
        return []
    roles = Membership.objects.filter(account=number, account__is_active=True, project__slug=slug)
    found = list(roles.select_related("project", "account"))
    # As Django does it: a session ends with the password that it began with.
    if not found or not constant_time_compare(key, found[0].account.get_session_auth_hash()):
        return []
    request.user = found[0].account
    return found
