"""A studio as it is put up: settings that Django's own check finds nothing wrong with, tables that fit the models."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import ExitStack
from pathlib import Path

import pytest
from django.contrib.sessions.models import Session
from django.core.management import call_command

from mores.core.errors import InputError
from mores.studio.accounts.links import find_invite
from mores.studio.config import KEY_FILE, StudioConfig
from mores.studio.serve import THREADS, _Server, tidy
from tests.studio.conftest import BOTH
from tests.studio.served import serving


def test_django_finds_nothing_wrong_with_a_studio_behind_https(tmp_path: Path) -> None:
    ours = {name: value for name, value in os.environ.items() if not name.startswith("DJANGO")}
    studio = ["-m", "mores.studio", "--folder", str(tmp_path), "--url", "https://studio.example.org"]
    words = [sys.executable, *studio, "check", "--deploy", "--fail-level", "WARNING"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=ours)
    assert (done.returncode, done.stderr) == (0, "")
    assert "no issues" in done.stdout


def test_the_tables_are_those_of_the_models(studio: object) -> None:
    call_command("makemigrations", "studio", check=True, dry_run=True, verbosity=0)


def test_the_secret_key_is_made_once_and_for_its_owner_alone(tmp_path: Path) -> None:
    config = StudioConfig(folder=tmp_path / "new")
    key = config.secret_key()
    assert config.secret_key() == key
    assert len(key) >= 50
    assert (tmp_path / "new" / KEY_FILE).stat().st_mode & 0o777 == 0o600


def test_no_other_verb_imports_django() -> None:
    program = "import sys, mores.cli.app, mores.api.notebook; print([m for m in sys.modules if m.startswith('django')])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_studio_is_served_from_where_it_is_started_not_from_where_its_server_was_imported(
    studio: StudioConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert _Server(studio).cfg.chdir == str(tmp_path)


@pytest.mark.parametrize("database", ["mysql://me@here/studio", "studio.db", "postgresql://[half"])
def test_an_address_that_is_none_is_told_in_one_line(tmp_path: Path, database: str) -> None:
    with pytest.raises(InputError, match=r"expected postgresql://USER@HOST/NAME"):
        StudioConfig(folder=tmp_path, database=database).databases()


def test_a_missing_library_is_named_with_what_brings_it() -> None:
    program = "import sys; sys.modules['django'] = None; from mores.cli.main import main; main()"
    words = [sys.executable, "-c", program, "studio", "serve"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "pip install '.[studio]'" in done.stderr


def test_a_port_that_is_taken_is_told_and_the_link_that_was_given_out_still_lets_in(studio: StudioConfig) -> None:
    with serving(studio) as server:
        link = re.search(r"/enter/[\w-]+", server.log.read_text())
        assert link is not None
        port = server.url.rpartition(":")[2]
        words = ["-m", "mores", "studio", "serve", "--folder", str(studio.folder), "--port", port]
        done = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False)
        assert done.returncode == 2
        assert done.stderr.startswith(f"mores: --port {port}: it cannot be listened on")
        assert find_invite(link[0].removeprefix("/enter/")) is not None


def test_ctrl_c_ends_a_studio_cleanly(studio: StudioConfig) -> None:
    with serving(studio) as server:
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(60) == 0
        assert "Traceback" not in server.log.read_text()


def test_who_sends_slowly_holds_nobody_up(studio: StudioConfig) -> None:
    with serving(studio) as server, ExitStack() as slow:
        host, _, port = server.url.removeprefix("http://").rpartition(":")
        for _each in range(THREADS // 2):
            link = slow.enter_context(socket.create_connection((host, int(port))))
            link.sendall(f"POST /sign-in HTTP/1.1\r\nHost: {host}\r\nContent-Length: 200\r\n\r\nusername=".encode())
        with urllib.request.urlopen(f"{server.url}/sign-in", timeout=20) as answer:
            assert answer.status == 200


@BOTH
def test_sessions_that_ran_out_are_forgotten_and_others_stay(studio: StudioConfig) -> None:
    for key, ends in (("old", "2020-01-01T00:00:00Z"), ("new", "2999-01-01T00:00:00Z")):
        Session.objects.create(session_key=key, session_data="", expire_date=ends)
    tidy()
    assert list(Session.objects.values_list("pk", flat=True)) == ["new"]


def test_a_studio_that_starts_forgets_them(studio: StudioConfig) -> None:
    Session.objects.create(session_key="old", session_data="", expire_date="2020-01-01T00:00:00Z")
    with serving(studio):
        for _ in range(100):
            if not Session.objects.exists():
                return
            time.sleep(0.1)
    pytest.fail("the session is still there")
