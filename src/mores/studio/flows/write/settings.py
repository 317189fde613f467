"""Choices of a project in which questions are written, and the form in which its owner makes them."""

import hashlib
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import msgspec
from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from mores.core.codec import build
from mores.core.errors import InputError
from mores.studio.help.prompts import HELPER, VERIFIER, strategies
from mores.studio.models import Participant, Project


class Offered(StrEnum):
    """Help of models that a writer is offered; `random` draws one of the first two for each writer."""

    ALL = "all"
    VERIFIER = "verifier"
    NONE = "none"
    RANDOM = "random"

    @property
    def roles(self) -> frozenset[str]:
        """The models that may be asked."""
        return frozenset({Offered.ALL: {HELPER, VERIFIER}, Offered.VERIFIER: {VERIFIER}}.get(self, set()))


class OwnStrategy(msgspec.Struct, frozen=True, kw_only=True):
    """A way to revise a question that the project adds: the words on its button, and what the model is told."""

    title: str
    instruction: str


class WritingSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Choices of a project.

    Attributes:
        per_writer: Questions that it takes from one writer; 0: any number.
        per_writer_least: Questions that it asks of one writer; the closing survey follows them.
        help: Help that writers are offered.
        strategies: Names of the studio's ways to revise that are offered; None for all.
        own_strategies: Ways that the project adds.
        survey: True where writers are asked at the end how it went.
        survey_questions: Questions that the project adds to the survey.
    """

    per_writer: int = 0
    per_writer_least: int = 0
    help: Offered = Offered.ALL
    strategies: tuple[str, ...] | None = None
    own_strategies: tuple[OwnStrategy, ...] = ()
    survey: bool = False
    survey_questions: tuple[str, ...] = ()

    def offered_to(self, person: Participant) -> Offered:
        """The help that one writer is offered, always the same."""
        if self.help != Offered.RANDOM:
            return self.help
        number = hashlib.sha256(f"help {person.project_id} {person.pk}".encode()).digest()[0]
        return Offered.VERIFIER if number % 2 else Offered.ALL

    def ways(self) -> dict[str, dict[str, str]]:
        """Title of each way to revise that is offered, and of the project's own its instruction, by name."""
        names = strategies() if self.strategies is None else self.strategies
        studio = {name: {"title": way["title"]} for name, way in strategies().items() if name in names}
        return studio | {
            each.title: {"title": each.title, "instruction": each.instruction} for each in self.own_strategies
        }


def writing_settings(project: Project) -> WritingSettings:
    """The choices of a project; those that cannot be read are as by default."""
    known = {name: project.settings[name] for name in WritingSettings.__struct_fields__ if name in project.settings}
    try:
        return build(WritingSettings, known, where=project.slug)
    except InputError:
        return WritingSettings()


def check_writing(settings: Mapping[str, object], _questions: object) -> None:
    """Refuse choices that cannot be read.

    Raises:
        InputError: there is no such choice, or it has another kind of value.
    """
    build(WritingSettings, dict(settings), where="settings")


TITLE = 60
"""Characters of a button."""


class WritingForm(forms.Form):
    """The choices as fields; what is cleaned is what a project stores."""

    per_writer_least = forms.IntegerField(
        label=gettext_lazy("Questions asked of each writer, at least"),
        min_value=1,
        required=False,
    )
    per_writer = forms.IntegerField(
        label=gettext_lazy("Questions taken from one writer, at most (empty: any number)"),
        min_value=1,
        required=False,
    )
    help = forms.ChoiceField(
        label=gettext_lazy("Help of models"),
        choices=(
            (Offered.ALL, gettext_lazy("ideas, drafts, revisions, and a model that answers")),
            (Offered.VERIFIER, gettext_lazy("only a model that answers")),
            (Offered.NONE, gettext_lazy("none")),
            (Offered.RANDOM, gettext_lazy("by lot, for each writer: all of it, or only a model that answers")),
        ),
    )
    strategies = forms.MultipleChoiceField(
        label=gettext_lazy("Ways to make a question harder"), required=False, widget=forms.CheckboxSelectMultiple
    )
    own_strategies = forms.CharField(
        label=gettext_lazy("Ways of your own"), required=False, max_length=10_000,
        help_text=gettext_lazy("One a line: the words on the button, a colon, and what the model is told to do."),
        widget=forms.Textarea(attrs={"rows": 3}),
    )  # fmt: skip
    survey = forms.BooleanField(label=gettext_lazy("Ask writers at the end how it went"), required=False)
    survey_questions = forms.CharField(
        label=gettext_lazy("Questions of your own to them, one a line"), required=False, max_length=5_000,
        help_text=gettext_lazy("Each is answered from 1, not at all, to 5, very much."),
        widget=forms.Textarea(attrs={"rows": 3}),
    )  # fmt: skip

    def __init__(self, data: Any = None, *, project: Project, prefix: str) -> None:
        now = writing_settings(project)
        super().__init__(data, prefix=prefix, initial={
            "per_writer": now.per_writer or None,
            "per_writer_least": now.per_writer_least or None,
            "help": now.help,
            "strategies": list(strategies() if now.strategies is None else now.strategies),
            "own_strategies": "\n".join(f"{each.title}: {each.instruction}" for each in now.own_strategies),
            "survey": now.survey,
            "survey_questions": "\n".join(now.survey_questions),
        })  # fmt: skip
        titles = [(name, _(way["title"])) for name, way in strategies().items()]
        self.fields["strategies"].choices = titles  # type: ignore[attr-defined]

    def clean_per_writer(self) -> int:
        """No fewer than are asked."""
        most, least = self.cleaned_data["per_writer"] or 0, self.cleaned_data.get("per_writer_least", 0)
        if most and most < least:
            raise forms.ValidationError(_("Expected no fewer than are asked of each writer."))
        return most

    def clean_per_writer_least(self) -> int:
        """A number."""
        return self.cleaned_data["per_writer_least"] or 0

    def clean_own_strategies(self) -> list[dict[str, str]]:
        """Titles that differ from all others, each with an instruction."""
        found: dict[str, str] = {}
        for line in _lines(self.cleaned_data["own_strategies"]):
            title, _sign, instruction = (part.strip() for part in line.partition(":"))
            if not title or not instruction or len(title) > TITLE:
                problem = _("“%(line)s”: expected a title of at most %(most)d characters, a colon, and what to do.")
                raise forms.ValidationError(problem % {"line": line[:TITLE], "most": TITLE})
            if title in {*found, *strategies()}:
                raise forms.ValidationError(_("“%(title)s” stands twice.") % {"title": title})
            found[title] = instruction
        return [{"title": title, "instruction": instruction} for title, instruction in found.items()]

    def clean_survey_questions(self) -> list[str]:
        """Each once."""
        return list(dict.fromkeys(_lines(self.cleaned_data["survey_questions"])))


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]
