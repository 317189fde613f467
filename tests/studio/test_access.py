"""Who may see what: every address with every role, by the table of addresses itself."""

from collections.abc import Iterator

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from mores.studio.accounts.links import join
from mores.studio.models import Account, Role
from mores.studio.web.access import EVERYBODY, OWNER, SIGNED_IN
from tests.studio import made

VALUES = {"slug": "feasts", "number": "1", "token": "none", "name": "answers", "object_id": "1"}
NOBODY, STRANGER, STUDIO_OWNER = "nobody", "stranger", "owner of the studio"
WHO = (NOBODY, STRANGER, STUDIO_OWNER, *Role)


def _patterns(table: list[URLPattern | URLResolver], before: str = "") -> Iterator[tuple[str, URLPattern]]:
    for each in table:
        here = before + str(each.pattern)
        if isinstance(each, URLResolver):
            yield from _patterns(each.url_patterns, here)
        else:
            yield here, each


def _address(route: str) -> str:
    for name, value in VALUES.items():
        for kind in ("slug", "int", "str"):
            route = route.replace(f"<{kind}:{name}>", value)
    return f"/{route}"


TABLE = list(_patterns(get_resolver("mores.studio.urls").url_patterns))


def _may(access: object, who: str) -> bool:
    if access == EVERYBODY or who == NOBODY:
        return access == EVERYBODY
    if access == SIGNED_IN:
        return True
    return who == STUDIO_OWNER if access == OWNER else isinstance(access, frozenset) and who in access


@pytest.mark.parametrize(("route", "pattern"), TABLE, ids=[route or "home" for route, _ in TABLE])
def test_every_page_says_who_may_see_it_and_nobody_else_does(studio: object, route: str, pattern: URLPattern) -> None:
    access = getattr(pattern.callback, "access", None)
    assert access is not None, f"{route}: its view says nobody who may see it"
    project = made.project()
    for who in WHO:
        client = Client()
        if who != NOBODY:
            account = Account.objects.make(who, is_owner=who == STUDIO_OWNER)
            client.force_login(account, backend="django.contrib.auth.backends.ModelBackend")
            if who in set(Role):
                join(project, account, Role(who))
        # HEAD is answered as GET is, and never taken for a form that was sent.
        assert client.head(_address(route)).status_code == client.get(_address(route)).status_code, (who, route)
        for method in (client.get, client.post):
            status = method(_address(route)).status_code
            inside = isinstance(access, frozenset)
            if _may(access, who):
                assert status != 403, (who, route)
            elif who == NOBODY:
                assert status == 302, (who, route)
            else:
                # A project that somebody is no member of is not found.
                assert status == (404 if inside and who in {STRANGER, STUDIO_OWNER} else 403), (who, route)
