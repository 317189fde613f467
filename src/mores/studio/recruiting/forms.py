"""Forms about studies and their submissions."""

import secrets
from typing import Any, ClassVar

from django import forms
from django.utils.translation import gettext_lazy as _

from mores.core.codec import encode
from mores.core.errors import InputError
from mores.studio.models import ProlificStudy
from mores.studio.place_names import region_choices
from mores.studio.recruiting.submissions import RETURNED, TIMED_OUT
from mores.studio.recruiting.tokens import read_keys

CODES = ("code_done", "code_screened_out", "code_declined", "code_late")


class StudyForm(forms.ModelForm):  # type: ignore[type-arg]
    """A study on Prolific; codes are made where none is given, and have to differ."""

    study_id = forms.RegexField(r"^[0-9A-Za-z_-]{6,64}$", label=_("Id of the study on Prolific"))
    region = forms.ChoiceField(label=_("Region"), choices=region_choices, required=False)
    keys = forms.CharField(
        label=_("Key set of signed links"),
        help_text=_("As at https://api.prolific.com/.well-known/study/jwks.json; empty: links are not signed."),
        required=False,
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false"}),
    )
    hook_secret = forms.CharField(
        label=_("Secret of the hook"), required=False, max_length=200,
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}, render_value=False),
    )  # fmt: skip

    class Meta:
        model = ProlificStudy
        fields: ClassVar = [
            "study_id", "region", "answers", "reward", "screen_out_reward", "currency", *CODES, "keys", "hook_secret",
        ]  # fmt: skip
        labels: ClassVar = {
            "answers": _("Answers in one submission"),
            "reward": _("Reward"),
            "screen_out_reward": _("Reward for people who are screened out or come late"),
            "currency": _("Currency"),
            "code_done": _("Code: done"),
            "code_screened_out": _("Code: screened out"),
            "code_declined": _("Code: no consent"),
            "code_late": _("Code: came late, paid as screened out"),
        }
        help_texts: ClassVar = {"answers": ""}

    def __init__(self, *args: Any, **words: Any) -> None:
        super().__init__(*args, **words)
        if self.instance.pk is None:
            self.initial.update({name: secrets.token_hex(4).upper() for name in CODES})
        else:
            keys = self.instance.keys
            self.initial.update({"keys": encode({"keys": keys}).decode() if keys else "", "hook_secret": ""})
        for name in ("reward", "screen_out_reward", "answers"):
            self.fields[name].widget.attrs["min"] = 0

    def clean_keys(self) -> list[dict[str, str]]:
        """The keys, or none."""
        text: str = self.cleaned_data["keys"]
        try:
            return read_keys(text) if text.strip() else []
        except InputError as error:
            raise forms.ValidationError(str(error)) from None

    def clean_hook_secret(self) -> str:
        """The secret; nothing keeps the one before, which no page ever shows."""
        secret: str = self.cleaned_data["hook_secret"]
        return secret or self.instance.hook_secret

    def clean(self) -> dict[str, Any]:
        """With codes that differ, and rewards of nothing or more."""
        values = super().clean() or self.cleaned_data
        if len({values.get(name) for name in CODES}) < len(CODES):
            self.add_error("code_late", _("Each code has to differ from the others."))
        for name in ("reward", "screen_out_reward"):
            if (values.get(name) or 0) < 0:
                self.add_error(name, _("Expected nothing, or more."))
        return values


class SubmissionsForm(forms.Form):
    """The table of submissions that Prolific hands out."""

    file = forms.FileField(label=_("Submissions (CSV of Prolific)"), allow_empty_file=False, max_length=200)


class EndForm(forms.Form):
    """End of somebody's submission, told by hand."""

    status = forms.ChoiceField(label=_("Submission"), choices=[(RETURNED, _("returned")), (TIMED_OUT, _("timed out"))])
