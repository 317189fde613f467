"""Libraries that only some uses need: each comes with an extra of the package."""

from importlib import import_module
from typing import Any

from mores.core.errors import InputError

STUDIO = (
    "argon2", "axes", "babel", "confusable_homoglyphs", "csp", "django", "gunicorn", "jwt", "markdown_it",
    "phonenumbers", "precis_i18n", "psycopg", "stdnum", "whitenoise",
)  # fmt: skip
"""What the studio needs."""
_EXTRA = (
    {
        "typst": "figures",
        "inspect_ai": "inspect",
        "zstandard": "inspect",
        "datasets": "lm-eval",
        "snowballstemmer": "clm",
        "sklearn": "build",
        "ray": "ray",
    }
    | dict.fromkeys(STUDIO, "studio")
    | {"babel": "build"}
)
"""The extra that brings a library, where it is not `data`."""


def how_to_install(extra: str) -> str:
    """Command that installs an extra. No index has the package, so that it comes from the clone of the installation.

    >>> how_to_install("data")
    "pip install '.[data]' in the clone of mores"
    """
    return f"pip install '.[{extra}]' in the clone of mores"


def needed(library: str) -> Any:
    """A library that is an extra.

    Raises:
        InputError: it is not installed; the line says what brings it.
    """
    try:
        return import_module(library)
    except ImportError as error:
        name = library.partition(".")[0]
        brings = how_to_install(_EXTRA.get(name, "data"))
        raise InputError(f"{name} is not installed; {brings} brings it.") from error
