"""Results written for the hub, and put there only when asked; read by pandas, Arrow and the hub's own library."""

import csv
import json
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import huggingface_hub
import pandas as pd
import pyarrow.parquet as pq
import pytest
import yaml

import mores
from mores.api.notebook import Runs
from mores.cli.show_details import items_of
from mores.core.canary import CANARY_LINE
from mores.core.errors import InputError
from mores.exports.hub.texts import TABLES
from tests.data.hub import NEWEST, TOKEN, Hub, keep_apart, serving
from tests.runs.conduct import Done, Typed

TINY = Path(__file__).parents[1] / "benchmarks" / "tiny"
REPO = "norms/results"
Exported = Callable[..., Done]


def recorded(folder: Path, benchmark: str, data: Path, **options: Any) -> Runs:
    """A run of answers that somebody has recorded: the same word to each question."""
    path, word = folder / "answers.csv", {"culturalbench/hard": "True", "cure/casa_thin": "no"}[benchmark]
    folder.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as table:
        csv.writer(table).writerows(
            [("item", "reply"), *((each.about.item, word) for each in items_of(benchmark, data))]
        )
    return mores.run(benchmark, model=f"recorded/{path}", data=data, out=folder / "run", **options)


@pytest.fixture(scope="module")
def hard(tmp_path_factory: pytest.TempPathFactory, cultural: Path) -> Runs:
    """Answers to all questions of a small CulturalBench, by its protocol."""
    return recorded(tmp_path_factory.mktemp("hard"), "culturalbench/hard", cultural)


