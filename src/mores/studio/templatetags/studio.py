"""Filters for templates: of values that were posted or saved, and of figures."""

from collections.abc import Mapping
from math import isnan

from django import template
from django.template.defaultfilters import floatformat
from django.utils.translation import gettext as _

from mores.core.estimate import Missing
from mores.stats.cluster_sums import MeasuredFigure
from mores.tables.missing_texts import format_missing

register = template.Library()


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
def percent(share: float) -> str:
    """A share in percent, in the reader's language."""
    return _("%(number)s%%") % {"number": floatformat(100 * share, 1)}


@register.filter
def why(missing: Missing | None) -> str:
    """Reason that a figure, or its interval, is missing."""
    return format_missing(missing)
