"""Votes: every word of every judge is stored, the same bytes however the run was carried out."""

import random
from pathlib import Path

import pytest
from msgspec.structs import replace

from mores.annotation.judged_items import judged_evaluations, judged_things
from mores.core.codec import encode_lines
from mores.core.errors import BudgetReached, InputError
from mores.core.verdict import Graded, JudgeAnswer, JudgedUnit, Ungraded, Vote, decode_votes, in_order
from mores.runs.spec import Spec
from tests.annotation.conftest import Shape
from tests.annotation.runs import SHAPES, judged_again, made, talks, thick, things
from tests.benchmarks.plays import TINY
from tests.benchmarks.thick import normad
from tests.endpoint import Endpoint
from tests.runs.conduct import begin, hold, kill_after, mores, until, verdicts

WORKED_OUT = {"behaviour", "live", "on_time", "unreached"}
JURY = ("simulated/judge", "simulated/judge:sensitivity=0.7", "simulated/novice")


def votes(folder: Path) -> list[Vote]:
    return list(decode_votes((folder / "votes.jsonl").read_bytes().splitlines(), where="votes"))


@pytest.mark.parametrize("name", SHAPES)
def test_every_verdict_of_a_judge_has_votes(name: str, shape: Shape) -> None:
    found = votes(shape(name))
    voted = {(vote.item, vote.sample, task) for vote in found for task in [vote.task]}
    judged = {
        (v.about.item, v.sample, v.task) for v in verdicts(shape(name))
        if isinstance(v, Graded) and v.ballot is not None
        and v.task not in {"behaviour", "live", "on_time", "unreached"}
    }  # fmt: skip
    assert judged
    assert judged <= voted
    assert all(vote.prompt and vote.said for vote in found)


@pytest.mark.parametrize("name", SHAPES)
def test_the_word_of_all_judges_is_the_runs_own_verdict(name: str, shape: Shape, tmp_path: Path) -> None:
    run = judged_again(tmp_path / "again", shape(name), SHAPES[name], *JURY, runs=2)
    by_thing = {each.thing: each for each in things(run)}
    compared = 0
    for verdict in verdicts(run):
        part = verdict.about.part if verdict.about.part != verdict.task else ""
        each = by_thing.get(JudgedUnit(verdict.about.item, verdict.sample, verdict.task, None, part))
        if each is None or (isinstance(verdict, Graded) and verdict.ballot is None):
            continue
        compared += 1
        if isinstance(verdict, Ungraded):
            assert each.label is None
            assert each.points is None or each.options
        elif each.options:
            assert each.label == (verdict.label or "neither")
        else:
            assert each.points == pytest.approx(verdict.points)
    assert compared or name == "liveculture/town"


def test_a_jury_of_several_runs_leaves_a_vote_for_each(tmp_path: Path, scenes: Path, shape: Shape) -> None:
    run = judged_again(tmp_path / "again", shape("socialcc/dialogue"), SHAPES["socialcc/dialogue"], *JURY, runs=3)
    for each in things(run):
        if each.prompt:
            assert {judge: [vote.draw for vote in own] for judge, own in each.votes.items()} == {
                "judge": [3 * each.thing.sample + n for n in range(3)],
                "judge2": [3 * each.thing.sample + n for n in range(3)],
                "judge3": [3 * each.thing.sample + n for n in range(3)],
            }


def test_judging_more_often_adds_draws_and_keeps_those_that_were_there(tmp_path: Path) -> None:
    run = thick(tmp_path / "run", 20, judge="simulated/judge", runs=2)
    spec = Spec(benchmarks=("cure/normad_thick",), data=str(tmp_path / "run.csv"), limit="all")
    more = judged_again(tmp_path / "more", run, spec, "simulated/judge", runs=5)
    few = {each.thing: each.answers() for each in things(run)}
    many = {each.thing: each.answers() for each in things(more)}
    assert few.keys() == many.keys()
    assert all(len(said) == 5 for said in many.values())
    assert all(many[thing][:2] == said for thing, said in few.items())


@pytest.mark.parametrize("name", ["socialcc/dialogue", "liveculture/town", "cultureforest/hard repeated"])
def test_concurrency_changes_no_byte_of_the_votes(name: str, tmp_path: Path) -> None:
    for concurrency in (1, 7, 64):
        assert hold(tmp_path / str(concurrency), SHAPES[name], concurrency=concurrency)
    left = [(tmp_path / str(n) / "votes.jsonl").read_bytes() for n in (1, 7, 64)]
    assert left[0] == left[1] == left[2]


def test_a_judged_run_that_was_cut_short_leaves_the_same_votes(tmp_path: Path, endpoint: Endpoint) -> None:
    spec = Spec(benchmarks=("cure/normad_thick",), models=("vllm/subject",), roles={"judge": "vllm/judge"},
                data=str(TINY / "cure"), samples=4, temperature=0.7, judge_samples=3, judge_temperature=1.0,
                base_url=endpoint.url)  # fmt: skip
    assert hold(tmp_path / "calm", spec)
    endpoint.reset()
    with pytest.raises(BudgetReached):
        hold(tmp_path / "cut", spec, max_calls=13)
    assert not (tmp_path / "cut" / "votes.jsonl").exists()
    assert hold(tmp_path / "cut", spec)
    assert (tmp_path / "cut" / "votes.jsonl").read_bytes() == (tmp_path / "calm" / "votes.jsonl").read_bytes()


