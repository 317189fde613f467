"""Whatever the code of a benchmark raises or gives, its item is ungraded, the same at any concurrency."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from mores.benchmarks import catalogue
from mores.benchmarks.benchmark import Grading
from mores.core.errors import BudgetReached, InputError, RunError, StorageError
from mores.core.transcript import Transcript
from mores.core.verdict import Ungraded
from mores.models.request import CallFailed
from mores.runs.spec import Spec
from tests.endpoint import Endpoint
from tests.runs.conduct import hold, left, manifest, transcripts, verdicts, whole
from tests.runs.planted import kind_of, plant

EASY = "culturalbench/easy"


class Mute(Exception):
    """An error that cannot say what it is."""

    def __str__(self) -> str:
        raise RuntimeError("not even this")


def groups(error: Exception) -> BaseException:
    return BaseExceptionGroup("several", [ExceptionGroup("two", [error, ValueError("other")])])


ODD: dict[str, tuple[BaseException, str]] = {
    "mute": (Mute(), "Mute: its words cannot be read"),
    "empty": (ValueError(), "ValueError"),
    "controls": (ValueError("a\x1b[2J\nb\u202e\ud800"), "ValueError: a\\u001b[2J b\\u202e\\ud800"),
    "address": (ValueError("<object object at 0x7f0123456789>"), "ValueError: <object object at 0x…>"),
    "memory": (MemoryError(), "MemoryError"),
    "recursion": (RecursionError("too deep"), "RecursionError: too deep"),
    "cancelled": (asyncio.CancelledError(), "CancelledError"),
    "exit": (SystemExit(5), "SystemExit: 5"),
    "group": (groups(KeyError("x")), "KeyError: 'x'"),
    "input": (InputError("easy-3: no such label."), "InputError: easy-3: no such label."),
    "iteration": (StopAsyncIteration("done"), "StopAsyncIteration: done"),
}


def spec_of(cultural: Path, name: str = EASY, model: str = "simulated/typical", **more: Any) -> Spec:
    return Spec(benchmarks=(name,), models=(model,), data=str(cultural), **more)


def lost(folder: Path) -> dict[str, str]:
    return {v.about.item: v.raw for v in verdicts(folder) if isinstance(v, Ungraded)}


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("stage", ["play", "judge"])
def test_any_error_of_code_costs_its_item_and_is_told_on_one_line(
    odd: str, stage: str, tmp_path: Path, cultural: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    error, told = ODD[odd]
    plant(monkeypatch, kind_of(EASY), stage, error, on=lambda call: call == 7)
    assert hold(tmp_path, spec_of(cultural))
    (raw,) = lost(tmp_path).values()
    assert raw == f"error in mores: {told}"
    assert whole(tmp_path, "accuracy")["graded"] == 23


def test_a_huge_error_leaves_a_line(tmp_path: Path, cultural: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, kind_of(EASY), "play", ValueError("long " * 1_000_000), on=lambda call: call == 7)
    assert hold(tmp_path, spec_of(cultural))
    (raw,) = lost(tmp_path).values()
    assert len(raw) < 2_000


@pytest.mark.parametrize("error", [BudgetReached("used up"), StorageError("full"), RunError("over")])
def test_what_stops_a_run_stops_it_also_out_of_a_group(
    error: RunError, tmp_path: Path, cultural: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch, kind_of(EASY), "play", groups(error), on=lambda call: call == 7)
    with pytest.raises(type(error), match=str(error)):
        hold(tmp_path, spec_of(cultural))


def test_ctrl_c_within_an_item_stays_ctrl_c(tmp_path: Path, cultural: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, kind_of(EASY), "play", KeyboardInterrupt(), on=lambda call: call == 7)
    with pytest.raises(KeyboardInterrupt):
        hold(tmp_path, spec_of(cultural))


def test_a_failed_call_that_code_lets_pass_is_a_failed_call(
    tmp_path: Path, cultural: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch, kind_of(EASY), "play", CallFailed("http 500", "ill"), on=lambda call: call == 7)
    assert hold(tmp_path, spec_of(cultural))
    assert manifest(tmp_path)["ungraded"] == {"http 500": 2}


GIVEN: dict[str, tuple[Callable[[Grading], Any], str]] = {
    "nothing": (lambda _: None, "judge gave nothing; expected a Grading"),
    "verdicts": (lambda g: g.verdicts, "judge gave a tuple; expected a Grading"),
    "none of them": (lambda _: Grading(()), "judge gave no verdict on the task 'strict' of ITEM, which is due"),
    "one less": (
        lambda g: Grading(g.verdicts[:1]),
        "judge gave no verdict on the task 'lenient' of ITEM, which is due",
    ),
    "one more": (
        lambda g: Grading((*g.verdicts, replace(g.verdicts[0], task="lax"))),
        "judge gave a verdict on the task 'lax' of ITEM, which is not due",
    ),
    "one twice": (
        lambda g: Grading((*g.verdicts, g.verdicts[0])),
        "judge gave a verdict on the task 'strict' of ITEM, which is not due",
    ),
    "of another sample": (
        lambda g: Grading(tuple(replace(v, sample=1) for v in g.verdicts)),
        "judge gave a verdict on sample 1; expected 0",
    ),
    "words": (lambda _: Grading(("right", "right")), "judge gave a str for a verdict; expected Graded or Ungraded"),  # type: ignore[arg-type]
    "not a number": (
        lambda g: Grading(tuple(replace(v, points=float("nan")) for v in g.verdicts)),
        "judge gave nan for points; expected a finite number of Python's own",
    ),
    "a number of numpy": (
        lambda g: Grading(tuple(replace(v, points=np.float64(1)) for v in g.verdicts)),
        "judge gave np.float64(1.0) for points; expected a finite number of Python's own",
    ),
    "a label that is none": (
        lambda g: Grading(tuple(replace(v, label=5) for v in g.verdicts)),
        "judge gave (5, 'c') for a label and its gold one; expected words",
    ),
}


@pytest.mark.parametrize("given", GIVEN)
def test_a_judge_that_gives_other_verdicts_than_are_due_costs_the_item(
    given: str, tmp_path: Path, cultural: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    change, told = GIVEN[given]
    kind, real = kind_of(EASY), kind_of(EASY).judge

    async def judge(self: Any, item: Any, transcript: Transcript, *rest: Any) -> Any:
        grading = await real(self, item, transcript, *rest)
        return change(grading) if item.about.item == "easy-2" else grading

    monkeypatch.setattr(kind, "judge", judge)
    assert hold(tmp_path, spec_of(cultural))
    assert lost(tmp_path) == {"easy-2": f"error in mores: Unfit: {told.replace('ITEM', 'easy-2')}"}
    assert {v.gold for v in verdicts(tmp_path) if isinstance(v, Ungraded)} == {"c"}


@pytest.mark.parametrize("given", [None, "words", Transcript(item="other", sample=0, events=())])
def test_a_play_that_gives_no_transcript_of_its_item_costs_the_item(
    given: object, tmp_path: Path, cultural: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind, real = kind_of(EASY), kind_of(EASY).play

    async def play(self: Any, item: Any, *rest: Any) -> Any:
        return given if item.about.item == "easy-2" else await real(self, item, *rest)

    monkeypatch.setattr(kind, "play", play)
    assert hold(tmp_path, spec_of(cultural))
    (raw,) = lost(tmp_path).values()
    assert raw.endswith("expected the transcript of easy-2, sample 0")


def test_what_cannot_be_written_costs_the_item(tmp_path: Path, cultural: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kind, real = kind_of(EASY), kind_of(EASY).judge

    async def judge(self: Any, item: Any, transcript: Transcript, *rest: Any) -> Any:
        grading = await real(self, item, transcript, *rest)
        odd = tuple(replace(verdict, reason="half a pair: \ud800") for verdict in grading.verdicts)
        return Grading(odd) if item.about.item in {"easy-2", "easy-5"} else grading

    monkeypatch.setattr(kind, "judge", judge)
    assert hold(tmp_path, spec_of(cultural))
    assert set(lost(tmp_path)) == {"easy-2", "easy-5"}
    assert all("UnicodeEncodeError" in raw for raw in lost(tmp_path).values())


@pytest.mark.parametrize("stage", ["play", "judge"])
@pytest.mark.parametrize("name", [EASY, "culturalbench/hard"])
def test_the_same_errors_leave_the_same_bytes_at_any_concurrency(
    name: str, stage: str, tmp_path: Path, cultural: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind, real = kind_of(name), getattr(kind_of(name), stage)

    async def planted(self: Any, item: Any, *rest: Any) -> Any:
        if item.about.item.endswith(("1", "7")):
            raise ValueError(item.about.item)
        return await real(self, item, *rest)

    monkeypatch.setattr(kind, stage, planted)
    for concurrency in (1, 3, 64):
        assert hold(tmp_path / str(concurrency), spec_of(cultural, name), concurrency=concurrency)
    first, *others = (left(tmp_path / str(concurrency)) for concurrency in (1, 3, 64))
    assert all(other == first for other in others)


def test_other_models_and_samples_are_graded_whole(
    tmp_path: Path, cultural: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch, kind_of(EASY), "judge", ValueError("x"), on=lambda call: call % 10 == 3)
    models = ("simulated/typical", "simulated/expert", "baseline/random")
    spec = Spec(benchmarks=(EASY, "culturalbench/hard"), models=models, data=str(cultural), samples=3, temperature=1.0)
    assert hold(tmp_path, spec, concurrency=64)
    cells = sorted(path.parent for path in tmp_path.glob("*/verdicts.jsonl"))
    assert len(cells) == 6
    for cell in cells:
        asked = sum(1 for _ in verdicts(cell))
        assert asked == (24 if "easy" in cell.name else 96) * 3 * 2


def test_an_item_that_failed_is_tried_again_from_the_journal_and_ends_so_each_time(
    tmp_path: Path, cultural: Path, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = spec_of(cultural, model="vllm/test", base_url=endpoint.url)
    kind, real = kind_of(EASY), kind_of(EASY).judge

    async def judge(self: Any, item: Any, *rest: Any) -> Any:
        if item.about.item == "easy-2":
            raise ValueError("always")
        return await real(self, item, *rest)

    with monkeypatch.context() as patch:
        patch.setattr(kind, "judge", judge)
        assert hold(tmp_path, spec)
        before = left(tmp_path)
        endpoint.reset()
        assert hold(tmp_path, spec)
        assert left(tmp_path) == before
        assert endpoint.counts().requests == 0
    assert hold(tmp_path, spec)
    assert lost(tmp_path) == {}
    assert endpoint.counts().requests == 0


def test_a_play_whose_judging_failed_is_kept_and_can_be_judged(
    tmp_path: Path, cultural: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch, kind_of(EASY), "judge", ValueError("x"), on=lambda call: call == 3)
    assert hold(tmp_path, spec_of(cultural))
    (broken,) = (each for each in transcripts(tmp_path) if each["events"][-1]["event"] == "failed")
    assert [event["event"] for event in broken["events"]] == ["asked", "answered", "failed"]
    assert broken["events"][-1]["role"] == "judge"
    assert json.loads(json.dumps(broken))["events"][1]["text"]


@pytest.mark.parametrize("name", catalogue.names())
def test_a_benchmark_that_has_labels_says_which_is_right_of_what_is_due(name: str) -> None:
    from tests.benchmarks.plays import Open, tiny, verdicts_of  # noqa: PLC0415

    benchmark, setting, items = tiny(name)
    item = items[0]
    given = verdicts_of(benchmark, setting, [item], Open("simulated/expert"))
    golds = {(v.task, v.about.part): v.gold for v in given if v.gold is not None}
    owed = {(due.task, due.about.part): due.gold for due in benchmark.due(item)}
    assert {key: owed.get(key) for key in golds} == golds
