"""A study is a file, a manifest is one too, and each pair of model and benchmark has a folder of its own."""

import math
from pathlib import Path

import pytest

from mores.benchmarks import catalogue
from mores.core.errors import InputError
from mores.runs.protocol import protocol_of
from mores.runs.spec import ExecutionSpec, Spec
from mores.runs.specify import read_study
from tests.endpoint import Endpoint
from tests.runs.conduct import Typed, hold, left, manifest, whole

STUDY = """
benchmarks = ["culturalbench"]
models = ["simulated/typical", "simulated/novice", "baseline/first"]
data = "{data}"
limit = 8
seed = 3
[conditions]
concurrency = 4
"""
EASY = ("culturalbench/easy",)


def test_a_study_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "STUDY.toml"
    path.write_text(STUDY.format(data=tmp_path))
    spec, conditions = read_study(path)
    models = ("simulated/typical", "simulated/novice", "baseline/first")
    assert spec == Spec(benchmarks=("culturalbench",), models=models, data=str(tmp_path), limit=8, seed=3)
    assert conditions == ExecutionSpec(concurrency=4)


def test_a_study_names_files_of_its_settings_from_where_it_lies(tmp_path: Path) -> None:
    (tmp_path / "topics.csv").write_text("question_idx,topic\n1,Food\n")
    settings = '[settings]\ntopics = "topics.csv"\npeople = "elsewhere.csv"\n'
    (tmp_path / "STUDY.toml").write_text(f'benchmarks = ["culturalbench/easy"]\n{settings}')
    spec, _ = read_study(tmp_path / "STUDY.toml")
    assert spec.settings == {"topics": str(tmp_path / "topics.csv"), "people": "elsewhere.csv"}


@pytest.mark.parametrize(
    ("home", "why"),
    [("XX", "--fact home: No place is called 'XX'"), ("China", "--fact home=China: expected its ISO code, CN.")],
)
def test_the_home_of_a_provider_is_a_place_by_its_code(home: str, why: str, typed: Typed) -> None:
    refused = typed("run", "--fact", f"home={home}", "--dry")
    assert refused.returncode == 2
    assert why in refused.stderr


def test_asking_for_a_judges_log_probabilities_is_another_spec() -> None:
    card = catalogue.card("ladder/converse")
    plain, spelt = Spec(), Spec(judge_logprobs=True)
    assert plain.hash != spelt.hash
    asked = [protocol_of(card, spec).judging for spec in (plain, spelt)]
    assert [each.sampling.logprobs for each in asked if each] == [False, True]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("modles = []", "unknown field ['modles']; known are ['answer_tokens'"),
        ("[conditions]\nconcurency = 1", "STUDY.toml: conditions: unknown field ['concurency']"),
        ('limit = "ten"', "limit."),
        ("limit = ", "not TOML"),
        ('models = "simulated/typical"', "models: "),
    ],
)
def test_a_slip_in_a_study_is_one_clear_line(tmp_path: Path, text: str, why: str, typed: Typed) -> None:
    (tmp_path / "STUDY.toml").write_text(text)
    refused = typed("run", "STUDY.toml")
    assert refused.returncode == 2
    assert why in refused.stderr
    assert len(refused.stderr.splitlines()) == 1


def test_each_pair_has_a_folder_and_a_manifest_reproduces_them(tmp_path: Path, cultural: Path, typed: Typed) -> None:
    (tmp_path / "STUDY.toml").write_text(STUDY.format(data=cultural))
    first = typed("run", "STUDY.toml", "--out", "first")
    assert first.returncode == 0, first.stderr
    evaluations = [evaluation["folder"] for evaluation in manifest(tmp_path / "first")["cells"]]
    assert len(set(evaluations)) == 6
    again = typed("run", "first/manifest.json", "--out", "again")
    assert again.returncode == 0, again.stderr
    for evaluation in evaluations:
        assert left(tmp_path / "first" / evaluation) == left(tmp_path / "again" / evaluation)
        assert whole(tmp_path / "first" / evaluation, "accuracy")["asked"] == 8


def test_what_is_typed_stands_over_what_a_study_says(tmp_path: Path, cultural: Path, typed: Typed) -> None:
    (tmp_path / "STUDY.toml").write_text(STUDY.format(data=cultural))
    words = ["run", "STUDY.toml", "--model", "simulated/expert", "--limit", 3, "--concurrency", 2, "--out", "run"]
    assert typed(*words).returncode == 0
    head = manifest(tmp_path / "run")
    assert head["spec"]["models"] == ["simulated/expert"]
    assert (head["spec"]["limit"], head["spec"]["seed"], head["conditions"]["concurrency"]) == (3, 3, 2)


