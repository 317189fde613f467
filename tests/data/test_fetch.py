"""Data sets fetched as a user fetches them, from a stand-in on this machine."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from mores.benchmarks import catalogue
from mores.core.files import sha256_of
from mores.data.sources import data_sources, source_of
from tests.conftest import write_cultural
from tests.data.hub import NEWEST, TOKEN, Hub, keep_apart, serving
from tests.runs.conduct import Typed, manifest

CULTURAL, PINNED = "kellycyy/CulturalBench", "2d5acf9fde133b9607c26a3de8d34390a169d29a"
SOCIAL = "microsoft/AnthropomorphicIntelligence"


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """The hub, which holds a small CulturalBench, asked from a home of the test's own."""
    (tmp_path / "made").mkdir()
    write_cultural(tmp_path / "made", 8)
    made = {path.name.replace("culturalbench", "CulturalBench").replace("easy", "Easy").replace("hard", "Hard"): path
            for path in (tmp_path / "made").iterdir()}  # fmt: skip
    with serving() as held:
        held.files[CULTURAL] = {name: path.read_bytes() for name, path in made.items()}
        for name, value in held.environment(tmp_path).items():
            monkeypatch.setenv(name, value)
        keep_apart(tmp_path, monkeypatch)
        yield held


@pytest.fixture
def fetch(hub: Hub, typed: Typed) -> Typed:
    """`mores data fetch` with these words."""
    return lambda *words: typed("data", "fetch", *words)


def test_a_fetched_set_has_the_files_of_its_revision_and_a_run_says_where_its_data_are_from(
    fetch: Typed, hub: Hub, tmp_path: Path, typed: Typed
) -> None:
    done = fetch("culturalbench")
    assert (done.returncode, done.stderr.count("\n")) == (0, 2), done.stderr  # eight rows where thousands are known
    folder = tmp_path / "xdg" / "mores" / "culturalbench"
    for name, data in hub.files[CULTURAL].items():
        assert (folder / name).read_bytes() == data
        assert sha256_of(folder / name) in done.stdout
    assert {path.split("/")[4] for method, path, _ in hub.asked if method == "GET"} == {PINNED}
    assert "CC-BY-4.0" in done.stdout
    asked = ("run", "culturalbench/hard", "--data", "culturalbench", "-m", "baseline/random", "--out", "run")
    run = typed(*asked)
    assert run.returncode == 0, run.stderr
    told = manifest(tmp_path / "run")
    assert told["fetched"] == [f"{CULTURAL}@{PINNED}"]
    assert told["data"] == {"CulturalBench-Hard.csv": sha256_of(folder / "CulturalBench-Hard.csv")}
    assert f"{CULTURAL}@{PINNED}" in (tmp_path / "run" / "report.html").read_text()


def test_data_that_were_changed_after_they_came_are_not_said_to_be_of_their_repository(
    fetch: Typed, tmp_path: Path, typed: Typed
) -> None:
    fetch("culturalbench", "--out", "here")
    with (tmp_path / "here" / "CulturalBench-Hard.csv").open("ab") as table:
        table.write(b"\n")
    run = typed("run", "culturalbench/hard", "--data", "here", "-m", "baseline/random", "--out", "run")
    assert run.returncode == 0, run.stderr
    told = manifest(tmp_path / "run")
    assert "fetched" not in told
    assert "Changed since it was fetched: CulturalBench-Hard.csv." in told["remarks"]
    again = fetch("culturalbench", "--out", "here")
    assert again.returncode == 2
    assert "was changed since it was fetched" in again.stderr


def test_what_is_there_is_not_asked_for_again_and_needs_no_network(fetch: Typed, hub: Hub, tmp_path: Path) -> None:
    fetch("culturalbench")
    asked = len(hub.asked)
    again = fetch("culturalbench/hard", "--offline")
    assert again.returncode == 0, again.stderr
    assert len(hub.asked) == asked
    elsewhere = fetch("culturalbench", "--offline", "--out", "copy")
    assert elsewhere.returncode == 0, elsewhere.stderr  # out of the hub's own cache
    assert len(hub.asked) == asked
    for name, data in hub.files[CULTURAL].items():
        assert (tmp_path / "copy" / name).read_bytes() == data


