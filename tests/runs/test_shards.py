"""Parts of a run that were asked apart make, put together, what one run leaves, byte for byte."""

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from mores.core.errors import InputError
from mores.core.transcript import ItemMetadata
from mores.models.journal_reader import read_entries
from mores.runs.selection import Shard, numbers_of
from mores.runs.spec import ExecutionSpec, Spec, check
from tests.conftest import write_cultural
from tests.endpoint import Endpoint
from tests.runs.conduct import Done, as_left, begin, hold, kill_after, left, manifest, mores

PARTS = ("1/3", "2/3", "3/3")


class Thing:
    """An item of a unit."""

    def __init__(self, number: int, unit: int) -> None:
        self.about = ItemMetadata(item=f"i-{number}", unit=f"u-{unit}", cluster="c")


def merged(runs: list[Path], out: Path, *more: object) -> Done:
    return mores("merge", *runs, "--out", out, "--json", *more, cwd=out.parent)


def in_parts(folder: Path, spec: Spec) -> list[Path]:
    runs = [folder / f"part-{number}" for number in range(1, len(PARTS) + 1)]
    for concurrency, part, run in zip((1, 7, 64), PARTS, runs, strict=True):
        assert hold(run, replace(spec, shard=part), concurrency=concurrency)
    return runs


@given(st.lists(st.integers(0, 9), max_size=60), st.integers(1, 12))
def test_every_item_is_in_one_part_and_a_unit_is_never_split(units: list[int], of: int) -> None:
    items = [Thing(number, unit) for number, unit in enumerate(units)]
    numbers = list(numbers_of(items, of))
    assert len(dict(zip(units, numbers, strict=True)).items() ^ set(zip(units, numbers, strict=True))) == 0
    sizes = Counter(dict(zip(units, numbers, strict=True)).values())
    assert all(1 <= number <= of for number in numbers)
    assert max(sizes.values(), default=0) - (min(sizes.values()) if len(sizes) == of else 0) <= 1


@pytest.mark.parametrize("said", ["0/3", "4/3", "3", "1/0", "a/b", "-1/3", "1/3/5", ""])
def test_a_part_that_there_is_not_is_refused(said: str) -> None:
    with pytest.raises(InputError, match=r"--shard .*expected I/N, such as 2/8"):
        Shard.read(said)


def test_options_that_are_compared_all_at_once_are_not_asked_in_parts() -> None:
    with pytest.raises(InputError, match=r"--shard 1/3: baseline/similarity:here compares all options at once"):
        check(
            Spec(benchmarks=("culturalbench/easy",), models=("baseline/similarity:here",), shard="1/3"), ExecutionSpec()
        )


