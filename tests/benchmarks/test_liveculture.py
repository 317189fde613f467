"""Days in town: what verifiers say and fail to say, and that what was planted is found again."""

import asyncio
import json
from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from mores.benchmarks import catalogue
from mores.benchmarks.benchmark import Grading, Setting, summarise
from mores.benchmarks.liveculture.benchmark import benchmark as liveculture
from mores.benchmarks.liveculture.town_setup import LiveCultureTownSetup
from mores.benchmarks.shapes.days.benchmark import JUDGED_AT_ONCE, DayBenchmark, own_sampling
from mores.benchmarks.shapes.days.grading import DayGrader, DayItem, latched
from mores.benchmarks.shapes.days.verifier import SIDES, SITUATION
from mores.core.codec import encode
from mores.core.errors import InputError
from mores.core.estimate import Estimate
from mores.core.seeds import Seed
from mores.core.transcript import SpeechEvent, StepStartEvent, Subtask, SubtaskCheckEvent, Transcript
from mores.core.verdict import Graded, Ungraded, Verdict
from mores.core.verdict_table import VerdictTable
from mores.models.cast import Cast
from mores.models.request import Reply, Request
from mores.norms.norm_base import KINDS
from mores.worlds.town.people import WordColumn
from mores.worlds.town.plans import DayPlan
from mores.worlds.town.planted import MISFITS
from mores.worlds.town.population_files import write_population
from mores.worlds.town.sampling import sample_population
from mores.worlds.town.streets import build_town
from tests.benchmarks.plays import TINY, Open, Script, figure, perform, setting_of, verdicts_of

DATA = TINY / "liveculture"
WAIT = '{"deed": "wait", "say": "Well.", "leave": true}'
Room = tuple[DayBenchmark, Setting, Sequence[DayItem]]


def room(data: Path = DATA, roles: dict[str, str] | None = None, **settings: str) -> Room:
    """The benchmark on some data, with some of its options."""
    benchmark = liveculture("town")
    chosen = {**benchmark.card.protocol.settings, **settings}
    setting = structs.replace(setting_of(benchmark, data, settings=chosen), roles=roles or {})
    return benchmark, setting, benchmark.items(setting)


def verdicts(room: Room, say: Callable[[Request], str | None], count: int = 1) -> list[Verdict]:
    """The verdicts on the first days."""
    benchmark, setting, items = room
    return verdicts_of(benchmark, setting, items[:count], Script(say))


def transcript(room: Room, say: Callable[[Request], str | None]) -> Transcript:
    """The first day."""
    benchmark, setting, items = room
    return perform(benchmark, setting, items[:1], Script(say))[0][0]


def ids_of(request: Request) -> list[str]:
    """What a list is asked about; nothing where one thing is."""
    fields = json.loads(request.schema or "{}").get("properties", {})
    found: list[str] = fields["answers"]["items"]["properties"]["id"]["enum"] if "answers" in fields else []
    return found


def options_of(request: Request) -> list[str]:
    """What may be chosen."""
    fields = json.loads(request.schema or "{}")["properties"]
    each = fields["answers"]["items"]["properties"] if "answers" in fields else fields
    found: list[str] = each["choice"]["enum"]
    return found


def said(ids: Sequence[str], choice: str) -> str:
    return json.dumps({"answers": [{"id": name, "reason": "So.", "choice": choice} for name in ids]})


def calm(request: Request) -> str:
    """Minds wait, and the verifier says the first thing that it may say of all."""
    if request.tag.role != "judge":
        return WAIT
    choice = options_of(request)[-1]
    ids = ids_of(request)
    return said(ids, choice) if ids else json.dumps({"reason": "So.", "choice": choice})


def of(task: str, found: Sequence[Verdict]) -> list[Verdict]:
    return [verdict for verdict in found if verdict.task == task]