@pytest.mark.parametrize("name", ["culturalbench", "socialcc", "casa"])
def test_offline_asks_nobody_and_says_so(fetch: Typed, hub: Hub, name: str, typed: Typed) -> None:
    done = fetch(name, "--offline")
    assert done.returncode == 2
    assert "--offline asks nobody" in done.stderr
    assert done.stderr.count("\n") == 1
    assert not hub.asked
    run = typed("run", data_sources()[name].benchmarks[0], "--data", name)
    assert run.returncode == 2
    assert f"mores data fetch {name}" in run.stderr


def test_a_file_with_another_checksum_is_refused_and_nothing_is_kept(
    fetch: Typed, hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.files[SOCIAL] = {"SocialCC/data/SocialCC.csv": b"Data_ID\n1\n"}
    done = fetch("socialcc")
    assert done.returncode == 2
    assert "2bbd51cd16a4ce39d2b04bc51df8144986bc00e94727793e87500cdd591ffdd3" in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "xdg").exists()
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    other = fetch("socialcc", "--revision", "b" * 40)
    assert other.returncode == 0, other.stderr
    assert (tmp_path / "xdg" / "mores" / "socialcc" / "SocialCC.csv").read_bytes() == b"Data_ID\n1\n"
    assert f"{SOCIAL}@{'b' * 40}" in other.stdout
    assert all(TOKEN not in str(head) for _, path, head in hub.asked if path.startswith("github"))


def test_a_gated_set_is_given_to_a_key_in_the_environment_alone(
    fetch: Typed, hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.gated.add(CULTURAL)
    done = fetch("culturalbench")
    assert done.returncode == 2
    assert f"accept its terms at https://huggingface.co/datasets/{CULTURAL}" in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "xdg").exists()
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    assert fetch("culturalbench").returncode == 0


@pytest.mark.parametrize(("name", "repo", "file"), [
    ("culturalbench", CULTURAL, "CulturalBench-Hard.csv"), ("socialcc", SOCIAL, "SocialCC/data/SocialCC.csv"),
])  # fmt: skip
def test_a_download_that_breaks_is_gone_on_with_where_it_broke(
    fetch: Typed, hub: Hub, tmp_path: Path, name: str, repo: str, file: str
) -> None:
    hub.files[repo] = {file: b"Data_ID\n" + b"1\n" * 5_500_000, "CulturalBench-Easy.csv": b"question_idx\n"}
    hub.breaks = 10_900_000  # what came is kept in pieces of 10 MiB
    done = fetch(name, "--revision", NEWEST)
    assert done.returncode == 0, done.stderr
    assert [head["range"] for _, _, head in hub.asked if "range" in head] == ["bytes=10485760-"]
    found = json.loads((tmp_path / "xdg" / "mores" / name / "FETCHED.json").read_text())
    folder = tmp_path / "xdg" / "mores" / name
    for each in found["repositories"][0]["files"]:
        assert (folder / each["path"]).read_bytes() == hub.files[repo][each["name"]]


def test_a_set_without_a_known_revision_is_taken_at_the_newest_and_keeps_it(
    fetch: Typed, hub: Hub, tmp_path: Path
) -> None:
    hub.files["tqv25/casa"] = {"README.md": b"", "data/train.jsonl": b'{"country": "Japan"}\n'}
    done = fetch("casa")
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "xdg" / "mores" / "casa"
    assert sorted(path.name for path in folder.iterdir()) == ["FETCHED.json", "casa.jsonl"]
    assert f"tqv25/casa@{NEWEST}" in done.stdout
    assert "not known before" in done.stdout
    hub.files["tqv25/casa"]["data/other.jsonl"] = b"{}\n"
    several = fetch("casa", "--out", "other")
    assert several.returncode == 2
    assert "data/other.jsonl, data/train.jsonl" in several.stderr


def test_a_set_of_two_repositories_lies_in_one_folder(fetch: Typed, hub: Hub, tmp_path: Path) -> None:
    hub.files["TommyYe/CultureForest"] = {"Japan/Family.json": b"{}", "README.md": b""}
    hub.files["YYF-Tommy/CultureForest"] = {"evaluation/norms_both_acc.json": b"[]"}
    done = fetch("cultureforest", "--out", "forest")
    assert done.returncode == 0, done.stderr
    names = {str(p.relative_to(tmp_path / "forest")) for p in (tmp_path / "forest").rglob("*") if p.is_file()}
    assert names == {"FETCHED.json", "Japan/Family.json", "norms_both_acc.json"}


