"""`mores judge --samples`, `mores judge sets`, `selective`, `apply` and what they write, on simulated runs."""

import csv
import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mores.annotation.sample import read_sample
from mores.runs.evaluation import VOTES
from tests.annotation.people import simulate
from tests.annotation.runs import talks
from tests.benchmarks.plays import TINY
from tests.endpoint import Endpoint
from tests.runs.conduct import Done, Typed, begin, kill_after, left, mores, until
from tests.runs.conftest import typed

__all__ = ["typed"]
K = 6
PLACES = "BD,CA,CO,DE,ET,GB,GR,IR,IT,JM,JO,JP,KE,KR,KZ,MA,NZ"
NOVICE = "simulated/novice:format_error=0"


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Talks of the ladder with what is needed to calibrate their judge: draws, samples, labels."""
    folder = tmp_path_factory.mktemp("calibrated")
    lines: list[tuple[object, ...]] = [
        ("run", "ladder/converse", "--places", PLACES, "--out", "run", "--seed", 3),
        ("judge", "run", "--judge", "simulated/judge:sensitivity=.85,specificity=.85", "--samples", K,
         "--judge-temperature", 1, "--logprobs", "--out", "draws"),
        ("judge", "sample", "run", "--n", 120, "--task", "goal", "--out", "sample"),
    ]  # fmt: skip
    for words in lines:
        done = mores(*words, cwd=folder)
        assert done.returncode == 0, done.stderr
    run, perfect = folder / "run", ("--people", 1, "--accuracy", 1)
    simulate(run, "--sample", folder / "sample", *perfect, "--out", folder / "labels.csv")
    simulate(run, *perfect, "--out", folder / "all.csv")
    return folder


def clm(typed: Typed, played: Path, *more: object, sample: bool = True) -> Done:
    given = ("--sample", played / "sample", "--labels", played / "labels.csv") if sample else ()
    return typed("judge", "sets", played / "draws", *given, *more)


def only(done: Done) -> Any:
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert len(found["certificates"]) == len(found["calibration"])
    return found


def line_of(done: Done) -> str:
    assert done.returncode == 2, done.stdout + done.stderr
    assert done.stderr.count("\n") == 1
    return done.stderr


def test_the_papers_protocol_sets_all_its_settings_and_refuses_others(typed: Typed, played: Path) -> None:
    found = only(clm(typed, played, "--protocol", "paper", "--risk", ".35", "--json"))
    (certificate,) = found["certificates"]
    measure = certificate["conditions"]["measure"]
    assert (measure["quality"], measure["likeness"], measure["set"]) == ("gnmt", "stemmed", "max")
    assert (certificate["mode"], certificate["delta"]) == ("pareto", 0.05)
    assert certificate["steps"] == "the efficient ones on 30% of the units, split off, however many sets are empty"
    told = line_of(clm(typed, played, "--protocol", "paper", "--mode", "line"))
    assert "--mode: --protocol paper has --mode pareto; leave one of the two out." in told


def test_what_was_planted_is_recovered_by_the_command(typed: Typed, played: Path) -> None:
    found = only(clm(typed, played, "--json"))
    (row,) = found["calibration"]
    assert (row["task"], row["judge"], row["draws"]) == (
        "goal", "simulated/judge:sensitivity=.85,specificity=.85", K)  # fmt: skip
    assert row["simulated"]
    single = {row["measure"]: row for row in found["calibration_words"] if row["word"] is None}
    accuracy, flips = single["raw agreement (accuracy)"], single["flip rate"]
    assert abs(accuracy["value"] - 0.85) < 1.6 * (accuracy["high"] - accuracy["low"]) / 2  # three standard errors
    assert flips["low"] < 2 * 0.85 * 0.15 * 0.4 < flips["high"]
    (certificate,) = found["certificates"]
    levels = found["calibration_levels"]
    assert [level["risk"] for level in levels] == [0.05, 0.11, 0.17, 0.23, 0.29, 0.35]
    assert [level["risk"] for level in certificate["levels"]] == [level["risk"] for level in levels]
    assert not levels[0]["certified"]
    assert levels[-1]["certified"]
    assert all(level["held_out"] for level in found["calibration_things"])
    certified = [level for level in found["calibration_things"] if level["loss"] is not None]
    assert all(level["loss"] <= level["risk"] + 0.15 for level in certified)


def test_people_read_levels_held_out_losses_and_what_they_mean(typed: Typed, played: Path) -> None:
    done = clm(typed, played)
    assert done.returncode == 0, done.stderr
    told = " ".join(done.stdout.split())
    for words in ("Simulated:", "as the sample froze it", "uncalibratable", "Flip rate", "Held out", "is no breach"):
        assert words in told
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_the_picture_and_the_certificate_are_new_files(typed: Typed, played: Path, tmp_path: Path) -> None:
    out, figure = tmp_path / "cert.json", tmp_path / "risk.svg"
    assert clm(typed, played, "--out", out, "--figure", figure).returncode == 0
    assert figure.read_text().startswith("<svg")
    assert "is not overwritten" in line_of(clm(typed, played, "--out", out))
    assert "is not overwritten" in line_of(clm(typed, played, "--figure", figure))


@pytest.mark.parametrize(
    "more",
    [
        ("--quality", "gnmt"), ("--quality", "mean"), ("--quality", "prefix", "--mode", "pareto"),
        ("--by", "place"), ("--claims", 6), ("--similarity", "plain"),
        ("--quality", "prefix", "--mode", "pareto", "--similarity", "none"),
    ],
)  # fmt: skip
def test_every_choice_gives_an_answer(typed: Typed, played: Path, more: tuple[object, ...]) -> None:
    found = only(clm(typed, played, "--json", *more))
    assert all(len(one["levels"]) == 6 for one in found["certificates"])


def test_several_runs_are_several_judges_of_the_same_answers(typed: Typed, played: Path, tmp_path: Path) -> None:
    again = tmp_path / "again"
    judged = typed("judge", played / "run", "--judge", "simulated/expert", "--judge", NOVICE,
                   "--samples", 4, "--judge-temperature", 1, "--out", again)  # fmt: skip
    assert judged.returncode == 0, judged.stderr
    words = ("judge", "sets", played / "draws", again, "--labels", played / "labels.csv", "--sample",
             played / "sample", "--risk", ".35", "--json")  # fmt: skip
    found = json.loads(typed(*words).stdout)
    assert [(each["judge"].split(":")[0], each["role"], each["draws"]) for each in found["calibration"]] == [
        ("simulated/judge", "judge", 6), ("simulated/expert", "judge", 4), ("simulated/novice", "judge2", 4),
    ]  # fmt: skip
    accuracies = [row for row in found["calibration_words"] if row["measure"] == "raw agreement (accuracy)"]
    assert len({row["graded"] for row in accuracies}) == 1
    (chosen,) = json.loads(typed(*words, "--judge", NOVICE).stdout)["calibration"]
    assert chosen["role"] == "judge2"
    assert "nobody of that name judges" in line_of(typed(*words, "--judge", "openai/gpt"))


def test_a_run_with_other_answers_is_not_held_against_the_same_labels(
    typed: Typed, played: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    assert typed("run", "ladder/converse", "--places", PLACES, "--out", other, "--seed", 9).returncode == 0
    done = typed("judge", "sets", played / "run", other, "--labels", played / "all.csv", "--task", "goal")
    assert "it holds other answers of simulated/typical" in line_of(done)


def test_without_a_sample_a_share_of_the_clusters_is_held_out(typed: Typed, played: Path) -> None:
    given = (played / "draws", "--labels", played / "all.csv", "--task", "goal")
    found = only(typed("judge", "sets", *given, "--held-out", ".5", "--one-per-episode", "--json"))
    assert found["calibration"][0]["split"].startswith("50% of the clusters held out")
    assert found["calibration_things"][0]["held_out"]
    done = typed("judge", "sets", *given)
    assert "On the things that calibrated (nothing was held out" in done.stdout


TRAPS: dict[str, tuple[tuple[str, ...], str]] = {
    "risk": (("--risk", ".1,2"), "--risk .1,2: expected levels between 0 and 1"),
    "delta": (("--delta", "0"), "delta is 0"),
    "task": (("--task", "nothing"), "nobody judged it; tasks are"),
    "verbalised": (("--quality", "verbalised"), "no reason states a confidence"),
    "decision": (("--quality", "decision"), "labels were not weighed"),
    "held out twice": (("--held-out", ".5"), "were frozen before it was labelled"),
}  # fmt: skip


@pytest.mark.parametrize("trap", TRAPS)
def test_what_cannot_be_used_is_refused_in_one_line(typed: Typed, played: Path, trap: str) -> None:
    more, words = TRAPS[trap]
    task = () if "--task" in more else ("--task", "goal")
    assert words in line_of(clm(typed, played, *more, *task))


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def labels(path: Path, rows: list[dict[str, str]]) -> Path:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


Rows = list[dict[str, str]]
BAD: dict[str, tuple[Callable[[Rows], Rows], str]] = {
    "unknown item": (lambda rows: [{**rows[0], "item": "nowhere"}, *rows[1:]], "was not judged in these runs"),
    "twice": (lambda rows: [rows[0], *rows], "a second label of"),
    "off scale": (lambda rows: [{**rows[0], "label": "perhaps"}, *rows[1:]], "expected one of yes, no"),
    "one class": (lambda rows: [{**row, "label": "yes"} for row in rows], "people say 'yes' of all"),
    "too few": (lambda rows: rows[:5], "expected at least 7"),
}


@pytest.mark.parametrize("bad", BAD)
def test_bad_labels_are_refused_in_one_line(typed: Typed, played: Path, tmp_path: Path, bad: str) -> None:
    rows = [row for row in rows_of(played / "all.csv") if row["task"] == "goal"]
    change, words = BAD[bad]
    path = labels(tmp_path / "labels.csv", change(rows))
    done = typed("judge", "sets", played / "draws", "--labels", path, "--task", "goal")
    assert words in line_of(done)


def test_points_and_worked_out_tasks_are_refused_in_one_line(typed: Typed, played: Path, tmp_path: Path) -> None:
    run, people = tmp_path / "run", tmp_path / "people.csv"
    assert typed("run", "ladder/explain", "--limit", 30, "--out", run).returncode == 0
    simulate(run, "--out", people, "--people", 1)
    done = typed("judge", "sets", run, "--labels", people, "--task", "coverage")
    assert "judges give points in it; expected words" in line_of(done)
    row = {**rows_of(played / "all.csv")[0], "task": "behaviour", "label": "3"}
    path = labels(tmp_path / "behaviour.csv", [row])
    done = typed("judge", "sets", played / "draws", "--labels", path, "--task", "behaviour")
    assert "worked out of other judgements" in line_of(done)


@pytest.fixture(scope="session")
def certificate(played: Path) -> Path:
    """A file with the certificate of the judge of the draws at two levels."""
    path = played / "cert.json"
    done = mores("judge", "sets", "draws", "--labels", "labels.csv", "--sample", "sample", "--risk", ".05,.35",
                 "--out", path, cwd=played)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return path


@pytest.fixture(scope="session")
def few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some talks of the same benchmark, to be judged."""
    folder = tmp_path_factory.mktemp("few")
    assert mores("run", "ladder/converse", "--limit", 12, "--out", "run", cwd=folder).returncode == 0
    return folder / "run"


