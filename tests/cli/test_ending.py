"""A command ends quickly: what goes with its process is not looked through first."""

import subprocess
import sys

PROGRAM = """
import atexit, gc, sys
atexit.register(lambda: print(gc.get_freeze_count() > len(gc.get_objects())))
sys.argv = ["mores", "list"]
from mores.cli.main import main
main()
"""


def test_what_ends_with_the_process_is_not_looked_through_for_cycles() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "True"