def test_ids_that_are_missing_are_asked_for_once_more_and_no_others() -> None:
    asked: list[Request] = []

    def say(request: Request) -> str:
        asked.append(request)
        ids = ids_of(request)
        if "violated" in (request.schema or "") and len(ids) > 2:
            return said(ids[1:-1], "respected")
        return calm(request)

    found = of("norms", verdicts(room(steps="2"), say))
    norms = [request for request in asked if "violated" in (request.schema or "")]
    first, again = (r for r in norms if r.tag.step < 10_000)
    assert ids_of(again) == [ids_of(first)[0], ids_of(first)[-1]]
    assert again.messages[: len(first.messages)] == first.messages
    assert ids_of(again)[0] in again.messages[-1].content
    assert again.tag.step == first.tag.step + 1
    assert len(norms) == 4
    assert all(isinstance(verdict, Graded) and verdict.points == 1.0 for verdict in found)


def test_at_the_papers_pressure_others_are_there_to_challenge_the_target_and_at_gentle_go_about_their_day() -> None:
    told: dict[str, set[str]] = {}
    for level in ("paper", "gentle"):
        asked: list[Request] = []

        def say(request: Request, asked: list[Request] = asked) -> str:
            asked.append(request)
            return calm(request)

        verdicts(room(pressure=level, steps="6"), say)
        told[level] = {request.messages[0].content for request in asked if request.tag.role == "supporter"}
    assert all("make it hard for them" in words for words in told["paper"])
    assert all("go about your own day" in words for words in told["gentle"])
    assert all(told.values())
    assert room()[1].protocol.settings["pressure"] == "paper"


@pytest.mark.parametrize(
    ("word", "label", "step", "mean"), [("respected", "open", None, 1.0), ("violated", "violated", 0.0, 0.0)]
)
def test_a_norm_that_stays_open_leaves_open_only_what_it_could_decide(
    word: str, label: str, step: float | None, mean: float
) -> None:
    def say(request: Request) -> str:
        ids = ids_of(request)
        return said(ids[1:], word) if "violated" in (request.schema or "") else calm(request)

    benchmark, setting, items = room(steps="2")
    found = verdicts_of(benchmark, setting, items[:1], Script(say))
    on_norms = [verdict for verdict in of("norms", found) if isinstance(verdict, Graded)]
    assert [verdict.label for verdict in on_norms] == [label] * 2
    assert all("norms are open (judge: missing ids)" in verdict.reason for verdict in on_norms)
    figures = summarise(benchmark, VerdictTable(found), setting)
    by_step, by_norm = figure(figures, "adherence_step"), figure(figures, "adherence_mean")
    assert (by_step.value, by_step.asked, by_step.graded) == (step, 1, int(step is not None))
    assert (by_norm.value, by_norm.graded) == (mean, 1)


def test_who_says_nothing_that_can_be_read_keeps_to_no_norm_and_no_verifier_is_asked() -> None:
    asked: list[Request] = []

    def say(request: Request) -> str:
        asked.append(request)
        return "Hm." if request.tag.role == "subject" else calm(request)

    benchmark, setting, items = room(steps="3")
    figures = summarise(benchmark, VerdictTable(verdicts_of(benchmark, setting, items[:1], Script(say))), setting)
    assert figure(figures, "format_error").value == 1.0
    assert (figure(figures, "adherence_step").value, figure(figures, "adherence_mean").value) == (0.0, 0.0)
    assert figure(figures, "adherence_applicable").value is None  # no norm came up
    assert not any("violated" in (request.schema or "") for request in asked)


@pytest.mark.parametrize("words", ["", "All is well.", '{"answers": 3}', "[]", '{"answers": [{"id": "x"}]}'])
def test_a_verifier_that_fails_leaves_verdicts_open_and_the_day_goes_on(words: str) -> None:
    benchmark, setting, items = room()
    found = verdicts_of(benchmark, setting, items[:1], Watched(lambda _: words))
    for task in ("norms", "goal", "on_time", "unreached", "profile", "context", "coherence"):
        assert of(task, found)
        assert all(isinstance(v, Ungraded) and v.cause.startswith("judge: ") for v in of(task, found)), task
    (steps,) = of("steps", found)
    assert isinstance(steps, Graded)
    assert steps.points > 10


