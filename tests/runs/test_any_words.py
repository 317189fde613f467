"""Whatever a model says, in whatever role, nothing fails in mores itself."""

from itertools import count
from pathlib import Path

import pytest

from mores.benchmarks import catalogue
from mores.core.verdict import Ungraded
from mores.runs.protocol import protocol_of
from mores.runs.spec import Spec
from tests.benchmarks.plays import TINY
from tests.endpoint import Endpoint
from tests.models.listener import Say, completion, listening
from tests.runs.conduct import hold, verdicts

DEEP = "[" * 100_000 + "]" * 100_000
ODD = {
    "deep": DEEP,
    "deep objects": '{"a":' * 100_000 + "1" + "}" * 100_000,
    "deep in a field": '{"answers": ' + DEEP + "}",
    "deep and fenced": f"```json\n{DEEP}\n```",
    "cut short": '{"Answer": ' + DEEP[:2_000],
    "digits": '{"points": ' + "9" * 5_000 + ', "reason": "x", "choice": "yes"}',
    "no number": '{"reason": NaN, "points": Infinity}',
    "wide": "{" + ",".join(f'"k{number}": {number}' for number in range(20_000)) + "}",
    "signs": "\x00\x1b[2J\u202e\u2028\u2029\r\n\x85\\\"'`",
    "braces": "{{ x }} {% if %} [[slot]] }{",
    "thinking": "<think>" * 5_000,
    "pictures": "🙂" * 5_000,
    "a deed": '{"deed": {"a": [1]}, "to": [1e400, 1e400], "words": 5}',
}
FAMILIES = ("culturalbench/hard", "culturalbench/easy", "cure/normad_thick", "cultureforest/hard", "socialcc/dialogue",
            "liveculture/town", "ladder/explain", "ladder/converse", "ladder/live")  # fmt: skip


def spec_of(name: str, url: str) -> Spec:
    benchmark, data = catalogue.load(name), TINY / name.partition("/")[0]
    bare = Spec(benchmarks=(name,), models=("vllm/subject",))
    others = [role for role in benchmark.roles(protocol_of(benchmark.card, bare)) if role != "subject"]
    return Spec(benchmarks=(name,), models=("vllm/subject",), roles=dict.fromkeys(others, "vllm/other"), base_url=url,
                data=None if name.startswith("ladder") else str(data), limit=2)  # fmt: skip


def broken(folder: Path) -> list[str]:
    return [v.raw for v in verdicts(folder) if isinstance(v, Ungraded) and v.cause == "error in mores"]


@pytest.mark.parametrize("name", ["culturalbench/hard", "cure/normad_thick", "ladder/explain"])
def test_no_words_of_a_model_break_anything(name: str, tmp_path: Path) -> None:
    said, numbers = list(ODD.values()), count()
    with listening(lambda _: Say(completion(said[next(numbers) % len(said)]))) as listener:
        assert hold(tmp_path, spec_of(name, listener.url))
    assert broken(tmp_path) == []


@pytest.mark.soak
@pytest.mark.parametrize("words", ODD)
@pytest.mark.parametrize("name", FAMILIES)
def test_no_words_of_a_model_break_anything_anywhere(name: str, words: str, endpoint: Endpoint, tmp_path: Path) -> None:
    endpoint.set(reply=ODD[words])
    assert hold(tmp_path, spec_of(name, endpoint.url), seconds=600.0)
    assert broken(tmp_path) == []
