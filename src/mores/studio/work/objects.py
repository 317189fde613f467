"""Objects of the tables, of rows that a statement by hand reads: composing the query takes models longer than this."""

from functools import cache
from typing import Any, TypeVar

from django.db import connection
from django.db.models import Model

M = TypeVar("M", bound=Model)


@cache
def columns_of(model: type[Model]) -> str:
    """All columns of a table, as a statement names them."""
    return ", ".join(f'{model._meta.db_table}."{field.column}"' for field in model._meta.concrete_fields)


def width_of(model: type[Model]) -> int:
    """How many columns these are."""
    return len(model._meta.concrete_fields)


def object_of(model: type[M], row: tuple[Any, ...]) -> M:
    """An object of a row with all columns of its table."""
    values = list(row)
    for place, column, read in _readers(model, connection.vendor):
        values[place] = read(values[place], column, connection)
    return model.from_db("default", [field.attname for field in model._meta.concrete_fields], values)


@cache
def _readers(model: type[Model], vendor: str) -> list[tuple[int, Any, Any]]:  # noqa: ARG001 - they are kept by it
    """How columns that a database stores otherwise are read: JSON, and on SQLite times and truths."""
    return [
        (place, field.cached_col, read)
        for place, field in enumerate(model._meta.concrete_fields)
        for read in (*connection.ops.get_db_converters(field.cached_col), *field.get_db_converters(connection))
    ]