@pytest.fixture(scope="module")
def casa(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """Answers to questions that may not be passed on for every use."""
    return recorded(tmp_path_factory.mktemp("casa"), "cure/casa_thin", TINY / "cure", limit="all")


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    with serving() as found:
        monkeypatch.setenv("HF_ENDPOINT", found.url)
        keep_apart(tmp_path, monkeypatch)
        yield found


def test_the_folder_loads_in_pandas_and_arrow_and_has_the_tables_of_the_run(runs: Runs, tmp_path: Path) -> None:
    runs.export("hub", tmp_path)
    for benchmark in ("ladder/know", "ladder/judge"):
        for name in TABLES:
            path = tmp_path / "data" / benchmark.replace("/", "_") / f"{name}.parquet"
            own = [row for row in getattr(runs, name) if row["benchmark"] == benchmark]
            read = pq.read_table(path).to_pylist()
            assert len(read) == len(own) == len(pd.read_parquet(path))
            same = [key for key in own[0] if key in read[0] and key != "run"]
            assert [{key: row[key] for key in same} for row in read] == [{key: row[key] for key in same} for row in own]
    items = pd.read_parquet(tmp_path / "data" / "ladder_know" / "items.parquet")
    assert items["question"].str.len().min() > 20
    assert set(items["canary"]) == {CANARY_LINE}


def test_the_page_names_the_tables_and_says_first_what_is_simulated(runs: Runs, tmp_path: Path) -> None:
    runs.export("hub", tmp_path)
    page = (tmp_path / "README.md").read_text()
    head = huggingface_hub.metadata_load(tmp_path / "README.md")
    assert head is not None
    assert head["license"] == "cc-by-4.0"
    assert {"mores", "simulated"} <= set(head["tags"])
    for config in head["configs"]:
        (only,) = config["data_files"]
        assert (tmp_path / only["path"]).is_file()
    assert "Simulated" in page.partition("| benchmark")[0].rpartition("---")[2]
    assert CANARY_LINE in page
    told = yaml.safe_load((tmp_path / "eval.yaml").read_text())
    configs = {config["config_name"] for config in head["configs"]}
    assert {task["config"] for task in told["tasks"]} == {"ladder_know", "ladder_judge"} < configs
    card = json.loads((tmp_path / "data" / "ladder_know" / "benchmark_card.json").read_text())
    assert card["ethical_and_legal_considerations"]["data_licensing"] == "CC-BY-4.0"


def test_languages_are_those_of_the_hubs_list_and_their_regions_stand_beside(tmp_path: Path) -> None:
    made = mores.run("blend/saq_local", model="simulated/typical", data=TINY / "blend", limit=3, out=tmp_path / "run")
    made.export("hub", tmp_path / "hub")
    head = huggingface_hub.metadata_load(tmp_path / "hub" / "README.md")
    assert head is not None
    assert all(re.fullmatch("[a-z]{2,3}", language) for language in head["language"])
    assert {"am", "ar", "ha", "ko", "zh"} <= set(head["language"])
    assert {"ar-DZ", "ko-KP", "ko-KR"} <= set(head["language_bcp47"])


def test_no_folder_of_this_machine_is_published(hard: Runs, tmp_path: Path) -> None:
    again = shutil.copytree(hard.folders[0], tmp_path / "twice")
    both = mores.load([hard.folders[0], again])  # one model in two runs is named by its run
    both.export("hub", tmp_path / "hub")
    for path in (tmp_path / "hub").rglob("*"):
        if path.suffix == ".parquet":
            said = [str(value) for row in pq.read_table(path).to_pylist() for value in row.values()]
            assert not any("/tmp" in each or str(tmp_path) in each for each in said), path
        elif path.is_file():
            assert str(tmp_path.parent) not in path.read_text()
    estimates = pd.read_parquet(tmp_path / "hub" / "data" / "culturalbench_hard" / "estimates.parquet")
    assert set(estimates["model"]) == {"recorded/answers.csv in run", "recorded/answers.csv in twice"}


def test_words_of_items_stay_here_where_their_licence_does_not_permit_to_pass_them_on(
    casa: Runs, tmp_path: Path
) -> None:
    left = casa.export("hub", tmp_path)
    assert any("cure/casa_thin" in line and "CC-BY-NC-4.0" in line for line in left)
    with (TINY / "cure" / "casa.csv").open() as table:
        words = {row[key] for row in csv.DictReader(table) for key in ("user_query", "symbol_desc", "violated_norm")}
    published = ""
    for path in sorted(tmp_path.rglob("*")):
        if path.suffix == ".parquet":
            table = pq.read_table(path)
            assert not {"gold", "reason", "raw", "cluster", "question"} & set(table.column_names)
            published += str(table.to_pylist())
        elif path.is_file():
            published += path.read_text()
    assert not [each for each in words if each in published]
    verdicts = pd.read_parquet(tmp_path / "data" / "cure_casa_thin" / "verdicts.parquet")
    assert list(verdicts["item"]) == [row["item"] for row in casa.verdicts]
    assert list(verdicts["points"]) == [row["points"] for row in casa.verdicts]
    head = huggingface_hub.metadata_load(tmp_path / "README.md")
    assert head is not None
    assert head["license"] == "other"


def test_items_of_somebodys_own_pack_stay_here(tmp_path: Path) -> None:
    own = mores.run("ladder/know", data=TINY / "ladder", out=tmp_path / "run")
    left = own.export("hub", tmp_path / "hub")
    assert any("another pack" in line for line in left)
    assert "question" not in pq.read_table(tmp_path / "hub" / "data" / "ladder_know" / "items.parquet").column_names


@pytest.fixture
def exported(typed: Typed) -> Exported:
    """`mores export` of a run for the hub, with further words."""
    return lambda run, *words: typed("export", *run.folders, "--to", "hub", "--out", "hub", *words)


def test_the_hubs_library_reads_a_headline_with_all_that_its_format_has_no_place_for(
    exported: Exported, hard: Runs, tmp_path: Path
) -> None:
    done = exported(hard, "--push", REPO)
    assert done.returncode == 0, done.stderr
    assert "nothing was uploaded" in done.stderr
    (path,) = (tmp_path / "hub" / "models").rglob("*.yaml")
    assert path.parts[-2:] == (".eval_results", "mores-culturalbench_hard.yaml")
    (entry,) = huggingface_hub.parse_eval_result_entries(yaml.safe_load(path.read_text()))
    whole = hard.results.evaluations[0].overall()
    assert whole is not None
    assert (entry.dataset_id, entry.task_id, entry.value) == (REPO, "culturalbench_hard", whole.value)
    assert entry.source_url == f"https://huggingface.co/datasets/{REPO}"
    assert entry.notes is not None
    assert f"95 % {whole.low:.3f}–{whole.high:.3f}; 24 questions" in entry.notes
    assert "card 1" in entry.notes


def test_no_headline_is_written_for_what_is_simulated_or_a_baseline(
    exported: Exported, runs: Runs, tmp_path: Path
) -> None:
    done = exported(runs, "--push", REPO, "--as-departed")
    assert not (tmp_path / "hub" / "models").exists()
    assert done.stderr.count("it is simulated") == done.stderr.count("it is a baseline") == 2


@pytest.mark.parametrize("change", [{"temperature": 0.7}, {"places": "JP"}, {"limit": 8}])
def test_a_departure_is_refused_unless_it_is_asked_for_and_then_it_is_said(
    exported: Exported, change: dict[str, Any], cultural: Path, tmp_path: Path
) -> None:
    departed = recorded(tmp_path / "made", "culturalbench/hard", cultural, **change)
    assert "--as-departed" in exported(departed, "--push", REPO).stderr
    assert not (tmp_path / "hub" / "models").exists()
    shutil.rmtree(tmp_path / "hub")
    exported(departed, "--push", REPO, "--as-departed")
    (path,) = (tmp_path / "hub" / "models").rglob("*.yaml")
    (entry,) = huggingface_hub.parse_eval_result_entries(yaml.safe_load(path.read_text()))
    assert entry.notes is not None
    assert "departs from the protocol" in entry.notes


def test_of_two_runs_of_a_model_the_first_gives_the_headline(hard: Runs, tmp_path: Path) -> None:
    again = shutil.copytree(hard.folders[0], tmp_path / "twice")
    left = mores.load([hard.folders[0], again]).export("hub", tmp_path / "hub", repo=REPO)
    assert [line for line in left if "in twice" in line and "another run of the model" in line]
    assert len([*(tmp_path / "hub" / "models").rglob("*.yaml")]) == 1


def test_a_part_of_a_run_gives_no_headline(exported: Exported, cultural: Path, tmp_path: Path) -> None:
    part = recorded(tmp_path / "made", "culturalbench/hard", cultural, shard="1/2")
    assert "it is a part of a run" in exported(part, "--push", REPO, "--as-departed").stderr
    assert not (tmp_path / "hub" / "models").exists()


def test_nothing_is_uploaded_unless_asked_and_then_the_files_of_the_dataset_alone(
    exported: Exported, hard: Runs, tmp_path: Path, hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert exported(hard, "--push", REPO).returncode == 0
    assert not hub.asked
    refused = exported(hard, "--push", REPO, "--commit")
    assert (refused.returncode, hub.committed) == (2, {})
    assert "hf auth login" in refused.stderr
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    done = exported(hard, "--push", REPO, "--commit")
    assert done.returncode == 0, done.stderr
    assert f"{hub.url}/datasets/{REPO}/commit/{NEWEST}" in done.stderr
    written = {str(p.relative_to(tmp_path / "hub")): p for p in (tmp_path / "hub").rglob("*") if p.is_file()}
    ours = {name for name in written if not name.startswith("models/")}
    assert hub.committed.keys() == ours < written.keys()
    assert all(hub.committed[name] == written[name].read_bytes() for name in ours)
    request = exported(hard, "--push", REPO, "--create-pr")
    assert f"{hub.url}/datasets/{REPO}/discussions/1" in request.stderr


@pytest.mark.parametrize(("words", "said"), [
    (("--to", "csv", "--push", REPO), "--push and --to csv"), (("--to", "hub", "--commit"), "--push ORG/NAME"),
    (("--to", "hub", "--push", "results"), "ORG/NAME"),
    (("--to", "hub", "--push", REPO, "--commit", "--create-pr"), "expected one of them"),
])  # fmt: skip
def test_what_cannot_be_pushed_so_is_refused_in_one_line(
    hard: Runs, tmp_path: Path, typed: Typed, words: tuple[str, ...], said: str
) -> None:
    done = typed("export", hard.folders[0], *words, "--out", "out")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert said in done.stderr
    assert not (tmp_path / "out").exists()


def test_an_unfinished_run_is_not_exported(hard: Runs, tmp_path: Path) -> None:
    cut = shutil.copytree(hard.folders[0], tmp_path / "cut")
    (cut / "estimates.json").unlink()
    with pytest.raises(InputError, match="mores resume"):
        mores.load(cut).export("hub", tmp_path / "hub")
