"""`python -m tests.papers [NAME…]`: what the pages of docs/papers show, written anew; MORES_DATA is the real data."""

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.papers.pages import PAGES, written

DATA = Path(os.environ.get("MORES_DATA") or PAGES.parents[2] / "shared" / "data")

for page in sorted(PAGES.glob("*.md")):
    if page.stem in (sys.argv[1:] or page.stem):
        with TemporaryDirectory() as folder:
            page.write_text(written(page.read_text(encoding="utf-8"), Path(folder), DATA), encoding="utf-8")