def test_typing_the_default_stands_over_what_a_study_says(tmp_path: Path, cultural: Path, typed: Typed) -> None:
    (tmp_path / "STUDY.toml").write_text(STUDY.format(data=cultural))
    assert typed("run", "STUDY.toml", "--concurrency", 64, "--seed", 0, "--out", "run").returncode == 0
    head = manifest(tmp_path / "run")
    assert (head["spec"]["seed"], head["conditions"]["concurrency"]) == (0, 64)


@pytest.mark.parametrize("files", [("a_b.csv", "a-b.csv"), ("雨.csv", "雪.csv")])
def test_models_of_like_names_have_folders_of_their_own(tmp_path: Path, cultural: Path, files: tuple[str, str]) -> None:
    for name, letter in zip(files, "AB", strict=True):
        rows = "".join(f"easy-{number},{letter}\n" for number in range(24))
        (tmp_path / name).write_text(f"item,reply\n{rows}")
    models = tuple(f"recorded/{tmp_path / name}" for name in files)
    assert hold(tmp_path / "run", Spec(benchmarks=EASY, models=models, data=str(cultural)))
    folders = {evaluation["folder"] for evaluation in manifest(tmp_path / "run")["cells"]}
    assert len(folders) == 2


def test_a_model_that_cannot_be_asked_is_said_before_anything_is_asked(
    tmp_path: Path, cultural: Path, endpoint: Endpoint
) -> None:
    models = ("vllm/test", "recorded/none.csv")
    with pytest.raises(InputError, match=r"none\.csv: cannot be read"):
        hold(tmp_path / "run", Spec(benchmarks=EASY, models=models, data=str(cultural), base_url=endpoint.url))
    assert endpoint.counts().requests == 0


@pytest.mark.parametrize(
    "wrong",
    [
        {"concurrency": 0},
        {"concurrency": -1},
        {"attempts": 0},
        {"timeout": 0},
        {"timeout": math.nan},
        {"requests_per_minute": 0},
        {"max_calls": -1},
    ],
)
def test_conditions_under_which_nothing_could_be_asked_are_refused(
    tmp_path: Path, cultural: Path, endpoint: Endpoint, wrong: dict[str, object]
) -> None:
    spec = Spec(benchmarks=EASY, models=("vllm/test",), data=str(cultural), base_url=endpoint.url)
    with pytest.raises(InputError):
        hold(tmp_path / "run", spec, seconds=0.4, **wrong)


def test_a_study_of_no_model_or_no_benchmark_is_refused(tmp_path: Path, cultural: Path) -> None:
    for empty in (Spec(benchmarks=(), data=str(cultural)), Spec(benchmarks=EASY, models=(), data=str(cultural))):
        with pytest.raises(InputError):
            hold(tmp_path / "run", empty)


def test_a_real_run_names_its_places_by_any_name(tmp_path: Path, cultural: Path, endpoint: Endpoint) -> None:
    spec = Spec(benchmarks=EASY, models=("vllm/test",), data=str(cultural), base_url=endpoint.url, places=("japan",))
    assert hold(tmp_path, spec)
    assert endpoint.counts().requests == 6 + 1


def test_data_that_changed_since_is_refused_on_resume(tmp_path: Path, cultural: Path) -> None:
    table = tmp_path / "culturalbench-easy.csv"
    table.write_bytes((cultural / table.name).read_bytes())
    spec = Spec(benchmarks=EASY, data=str(tmp_path))
    assert hold(tmp_path / "run", spec)
    table.write_text(table.read_text().replace("feast 3", "wedding 3"))
    with pytest.raises(InputError, match=r"culturalbench-easy\.csv"):
        hold(tmp_path / "run", spec)


def test_one_evaluation_of_a_study_cannot_be_resumed_as_if_it_were_the_study(
    tmp_path: Path, cultural: Path, typed: Typed
) -> None:
    assert hold(tmp_path / "study", Spec(benchmarks=("culturalbench",), data=str(cultural)))
    evaluation = tmp_path / "study" / manifest(tmp_path / "study")["cells"][0]["folder"]
    before = left(evaluation)
    typed("resume", evaluation)
    assert left(evaluation) == before
    assert manifest(evaluation)["kind"] == "cell"
    assert not [path for path in evaluation.iterdir() if path.is_dir()]
