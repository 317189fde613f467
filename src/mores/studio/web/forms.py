"""Forms of those who run a project."""

from typing import Any, ClassVar

from django import forms
from django.core.validators import RegexValidator
from django.utils.text import slugify
from django.utils.translation import gettext_lazy as _

from mores.studio.flows.flow import flows
from mores.studio.models import GuidelineKind, Project, Role
from mores.studio.place_names import region_choices


class ProjectForm(forms.ModelForm):  # type: ignore[type-arg]
    """A new project."""

    flow = forms.ChoiceField(label=_("Flow"), choices=lambda: [(flow.name, flow.title) for flow in flows().values()])

    class Meta:
        model = Project
        fields: ClassVar = ["name", "flow", "quota", "lease_minutes", "language", "feeds"]
        labels: ClassVar = {
            "name": _("Name"),
            "quota": _("Answers per item"),
            "lease_minutes": _("Minutes that an item is held for somebody"),
            "language": _("Language of the items"),
            "feeds": _("What is kept goes on to"),
        }
        help_texts: ClassVar = {"language": "", "quota": ""}

    def clean_language(self) -> str:
        """The code of a language."""
        return clean_language(self)

    def clean_quota(self) -> int:
        """At least one answer."""
        return max(1, int(self.cleaned_data["quota"]))

    def clean(self) -> dict[str, Any]:
        """With an address that no other project has."""
        values = super().clean() or self.cleaned_data
        self.instance.slug = free_slug(values.get("name", ""))
        return values


def free_slug(name: str) -> str:
    """The address that a project of this name gets, which no other has."""
    base = slugify(name)[:50] or "project"
    taken = set(Project.objects.filter(slug__startswith=base).values_list("slug", flat=True))
    numbered = (base if number == 1 else f"{base}-{number}" for number in range(1, len(taken) + 2))
    return next(slug for slug in numbered if slug not in taken)


BCP_47 = RegexValidator(
    r"^[A-Za-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?$",
    _("Expected the code of a language (BCP 47), such as en, ar, pt-BR or zh-Hant."),
)


def clean_language(form: "forms.ModelForm[Project]") -> str:
    """Code of a language.

    Raises:
        ValidationError: it is none.
    """
    code = str(form.cleaned_data["language"]).strip()
    BCP_47(code)
    return code


class StateForm(forms.ModelForm):  # type: ignore[type-arg]
    """State of a project."""

    class Meta:
        model = Project
        fields: ClassVar = ["state"]
        labels: ClassVar = {"state": _("State")}


class GuidelineForm(forms.Form):
    """The next version of the words that people read."""

    kind = forms.ChoiceField(label=_("For"), choices=GuidelineKind.choices)
    text = forms.CharField(label=_("Words"), max_length=20_000, widget=forms.Textarea(attrs={"rows": 12}))


class InviteForm(forms.Form):
    """A link that lets people in."""

    role = forms.ChoiceField(label=_("Role"), choices=Role.choices, initial=Role.ANNOTATOR)
    uses = forms.IntegerField(label=_("People"), min_value=1, max_value=10_000, initial=1)
    hours = forms.IntegerField(label=_("Hours until it ends"), min_value=1, max_value=24 * 365, initial=24 * 7)
    region = forms.ChoiceField(label=_("Region"), choices=region_choices, required=False)


class ImportForm(forms.Form):
    """A file of items."""

    file = forms.FileField(label=_("File (CSV or JSON Lines)"), allow_empty_file=False, max_length=200)

    key = forms.FileField(
        label=_("Its key, if there is one: what nobody who answers is shown"), max_length=200, required=False
    )
    sample = forms.IntegerField(
        label=_("Take in so many questions or scenarios, every place its share (empty: all)"),
        min_value=1, max_value=1_000_000, required=False,
    )  # fmt: skip
