"""Pages of one file: nothing is fetched, and only the page's own script and style sheet, named by hash, may act."""

import hashlib
from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path

from markupsafe import Markup

from mores import __version__
from mores.tables.formatting import SIMULATED


def page_values(styles: Sequence[Path], scripts: Sequence[Path]) -> dict[str, str]:
    """Values for each page's template: the project's own styles and scripts, and the policy that lets only them run."""
    style, script = ("\n".join(path.read_text(encoding="utf-8") for path in own) for own in (styles, scripts))
    return {
        "style": Markup(style),  # noqa: S704 - the project's own files
        "script": Markup(script),  # noqa: S704
        "policy": f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'",
        "version": __version__,
        "simulated": SIMULATED,
    }


def _hash(text: str) -> str:
    return f"sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
