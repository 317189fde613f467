"""Django's own commands on a studio, as `manage.py` has them: `python -m mores.studio --folder studio shell`."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from django.core.management import execute_from_command_line

from mores.studio.config import StudioConfig
from mores.studio.settings import configure


def main(words: Sequence[str]) -> None:
    """Carry out one command of Django; what says which studio it is for comes before it."""
    parser = argparse.ArgumentParser(prog="python -m mores.studio", description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path("studio"), help="as `mores studio serve` takes it")
    parser.add_argument("--database", default="", help="as `mores studio serve` takes it")
    parser.add_argument("--url", default="", help="as `mores studio serve` takes it")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="Django's command and its flags; default: help")
    typed = parser.parse_args(words)
    configure(StudioConfig(folder=typed.folder, database=typed.database, url=typed.url))
    execute_from_command_line(["python -m mores.studio", *typed.command])


if __name__ == "__main__":
    main(sys.argv[1:])
