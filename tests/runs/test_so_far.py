"""An unfinished run is read as far as it came, and is left as it is."""

import re
import socket
import struct
import urllib.error
import urllib.request
from pathlib import Path
from shutil import copytree, rmtree

import pytest

from mores.analysis.leaderboard import UsageTotals
from mores.cli.report import ReportArgs, report
from mores.cli.report_server import Page
from mores.core.codec import encode_lines
from mores.core.errors import InputError
from mores.reports.page import render
from mores.runs.loading import read_results
from mores.runs.partial_results import read_partial
from mores.runs.spec import Spec
from tests.endpoint import Endpoint
from tests.runs.conduct import begin, everything, hold, until

SPEC = Spec(benchmarks=("ladder/judge", "ladder/explain"), limit=12)


def cut(folder: Path, spec: Spec, calls: int) -> Path:
    """A run that a budget stopped after so many calls."""
    with pytest.raises(Exception, match="budget"):
        hold(folder, spec, max_calls=calls, concurrency=4)
    return folder


@pytest.fixture(scope="module")
def half(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return cut(tmp_path_factory.mktemp("half") / "run", SPEC, 42)


def test_what_is_done_is_what_the_finished_run_will_have(half: Path, tmp_path: Path) -> None:
    hold(tmp_path / "whole", SPEC)
    whole = {
        (each.benchmark, line): None
        for each in read_results([tmp_path / "whole"]).evaluations
        for line in encode_lines(each.every_verdict()).splitlines()
    }
    with read_partial([half]) as found:
        counts = {each.benchmark: each.provenance.plays for each in found.evaluations}
        some = [
            (each.benchmark, line)
            for each in found.evaluations
            for line in encode_lines(each.every_verdict()).splitlines()
        ]
    scenes = counts["ladder/judge"].asked
    assert counts["ladder/judge"].done == scenes >= 2 * 12
    assert 0 < counts["ladder/explain"].done < counts["ladder/explain"].asked == 12
    assert len(some) == 2 * scenes + 2 * counts["ladder/explain"].done
    assert [each for each in whole if each in set(some)] == some
    assert found.so_far == (scenes + counts["ladder/explain"].done, scenes + 12)


def test_reading_leaves_the_run_as_it_is(half: Path) -> None:
    before = dict(everything(half))
    with read_partial([half]) as found:
        render(found)
    assert {path: said for path, said in everything(half) if not path.name.endswith(("-shm", "-wal"))} == {
        path: said for path, said in before.items() if not path.name.endswith(("-shm", "-wal"))
    }


def test_a_finished_run_is_whole(tmp_path: Path) -> None:
    hold(tmp_path / "run", Spec(benchmarks=("ladder/judge",), limit=5))
    with read_partial([tmp_path / "run"]) as found:
        assert found.so_far is None


def test_page_and_terminal_say_that_it_is_partial_and_how_to_go_on(
    half: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report(ReportArgs(runs=[half], out=tmp_path / "page.html"))
    said = " ".join(capsys.readouterr().out.split())
    assert "Partial: " in said
    assert re.search(r"of \d+ plays are done", said)
    assert f"mores resume {half}" in said
    assert "Partial: " in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_a_run_of_which_nothing_is_done_says_how_to_go_on(tmp_path: Path) -> None:
    run = cut(tmp_path / "run", Spec(benchmarks=("ladder/explain",), limit=9), 1)
    with pytest.raises(InputError, match=r"nothing is done yet\. Continue with: mores resume"):
        report(ReportArgs(runs=[run]))


def test_what_an_endpoint_said_is_read_without_its_key(endpoint: Endpoint, tmp_path: Path) -> None:
    """The key was there when the run was made, and is gone when it is read."""
    spec = Spec(benchmarks=("ladder/judge",), models=("openai/m",), base_url=endpoint.url, limit=12)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", "sk-a-key-of-a-test")
        cut(tmp_path / "run", spec, 7)
    asked = endpoint.counts().answered
    with read_partial([tmp_path / "run"]) as found:
        assert 0 < found.evaluations[0].provenance.plays.done < 12
        took = UsageTotals.of(found.evaluations)
        assert took.calls == found.evaluations[0].provenance.plays.done  # an answer each
        assert took.input_tokens > 0
        assert took.cost is None  # at an address of one's own
    assert endpoint.counts().answered == asked


def test_a_page_is_made_anew_only_when_the_run_went_on(half: Path) -> None:
    made: list[int] = []

    def count(found: object) -> str:
        made.append(1)
        return f"page {len(made)}"

    page = Page([half], count)
    assert [page.read(), page.read()] == [b"page 1", b"page 1"]
    assert page.going_on


def test_only_who_has_the_address_is_served(half: Path) -> None:
    process = begin("report", half, "--serve", cwd=half.parent)
    try:
        until(lambda: process.printed_so_far().count("\n") > 1)
        address = process.printed_so_far().splitlines()[0]
        assert address.startswith("http://127.0.0.1:")
        page = _get(address)
        assert page is not None
        assert b"Partial: " in page[1]
        assert page[0]["Refresh"] == "10"
        assert page[0]["Cache-Control"] == "no-store"
        assert _get(address[:-5]) is None
        assert _get(address, host="example.org:80") is None
    finally:
        process.kill()
        process.communicate()


def test_browsers_that_go_away_and_runs_that_are_deleted_stop_nothing(half: Path, tmp_path: Path) -> None:
    run = Path(copytree(half, tmp_path / "run"))
    process = begin("report", run, "--serve", cwd=tmp_path)
    try:
        until(lambda: process.printed_so_far().count("\n") > 1)
        address = process.printed_so_far().splitlines()[0]
        host, _, path = address.removeprefix("http://").partition("/")
        for _ in range(5):
            with socket.create_connection(("127.0.0.1", int(host.partition(":")[2]))) as gone:
                gone.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                gone.sendall(f"GET /{path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
        assert _get(address) is not None
        rmtree(run)
        assert _get(address) is not None
    finally:
        process.kill()
        _, errors = process.communicate()
    assert errors == ""


def _get(address: str, host: str = "") -> tuple[dict[str, str], bytes] | None:
    """Headers and body; None where it is not found."""
    asked = urllib.request.Request(address, headers={"Host": host} if host else {})
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(asked, timeout=20) as reply:
            return dict(reply.headers), reply.read()
    except urllib.error.HTTPError as error:
        return None if error.code == 404 else ({"Status": str(error.code)}, b"")
