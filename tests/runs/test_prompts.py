"""Prompts in other words: the run keeps them, says so, goes on without their files, and is compared with its like."""

import json
from pathlib import Path

import pytest

from mores.benchmarks import catalogue
from tests.benchmarks.plays import TINY
from tests.runs.conduct import Typed, left, manifest

KNOW = "Of [[place]]: [[question]] Is this true: [[statement]]\n"
SHORT = ("--limit", 6)


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A prompt of one's own for the first rung."""
    path = tmp_path / "mine.md"
    path.write_text(KNOW, encoding="utf-8")
    return path


def test_a_run_in_other_words_keeps_them_with_their_hash_and_calls_them_a_departure(
    typed: Typed, mine: Path, tmp_path: Path
) -> None:
    done = typed("run", "ladder/know", "--prompt", "subject=mine.md", *SHORT, "--out", "run")
    assert done.returncode == 0, done.stderr
    made = manifest(tmp_path / "run")
    sha = made["prompts"]["ladder.know.v1"]
    assert sha != catalogue.prompts("ladder/know")["subject/know"].sha
    assert made["spec"]["prompts"] == {"ladder.know.v1": {"text": KNOW, "file": "mine.md"}}
    departure = {"setting": "words of subject/know", "published": "mores' own", "used": f"mine.md {sha}"}
    assert departure in made["departures"]
    assert f"mine.md {sha}" in (tmp_path / "run" / "report.html").read_text(encoding="utf-8")


def test_a_run_goes_on_and_is_made_again_without_the_file(typed: Typed, mine: Path, tmp_path: Path) -> None:
    whole = typed("run", "ladder/know", "--prompt", "subject=mine.md", *SHORT, "--out", "whole")
    assert whole.returncode == 0, whole.stderr
    cut = typed("run", "ladder/know", "--prompt", "subject=mine.md", *SHORT, "--max-calls", 5, "--out", "cut")
    assert cut.returncode == 1
    mine.unlink()
    assert typed("resume", "cut").returncode == 0
    assert typed("run", "whole/manifest.json", "--out", "again").returncode == 0
    assert left(tmp_path / "cut") == left(tmp_path / "whole") == left(tmp_path / "again")


def test_a_run_does_not_go_on_in_words_that_have_changed(typed: Typed, mine: Path, tmp_path: Path) -> None:
    line = ("run", "ladder/know", "--prompt", "subject=mine.md", *SHORT, "--max-calls", 5, "--out", "cut")
    assert typed(*line).returncode == 1
    mine.write_text(f"Well. {KNOW}", encoding="utf-8")
    other = typed(*line)
    assert (other.returncode, other.stderr.count("\n")) == (2, 1)
    path = tmp_path / "cut" / "manifest.json"
    path.write_text(path.read_text(encoding="utf-8").replace("Is this true", "Is it true"), encoding="utf-8")
    done = typed("resume", "cut")
    assert done.returncode == 2
    assert "manifest.json was changed after the run wrote it" in done.stderr


def test_where_the_file_lies_does_not_make_another_run(typed: Typed, mine: Path, tmp_path: Path) -> None:
    (tmp_path / "theirs.md").write_text(KNOW, encoding="utf-8")
    first = typed("run", "ladder/know", "--prompt", "subject=mine.md", *SHORT, "--out", "run")
    again = typed("run", "ladder/know", "--prompt", "subject=theirs.md", *SHORT, "--out", "run")
    assert (first.returncode, again.returncode) == (0, 0)


def test_runs_in_different_words_are_not_compared(typed: Typed, mine: Path) -> None:
    for out, more in (("own", ()), ("other", ("--prompt", "subject/know=mine.md"))):
        assert typed("run", "ladder/know", *SHORT, *more, "--out", out).returncode == 0
    done = typed("compare", "own", "other")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "own ran in mores' own words, and other in other words of subject/know mine.md" in done.stderr


HEADER = "name = 'x.v1'\nrole = 'subject'\nlanguage = 'en'"
PRINTED = f"+++\n{HEADER}\norigin = '{{origin}}'\n+++\n[[question]] [[a]] [[b]] [[c]] [[d]]"


@pytest.mark.parametrize(
    ("origin", "faithful", "departs"),
    [
        ("CulturalBench (2024), Appendix  D", "CulturalBench (2024), appendix D", []),
        ("CulturalBench (2024), Table 1", "", ["words of subject/easy"]),
        ("", "", ["words"]),
    ],
)
def test_our_words_are_a_standing_departure_and_those_of_the_paper_none(
    typed: Typed, tmp_path: Path, origin: str, faithful: str, departs: list[str]
) -> None:
    (tmp_path / "easy.md").write_text(PRINTED.format(origin=origin), encoding="utf-8")
    more = ("--prompt", "subject/easy=easy.md") if origin else ()
    line = ("run", "culturalbench/easy", "--data", TINY / "culturalbench", "--limit", "2", *more)
    done = typed(*line, "--out", "run")
    assert done.returncode == 0, done.stderr
    made = manifest(tmp_path / "run")
    found = [each for each in made["departures"] if each["setting"].startswith("words")]
    assert [each["setting"] for each in found] == departs
    assert {each["published"] for each in found} <= {"CulturalBench (2024), appendix D"}
    assert [each.get("by_default", False) for each in found] == [not origin] * len(found)
    assert made["protocol"]["faithful"] == ({"subject/easy": faithful} if faithful else {})
    told = " ".join(done.stdout.split())
    assert ("Words of prompts as published: CulturalBench (2024), appendix D." in told) == bool(faithful)
    assert ("Words of prompts: mores' own (published: CulturalBench (2024), appendix D)." in told) == (not origin)


