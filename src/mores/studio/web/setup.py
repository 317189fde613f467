"""Settings of a project that an owner changes later: its own data, quotas by place, groups, and questions."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any, ClassVar

from django import forms
from django.contrib import messages
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from mores.core.codec import encode, parse_json
from mores.core.errors import InputError
from mores.studio.flows.feeding import lock_feeding, receivers
from mores.studio.flows.flow import flow_named
from mores.studio.flows.labels import WHO, follow_setting
from mores.studio.models import CountrySubgroup, Project, RegionQuota, Role
from mores.studio.place_names import country_choices, region_choices
from mores.studio.web.access import account_of, in_project, methods
from mores.studio.web.forms import FeedingField, ProjectForm, check_feeding, clean_language, minutes_field, owned_by
from mores.studio.work.audit import record
from mores.studio.work.transactions import writing

EMPTY_ROWS = 2
LONGEST = 50_000
RULES = (
    "check_every", "checks_judged", "checks_right", "training_right", "quick_seconds", "quick_run", "same_run",
    "run_excludes", "shuffles",
)  # fmt: skip
"""Fields on whom work is taken from, and how it is shown."""
CODE = {"dir": "ltr", "spellcheck": "false"}
"""Attributes of a field that programs read."""


class SettingsForm(forms.ModelForm):  # type: ignore[type-arg]
    """A project's own data; what stands in JSON is read by its flow."""

    lease_minutes = minutes_field()
    feeds = FeedingField(label=ProjectForm.Meta.labels["feeds"], queryset=Project.objects.none(), required=False)

    questions = forms.CharField(
        label=_("Questions of this project"), required=False, max_length=LONGEST,
        help_text=_("A JSON list, as the flow's page in the manual tells."),
        widget=forms.Textarea(attrs={"rows": 6, **CODE}),
    )  # fmt: skip
    settings = forms.CharField(
        label=_("Settings of the flow"), required=False, max_length=LONGEST,
        help_text=_("A JSON object."), widget=forms.Textarea(attrs={"rows": 4, **CODE}),
    )  # fmt: skip

    class Meta:
        model = Project
        fields: ClassVar = [
            "name",
            "quota",
            "lease_minutes",
            *RULES,
            "language",
            "licence",
            "public",
            "feeds",
            "questions",
            "settings",
        ]
        labels: ClassVar = {
            **ProjectForm.Meta.labels,
            "quota": _("Answers per item, for items to come"),
            "check_every": _("Answers between two attention checks"),
            "checks_judged": _("Newest attention checks by which somebody is judged (0: nobody is excluded)"),
            "checks_right": _("Of these, so many must be right"),
            "training_right": _("Training items that must be right (0: any number; who has fewer is excluded)"),
            "quick_seconds": _("An answer in fewer seconds than this is quick"),
            "quick_run": _("Quick answers in a row that are too many (0: no rule)"),
            "same_run": _("Answers in a row at the same place among the options that are too many (0: no rule)"),
            "run_excludes": _("Too many in a row exclude (else they are flagged to you)"),
            "shuffles": _("Options stand in another order for each person"),
            "licence": _("Licence of what is exported, such as CC-BY-4.0"),
            "public": _("Everybody may read what became of the answers, in numbers"),
        }
        help_texts: ClassVar = dict.fromkeys(("language", "licence", "public", "quota", *RULES), "")

    def __init__(self, *args: Any, owned: Any, named: Collection[str] = (), **words: Any) -> None:
        super().__init__(*args, **words)
        self.initial["questions"] = encode(self.instance.questions).decode()
        # What has fields or a page of its own is not shown as JSON too.
        own = {*named, *flow_named(self.instance.flow).own_settings}
        left = {name: value for name, value in self.instance.settings.items() if name not in own}
        self.initial["settings"] = encode(left).decode()
        self.fields["feeds"].offer(  # type: ignore[attr-defined]
            self.instance, owned, receivers(self.instance, owned)
        )
        self.fields["quota"].widget.attrs["min"] = 1

    def clean_quota(self) -> int:
        """At least one answer."""
        return max(1, int(self.cleaned_data["quota"]))

    def clean(self) -> dict[str, Any]:
        """Questions that the flow can read."""
        values = super().clean() or self.cleaned_data
        if values.get("checks_right", 0) > values.get("checks_judged", 0):
            self.add_error("checks_right", _("Expected no more than are judged."))
        check_feeding(self.instance, values.get("feeds"))
        if "settings" in values and "questions" in values:
            try:
                flow_named(self.instance.flow).check(values["settings"], values["questions"])
            except InputError as error:
                raise forms.ValidationError(str(error)) from None
        return values

    def clean_language(self) -> str:
        """The code of a language."""
        return clean_language(self)

    def clean_questions(self) -> list[object]:
        """A list."""
        found: list[object] = _read(self.cleaned_data["questions"] or "[]", list, _("Expected a JSON list."))
        return found

    def clean_settings(self) -> dict[str, object]:
        """An object; what the flow has a page of its own for stays as it is."""
        found: dict[str, object] = _read(self.cleaned_data["settings"] or "{}", dict, _("Expected a JSON object."))
        own = {name: self.instance.settings.get(name) for name in flow_named(self.instance.flow).own_settings}
        if taken := sorted(found.keys() & own.keys()):
            raise forms.ValidationError(_("'%(name)s' has a page of its own; leave it out.") % {"name": taken[0]})
        return found | {name: value for name, value in own.items() if value is not None}


