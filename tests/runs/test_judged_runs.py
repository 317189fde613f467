"""Runs with a judge: killed and resumed, judged again without being played again, juries, and who is asked where."""

import json
import random
import shutil
from pathlib import Path

import pytest

from mores.core.files import sha256_of
from mores.core.verdict import Graded, Ungraded
from mores.runs.folder import FILES, MANIFEST, SEAL, seal_of
from tests.benchmarks.plays import TINY
from tests.endpoint import Endpoint
from tests.endpoint import running as endpoint_running
from tests.runs.conduct import Typed, begin, everything, kill_after, left, manifest, mores, transcripts, until, verdicts

SAMPLES = 12
JUDGED = [("cure/normad_thick", "cure"), ("cultureforest/hard", "cultureforest"), ("ladder/explain", "ladder")]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The small data of all families; runs take several samples of it, so that they last."""
    shutil.copytree(TINY, tmp_path / "tiny")
    return tmp_path / "tiny"


def words(name: str, data: Path, url: str, out: Path, *more: object) -> list[object]:
    return ["run", name, "--model", "vllm/subject", "--judge", "vllm/judge", "--base-url", url, "--data", data,
            "--samples", SAMPLES, "--temperature", "0.7", "--concurrency", 8, "--out", out, *more]  # fmt: skip


def stored(run: Path) -> dict[Path, bytes]:
    """A run's files; what SQLite keeps beside an open database comes and goes."""
    return {path: data for path, data in everything(run) if path.suffix not in {".sqlite-shm", ".sqlite-wal"}}


