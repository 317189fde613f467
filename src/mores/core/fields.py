"""The fields of a noun, whichever library made it: structs of msgspec and dataclasses of the standard library."""

from dataclasses import fields, is_dataclass
from typing import Any

from msgspec import Struct


def is_kind(kind: Any) -> bool:
    """True of a kind of nouns: a class of structs, or a dataclass."""
    return isinstance(kind, type) and (issubclass(kind, Struct) or is_dataclass(kind))


def is_noun(value: object) -> bool:
    """True of a struct and of an instance of a dataclass."""
    return is_kind(type(value))


def field_names(noun: Any) -> tuple[str, ...]:
    """The names of a noun's fields, in the order of their declaration; of its kind, too."""
    told: tuple[str, ...] | None = getattr(noun, "__struct_fields__", None)
    return tuple(each.name for each in fields(noun)) if told is None else told