def test_a_run_that_is_killed_while_it_judges_again_ends_with_the_same_votes(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    data = normad(tmp_path / "normad.csv", 8)
    run = ("run", "cure/normad_thick", "--model", "vllm/subject", "--judge", "vllm/judge", "--base-url", endpoint.url,
           "--data", data, "--limit", "all", "--out", tmp_path / "run")  # fmt: skip
    assert mores(*run, cwd=tmp_path).returncode == 0
    again = ("judge", tmp_path / "run", "--judge", "vllm/other", "--samples", 6, "--judge-temperature", 1,
             "--base-url", endpoint.url, "--concurrency", 4)  # fmt: skip
    calm = mores(*again, "--out", tmp_path / "calm", cwd=tmp_path)
    assert calm.returncode == 0, calm.stderr
    endpoint.set(latency_ms=8)
    rng_seed = random.Random("votes")
    for _ in range(2):
        endpoint.reset()
        kill_after(begin(*again, "--out", tmp_path / "killed", cwd=tmp_path), endpoint, rng_seed.randint(3, 20))
        until(lambda: endpoint.counts().in_flight == 0)
    done = mores(*again, "--out", tmp_path / "killed", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "killed" / "votes.jsonl").read_bytes() == (tmp_path / "calm" / "votes.jsonl").read_bytes()
    assert {len(each.answers()) for each in things(tmp_path / "calm")} == {6}


def test_a_judge_that_fails_leaves_its_cause_and_no_word(tmp_path: Path) -> None:
    run = talks(tmp_path / "run", 30, judge="simulated/judge:failure=0.3")
    causes = {said.cause for vote in votes(run) for said in vote.said.values() if not said.given}
    assert causes == {"simulated failure"}
    for each in things(run):
        if each.prompt and not each.answers()[0].given:
            assert (each.label, each.points, each.answers()[0].label) == (None, None, None)


def test_a_reply_that_was_asked_for_once_more_is_one_vote_with_its_last_words(tmp_path: Path) -> None:
    run = thick(tmp_path / "run", 60, judge="simulated/judge:format_error=0.4")
    found = votes(run)
    assert len(found) == 60 == len({(vote.item, vote.judge, vote.draw) for vote in found})
    unread = [said.cause for vote in found for said in vote.said.values() if not said.given]
    assert 0 < len(unread) < 30  # both of two replies cannot be read


def test_a_run_without_votes_says_what_to_do_and_resuming_writes_them(tmp_path: Path) -> None:
    spec = replace(SHAPES["ladder/explain"], seed=3)
    run = made(tmp_path / "run", spec)
    before = (run / "votes.jsonl").read_bytes()
    (run / "votes.jsonl").unlink()
    (evaluation,) = judged_evaluations([run])
    with pytest.raises(InputError, match=r"no votes.jsonl.*mores resume .*mores judge .* --judge SPEC"):
        list(judged_things(evaluation))
    made(run, spec)
    assert (run / "votes.jsonl").read_bytes() == before


def test_an_answer_that_leaves_nothing_to_judge_is_nothing_to_label(tmp_path: Path) -> None:
    run = talks(tmp_path / "run", 12, models=("simulated/typical:refusal=1",))
    assert {v.task for v in verdicts(run) if isinstance(v, Graded)} >= {"awareness", "behaviour"}
    assert things(run) == []


def test_where_nobody_judges_there_are_no_votes(tmp_path: Path) -> None:
    run = made(tmp_path / "run", Spec(benchmarks=("ladder/know",), data=str(TINY / "ladder")))
    assert not (run / "votes.jsonl").exists()


def test_votes_are_put_in_one_order_and_read_back() -> None:
    lines = [
        Vote(item="i", sample=0, task=task, step=step, judge=judge, draw=draw, prompt="p",
            said={norm: JudgeAnswer(label="n")})
        for task in ("b", "a") for step in (None, 2) for norm in ("n2", "n1") for judge in ("judge2", "judge")
        for draw in (1, 0)
    ]  # fmt: skip
    ordered = in_order(lines)
    assert in_order(reversed(lines)) == ordered
    assert tuple(decode_votes(encode_lines(ordered).splitlines(), where="votes")) == ordered
    first, last = ordered[0], ordered[-1]
    assert (first.task, first.step, first.judge, first.draw) == ("a", None, "judge", 0)
    assert (last.task, last.step, last.judge, last.draw) == ("b", 2, "judge2", 1)


@pytest.mark.parametrize("line", [b"{", b'{"item": 1}', b"\xff"])
def test_a_damaged_line_of_votes_is_named(line: bytes) -> None:
    with pytest.raises(InputError, match=r"votes.jsonl:1: no vote of a judge"):
        list(decode_votes([line], where="votes.jsonl"))
