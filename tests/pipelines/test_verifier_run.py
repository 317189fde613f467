"""`make verifier-run`: labels that the tables have, one table of figures, and the whole path on a tiny model."""

import csv
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.recorded import MARK
from benchmarks.servers.serving import SMOLLM2
from benchmarks.verifier.__main__ import JUDGES, made_data, main, parsed
from benchmarks.verifier.questions import ANSWERS, CASA, FRESH, NORMAD, RESPONDENTS, STORIES, make
from benchmarks.verifier.table import HEAD, RATERS, table
from mores.benchmarks.cultureforest.data import find_files, read_forest
from mores.calibration.agreement import to_dict
from mores.core.codec import encode
from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.models.verifier_facts import STANDS
from mores.pipelines.verifier.evaluate import FIGURES
from mores.pipelines.verifier.figures import VERIFIER, figures_of
from mores.pipelines.verifier.pairs import ResponseNormPair, read_pairs
from tests.models.tiny import needed
from tests.pipelines.planted_forest import CUSTOMS
from tests.pipelines.test_verifier_training import write_encoder

ROOT = Path(__file__).parents[2]
SCENES = 96


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables in the form of CASA's and NormAd's."""
    folder = tmp_path_factory.mktemp("tables")
    with (folder / CASA).open("w", newline="") as file:
        write = csv.writer(file)
        write.writerow(("subset", "index", "country", "user_query", "agreement", "symbol_desc", "violated_norm"))
        write.writerows(casa())
    with (folder / NORMAD).open("w", newline="") as file:
        write = csv.writer(file)
        write.writerow(("id", "Country", "Story", "Rule-of-Thumb", "Gold Label"))
        for n, (norm, kept, broken) in enumerate(CUSTOMS):
            does, label = ((kept, "yes"), (broken, "no"), ("hums a song", "neutral"))[n % 3]
            write.writerow((n, "japan", f"Mina {does}. Is what Mina did socially acceptable?", norm, label))
    return folder


def casa() -> Iterator[tuple[str, ...]]:
    for n in range(SCENES):
        norm, kept, broken = CUSTOMS[n % len(CUSTOMS)]
        subset = ("online_shopping", "social_discussion_forum")[n % 2]
        country = ("Japan", "Egypt", "U.S.")[n // 2 % 3]
        for done, agrees in ((broken, "no"), (kept, "yes")):
            yield subset, str(n), country, f"{n}: she {done}, may she?", agrees, f"Custom {n}.", f"{norm} ({n})"


@pytest.fixture(scope="module")
def made(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made") / "data"
    make(data, folder, scenes=60, fresh=2, stories=12)
    return folder


def test_an_answer_has_the_label_that_the_table_gives_its_request(made: Path) -> None:
    gold = {query: {"yes": "satisfy", "no": "violate"}[agrees] for _, _, _, query, agrees, _, _ in casa()}
    norms = {query: norm for _, _, _, query, _, _, norm in casa()}
    manners = {each.name: each.manner.split("{}") for each in RESPONDENTS}
    answers = read_pairs(made / ANSWERS)
    assert {each.label for each in answers} == set(STANDS)
    for each in answers:
        before, after = manners[each.model]
        request = each.response.removeprefix(before).removesuffix(after)
        about = norms[request] == each.norm
        assert each.label == (gold[request] if about else "neutral")


def test_no_two_respondents_speak_of_one_norm_and_none_of_a_fresh_question(made: Path) -> None:
    answers = read_pairs(made / ANSWERS)
    spoken = {(each.model, each.norm) for each in answers}
    assert len(spoken) == len({norm for _, norm in spoken}) == 60
    fresh = read_forest(find_files(made / FRESH, "cultureforest/hard"))
    assert len(fresh.questions) == 2
    assert {norm.statement for norm in fresh.norms.values()}.isdisjoint(norm for _, norm in spoken)


def test_stories_keep_their_labels_and_lose_the_question_that_ends_them(made: Path) -> None:
    stories = read_pairs(made / STORIES)
    assert len(stories) == 12
    for each in stories:
        _, kept, broken = next(custom for custom in CUSTOMS if custom[0] == each.norm)
        done = {"satisfy": kept, "violate": broken, "neutral": "hums a song"}[str(each.label)]
        assert each.response == f"Mina {done}."
    assert len({each.cluster for each in stories}) == len({each.norm for each in stories}) > 1


def test_the_same_tables_make_the_same_files(data: Path, made: Path, tmp_path: Path) -> None:
    make(data, tmp_path / "again", scenes=60, fresh=2, stories=12)
    for name in (ANSWERS, STORIES):
        assert (tmp_path / "again" / name).read_bytes() == (made / name).read_bytes()


def test_a_word_that_is_no_label_is_named_with_its_line(tmp_path: Path) -> None:
    head = "subset,index,country,user_query,agreement,symbol_desc,violated_norm\n"
    (tmp_path / CASA).write_text(f"{head}online_shopping,1,Japan,Q,perhaps,D,N\n")
    with pytest.raises(InputError, match=r"casa.csv:2: agreement is 'perhaps'"):
        make(tmp_path, tmp_path / "made", scenes=1, fresh=0, stories=1)
    assert not (tmp_path / "made").exists()


def test_the_table_says_whose_labels_and_of_how_many_pairs_a_judge_was_asked(tmp_path: Path) -> None:
    pairs = [ResponseNormPair(id=str(n), cluster=str(n), response="r", norm="n", label=STANDS[n % 3], origin="file")
             for n in range(30)]  # fmt: skip
    gold = np.arange(30) % 3.0
    few = np.where(np.arange(30) < 9, gold, np.nan)
    labels = {VERIFIER: gold, "simulated/judge": few}
    found = figures_of(STORIES, pairs, labels, seed=Seed("t"), asked={"simulated/judge": 10})
    (tmp_path / FIGURES).write_bytes(encode([to_dict(found)]))
    head, _, verifier, judge = table(tmp_path).splitlines()
    assert "30 pairs of 30 norms" in verifier
    assert "whose labels" in head
    assert "stories and labels of NormAd" in verifier
    assert "1.00" in verifier
    assert "30 of 30" in verifier
    assert "judge, simulated: simulated/judge" in judge
    assert "9 of 10" in judge


def test_data_are_named_by_what_is_in_them_and_what_a_kill_left_is_made_anew(data: Path, tmp_path: Path) -> None:
    few = parsed("--data", str(data), "--out", str(tmp_path), "--scenes", "60", "--fresh", "1", "--stories", "9")
    (tmp_path / ".making").mkdir()
    (tmp_path / ".making" / ANSWERS).write_text("half a li")
    first, again = made_data(few), made_data(few)
    other = made_data(parsed("--data", str(data), "--out", str(tmp_path), "--scenes", "30", "--fresh", "1"))
    assert first == again != other
    assert {path.name for path in tmp_path.iterdir()} == {first.name, other.name}


@pytest.mark.parametrize(
    ("told", "says"),
    [
        (("--data", "nowhere"), "nowhere: no casa.csv; name a folder that has it with --data or MORES_DATA."),
        (("--mores", "nowhere"), "--mores nowhere: no such file; expected that of an environment with the extra"),
        (("--out", "taken", "--base", "b"), "File exists|Not a directory"),
    ],
)
def test_what_cannot_be_used_is_said_in_one_line(
    told: tuple[str, ...], says: str, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    Path("taken").write_text("mine")
    monkeypatch.setattr(sys, "argv", ["", "--data", str(data), "--out", "out", *told])
    assert main() == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert re.search(says, line)
    assert Path("taken").read_text() == "mine"


def test_the_page_shows_each_rater_on_each_set_with_its_interval_and_number() -> None:
    page = (ROOT / "docs" / "building.md").read_text(encoding="utf-8")
    assert "```sh\nmake verifier-run\n```" in page
    begin, end = (MARK.format(name="verifier-run", edge=edge) for edge in ("begin", "end"))
    rows = [line.split(" | ") for line in page.partition(begin)[2].partition(end)[0].splitlines() if line[:1] == "|"]
    assert " | ".join(rows[0]) == HEAD
    sets = [row[0].removeprefix("| ").partition(":")[0] for row in rows[2:] if row[0] not in {"|", "| "}]
    assert sets == ["held out", *sorted(f"responses of {each.name}" for each in RESPONDENTS), STORIES]
    raters = {*RATERS.values(), *(f"judge, simulated: {judge}" for judge in JUDGES), f"judge: {SMOLLM2.model}"}
    assert Counter(row[1] for row in rows[2:]) == dict.fromkeys(raters, len(sets))
    for row in rows[2:]:
        assert re.fullmatch(r"\d\.\d\d \[\d\.\d\d, \d\.\d\d\]", row[2]), row
        assert re.fullmatch(r"\d+ of \d+ \|", row[5]), row


@pytest.mark.verifier
def test_one_command_trains_with_folds_calibrates_compares_and_judges_a_run(data: Path, tmp_path: Path) -> None:
    needed("torch")
    base, out = write_encoder(tmp_path / "base", tokens=480), tmp_path / "out"
    small = ("--scenes", "90", "--fresh", "1", "--stories", "12", "--epochs", "1", "--judged", "5")
    told = ("--data", str(data), "--out", str(out), "--base", str(base), "--embed", "none", "--no-real", *small)
    command = [sys.executable, "-m", "benchmarks.verifier", *told]
    for _ in range(2):
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "| stories.jsonl: stories and labels of NormAd; 12 pairs of " in done.stdout
        assert "5 of 5" in done.stdout
    names = [each["name"] for each in read(out / "verifier" / FIGURES)]
    assert sum(name.startswith("responses of ") for name in names) == len(RESPONDENTS)
    card = (out / "verifier" / "README.md").read_text()
    assert "Temperature" in card
    assert all(name in card for name in ("majority class", "its base, untuned", "simulated/judge:sensitivity=.9"))
    assert (out / "run-without-real" / "report.html").is_file()


def read(path: Path) -> Any:
    return json.loads(path.read_text())
