"""The command typed in this process, where nothing of it is about processes."""

import sys
from pathlib import Path

import pytest

from mores.cli.main import main
from tests.runs.conduct import Done, Typed


@pytest.fixture
def typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Typed:
    """`mores` with these words, in a folder of the test's own."""

    def run(*words: object) -> Done:
        command = ["mores", *map(str, words)]
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", command)
        with pytest.raises(SystemExit) as end:
            main()
        printed = capsys.readouterr()
        return Done(command, int(end.value.code or 0), printed.out, printed.err)

    return run