def _read(text: str, kind: type, problem: Any) -> Any:
    try:
        found = parse_json(text, where="JSON")
    except InputError as error:
        raise forms.ValidationError(str(error)) from None
    if not isinstance(found, kind):
        raise forms.ValidationError(problem)
    return found


class QuotaForm(forms.ModelForm):  # type: ignore[type-arg]
    """Quota of one place."""

    region = forms.ChoiceField(label=_("Region"), choices=region_choices)

    class Meta:
        model = RegionQuota
        fields: ClassVar = ["region", "items", "people"]
        labels: ClassVar = {"items": _("Items"), "people": _("People (empty: any number)")}


class GroupForm(forms.ModelForm):  # type: ignore[type-arg]
    """A finer group within a country."""

    country = forms.ChoiceField(label=_("Country"), choices=country_choices)

    class Meta:
        model = CountrySubgroup
        fields: ClassVar = ["code", "name", "country"]
        labels: ClassVar = {"code": _("Code"), "name": _("Name")}


def _rows(model: Any, form: Any) -> Any:
    return forms.inlineformset_factory(Project, model, form=form, extra=EMPTY_ROWS, max_num=300)


@in_project(Role.OWNER)
@methods("GET", "POST")
def setup(request: HttpRequest, project: Project) -> HttpResponse:
    """Set it all, together or not at all."""
    owned = owned_by(account_of(request)).exclude(pk=project.pk)
    if request.method == "POST":
        with writing() as now:
            lock_feeding()
            parts = _parts(project, request.POST, owned)
            if all([part.is_valid() for part in parts.values()]):  # noqa: C419 - all of them say what is wrong
                try:
                    moved = _save(project, parts, who=account_of(request).pk, at=now)
                except InputError as error:
                    transaction.set_rollback(True)
                    parts["settings"].add_error("settings", str(error))
                else:
                    _tell_moved(request, moved)
                    return redirect("project", slug=project.slug)
    else:
        parts = _parts(project, None, owned)
    words = {"project": project, "parts": parts, "flow": flow_named(project.flow)}
    return render(request, "projects/setup.html", words, status=422 if request.method == "POST" else 200)


def _parts(project: Project, data: QueryDict | None, owned: QuerySet[Project]) -> dict[str, Any]:
    """The forms of the page by name; the flow's own where it has one."""
    shown = Project.objects.get(pk=project.pk)  # a form writes into its project also where it is refused
    flow = flow_named(project.flow)
    own = {} if flow.settings_form is None else {"flow": flow.settings_form(data, project=shown, prefix="flow")}
    named = own["flow"].fields if own else ()
    return {
        "settings": SettingsForm(data, instance=shown, owned=owned, named=named),
        "quotas": _rows(RegionQuota, QuotaForm)(data, instance=shown, prefix="quotas"),
        "groups": _rows(CountrySubgroup, GroupForm)(data, instance=shown, prefix="groups"),
        **own,
    }


def _save(before: Project, parts: Mapping[str, Any], *, who: int, at: datetime) -> int:
    """Store it all; gives how many items are for other people by it."""
    settings, own = parts["settings"], parts.get("flow")
    if own is not None:
        settings.instance.settings = {**settings.cleaned_data["settings"], **own.cleaned_data}
    for name in ("settings", "quotas", "groups"):
        parts[name].save()
    moved = _follow(before, settings.instance)
    about = {"changed": [name for name, part in parts.items() if part.has_changed()]}
    record(before.pk, "setup", about, who=who, at=at)
    return moved


def _follow(before: Project, now: Project) -> int:
    """Items that are for other people by a new setting; the flows in which people label have it."""
    changed = before.settings.get(WHO) != now.settings.get(WHO)
    return follow_setting(now) if changed and flow_named(now.flow).adjudicated else 0


def _tell_moved(request: HttpRequest, moved: int) -> None:
    if moved:
        words = ngettext("%(count)d item is for other people now.", "%(count)d items are for other people now.", moved)
        messages.success(request, words % {"count": moved})
