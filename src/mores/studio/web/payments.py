"""The ledger of a project: read, handed out as CSV, and corrected by further lines."""

import re
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from mores.core.table import sheet_for_people
from mores.studio.models import Participant, Project, Role
from mores.studio.web.access import account_of, in_project, methods
from mores.studio.web.forms import without_name
from mores.studio.web.middleware import LARGEST_NUMBER
from mores.studio.work.ledger import COLUMNS, LONGEST_REASON, LedgerEntry, correct, rows, totals

NEWEST = 500
STATUSES = [("owed", _("owed")), ("paid", _("paid"))]
STATUS_WORDS = dict(STATUSES) | {
    "approved": _("approved"),
    "rejected": _("rejected"),
    "partially-approved": _("approved in part"),
    "screened-out": _("screened out"),
}
"""Statuses in words: those entered here, and those that Prolific tells."""
REASONS = {"done": _("done"), "screened out": _("screened out"), "declined": _("did not consent"), "late": _("late")}
_BY_HAND = re.compile(r"by hand (\d+): (.*)", re.DOTALL)


class LineForm(forms.Form):
    """A line by hand."""

    participant = forms.IntegerField(label=_("Participant, by number"), min_value=1, max_value=LARGEST_NUMBER)
    submission = forms.CharField(label=_("Submission"), max_length=100, required=False)
    status = forms.ChoiceField(label=_("Status"), choices=STATUSES)
    minutes = forms.DecimalField(label=_("Minutes"), min_value=0, max_digits=8, decimal_places=2, initial=0)
    amount = forms.DecimalField(
        label=_("Amount"), help_text=_("Less than nothing takes back."), max_digits=10, decimal_places=2
    )
    currency = forms.RegexField(r"^[A-Z]{3}$", label=_("Currency"), initial="USD", max_length=3)
    reason = forms.CharField(label=_("Reason"), max_length=LONGEST_REASON)

    def __init__(self, data: object = None, *, project: Project) -> None:
        self.project = project
        super().__init__(data)  # type: ignore[arg-type]

    def clean_participant(self) -> Participant:
        """Somebody of this project."""
        found = Participant.objects.filter(project=self.project, pk=self.cleaned_data["participant"]).first()
        if found is None:
            raise forms.ValidationError(_("This project has no such participant."))
        return found

    def clean(self) -> dict[str, Any]:
        """A line whose reason names nobody."""
        values = super().clean() or self.cleaned_data
        if "participant" in values and "reason" in values:
            try:
                without_name(values["reason"], values["participant"])
            except forms.ValidationError as error:
                self.add_error("reason", error)
        return values


@in_project(Role.OWNER)
@methods("GET", "POST")
def payments(request: HttpRequest, project: Project) -> HttpResponse:
    """The newest lines with sums over all of them; POST adds one."""
    form = LineForm(request.POST or None, project=project)
    if request.method == "POST" and form.is_valid():
        values = form.cleaned_data
        correct(values.pop("participant"), LedgerEntry(**values), who=account_of(request).pk)
        return redirect("payments", slug=project.slug)
    every = rows(project)
    words = {
        "project": project,
        "form": form,
        "lines": [
            line | {"status": _status(str(line["status"])), "reason": _reason(str(line["reason"]))}
            for line in every[::-1][:NEWEST]
        ],
        "count": len(every),
        "totals": [(currency, _status(status), total) for currency, status, total in totals(project)],
    }
    return render(request, "projects/payments.html", words, status=422 if form.errors else 200)


def _status(stored: str) -> str:
    return str(STATUS_WORDS.get(stored, stored))


def _reason(stored: str) -> str:
    """A reason as it is stored, in words; what somebody typed by hand stays theirs."""
    by_hand = _BY_HAND.fullmatch(stored)
    if by_hand is not None:
        return gettext("by hand %(number)s: %(reason)s") % {"number": by_hand[1], "reason": by_hand[2]}
    return str(REASONS.get(stored, stored))


@in_project(Role.OWNER)
@methods("GET")
def table(_request: HttpRequest, project: Project) -> HttpResponse:
    """All lines as CSV that no spreadsheet takes for formulas."""
    cells = ([str(row[column]) for column in COLUMNS] for row in rows(project))
    name = f'attachment; filename="{project.slug}-payments.csv"'
    content = sheet_for_people(COLUMNS, cells, encoding="utf-8")
    return HttpResponse(content, content_type="text/csv; charset=utf-8", headers={"Content-Disposition": name})