def test_norms_are_judged_in_lists_of_the_set_size_and_all_of_them() -> None:
    """At home a target is held to three norms of the tiny base that fit there surely enough."""
    for size, lists in (("all", [3]), ("2", [2, 1]), ("1", [1, 1, 1])):
        sizes: list[int] = []

        def say(request: Request, sizes: list[int] = sizes) -> str:
            if "violated" in (request.schema or ""):
                sizes.append(len(ids_of(request)))
            return calm(request)

        verdicts(room(steps="1", norm_list=size), say)
        assert sizes == lists


def test_only_norms_that_fit_a_place_surely_enough_are_held_against_a_step() -> None:
    for least, there in (("0.5", False), ("0.1", True)):
        asked: list[str] = []

        def say(request: Request, asked: list[str] = asked) -> str:
            asked.extend(ids_of(request))
            return calm(request)

        verdicts(room(steps="1", confidence=least), say)
        assert any(name.endswith("-doubtful") for name in asked) == there


def test_three_readings_of_adherence_stand_side_by_side() -> None:
    """Of a place's norms one is violated, one respected, the rest do not come up."""

    def say(request: Request) -> str:
        ids = ids_of(request)
        if "violated" not in (request.schema or ""):
            return calm(request)
        words = ["violated", "respected", *["not applicable"] * (len(ids) - 2)]
        rows = [{"id": n, "reason": "So.", "choice": word} for n, word in zip(ids, words, strict=True)]
        return json.dumps({"answers": rows})

    benchmark, setting, items = room(steps="2")
    found = verdicts_of(benchmark, setting, items[:1], Script(say))
    figures = summarise(benchmark, VerdictTable(found), setting)
    home = benchmark.norms(items[0], setting)["apartment"]
    assert figure(figures, "adherence_step").value == 0
    assert figure(figures, "adherence_mean").value == pytest.approx(1 - 1 / len(home))
    assert figure(figures, "adherence_applicable").value == pytest.approx(1 / 2)
    assert figure(figures, "not_applicable").value == pytest.approx(1 - 2 / len(home))


def test_a_task_that_is_done_stays_done_and_counts_in_its_window() -> None:
    words = (False, True, None, False, True)
    checks = [SubtaskCheckEvent(step=n, minute=480 + 30 * n, subtask=1, done=done) for n, done in enumerate(words)]
    assert latched(checks) == {1: 510}


class Watched(Script):
    """Minds that go about their tasks, as simulated ones do, and a verifier that says what a function says."""

    def __init__(self, say: Callable[[Request], str | None]) -> None:
        super().__init__(say)
        self.minds = Open("simulated/expert:format_error=0")

    async def ask(self, request: Request) -> Reply:
        return await super().ask(request) if request.tag.role == "judge" else await self.minds.ask(request)


def of_tasks(request: Request) -> bool:
    """True where the verifier is asked which tasks are done."""
    return all(name.isdecimal() for name in ids_of(request))


def done(request: Request, word: str) -> str:
    return said(ids_of(request), word)


def goal_of(say: Callable[[Request], str | None]) -> Verdict:
    """The verdict on the goal, where this is said of tasks."""
    benchmark, setting, items = room()
    door = Watched(lambda r: say(r) if of_tasks(r) else calm(r))
    (goal,) = of("goal", verdicts_of(benchmark, setting, items[:1], door))
    return goal


def test_a_goal_is_open_where_the_last_word_on_a_task_is_missing() -> None:
    goal = goal_of(lambda _: "hm")
    assert isinstance(goal, Ungraded)
    assert goal.cause == "judge: not JSON"