@pytest.mark.parametrize(("name", "family"), JUDGED)
def test_a_judged_run_that_is_killed_goes_on_and_ends_the_same(
    name: str, family: str, data: Path, endpoint: Endpoint, tmp_path: Path
) -> None:
    calm = mores(*words(name, data / family, endpoint.url, tmp_path / "calm"), cwd=tmp_path)
    assert calm.returncode == 0, calm.stderr
    endpoint.set(latency_ms=8)
    rng_seed = random.Random(name)
    for _ in range(3):
        endpoint.reset()
        process = begin(*words(name, data / family, endpoint.url, tmp_path / "killed"), cwd=tmp_path)
        kill_after(process, endpoint, rng_seed.randint(3, 40))
        until(lambda: endpoint.counts().in_flight == 0)
    endpoint.reset()
    done = mores(*words(name, data / family, endpoint.url, tmp_path / "killed"), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert left(tmp_path / "killed") == left(tmp_path / "calm")


def test_a_run_is_judged_again_without_being_played_again(typed: Typed, data: Path, tmp_path: Path) -> None:
    run, again = tmp_path / "run", tmp_path / "again"
    assert typed("run", "ladder/explain", "--places", "JP,NG,BR", "--out", run, "--json").returncode == 0
    before = stored(run)
    done = typed("judge", run, "--judge", "simulated/novice", "--out", again, "--json")
    assert done.returncode == 0
    assert stored(run) == before
    said = [[e for e in t["events"] if not e["role"].startswith("judge")] for t in transcripts(run)]
    assert said == [[e for e in t["events"] if not e["role"].startswith("judge")] for t in transcripts(again)]
    assert list(manifest(again)["models"]) == ["simulated/novice"]
    assert manifest(again)["judged"] == str(run)
    points = [[v.points for v in verdicts(folder) if isinstance(v, Graded) and v.task == "coverage"]
              for folder in (run, again)]  # fmt: skip
    assert points[0] != points[1]
    labels = [
        [v.label for v in verdicts(folder) if v.task == "label" and isinstance(v, Graded)] for folder in (run, again)
    ]
    assert labels[0] == labels[1]


def test_the_same_judge_asked_again_is_answered_from_the_run_it_judges(
    data: Path, endpoint: Endpoint, tmp_path: Path
) -> None:
    run, again = tmp_path / "run", tmp_path / "again"
    assert mores(*words("ladder/explain", data / "ladder", endpoint.url, run), cwd=tmp_path).returncode == 0
    endpoint.reset()
    judge = ("judge", run, "--judge", "vllm/judge", "--base-url", endpoint.url, "--out", again)
    done = mores(*judge, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert endpoint.counts().requests == 0
    assert left(again) == left(run)
    more = mores(*judge[:-1], tmp_path / "thrice", "--samples", 3, cwd=tmp_path)
    assert more.returncode == 0, more.stderr
    judged = [v for v in verdicts(tmp_path / "thrice") if isinstance(v, Graded) and v.ballot]
    assert {v.ballot.asked for v in judged if v.ballot} == {3}
    assert endpoint.counts().requests <= 1 + 2 * 2 * len(transcripts(run))  # two further runs, each once more at most


def test_a_judge_needs_no_key_of_the_subject_nor_its_endpoint(data: Path, endpoint: Endpoint, tmp_path: Path) -> None:
    run = tmp_path / "run"
    assert mores(*words("ladder/explain", data / "ladder", endpoint.url, run), cwd=tmp_path).returncode == 0
    with endpoint_running() as other:
        done = mores("judge", run, "--judge", "vllm/other", "--base-url", f"judge={other.url}", "--out",
                     tmp_path / "again", cwd=tmp_path)  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert other.counts().requests > 0


def test_a_judge_at_an_address_of_its_own_is_asked_there_and_the_subject_is_not(
    data: Path, endpoint: Endpoint, tmp_path: Path
) -> None:
    with endpoint_running() as other:
        line = [*words("ladder/explain", data / "ladder", endpoint.url, tmp_path / "run"),
                "--base-url", f"judge={other.url}"]  # fmt: skip
        done = mores(*line, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        roles = {e["role"] for t in transcripts(tmp_path / "run") for e in t["events"]}
        assert roles == {"subject", "judge"}
        assert endpoint.counts().requests == 1 + len(transcripts(tmp_path / "run"))  # the probe and the subject's
        assert other.counts().requests > 1


@pytest.mark.parametrize(
    ("more", "line"),
    [
        ((), "no model for the judge; a real run names it: --judge SPEC"),
        (("--judge", "simulated/judge"), "simulated/judge cannot judge vllm/subject"),
        (("--judge", "baseline/random"), "name a real judge: --judge PROVIDER/MODEL"),
        (("--judge", "vllm/a", "--judge", "simulated/judge"), "simulated/judge cannot judge"),
        (("--judge", "vllm/a", "--judge", "vllm/a"), "is named twice"),
        (("--judge", "vllm/a", "--set", "scal=binary"), "No option is called 'scal'. Did you mean 'scale'?"),
        (("--judge", "vllm/a", "--set", "scale=both"), "expected one of continuous, binary"),
        (("--judge", "vllm/a", "--judge-samples", "0"), "--judge-samples 0: expected a positive number"),
        (("--judge", "vllm/a", "--limit", "few"), "--limit few: expected a positive number, or all"),
        (("--judge", "vllm/a", "--base-url", "http://localhost:1/v1"), "a second address for all"),
    ],
)
def test_what_cannot_be_judged_is_said_in_one_line(
    more: tuple[object, ...], line: str, typed: Typed, data: Path, endpoint: Endpoint
) -> None:
    done = typed("run", "ladder/explain", "--model", "vllm/subject", "--base-url", endpoint.url, "--data",
                 data / "ladder", *more)  # fmt: skip
    assert done.returncode == 2
    assert line in done.stderr
    assert done.stderr.count("\n") == 1
    assert endpoint.counts().requests == 0


def test_a_run_without_a_judge_cannot_be_judged_again(typed: Typed, tmp_path: Path) -> None:
    assert typed("run", "ladder/know", "--limit", 6, "--out", tmp_path / "run").returncode == 0
    done = typed("judge", tmp_path / "run", "--judge", "simulated/judge")
    assert (done.returncode, "nobody judges in ladder/know" in done.stderr) == (2, True)
    assert typed("judge", tmp_path / "run").returncode == 2
    assert typed("judge", tmp_path / "nowhere", "--judge", "simulated/judge").returncode == 2


def test_a_run_whose_data_changed_is_not_judged_again(typed: Typed, data: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    assert typed("run", "cure/normad_thick", "--data", data / "cure", "--out", run).returncode == 0
    path = data / "cure" / "normad.csv"
    path.write_text(path.read_text(encoding="utf-8").replace("yes", "no", 1), encoding="utf-8")
    done = typed("judge", run, "--judge", "simulated/expert", "--out", tmp_path / "again")
    assert done.returncode == 2
    assert "changed since this run began" in done.stderr


def test_a_study_is_judged_again_where_it_was_judged(typed: Typed, data: Path, tmp_path: Path) -> None:
    assert typed("run", "ladder/judge", "ladder/explain", "--model", "simulated/typical", "--model", "simulated/expert",
                 "--data", data / "ladder", "--out", tmp_path / "run").returncode == 0  # fmt: skip
    done = typed("judge", tmp_path / "run", "--judge", "simulated/novice", "--out", tmp_path / "again", "--json")
    assert done.returncode == 0
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["model"] for line in lines] == ["simulated/typical", "simulated/expert"]
    assert [list(line["benchmarks"]) for line in lines] == [["ladder/explain"]] * 2


def sealed_anew(run: Path) -> None:
    """The run as if it had left its transcripts so, by whoever can make hashes."""
    manifest = json.loads((run / MANIFEST).read_text())
    manifest[FILES]["transcripts.jsonl"] = sha256_of(run / "transcripts.jsonl")
    (run / MANIFEST).write_text(json.dumps({**manifest, SEAL: seal_of(manifest)}))


def test_a_play_that_the_stored_run_has_not_is_ungraded(typed: Typed, data: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    assert typed("run", "ladder/explain", "--data", data / "ladder", "--out", run).returncode == 0
    path = run / "transcripts.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[1:]))
    sealed_anew(run)
    assert typed("judge", run, "--judge", "simulated/judge", "--out", tmp_path / "again").returncode == 0
    first = verdicts(tmp_path / "again")[:2]
    assert all(isinstance(v, Ungraded) and v.cause == "not played" for v in first)
    path.write_bytes(b'{"item": "x", "sam')
    sealed_anew(run)
    done = typed("judge", run, "--judge", "simulated/judge", "--out", tmp_path / "third")
    assert done.returncode == 2
    assert "no transcript, or one that is cut" in done.stderr
