"""`python -m tests.studio.pictures DIR` takes a picture of every page: in each of its looks.

`--only TEXT` takes those whose name has it.
"""

import argparse
import os
import tempfile
from itertools import product
from pathlib import Path
from typing import Literal

from mores.studio.config import StudioConfig
from mores.studio.setup import open_studio

WIDE, NARROW = 1200, 360
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
LOOKS = (*product(("en", "ar"), SCHEMES, (WIDE, NARROW)), ("es", SCHEMES[1], WIDE))
"""Left to right and right to left, light and dark, wide and as a phone; and the third language once."""


def main() -> None:
    """Take them all."""
    parser = argparse.ArgumentParser(prog="python -m tests.studio.pictures")
    parser.add_argument("out", type=Path)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = (
        "1"  # Playwright leaves a loop in the thread; nothing here is asynchronous
    )
    with tempfile.TemporaryDirectory(prefix="mores-pictures-") as folder:
        config = StudioConfig(folder=Path(folder))
        open_studio(config)
        _taken(config, options.out, options.only)


def _taken(config: StudioConfig, out: Path, only: str) -> None:
    # What follows imports models, which can be done once Django is set up.
    from tests.studio.browser import browsing, opened  # noqa: PLC0415
    from tests.studio.served import serving  # noqa: PLC0415
    from tests.studio.shown import planted  # noqa: PLC0415

    pages = [each for each in planted() if only in each.name]
    with serving(config) as server, browsing() as browser:
        for each in pages:
            for language, scheme, width in LOOKS:
                page = opened(browser, server, each, language=language, scheme=scheme, width=width)
                page.screenshot(path=out / f"{each.name}-{language}-{scheme}-{width}.png", full_page=True)
                undo = page.locator("form[action$=undo] button")
                if undo.count():  # so that the item is there for the next look
                    undo.click()
                page.context.close()


if __name__ == "__main__":
    main()