def test_a_missing_word_on_a_task_does_not_matter_once_it_is_known() -> None:
    asked: dict[str, int] = {}

    def later(request: Request) -> str:
        for task in ids_of(request):
            asked[task] = asked.get(task, 0) + 1
        # twice: it is asked once more for the form's sake
        return "hm" if asked[ids_of(request)[0]] <= 2 else done(request, "yes")

    goal = goal_of(later)
    assert isinstance(goal, Graded)
    assert goal.points > 0
    assert max(asked.values()) == 3


def test_a_task_is_asked_about_only_where_the_kind_of_place_is_right() -> None:
    benchmark, setting, items = room()
    (day, _), *_ = perform(benchmark, setting, items[:1], Watched(lambda r: done(r, "no") if of_tasks(r) else calm(r)))
    stage = benchmark.stage(items[0], setting)
    kinds = {task.id: task.kind for task in stage.plan.subtasks}
    where = {e.step: stage.location(e.where).kind for e in day.events if isinstance(e, StepStartEvent)}
    checks = [event for event in day.events if isinstance(event, SubtaskCheckEvent)]
    assert checks
    assert all(where[check.step] == kinds[check.subtask] for check in checks)


def test_at_each_step_one_call_asks_of_every_open_task_that_needs_such_a_place(tmp_path: Path) -> None:
    """Two tasks in the mall, one found done at once: both are asked about in one call, and later the other alone."""
    benchmark, setting, items = room()
    stage = benchmark.stage(items[0], setting)
    mall = [Subtask(id=n, words=f"errand {n}", kind="mall", start=480 + n, end=1000) for n in (1, 2)]
    plan = DayPlan(goal="Shop.", subtasks=(*mall, Subtask(id=3, words="a walk", kind="park", start=500, end=1010)))
    (ground,) = benchmark.grounds.values()
    assert isinstance(ground, LiveCultureTownSetup)
    ground.plans[items[0].target] = plan  # type: ignore[index]
    asked: dict[int, list[str]] = {}

    def say(request: Request) -> str:
        if not of_tasks(request):
            return calm(request)
        asked[request.tag.step] = ids_of(request)
        rows = [{"id": n, "reason": "So.", "choice": "yes" if n == "2" else "no"} for n in ids_of(request)]
        assert "2: errand 2 (suits best 08:02–16:40)" in request.messages[0].content or "2" not in ids_of(request)
        return json.dumps({"answers": rows})

    found = verdicts_of(benchmark, setting, items[:1], Watched(say))
    lists = [asked[step] for step in sorted(asked)]
    at_the_mall = [ids for ids in lists if "3" not in ids]
    assert at_the_mall[0] == ["1", "2"]
    assert at_the_mall[1:]
    assert all(ids == ["1"] for ids in at_the_mall[1:])
    assert len({step // 10_000 for step in asked}) == len(asked)
    assert stage.plan != plan
    (goal,) = of("goal", found)
    assert isinstance(goal, Graded)
    assert goal.points == pytest.approx(1 / 3)


def test_what_the_day_never_reached_stands_apart_from_what_was_left() -> None:
    """A day of four steps at home: no other kind of place was reached; who has a task at home has left that."""
    benchmark, setting, items = room(steps="4")
    found = verdicts_of(benchmark, setting, items[:12], Script(calm))
    for item, goal, never in zip(items, of("goal", found), of("unreached", found), strict=False):
        tasks = benchmark.stage(item, setting).plan.subtasks
        there = sum(task.kind != "apartment" or task.start >= 9 * 60 for task in tasks)
        assert isinstance(goal, Graded)
        assert isinstance(never, Graded)
        assert goal.points == 0.0
        assert never.points == pytest.approx(there / len(tasks))


@pytest.mark.parametrize(
    ("words", "metric"),
    [("", "format_error"), ("Hm.", "format_error"), ('{"deed": "go", "to": 4711}', "refused"), (WAIT, None)],
)
def test_what_a_target_cannot_say_or_do_is_counted(words: str, metric: str | None) -> None:
    benchmark, setting, items = room(steps="3")
    door = Script(lambda r: words if r.tag.role == "subject" else calm(r))
    figures = summarise(benchmark, VerdictTable(verdicts_of(benchmark, setting, items[:1], door)), setting)
    for name in ("format_error", "refused", "refusal"):
        assert figure(figures, name).value == float(name == metric)


def test_a_silent_word_in_a_conversation_is_a_format_error_too() -> None:
    def say(request: Request) -> str:
        if request.tag.role == "subject":
            return '{"deed": "do", "action": "visit a neighbour", "say": ""}'
        return calm(request)

    benchmark, setting, items = room(steps="1")
    with_others = next(item for item in items if _seen(benchmark, setting, item))
    found = of("deed", verdicts_of(benchmark, setting, [with_others], Script(say)))
    assert [(v.label, v.fault) for v in found if isinstance(v, Graded)] == [("format_error", "format_error")]


def _seen(benchmark: DayBenchmark, setting: Setting, item: DayItem) -> bool:
    day = perform(benchmark, setting, [item], Script(calm))[0][0]
    return any(event.present for event in day.events if isinstance(event, StepStartEvent))


def test_everybody_comes_from_the_targets_place_where_one_culture_was_chosen() -> None:
    for count in (1, 3):
        benchmark, setting, items = room(cultures=str(count))
        plain, own_setting, _ = room()
        for item in items[:12]:
            people = benchmark.stage(item, setting).population
            before = plain.stage(item, own_setting).population
            origins = {people.nationality[person] for person in range(len(people))}
            assert len(origins) <= count
            assert people.nationality[item.target] == before.nationality[item.target] in origins
            assert people.name[item.target] == before.name[item.target]


def test_names_fit_the_places_that_people_are_said_to_come_from() -> None:
    benchmark, setting, items = room(cultures="1")
    plain = room()[0].stage(items[0], room()[1]).population
    known: dict[str, set[str]] = {}
    for person in range(len(plain)):
        known.setdefault(plain.nationality[person], set()).add(plain.name[person])
    for item in items[:12]:
        people = benchmark.stage(item, setting).population
        assert all(people.name[p] in known[people.nationality[p]] for p in range(len(people)))


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"cultures": "0"}, "cultures=0"),
        ({"cultures": "many"}, "cultures=many"),
        ({"confidence": "2"}, "confidence=2"),
        ({"confidence": "sure"}, "confidence=sure"),
        ({"norm_list": "0"}, "norm_list=0"),
        ({"steps": "x"}, "steps=x"),
        ({"steps": "0"}, "steps=0: expected a whole number from 1"),
        ({"pressure": "soft"}, "soft"),
    ],
)
def test_a_setting_that_cannot_be_used_is_refused_before_anybody_is_asked(settings: dict[str, str], says: str) -> None:
    with pytest.raises(InputError, match=says):
        room(DATA, None, **settings)