def test_nothing_of_a_user_is_overwritten(fetch: Typed, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "CulturalBench-Hard.csv").write_text("mine")
    done = fetch("culturalbench", "--out", "mine")
    assert done.returncode == 2
    assert "not overwritten" in done.stderr
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["CulturalBench-Hard.csv"]
    fetch("culturalbench", "--out", "held")
    other = fetch("culturalbench", "--out", "held", "--revision", NEWEST)
    assert other.returncode == 2
    assert PINNED in other.stderr


def test_what_only_people_get_is_told_and_written_down_once_it_is_there(fetch: Typed, hub: Hub, tmp_path: Path) -> None:
    done = fetch("wvs", "--out", "wvs")
    assert done.returncode == 2
    assert "worldvaluessurvey.org" in done.stderr
    (tmp_path / "wvs").mkdir()
    (tmp_path / "wvs" / "WVS_Wave_7.csv").write_text("Q1\n1\n")
    again = fetch("wvs", "--out", "wvs")
    assert again.returncode == 0, again.stderr
    found = json.loads((tmp_path / "wvs" / "FETCHED.json").read_text())
    assert [file["sha256"] for file in found["repositories"][0]["files"]] == [
        sha256_of(tmp_path / "wvs" / "WVS_Wave_7.csv")
    ]
    assert not hub.asked


def test_each_benchmark_with_data_has_a_source_with_its_licence_and_a_file_that_it_reads() -> None:
    own = [name for name in catalogue.names() if catalogue.folder_of(name) is None]  # others may have met folders
    for card in map(catalogue.card, own):
        name = source_of(card.name)
        assert (name is not None) == bool(card.files), card.name
        if name is not None:
            source = data_sources()[name]
            entries = [entry for each in source.repositories for entry in each.files]
            endings = {"x.csv", "x.jsonl", "x.parquet"}
            for entry in entries:
                places = {entry.place_of(each) for each in (endings if entry.is_pattern else {entry.name})}
                assert places <= set(card.files) or not entry.save_as, (card.name, places)
            assert {entry.place_of("x.csv" if entry.is_pattern else entry.name) for entry in entries} & set(card.files)
            assert source.licence == card.licence
    named = [name for source in data_sources().values() for name in source.benchmarks]
    assert len(named) == len(set(named)) == len(set(named) & set(catalogue.names()))


def test_what_is_known_of_a_source_has_the_form_of_what_it_is() -> None:
    for source in data_sources().values():
        for repository in source.repositories:
            assert repository.kind != "github" or len(repository.revision) == 40
            assert len(repository.revision) in {0, 40}
            assert all(len(entry.sha256) in {0, 64} for entry in repository.files)


def test_a_branch_is_taken_at_the_commit_that_it_is_at(fetch: Typed, tmp_path: Path) -> None:
    done = fetch("culturalbench", "--revision", "main")
    assert done.returncode == 0, done.stderr
    assert f"{CULTURAL}@{NEWEST}" in done.stdout
    other = fetch("socialcc", "--revision", "main")
    assert other.returncode == 2
    assert "40 hex digits" in other.stderr


def test_a_file_that_is_gone_is_fetched_again_at_the_same_revision(fetch: Typed, hub: Hub, tmp_path: Path) -> None:
    fetch("culturalbench", "--revision", NEWEST)
    lost = tmp_path / "xdg" / "mores" / "culturalbench" / "CulturalBench-Hard.csv"
    lost.unlink()
    done = fetch("culturalbench", "--revision", NEWEST)
    assert done.returncode == 0, done.stderr
    assert lost.read_bytes() == hub.files[CULTURAL]["CulturalBench-Hard.csv"]


@pytest.mark.parametrize(("name", "folder"), [("socialcc", "."), ("blend", "blend")])
def test_checksums_are_those_of_the_published_files(data: Path, name: str, folder: str) -> None:
    (repository,) = data_sources()[name].repositories
    for entry in repository.files:
        path = data / folder / entry.place_of(entry.name.removeprefix("data/"))
        own = path if path.is_file() else path.with_name(path.name.lower())
        assert (sha256_of(own), own.stat().st_size) == (entry.sha256, entry.bytes)
