"""A judgement of one's own in SocialCC, a prompt, one declaration and a line of the card, stands in every medium."""

import json
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.plays import TINY
from tests.benchmarks.test_toy_family import PROMPT
from tests.runs.conduct import mores as typed_anew

ROOM = Path(__file__).parents[2] / "src" / "mores" / "benchmarks" / "socialcc"
DECLARED = '        deciding("courtesy", read_prompt("courtesy")),\n'
LINE = '  { name = "courtesy", says = "share of dialogues in which the subject is courteous", pressed = true },\n'
ASKED = "[[dialogue]]\n\nIs Agent 2 courteous? Say yes or no.\n\n[[form]]"
MADE = '\n\ndef made(words: ReadPrompt = Prompt.read) -> DialogueBenchmark:\n    return benchmark("dialogue", words)\n'
RUN = ("run", "toy/talk", "--data", str(TINY / "socialcc"), "-m", "simulated/typical", "--set", "pressure=none,strong")
Type = Callable[..., str]


def package(folder: Path, *, prompt: bool = True, declared: bool = True, line: bool = True) -> Path:
    """SocialCC under another name, with some of the parts of the judgement."""
    room = folder / "toy_talk"
    shutil.copytree(ROOM, room, ignore=shutil.ignore_patterns("__pycache__"))
    code, card = room / "benchmark.py", room / "dialogue.card.toml"
    text = code.read_text().replace("    conduct,\n", "    conduct,\n    deciding,\n", 1) + MADE
    before = '        valuing(read_prompt("value")),\n'
    code.write_text(text.replace(before, before + DECLARED) if declared else text)
    told, last = card.read_text().replace('"socialcc/dialogue"', '"toy/talk"'), '  "antagonist_flagged",\n'
    card.write_text(told.replace(last, last + LINE) if line else told)
    if prompt:
        (room / "courtesy.prompt.md").write_text(PROMPT.format(name="toy.courtesy.v1", role="judge", words=ASKED))
    about = folder / "toy_talk-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: toy-talk\nVersion: 1\n")
    (about / "entry_points.txt").write_text("[mores.benchmarks]\ntoy/talk = toy_talk.benchmark:made\n")
    return folder


def install(folder: Path) -> None:
    sys.path.insert(0, str(folder))


def typed(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    return typed_anew(*words, cwd=folder, seconds=120, before=partial(install, folder))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package of the family as it would be installed, and a run."""
    site = package(tmp_path_factory.mktemp("toy"))
    done = typed(site, *RUN, "--out", "run")
    assert done.returncode == 0, done.stderr
    return site


@pytest.fixture(scope="module")
def type_(folder: Path) -> Type:
    def type_there(*words: str) -> str:
        done = typed(folder, *words)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return type_there


@pytest.fixture(scope="module")
def rows(type_: Type) -> Any:
    """The tables of the dialogue section, as programs read them."""
    return json.loads(type_("report", "run", "--json"))["analyses"]["social"]


@pytest.fixture(scope="module")
def share(rows: Any) -> float:
    """The share of courteous dialogues, of all of them."""
    (row,) = (row for row in rows["social"] if row["metric"] == "courtesy")
    assert (row["asked"], row["graded"]) == (16, 16)
    return float(row["figure"])


def test_it_stands_last_in_the_tables_of_the_section(rows: Any, share: float) -> None:
    assert rows["social"][-1]["metric"] == "courtesy"
    assert {row["level"] for row in rows["social_levels"] if row["metric"] == "courtesy"} == {"none", "strong"}
    assert rows["social_drops"][-1]["metric"] == "courtesy"


def test_people_see_it_on_the_page_and_on_the_full_screen(type_: Type, folder: Path, share: float) -> None:
    type_("report", "run", "--out", "page.html")
    page = (folder / "page.html").read_text()
    assert 'href="#term-courtesy"' not in page, "the glossary's courtesy is another thing"
    section = page.partition('<section id="social"')[2].partition("</section>")[0]
    assert "courtesy</th>" in section
    assert f"<b>{100 * share:.1f}%</b>" in section
    assert '<select name="courtesy">' in section
    full = " ".join(type_("report", "run", "--full").split()).partition("Dialogues under pressure")[2]
    assert f"courtesy {100 * share:.1f}%" in full


def test_programs_have_it_as_csv_and_papers_in_latex_and_as_a_figure(type_: Type, folder: Path, share: float) -> None:
    type_("export", "run", "--to", "csv", "--out", "csv")
    assert f",courtesy,{share:g}" in (folder / "csv" / "social.csv").read_text()
    type_("export", "run", "--to", "latex", "--out", "latex")
    assert "& courtesy" in (folder / "latex" / "analyses.tex").read_text()
    type_("export", "run", "--to", "figures", "--out", "figures")
    assert (folder / "figures" / "social-courtesy-toy-talk.svg").is_file()


def test_inspects_log_has_it_over_all_and_of_each_dialogue(type_: Type, folder: Path, share: float) -> None:
    type_("export", "run", "--to", "inspect", "--out", "inspect")
    (log,) = (folder / "inspect").glob("*.eval")
    with zipfile.ZipFile(log) as parts:
        head = json.loads(parts.read("header.json"))
        samples = [json.loads(parts.read(name)) for name in parts.namelist() if name.startswith("samples/")]
    (whole,) = (each for each in head["results"]["scores"] if each["name"] == "courtesy")
    assert whole["metrics"]["value"]["value"] == pytest.approx(share)
    told = [sample["scores"]["courtesy"] for sample in samples]
    assert sum(each["value"] for each in told) / len(told) == pytest.approx(share)
    assert {each["answer"] for each in told} <= {"yes", "no"}


@pytest.mark.parametrize(
    ("left", "says"),
    [
        ({"prompt": False}, "courtesy.prompt.md"),
        ({"declared": False}, "toy/talk: the card has ['courtesy']; expected a judgement"),
        ({"line": False}, "toy/talk: judges decide ['courtesy']; expected metrics"),
    ],
    ids=["no prompt", "no declaration", "no line of the card"],
)
def test_a_part_that_was_forgotten_is_refused_before_the_first_call(
    tmp_path: Path, left: dict[str, bool], says: str
) -> None:
    site = package(tmp_path / "site", **left)
    done = typed(site, *RUN, "--out", "run")
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1), done.stderr
    assert says in done.stderr
    assert not (site / "run").exists()
