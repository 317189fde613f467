"""`python -m mores` is the command line."""

from mores.cli.main import main

main()
