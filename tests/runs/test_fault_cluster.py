"""A fifth of all calls failing in every way that there is leaves no item behind, and takes no memory that grows."""

import re
from collections import Counter
from pathlib import Path

import pytest

from mores.core.verdict import Graded, Ungraded
from mores.models import openai
from mores.runs.spec import Spec
from tests.conftest import write_cultural
from tests.endpoint import Endpoint
from tests.endpoint.rules import FAULTS
from tests.runs.conduct import hold, manifest, verdicts, whole

CAUSES = {
    "429": "http 429", "429-after": "http 429", "500": "http 500", "503": "http 503", "drop": "broken connection",
    "stall": "time-out", "cut": "broken connection", "half": "unreadable body", "empty": "empty body",
    "no-choices": "no choice in the body", "stream": "streamed answer", "error": "error in the body",
    "endless": "too large", "bomb": "too large", "drip": "time-out",
}  # fmt: skip
"""What a call that meets each fault ends as."""
SHARE = 0.2
PEAK = re.compile(r"VmHWM:\s+(\d+) kB")


def shaken(folder: Path, data: Path, endpoint: Endpoint, at_once: int, seconds: float) -> list[Graded | Ungraded]:
    """The strict verdicts of a run over a cluster of faults that hold for ever."""
    endpoint.set(faults=dict.fromkeys(FAULTS, SHARE / len(FAULTS)), persistent=True, retry_after="0.01", latency_ms=50)
    spec = Spec(benchmarks=("culturalbench/hard",), models=("vllm/test",), data=str(data), base_url=endpoint.url)
    assert hold(folder, spec, seconds, attempts=2, timeout=2.0, concurrency=at_once)
    return [verdict for verdict in verdicts(folder) if verdict.task == "strict"]


def accounted(folder: Path, found: list[Graded | Ungraded], items: int) -> None:
    """Check that each item is there once, graded or ungraded with its cause, and that totals say the same."""
    assert sorted(verdict.about.item for verdict in found) == sorted(f"hard-{number}" for number in range(items))
    causes = Counter(verdict.cause for verdict in found if isinstance(verdict, Ungraded))
    assert causes.keys() <= set(CAUSES.values())
    assert 0.3 * SHARE * items < causes.total() < 2 * SHARE * items
    figure = whole(folder, "item_accuracy")
    assert (figure["asked"], figure["graded"]) == (items, items - causes.total())
    assert manifest(folder)["plays"] == {"asked": items, "done": items}


def test_every_kind_of_fault_at_once_leaves_each_item_graded_or_ungraded_with_its_cause(
    tmp_path: Path, cultural: Path, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert CAUSES.keys() == set(FAULTS)
    monkeypatch.setattr(openai, "LARGEST_REPLY", 1 << 20)
    accounted(tmp_path, shaken(tmp_path, cultural, endpoint, 96, 60.0), 96)


@pytest.mark.soak
def test_a_cluster_of_faults_at_1024_in_flight_takes_no_more_memory_the_longer_it_lasts(
    tmp_path: Path, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openai, "LARGEST_REPLY", 1 << 20)  # hundreds are flooded, and the endpoint pours it all
    if not Path("/proc/self/clear_refs").exists():
        pytest.skip("only Linux tells a peak of memory from here on")
    peaks = []
    for questions in (500, 2_000):
        data, folder = tmp_path / f"data-{questions}", tmp_path / f"run-{questions}"
        data.mkdir()
        write_cultural(data, questions)
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
        accounted(folder, shaken(folder, data, endpoint, 1024, 900.0), 4 * questions)
        found = PEAK.search(Path("/proc/self/status").read_text(encoding="ascii"))
        assert found is not None
        peaks.append(int(found[1]) / 1024)
        endpoint.reset()
    assert peaks[1] - peaks[0] < 60.0, peaks  # four times as many items, of a few kilobytes each