def test_compare_says_of_two_runs_in_whose_words_they_were(typed: Typed, tmp_path: Path) -> None:
    (tmp_path / "easy.md").write_text(PRINTED.format(origin="CulturalBench (2024), appendix D"), encoding="utf-8")
    line = ("run", "culturalbench/easy", "--data", TINY / "culturalbench", "--limit", "2")
    for out, more in (("own", ()), ("theirs", ("--prompt", "subject/easy=easy.md"))):
        assert typed(*line, *more, "--out", out).returncode == 0
    done = typed("compare", "own", "theirs")
    said = "own ran in mores' own words, and theirs in the published words of subject/easy (CulturalBench (2024), "
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert said in done.stderr


def test_a_study_names_files_from_where_it_lies_and_a_family_takes_what_is_its(
    typed: Typed, mine: Path, tmp_path: Path
) -> None:
    (tmp_path / "there").mkdir()
    mine.rename(tmp_path / "there" / "mine.md")
    study = 'benchmarks = ["ladder/know", "ladder/judge"]\nlimit = 4\n[prompts]\n"subject/know" = "mine.md"\n'
    (tmp_path / "there" / "study.toml").write_text(study, encoding="utf-8")
    assert typed("run", "there/study.toml", "--out", "run").returncode == 0
    made = {each["benchmark"]: manifest(tmp_path / "run" / each["folder"])
            for each in manifest(tmp_path / "run")["cells"]}  # fmt: skip
    worded = {
        name: [d["setting"] for d in cell["departures"] if "words" in d["setting"]] for name, cell in made.items()
    }
    assert worded == {"ladder/know": ["words of subject/know"], "ladder/judge": []}


def test_judges_are_asked_again_in_other_words_and_players_are_not(typed: Typed, tmp_path: Path) -> None:
    rubric = catalogue.prompts("ladder/explain")["judge/explain_rubric"]
    (tmp_path / "rubric.md").write_text(f"Grade this.\n{rubric.body}", encoding="utf-8")
    assert typed("run", "ladder/explain", *SHORT, "--out", "run").returncode == 0
    again = ("judge", "run", "--judge", "simulated/judge", "--out", "again", "--prompt")
    done = typed(*again, "judge=rubric.md")
    assert done.returncode == 0, done.stderr
    shas = [manifest(tmp_path / out)["prompts"]["ladder.explain_rubric.v1"] for out in ("run", "again")]
    assert shas[0] == rubric.sha != shas[1]
    late = typed(*again, "subject=rubric.md")
    assert (late.returncode, late.stderr) == (
        2, "mores: --prompt subject/explain: the run was played already; expected a prompt of its judges.\n"
    )  # fmt: skip


def test_a_run_whose_players_had_other_words_is_judged_again(typed: Typed, mine: Path, tmp_path: Path) -> None:
    study = 'benchmarks = ["ladder/know", "ladder/explain"]\nlimit = 4\n[prompts]\n"subject/know" = "mine.md"\n'
    (tmp_path / "study.toml").write_text(study, encoding="utf-8")
    assert typed("run", "study.toml", "--out", "run").returncode == 0
    done = typed("judge", "run", "--judge", "simulated/novice", "--out", "again")
    assert done.returncode == 0, done.stderr
    assert manifest(tmp_path / "again")["spec"]["prompts"] == {}


def test_what_is_typed_goes_before_what_a_study_has(typed: Typed, mine: Path, tmp_path: Path) -> None:
    study = 'benchmarks = ["ladder/know"]\nlimit = 4\n[prompts]\n"subject/know" = "mine.md"\n'
    (tmp_path / "study.toml").write_text(study, encoding="utf-8")
    (tmp_path / "typed.md").write_text(f"Typed. {KNOW}", encoding="utf-8")
    assert typed("run", "study.toml", "--prompt", "subject=typed.md", "--out", "run").returncode == 0
    assert manifest(tmp_path / "run")["spec"]["prompts"]["ladder.know.v1"]["file"] == "typed.md"


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("subject=none.md", "none.md: cannot be read (No such file or directory)."),
        ("subject", "--prompt subject: expected NAME=VALUE."),
        ("subject=empty.md", "empty.md: no slot [[place]], [[question]], [[statement]]"),
        ("ladder.know.v1=cut.md", "cut.md: its header has no end"),
        ("subject=mine.md,subject/know=mine.md", "--prompt subject/know: its prompt is named twice"),
        ("judge=mine.md", "No prompt is called 'judge'. Known here: subject/know."),
        ("subject/kno=mine.md", "Did you mean 'subject/know'?"),
    ],
)
def test_words_that_cannot_be_used_are_refused_before_anything_is_asked(
    typed: Typed, mine: Path, tmp_path: Path, given: str, says: str
) -> None:
    (tmp_path / "empty.md").write_text("\n", encoding="utf-8")
    (tmp_path / "cut.md").write_text(f"+++\n{KNOW}", encoding="utf-8")
    flags = [word for one in given.split(",") for word in ("--prompt", one)]
    for more in (("--dry",), ("--out", "run")):
        done = typed("run", "ladder/know", *flags, *more)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert says in done.stderr
    assert not (tmp_path / "run").exists()


def test_a_dry_run_counts_the_words_that_would_be_asked(typed: Typed, mine: Path) -> None:
    def tokens(*more: object) -> int:
        done = typed("run", "ladder/know", "--dry", "--json", *more)
        found: int = json.loads(done.stdout)["cells"][0]["input_tokens"]
        return found

    assert tokens("--prompt", "subject=mine.md") < tokens()
