"""Forms of those who run a project."""

import re
from collections.abc import Iterable
from typing import Any, ClassVar

from django import forms
from django.core.validators import RegexValidator
from django.db.models import Q, QuerySet
from django.utils.text import slugify
from django.utils.translation import gettext_lazy as _

from mores.studio.flows.feeding import NoFeeding, refused
from mores.studio.flows.flow import flows
from mores.studio.models import Account, GuidelineKind, Participant, Project, Role
from mores.studio.place_names import region_choices


class FeedingField(forms.ModelChoiceField):  # type: ignore[type-arg]
    """Project that what is kept goes on to: one of somebody's own, or the one that it is, whoever it is of."""

    owned: frozenset[int] = frozenset()

    def offer(self, project: Project, owned: QuerySet[Project], fits: Iterable[int]) -> None:
        """Offer those of somebody's own that fit."""
        self.owned = frozenset(owned.values_list("pk", flat=True))
        self.queryset = Project.objects.filter(Q(pk__in=fits) | Q(pk=project.feeds_id))

    def label_from_instance(self, obj: Project) -> str:
        """Its name; that of others' projects is not told."""
        return obj.name if obj.pk in self.owned else str(_("a project of other owners"))


def check_feeding(project: Project, onward: Project | None) -> None:
    """Refuse what cannot be fed.

    Raises:
        ValidationError: the flow there cannot read what is kept here, or projects would feed each other in a ring.
    """
    match None if onward is None else refused(project, onward):
        case NoFeeding.FLOW:
            raise forms.ValidationError({"feeds": _("What is kept here cannot be read there; choose another project.")})
        case NoFeeding.RING:
            raise forms.ValidationError({"feeds": _("These projects would feed one another in a ring.")})


def owned_by(account: Account) -> QuerySet[Project]:
    """The projects of which somebody is an owner."""
    return Project.objects.filter(memberships__account=account, memberships__role=Role.OWNER)


MOST_MINUTES = 365 * 24 * 60
"""Minutes that an item can be held: a longer time has no end that a database can store."""


def minutes_field() -> forms.IntegerField:
    """Minutes that an item is held."""
    label = _("Minutes that an item is held for somebody")
    return forms.IntegerField(label=label, min_value=1, max_value=MOST_MINUTES, initial=60)


class ProjectForm(forms.ModelForm):  # type: ignore[type-arg]
    """A new project."""

    lease_minutes = minutes_field()
    feeds = FeedingField(label=_("What is kept goes on to"), queryset=Project.objects.none(), required=False)

    flow = forms.ChoiceField(label=_("Flow"), choices=lambda: [(flow.name, flow.title) for flow in flows().values()])

    class Meta:
        model = Project
        fields: ClassVar = ["name", "flow", "quota", "lease_minutes", "language", "feeds"]
        labels: ClassVar = {
            "name": _("Name"),
            "quota": _("Answers per item"),
            "language": _("Language of the items"),
            "feeds": _("What is kept goes on to"),
        }
        help_texts: ClassVar = {"language": "", "quota": ""}

    def __init__(self, *args: Any, owned: QuerySet[Project], **words: Any) -> None:
        super().__init__(*args, **words)
        readers = {name for flow in flows().values() for name in flow.forwards_to}
        fits = owned.filter(flow__in=readers).values_list("pk", flat=True)
        self.fields["feeds"].offer(self.instance, owned, fits)  # type: ignore[attr-defined]

    def clean_language(self) -> str:
        """The code of a language."""
        return clean_language(self)

    def clean_quota(self) -> int:
        """At least one answer."""
        return max(1, int(self.cleaned_data["quota"]))

    def clean(self) -> dict[str, Any]:
        """With an address that no other project has."""
        values = super().clean() or self.cleaned_data
        if "flow" in values:
            check_feeding(Project(flow=values["flow"]), values.get("feeds"))
        self.instance.slug = free_slug(values.get("name", ""))
        return values


def free_slug(name: str) -> str:
    """The address that a project of this name gets, which no other has."""
    base = slugify(name)[:50] or "project"
    taken = set(Project.objects.filter(slug__startswith=base).values_list("slug", flat=True))
    numbered = (base if number == 1 else f"{base}-{number}" for number in range(1, len(taken) + 2))
    return next(slug for slug in numbered if slug not in taken)


class DesignForm(forms.Form):
    """A design's file."""

    file = forms.FileField(label=_("A design's file (TOML)"), allow_empty_file=False, max_length=200)


def without_name(words: str, person: Participant) -> str:
    """Words about somebody in which their name does not stand.

    Raises:
        ValidationError: it does, or the id that a platform knows them by.
    """
    # Where a name is a number or a letter or two, other words have it, too.
    names = [each for each in (person.account.name, person.ext_id) if len(each) > 2 and not each.isdecimal()]
    if any(re.search(rf"(?<!\w){re.escape(each)}(?!\w)", words, re.IGNORECASE) for each in names):
        raise forms.ValidationError(
            _("Say it without their name or id: what is written here stays when they withdraw."), code="name"
        )
    return words


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
    text = forms.CharField(
        label=_("Words"), max_length=20_000, widget=forms.Textarea(attrs={"rows": 12, "dir": "auto"})
    )


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