@pytest.mark.parametrize(
    ("spec", "drawn", "cuts"),
    [
        ("vllm/Qwen/Qwen3-8B", (0.6, 0.95), {"top_k": 20, "min_p": 0.0}),
        ("openrouter/qwen/qwen-3-32b", (0.6, 0.95), {"top_k": 20, "min_p": 0.0}),
        ("vllm/mistralai/Ministral-3-8B-Reasoning-2512", (0.7, 0.95), {}),
        ("vllm/meta-llama/Llama-3.3-70B-Instruct", (0.6, 0.9), {}),
        ("vllm/meta-llama/Meta-Llama-3-8B-Instruct", (0.6, 0.9), {}),
        ("gemini/gemini-2.5-pro", (1.0, 0.95), {"top_k": 64}),
    ],
)
def test_the_papers_models_draw_their_words_as_in_its_table_12(
    spec: str, drawn: tuple[float, float], cuts: dict[str, float]
) -> None:
    benchmark, setting, _ = room(roles={"subject": spec}, decoding="paper")
    sampling = own_sampling(setting)
    assert (sampling.temperature, sampling.top_p, sampling.cuts) == (*drawn, cuts)
    assert sampling.max_tokens == setting.protocol.sampling.max_tokens
    (told,) = (remark for remark in benchmark.remarks(setting) if "table 12" in remark)
    assert f"temperature {drawn[0]:g}, top_p {drawn[1]:g}" in told
    assert all(f"{name} {value:g}" in told for name, value in cuts.items())
    plainly, plain, _ = room(roles={"subject": spec})
    assert own_sampling(plain).temperature is None
    assert not any("table 12" in remark for remark in plainly.remarks(plain))