def test_parts_of_which_one_was_killed_make_what_one_run_leaves(tmp_path: Path, endpoint: Endpoint) -> None:
    data = tmp_path / "data"
    data.mkdir()
    write_cultural(data, 40)
    spec = Spec(benchmarks=("culturalbench/hard",), models=("vllm/test",), data=str(data), base_url=endpoint.url)
    assert hold(tmp_path / "one", spec)
    runs = [tmp_path / f"part-{number}" for number in range(1, 4)]
    endpoint.set(latency_ms=8)
    for concurrency, part, run in zip((1, 5, 64), PARTS, runs, strict=True):
        words = ["run", "culturalbench/hard", "--model", "vllm/test", "--base-url", endpoint.url, "--data", data,
                 "--concurrency", concurrency, "--shard", part, "--out", run]  # fmt: skip
        endpoint.reset()
        if part == "2/3":
            kill_after(begin(*words, cwd=tmp_path), endpoint, 11)
            early = merged(runs[:2], tmp_path / "early")
            assert early.returncode == 1
            assert "part 3/3 is missing; part 2/3 is not finished" in early.stderr
        done = mores(*words, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert f"Part {part} of the plan alone" in manifest(run)["remarks"][-1]
    endpoint.reset()
    some = merged(runs[1:], tmp_path / "whole")
    assert some.returncode == 1
    assert "Unfinished, 104 of 160 done, with 104 replies: part 1/3 is missing." in some.stderr
    assert manifest(tmp_path / "whole")["plays"] == {"asked": 160, "done": 104}
    done = merged(runs[::-1], tmp_path / "whole")
    assert done.returncode == 0, done.stderr
    assert endpoint.counts().requests == 0
    assert left(tmp_path / "whole") == left(tmp_path / "one")
    assert len(list(read_entries(tmp_path / "whole" / "journal.sqlite"))) == 160
    told = manifest(tmp_path / "whole")
    assert [part["shard"] for part in told["parts"]] == list(PARTS)
    assert told["models"]["vllm/test"]["sitting"]["asked"] <= 160
    assert mores("resume", tmp_path / "whole", cwd=tmp_path).returncode == 0
    assert endpoint.counts().requests == 0


def test_parts_of_judged_and_of_paired_items_make_the_same_votes(tmp_path: Path) -> None:
    spec = Spec(benchmarks=("ladder/know", "ladder/explain"), limit=9, samples=2, controls=("masked",))
    assert hold(tmp_path / "one", spec)
    runs = in_parts(tmp_path, spec)
    done = merged(runs, tmp_path / "whole")
    assert done.returncode == 0, done.stderr
    folders = [path.parent.relative_to(tmp_path / "one") for path in (tmp_path / "one").glob("*/estimates.json")]
    assert len(folders) > 2
    for folder in folders:
        assert left(tmp_path / "whole" / folder) == left(tmp_path / "one" / folder)
        votes = [tmp_path / run / folder / "votes.jsonl" for run in ("one", "whole")]
        assert votes[0].is_file() == votes[1].is_file()
        assert not votes[0].is_file() or votes[0].read_bytes() == votes[1].read_bytes()


def test_what_is_no_part_of_one_run_is_refused_in_one_line(tmp_path: Path, cultural: Path) -> None:
    spec = Spec(benchmarks=("culturalbench/easy",), data=str(cultural))
    runs = in_parts(tmp_path, spec)
    whole, other, halves = tmp_path / "all", tmp_path / "other", tmp_path / "halves"
    assert hold(whole, spec)
    assert hold(other, replace(spec, seed=7, shard="1/3"))
    assert hold(halves, replace(spec, shard="1/2"))
    (tmp_path / "data").mkdir()
    write_cultural(tmp_path / "data", 30)
    assert hold(tmp_path / "newer", replace(spec, data=str(tmp_path / "data"), shard="3/3"))
    for folders, line in (
        ([*runs, whole], "all: a whole run; expected a part of one, begun with --shard I/N."),
        ([*runs[1:], other], "with other seed (7, not 0); expected parts of one spec."),
        ([*runs[1:], halves], "with other number of parts (2, not 3); expected parts of one spec."),
        ([*runs, runs[0]], "part-1: part 1/3, as "),
        ([tmp_path / "newer", *runs[:2]], "newer: made with another data than"),
        ([tmp_path / "none"], "none: no run; expected a folder with manifest.json."),
    ):
        done = merged(folders, tmp_path / "out")
        assert done.returncode == 2
        assert line in done.stderr
        assert len(done.stderr.splitlines()) == 1
        assert not (tmp_path / "out").exists()
    part = runs[1] / "verdicts.jsonl"
    part.write_bytes(part.read_bytes().replace(b"graded", b"Graded", 1))
    done = merged(runs, tmp_path / "out")
    assert done.returncode == 2
    assert "verdicts.jsonl was changed after the run wrote it" in done.stderr


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"facts": None}, "Expected `object`, got `null`"),
        ({"failed_attempts": {"timeout": "x"}}, "Expected `int`, got `str`"),
        ({"plays": {}}, "missing required field `done`"),
        ({"took": {}}, "it lacks figures that the first part has"),
        ({"models": {}}, "it lacks figures that the first part has"),
    ],
)
def test_a_part_that_says_other_things_than_parts_do_is_refused_in_one_line(
    change: dict[str, object], says: str, tmp_path: Path, cultural: Path
) -> None:
    runs = in_parts(tmp_path, Spec(benchmarks=("culturalbench/easy",), data=str(cultural)))
    path = runs[1] / "manifest.json"
    as_left(runs[1], **change)
    done = merged(runs, tmp_path / "whole")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert f"{path}" in done.stderr
    assert says in done.stderr
