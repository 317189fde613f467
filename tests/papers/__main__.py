"""`python -m tests.papers [NAME…]`: what papers' pages and how-tos show, written anew; MORES_DATA is the real data."""

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from docs.pages import ROOT
from tests.papers.pages import PAGES, written

DATA = Path(os.environ.get("MORES_DATA") or ROOT.parent / "shared" / "data")

for name in sys.argv[1:] or PAGES:
    page = PAGES[name]
    with TemporaryDirectory() as folder:
        page.write_text(written(page.read_text(encoding="utf-8"), Path(folder), DATA), encoding="utf-8")
