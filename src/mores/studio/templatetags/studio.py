"""Filters for templates: of values that were posted or saved, and of figures."""

from collections.abc import Mapping
from math import isnan

from django import template
from django.conf import settings
from django.template.defaultfilters import floatformat
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from mores.core.estimate import Missing
from mores.stats.cluster_sums import MeasuredFigure
from mores.studio.models import Project
from mores.studio.place_names import place_name
from mores.studio.web.markdown import to_html
from mores.tables.missing_texts import format_missing

register = template.Library()
REASONS = (
    "all_equal", "hangs_on_one_cluster", "no_two_raters", "no_two_ratings", "one_class_of_all", "same_means",
    "too_few_clusters", "too_few_clusters_by_size", "too_few_clusters_by_strata", "too_few_clusters_by_weight",
    "undefined_in_resamples", "values_constant",
)  # fmt: skip
"""Reasons that a figure of the studio may be missing, which its catalogues hold."""


@register.filter
def is_unchecked(language: str) -> bool:
    """True if no speaker of a language has read the studio's words in it yet."""
    return language in settings.STUDIO_UNCHECKED


@register.filter
def at(values: Mapping[str, object], name: str) -> object:
    """The value under a name, "" for none."""
    return values.get(name, "")


@register.filter
def is_chosen(value: object, option: str) -> bool:
    """True if an option is chosen: the value is it, or a list that has it."""
    return option in value if isinstance(value, list | tuple) else value == option


@register.filter
def has_place(value: object, option: str) -> int:
    """Place that an option was given, posted as `OPTION:PLACE` or stored in its order; 0 for none."""
    given = [str(each) for each in value] if isinstance(value, list | tuple) else []
    if option in given:
        return given.index(option) + 1
    posted = [each.rpartition(":")[2] for each in given if each.rpartition(":")[0] == option]
    return int(posted[0]) if posted and posted[0].isdecimal() else 0


@register.filter
def as_text(value: object) -> str:
    """Text of a field, whether it was saved as text or posted as a list."""
    return str(value[0]) if isinstance(value, list | tuple) and value else str(value or "")


@register.filter
def has_value(measured: MeasuredFigure) -> bool:
    """True if there is a figure."""
    return not isnan(measured.value)


@register.filter
def markdown(text: str, project: Project) -> SafeString:
    """HTML of guidelines of a project, with its own pictures."""
    names = set(project.pictures.values_list("name", flat=True)) if "](" in text else set()
    return to_html(text, lambda name: reverse("picture", args=[project.slug, name]) if name in names else "")


@register.filter
def percent(share: float) -> str:
    """A share in percent, in the reader's language."""
    return _("%(number)s%%") % {"number": floatformat(100 * share, 1)}


@register.filter
def why(missing: Missing | None) -> str:
    """Reason that a figure, or its interval, is missing."""
    return format_missing(missing, _)


@register.filter
def place(code: str) -> str:
    """Name of a place to the reader; the code of a project's own group stays."""
    return place_name(code)
