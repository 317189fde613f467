"""The forms by which people get in."""

from typing import Any, ClassVar

from django import forms
from django.contrib.auth.password_validation import validate_password
from django.utils.translation import gettext_lazy as _

from mores.studio.accounts.screening import ScreeningFacts, consent_version
from mores.studio.flows.fields import cleaned
from mores.studio.models import Account, Project
from mores.studio.place_names import country_choices, part_choices

AGE_BANDS = ("18-29", "30-39", "40-49", "50-59", "60-69", "70+")
REST = [("", _("I'd rather not say"))]


class NewPasswordForm(forms.Form):
    """A password that somebody chooses."""

    password = forms.CharField(
        label=_("New password"),
        help_text=_("At least 10 characters."),
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    def clean_password(self) -> str:
        """The password, if it cannot be guessed at once."""
        password: str = self.cleaned_data["password"]
        validate_password(password)
        return password


class OwnPasswordForm(NewPasswordForm):
    """Another password, by whoever knows the one before."""

    old = forms.CharField(
        label=_("Password until now"), widget=forms.PasswordInput(attrs={"autocomplete": "current-password"})
    )
    field_order = ("old", "password")

    def __init__(self, data: Any = None, *, account: Account) -> None:
        self.account = account
        super().__init__(data)

    def clean_old(self) -> str:
        """The password until now."""
        old: str = self.cleaned_data["old"]
        if not self.account.check_password(old):
            raise forms.ValidationError(_("This is not your password."))
        return old


class AccountForm(NewPasswordForm):
    """A new account: a name and a password."""

    name = forms.CharField(label=_("Name"), max_length=80, widget=forms.TextInput(attrs={"autocomplete": "username"}))
    field_order = ("name", "password")

    def clean_name(self) -> str:
        """The name, if nobody has it."""
        name = cleaned(self.cleaned_data["name"])
        if ":" in name:  # names of people who come from elsewhere have one
            raise forms.ValidationError(_("A name has no colon; choose another."))
        # The database tells capitals apart; people do not, and nobody is to pass for somebody else by one.
        if Account.objects.filter(name__iexact=name).exists():
            raise forms.ValidationError(_("Somebody has this name already; choose another."))
        return name


class ScreeningForm(forms.Form):
    """Answers of a person before work, and consent to the newest words there are."""

    nationality = forms.ChoiceField(label=_("Nationality"), choices=country_choices)
    residence = forms.ChoiceField(label=_("Where you mostly lived before you were 18"), choices=country_choices)
    group = forms.ChoiceField(
        label=_("Part of the country, where it is one of these"),
        choices=part_choices,
        required=False,
    )
    age_band = forms.ChoiceField(label=_("Age"), choices=[*REST, *((band, band) for band in AGE_BANDS)], required=False)
    gender = forms.ChoiceField(
        label=_("Gender"),
        choices=[*REST, ("female", _("female")), ("male", _("male")), ("other", _("another"))],
        required=False,
    )
    student = forms.ChoiceField(label=_("Student"), choices=[*REST, ("yes", _("yes")), ("no", _("no"))], required=False)
    consent = forms.BooleanField(label=_("I have read this and agree to take part."))
    optional: ClassVar[tuple[str, ...]] = ("age_band", "gender", "student")

    def __init__(self, data: Any = None, *, project: Project) -> None:
        self.version = consent_version(project) or ""
        super().__init__(data)
        own = [(group.code, group.name) for group in project.groups.order_by("name")]
        if own:
            self.fields["group"] = forms.ChoiceField(
                label=_("Group, where you belong to one of these"), choices=[("", "—"), *own], required=False
            )

    def clean(self) -> dict[str, Any]:
        """Answers of somebody who read the newest words."""
        # Consent is to the words that were shown: a newer version may have been published while the form was open.
        if self.data.get("read", "") != str(self.version):
            raise forms.ValidationError(_("These words have changed; read them again."))
        return super().clean() or self.cleaned_data

    def facts(self) -> ScreeningFacts:
        """The answers."""
        answers: dict[str, Any] = self.cleaned_data
        return ScreeningFacts(
            nationality=answers["nationality"],
            residence_before_18=answers["residence"],
            group=answers["group"],
            **{name: answers[name] for name in self.optional},
        )
