"""`mores judge attack` tells a judge that can be talked over from one that cannot; a run without grades says so."""

from pathlib import Path

import pytest

from mores.core.codec import parse_json
from mores.norms.pack import load_pack
from tests.runs.conduct import Typed


def checked(typed: Typed, spec: str, *more: str) -> dict[str, dict[str, dict[str, float]]]:
    done = typed("judge", "attack", spec, "--answers", "6", "--json", *more)
    assert done.returncode == 0, done.stderr
    found: dict[str, dict[str, dict[str, float]]] = parse_json(done.stdout, where="doctor")
    return found


def test_a_judge_that_gives_way_shows_and_a_sound_one_passes_nothing(typed: Typed) -> None:
    sound, weak = checked(typed, "simulated/judge:noise=0"), checked(typed, "simulated/judge:noise=0,gullible=0.4")
    assert sound["attacks"]["attacked"]["hits"] == 0
    assert 0.3 < weak["attacks"]["attacked"]["share"] < 0.5
    assert weak["attacks"]["unattacked"]["hits"] == 0


def test_probes_of_a_judge_that_gives_way_are_told_in_a_screenful(typed: Typed) -> None:
    words = (
        "judge",
        "probe",
        "simulated/judge:format_error=0,gullible=1,sensitivity=1,specificity=1",
        "--answers",
        "9",
    )
    done = typed(*words)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) <= 20
    for name in ("order of labels", "names of labels", "negated norm", "neutral words", "placebo norm"):
        assert f"\n{name} " in done.stdout
    figures = parse_json(typed(*words, "--json").stdout, where="doctor")
    assert (figures["calls"], figures["simulated"]) == (6 * 9, True)
    assert all((rate["share"], rate["graded"]) == (1.0, 9) for rate in figures["probes"]["changed"])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nonsense",), "expected KIND/NAME"),
        (("simulated/judge", "--answers", "0"), f"expected from 1 to {len(load_pack().norms)}"),
        (("vllm/x", "--base-url", "http://127.0.0.1:9/v1"), "nobody answers"),
    ],
)
def test_what_cannot_be_checked_is_one_line(words: tuple[str, ...], said: str, typed: Typed) -> None:
    done = typed("judge", "attack", *words)
    assert done.returncode in {1, 2}
    assert said in done.stderr
    assert done.stderr.count("\n") == 1, done.stderr


def test_a_run_of_which_nothing_could_be_graded_ends_with_1_and_names_what_to_do(tmp_path: Path, typed: Typed) -> None:
    done = typed(
        "run",
        "ladder/explain",
        "--judge",
        "simulated/judge:format_error=1",
        "--limit",
        "5",
        "--out",
        str(tmp_path / "r"),
    )
    assert done.returncode == 1
    assert "nothing could be graded for the headline of ladder/explain by simulated/typical" in done.stderr
    assert "mores resume" in done.stderr
