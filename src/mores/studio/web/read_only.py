"""Django's admin, to read: accounts, projects, items, responses and events, for owners of the studio alone.

It takes GET and nothing else, so that nothing can be changed through it, whatever its pages offer.
"""

from functools import wraps
from typing import Any

from django.contrib.admin import AdminSite, ModelAdmin
from django.http import HttpRequest
from django.urls import path
from django.utils.translation import gettext_lazy as _
from django.utils.translation import override

from mores.studio.models import Account, AuditEvent, Project, Response, WorkItem
from mores.studio.web.access import for_owner, methods


class ReadOnlySite(AdminSite):
    """The admin without its own sign-in, and without whatever changes something."""

    site_title = site_header = _("All tables, to read")
    index_title = _("Tables")
    enable_nav_sidebar = False
    index_template = "admin/tables.html"

    def has_permission(self, request: HttpRequest) -> bool:
        """True for owners of the studio."""
        return request.user.is_active and getattr(request.user, "is_owner", False)

    def get_urls(self) -> list[Any]:
        """The first page, and of each table its rows and one row."""
        found = [
            path("", _guarded(self.index), name="index"),
            path("words", _guarded(self.i18n_javascript), name="jsi18n"),
            path("studio/", _guarded(self.app_index), {"app_label": "studio"}, name="app_list"),
        ]
        for model, rows in self._registry.items():
            base, name = f"{model._meta.model_name}/", f"{model._meta.app_label}_{model._meta.model_name}"
            found.append(path(base, _guarded(rows.changelist_view), name=f"{name}_changelist"))
            found.append(path(f"{base}<int:object_id>", _guarded(_one(rows)), name=f"{name}_change"))
        return found


def _guarded(view: Any) -> Any:
    return for_owner(methods("GET")(_in_english(view)))


def _in_english(view: Any) -> Any:
    """The view in English throughout, as tables and columns are named in it: a page has one language and direction."""

    @wraps(view)
    def shown(request: HttpRequest, *args: Any, **words: Any) -> Any:
        with override("en"):
            response = view(request, *args, **words)
            return response.render() if hasattr(response, "render") else response

    return shown


def _one(rows: "ModelAdmin[Any]") -> Any:
    return lambda request, object_id: rows.change_view(request, str(object_id))


class ReadOnly(ModelAdmin):  # type: ignore[type-arg]
    """A table that can be read, and no more."""

    list_per_page = 50
    show_full_result_count = False
    actions = None
    sortable_by = ()

    def has_view_permission(self, request: HttpRequest, obj: object = None) -> bool:  # noqa: ARG002 - Django's shape
        """Everybody who came here may read."""
        return True

    def has_module_permission(self, request: HttpRequest) -> bool:  # noqa: ARG002 - Django's shape
        """Everybody who came here sees the table."""
        return True

    def _never(self, request: HttpRequest, obj: object = None) -> bool:  # noqa: ARG002 - Django's shape
        return False

    has_add_permission = has_change_permission = has_delete_permission = _never


class AccountRows(ReadOnly):
    """Accounts, without their passwords."""

    list_display = ("name", "is_owner", "is_active", "made_at")
    fields = ("name", "is_owner", "is_active", "made_at", "last_login")
    list_filter = ("is_owner", "is_active")
    search_fields = ("name",)


class ProjectRows(ReadOnly):
    """Projects."""

    list_display = ("slug", "name", "flow", "state", "made_at")
    search_fields = ("slug", "name")


class ItemRows(ReadOnly):
    """Items; what is sealed is not shown."""

    list_display = ("key", "project", "kind", "state", "region", "done", "quota", "made_at")
    list_filter = ("state", "kind", "project")
    list_select_related = ("project",)
    search_fields = ("key",)


class ResponseRows(ReadOnly):
    """Answers, each by the number of who gave it."""

    list_display = ("id", "item", "person", "version", "answer", "active_ms", "at")
    fields = ("item", "person", "version", "answer", "active_ms", "at")
    readonly_fields = ("item", "person")
    list_filter = ("assignment__project",)
    list_select_related = ("assignment__item",)
    search_fields = ("assignment__item__key",)

    def item(self, response: Response) -> str:
        """Id of the item."""
        return response.assignment.item.key

    def person(self, response: Response) -> str:
        """Number of the person, as exports have it."""
        return f"p{response.assignment.participant_id}"


class EventRows(ReadOnly):
    """Events of the audit trail."""

    list_display = ("chain", "number", "what", "who", "about", "at")
    list_filter = ("what",)
    list_select_related = ("who",)
    search_fields = ("what",)


SITE = ReadOnlySite(name="admin")
SITE.register(Account, AccountRows)
SITE.register(Project, ProjectRows)
SITE.register(WorkItem, ItemRows)
SITE.register(Response, ResponseRows)
SITE.register(AuditEvent, EventRows)
