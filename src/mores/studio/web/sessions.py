"""Who asks, read at once: the session, and then the account with what it may do in a project.

Every answer begins with these two; composed by models they would take longer than storing it.
"""

from functools import cache
from typing import Any, NamedTuple

from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore as Stored
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from mores.studio.models import Account, Project, Role
from mores.studio.work.objects import columns_of, object_of, width_of
from mores.studio.work.statements import by_hand, stored_time

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


class Member(NamedTuple):
    """What who signed in may do in a project."""

    project: Project
    roles: frozenset[Role]


def member(request: HttpRequest, slug: str) -> Member | None:
    """The roles of who signed in in a project; None where they have none, or nobody signed in.

    The account comes with them, so that it is not read apart.
    """
    number, key = request.session.get(SESSION_KEY), request.session.get(HASH_SESSION_KEY, "")
    rows = by_hand(_members(), int(number), slug) if number is not None else []
    if not rows:
        return None
    split = 1 + width_of(Account)
    account = object_of(Account, rows[0][1:split])
    # As Django does it: a session ends with the password that it began with.
    if not constant_time_compare(key, account.get_session_auth_hash()):
        return None
    request.user = account
    return Member(object_of(Project, rows[0][split:]), frozenset(Role(role) for role, *_ in rows))


@cache
def _members() -> str:
    """What finds a role, the account and the project."""
    return f"""
SELECT studio_membership.role, {columns_of(Account)}, {columns_of(Project)}
FROM studio_membership JOIN studio_account ON studio_account.id = studio_membership.account_id
JOIN studio_project ON studio_project.id = studio_membership.project_id
WHERE studio_membership.account_id = %s AND studio_project.slug = %s AND studio_account.is_active
"""  # noqa: S608 - names of columns