def test_a_certificate_decides_and_writes_a_list_for_people(
    typed: Typed, played: Path, certificate: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    done = typed("judge", "apply", certificate, played / "draws", "--risk", ".05", "--out", out, "--json")
    assert done.returncode == 0, done.stderr
    (task,) = json.loads(done.stdout)["tasks"]
    assert task["counts"] == {"no certificate": task["things"]}
    listed = [json.loads(row) for row in (out / "worklist.jsonl").read_text().splitlines()]
    assert len(listed) == task["things"] == len(read_sample(out).rows)
    assert set(listed[0]) == {"id", "code", "task", "place", "words", "options"}
    assert "simulated/" not in (out / "worklist.jsonl").read_text()
    assert rows_of(out / "worklist.csv")[0]["label"] == ""
    decided = tmp_path / "decided"
    done = typed("judge", "apply", certificate, played / "draws", "--risk", ".35", "--out", decided)
    assert done.returncode == 0, done.stderr
    each = [json.loads(row) for row in (decided / "decisions.jsonl").read_text().splitlines()]
    assert {row["people"] for row in each} <= {"", "split", "empty"}
    assert all((row["decided"] is None) == bool(row["people"]) for row in each)
    assert "is not overwritten" in line_of(
        typed("judge", "apply", certificate, played / "draws", "--risk", ".35", "--out", decided)
    )


def test_labels_of_that_list_are_taken_back(typed: Typed, played: Path, certificate: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    typed("judge", "apply", certificate, played / "draws", "--risk", ".05", "--out", out)
    simulate(played / "draws", "--sample", out, "--people", 1, "--out", tmp_path / "l.csv")
    done = typed("judge", "agreement", played / "draws", "--labels", tmp_path / "l.csv", "--sample", out, "--json")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (
            ("--judge", "simulated/expert", "--samples", K, "--judge-temperature", 1, "--logprobs"),
            "here simulated/expert",
        ),
        (("--samples", K, "--judge-temperature", 0.5, "--logprobs"), "temperature 1.0, here 0.5"),
        (("--samples", 3, "--judge-temperature", 1, "--logprobs"), "draws 6, here 3"),
        (("--samples", K, "--judge-temperature", 1), "logprobs True, here False"),
    ],
)
def test_a_certificate_is_refused_on_a_run_that_was_judged_otherwise(
    typed: Typed, few: Path, certificate: Path, tmp_path: Path, more: tuple[object, ...], words: str
) -> None:
    judge = () if "--judge" in more else ("--judge", "simulated/judge:sensitivity=.85,specificity=.85")
    run = tmp_path / "run"
    assert typed("judge", few, *judge, *more, "--out", run).returncode == 0
    done = typed("judge", "apply", certificate, run, "--risk", ".35", "--out", tmp_path / "out")
    assert words in line_of(done)


