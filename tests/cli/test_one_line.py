"""What once ended in a traceback is one line that names the file, and exit 2."""

import io
import json
import zipfile
from pathlib import Path
from shutil import copytree

import pytest

from mores import __version__
from mores.runs.spec import Spec
from tests.hostile_files import DEEP, DIGITS
from tests.runs.conduct import Typed, as_left, hold


def archive() -> bytes:
    """An archive of arrays whose one array is none."""
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w") as packed:
        packed.writestr("header.npy", b"\x93NUMPY\x01\x00\x08\x00{'a':1}\n")
    return into.getvalue()


FILES = {
    "deep.toml": b"x = " + b"[" * DEEP + b"]" * DEEP,
    "digits.toml": b"seed = " + b"9" * DIGITS,
    "dotted.toml": b"a." * DEEP + b"a = 1",
    "deep.json": b'{"a":' * DEEP + b"1" + b"}" * DEEP,
    "deep.jsonl": b'{"item": "easy-1", "reply": ' + b"[" * DEEP + b"]" * DEEP + b"}\n",
    "people.npz": archive(),
    "cut.npz": archive()[:-20],
    "nul.toml": b"\x00",
    "wide.toml": "seed = 1".encode("utf-16"),
}


@pytest.mark.parametrize("name", FILES)
def test_a_strange_file_is_one_line(tmp_path: Path, typed: Typed, name: str) -> None:
    (tmp_path / name).write_bytes(FILES[name])
    words = {
        ".jsonl": ["run", "culturalbench/easy", "--data", ".", "--model", f"recorded/{name}"],
        ".npz": ["town", "plans", name, "--planner", "vllm/x"],
    }
    done = typed(*words.get(Path(name).suffix, ["run", name]))
    assert done.returncode == 2
    assert done.stderr.startswith("mores: ")
    assert len(done.stderr.splitlines()) == 1


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = tmp_path_factory.mktemp("sound") / "run"
    assert hold(run, Spec(benchmarks=("ladder/know",), limit=4, places=("JP", "NG")))
    return run


@pytest.mark.parametrize("part", ["spec", "conditions", "model", "roles"])
def test_a_manifest_without_one_of_its_parts_is_one_line(sound: Path, tmp_path: Path, typed: Typed, part: str) -> None:
    path = copytree(sound, tmp_path / "run") / "manifest.json"
    kept = {name: value for name, value in json.loads(path.read_text()).items() if name != part}
    path.write_text(json.dumps(kept))
    as_left(path.parent)
    verbs = (["resume", "run"], ["report", "run"], ["judge", "run", "--judge", "simulated/judge"])
    done = [typed(*words) for words in verbs]
    assert 2 in {each.returncode for each in done}
    for each in done:
        assert each.returncode == 0 or (each.returncode, len(each.stderr.splitlines())) == (2, 1)


NAMELESS = (
    ["report", "a" * 300],
    ["run", "ladder/know", "--out", "a" * 300],
    ["items", "b" * 300],
    ["town", "plans", "", "--planner", "vllm/x"],
)


@pytest.mark.parametrize("words", NAMELESS, ids=lambda words: words[0])
def test_a_name_that_no_file_can_have_is_one_line(typed: Typed, words: list[str]) -> None:
    done = typed(*words)
    assert done.returncode == 2
    assert done.stderr.startswith("mores: ")
    assert len(done.stderr.splitlines()) == 1


def test_an_earlier_run_that_is_none_is_told_before_anything_is_made(tmp_path: Path, typed: Typed) -> None:
    done = typed("run", "ladder/know", "--limit", "2", "--reuse", "none", "--out", "run")
    assert done.returncode == 2
    assert done.stderr.startswith("mores: --reuse none: no run")
    assert not (tmp_path / "run").exists()


def test_alone_it_shows_help_and_its_version_is_a_line(typed: Typed) -> None:
    done = typed()
    assert (done.returncode, done.stderr) == (0, "")
    assert "Usage: mores" in done.stdout
    assert typed("--version").stdout == f"mores {__version__}\n"
