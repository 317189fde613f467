"""Topics by a named model: drawn several times, most draws decide, people get a sheet without labels."""

import asyncio
import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

import mores
from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.models.cast import Cast
from mores.models.request import CallFailed, Reply, Request
from mores.pipelines.funnel import Dropped, Kept
from mores.pipelines.norms.norm_base_file import BASE, read_base
from mores.pipelines.norms.pipeline import NormsOptions, norms_pipeline
from mores.pipelines.norms.topics import SHEET, TABLE, TOPICS, TopicLabel, TopicText, topics_pipeline
from mores.pipelines.pipeline import BuildResult, Pipeline, build
from mores.runs.spec import ExecutionSpec
from tests.pipelines.scripted import Scripted

ROLES = {"labeller": "simulated/typical"}
DATA = Path(__file__).parents[3] / "shared" / "data" / "culturalbench-easy.csv"


def built(pipeline: Pipeline[TopicText, TopicLabel], folder: Path) -> BuildResult:
    addresses = dict.fromkeys(pipeline.roles.values())
    return asyncio.run(build(pipeline, folder, ExecutionSpec(), seed=Seed("mores-0"), addresses=addresses))


def table(path: Path, rows: int = 40) -> Path:
    lines = [f'{n},"What do people do on day {n}?"' for n in range(rows)]
    path.write_text("question_idx,prompt_question\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return path


def outcome(path: Path, script: Callable[[Request], str | Reply | CallFailed]) -> object:
    pipeline = topics_pipeline(source=table(path, 1), roles=ROLES)
    return asyncio.run(pipeline.outcome_of(pipeline.units[0], Cast({"labeller": Scripted(script)})))


def by_draw(*said: tuple[str, str]) -> Callable[[Request], str]:
    return lambda request: json.dumps(dict(zip(("topic", "domain"), said[request.tag.sample], strict=True)))


def test_most_draws_decide_and_say_how_sure(tmp_path: Path) -> None:
    found = outcome(tmp_path / "t.csv", by_draw(("food", "family"), ("food", "etiquette"), ("dining", "etiquette")))
    assert isinstance(found, Kept)
    assert (found.value.topic, found.value.domain) == ("food", "etiquette")
    assert found.value.topic_share == pytest.approx(2 / 3)


def test_no_majority_is_no_label(tmp_path: Path) -> None:
    found = outcome(tmp_path / "t.csv", by_draw(("food", "family"), ("work", "family"), ("dining", "family")))
    assert isinstance(found, Dropped)
    assert found.reason == "no label that most draws gave"


def test_one_draw_that_failed_is_no_label_of_the_others(tmp_path: Path) -> None:
    def script(request: Request) -> str | CallFailed:
        return (
            CallFailed("http 503", passing=True) if request.tag.sample == 1 else '{"topic": "food", "domain": "family"}'
        )

    found = outcome(tmp_path / "t.csv", script)
    assert isinstance(found, Dropped)
    assert found.transient


def test_a_table_becomes_a_column_that_culturalbench_reads(tmp_path: Path) -> None:
    if not DATA.is_file():
        pytest.skip(f"no {DATA.name} beside the project")
    out = tmp_path / "out"
    assert built(topics_pipeline(source=DATA, roles=ROLES, draws=1, limit=60), out).finished
    topics = {
        row["question_idx"]: row["topic"]
        for row in csv.DictReader((out / TABLE).read_text(encoding="utf-8").splitlines())
    }
    assert len(topics) == 60
    assert set(topics.values()) <= set(TOPICS)
    found = mores.run(
        "culturalbench/easy", data=DATA.parent, setting={"topics": str(out / TABLE)}, limit=100, out=tmp_path / "run"
    )
    assert any(topic in TOPICS for topic in found.estimates["topic"])


def test_people_get_the_least_sure_of_each_topic_and_no_label(tmp_path: Path) -> None:
    out = tmp_path / "out"
    built(topics_pipeline(source=table(tmp_path / "t.csv", 200), roles=ROLES), out)
    rows = list(csv.DictReader((out / SHEET).read_text(encoding="utf-8").splitlines()))
    assert 17 <= len(rows) <= 5 * 17
    assert {row["topic"] + row["domain"] + row["annotator"] for row in rows} == {""}


def test_a_norm_base_keeps_what_its_sources_say_and_gets_the_rest(tmp_path: Path) -> None:
    mine = tmp_path / "mine.csv"
    mine.write_text(
        "id,place,statement,source,topic\na,Japan,Shoes come off.,A page,Homes\nb,Japan,One bows.,A page,\n"
    )
    norms = norms_pipeline(NormsOptions(sources=(str(mine),)))
    asyncio.run(build(norms, tmp_path / "norms", ExecutionSpec(), seed=Seed("mores-0"), addresses={}))
    built(topics_pipeline(source=tmp_path / "norms" / BASE, roles=ROLES), tmp_path / "out")
    found = {norm.id: norm for norm in read_base(tmp_path / "out" / "norms.jsonl").norms}
    assert found["a"].topic == "Homes"
    assert found["b"].topic in TOPICS
    assert all(norm.domain for norm in found.values())


@pytest.mark.parametrize(
    ("change", "says"),
    [({"roles": {}}, "labeller=SPEC"), ({"draws": 0}, "--draws 0"), ({"id_column": "nothing"}, "nothing")],
)
def test_bad_input_is_one_line(tmp_path: Path, change: dict[str, object], says: str) -> None:
    given = {"source": table(tmp_path / "t.csv"), "roles": ROLES, **change}
    with pytest.raises(InputError, match=says):
        topics_pipeline(**given)  # type: ignore[arg-type]
