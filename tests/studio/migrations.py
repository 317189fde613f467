"""`python -m tests.studio.migrations NAME` writes a migration after a change of the studio's models."""

import sys
import tempfile
from pathlib import Path

from django.core.management import call_command

from mores.studio.config import StudioConfig
from mores.studio.settings import configure

if __name__ == "__main__":
    configure(StudioConfig(folder=Path(tempfile.mkdtemp())))
    call_command("makemigrations", "studio", "-n", sys.argv[1])
