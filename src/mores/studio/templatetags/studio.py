"""What a form's template asks of values that were posted or saved."""

from collections.abc import Mapping

from django import template

register = template.Library()


@register.filter
def at(values: Mapping[str, object], name: str) -> object:
    """The value under a name, "" for none."""
    return values.get(name, "")


@register.filter
def holds(value: object, option: str) -> bool:
    """Whether an option is chosen: the value is it, or a list that has it."""
    return option in value if isinstance(value, list | tuple) else value == option


@register.filter
def words(value: object) -> str:
    """Text of a field, whether it was saved as text or posted as a list."""
    return str(value[0]) if isinstance(value, list | tuple) and value else str(value or "")
