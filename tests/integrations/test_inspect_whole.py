"""All benchmarks in Inspect, and the page on which Inspect shows a log: minutes, and a browser; `make neighbours`."""

import json
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from playwright.sync_api import Page, sync_playwright

import mores
from mores.benchmarks import catalogue
from tests.conftest import ROOT
from tests.integrations.test_inspect import figures, figures_of_run, read
from tests.reports.browser import browser
from tests.runs.conduct import surroundings

pytestmark = pytest.mark.neighbours


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A log of each benchmark."""
    folder = tmp_path_factory.mktemp("whole")
    command = [sys.executable, "-m", "tests.integrations.inspected", str(folder), *catalogue.names()]
    subprocess.run(command, cwd=ROOT, env=surroundings(), check=True, timeout=900)
    return dict(zip(catalogue.names(), json.loads((folder / "cases.json").read_bytes()), strict=True))


@pytest.mark.parametrize("name", catalogue.names())
def test_equal_replies_give_equal_figures_in_inspect_and_in_a_run(
    name: str, logs: dict[str, str], tmp_path: Path
) -> None:
    head, _ = read(logs[name])
    assert figures(head) == figures_of_run(name, tmp_path / "run")


@pytest.fixture
def page() -> Iterator[Page]:
    """A page in a browser."""
    path = browser()
    if path is None:
        pytest.skip("no browser: apt-get install chromium")
    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        try:
            yield opened.new_page(viewport={"width": 1300, "height": 800})
        finally:
            opened.close()


def served(folder: Path) -> tuple["subprocess.Popen[bytes]", str]:
    """Inspect's own viewer over a folder, and its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [str(Path(sys.executable).with_name("inspect")), "view", "--log-dir", str(folder), "--port", str(port)]
    process = subprocess.Popen(command, env=surroundings(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    address, end = f"http://127.0.0.1:{port}/", time.monotonic() + 60
    while time.monotonic() < end:
        try:
            urlopen(address, timeout=5).close()
            break
        except URLError:
            time.sleep(0.3)
    return process, address


def test_the_page_of_an_exported_run_shows_the_headline_first(page: Page, tmp_path: Path) -> None:
    runs = mores.run("ladder/converse", model="simulated/typical", places="JP,DE", out=tmp_path / "run")
    runs.export("inspect", tmp_path / "logs")
    (log,) = (tmp_path / "logs").iterdir()
    whole = runs.results.evaluations[0].overall()
    assert whole is not None
    process, address = served(tmp_path / "logs")
    try:
        page.goto(f"{address}#/logs/{log.name}")
        page.get_by_text("All scoring").wait_for(timeout=60_000)
        words = page.inner_text("body")
    finally:
        process.terminate()
        process.wait(30)
    first = re.search(r"Scorer\s+value\s+lower[^\n]*\n(\S+)\s+([\d.]+)", words)
    assert first is not None, words[:600]
    assert first.groups() == ("accuracy", f"{whole.value:.3f}")
