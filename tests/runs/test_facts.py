"""What a run says of its subject."""

from pathlib import Path

from mores.runs.spec import Spec
from tests.endpoint import Endpoint
from tests.runs.conduct import hold, manifest


def test_that_a_model_thinks_is_a_fact_once_the_probe_has_seen_it(
    tmp_path: Path, cultural: Path, endpoint: Endpoint
) -> None:
    spec = Spec(
        benchmarks=("culturalbench/hard",), models=("vllm/test",), data=str(cultural), base_url=endpoint.url, limit=4
    )
    assert hold(tmp_path / "plain", spec)
    assert manifest(tmp_path / "plain")["facts"]["reasoning"] is None
    endpoint.set(reasoning="field", reasoning_tokens=20)
    assert hold(tmp_path / "thinking", spec)
    assert manifest(tmp_path / "thinking")["facts"]["reasoning"] == "on"
