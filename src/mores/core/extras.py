"""Libraries that only some uses need: each comes with an extra of the package."""

from importlib import import_module
from typing import Any

from mores.core.errors import InputError

_STUDIO = ("argon2", "axes", "django", "gunicorn", "psycopg", "whitenoise")
_EXTRA = {
    "matplotlib": "figures",
    "polars": "polars",
    "inspect_ai": "inspect",
    "snowballstemmer": "clm",
    "sklearn": "build",
} | dict.fromkeys(_STUDIO, "studio")
"""The extra that brings a library, where it is not `data`."""


def needed(library: str) -> Any:
    """A library that is an extra.

    Raises:
        InputError: it is not installed; the line says what brings it.
    """
    try:
        return import_module(library)
    except ImportError as error:
        name = library.partition(".")[0]
        raise InputError(
            f"{name} is not installed; pip install 'mores[{_EXTRA.get(name, 'data')}]' brings it."
        ) from error