def test_a_model_that_the_paper_has_not_run_has_no_preset() -> None:
    with pytest.raises(InputError, match="table 12 has no openai/gpt-4"):
        room(roles={"subject": "openai/gpt-4"}, decoding="paper")


def test_data_that_are_not_there_never_pass_for_the_default(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"--data .*nowhere: no such file or folder"):
        room(tmp_path / "nowhere")
    with pytest.raises(InputError, match=r"nothing of a town in it; expected population\.jsonl"):
        room(tmp_path)


def _lines(day: Transcript) -> list[bytes]:
    return [encode(event) for event in day.events if not getattr(event, "role", "")]


def test_the_cultures_of_a_day_are_those_of_the_target_and_of_whom_it_spoke_with() -> None:
    def say(request: Request) -> str:
        if request.tag.role == "judge":
            return calm(request)
        return '{"deed": "do", "action": "visit a neighbour", "say": "Hello.", "leave": false}'

    benchmark, setting, items = room(steps="3", nearby="1")
    for item in items[:8]:
        ((day, found),) = perform(benchmark, setting, [item], Script(say))
        people = benchmark.stage(item, setting).population
        spoke = {event.who for event in day.events if isinstance(event, SpeechEvent)} | {item.target}
        assert {v.about.groups["cultures"] for v in found} == {str(len({people.nationality[p] for p in spoke}))}


