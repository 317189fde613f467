"""Tasks of a cluster know which part of a run is theirs, share its limits, and leave what merges by one word."""

from bisect import bisect_right
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mores.core.errors import InputError
from mores.runs.launchers import parts_in, shard_of_task
from mores.runs.options import RunOptions
from mores.runs.selection import Shard
from mores.runs.spec import PER_PART, ExecutionSpec, limits_of_part
from mores.runs.specify import specify
from tests.conftest import write_cultural
from tests.endpoint import Endpoint
from tests.runs.conduct import begin, left, manifest, mores


def slurm(task: int, first: int, last: int, step: int = 1) -> dict[str, Any]:
    """The variables of a task of `--array=first-last:step`."""
    count = (last - first) // step + 1
    values = {"ID": task, "MIN": first, "MAX": last, "STEP": step, "COUNT": count}
    return {f"SLURM_ARRAY_TASK_{name}": str(value) for name, value in values.items()}


TASKS: list[tuple[dict[str, str], int | None, str]] = [
    (slurm(3, 1, 8), None, "3/8"),
    (slurm(0, 0, 7), None, "1/8"),
    (slurm(14, 10, 16, 2), None, "3/4"),
    ({"JOB_COMPLETION_INDEX": "0"}, 4, "1/4"),
    ({"AWS_BATCH_JOB_ARRAY_INDEX": "9", "AWS_BATCH_JOB_ARRAY_SIZE": "10"}, None, "10/10"),
    ({"SKYPILOT_NODE_RANK": "1", "SKYPILOT_NUM_NODES": "2"}, None, "2/2"),
    ({"RANK": "2", "WORLD_SIZE": "3"}, 3, "3/3"),
    ({"RANK": "0", "WORLD_SIZE": "2", **slurm(2, 1, 8)}, None, "2/8"),
]


@pytest.mark.parametrize(("environment", "parts", "shard"), TASKS)
def test_a_task_knows_its_part(environment: dict[str, str], parts: int | None, shard: str) -> None:
    assert str(shard_of_task(environment, parts)) == shard


@pytest.mark.parametrize(
    ("environment", "parts", "says"),
    [
        ({}, None, "none of SLURM_ARRAY_TASK_ID, .* is set"),
        ({"JOB_COMPLETION_INDEX": "0"}, None, "not how many tasks there are; add --parts N"),
        ({"JOB_COMPLETION_INDEX": "4"}, 4, "is no part of a whole one"),
        ({"RANK": "two", "WORLD_SIZE": "3"}, None, "RANK=two; expected a number"),
        ({"RANK": "0", "WORLD_SIZE": "3"}, 4, "--parts 4: WORLD_SIZE says 3"),
        (slurm(3, 3, 3), None, "handed in again alone, name its part"),
        ({**slurm(3, 3, 7), "SLURM_ARRAY_TASK_COUNT": "2"}, None, "handed in again alone"),
    ],
)
def test_no_part_of_a_whole_is_refused(environment: dict[str, str], parts: int | None, says: str) -> None:
    with pytest.raises(InputError, match=says):
        shard_of_task(environment, parts)


@given(st.integers(1, 10_000), st.integers(1, 40))
def test_shares_are_as_even_as_can_be_and_make_the_whole(whole: int, of: int) -> None:
    conditions = ExecutionSpec(max_calls=whole, max_tokens=whole, requests_per_minute=whole, max_cost=whole)
    shards = [Shard(number, of) for number in range(1, of + 1)]
    if of == 1:
        assert limits_of_part(conditions, shards[0]) == {}
    elif whole < of:
        with pytest.raises(InputError, match="less than one for each of"):
            limits_of_part(conditions, shards[0])
    else:
        shares = [limits_of_part(conditions, shard) for shard in shards]
        for name in ("max_calls", "max_tokens", "requests_per_minute"):
            counted = [share[name] for share in shares]
            assert sum(counted) == whole
            assert max(counted) - min(counted) <= 1
        assert sum(share["max_cost"] for share in shares) == pytest.approx(whole)


def test_limits_of_each_part_are_wanted_by_name_and_of_parts_alone() -> None:
    conditions = ExecutionSpec(max_calls=3, limits=PER_PART)
    assert limits_of_part(conditions, Shard(2, 4)) == {}
    with pytest.raises(InputError, match="--per-part: this run is whole"):
        specify(RunOptions(per_part=True))