def test_a_certificate_of_another_benchmark_is_refused(typed: Typed, certificate: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    assert typed("run", "ladder/explain", "--limit", 20, "--out", run).returncode == 0
    done = typed("judge", "apply", certificate, run, "--risk", ".35", "--out", tmp_path / "out")
    assert "The file certifies ladder/converse goal" in line_of(done)


def test_a_judge_that_the_file_does_not_certify_is_named(
    typed: Typed, played: Path, certificate: Path, tmp_path: Path
) -> None:
    told = line_of(typed("judge", "apply", certificate, played / "draws", "--risk", 0.35, "--judge", "foo",
                         "--out", tmp_path / "put"))  # fmt: skip
    assert "--judge foo: the file certifies nobody of that name; expected judge (simulated/judge" in told


def test_decisions_are_trusted_from_a_certified_confidence_on(typed: Typed, played: Path, tmp_path: Path) -> None:
    out = tmp_path / "trust.json"
    words = ("judge", "selective", played / "draws", "--labels", played / "all.csv", "--task", "goal",
             "--one-per-episode", "--held-out", ".5", "--risk", ".05,.35")  # fmt: skip
    found = only(typed(*words, "--out", out, "--json"))
    (made,) = found["certificates"]
    low, high = made["levels"]
    assert (low["certified"], high["certified"]) == (False, True)
    assert low["cause"] in {"too few items", "judge not good enough"}
    assert high["thresholds"]["confidence"] <= 1
    assert made["held"][0]["accepted"] > 0
    folder = tmp_path / "out"
    done = typed("judge", "apply", out, played / "draws", "--risk", ".35", "--out", folder)
    assert done.returncode == 0, done.stderr
    rows = [json.loads(row) for row in (folder / "decisions.jsonl").read_text().splitlines()]
    least = high["thresholds"]["confidence"]
    assert all((row["people"] == "unsure") == (row["confidence"] < least or row["decided"] is None) for row in rows)


def test_likelihood_of_one_draw_can_be_the_confidence(typed: Typed, played: Path) -> None:
    words = (
        "judge",
        "selective",
        played / "draws",
        "--labels",
        played / "all.csv",
        "--task",
        "goal",
        "--risk",
        ".35",
    )
    found = only(typed(*words, "--one-per-episode", "--confidence", "likelihood", "--json"))
    assert found["certificates"][0]["conditions"]["measure"] == {
        "confidence": "likelihood",
        "promise": "thing",
    }
    assert "labels were not weighed" in line_of(typed(*words, "--one-per-episode", "--confidence", "shares"))
    bare = ("judge", "selective", played / "run", *words[3:], "--one-per-episode")
    assert "judge again with --logprobs" in line_of(typed(*bare, "--confidence", "likelihood"))
    assert "one draw of each thing cannot agree with itself" in line_of(typed(*bare))


def test_things_of_one_episode_are_never_taken_for_independent(typed: Typed, tmp_path: Path) -> None:
    run = talks(tmp_path / "run", 40, judge="simulated/judge", models=("simulated/typical", "simulated/novice"))
    drawn, people = tmp_path / "sample", tmp_path / "labels.csv"
    words = ("--n", 80, "--task", "goal", "--one-per", "none", "--split", "calibration", "--out", drawn)
    assert typed("judge", "sample", run, *words).returncode == 0
    simulate(run, "--sample", drawn, "--people", 1, "--out", people)
    given = (run, "--labels", people, "--sample", drawn)
    assert "things come from 40 episodes" in line_of(typed("judge", "selective", *given))
    done = typed("judge", "sets", *given)
    assert "40 clusters were tested by their mean losses" in " ".join(done.stdout.split())
    alone = only(typed("judge", "sets", *given, "--one-per-episode", "--json"))
    assert alone["certificates"][0]["population"]["items"] == 40


def test_draws_that_are_killed_go_on_and_end_the_same(endpoint: Endpoint, tmp_path: Path) -> None:
    shutil.copytree(TINY / "ladder", tmp_path / "ladder")
    run = ("run", "ladder/explain", "--model", "vllm/subject", "--judge", "vllm/judge", "--base-url", endpoint.url,
           "--data", tmp_path / "ladder", "--samples", 4, "--temperature", "0.7", "--out",
           tmp_path / "run")  # fmt: skip
    assert mores(*run, cwd=tmp_path).returncode == 0
    endpoint.set(spelled=True)

    def judge(out: str) -> tuple[object, ...]:
        return ("judge", tmp_path / "run", "--judge", "vllm/judge", "--base-url", endpoint.url, "--samples", 5,
                "--judge-temperature", 1, "--logprobs", "--concurrency", 8, "--out", tmp_path / out)  # fmt: skip

    calm = mores(*judge("calm"), cwd=tmp_path)
    assert calm.returncode == 0, calm.stderr
    endpoint.set(latency_ms=8)
    rng_seed = random.Random(4)
    for _ in range(3):
        endpoint.reset()
        kill_after(begin(*judge("killed"), cwd=tmp_path), endpoint, rng_seed.randint(3, 30))
        until(lambda: endpoint.counts().in_flight == 0)
    endpoint.reset()
    done = mores(*judge("killed"), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert left(tmp_path / "killed") == left(tmp_path / "calm")
    votes = (tmp_path / "calm" / VOTES).read_bytes()
    assert votes == (tmp_path / "killed" / VOTES).read_bytes()
    read = [json.loads(row) for row in votes.splitlines()]
    assert {row["draw"] for row in read} == set(range(20))  # four answers, five draws on each
    assert all(row["tokens"] and row["logprob"] < 0 for row in read)
    endpoint.reset()
    assert mores(*judge("killed"), cwd=tmp_path).returncode == 0
    assert endpoint.counts().requests <= 1  # a probe at most: all draws are in the journal


def test_an_endpoint_without_log_probabilities_leaves_votes_without(endpoint: Endpoint, tmp_path: Path) -> None:
    shutil.copytree(TINY / "ladder", tmp_path / "ladder")
    endpoint.set(reject=["logprobs"])
    run = ("run", "ladder/explain", "--model", "vllm/subject", "--judge", "vllm/judge", "--base-url", endpoint.url,
           "--data", tmp_path / "ladder", "--out", tmp_path / "run")  # fmt: skip
    assert mores(*run, cwd=tmp_path).returncode == 0
    done = mores("judge", tmp_path / "run", "--judge", "vllm/judge", "--base-url", endpoint.url, "--samples", 2,
                 "--judge-temperature", 1, "--logprobs", "--out", tmp_path / "draws", cwd=tmp_path)  # fmt: skip
    assert done.returncode == 0, done.stderr
    read = [json.loads(row) for row in (tmp_path / "draws" / VOTES).read_text().splitlines()]
    assert all(row["logprob"] is None for row in read)


def test_without_things_held_out_there_is_no_picture_and_all_else_stands(
    typed: Typed, played: Path, tmp_path: Path
) -> None:
    done = typed("judge", "sets", played / "draws", "--labels", played / "all.csv", "--task", "goal", "--figure",
                 tmp_path / "f.svg")  # fmt: skip
    assert done.returncode == 0
    assert "Levels" in done.stdout
    assert "no picture was drawn, as nothing was held out" in done.stderr
    assert not (tmp_path / "f.svg").exists()