LIVE = {"AU": 0.9, "CN": 0.5, "DE": 0.1}
"""Planted in the subject by origin; whoever knows acts on it."""
ERRS = {"sensitivity": 0.95, "specificity": 0.97}


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """150 people of three origins, each with two to six norms a kind of place."""
    folder = tmp_path_factory.mktemp("planted")
    root = Seed("planted")
    people = sample_population(150, root.child("people"), town=build_town(root.child("streets")))
    origins = list(LIVE)
    own = WordColumn.column([origins[person % 3] for person in range(len(people))])
    write_population(structs.replace(people, nationality=own), folder / "population.jsonl")
    rows: list[dict[str, Any]] = [{"base": "mores town norms 1", "made_from": "tests", "made_by": "hand"}]
    for origin in origins:
        for number in range(6):
            fits = [{"kind": k, "confidence": 1.0, "reason": "made up"} for k in KINDS[: _count(number)]]
            rows.append({"id": f"{origin}-{number}", "place": origin, "statement": "People are kind.",
                         "source": "made up", "fits": fits})  # fmt: skip
    (folder / "town-norms.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return folder


def _count(number: int) -> int:
    """Kinds of place at which a norm holds: the first two everywhere, the others at fewer."""
    return 8 if number < 2 else 8 - number


def expected(origin: str, norms: int) -> tuple[float, float]:
    """Share of steps without a violation, and mean share of norms that are not violated, as the verifier finds them.

    With chance q the target knows the norms of a step and keeps to them, else it does so in half of the cases. Two
    norms come up. Of a norm that is kept, the verifier says violated with (1 - sensitivity) / 2, of one that is
    violated with specificity, of one that does not come up with (1 - specificity) / 2.
    """
    keeps = LIVE[origin] + (1 - LIVE[origin]) / 2
    kept, idle = (1 - ERRS["sensitivity"]) / 2, (1 - ERRS["specificity"]) / 2
    rest = norms - 2
    step = [(1 - said) ** 2 * (1 - idle) ** rest for said in (kept, ERRS["specificity"])]
    mean = [1 - (2 * said + rest * idle) / norms for said in (kept, ERRS["specificity"])]
    return keeps * step[0] + (1 - keeps) * step[1], keeps * mean[0] + (1 - keeps) * mean[1]


@cache
def figures_of_planted(data: Path, seed: str) -> tuple[Estimate, ...]:
    benchmark, setting, items = room(data, steps="14", nearby="1", utterances="2")
    known = ",".join(f"{origin}.live={q}" for origin, q in LIVE.items())
    errs = ",".join(f"{name}={value}" for name, value in ERRS.items())
    spec = f"simulated/typical:{known},apply_known=1,format_error=0,{errs}"
    found = verdicts_of(benchmark, setting, items, Open(spec, seed))
    return summarise(benchmark, VerdictTable(found), setting)


def test_what_is_planted_by_origin_and_place_is_found_within_intervals_in_spite_of_the_verifiers_errors(
    planted: Path,
) -> None:
    """Apartments and schools have different numbers of norms, so that each kind of place has a truth of its own."""
    inside, of_all = 0, 0
    benchmark, setting, items = room(planted)
    counts = {kind: len(norms) for kind, norms in benchmark.norms(items[0], setting).items()}
    assert len(set(counts.values())) > 3
    for seed in ("a", "b"):
        found = figures_of_planted(planted, seed)
        for kind, count in counts.items():
            truths = [expected(origin, count) for origin in LIVE]
            for which, metric in enumerate(("adherence_step", "adherence_mean")):
                estimate = next((e for e in found if e.metric == metric and e.group == {"location": kind}), None)
                if estimate is None or estimate.graded < 30:
                    continue
                truth = sum(t[which] for t in truths) / 3  # every third resident comes from each
                assert estimate.low is not None
                assert estimate.high is not None
                inside += estimate.low <= truth <= estimate.high
                of_all += 1
    assert of_all >= 10
    assert inside / of_all >= 0.8


def test_origins_are_told_apart_as_they_were_planted(planted: Path) -> None:
    found = figures_of_planted(planted, "a")
    values = [figure(found, "adherence_step", nationality=origin) for origin in LIVE]
    for better, worse in pairwise(values):
        assert (better.low or 0) > (worse.high or 1)


def test_what_does_not_fit_person_situation_and_what_went_before_is_found_as_often_as_planted(planted: Path) -> None:
    """A deed fits each with chance .95; the verifier, of three words, errs towards each of the other two alike."""
    found = figures_of_planted(planted, "a")
    right, wrong = ERRS["sensitivity"], ERRS["specificity"]
    consistent = 0.95 * right + 0.05 * (1 - wrong) / 2
    inconsistent = 0.95 * (1 - right) / 2 + 0.05 * wrong
    assert figure(found, "faithfulness").value == pytest.approx(consistent / (consistent + inconsistent), abs=0.01)
    for metric in ("context", "coherence"):
        assert figure(found, metric).value == pytest.approx(0.95 * right + 0.05 * (1 - wrong), abs=0.015)


def test_what_may_be_planted_is_what_the_verifier_is_asked() -> None:
    assert tuple(MISFITS) == (*SIDES, *SITUATION)


def test_the_room_is_found_by_its_card() -> None:
    assert isinstance(catalogue.load("liveculture/town"), DayBenchmark)


def test_only_so_many_days_are_judged_at_once_and_all_are() -> None:
    benchmark, setting, items = room()
    under_way, most = 0, 0

    async def slowly(_: DayGrader) -> Grading:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0.01)
        under_way -= 1
        return Grading(())

    slow, over = structs.replace(benchmark, grade=slowly), Transcript(item=items[0].about.item, sample=0, events=())

    async def go() -> list[Grading]:
        cast = Cast({"judge": Script(lambda _: None)})
        return await asyncio.gather(*(slow.judge(items[0], over, cast, setting) for _ in range(JUDGED_AT_ONCE + 9)))

    assert len(asyncio.run(go())) == JUDGED_AT_ONCE + 9
    assert most == JUDGED_AT_ONCE