@pytest.fixture
def study(tmp_path: Path, endpoint: Endpoint) -> list[object]:
    """Words that ask 160 statements of an endpoint."""
    data = tmp_path / "data"
    data.mkdir()
    write_cultural(data, 40)
    return ["run", "culturalbench/hard", "--model", "vllm/test", "--base-url", endpoint.url, "--data", data]


def test_four_parts_never_make_more_calls_than_the_whole_may(
    study: list[object], tmp_path: Path, endpoint: Endpoint
) -> None:
    tasks = [
        begin(*study, "--max-calls", 100, "--shard", "auto", "--out", "all", cwd=tmp_path, **slurm(task, 1, 4))
        for task in range(1, 5)
    ]
    told = [task.communicate(60)[1] for task in tasks]
    assert "part 2/4 has its share of the limits: 25 of 100 (--max-calls); --per-part gives it all" in told[1]
    assert [task.returncode for task in tasks] == [1] * 4
    assert 90 < endpoint.counts().requests <= 100
    part = manifest(tmp_path / "all" / "part-2-of-4")
    assert part["part_limits"] == {"max_calls": 25}
    assert part["conditions"]["max_calls"] == 100
    done = mores("merge", "all", "--out", "whole", cwd=tmp_path)
    assert done.returncode == 1
    plays = manifest(tmp_path / "whole")["plays"]["done"]
    assert 90 < plays <= 100
    assert f"Unfinished, {plays} of 160 done, with {plays} replies: part 1/4 is not finished; " in done.stderr
    endpoint.reset()
    own = mores(*study, "--max-calls", 30, "--per-part", "--shard", "1/4", "--out", "own", cwd=tmp_path)
    assert own.returncode == 1
    assert 25 < endpoint.counts().requests <= 30


def test_parts_that_a_launcher_numbers_merge_by_their_folder(
    study: list[object], tmp_path: Path, endpoint: Endpoint
) -> None:
    assert mores(*study, "--out", "one", cwd=tmp_path).returncode == 0
    other = [word if word != endpoint.url else endpoint.url.replace("127.0.0.1", "localhost") for word in study]
    for task in range(3):
        words = (*(other if task == 1 else study), "--shard", "auto", "--out", "all", "--parts")
        done = mores(*words, 3, cwd=tmp_path, JOB_COMPLETION_INDEX=str(task))
        assert done.returncode == 0, done.stderr
    again = mores(*words, 2, cwd=tmp_path, JOB_COMPLETION_INDEX="0")
    assert (again.returncode, "it holds part-" in again.stderr) == (2, True)
    assert [path.name for path in parts_in([tmp_path / "all"])] == [f"part-{number}-of-3" for number in (1, 2, 3)]
    parts = [tmp_path / "all" / f"part-{number}-of-3" for number in (3, 2)]
    some = mores("merge", *parts, "--out", "whole", cwd=tmp_path)
    assert some.returncode == 1
    assert "mores resume" not in some.stderr  # what was asked elsewhere would be asked for again
    done = mores("merge", "all", "--out", "whole", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert left(tmp_path / "whole") == left(tmp_path / "one")
    hosts = [part["base_url"].split(":")[1] for part in manifest(tmp_path / "whole")["parts"]]
    assert hosts == ["//127.0.0.1", "//localhost", "//127.0.0.1"]


def test_a_folder_without_parts_is_refused(tmp_path: Path) -> None:
    (tmp_path / "part-1-of-2").mkdir()
    with pytest.raises(InputError, match="no run and no parts"):
        parts_in([tmp_path])


def test_an_automatic_part_wants_a_folder_and_parts_want_a_launcher(tmp_path: Path) -> None:
    for words, says in ((("--shard", "auto"), "expected --out DIR"), (("--parts", 3), "expected --shard auto")):
        done = mores("run", "ladder/know", *words, cwd=tmp_path, RANK="0", WORLD_SIZE="2")
        assert done.returncode == 2
        assert says in done.stderr


def most_in_a_minute(times: list[float]) -> int:
    """The most of some times that lie within any minute."""
    ordered = sorted(times)
    return max(bisect_right(ordered, time + 60.0) - place for place, time in enumerate(ordered))
